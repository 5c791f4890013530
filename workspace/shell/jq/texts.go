package jq

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// textual gives a builtin for strings alone.
func textual(otherwise string, do func(s string) any) builtin {
	return func(_ *machine, v any, _ []any) (any, error) {
		s, ok := v.(string)
		if !ok {
			return nil, one(v, otherwise)
		}
		return do(s), nil
	}
}

// exploded is textual with the message of explode.
func exploded(do func(s string) any) builtin {
	return func(_ *machine, v any, _ []any) (any, error) {
		s, ok := v.(string)
		if !ok {
			return nil, words("explode input must be a string")
		}
		return do(s), nil
	}
}

func texts() map[string]builtin {
	return map[string]builtin{
		"startswith/1":     affixed("startswith", strings.HasPrefix),
		"endswith/1":       affixed("endswith", strings.HasSuffix),
		"ltrimstr/1":       without(strings.TrimPrefix),
		"rtrimstr/1":       without(strings.TrimSuffix),
		"trimstr/1":        without(func(s, affix string) string { return strings.TrimSuffix(strings.TrimPrefix(s, affix), affix) }),
		"trim/0":           textual("cannot be trimmed", func(s string) any { return strings.TrimFunc(s, unicode.IsSpace) }),
		"ltrim/0":          textual("cannot be trimmed", func(s string) any { return strings.TrimLeftFunc(s, unicode.IsSpace) }),
		"rtrim/0":          textual("cannot be trimmed", func(s string) any { return strings.TrimRightFunc(s, unicode.IsSpace) }),
		"explode/0":        exploded(explode),
		"implode/0":        func(_ *machine, v any, _ []any) (any, error) { return implode(v) },
		"ascii_downcase/0": exploded(func(s string) any { return cased(s, 'A', 'Z', 'a'-'A') }),
		"ascii_upcase/0":   exploded(func(s string) any { return cased(s, 'a', 'z', 'A'-'a') }),
		"split/1":          func(_ *machine, v any, args []any) (any, error) { return split(v, args[0]) },
		"join/1":           func(_ *machine, v any, args []any) (any, error) { return join(v, args[0]) },
		"indices/1":        func(_ *machine, v any, args []any) (any, error) { return indices(v, args[0]) },
		"index/1":          func(_ *machine, v any, args []any) (any, error) { return index(v, args[0], false) },
		"rindex/1":         func(_ *machine, v any, args []any) (any, error) { return index(v, args[0], true) },
		"format/1": func(_ *machine, v any, args []any) (any, error) {
			name, ok := args[0].(string)
			if !ok {
				return nil, one(args[0], "is not a valid format")
			}
			return format(name, v)
		},
	}
}

func affixed(name string, test func(s, affix string) bool) builtin {
	return func(_ *machine, v any, args []any) (any, error) {
		s, ok := v.(string)
		affix, also := args[0].(string)
		if !ok || !also {
			return nil, words(name + "() requires string inputs")
		}
		return test(s, affix), nil
	}
}

// without gives a builtin that takes a text from a string; anything else stays as it is.
func without(cut func(s, affix string) string) builtin {
	return func(_ *machine, v any, args []any) (any, error) {
		s, ok := v.(string)
		affix, also := args[0].(string)
		if !ok || !also {
			return v, nil
		}
		return cut(s, affix), nil
	}
}

func explode(s string) any {
	list := &array{}
	for _, r := range s {
		list.items = append(list.items, int(r))
	}
	return list
}

func implode(v any) (any, error) {
	a, ok := v.(*array)
	if !ok {
		return nil, words("implode input must be an array")
	}
	var b strings.Builder
	for _, item := range a.list() {
		if !isNumber(item) || isNaN(item) {
			return nil, one(item, "can't be imploded, unicode codepoint needs to be numeric")
		}
		n, _ := whole(item)
		if n < 0 || n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
			n = utf8.RuneError
		}
		b.WriteRune(rune(n))
	}
	return b.String(), nil
}

func cased(s string, from, to byte, by int) any {
	b := []byte(s)
	for i, c := range b {
		if c >= from && c <= to {
			b[i] = byte(int(c) + by)
		}
	}
	return string(b)
}

func split(v, separator any) (any, error) {
	s, ok := v.(string)
	sep, also := separator.(string)
	if !ok || !also {
		return nil, words("split input and separator must be strings")
	}
	return splitText(s, sep), nil
}

func join(v, separator any) (any, error) {
	list, err := elements(v)
	if err != nil {
		return nil, err
	}
	sep, ok := separator.(string)
	if !ok && separator != nil && len(list) > 1 {
		return nil, both("", separator, "cannot be added")
	}
	var b strings.Builder
	for i, w := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		switch w := w.(type) {
		case nil:
		case string:
			b.WriteString(w)
		case *array, *object:
			return nil, both(b.String(), w, "cannot be added")
		default:
			b.WriteString(textOf(w))
		}
		if b.Len() > maxText {
			return nil, words("the text is too long")
		}
	}
	return b.String(), nil
}

func indices(v, part any) (any, error) {
	switch w := v.(type) {
	case nil:
		return nil, nil
	case *array:
		if list, ok := part.(*array); ok {
			return occurrences(w.list(), list.list()), nil
		}
		return occurrences(w.list(), []any{part}), nil
	case string:
		if s, ok := part.(string); ok {
			return found(w, s), nil
		}
	}
	return access(v, part)
}

// found gives the positions of a text in another, in characters; null for the empty one.
func found(s, part string) any {
	if part == "" {
		return nil
	}
	list := &array{items: []any{}}
	at, position := 0, 0
	for {
		i := strings.Index(s[at:], part)
		if i < 0 {
			return list
		}
		position += utf8.RuneCountInString(s[at : at+i])
		list.items = append(list.items, position)
		at += i
		_, size := utf8.DecodeRuneInString(s[at:])
		at, position = at+size, position+1
	}
}

func index(v, part any, last bool) (any, error) {
	list, err := indices(v, part)
	a, ok := list.(*array)
	if err != nil || !ok || a.len() == 0 {
		return nil, err
	}
	if last {
		return a.items[len(a.items)-1], nil
	}
	return a.items[0], nil
}

// textOf gives a value as tostring does.
func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return encoded(v)
}

func fromJSON(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, one(v, "only strings can be parsed")
	}
	list, err := parseAll(s)
	switch {
	case err != nil:
		return nil, worded("%v (while parsing '%s')", err, s)
	case len(list) == 0:
		return nil, worded("Expected JSON value (while parsing '%s')", s)
	case len(list) > 1:
		return nil, worded("Unexpected extra JSON values (while parsing '%s')", s)
	}
	return list[0], nil
}

func toNumber(v any) (any, error) {
	if isNumber(v) {
		return v, nil
	}
	s, ok := v.(string)
	if !ok {
		return nil, one(v, "cannot be parsed as a number")
	}
	parsed, err := fromJSON(s)
	if err != nil {
		return nil, err
	}
	if !isNumber(parsed) {
		return nil, one(v, "cannot be parsed as a number")
	}
	return parsed, nil
}

func toBoolean(v any) (any, error) {
	switch v {
	case true, "true":
		return true, nil
	case false, "false":
		return false, nil
	}
	return nil, one(v, "cannot be parsed as a boolean")
}
