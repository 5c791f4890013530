package tooling

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

const wideSchema = `{"type":"object","additionalProperties":false,"required":["s"],"properties":{
	"s":{"type":"string"},
	"raw":{"type":"string"},
	"i":{"type":"integer","minimum":0,"maximum":100},
	"n":{"type":"number"},
	"b":{"type":"boolean"},
	"e":{"type":"string","enum":["one","two"]},
	"l":{"type":"array","maxItems":3,"items":{"type":"object","additionalProperties":false,"required":["x"],"properties":{"x":{"type":"string"},"k":{"type":"integer"}}}},
	"open":{"type":"object","properties":{"p":{"type":"string"}}}}}`

func compiled(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := CompileSchema(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func props(text string) string {
	return `{"type":"object","additionalProperties":false,"properties":{` + text + `}}`
}

func required(names, text string) string {
	return `{"type":"object","additionalProperties":false,"required":[` + names + `],"properties":{` + text + `}}`
}

func TestCheck(t *testing.T) {
	t.Parallel()
	integer := props(`"n":{"type":"integer"}`)
	number := props(`"n":{"type":"number"}`)
	path := required(`"path"`, `"path":{"type":"string"}`)
	messages := props(`"messages":{"type":"array","minItems":1,"maxItems":3,"items":` +
		required(`"index"`, `"index":{"type":"integer","minimum":0},"start_char":{"type":"integer"},"max_chars":{"type":"integer"}`) + `}`)
	rows := []struct {
		name    string
		schema  string
		w       string
		raw     []string
		checked string
		reason  string
		place   string
		says    []string // parts of the text
	}{
		{name: "vector 31 for an integer", schema: integer, w: `{"n":9007199254740993}`, checked: `{"n":9007199254740993}`},
		{name: "vector 32", schema: integer, w: `{"n":123456789012345678901234567890}`, reason: ReasonOutOfRange, place: "n", says: []string{"64 bits"}},
		{name: "vector 33 fraction", schema: integer, w: `{"n":5.0}`, checked: `{"n":5}`},
		{name: "vector 33 exponent", schema: integer, w: `{"n":5e0}`, checked: `{"n":5}`},
		{name: "vector 33 exponent that shifts", schema: integer, w: `{"n":0.05e2}`, checked: `{"n":5}`},
		{name: "vector 34", schema: integer, w: `{"n":-0}`, checked: `{"n":0}`},
		{name: "vector 35", schema: integer, w: `{"n":5.5}`, reason: ReasonWrongType, place: "n"},
		{name: "vector 35 tiny", schema: integer, w: `{"n":1e-1000000000}`, reason: ReasonWrongType},
		{name: "vector 36 number", schema: number, w: `{"n":1e400}`, reason: ReasonOutOfRange},
		{name: "vector 36 number, huge exponent", schema: number, w: `{"n":1e1000000000}`, reason: ReasonOutOfRange},
		{name: "vector 36 number, exponent beyond 64 bits", schema: number, w: `{"n":1e99999999999999999999}`, reason: ReasonOutOfRange},
		{name: "vector 36 number, many digits", schema: number, w: `{"n":1` + strings.Repeat("0", 400) + `}`, reason: ReasonOutOfRange},
		{name: "vector 36 integer", schema: integer, w: `{"n":1e1000000000}`, reason: ReasonOutOfRange},
		{name: "number keeps its text", schema: number, w: `{"n":1.50e3}`, checked: `{"n":1.50e3}`},
		{name: "vector 37 string for an integer", schema: integer, w: `{"n":"5"}`, reason: ReasonWrongType, says: []string{"an integer", `"5"`}},
		{name: "vector 37 string for a boolean", schema: props(`"b":{"type":"boolean"}`), w: `{"b":"true"}`, reason: ReasonWrongType},
		{name: "vector 37 string for an array", schema: props(`"a":{"type":"array"}`), w: `{"a":"x"}`, reason: ReasonWrongType},
		{name: "number for a string", schema: path, w: `{"path":5}`, reason: ReasonWrongType},
		{name: "vector 38", schema: props(`"limit":{"type":"integer"}`), w: `{"limit":null}`, checked: `{}`},
		{name: "vector 38 nested", schema: messages, w: `{"messages":[{"index":0,"max_chars":null}]}`, checked: `{"messages":[{"index":0}]}`},
		{name: "vector 39", schema: path, w: `{"path":null}`, reason: ReasonMissingKey, place: "path"},
		{name: "vector 41", schema: path, w: `{"path":"  a.md "}`, checked: `{"path":"a.md"}`},
		{name: "vector 41 escapes", schema: path, w: `{"path":"\n\ta.md\u00a0\\\u000b"}`, checked: `{"path":"a.md` + "\u00a0" + `\\"}`},
		{name: "vector 41 not raw below the top", schema: props(`"l":{"type":"array","items":{"type":"string"}}`), w: `{"l":[" a "]}`, raw: []string{"l"}, checked: `{"l":["a"]}`},
		{name: "vector 41 raw", schema: path, w: `{"path":"  a.md "}`, raw: []string{"path"}, checked: `{"path":"  a.md "}`},
		{name: "vector 42 blank", schema: path, w: `{"path":"   "}`, reason: ReasonMissingKey, place: "path"},
		{name: "vector 42 empty", schema: path, w: `{"path":""}`, reason: ReasonMissingKey, place: "path"},
		{name: "blank and optional", schema: props(`"path":{"type":"string","minLength":1}`), w: `{"path":" "}`, checked: `{}`},
		{name: "vector 43", schema: required(`"content"`, `"content":{"type":"string"}`), w: `{"content":""}`, raw: []string{"content"}, checked: `{"content":""}`},
		{name: "vector 46 raw", schema: path, w: `{"path":"a\u0000b"}`, raw: []string{"path"}, checked: `{"path":"a\u0000b"}`},
		{name: "vector 46 not raw", schema: path, w: `{"path":"a\u0000b"}`, reason: ReasonWrongValue},
		{name: "vector 46 an escaped backslash is none", schema: path, w: `{"path":"a\\u0000b"}`, checked: `{"path":"a\\u0000b"}`},
		{name: "vector 50", schema: path, w: `{"path":"a","colour":1}`, reason: ReasonUnknownKey, place: "colour", says: []string{"Accepted here: path."}},
		{name: "vector 51", schema: messages, w: `{"messages":[{"index":0},{"indx":1}]}`, reason: ReasonUnknownKey, place: "messages[1].indx"},
		{name: "arguments-10", schema: messages, w: `{"messages":[{"indx":1}]}`, reason: ReasonUnknownKey, place: "messages[0].indx", says: []string{"did you mean index", "index, start_char, max_chars"}},
		{name: "vector 52", schema: props(`"start_line":{"type":"integer"}`), w: `{"startLine":3}`, reason: ReasonUnknownKey, place: "startLine", says: []string{"did you mean start_line"}},
		{name: "vector 30 case of a name", schema: props(`"a":{"type":"integer"}`), w: `{"a":1,"A":2}`, reason: ReasonUnknownKey, place: "A", says: []string{"did you mean a"}},
		{name: "vector 53", schema: props(`"a":{"type":"integer"}`), w: `""`, checked: `{}`},
		{name: "arguments-11 vector 54", schema: path, w: `"null"`, reason: ReasonMissingKey, place: "path", says: []string{"path: required, and missing"}},
		{name: "no parameters at all", schema: props(``), w: `{"x":1}`, reason: ReasonUnknownKey, says: []string{"No parameters are accepted here."}},
		{name: "enumeration", schema: props(`"e":{"type":"string","enum":["a","b"]}`), w: `{"e":"B"}`, reason: ReasonWrongValue, says: []string{"one of a, b", "B"}},
		{name: "enumeration of numbers", schema: props(`"e":{"type":"integer","enum":[1,2]}`), w: `{"e":2.0}`, checked: `{"e":2}`},
		{name: "enumeration of numbers, other", schema: props(`"e":{"type":"integer","enum":[1,2]}`), w: `{"e":3}`, reason: ReasonWrongValue},
		{name: "enumeration of booleans", schema: props(`"e":{"type":"boolean","enum":[true]}`), w: `{"e":false}`, reason: ReasonWrongValue},
		{name: "pattern", schema: props(`"p":{"type":"string","pattern":"^[a-z]+$"}`), w: `{"p":"A"}`, reason: ReasonWrongValue},
		{name: "minimum", schema: props(`"n":{"type":"integer","minimum":1,"maximum":50}`), w: `{"n":0}`, reason: ReasonOutOfRange, says: []string{"an integer from 1 to 50", "`0`"}},
		{name: "maximum", schema: props(`"n":{"type":"number","maximum":0.5}`), w: `{"n":0.50001}`, reason: ReasonOutOfRange},
		{name: "maximum in another spelling", schema: props(`"n":{"type":"number","maximum":0.5}`), w: `{"n":5e-1}`, checked: `{"n":5e-1}`},
		{name: "lengths count characters", schema: props(`"s":{"type":"string","maxLength":3}`), w: `{"s":"😀汉ü"}`, checked: `{"s":"😀汉ü"}`},
		{name: "too long", schema: props(`"s":{"type":"string","maxLength":3}`), w: `{"s":"😀汉üx"}`, reason: ReasonOutOfRange, says: []string{"at most 3 characters", "4 characters"}},
		{name: "length after trimming", schema: props(`"s":{"type":"string","maxLength":1}`), w: `{"s":" x "}`, checked: `{"s":"x"}`},
		{name: "too few items", schema: messages, w: `{"messages":[]}`, reason: ReasonOutOfRange, place: "messages", says: []string{"1 to 3 items", "0 items"}},
		{name: "null in a list", schema: props(`"l":{"type":"array","items":{"type":"string"}}`), w: `{"l":[null]}`, reason: ReasonWrongType, place: "l[0]"},
		{name: "open object", schema: props(`"o":{"type":"object","properties":{"p":{"type":"string"}}}`), w: `{"o":{"p":" x ","more":" y "}}`, checked: `{"o":{"p":"x","more":" y "}}`},
		{name: "any type", schema: props(`"x":{}`), w: `{"x":null}`, checked: `{"x":null}`},
		{name: "nothing to do gives the same", schema: wideSchema, w: `{"s":"a","i":5,"l":[{"x":"y"}],"open":{"q":[]}}`, checked: `{"s":"a","i":5,"l":[{"x":"y"}],"open":{"q":[]}}`},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			o := read(t, r.w)
			before := o.Canonical()
			checked, invalid := compiled(t, r.schema).Check(o, r.raw)
			if o.Canonical() != before {
				t.Fatal("the object was changed")
			}
			if r.reason == "" {
				if invalid != nil {
					t.Fatalf("refused: %s", invalid.Error())
				}
				if checked.Canonical() != r.checked {
					t.Fatalf("checked %s, want %s", checked.Canonical(), r.checked)
				}
				if r.checked == before && checked != o {
					t.Error("a copy was made although nothing changed")
				}
				return
			}
			if invalid == nil {
				t.Fatalf("accepted as %s", checked.Canonical())
			}
			if invalid.Reason != r.reason || r.place != "" && invalid.Place != r.place {
				t.Fatalf("%s at %q, want %s at %q", invalid.Reason, invalid.Place, r.reason, r.place)
			}
			text := invalid.Result().Content
			for _, part := range r.says {
				if !strings.Contains(text, part) {
					t.Errorf("text %q lacks %q", text, part)
				}
			}
			if strings.Contains(text, "Received:") {
				t.Errorf("the raw text is echoed for a fault of values: %q", text)
			}
		})
	}
}

