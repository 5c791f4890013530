package tooling

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// shape is a schema before it is written: keywords with their values.
type shape map[string]any

// schemaOf derives a closed input schema from a struct type.
func schemaOf(t reflect.Type) (json.RawMessage, error) {
	if t.Kind() != reflect.Struct || decodesItself(t) {
		return nil, unschemed("", "the input of a Go tool is a struct, not %s", t)
	}
	s, err := structShape(t, "", nil)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	text, err := Canonical(string(b))
	return json.RawMessage(text), err
}

// unschemed refuses the type, or a tag, of a place.
func unschemed(place, format string, args ...any) *fault.Error {
	e := fault.New("tool.schema_invalid", format, args...)
	if place != "" {
		e.Subject = "field " + place
	}
	return e
}

// decodesItself says whether a type reads its own JSON.
func decodesItself(t reflect.Type) bool { return readsJSON(t) || readsText(t) }

func readsJSON(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

func readsText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func pointedTo(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// shapeOf gives the schema of the type at a place. open holds the structs around it.
func shapeOf(t reflect.Type, place string, open []reflect.Type) (shape, error) {
	t = pointedTo(t)
	switch {
	case t == reflect.TypeFor[json.Number]():
		return shape{"type": "number"}, nil
	case t == reflect.TypeFor[time.Time]():
		return shape{"type": "string", "description": "A time as in 2030-01-31T09:00:00Z."}, nil
	case t == reflect.TypeFor[time.Duration]():
		return shape{"type": "integer", "description": "A duration in nanoseconds."}, nil
	case readsJSON(t):
		return shape{}, nil
	case readsText(t):
		return shape{"type": "string"}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return shape{"type": "string"}, nil
	case reflect.Bool:
		return shape{"type": "boolean"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return shape{"type": "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return shape{"type": "integer", "minimum": 0}, nil
	case reflect.Float32, reflect.Float64:
		return shape{"type": "number"}, nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return shape{}, nil
		}
		return nil, unschemed(place, "nothing in JSON says which type is behind %s; use any, json.RawMessage or a struct", t)
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, unschemed(place, "the keys of %s are not strings", t)
		}
		values, err := shapeOf(t.Elem(), place+"{}", open)
		return shape{"type": "object", "additionalProperties": values}, err
	case reflect.Slice, reflect.Array:
		if isBytes(t) {
			return shape{"type": "string", "description": "Bytes as base64."}, nil
		}
		items, err := shapeOf(t.Elem(), place+"[]", open)
		return shape{"type": "array", "items": items}, err
	case reflect.Struct:
		return structShape(t, place, open)
	}
	return nil, unschemed(place, "the type %s has no JSON schema", t)
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

func structShape(t reflect.Type, place string, open []reflect.Type) (shape, error) {
	if slices.Contains(open, t) {
		return nil, unschemed(place, "the type %s contains itself, and a schema has an end; use json.RawMessage there, or a list of ids", t)
	}
	open = append(slices.Clone(open), t)
	fields, err := fieldsOf(t, place)
	if err != nil {
		return nil, err
	}
	props, required := shape{}, []string{}
	for _, f := range fields {
		if props[f.name], err = fieldShape(f, placeOf(place, f.name), open); err != nil {
			return nil, err
		}
		if f.required {
			required = append(required, f.name)
		}
	}
	return shape{"type": "object", "additionalProperties": false, "properties": props, "required": required}, nil
}

// placeOf is the place of a member below another place.
func placeOf(place, name string) string {
	if place == "" {
		return name
	}
	return joinPlace(place, name)
}
