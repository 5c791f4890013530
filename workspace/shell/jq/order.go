package jq

import (
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// order remembers in which order the keys of objects came. The engine's objects have none,
// so what is written takes it from here, as a loop over an object does:
//
//   - an object of the input that was not changed has its own order,
//   - one with exactly the keys of an object that the program builds has the order of that,
//   - else keys come as they were first seen in the input, then as the program names them.
//
// A nil order sorts.
type order struct {
	known  map[string]rank
	inputs int // ranks given to keys of the input
	others int // ranks given to other keys
	odd    map[uintptr]oddObject
	built  map[int][][]string // of the program, by their number of keys
	recent map[int][][]string // what was answered by rank, to be looked at first
	leads  map[*gojq.Object]bool

	lasting map[uintptr]oddObject // of odd: what the command line gave
}

// rank is the place of a key; lower ones come first.
type rank struct {
	key string // one copy of it for all objects
	at  int
}

// oddObject is an object whose order is not that of the ranks. It is kept, so that its
// address stays its own.
type oddObject struct {
	object map[string]any
	keys   []string
}

const (
	programRank = 1 << 40 // and above: keys that no input had so far
	unknownRank = 1 << 50 // of what is not remembered
	maxRanks    = 100_000
	maxOdd      = 10_000
	maxRecent   = 4 // for one number of keys
)

func newOrder() *order {
	o := &order{known: map[string]rank{}, odd: map[uintptr]oddObject{}, built: map[int][][]string{}, recent: map[int][][]string{}, leads: map[*gojq.Object]bool{}}
	// Of objects that the engine makes.
	for _, keys := range []string{"key value", "offset length string captures", "offset length string name", "file line", "positional named"} {
		o.build(strings.Fields(keys))
	}
	return o
}

// input notes a key that was read.
func (o *order) input(b []byte) rank {
	r, ok := o.known[string(b)]
	if ok && r.at < programRank {
		return r
	}
	if !ok {
		r.key = string(b)
		if len(o.known) >= maxRanks {
			r.at = unknownRank
			return r
		}
	} else {
		clear(o.recent)
	}
	r.at = o.inputs
	o.inputs++
	o.known[r.key] = r
	return r
}

// name notes a key that the program names or makes.
func (o *order) name(key string) {
	if _, ok := o.known[key]; !ok && len(o.known) < maxRanks {
		o.known[key] = rank{key, programRank + o.others}
		o.others++
	}
}

// build notes the keys of an object that the program builds.
func (o *order) build(keys []string) {
	for _, key := range keys {
		o.name(key)
	}
	if len(keys) > 1 {
		o.built[len(keys)] = append(o.built[len(keys)], slices.Clone(keys))
	}
}

// keep notes that an object does not have the order of the ranks. When there are too many
// of these, those before it have it from then on.
func (o *order) keep(object map[string]any, keys []string) {
	if len(o.odd) >= maxOdd {
		clear(o.odd)
	}
	o.odd[pointer(object)] = oddObject{object, slices.Clone(keys)}
}

// forget lets go of the objects of an input that is done with; those of the command line
// stay.
func (o *order) forget() {
	if o.lasting == nil {
		o.lasting = maps.Clone(o.odd)
		return
	}
	if len(o.odd) > len(o.lasting) {
		clear(o.odd)
		maps.Copy(o.odd, o.lasting)
	}
}

// begins makes an object begin with some of its keys.
func (o *order) begins(v any, first []any) {
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	keys := make([]string, 0, len(object))
	for _, key := range first {
		if s := key.(string); !slices.Contains(keys, s) {
			keys = append(keys, s)
		}
	}
	for _, key := range o.keys(object) {
		if !slices.Contains(keys[:min(len(first), len(keys))], key) {
			keys = append(keys, key)
		}
	}
	o.keep(object, keys)
}

// keys gives the keys of an object in their order. They must not be changed.
func (o *order) keys(object map[string]any) []string {
	if o == nil {
		return sortedKeys(object)
	}
	if len(o.odd) > 0 {
		if x, ok := o.odd[pointer(object)]; ok && len(x.keys) == len(object) {
			return x.keys
		}
	}
	for _, known := range [...][][]string{o.built[len(object)], o.recent[len(object)]} {
		for i := len(known) - 1; i >= 0; i-- {
			if hasAll(object, known[i]) {
				return known[i]
			}
		}
	}
	ranks := make([]rank, 0, len(object))
	complete := true
	for key := range object {
		r, ok := o.known[key]
		if !ok {
			r, complete = rank{key, unknownRank}, false
		}
		ranks = append(ranks, r)
	}
	slices.SortFunc(ranks, func(a, b rank) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return strings.Compare(a.key, b.key)
	})
	keys := make([]string, len(ranks))
	for i, r := range ranks {
		keys[i] = r.key
	}
	if complete && len(keys) > 1 {
		o.remember(keys)
	}
	return keys
}

func (o *order) remember(keys []string) {
	list := o.recent[len(keys)]
	if len(list) >= maxRecent {
		list = slices.Delete(list, 0, 1)
	}
	o.recent[len(keys)] = append(list, keys)
}

func hasAll(object map[string]any, keys []string) bool {
	for _, key := range keys {
		if _, ok := object[key]; !ok {
			return false
		}
	}
	return true
}

// entries notes the names that entries give to keys.
func (o *order) entries(v any) {
	list, _ := v.([]any)
	for _, item := range list {
		entry, _ := item.(map[string]any)
		for _, name := range []string{"key", "k", "name", "Name", "K", "Key"} {
			if key, ok := entry[name].(string); ok {
				o.name(key)
				break
			}
		}
	}
}
