package tooling

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzNormalise(f *testing.F) {
	for _, w := range []string{
		``, `null`, `{}`, `"{\"a\":1}"`, `{"a":[1,{"b":"\ud83d\ude00"}],"c":null}`, `"{\"path\":"`, `{"a":1,"a":2}`,
		`{"n":-1.5e+300,"m":0}`, `"\"x\""`, ` { "s" : "\/\u0000" } `, `"{\"a\":\"\\ud83d\\u"`, "\"{\xff}\"",
	} {
		f.Add([]byte(w))
	}
	f.Fuzz(func(t *testing.T, w []byte) {
		o, invalid := Normalise(w)
		if (o == nil) == (invalid == nil) {
			t.Fatal("want exactly one of object and refusal")
		}
		if invalid != nil {
			r := invalid.Result()
			if r.Code != CodeInvalidArguments || !utf8.ValidString(r.Content) {
				t.Fatalf("refusal %q", r.Content)
			}
			return
		}
		canon := o.Canonical()
		again, bad := Normalise(appendQuoted(nil, canon))
		if bad != nil || again.Canonical() != canon || again.Hash() != o.Hash() {
			t.Fatalf("%q: the canonical form reads as something else", canon)
		}
		if !utf8.ValidString(canon) || !json.Valid([]byte(canon)) {
			t.Fatalf("%q is no JSON", canon)
		}
		agree(t, o)
		if s := string(appendSorted(nil, canon)); sorted(canon) && s != canon {
			t.Fatalf("%q counts as sorted, sorting gives %q", canon, s)
		}
	})
}

// agree compares what an object holds with what the standard library reads.
func agree(t *testing.T, o *Object) {
	t.Helper()
	var got, want any
	for _, v := range []struct {
		text string
		to   *any
	}{{o.Canonical(), &got}, {peelText(o), &want}} {
		d := json.NewDecoder(strings.NewReader(v.text))
		d.UseNumber()
		if err := d.Decode(v.to); err != nil {
			t.Fatalf("%q: %v", v.text, err)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("canonical %q differs from its text %q", o.Canonical(), o.Text())
	}
}

func peelText(o *Object) string {
	text := strings.Trim(o.Text(), " \t\r\n")
	if text == "" || text == "null" {
		return "{}"
	}
	return text
}

func FuzzParseID(f *testing.F) {
	for _, s := range []string{"", "builtin", ":x", "builtin:", "builtin:a:b", "mcp/x:a:b", "extension/notes:write", "mcp/a__b:x", "builtin:workspace.read_file"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseID(s)
		if err != nil {
			return
		}
		text, err := id.MarshalText()
		if err != nil || string(text) != s || id.Source()+":"+id.Native() != s {
			t.Fatalf("%q encodes to %q", s, text)
		}
		for id, name := range Names([]string{s}) {
			if !ValidName(name) {
				t.Fatalf("%q is named %q", id, name)
			}
		}
	})
}

func FuzzCheck(f *testing.F) {
	schema, err := CompileSchema(json.RawMessage(wideSchema))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(`{"s":" a ","i":5.0,"l":[{"x":" y "}],"n":1e400}`)
	f.Add(`{"s":null,"raw":"  ","i":-0,"b":true,"open":{"any":[1]},"e":"one"}`)
	f.Fuzz(func(t *testing.T, w string) {
		o, invalid := Normalise(json.RawMessage(w))
		if invalid != nil {
			return
		}
		checked, invalid := schema.Check(o, []string{"raw"})
		if invalid != nil {
			_ = invalid.Result()
			return
		}
		if !json.Valid([]byte(checked.Canonical())) {
			t.Fatalf("%q", checked.Canonical())
		}
		again, invalid := schema.Check(read(t, checked.Canonical()), []string{"raw"})
		if invalid != nil || again.Canonical() != checked.Canonical() {
			t.Fatalf("%q does not check as itself", checked.Canonical())
		}
	})
}

func FuzzDecodeSnapshot(f *testing.F) {
	s, err := Freeze("root", rootInput())
	if err != nil {
		f.Fatal(err)
	}
	text, err := s.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(`{"version":1}`)
	f.Add(`{"version":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := DecodeSnapshot(text)
		if err != nil {
			return
		}
		if again, err := s.Encode(); err != nil || again != text {
			t.Fatalf("decoded and encoded differ: %v", err)
		}
	})
}
