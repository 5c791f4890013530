package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
)

func TestCommon(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, in, want, note string }{
		{"nothing to do", `{"type":"object", "properties":{"b":{"type":"string"},"a":{}}}`, `{"type":"object", "properties":{"b":{"type":"string"},"a":{}}}`, ""},
		{"what says where it is from", `{"$schema":"s","$id":"i","$comment":"c","type":"object","properties":{"a":{"$comment":"x","type":"string"}}}`,
			`{"properties":{"a":{"type":"string"}},"type":"object"}`, ""},
		{"a property of such a name, an example, a default", `{"$id":"i","type":"object","properties":{"$id":{"type":"string"},"a":{"default":{"$id":1},"examples":[{"$comment":2}]}}}`,
			`{"properties":{"$id":{"type":"string"},"a":{"default":{"$id":1},"examples":[{"$comment":2}]}},"type":"object"}`, ""},
		{"no type", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`, ""},
		{"another type", `{"type":["object","null"]}`, `{"type":"object"}`, ""},
		{"anyOf", `{"description":"Find.","anyOf":[{"properties":{"id":{"type":"string"},"n":{"type":"integer"}},"required":["id","n"]},{"properties":{"name":{"type":"string"},"n":{"type":"integer"}},"required":["name","n"]}]}`,
			`{"description":"Find. Give one of these: id and n; or n and name.","properties":{"id":{"type":"string"},"n":{"type":"integer"},"name":{"type":"string"}},"required":["n"],"type":"object"}`, ""},
		{"oneOf with a property that differs", `{"type":"object","oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"a":{"type":"integer"}},"required":["a"]}]}`,
			`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"required":["a"],"type":"object"}`, ""},
		{"allOf", `{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}],"required":["c"]}`,
			`{"properties":{"a":{"type":"string"},"b":{}},"required":["a","b","c"],"type":"object"}`, ""},
		{"allOf with a property that differs", `{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"minLength":2}}}]}`,
			`{"properties":{"a":{"allOf":[{"type":"string"},{"minLength":2}]}},"type":"object"}`, ""},
		{"properties beside alternatives", `{"properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false,"anyOf":[{"required":["b"],"properties":{"b":{}}},{"properties":{"a":{"const":"x"}}}]}`,
			`{"description":"Give one of these: b; or a.","properties":{"a":{"type":"string"},"b":{}},"required":["a"],"type":"object"}`, ""},
		{"what all alternatives say of it too", `{"properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"a":{"minLength":2}}},{"properties":{"a":{"minLength":3}}}]}`,
			`{"properties":{"a":{"allOf":[{"type":"string"},{"anyOf":[{"minLength":2},{"minLength":3}]}]}},"type":"object"}`, ""},
		{"alternatives that are no objects", `{"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{}},"required":["a"]},false]}`, `{"properties":{"a":{}},"required":["a"],"type":"object"}`, ""},
		{"an alternative that is open", `{"anyOf":[{"properties":{"a":{}},"required":["a"]},true]}`, `{"properties":{"a":{}},"type":"object"}`, ""},
		{"a reference at the root", `{"$ref":"#/$defs/in~1put","$defs":{"in/put":{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"required":["a"]},"b":{"type":"string"}}}`,
			`{"$defs":{"b":{"type":"string"},"in/put":{"properties":{"a":{"$ref":"#/$defs/b"}},"required":["a"],"type":"object"}},"properties":{"a":{"$ref":"#/$defs/b"}},"required":["a"],"type":"object"}`, ""},
		{"a reference to elsewhere", `{"$ref":"https://example.com/s"}`, `{"type":"object"}`, "the reference https://example.com/s at the root is not followed"},
		{"a reference to itself", `{"properties":{"a":{}},"anyOf":[{"$ref":"#"},{"required":["a"]}]}`, `{"properties":{"a":{}},"type":"object"}`, "nested too deep"},
		{"as many references to itself as there is room for", `{"properties":{"a":{}},"anyOf":[` + strings.Repeat(`{"$ref":"#"},`, 99) + `{"$ref":"#"}]}`, `{"properties":{"a":{}},"type":"object"}`, "too many"},
		{"big numbers and signs stay", `{"$id":"i","type":"object","properties":{"n":{"maximum":12345678901234567890,"description":"<&>"}}}`,
			`{"properties":{"n":{"description":"<&>","maximum":12345678901234567890}},"type":"object"}`, ""},
		{"no object", `true`, `true`, "no JSON object"},
		{"no JSON", `{`, `{`, "no JSON object"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, notes := Common(json.RawMessage(row.in))
			check(t, got, notes, row.want, row.note)
			again, _ := Common(got)
			if string(again) != string(got) {
				t.Errorf("a second time:\n%s", again)
			}
		})
	}
}