func TestCheckReportsFaultsTogether(t *testing.T) {
	t.Parallel()
	s := compiled(t, required(`"a","b","c","d","e","f","g"`, `"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"string"},
		"d":{"type":"string"},"e":{"type":"string"},"f":{"type":"string"},"g":{"type":"string"}`))
	_, invalid := s.Check(read(t, `{"b":"x","zz":1}`), nil)
	var got []string
	for _, f := range append([]Invalid{*invalid}, invalid.Also...) {
		got = append(got, f.Reason+" "+f.Place)
	}
	want := "unknown_key zz, missing_key a, wrong_type b, missing_key c, missing_key d"
	if strings.Join(got, ", ") != want {
		t.Errorf("faults %q, want %q", strings.Join(got, ", "), want)
	}
	b, err := json.Marshal(invalid.Result().Structured)
	if err != nil {
		t.Fatal(err)
	}
	var structured struct {
		Error struct {
			Code, Reason, Place string
			Accepted            []string
			Faults              []struct{ Reason, Place string }
		}
	}
	if err := json.Unmarshal(b, &structured); err != nil {
		t.Fatal(err)
	}
	e := structured.Error
	if e.Code != CodeInvalidArguments || e.Reason != ReasonUnknownKey || e.Place != "zz" || len(e.Accepted) != 7 || len(e.Faults) != 5 {
		t.Errorf("structured %s", b)
	}
}

