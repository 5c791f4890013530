package jq

import (
	"math/big"
	"slices"
)

// The values of a query are nil, bool, int, float64, *big.Int, literal, string, *array and
// *object. Arrays and objects never change for who holds them: a change gives a new one. A
// large one is not copied for that: the new version takes over the room of the old one,
// which remembers what to undo and gets a room of its own when someone still asks it. So
// a loop that calls back must ask by position, as the room can be taken meanwhile.

// literal is a number as it was read that is no plain number of Go: it is written as it
// stands until something is computed with it.
type literal string

// takeFrom is how long an array or object is at least for its room to be taken over.
const takeFrom = 32

// array is a list of values.
type array struct {
	items []any
	next  *array // has taken items
	at    int    // of next, the element that was changed; -1 when some were appended
	was   any    // that element before
	n     int    // the length before
	edits int    // since items were last copied
}

func newArray(items ...any) *array { return &array{items: items} }

// list gives the elements. They are good until something is called back.
func (a *array) list() []any {
	if a.next != nil {
		a.settle()
	}
	return a.items
}

func (a *array) len() int {
	if a.next != nil {
		return a.n
	}
	return len(a.items)
}

// settle gives an old version a room of its own.
func (a *array) settle() {
	chain := []*array{a}
	last := a.next
	for last.next != nil {
		chain = append(chain, last)
		last = last.next
	}
	items := slices.Clone(last.items)
	for _, v := range slices.Backward(chain) {
		if v.at >= 0 {
			items[v.at] = v.was
		}
		items = items[:v.n]
	}
	a.items, a.next, a.was = items, nil, nil
}

// take gives a new version with the elements of a, to be changed, and whether a lost them.
func (a *array) take(at int) *array {
	items := a.list()
	if len(items) < takeFrom || a.edits > len(items) {
		return &array{items: slices.Clone(items)}
	}
	n := &array{items: items, edits: a.edits + 1}
	a.next, a.at, a.n, a.items = n, at, len(items), nil
	if at >= 0 {
		a.was = items[at]
	}
	return n
}

// with gives the array with another element at a position that is not negative.
func (a *array) with(at int, v any) *array {
	if n := a.len(); at >= n {
		b := a.take(-1)
		for len(b.items) < at {
			b.items = append(b.items, nil)
		}
		b.items = append(b.items, v)
		return b
	}
	b := a.take(at)
	b.items[at] = v
	return b
}

// plus gives the array with more elements at its end.
func (a *array) plus(more []any) *array {
	if a.len() >= takeFrom {
		more = slices.Clone(more) // they may be its own
	}
	b := a.take(-1)
	b.items = append(b.items, more...)
	return b
}

// typeOf gives the name of a value's type.
func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case *array:
		return "array"
	case *object:
		return "object"
	}
	return "number"
}

func isNumber(v any) bool {
	switch v.(type) {
	case int, float64, *big.Int, literal:
		return true
	}
	return false
}

// truthy says whether a value counts as true.
func truthy(v any) bool {
	if b, ok := v.(bool); ok {
		return b
	}
	return v != nil
}

// same says whether a value is the very one, as far as one can tell.
func same(v, w any) bool {
	switch a := v.(type) {
	case *array:
		b, ok := w.(*array)
		return ok && a == b
	case *object:
		b, ok := w.(*object)
		return ok && a == b
	case float64:
		if b, ok := w.(float64); ok && a != a {
			return b != b
		}
	case *big.Int:
		b, ok := w.(*big.Int)
		return ok && a.Cmp(b) == 0
	}
	switch w.(type) {
	case *array, *object, *big.Int:
		return false
	}
	return v == w
}

// deeper says whether arrays and objects are nested more than some levels deep.
func deeper(v any, levels int) bool {
	switch v := v.(type) {
	case *array:
		return levels == 0 || slices.ContainsFunc(v.list(), func(w any) bool { return deeper(w, levels-1) })
	case *object:
		return levels == 0 || slices.ContainsFunc(v.own().vals, func(w any) bool { return deeper(w, levels-1) })
	}
	return false
}
