package jq

import "slices"

// object is keys with values, in the order in which the keys came.
type object struct {
	keys  []string // shared between objects: only who owns the room beyond them appends
	vals  []any
	index map[string]int // of the keys of a large one, made when first needed
	next  *object        // has taken keys and vals
	at    int            // of next, the value that was changed; -1 when one was appended
	was   any            // that value before
	n     int            // the number of keys before
	edits int
}

// scanned is up to how many keys one is found without an index.
const scanned = 16

func (o *object) own() *object {
	if o.next != nil {
		o.settle()
	}
	return o
}

func (o *object) settle() {
	chain := []*object{o}
	last := o.next
	for last.next != nil {
		chain = append(chain, last)
		last = last.next
	}
	vals := slices.Clone(last.vals)
	for _, v := range slices.Backward(chain) {
		if v.at >= 0 {
			vals[v.at] = v.was
		}
		vals = vals[:v.n]
	}
	o.keys, o.vals, o.index, o.next, o.was = last.keys[:len(vals):len(vals)], vals, nil, nil, nil
}

func (o *object) len() int {
	if o.next != nil {
		return o.n
	}
	return len(o.keys)
}

// find gives the position of a key, or -1.
func (o *object) find(key string) int {
	o.own()
	if len(o.keys) <= scanned {
		for i, k := range o.keys {
			if k == key {
				return i
			}
		}
		return -1
	}
	if o.index == nil {
		o.index = make(map[string]int, len(o.keys))
		for i, k := range o.keys {
			o.index[k] = i
		}
	}
	if i, ok := o.index[key]; ok {
		return i
	}
	return -1
}

func (o *object) get(key string) (any, bool) {
	if i := o.find(key); i >= 0 {
		return o.vals[i], true
	}
	return nil, false
}

// each gives the key and the value at a position.
func (o *object) each(i int) (string, any) {
	o.own()
	return o.keys[i], o.vals[i]
}

// put sets a key of an object that nobody else has seen.
func (o *object) put(key string, v any) {
	if i := o.find(key); i >= 0 {
		o.vals[i] = v
		return
	}
	if o.index != nil {
		o.index[key] = len(o.keys)
	}
	o.keys, o.vals = append(o.keys, key), append(o.vals, v)
}

// with gives the object with a key set.
func (o *object) with(key string, v any) *object {
	at := o.find(key)
	n := len(o.keys)
	var b *object
	if n < takeFrom || o.edits > n {
		b = &object{keys: o.keys[:n:n], vals: slices.Clone(o.vals)}
	} else {
		b = &object{keys: o.keys, vals: o.vals, index: o.index, edits: o.edits + 1}
		o.next, o.at, o.n = b, at, n
		if at >= 0 {
			o.was = o.vals[at]
		}
		o.keys, o.vals, o.index = nil, nil, nil
	}
	if at >= 0 {
		b.vals[at] = v
		return b
	}
	if b.index != nil {
		b.index[key] = n
	}
	b.keys, b.vals = append(b.keys, key), append(b.vals, v)
	return b
}

// copy gives an object with the same keys, to be changed with put.
func (o *object) copy() *object {
	o.own()
	n := len(o.keys)
	return &object{keys: o.keys[:n:n], vals: slices.Clone(o.vals)}
}

// without gives the object without some keys.
func (o *object) without(gone map[string]bool) *object {
	o.own()
	b := &object{}
	for i, key := range o.keys {
		if !gone[key] {
			b.keys, b.vals = append(b.keys, key), append(b.vals, o.vals[i])
		}
	}
	return b
}

// sorted gives the positions of the keys in their order.
func (o *object) sorted() []int {
	o.own()
	at := make([]int, len(o.keys))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int { return compareText(o.keys[a], o.keys[b]) })
	return at
}

// newObject gives an object of keys and values in turn.
func newObject(pairs ...any) *object {
	o := &object{}
	for i := 0; i+1 < len(pairs); i += 2 {
		o.put(pairs[i].(string), pairs[i+1])
	}
	return o
}
