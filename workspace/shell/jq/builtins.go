package jq

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// builtins are the functions of jq that compute one result, by name and arity.
var builtins = builtinTable()

func builtinTable() map[string]builtin {
	all := map[string]builtin{
		"not/0":            func(_ *machine, v any, _ []any) (any, error) { return !truthy(v), nil },
		"error/0":          func(_ *machine, v any, _ []any) (any, error) { return nil, &thrown{v} },
		"error/1":          func(_ *machine, _ any, args []any) (any, error) { return nil, &thrown{args[0]} },
		"length/0":         func(_ *machine, v any, _ []any) (any, error) { return length(v) },
		"utf8bytelength/0": textual("only strings have UTF-8 byte length", func(s string) any { return len(s) }),
		"type/0":           func(_ *machine, v any, _ []any) (any, error) { return typeOf(v), nil },
		"keys/0":           func(_ *machine, v any, _ []any) (any, error) { return keysIn(v, true) },
		"keys_unsorted/0":  func(_ *machine, v any, _ []any) (any, error) { return keysIn(v, false) },
		"has/1":            func(_ *machine, v any, args []any) (any, error) { return has(v, args[0]) },
		"contains/1":       func(_ *machine, v any, args []any) (any, error) { return contains(v, args[0]) },
		"add/0":            func(_ *machine, v any, _ []any) (any, error) { return sumIn(v) },
		"setpath/2":        func(_ *machine, v any, args []any) (any, error) { return setAt(v, args[0], args[1]) },
		"delpaths/1":       func(_ *machine, v any, args []any) (any, error) { return deleteAt(v, args[0]) },
		"to_entries/0":     func(_ *machine, v any, _ []any) (any, error) { return toEntries(v) },
		"from_entries/0":   func(_ *machine, v any, _ []any) (any, error) { return fromEntries(v) },
		"reverse/0":        func(_ *machine, v any, _ []any) (any, error) { return reversed(v) },
		"flatten/0":        func(_ *machine, v any, _ []any) (any, error) { return flattened(v, maxDepth) },
		"flatten/1":        func(_ *machine, v any, args []any) (any, error) { return flattenedTo(v, args[0]) },
		"transpose/0":      func(_ *machine, v any, _ []any) (any, error) { return transposed(v) },
		"bsearch/1":        func(_ *machine, v any, args []any) (any, error) { return searched(v, args[0]) },
		"min/0":            func(_ *machine, v any, _ []any) (any, error) { return extremeOf(v, true) },
		"max/0":            func(_ *machine, v any, _ []any) (any, error) { return extremeOf(v, false) },
		"sort/0":           func(_ *machine, v any, _ []any) (any, error) { return sorted(v) },
		"toarray/0":        func(_ *machine, v any, _ []any) (any, error) { return toArray(v), nil },
		"tojson/0":         func(_ *machine, v any, _ []any) (any, error) { return encoded(v), nil },
		"tostring/0":       func(_ *machine, v any, _ []any) (any, error) { return textOf(v), nil },
		"fromjson/0":       func(_ *machine, v any, _ []any) (any, error) { return fromJSON(v) },
		"tonumber/0":       func(_ *machine, v any, _ []any) (any, error) { return toNumber(v) },
		"toboolean/0":      func(_ *machine, v any, _ []any) (any, error) { return toBoolean(v) },
	}
	for _, more := range []map[string]builtin{texts(), matches(), numbers(), dates(), hosted()} {
		maps.Copy(all, more)
	}
	return all
}

// signatures gives the functions of jq, for builtins.
func signatures() any {
	list := &array{}
	for _, names := range [][]string{slices.Sorted(maps.Keys(builtins)), slices.Sorted(maps.Keys(specials)), slices.Sorted(maps.Keys(prelude))} {
		for _, name := range names {
			if name[0] != '_' {
				list.items = append(list.items, name)
			}
		}
	}
	return list
}

func length(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case string:
		return utf8.RuneCountInString(v), nil
	case *array:
		return v.len(), nil
	case *object:
		return v.len(), nil
	case bool:
		return nil, one(v, "has no length")
	}
	return magnitude(v), nil
}

func magnitude(v any) any {
	switch n := v.(type) {
	case literal:
		return literal(strings.TrimPrefix(string(n), "-"))
	case *big.Int:
		return small(new(big.Int).Abs(n))
	case float64:
		if n < 0 || n == 0 {
			return norm(0 - n)
		}
		return n
	case int:
		if n < 0 {
			return negative(n)
		}
	}
	return v
}

