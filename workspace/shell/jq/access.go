package jq

import (
	"math"
	"slices"
	"unicode/utf8"
)

// maxLength is how many elements an assignment may give an array that had fewer.
const maxLength = 1 << 24

// access gives what a key stands for in a value.
func access(v, key any) (any, error) {
	switch k := key.(type) {
	case string:
		switch v := v.(type) {
		case *object:
			found, _ := v.get(k)
			return found, nil
		case nil:
			return nil, nil
		}
	case *object:
		switch v := v.(type) {
		case nil:
			return nil, nil
		case *array:
			from, to, err := bounds(k, v.len(), "array")
			if err != nil {
				return nil, err
			}
			return part(v, from, to), nil
		case string:
			return cut(v, k)
		}
	case *array:
		if v, ok := v.(*array); ok {
			return occurrences(v.list(), k.list()), nil
		}
	default:
		if !isNumber(key) {
			break
		}
		switch v := v.(type) {
		case nil:
			return nil, nil
		case *array:
			return at(v, key), nil
		}
	}
	return nil, notIndexed(v, key)
}

func at(v *array, key any) any {
	n, ok := key.(int)
	if !ok {
		f, _ := float(key)
		if f != math.Trunc(f) {
			return nil
		}
		n, _ = whole(key)
	}
	items := v.list()
	if n < 0 {
		n += len(items)
	}
	if n < 0 || n >= len(items) {
		return nil
	}
	return items[n]
}

// part gives some elements as an array of their own. Only the room of a short array, which
// is never taken over, is shared.
func part(v *array, from, to int) *array {
	items := v.list()[from:to:to]
	if v.len() >= takeFrom {
		items = slices.Clone(items)
	}
	return &array{items: items}
}

// bounds gives the ends that {"start":…,"end":…} stands for in something of length n.
func bounds(slice *object, n int, what string) (from, to int, err error) {
	start, some := slice.get("start")
	end, also := slice.get("end")
	if !some || !also || start != nil && !isNumber(start) || end != nil && !isNumber(end) {
		return 0, 0, worded("Start and end indices of an %s slice must be numbers", what)
	}
	to = n
	if start != nil {
		f, _ := float(start)
		from = edge(math.Floor(f), n)
	}
	if end != nil {
		f, _ := float(end)
		to = edge(math.Ceil(f), n)
	}
	return from, max(from, to), nil
}

func edge(f float64, n int) int {
	switch {
	case math.IsNaN(f):
		return 0
	case f < 0:
		f += float64(n)
	}
	return int(min(max(f, 0), float64(n)))
}

// cut gives a part of a text, counted in characters.
func cut(s string, slice *object) (any, error) {
	from, to, err := bounds(slice, utf8.RuneCountInString(s), "string")
	if err != nil {
		return nil, err
	}
	return s[offset(s, from):offset(s, to)], nil
}

// offset gives where the character at a position begins.
func offset(s string, position int) int {
	n := 0
	for i := range s {
		if n == position {
			return i
		}
		n++
	}
	return len(s)
}

// occurrences gives the positions of a list in another; null for the empty one.
func occurrences(list, part []any) any {
	if len(part) == 0 {
		return nil
	}
	found := []any{}
	for i := range len(list) - len(part) + 1 {
		if slices.EqualFunc(list[i:i+len(part)], part, equal) {
			found = append(found, i)
		}
	}
	return newArray(found...)
}

// replaced gives a value with something else for a key.
func replaced(v, key, with any) (any, error) {
	switch k := key.(type) {
	case string:
		switch v := v.(type) {
		case nil:
			return &object{keys: []string{k}, vals: []any{with}}, nil
		case *object:
			return v.with(k, with), nil
		}
	case *object:
		if v == nil {
			v = &array{}
		}
		if v, ok := v.(*array); ok {
			return spliced(v, k, with)
		}
	default:
		if !isNumber(key) {
			break
		}
		if v == nil {
			v = &array{}
		}
		if v, ok := v.(*array); ok {
			return placed(v, key, with)
		}
	}
	if typeOf(key) == "array" || typeOf(key) == "object" {
		return nil, worded("Cannot update field at %s index of %s", typeOf(key), typeOf(v))
	}
	return nil, notIndexed(v, key)
}

func placed(v *array, key, with any) (any, error) {
	n, _ := whole(key)
	if n < 0 {
		if n += v.len(); n < 0 {
			return nil, words("Out of bounds negative array index")
		}
	}
	if n >= v.len()+maxLength {
		return nil, words("Array index too large")
	}
	return v.with(n, with), nil
}

func spliced(v *array, slice *object, with any) (any, error) {
	from, to, err := bounds(slice, v.len(), "array")
	if err != nil {
		return nil, err
	}
	list, ok := with.(*array)
	if !ok {
		return nil, words("A slice of an array can only be assigned another array")
	}
	items := v.list()
	return &array{items: slices.Concat(items[:from], list.list(), items[to:])}, nil
}

// getPath gives what lies at a path; below null there is null.
func getPath(v any, keys []any) (any, error) {
	for _, key := range keys {
		var err error
		if v, err = access(v, key); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// setPath gives a value with something else at a path.
func setPath(v any, keys []any, with any) (any, error) {
	if len(keys) == 0 {
		return with, nil
	}
	if len(keys) > maxDepth {
		return nil, words("Path too deep")
	}
	inner, err := access(v, keys[0])
	if err != nil {
		return nil, err
	}
	if inner, err = setPath(inner, keys[1:], with); err != nil {
		return nil, err
	}
	return replaced(v, keys[0], inner)
}
