package gemini

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestProject(t *testing.T) {
	t.Parallel()
	// in gives a root with one property p.
	in := func(schema string) string { return `{"type":"object","properties":{"p":` + schema + `}}` }
	out := func(schema string) string { return `{"properties":{"p":` + schema + `},"type":"object"}` }
	deep := `{"$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/n"}}}},"type":"object","properties":{"p":{"$ref":"#/$defs/n"}}}`
	for _, row := range []struct{ name, schema, want, note string }{
		{"no properties", `{"type":"object"}`, ``, ""},
		{"as it is", in(`{"type":"string","description":"d","minLength":1,"maxLength":9,"pattern":"^a"}`), out(`{"description":"d","maxLength":9,"minLength":1,"pattern":"^a","type":"string"}`), ""},
		{"keywords outside the subset", `{"$schema":"x","$id":"y","$comment":"z","type":"object","additionalProperties":false,"properties":{"p":{"type":"integer","multipleOf":2,"default":4,"title":"T"}}}`,
			out(`{"type":"integer"}`), ""},
		{"required is pruned", `{"type":"object","required":["p","q","p"],"properties":{"p":{"type":"string"}}}`, `{"properties":{"p":{"type":"string"}},"required":["p"],"type":"object"}`, ""},
		{"a property named like a keyword", `{"type":"object","properties":{"$ref":{"type":"string"},"const":{"type":"string"}}}`, `{"properties":{"$ref":{"type":"string"},"const":{"type":"string"}},"type":"object"}`, ""},
		{"const", in(`{"const":"a"}`), out(`{"enum":["a"],"type":"string"}`), ""},
		{"const of a number", in(`{"const":3,"description":"d"}`), out(`{"description":"d One of: 3."}`), ""},
		{"enum of numbers", in(`{"type":"integer","enum":[1,2]}`), out(`{"description":"One of: 1, 2.","type":"integer"}`), ""},
		{"enum with null", in(`{"enum":["a",null]}`), out(`{"enum":["a"],"nullable":true,"type":"string"}`), ""},
		{"enum with an empty name", in(`{"type":"string","enum":["","a"]}`), out(`{"description":"One of: \"\", \"a\".","type":"string"}`), ""},
		{"enum of several types", in(`{"enum":["a",1,null]}`), out(`{"description":"One of: \"a\", 1, null."}`), ""},
		{"type list with null", in(`{"type":["string","null"],"minLength":1}`), out(`{"minLength":1,"nullable":true,"type":"string"}`), ""},
		{"type list", in(`{"type":["string","integer","null"],"minLength":1,"minimum":2,"description":"d"}`),
			out(`{"anyOf":[{"description":"d","minLength":1,"nullable":true,"type":"string"},{"description":"d","minimum":2,"type":"integer"}]}`), ""},
		{"null alone", in(`{"type":"null"}`), out(`{"nullable":true,"type":"string"}`), ""},
		{"type of nobody", in(`{"type":"file","minLength":2}`), out(`{}`), ""},
		{"anything", in(`true`), out(`{}`), ""},
		{"nothing", `{"type":"object","properties":{"p":false,"q":{"type":"string"}}}`, `{"properties":{"q":{"type":"string"}},"type":"object"}`, ""},
		{"exclusive limits", in(`{"type":"number","exclusiveMinimum":0,"maximum":5,"exclusiveMaximum":4}`), out(`{"maximum":5,"minimum":0,"type":"number"}`), ""},
		{"limits that are no numbers", in(`{"type":"number","minimum":1e400,"maximum":"x"}`), out(`{"type":"number"}`), ""},
		{"formats", `{"type":"object","properties":{"p":{"type":"string","format":"date-time"},"q":{"type":"string","format":"email"}}}`,
			`{"properties":{"p":{"format":"date-time","type":"string"},"q":{"type":"string"}},"type":"object"}`, ""},
		{"pattern of another dialect", in(`{"type":"string","pattern":"(?=a)b"}`), out(`{"type":"string"}`), "pattern"},
		{"array", in(`{"type":"array","items":{"type":"string"},"minItems":1,"uniqueItems":true}`), out(`{"items":{"type":"string"},"minItems":1,"type":"array"}`), ""},
		{"array of anything", in(`{"type":"array"}`), out(`{"items":{},"type":"array"}`), ""},
		{"tuple", in(`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`), out(`{"items":{},"type":"array"}`), ""},
		{"object without its type", in(`{"properties":{"a":{"type":"string"}}}`), out(`{"properties":{"a":{"type":"string"}},"type":"object"}`), ""},
		{"oneOf", in(`{"oneOf":[{"type":"string"},{"type":"integer"}],"description":"d"}`), out(`{"anyOf":[{"description":"d","type":"string"},{"description":"d","type":"integer"}]}`), ""},
		{"anyOf with null", in(`{"anyOf":[{"type":"string"},{"type":"null"}],"description":"d"}`), out(`{"description":"d","nullable":true,"type":"string"}`), ""},
		{"anyOf with two and null", in(`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`), out(`{"anyOf":[{"nullable":true,"type":"string"},{"type":"integer"}]}`), ""},
		{"anyOf of null and nothing", in(`{"anyOf":[{"type":"null"},false]}`), out(`{"nullable":true,"type":"string"}`), ""},
		{"anyOf with anything", in(`{"anyOf":[{"type":"string"},{}]}`), out(`{}`), ""},
		{"anyOf beside properties", in(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`),
			out(`{"anyOf":[{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"type":"object"},{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"],"type":"object"}]}`), ""},
		{"allOf", in(`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"integer"},"a":{"minLength":2}},"required":["b"]}]}`),
			out(`{"properties":{"a":{"minLength":2,"type":"string"},"b":{"type":"integer"}},"required":["a","b"],"type":"object"}`), ""},
		{"nullable of another dialect", in(`{"type":"string","nullable":true}`), out(`{"nullable":true,"type":"string"}`), ""},
		{"reference", `{"$defs":{"a/b":{"type":"string","description":"d"}},"type":"object","properties":{"p":{"$ref":"#/$defs/a~1b","maxLength":3}}}`, out(`{"description":"d","maxLength":3,"type":"string"}`), ""},
		{"reference to another document", in(`{"$ref":"https://example.com/s","type":"string"}`), out(`{"type":"string"}`), "is not followed"},
		{"reference to nothing", in(`{"$ref":"#/$defs/x"}`), out(`{}`), "is not followed"},
		{"reference into a list", `{"type":"object","anyOf":[{"properties":{"q":{"type":"string"}}}],"properties":{"p":{"$ref":"#/anyOf/0/properties/q"}}}`, `{"properties":{"p":{"type":"string"},"q":{"type":"string"}},"type":"object"}`, ""},
		{"cycle", deep, out(`{"properties":{"next":{"type":"object"},"v":{"type":"integer"}},"type":"object"}`), "leads too deep"},
		{"reference to itself", in(`{"$ref":"#/properties/p"}`), out(`{}`), "leads too deep"},
		{"reference to the root", in(`{"$ref":"#"}`), out(`{"properties":{"p":{"type":"object"}},"type":"object"}`), "leads too deep"},
		{"root with alternatives", `{"description":"d","anyOf":[{"type":"object","properties":{"k":{"const":"a"},"x":{"type":"string"}},"required":["k","x"]},{"type":"object","properties":{"k":{"const":"b"},"y":{"type":"string"}},"required":["k","y"]},{"type":"null"}]}`,
			`{"description":"d Give one of these: k and x; or k and y.","properties":{"k":{"anyOf":[{"enum":["a"],"type":"string"},{"enum":["b"],"type":"string"}]},"x":{"type":"string"},"y":{"type":"string"}},"required":["k"],"type":"object"}`, ""},
		{"root with properties and alternatives", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"],"properties":{"a":{"maxLength":1}}}]}`,
			`{"description":"Give one of these: a; or b.","properties":{"a":{"type":"string"},"b":{"type":"string"}},"type":"object"}`, ""},
		{"root with allOf", `{"allOf":[{"$ref":"#/$defs/a"},{"properties":{"q":{"type":"string"}},"required":["q"]}],"$defs":{"a":{"properties":{"p":{"type":"string"}},"required":["p"]}}}`,
			`{"properties":{"p":{"type":"string"},"q":{"type":"string"}},"required":["p","q"],"type":"object"}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, notes := project(json.RawMessage(row.schema))
			if string(got) != row.want {
				t.Errorf("projection\n%s\nwant\n%s", got, row.want)
			}
			if said := strings.Join(notes, "; "); row.note == "" && said != "" || !strings.Contains(said, row.note) {
				t.Errorf("notes %q, want %q", said, row.note)
			}
		})
	}
}

// TestProjectIsBounded projects schemas that would grow without end.
func TestProjectIsBounded(t *testing.T) {
	t.Parallel()
	var wide strings.Builder // each definition has ten places of the next one
	wide.WriteString(`{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range 8 {
		if i > 0 {
			wide.WriteString(",")
		}
		wide.WriteString(`"d` + string(rune('0'+i)) + `":{"type":"object","properties":{`)
		for j := range 10 {
			if j > 0 {
				wide.WriteString(",")
			}
			wide.WriteString(`"` + string(rune('a'+j)) + `":{"$ref":"#/$defs/d` + string(rune('1'+i)) + `"}`)
		}
		wide.WriteString("}}")
	}
	wide.WriteString("}}")
	for name, schema := range map[string]string{
		"wide references": wide.String(),
		"cyclic root":     `{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"allOf":[{"$ref":"#"}]}],"properties":{"a":{"type":"string"}}}`,
		"nested choices":  strings.Repeat(`{"anyOf":[{"type":"string"},`, 200) + `{}` + strings.Repeat(`]}`, 200),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := project(json.RawMessage(schema))
			if len(got) > 400_000 {
				t.Errorf("%d bytes", len(got))
			}
		})
	}
}
