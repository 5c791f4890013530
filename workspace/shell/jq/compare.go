package jq

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"
)

func compareText(a, b string) int { return strings.Compare(a, b) }

// rank gives the place of a value's type in the order of all values.
func rank(v any) int {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return 2
		}
		return 1
	case string:
		return 4
	case *array:
		return 5
	case *object:
		return 6
	}
	return 3
}

// compare gives the order of two values: null, false, true, numbers, strings by their
// bytes, arrays, and objects by their keys first.
func compare(a, b any) int { return compareAt(a, b, 0) }

func equal(a, b any) bool {
	if x, ok := a.(string); ok {
		y, ok := b.(string)
		return ok && x == y
	}
	return compareAt(a, b, 0) == 0
}

func compareAt(a, b any, depth int) int {
	if r := cmp.Compare(rank(a), rank(b)); r != 0 {
		return r
	}
	switch x := a.(type) {
	case nil, bool:
		return 0
	case string:
		return compareText(x, b.(string))
	case *array:
		y := b.(*array)
		if x == y || depth > maxDepth {
			return 0
		}
		p, q := x.list(), y.list()
		for i := range min(len(p), len(q)) {
			if r := compareAt(p[i], q[i], depth+1); r != 0 {
				return r
			}
		}
		return cmp.Compare(len(p), len(q))
	case *object:
		y := b.(*object)
		if x == y || depth > maxDepth {
			return 0
		}
		return compareObjects(x, y, depth)
	}
	return compareNumbers(a, b)
}

func compareObjects(x, y *object, depth int) int {
	p, q := x.sorted(), y.sorted()
	for i := range min(len(p), len(q)) {
		if r := compareText(x.keys[p[i]], y.keys[q[i]]); r != 0 {
			return r
		}
	}
	if r := cmp.Compare(len(p), len(q)); r != 0 {
		return r
	}
	for i := range p {
		if r := compareAt(x.vals[p[i]], y.vals[q[i]], depth+1); r != 0 {
			return r
		}
	}
	return 0
}

// compareNumbers orders numbers; what is no number is less than any, itself included.
func compareNumbers(a, b any) int {
	if x, ok := a.(int); ok {
		if y, ok := b.(int); ok {
			return cmp.Compare(x, y)
		}
	}
	a, b = plain(a), plain(b)
	x, isFloat := a.(float64)
	y, alsoFloat := b.(float64)
	switch {
	case isFloat && math.IsNaN(x):
		return -1
	case alsoFloat && math.IsNaN(y):
		return 1
	case isFloat && alsoFloat:
		return cmp.Compare(x, y)
	case !isFloat && !alsoFloat:
		return bigOf(a).Cmp(bigOf(b))
	case isFloat && math.IsInf(x, 0):
		return cmp.Compare(x, 0)
	case alsoFloat && math.IsInf(y, 0):
		return cmp.Compare(0, y)
	case isFloat:
		return big.NewFloat(x).Cmp(new(big.Float).SetInt(bigOf(b)))
	}
	return new(big.Float).SetInt(bigOf(a)).Cmp(big.NewFloat(y))
}

// keyed is a value with what it is sorted by, and its place before.
type keyed struct {
	key, value any
	at         int
}

// sortKeyed sorts by the keys; equal ones stay in their order.
func sortKeyed(list []keyed) {
	slices.SortFunc(list, func(a, b keyed) int {
		if r := order(a.key, b.key); r != 0 {
			return r
		}
		return a.at - b.at
	})
}

// order is compare for sorting: two that are no numbers are equal there.
func order(a, b any) int {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return compareText(x, y)
		}
	}
	r := compare(a, b)
	if r < 0 && isNaN(a) && isNaN(b) {
		return 0
	}
	return r
}

func isNaN(v any) bool {
	f, ok := v.(float64)
	return ok && f != f
}

// contains says whether b is in a: a text in a text, each element in some element, each
// value of a key in the value of that key.
func contains(a, b any) (bool, error) { return containsAt(a, b, 0) }

func containsAt(a, b any, depth int) (bool, error) {
	if depth > maxDepth {
		return false, words("the values are nested too deep")
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Contains(x, y), nil
		}
	case *array:
		if y, ok := b.(*array); ok {
			return containsAll(x.list(), y.list(), depth)
		}
	case *object:
		y, ok := b.(*object)
		if !ok {
			break
		}
		for i, key := range y.own().keys {
			v, ok := x.get(key)
			if !ok {
				return false, nil
			}
			if ok, err := within(v, y.vals[i], depth); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	if typeOf(a) == typeOf(b) {
		return equal(a, b), nil
	}
	return false, both(a, b, "cannot have their containment checked")
}

// within is contains for parts, of which two of different types are just not in each other.
func within(a, b any, depth int) (bool, error) {
	if typeOf(a) != typeOf(b) {
		return false, nil
	}
	return containsAt(a, b, depth+1)
}

func containsAll(list, wanted []any, depth int) (bool, error) {
	for _, w := range wanted {
		found := false
		for _, v := range list {
			ok, err := within(v, w, depth)
			if err != nil {
				return false, err
			}
			if found = ok; ok {
				break
			}
		}
		if !found {
			return false, nil
		}
	}
	return true, nil
}
