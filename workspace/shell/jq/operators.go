package jq

import (
	"math"
	"strings"
)

// maxText is how many bytes a text may have that a query makes longer.
const maxText = 256 << 20

func add(a, b any) (any, error) {
	switch x := a.(type) {
	case nil:
		return b, nil
	case int:
		if y, ok := b.(int); ok {
			if s, ok := exact('+', x, y); ok {
				return s, nil
			}
		}
	case string:
		if y, ok := b.(string); ok {
			if len(x)+len(y) > maxText {
				return nil, words("the text is too long")
			}
			return x + y, nil
		}
	case *array:
		if y, ok := b.(*array); ok {
			return x.plus(y.list()), nil
		}
	case *object:
		if y, ok := b.(*object); ok {
			return merged(x, y), nil
		}
	}
	switch {
	case b == nil:
		return a, nil
	case isNumber(a) && isNumber(b):
		return arithmetic('+', a, b), nil
	}
	return nil, both(a, b, "cannot be added")
}

// merged gives an object with the keys of another one set.
func merged(x, y *object) *object {
	if y.len() <= 2 {
		for i := range y.len() {
			key, v := y.each(i)
			x = x.with(key, v)
		}
		return x
	}
	sum := x.copy()
	for i, key := range y.own().keys {
		sum.put(key, y.vals[i])
	}
	return sum
}

func subtract(a, b any) (any, error) {
	if isNumber(a) && isNumber(b) {
		return arithmetic('-', a, b), nil
	}
	x, ok := a.(*array)
	y, also := b.(*array)
	if !ok || !also {
		return nil, both(a, b, "cannot be subtracted")
	}
	left := &array{items: []any{}}
	gone := newSet(y.list())
	for _, v := range x.list() {
		if !gone.has(v) {
			left.items = append(left.items, v)
		}
	}
	return left, nil
}

// set is some values that one asks for.
type set struct {
	texts map[string]bool
	rest  []any
}

func newSet(list []any) *set {
	s := &set{texts: map[string]bool{}}
	for _, v := range list {
		if text, ok := v.(string); ok {
			s.texts[text] = true
		} else {
			s.rest = append(s.rest, v)
		}
	}
	return s
}

func (s *set) has(v any) bool {
	if text, ok := v.(string); ok {
		return s.texts[text]
	}
	for _, w := range s.rest {
		if equal(v, w) {
			return true
		}
	}
	return false
}

func multiply(a, b any) (any, error) {
	if isNumber(a) && isNumber(b) {
		return arithmetic('*', a, b), nil
	}
	switch x := a.(type) {
	case string:
		if isNumber(b) {
			return repeated(x, b)
		}
	case *object:
		if y, ok := b.(*object); ok {
			return deepMerged(x, y, 0)
		}
	}
	if text, ok := b.(string); ok && isNumber(a) {
		return repeated(text, a)
	}
	return nil, both(a, b, "cannot be multiplied")
}

// repeated gives a text several times; null for none at all.
func repeated(text string, times any) (any, error) {
	f, _ := float(times)
	if !(f > 0) {
		return nil, nil
	}
	n := int(min(math.Max(f, 1), maxText+1))
	if len(text) > 0 && n > maxText/len(text) {
		return nil, words("Repeat string result too long")
	}
	return strings.Repeat(text, n), nil
}

func deepMerged(x, y *object, depth int) (any, error) {
	if depth > maxDepth {
		return nil, words("the objects are nested too deep")
	}
	sum := x.copy()
	for i, key := range y.own().keys {
		v := y.vals[i]
		if inner, ok := v.(*object); ok {
			old, _ := sum.get(key)
			if was, ok := old.(*object); ok {
				var err error
				if v, err = deepMerged(was, inner, depth+1); err != nil {
					return nil, err
				}
			}
		}
		sum.put(key, v)
	}
	return sum, nil
}

func divide(a, b any) (any, error) {
	if isNumber(a) && isNumber(b) {
		if f, _ := float(b); f == 0 {
			return nil, both(a, b, "cannot be divided because the divisor is zero")
		}
		return quotient(a, b), nil
	}
	x, ok := a.(string)
	y, also := b.(string)
	if !ok || !also {
		return nil, both(a, b, "cannot be divided")
	}
	return splitText(x, y), nil
}

func modulo(a, b any) (any, error) {
	if !isNumber(a) || !isNumber(b) {
		return nil, both(a, b, "cannot be divided (remainder)")
	}
	v, ok := remainder(a, b)
	if !ok {
		return nil, both(a, b, "cannot be divided (remainder) because the divisor is zero")
	}
	return v, nil
}

func negate(v any) (any, error) {
	if !isNumber(v) {
		return nil, one(v, "cannot be negated")
	}
	return negative(v), nil
}

func alternative(a, b any) (any, error) {
	if truthy(a) {
		return a, nil
	}
	return b, nil
}

func isEqual(a, b any) (any, error)   { return equal(a, b), nil }
func isUnequal(a, b any) (any, error) { return !equal(a, b), nil }
func isLess(a, b any) (any, error)    { return compare(a, b) < 0, nil }
func isGreater(a, b any) (any, error) { return compare(a, b) > 0, nil }
func isAtMost(a, b any) (any, error)  { return compare(a, b) <= 0, nil }
func isAtLeast(a, b any) (any, error) { return compare(a, b) >= 0, nil }

// splitText gives the parts of a text between separators; without a separator, its
// characters.
func splitText(text, separator string) *array {
	if text == "" {
		return &array{}
	}
	parts := strings.Split(text, separator)
	list := &array{items: make([]any, len(parts))}
	for i, part := range parts {
		list.items[i] = part
	}
	return list
}
