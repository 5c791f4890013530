package jq

// entryKeys are shared by all entries.
var entryKeys = []string{"key", "value"}

func toEntries(v any) (any, error) {
	keys, err := keysIn(v, false)
	if err != nil {
		return nil, err
	}
	values, _ := elements(v)
	list := &array{items: make([]any, len(values))}
	for i, key := range keys.(*array).items {
		list.items[i] = &object{keys: entryKeys[:2:2], vals: []any{key, values[i]}}
	}
	return list, nil
}

func fromEntries(v any) (any, error) {
	list, err := elements(v)
	if err != nil {
		return nil, err
	}
	o := &object{}
	for _, entry := range list {
		e, ok := entry.(*object)
		if !ok && entry != nil {
			return nil, notIndexed(entry, "key")
		}
		if e == nil {
			e = &object{}
		}
		key := entryKey(e)
		if isNumber(key) || key == true || key == false {
			key = encoded(key)
		}
		name, err := keyOf(key)
		if err != nil {
			return nil, err
		}
		o.put(name, entryValue(e))
	}
	return o, nil
}

func entryKey(e *object) any {
	if key, _ := e.get("key"); key != nil {
		return key
	}
	for _, name := range []string{"k", "name", "Name", "K", "Key"} {
		if key, _ := e.get(name); truthy(key) {
			return key
		}
	}
	return nil
}

func entryValue(e *object) any {
	for _, name := range []string{"value", "v", "Value", "V"} {
		if v, ok := e.get(name); ok {
			return v
		}
	}
	return nil
}