func TestCheckExternal(t *testing.T) {
	t.Parallel()
	schema := `{"$schema":"x","type":"object","required":["q"],"additionalProperties":false,"properties":{
		"q":{"type":"string","minLength":3},"n":{"type":"integer"},"b":{"type":"boolean"},"f":{"type":"number"},
		"any":{"anyOf":[{"type":"string"}]},"both":{"type":["string","null"]},"l":{"type":"array"},"ref":{"$ref":"#/x"}}}`
	rows := []struct {
		name, w, reason, place string
	}{
		{"vector 40 null", `{"q":null}`, "", ""},
		{"vector 32 text unchanged", `{"q":"x","n":123456789012345678901234567890}`, "", ""},
		{"limits are the server's", `{"q":""}`, "", ""},
		{"string that is an integer", `{"q":"x","n":"2"}`, "", ""},
		{"string that is no integer", `{"q":"x","n":"2.5"}`, ReasonWrongType, "n"},
		{"string with words for a number", `{"q":"x","f":"2 m"}`, ReasonWrongType, "f"},
		{"string that is a boolean", `{"q":"x","b":"true"}`, "", ""},
		{"number for a string", `{"q":5}`, "", ""},
		{"number for a boolean", `{"q":"x","b":1}`, ReasonWrongType, "b"},
		{"object for a string", `{"q":{}}`, ReasonWrongType, "q"},
		{"string for an array", `{"q":"x","l":"a"}`, ReasonWrongType, "l"},
		{"missing", `{}`, ReasonMissingKey, "q"},
		{"unknown and closed", `{"q":"x","z":1}`, ReasonUnknownKey, "z"},
		{"types that are not single", `{"q":"x","any":[],"both":5,"ref":{}}`, "", ""},
	}
	s, err := CompileExternal(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			o := read(t, r.w)
			checked, invalid := s.Check(o, nil)
			switch {
			case r.reason == "" && (invalid != nil || checked != o):
				t.Errorf("not passed on as it is: %v", invalid)
			case r.reason != "" && (invalid == nil || invalid.Reason != r.reason || invalid.Place != r.place):
				t.Errorf("refusal %+v, want %s at %s", invalid, r.reason, r.place)
			}
		})
	}
	open, err := CompileExternal(json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if invalid := open.CheckExternal(read(t, `{"x":1}`)); invalid != nil {
		t.Errorf("an open schema refuses %v", invalid)
	}
}

