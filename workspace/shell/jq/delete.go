package jq

import "slices"

// deletePaths gives a value without what lies at some paths.
func deletePaths(v any, list []any) (any, error) {
	paths := make([][]any, len(list))
	for i, p := range list {
		keys, ok := p.(*array)
		if !ok {
			return nil, worded("Path must be specified as array, not %s", typeOf(p))
		}
		paths[i] = keys.list()
		if len(paths[i]) > maxDepth {
			return nil, words("Path too deep")
		}
	}
	slices.SortStableFunc(paths, func(a, b []any) int { return compare(&array{items: a}, &array{items: b}) })
	if len(paths) == 0 {
		return v, nil
	}
	if len(paths[0]) == 0 {
		return nil, nil
	}
	return deleteSorted(v, paths)
}

// deleteSorted removes paths that are sorted and not empty: what lies deeper first.
func deleteSorted(v any, paths [][]any) (any, error) {
	var gone []any
	for i := 0; i < len(paths); {
		key := paths[i][0]
		j := i
		for j < len(paths) && equal(paths[j][0], key) {
			j++
		}
		group := paths[i:j]
		i = j
		if len(group[0]) == 1 {
			gone = append(gone, key)
			continue
		}
		inner, err := access(v, key)
		if err != nil {
			return nil, err
		}
		if inner == nil {
			continue
		}
		rest := make([][]any, len(group))
		for n, p := range group {
			rest[n] = p[1:]
		}
		if inner, err = deleteSorted(inner, rest); err != nil {
			return nil, err
		}
		if v, err = replaced(v, key, inner); err != nil {
			return nil, err
		}
	}
	if len(gone) == 0 || v == nil {
		return v, nil
	}
	return deleteKeys(v, gone)
}

func deleteKeys(v any, keys []any) (any, error) {
	switch v := v.(type) {
	case *object:
		gone := make(map[string]bool, len(keys))
		for _, key := range keys {
			k, ok := key.(string)
			if !ok {
				return nil, worded("Cannot delete %s field of object", typeOf(key))
			}
			gone[k] = true
		}
		return v.without(gone), nil
	case *array:
		return deleteItems(v.list(), keys)
	}
	return nil, worded("Cannot delete fields from %s", typeOf(v))
}

func deleteItems(items, keys []any) (any, error) {
	gone := make([]bool, len(items))
	for _, key := range keys {
		if slice, ok := key.(*object); ok {
			from, to, err := bounds(slice, len(items), "array")
			if err != nil {
				return nil, err
			}
			for i := from; i < to; i++ {
				gone[i] = true
			}
			continue
		}
		if !isNumber(key) {
			return nil, worded("Cannot delete %s element of array", typeOf(key))
		}
		n, _ := whole(key)
		if n < 0 {
			n += len(items)
		}
		if n >= 0 && n < len(items) {
			gone[n] = true
		}
	}
	left := &array{items: make([]any, 0, len(items))}
	for i, v := range items {
		if !gone[i] {
			left.items = append(left.items, v)
		}
	}
	return left, nil
}
