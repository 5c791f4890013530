package jq

import (
	"slices"
	"strings"
)

// sum adds values up. Texts and arrays are put together without copying what is there
// again and again.
type sum struct {
	total any
	text  *strings.Builder
	items *array
}

func (s *sum) add(v any) error {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		if s.text != nil {
			if s.text.Len()+len(v) > maxText {
				return words("the text is too long")
			}
			s.text.WriteString(v)
			return nil
		}
		if s.total == nil && s.items == nil {
			s.text = &strings.Builder{}
			s.text.WriteString(v)
			return nil
		}
	case *array:
		if s.items != nil {
			s.items.items = append(s.items.items, v.list()...)
			return nil
		}
		if s.total == nil && s.text == nil {
			s.items = &array{items: slices.Clone(v.list())}
			return nil
		}
	case *object:
		if o, ok := s.total.(*object); ok {
			for i, key := range v.own().keys {
				o.put(key, v.vals[i])
			}
			return nil
		}
		if s.total == nil && s.text == nil && s.items == nil {
			s.total = v.copy()
			return nil
		}
	}
	total, err := add(s.value(), v)
	s.total, s.text, s.items = total, nil, nil
	return err
}

func (s *sum) value() any {
	switch {
	case s.text != nil:
		return s.text.String()
	case s.items != nil:
		return s.items
	}
	return s.total
}

// elements gives the elements of an array or the values of an object.
func elements(v any) ([]any, error) {
	switch v := v.(type) {
	case *array:
		return v.list(), nil
	case *object:
		return v.own().vals, nil
	}
	return nil, words("Cannot iterate over " + described(v))
}

// byKey sorts, groups or thins out an array by what f gives for each element.
func byKey(f node, e *frame, v any, do func([]keyed) *array) (any, error) {
	list, err := keysOf(f, e, v)
	if err != nil {
		return nil, err
	}
	if _, ok := v.(*array); !ok {
		return nil, both(v, keyList(f, list), "cannot be sorted, as they are not both arrays")
	}
	sortKeyed(list)
	return do(list), nil
}

// keyList gives the keys as messages show them: for each element what f gives, as an array.
func keyList(f node, list []keyed) *array {
	keys := &array{}
	for _, k := range list {
		if f.single() {
			k.key = newArray(k.key)
		}
		keys.items = append(keys.items, k.key)
	}
	return keys
}

// keysOf gives the elements with their keys: what f gives when it always gives one, else
// the array of all.
func keysOf(f node, e *frame, v any) ([]keyed, error) {
	var list []keyed
	if a, ok := v.(*array); ok {
		list = make([]keyed, 0, a.len())
	}
	err := spread(e, v, nil, func(w any, _ *trail) error {
		if f.single() {
			key, err := f.eval(e, w)
			list = append(list, keyed{key, w, len(list)})
			return err
		}
		keys, err := collect(f, e, w)
		list = append(list, keyed{&array{items: keys}, w, len(list)})
		return err
	})
	return list, err
}

func sortedBy(list []keyed) *array {
	a := &array{items: make([]any, len(list))}
	for i, k := range list {
		a.items[i] = k.value
	}
	return a
}

func groupedBy(list []keyed) *array {
	groups := &array{}
	for i, k := range list {
		if i == 0 || !equal(list[i-1].key, k.key) {
			groups.items = append(groups.items, &array{})
		}
		last := groups.items[len(groups.items)-1].(*array)
		last.items = append(last.items, k.value)
	}
	return groups
}

func uniqueBy(list []keyed) *array {
	a := &array{}
	for i, k := range list {
		if i == 0 || !equal(list[i-1].key, k.key) {
			a.items = append(a.items, k.value)
		}
	}
	return a
}

// itself gives the elements of an array as their own keys.
func itself(v any) ([]keyed, error) {
	a, ok := v.(*array)
	if !ok {
		return nil, one(v, "cannot be sorted, as it is not an array")
	}
	list := make([]keyed, a.len())
	for i, w := range a.list() {
		list[i] = keyed{w, w, i}
	}
	sortKeyed(list)
	return list, nil
}

func extremeBy(f node, e *frame, v any, least bool) (any, error) {
	list, err := keysOf(f, e, v)
	if err != nil {
		return nil, err
	}
	if _, ok := v.(*array); !ok {
		return nil, both(v, keyList(f, list), "cannot be iterated over")
	}
	return extreme(list, least), nil
}

// extreme gives the first of the least, or the last of the greatest.
func extreme(list []keyed, least bool) any {
	if len(list) == 0 {
		return nil
	}
	found := list[0]
	for _, k := range list[1:] {
		if (compare(k.key, found.key) < 0) == least {
			found = k
		}
	}
	return found.value
}

func extremeOf(v any, least bool) (any, error) {
	a, ok := v.(*array)
	if !ok {
		return nil, both(v, v, "cannot be iterated over")
	}
	list := make([]keyed, a.len())
	for i, w := range a.list() {
		list[i] = keyed{w, w, i}
	}
	return extreme(list, least), nil
}

// walk applies f to the parts of a value, the inner ones first, and then to the value.
func walk(n *special, e *frame, v any, p *trail, out yield) error {
	inner := func(w any, to yield) error {
		if err := e.m.nest(); err != nil {
			return err
		}
		defer e.m.unnest()
		return walk(n, e, w, nil, to)
	}
	switch w := v.(type) {
	case *array:
		list := &array{items: make([]any, 0, w.len())}
		for i := range w.len() {
			if err := inner(w.list()[i], func(x any, _ *trail) error {
				list.items = append(list.items, x)
				return e.m.grown(len(list.items))
			}); err != nil {
				return err
			}
		}
		v, p = list, nil
	case *object:
		o := &object{}
		for i := range w.len() {
			key, part := w.each(i)
			some := false
			if err := inner(part, func(x any, _ *trail) error {
				o.put(key, x)
				some = true
				return errStop
			}); err != nil && !(some && err == errStop) {
				return err
			}
		}
		v, p = o, nil
	}
	return n.args[0].run(e, v, p, out)
}

// toStream gives the events of a value, as --stream reads them.
func toStream(_ *special, e *frame, v any, p *trail, out yield) error {
	return events(e, v, &trail{value: v}, func(w any, _ *trail) error { return out(w, p) })
}

func events(e *frame, v any, at *trail, out yield) error {
	count := 0
	switch w := v.(type) {
	case *array:
		count = w.len()
	case *object:
		count = w.len()
	}
	if count == 0 {
		return out(newArray(&array{items: at.keys(nil)}, v), nil)
	}
	if err := e.m.nest(); err != nil {
		return err
	}
	defer e.m.unnest()
	var last *trail
	err := spread(e, v, at, func(w any, q *trail) error {
		last = q
		return events(e, w, q, out)
	})
	if err != nil {
		return err
	}
	return out(newArray(&array{items: last.keys(nil)}), nil)
}

// fromStream gives the values whose events f gives.
func fromStream(n *special, e *frame, v any, p *trail, out yield) error {
	var whole any
	return each(n.args[0], e, v, func(event any) error {
		parts, ok := event.(*array)
		if !ok || parts.len() == 0 {
			return notIndexed(event, 0)
		}
		keys, ok := parts.list()[0].(*array)
		if !ok {
			return words("Path must be specified as an array")
		}
		done := keys.len() == 1
		if parts.len() == 2 {
			var err error
			if whole, err = setPath(whole, keys.list(), parts.list()[1]); err != nil {
				return err
			}
			done = keys.len() == 0
		}
		if !done {
			return nil
		}
		v := whole
		whole = nil
		return out(v, p)
	})
}