func keysIn(v any, inOrder bool) (any, error) {
	list := &array{}
	switch v := v.(type) {
	case *array:
		for i := range v.len() {
			list.items = append(list.items, i)
		}
	case *object:
		for _, key := range v.own().keys {
			list.items = append(list.items, key)
		}
		if inOrder {
			slices.SortFunc(list.items, func(a, b any) int { return compareText(a.(string), b.(string)) })
		}
	default:
		return nil, one(v, "has no keys")
	}
	return list, nil
}

func has(v, key any) (any, error) {
	switch v := v.(type) {
	case *object:
		if name, ok := key.(string); ok {
			return v.find(name) >= 0, nil
		}
	case *array:
		if isNumber(key) {
			n, _ := whole(key)
			return n >= 0 && n < v.len() && !isNaN(key), nil
		}
	case nil:
		return false, nil
	}
	return nil, worded("Cannot check whether %s has a %s key", typeOf(v), typeOf(key))
}

func sumIn(v any) (any, error) {
	list, err := elements(v)
	if err != nil {
		return nil, err
	}
	s := &sum{}
	for _, w := range list {
		if err := s.add(w); err != nil {
			return nil, err
		}
	}
	return s.value(), nil
}

func setAt(v, at, with any) (any, error) {
	keys, ok := at.(*array)
	if !ok {
		return nil, words("Path must be specified as an array")
	}
	return setPath(v, keys.list(), with)
}

func deleteAt(v, list any) (any, error) {
	paths, ok := list.(*array)
	if !ok {
		return nil, words("Paths must be specified as an array")
	}
	return deletePaths(v, paths.list())
}

func reversed(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return &array{}, nil
	case string:
		runes := []rune(v)
		slices.Reverse(runes)
		return string(runes), nil
	case *array:
		items := slices.Clone(v.list())
		slices.Reverse(items)
		return &array{items: items}, nil
	case *object:
		if v.len() == 0 {
			return &array{}, nil
		}
	case bool:
		return nil, one(v, "has no length")
	}
	return nil, notIndexed(v, 0)
}

func flattenedTo(v, depth any) (any, error) {
	if compare(depth, 0) < 0 {
		return nil, words("flatten depth must not be negative")
	}
	n, ok := whole(depth)
	if !ok {
		n = maxDepth
	}
	return flattened(v, min(n, maxDepth))
}

func flattened(v any, depth int) (any, error) {
	list, err := elements(v)
	if err != nil {
		return nil, err
	}
	flat := &array{}
	appendFlat(flat, list, depth)
	return flat, nil
}

func appendFlat(to *array, list []any, depth int) {
	for _, v := range list {
		if inner, ok := v.(*array); ok && depth > 0 {
			appendFlat(to, inner.list(), depth-1)
			continue
		}
		to.items = append(to.items, v)
	}
}

func transposed(v any) (any, error) {
	rows, err := elements(v)
	if err != nil {
		return nil, err
	}
	width := 0
	for _, row := range rows {
		n, err := length(row)
		if err != nil {
			return nil, err
		}
		if _, ok := row.(*array); !ok && row != nil {
			return nil, notIndexed(row, 0)
		}
		width = max(width, n.(int))
	}
	if width*len(rows) > maxLength {
		return nil, words("the array has too many elements")
	}
	columns := &array{}
	for i := range width {
		column := &array{items: make([]any, len(rows))}
		for j, row := range rows {
			if a, ok := row.(*array); ok && i < a.len() {
				column.items[j] = a.list()[i]
			}
		}
		columns.items = append(columns.items, column)
	}
	return columns, nil
}

func searched(v, target any) (any, error) {
	a, ok := v.(*array)
	if !ok {
		return nil, one(v, "cannot be searched from")
	}
	i, found := slices.BinarySearchFunc(a.list(), target, compare)
	if found {
		return i, nil
	}
	return -1 - i, nil
}

func sorted(v any) (any, error) {
	list, err := itself(v)
	if err != nil {
		return nil, err
	}
	return sortedBy(list), nil
}

func toArray(v any) any {
	if a, ok := v.(*array); ok {
		return a
	}
	return newArray(v)
}