func TestCompileSchemaRefuses(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, schema string
		external     bool
	}{
		{"text", `hello`, false},
		{"no object", `[]`, false},
		{"no type", `{}`, false},
		{"another type", `{"type":"string"}`, false},
		{"unknown type", `{"type":"object","properties":{"a":{"type":"text"}}}`, false},
		{"list of types", `{"type":"object","properties":{"a":{"type":["string"]}}}`, false},
		{"keyword outside the subset", `{"type":"object","properties":{"a":{"anyOf":[]}}}`, false},
		{"properties no object", `{"type":"object","properties":[]}`, false},
		{"required no list", `{"type":"object","required":"a"}`, false},
		{"required names no property", `{"type":"object","required":["a"]}`, false},
		{"empty enumeration", `{"type":"object","properties":{"a":{"enum":[]}}}`, false},
		{"pattern", `{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`, false},
		{"minimum", `{"type":"object","properties":{"a":{"type":"integer","minimum":"1"}}}`, false},
		{"maxLength", `{"type":"object","properties":{"a":{"type":"string","maxLength":-1}}}`, false},
		{"additionalProperties", `{"type":"object","additionalProperties":1}`, false},
		{"items", `{"type":"object","properties":{"a":{"type":"array","items":[]}}}`, false},
		{"repeated name", `{"type":"object","type":"object"}`, false},
		{"external text", `hello`, true},
		{"external array", `[]`, true},
		{"external of another type", `{"type":"array"}`, true},
		{"external properties", `{"properties":1}`, true},
		{"external required", `{"required":1}`, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			compile := CompileSchema
			if r.external {
				compile = CompileExternal
			}
			if _, err := compile(json.RawMessage(r.schema)); fault.Code(err) != "tool.schema_invalid" {
				t.Errorf("error %v", err)
			}
		})
	}
}