func TestGrammar(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, in, want, note string }{
		{"nothing to do", `{"type":"object", "properties":{"pattern":{"type":"string","maxLength":1000,"minimum":-123456789}}}`,
			`{"type":"object", "properties":{"pattern":{"type":"string","maxLength":1000,"minimum":-123456789}}}`, ""},
		{"patterns and formats", `{"properties":{"a":{"type":"array","items":{"pattern":"^x$","format":"date"}}}}`, `{"properties":{"a":{"items":{},"type":"array"}}}`, "pattern is left out; format is left out"},
		{"large bounds", `{"properties":{"a":{"maxLength":1001,"minLength":1},"b":{"maxItems":1e9},"c":{"maximum":1e3,"minimum":1234567890}}}`,
			`{"properties":{"a":{"minLength":1},"b":{},"c":{}}}`, "maxLength of 1001 is left out; maxItems of 1e9 is left out; minimum of 1234567890 is left out; maximum of 1e3 is left out"},
		{"a tree", `{"properties":{"t":{"$ref":"#/$defs/t"},"u":{"$ref":"#/$defs/t"}},"$defs":{"t":{"properties":{"kids":{"items":{"$ref":"#/$defs/t"}}}}}}`,
			`{"$defs":{"t":{"properties":{"kids":{"items":{}}}}},"properties":{"t":{"$ref":"#/$defs/t"},"u":{"$ref":"#/$defs/t"}}}`, "the recursion of #/$defs/t is cut"},
		{"two that name each other", `{"properties":{"a":{"$ref":"#/$defs/a"},"b":{"$ref":"#/$defs/b"}},"$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"items":{"$ref":"#/$defs/a"}}}}`,
			`{"$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"items":{}}},"properties":{"a":{"$ref":"#/$defs/a"},"b":{"$ref":"#/$defs/b"}}}`, "the recursion of #/$defs/a is cut"},
		{"the root itself", `{"properties":{"a":{"$ref":"#"}}}`, `{"properties":{"a":{}}}`, "the recursion of # is cut"},
		{"references that lead nowhere", `{"properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"y"}}}`, `{"properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"y"}}}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, notes := Grammar(json.RawMessage(row.in))
			check(t, got, notes, row.want, row.note)
			if again, notes := Grammar(got); string(again) != string(got) || notes != nil {
				t.Errorf("a second time: %v\n%s", notes, again)
			}
		})
	}
}

func check(t *testing.T, got json.RawMessage, notes []string, want, note string) {
	t.Helper()
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if said := strings.Join(notes, "; "); said != note && (note == "" || !strings.Contains(said, note)) {
		t.Errorf("notes %q, want %q", said, note)
	}
}

// The schemas of a snapshot are made once, and others for each other hash.
func TestList(t *testing.T) {
	t.Parallel()
	tools := func(n int) []model.ToolDef {
		return []model.ToolDef{{Name: fmt.Sprint("t", n), Schema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"a%d":{"pattern":"x"}}}`, n))}}
	}
	var l List
	l.Grammar = true
	var mu sync.Mutex
	lost := map[string]int{}
	note := func(tool string, notes []string) {
		mu.Lock()
		defer mu.Unlock()
		lost[tool]++
		if strings.Join(notes, " ") != "pattern is left out" {
			t.Errorf("notes %q", notes)
		}
	}
	for range 3 {
		for n := range 2 {
			if got := l.Of(fmt.Sprint(n), tools(n), note); string(got[0]) != fmt.Sprintf(`{"properties":{"a%d":{}},"type":"object"}`, n) {
				t.Errorf("got %s", got[0])
			}
		}
		l.Of("", tools(9), note)
	}
	if lost["t0"] != 1 || lost["t1"] != 1 || lost["t9"] != 3 {
		t.Errorf("told of %v", lost)
	}
	var group sync.WaitGroup
	for n := range 2 * maxKept {
		group.Go(func() { l.Of(fmt.Sprint("many", n), tools(n), note) })
	}
	group.Wait()
	if len(l.kept) > maxKept {
		t.Errorf("%d are kept", len(l.kept))
	}
}

// Whatever a schema is, what comes out is JSON when it was, and the same each time.
func FuzzSchema(f *testing.F) {
	f.Add(`{"anyOf":[{"$ref":"#/anyOf/0"},{"allOf":[{"$ref":"#"}]}],"$comment":"x"}`)
	f.Add(`{"oneOf":[[],1,{"type":"object","required":[1,"a"],"properties":[]}],"properties":{"a":{"$ref":"#/properties/a"}}}`)
	f.Add(`{"items":[{"maxItems":-1e99}],"allOf":{},"required":{},"$ref":1}`)
	f.Fuzz(func(t *testing.T, in string) {
		for _, do := range []func(json.RawMessage) (json.RawMessage, []string){Common, Grammar} {
			a, _ := do(json.RawMessage(in))
			b, _ := do(json.RawMessage(in))
			if string(a) != string(b) || json.Valid([]byte(in)) && !json.Valid(a) {
				t.Errorf("%s\n%s", a, b)
			}
		}
	})
}
