package gemini

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

var projectionSeed = flag.Uint64("projection.seed", 0, "seed of the schemas; 0: a fresh one")

// TestProjectAcceptsWhatTheSchemaAccepts makes schemas and values for them: what a schema
// accepts its projection accepts, and the projection is legal in the subset. A schema here
// has a type where it has properties or items, and alternatives of a root are closed: for
// others the projection says more on purpose.
func TestProjectAcceptsWhatTheSchemaAccepts(t *testing.T) {
	t.Parallel()
	const schemas, values = 120, 30
	seed := *projectionSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d, to be given with -projection.seed", seed)
	accepted, refused := 0, 0
	for i := range schemas {
		m := &maker{rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		doc := m.document()
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		original := compile(t, doc)
		projection, _ := project(text)
		checkLegal(t, text, projection)
		sent := compile(t, standard(parse(t, projection)))
		for range values {
			v := m.value(doc, 0)
			if original.Validate(v) != nil {
				refused++
				continue
			}
			accepted++
			if err := sent.Validate(v); err != nil {
				b, _ := json.Marshal(v)
				t.Fatalf("schema %d: %s\naccepts %s\nits projection %s\ndoes not: %v", i, text, b, projection, err)
			}
		}
		again, _ := project(text)
		if !bytes.Equal(again, projection) {
			t.Fatalf("schema %s became\n%s\nand then\n%s", text, projection, again)
		}
	}
	if accepted < schemas*values/10 || refused < schemas*values/100 {
		t.Errorf("%d values were accepted, %d refused: the test says little", accepted, refused)
	}
}

func checkLegal(t *testing.T, schema, projection []byte) {
	t.Helper()
	if projection == nil {
		return
	}
	body := fmt.Sprintf(`{"tools":[{"functionDeclarations":[{"name":"a","parameters":%s}]}],"contents":[{"role":"user","parts":[{"text":"x"}]}]}`, projection)
	if faults := modeltest.ValidateGenerate([]byte(body)); faults != nil {
		t.Fatalf("schema %s became\n%s\nwhich is not legal: %v", schema, projection, faults)
	}
}

func compile(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		b, _ := json.Marshal(schema)
		t.Fatalf("%s: %v", b, err)
	}
	return s
}

