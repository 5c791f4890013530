package tooling

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// schemaOf derives a closed input schema from a struct type.
func schemaOf(t reflect.Type) (json.RawMessage, error) {
	if t.Kind() != reflect.Struct || decodesItself(t) {
		return nil, fault.New("tool.schema_invalid", "the input of a Go tool is a struct, not %s", t)
	}
	s, err := schemaText(t, nil)
	if err != nil {
		return nil, err
	}
	text, err := Canonical(s)
	return json.RawMessage(text), err
}

// decodesItself says whether a type reads its own JSON.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
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

// schemaText writes the schema of a type. open holds the structs around it.
func schemaText(t reflect.Type, open []reflect.Type) (string, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[json.Number]() {
		return `{"type":"number"}`, nil
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return `{}`, nil
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return `{"type":"string"}`, nil
	}
	switch t.Kind() {
	case reflect.String:
		return `{"type":"string"}`, nil
	case reflect.Bool:
		return `{"type":"boolean"}`, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return `{"type":"integer"}`, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return `{"type":"integer","minimum":0}`, nil
	case reflect.Float32, reflect.Float64:
		return `{"type":"number"}`, nil
	case reflect.Interface:
		return `{}`, nil
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return `{"type":"object"}`, nil
		}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 && t.Kind() == reflect.Slice {
			return `{"type":"string"}`, nil
		}
		items, err := schemaText(t.Elem(), open)
		return `{"type":"array","items":` + items + `}`, err
	case reflect.Struct:
		return structSchema(t, open)
	}
	return "", fault.New("tool.schema_invalid", "the type %s has no JSON schema", t)
}

func structSchema(t reflect.Type, open []reflect.Type) (string, error) {
	if slices.Contains(open, t) {
		return "", fault.New("tool.schema_invalid", "the type %s contains itself", t)
	}
	open = append(slices.Clone(open), t)
	var props, required []string
	if err := structFields(t, open, &props, &required); err != nil {
		return "", err
	}
	return `{"type":"object","additionalProperties":false,"properties":{` + strings.Join(props, ",") +
		`},"required":[` + strings.Join(required, ",") + `]}`, nil
}

func structFields(t reflect.Type, open []reflect.Type, props, required *[]string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Tag.Get("json") == "" && f.Type.Kind() == reflect.Struct && !decodesItself(f.Type) {
			if err := structFields(f.Type, open, props, required); err != nil {
				return err
			}
			continue
		}
		name, options, use := fieldName(f)
		if !use {
			continue
		}
		s, err := schemaText(f.Type, open)
		if err != nil {
			return err
		}
		description := f.Tag.Get("desc")
		if description == "" {
			description = f.Tag.Get("description")
		}
		if description != "" {
			more := `"description":` + string(appendQuoted(nil, strings.ToValidUTF8(description, "\uFFFD")))
			if s != "{}" {
				more += ","
			}
			s = "{" + more + s[1:]
		}
		key := string(appendQuoted(nil, name))
		*props = append(*props, key+":"+s)
		optional := f.Type.Kind() == reflect.Pointer || slices.ContainsFunc(strings.Split(options, ","), func(o string) bool {
			return o == "omitempty" || o == "omitzero"
		})
		if !optional {
			*required = append(*required, key)
		}
	}
	return nil
}
