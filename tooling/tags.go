package tooling

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// fieldShape gives the schema of a member with what its tags add: desc (or description);
// enum, values between bars, at a list those of its entries; min and max, of the value of
// a number, the characters of a string, the entries of a list.
func fieldShape(f field, place string, open []reflect.Type) (shape, error) {
	s, err := shapeOf(f.Type, place, open)
	if err != nil {
		return nil, err
	}
	if f.text {
		s = shape{"type": "string"}
	}
	if words, ok := f.Tag.Lookup("enum"); ok {
		at := s
		if items, ok := s["items"].(shape); ok {
			at = items
		}
		if at["enum"], err = enumValues(at["type"], words, place); err != nil {
			return nil, err
		}
	}
	for _, b := range []struct{ tag, number, length, count string }{
		{"min", "minimum", "minLength", "minItems"}, {"max", "maximum", "maxLength", "maxItems"},
	} {
		text, ok := f.Tag.Lookup(b.tag)
		if !ok {
			continue
		}
		key := ""
		switch s["type"] {
		case "number", "integer":
			key, ok = b.number, isNumber(text)
		case "string":
			key, ok = b.length, isLength(text)
		case "array":
			key, ok = b.count, isLength(text)
		default:
			return nil, unschemed(place, "the tag %s is for numbers, strings and lists, not for %s", b.tag, f.Type)
		}
		if !ok {
			return nil, unschemed(place, "the tag %s holds %q; it takes a number, for strings and lists a whole one from 0", b.tag, text)
		}
		s[key] = json.RawMessage(text)
	}
	if d := f.Tag.Get("desc") + f.Tag.Get("description"); d != "" {
		s["description"] = d
	}
	return s, nil
}

// isNumber says whether a text is a number in JSON.
func isNumber(text string) bool {
	v, err := compact(text)
	return err == nil && kindOf(v) == kindNumber
}

func isLength(text string) bool {
	_, err := strconv.ParseUint(text, 10, 31)
	return err == nil && (text == "0" || text[0] != '0')
}

// enumValues reads an enum tag as values of a type.
func enumValues(typ any, words, place string) ([]json.RawMessage, error) {
	var values []json.RawMessage
	for word := range strings.SplitSeq(words, "|") {
		switch typ {
		case "string":
			if word == "" {
				return nil, unschemed(place, "the tag enum has an empty word; write it as a|b|c")
			}
			values = append(values, appendQuoted(nil, strings.ToValidUTF8(word, "\uFFFD")))
		case "number", "integer":
			if !isNumber(word) {
				return nil, unschemed(place, "the tag enum holds %q, which is no number", word)
			}
			values = append(values, json.RawMessage(word))
		default:
			return nil, unschemed(place, "the tag enum is for strings and numbers, and for lists of them")
		}
	}
	return values, nil
}