func parse(t *testing.T, b []byte) any {
	t.Helper()
	if b == nil {
		return map[string]any{"type": "object"}
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// standard gives what a schema of the subset means in JSON Schema.
func standard(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := maps.Clone(m)
	delete(out, "nullable")
	if properties, ok := out["properties"].(map[string]any); ok {
		all := map[string]any{}
		for name, p := range properties {
			all[name] = standard(p)
		}
		out["properties"] = all
	}
	if items, ok := out["items"]; ok {
		out["items"] = standard(items)
	}
	if list, ok := out["anyOf"].([]any); ok {
		var all []any
		for _, alt := range list {
			all = append(all, standard(alt))
		}
		out["anyOf"] = all
	}
	if m["nullable"] == true {
		return map[string]any{"anyOf": []any{map[string]any{"type": "null"}, out}}
	}
	return out
}

// maker makes schemas, and values that have a chance to be accepted by them.
type maker struct {
	rand *rand.Rand
	defs map[string]any
}

func (m *maker) one(n int) bool { return m.rand.IntN(n) == 0 }

func pick[T any](m *maker, of ...T) T { return of[m.rand.IntN(len(of))] }

func (m *maker) document() map[string]any {
	m.defs = map[string]any{}
	for _, name := range []string{"d0", "d1", "d2"} {
		m.defs[name] = m.schema(1)
	}
	doc := m.object(0)
	switch m.rand.IntN(4) {
	case 0:
		doc["anyOf"] = []any{m.closed(), m.closed()}
		delete(doc, "properties")
	case 1:
		doc["oneOf"] = []any{map[string]any{"required": []any{"a"}}, map[string]any{"required": []any{"b"}}, false}
	case 2:
		doc["allOf"] = []any{m.object(1), m.object(1)}
	}
	doc["$defs"] = m.defs
	return doc
}

func (m *maker) closed() map[string]any {
	out := m.object(1)
	out["additionalProperties"] = false
	return out
}

func (m *maker) object(depth int) map[string]any {
	out := map[string]any{"type": "object"}
	properties := map[string]any{}
	for _, name := range []string{"a", "b", "c"} {
		if !m.one(3) {
			properties[name] = m.schema(depth + 1)
		}
	}
	out["properties"] = properties
	if m.one(2) {
		out["required"] = []any{pick(m, "a", "b"), "c"}
	}
	if m.one(4) {
		out["minProperties"] = json.Number("1")
	}
	return out
}

func (m *maker) schema(depth int) any {
	if depth > 3 {
		return pick[any](m, map[string]any{"type": "string"}, map[string]any{"type": "integer", "minimum": json.Number("0")}, true, map[string]any{"$ref": "#/$defs/" + pick(m, "d0", "d1", "d2")})
	}
	switch m.rand.IntN(16) {
	case 0, 1:
		return m.keywords(map[string]any{"type": "string"})
	case 2, 3:
		return m.keywords(map[string]any{"type": pick(m, "integer", "number")})
	case 4:
		return m.keywords(map[string]any{"type": pick(m, "boolean", "null")})
	case 5:
		return m.keywords(map[string]any{"type": []any{"string", pick(m, "integer", "null"), "boolean"}})
	case 6:
		return map[string]any{"enum": []any{pick[any](m, "x", nil, json.Number("1")), "y", pick[any](m, "", "z", true)}}
	case 7:
		return map[string]any{"const": pick[any](m, "x", nil, json.Number("1"), false)}
	case 8:
		out := map[string]any{"type": "array", "items": m.schema(depth + 1)}
		if m.one(3) {
			out["prefixItems"] = []any{m.schema(depth + 1)}
		}
		if m.one(3) {
			out["maxItems"] = json.Number("2")
		}
		return out
	case 9, 10:
		return m.object(depth)
	case 11:
		return map[string]any{pick(m, "anyOf", "oneOf"): []any{m.schema(depth + 1), m.schema(depth + 1), pick[any](m, map[string]any{"type": "null"}, false, m.schema(depth+1))}, "description": "d"}
	case 12: // alternatives beside other keywords
		out := m.object(depth)
		out[pick(m, "anyOf", "oneOf")] = []any{map[string]any{"required": []any{"a"}}, m.object(depth + 1)}
		return out
	case 13:
		return map[string]any{"allOf": []any{m.schema(depth + 1), m.schema(depth + 1)}}
	case 14:
		return m.keywords(map[string]any{"$ref": "#/$defs/" + pick(m, "d0", "d1", "d2")})
	}
	return pick[any](m, true, map[string]any{}, m.keywords(map[string]any{}))
}

// keywords adds some, whatever the type is.
func (m *maker) keywords(out map[string]any) map[string]any {
	some := map[string]any{"minLength": json.Number("1"), "maxLength": json.Number("3"), "pattern": "^[a-z]*$", "minimum": json.Number("-1"),
		"maximum": json.Number("9"), "exclusiveMinimum": json.Number("-2"), "exclusiveMaximum": json.Number("7.5"), "multipleOf": json.Number("1"), "uniqueItems": true, "format": "date-time"}
	for _, name := range slices.Sorted(maps.Keys(some)) {
		if m.one(6) {
			out[name] = some[name]
		}
	}
	return out
}

// value makes a value that a schema may accept.
func (m *maker) value(v any, depth int) any {
	s, ok := v.(map[string]any)
	if !ok || depth > 7 || m.one(40) {
		return m.any()
	}
	if ref, ok := s["$ref"].(string); ok {
		return m.value(m.defs[strings.TrimPrefix(ref, "#/$defs/")], depth+1)
	}
	if v, ok := s["const"]; ok {
		return v
	}
	if list, ok := s["enum"].([]any); ok {
		return pick(m, list...)
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		list, ok := s[name].([]any)
		if !ok {
			continue
		}
		out := m.value(pick(m, list...), depth+1)
		if _, beside := s["properties"]; !beside && name != "allOf" {
			return out
		}
		return m.both(out, s, list, depth)
	}
	kind := s["type"]
	if list, ok := kind.([]any); ok {
		kind = pick(m, list...)
	}
	switch kind {
	case "string":
		return pick(m, "", "a", "xyz", "abcd", "B")
	case "integer", "number":
		return pick(m, json.Number("0"), json.Number("1"), json.Number("-1"), json.Number("8.5"), json.Number("9"))
	case "boolean":
		return m.one(2)
	case "null":
		return nil
	case "array":
		out := []any{}
		for range m.rand.IntN(4) {
			out = append(out, m.value(s["items"], depth+1))
		}
		return out
	case "object":
		return m.filled(s, depth)
	}
	return m.any()
}

// both adds to an object what the place itself and its other members want.
func (m *maker) both(out any, s map[string]any, list []any, depth int) any {
	object, ok := out.(map[string]any)
	if !ok {
		return out
	}
	for _, v := range append(slices.Clone(list), any(s)) {
		if sub, ok := v.(map[string]any); ok {
			for name, p := range m.filled(sub, depth) {
				if _, there := object[name]; !there {
					object[name] = p
				}
			}
		}
	}
	return object
}

func (m *maker) filled(s map[string]any, depth int) map[string]any {
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !m.one(4) {
			out[name] = m.value(properties[name], depth+1)
		}
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := out[name.(string)]; !ok {
			out[name.(string)] = m.value(properties[name.(string)], depth+1)
		}
	}
	return out
}

func (m *maker) any() any {
	return pick[any](m, nil, true, "a", json.Number("5"), json.Number("2.5"), []any{"a"}, map[string]any{"a": "b"})
}
