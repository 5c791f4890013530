package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// hidden writes every character of a text as an escape of JSON.
func hidden(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

func TestMaskJSON(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ in, want string }{
		"nothing":            {`{"a":[1,true,null,"x\n"]}`, `{"a":[1,true,null,"x\n"]}`},
		"a string":           {`{"a":"` + key + `"}`, `{"a":"{{secret:KEY}}"}`},
		"a name":             {`{"` + key + `":1}`, `{"{{secret:KEY}}":1}`},
		"escaped characters": {`["` + hidden(key) + `"]`, `["{{secret:KEY}}"]`},
		"one escape":         {`["a\n` + strings.Replace(key, "t", `\u0074`, 1) + `"]`, `["a\n{{secret:KEY}}"]`},
		"odd characters":     {`["` + encoded(t, odd) + `"]`, `["{{secret:ODD}}"]`},
		"a number":           {`{"n":` + numeric + `,"m":12}`, `{"n":"{{secret:NUMERIC}}","m":12}`},
		"part of a number":   {`[-1` + numeric + `.5]`, `["-1{{secret:NUMERIC}}.5"]`},
		"JSON in a string":   {`"{\"a\":\"` + key + `\"}"`, `"{\"a\":\"{{secret:KEY}}\"}"`},
		"hidden inside that": {`"{\"a\":\"` + strings.ReplaceAll(hidden(key), `\`, `\\`) + `\"}"`, `"{\"a\":\"{{secret:KEY}}\"}"`},
		"no JSON":            {`{"a":"` + key, `{"a":"{{secret:KEY}}`},
		"cut":                {`{"a":"` + hidden(key), `{"a":"{{secret:KEY}}`},
		"cut behind":         {`{"a":"` + hidden(key) + `","b`, `{"a":"{{secret:KEY}}","b`},
		"cut inside":         {`{"a":"` + hidden(key)[:6*(len(key)-3)+4], `{"a":"{{secret:KEY}}` + hidden(key)[6*(len(key)-3):][:4]},
		"one escape, cut": {`{"a":"x
` + strings.Replace(key, "t", `t`, 1) + `", `, `{"a":"x
{{secret:KEY}}", `},
		"odd ones, cut":         {`["` + encoded(t, odd) + `"`, `["{{secret:ODD}}"`},
		"two layers, cut":       {`{"a":"{"b":"` + strings.ReplaceAll(hidden(key), `\`, `\\`), `{"a":"{"b":"{{secret:KEY}}`},
		"cut inside a string":   {`["{\"a\":\"` + strings.ReplaceAll(hidden(key), `\`, `\\`) + `"]`, `["{\"a\":\"{{secret:KEY}}"]`},
		"escapes that are none": {`{"a":"\x41\ud800\u00zz` + key, `{"a":"\x41\ud800\u00zz{{secret:KEY}}`},
		"twice":                 {`{"a":"` + hidden(key) + key + hidden(odd), `{"a":"{{secret:KEY}}{{secret:KEY}}{{secret:ODD}}`},
		"kept as written":       {`{ "a" : "\u0041" , "b":"` + key + `" }`, `{ "a" : "\u0041" , "b":"{{secret:KEY}}" }`},
		"no escaping of <":      {`["<\n` + key + `>"]`, `["<\n{{secret:KEY}}>"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := string(known().MaskJSON(json.RawMessage(row.in))); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// FuzzMaskJSON holds that JSON stays JSON, and that no string in it has a value.
func FuzzMaskJSON(f *testing.F) {
	for _, seed := range []string{`{"a":"` + key + `"}`, `[` + numeric + `]`, `"{\"a\":\"` + hidden(key) + `\"}"`, `{"a":"\ud800"}`, "\"\xff\\n\"", `{}`} {
		f.Add(seed)
	}
	s := known()
	f.Fuzz(func(t *testing.T, in string) {
		out := s.MaskJSON(json.RawMessage(in))
		if !json.Valid([]byte(in)) {
			return
		}
		var v any
		dec := json.NewDecoder(bytes.NewReader(out))
		dec.UseNumber() // some are too large for Go
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%q became %q: %v", in, out, err)
		}
		walk(t, v)
		if again := s.MaskJSON(out); string(again) != string(out) {
			t.Fatalf("%q became %q", out, again)
		}
	})
}

func walk(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case string:
		if strings.Contains(v, key) || strings.Contains(v, odd) {
			t.Fatalf("%q has a value", v)
		}
	case []any:
		for _, one := range v {
			walk(t, one)
		}
	case map[string]any:
		for name, one := range v {
			walk(t, name)
			walk(t, one)
		}
	}
}
