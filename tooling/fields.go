package tooling

import (
	"reflect"
	"slices"
	"strings"
)

// field is a member of a struct as JSON has it.
type field struct {
	reflect.StructField
	name     string
	text     bool // a number or a boolean that is written as a string
	required bool
	depth    int // of the embedded struct that it comes from
}

// fieldName gives a field's name in JSON and the options of its tag; use is false for
// fields that JSON does not have.
func fieldName(f reflect.StructField) (name, options string, use bool) {
	tag := f.Tag.Get("json")
	if tag == "-" || !f.IsExported() {
		return "", "", false
	}
	name, options, _ = strings.Cut(tag, ",")
	if name == "" {
		name = f.Name
	}
	return name, options, true
}

// fieldsOf lists the members of a struct, those of embedded structs in their place. As in
// encoding/json a member hides one of the same name that is embedded deeper; two on one
// level are refused, since JSON would drop both without a word.
func fieldsOf(t reflect.Type, place string) ([]field, error) {
	all, err := flattened(nil, t, place, true, nil)
	if err != nil {
		return nil, err
	}
	least := map[string]int{} // depth by name
	for _, f := range all {
		if d, ok := least[f.name]; !ok || f.depth < d {
			least[f.name] = f.depth
		}
	}
	var out []field
	seen := map[string]bool{}
	for _, f := range all {
		if f.depth > least[f.name] {
			continue
		}
		if seen[f.name] {
			return nil, unschemed(placeOf(place, f.name), "two fields of %s have this name", t)
		}
		seen[f.name] = true
		out = append(out, f)
	}
	return out, nil
}

// flattened adds the members of t to all. open holds the structs that it is embedded in.
func flattened(all []field, t reflect.Type, place string, required bool, open []reflect.Type) ([]field, error) {
	if slices.Contains(open, t) {
		return nil, unschemed(place, "the type %s embeds itself", t)
	}
	depth := len(open)
	open = append(slices.Clone(open), t)
	for i := range t.NumField() {
		f := t.Field(i)
		if in := pointedTo(f.Type); f.Anonymous && f.Tag.Get("json") == "" && in.Kind() == reflect.Struct && !decodesItself(in) {
			if in != f.Type && !f.IsExported() {
				return nil, unschemed(placeOf(place, f.Name), "a pointer to the unexported struct %s cannot be filled; embed it by value", in)
			}
			var err error
			if all, err = flattened(all, in, place, required && in == f.Type, open); err != nil {
				return nil, err
			}
			continue
		}
		name, options, use := fieldName(f)
		if !use {
			continue
		}
		words := strings.Split(options, ",")
		all = append(all, field{
			StructField: f, name: name, depth: depth, text: slices.Contains(words, "string") && scalar(pointedTo(f.Type)),
			required: required && f.Type.Kind() != reflect.Pointer && !slices.Contains(words, "omitempty") && !slices.Contains(words, "omitzero"),
		})
	}
	return all, nil
}

// scalar says whether a type is a boolean or a number, which JSON may write as a string.
func scalar(t reflect.Type) bool {
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 && !decodesItself(t)
}
