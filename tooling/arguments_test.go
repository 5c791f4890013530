package tooling

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
)

// str gives a text as the JSON string that carries it.
func str(text string) string { return string(appendQuoted(nil, text)) }

func nested(arrays int) string {
	return `{"a":` + strings.Repeat("[", arrays) + strings.Repeat("]", arrays) + `}`
}

func TestNormalise(t *testing.T) {
	t.Parallel()
	absent := "\x00absent"
	rows := []struct {
		name   string
		w      string
		canon  string // of the object
		reason string // else
		place  string
		pos    int
		raw    string
	}{
		{name: "arguments-1 vector 1 absent", w: absent, canon: `{}`},
		{name: "arguments-1 vector 2 null", w: `null`, canon: `{}`},
		{name: "arguments-1 vector 3 empty string", w: `""`, canon: `{}`},
		{name: "arguments-1 vector 4 null in a string", w: `"null"`, canon: `{}`},
		{name: "arguments-1 vector 5 object in a string", w: `"{}"`, canon: `{}`},
		{name: "arguments-1 vector 6 object", w: `{}`, canon: `{}`},
		{name: "vector 7 spaces", w: `"   "`, canon: `{}`},
		{name: "vector 7 line end and tab", w: `"\n\t"`, canon: `{}`},
		{name: "vector 8 null with spaces", w: `" null "`, canon: `{}`},
		{name: "vector 8 object with spaces", w: `" {} "`, canon: `{}`},
		{name: "vector 8 object with inner space", w: `"{ }"`, canon: `{}`},
		{name: "arguments-2 vector 9", w: `{"a":1}`, canon: `{"a":1}`},
		{name: "arguments-2 vector 10", w: `"{\"a\":1}"`, canon: `{"a":1}`},
		{name: "arguments-2 vector 11", w: `" {\"a\":1}\n"`, canon: `{"a":1}`},
		{name: "arguments-2 spaces inside", w: " {\n \"a\" : [ 1 , { \"b\" : 2 } ] } ", canon: `{"a":[1,{"b":2}]}`},
		{name: "vector 12", w: `"{\"path\":"`, reason: ReasonTruncated, raw: `{"path":`, pos: 9},
		{name: "vector 13", w: `"{\"path\":\"a.md\",\"content\":\"Once"`, reason: ReasonTruncated},
		{name: "vector 14 in an object", w: `"{\"a\":1"`, reason: ReasonTruncated},
		{name: "vector 14 in a literal", w: `"{\"a\":tr"`, reason: ReasonTruncated},
		{name: "vector 14 in an escape", w: `"{\"a\":\"\\u00"`, reason: ReasonTruncated},
		{name: "vector 14 after a backslash", w: `"{\"a\":\"\\"`, reason: ReasonTruncated},
		{name: "vector 14 array", w: `"["`, reason: ReasonTruncated},
		{name: "vector 14 object", w: `"{"`, reason: ReasonTruncated},
		{name: "vector 14 after a comma", w: `"{\"a\":1,"`, reason: ReasonTruncated},
		{name: "vector 14 in a name", w: `"{\"a"`, reason: ReasonTruncated},
		{name: "vector 14 in a number", w: `"{\"a\":-"`, reason: ReasonTruncated},
		{name: "vector 14 in a fraction", w: `"{\"a\":1."`, reason: ReasonTruncated},
		{name: "vector 14 in an exponent", w: `"{\"a\":1e"`, reason: ReasonTruncated},
		{name: "vector 14 in a pair", w: `"{\"a\":\"\\ud83d\\u"`, reason: ReasonTruncated},
		{name: "vector 14 in a character", w: "\"{\\\"a\\\":\\\"\xf0\x9f\"", reason: ReasonTruncated},
		{name: "vector 15 comma at the end", w: `"{\"a\":1,}"`, reason: ReasonMalformed, pos: 8},
		{name: "arguments-6 two commas", w: `"{\"a\":1,,}"`, reason: ReasonMalformed, pos: 8},
		{name: "vector 15 single quotes", w: `"{'a':1}"`, reason: ReasonMalformed, pos: 2},
		{name: "vector 15 bare name", w: `"{a:1}"`, reason: ReasonMalformed, pos: 2},
		{name: "vector 15 no colon", w: `"{\"a\" 1}"`, reason: ReasonMalformed, pos: 6},
		{name: "vector 15 leading zero", w: `"{\"a\":01}"`, reason: ReasonMalformed, pos: 7},
		{name: "vector 15 position in characters", w: str(`{"ä😀":x}`), reason: ReasonMalformed, pos: 7},
		{name: "vector 15 position after outer space", w: str("\n {x"), reason: ReasonMalformed, pos: 4},
		{name: "vector 16 NaN", w: `"{\"a\":NaN}"`, reason: ReasonMalformed},
		{name: "vector 16 Infinity", w: `"{\"a\":Infinity}"`, reason: ReasonMalformed},
		{name: "vector 16 plus", w: `"{\"a\":+1}"`, reason: ReasonMalformed},
		{name: "vector 17 and 56 two objects", w: `"{\"a\":1}{\"b\":2}"`, reason: ReasonMalformed, pos: 8},
		{name: "vector 17 words after", w: `"{\"a\":1} done"`, reason: ReasonMalformed},
		{name: "vector 17 brace after", w: `"{}}"`, reason: ReasonMalformed, pos: 3},
		{name: "vector 18 fence", w: str("```json\n{}\n```"), reason: ReasonMalformed, pos: 1},
		{name: "arguments-3 vector 19", w: `"hello"`, reason: ReasonMalformed, raw: `hello`},
		{name: "arguments-3 vector 20 empty array", w: `[]`, reason: ReasonNotObject},
		{name: "arguments-3 vector 20 array", w: `[1]`, reason: ReasonNotObject},
		{name: "vector 20 array of objects", w: `[{"a":1}]`, reason: ReasonNotObject},
		{name: "vector 21 empty array in a string", w: `"[]"`, reason: ReasonNotObject},
		{name: "arguments-3 vector 21", w: `"[1]"`, reason: ReasonNotObject},
		{name: "arguments-3 vector 22 number", w: `5`, reason: ReasonNotObject, raw: `5`},
		{name: "vector 22 negative", w: `-0.5`, reason: ReasonNotObject},
		{name: "arguments-3 vector 22 true", w: `true`, reason: ReasonNotObject},
		{name: "vector 22 false", w: `false`, reason: ReasonNotObject},
		{name: "vector 23 number in a string", w: `"5"`, reason: ReasonNotObject, raw: `5`},
		{name: "vector 23 true in a string", w: `"true"`, reason: ReasonNotObject, raw: `true`},
		{name: "arguments-4 vector 24", w: `"\"{\\\"a\\\":1}\""`, reason: ReasonNotObject},
		{name: "vector 25 empty", w: `"\"\""`, reason: ReasonNotObject},
		{name: "vector 25 null", w: `"\"null\""`, reason: ReasonNotObject},
		{name: "vector 25 object", w: `"\"{}\""`, reason: ReasonNotObject},
		{name: "vector 26 nul", w: `"nul"`, reason: ReasonTruncated},
		{name: "vector 26 tru", w: `"tru"`, reason: ReasonTruncated},
		{name: "vector 27 Null", w: `"Null"`, reason: ReasonMalformed},
		{name: "vector 27 None", w: `"None"`, reason: ReasonMalformed},
		{name: "vector 27 undefined", w: `"undefined"`, reason: ReasonMalformed},
		{name: "vector 27 NUL after", w: `"{}\u0000"`, reason: ReasonMalformed},
		{name: "vector 28 byte order mark", w: str("\uFEFF{}"), reason: ReasonMalformed, pos: 1},
		{name: "vector 28 no-break space", w: str("\u00A0{}"), reason: ReasonMalformed, pos: 1},
		{name: "vector 29", w: `{"a":1,"a":2}`, reason: ReasonDuplicate, place: "a"},
		{name: "vector 29 nested", w: `{"m":[{},{"x":{"a":1,"b":2,"a":3}}]}`, reason: ReasonDuplicate, place: "m[1].x.a"},
		{name: "vector 29 escaped", w: `{"a":1,"\u0061":2}`, reason: ReasonDuplicate, place: "a"},
		{name: "vector 29 escaped first", w: `{ "\u0061":1,"b":0,"a":2}`, reason: ReasonDuplicate, place: "a"},
		{name: "vector 29 both escaped", w: `{"\u0061b":1,"\u0061\u0062":2}`, reason: ReasonDuplicate, place: "ab"},
		{name: "vector 29 among many", w: `{` + members(100) + `,"k7":0}`, reason: ReasonDuplicate, place: "k7"},
		{name: "vector 29 and cut", w: str(`{"a":1,"a":2`), reason: ReasonTruncated},
		{name: "vector 29 lone halves are one name", w: `{"\ud83d":1,"\ud83e":2}`, reason: ReasonDuplicate},
		{name: "vector 30", w: `{"a":1,"A":2}`, canon: `{"a":1,"A":2}`},
		{name: "arguments-8 vector 31", w: `{"n":9007199254740993}`, canon: `{"n":9007199254740993}`},
		{name: "vector 32", w: `{"n":123456789012345678901234567890}`, canon: `{"n":123456789012345678901234567890}`},
		{name: "vector 33", w: `{"n":5.0,"m":5e0,"o":-0,"p":1E+2}`, canon: `{"n":5.0,"m":5e0,"o":-0,"p":1E+2}`},
		{name: "vector 36", w: `{"n":1e1000000000}`, canon: `{"n":1e1000000000}`},
		{name: "vector 44", w: `{"s":"\ud83d\ude00"}`, canon: `{"s":"😀"}`},
		{name: "vector 45", w: `{"s":"\ud83d"}`, canon: "{\"s\":\"\uFFFD\"}"},
		{name: "vector 45 lone low", w: `{"s":"\ude00x"}`, canon: "{\"s\":\"\uFFFDx\"}"},
		{name: "vector 45 two highs", w: `{"s":"\ud83d\ud83d\ude00"}`, canon: "{\"s\":\"\uFFFD😀\"}"},
		{name: "vector 46", w: `{"s":"a\u0000b"}`, canon: `{"s":"a\u0000b"}`},
		{name: "minimal escapes", w: `{"s":"\/\u0041\u000a\u001F\u00e9\"\\"}`, canon: `{"s":"/A\n\u001fé\"\\"}`},
		{name: "vector 47", w: nested(64), canon: nested(64)},
		{name: "vector 47 over", w: nested(65), reason: ReasonTooDeep},
		{name: "vector 48", w: `{"s":"` + strings.Repeat("x", MaxArguments-8) + `"}`, canon: `{"s":"` + strings.Repeat("x", MaxArguments-8) + `"}`},
		{name: "vector 48 over", w: `{"s":"` + strings.Repeat("x", MaxArguments-7) + `"}`, reason: ReasonTooLarge},
		{name: "arguments-9 vector 49", w: str(strings.Repeat("ü?", 1<<20)), reason: ReasonTooLarge, raw: strings.Repeat("ü?", 1<<20)},
		{name: "10,000 members", w: `{` + members(10_000) + `}`, canon: `{` + members(10_000) + `}`},
		{name: "10,001 members", w: `{` + members(10_001) + `}`, reason: ReasonTooLarge},
		{name: "10,001 elements", w: `{"a":[` + strings.TrimSuffix(strings.Repeat("0,", 10_000), ",") + `]}`, reason: ReasonTooLarge},
		{name: "raw control character", w: str("{\"a\":\"x\ny\"}"), reason: ReasonMalformed, pos: 8},
		{name: "unknown escape", w: str(`{"a":"\x"}`), reason: ReasonMalformed, pos: 8},
		{name: "bytes that are not UTF-8", w: "\"{\\\"a\\\":\\\"\xff\\\"}\"", reason: ReasonMalformed, pos: 7},
		{name: "wire text that is no JSON string", w: `"abc`, reason: ReasonTruncated},
		{name: "wire string with a bad escape", w: `"\q"`, reason: ReasonMalformed},
		{name: "only white space on the wire", w: " \n", canon: `{}`},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			w := json.RawMessage(r.w)
			if r.w == absent {
				w = nil
			}
			o, invalid := Normalise(w)
			if (o == nil) == (invalid == nil) {
				t.Fatalf("object %v, invalid %v: want exactly one", o, invalid)
			}
			if r.reason == "" {
				if invalid != nil {
					t.Fatalf("refused: %s", invalid.Error())
				}
				if o.Canonical() != r.canon {
					t.Fatalf("canonical %.200s, want %.200s", o.Canonical(), r.canon)
				}
				return
			}
			if o != nil {
				t.Fatalf("read as %.200s, want %s", o.Canonical(), r.reason)
			}
			if invalid.Reason != r.reason || invalid.Place != r.place && r.place != "" {
				t.Fatalf("reason %s place %q, want %s %q", invalid.Reason, invalid.Place, r.reason, r.place)
			}
			if r.pos != 0 && invalid.Position != r.pos {
				t.Errorf("position %d, want %d", invalid.Position, r.pos)
			}
			if r.raw != "" && invalid.Raw != r.raw {
				t.Errorf("raw %.200q, want %.200q", invalid.Raw, r.raw)
			}
		})
	}
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"k` + thousands(i) + `":0`)
	}
	return b.String()
}

func read(t testing.TB, w string) *Object {
	t.Helper()
	o, invalid := Normalise(json.RawMessage(w))
	if invalid != nil {
		t.Fatalf("%.100s: %s", w, invalid.Error())
	}
	return o
}

func TestHash(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name  string
		a, b  string
		equal bool
	}{
		{"arguments-2 object and string", `{"a":1}`, `" {\"a\" : 1}\n"`, true},
		{"order of members", `{"a":1,"b":{"x":1,"y":[{"p":1,"q":2}]}}`, `{"b":{"y":[{"q":2,"p":1}],"x":1},"a":1}`, true},
		{"escapes", `{"\u0061":"\u00e9\/"}`, `{"a":"é/"}`, true},
		{"names with escapes", `{"a\"b":1,"a":2,"\n":3}`, `{"\n":3,"a":2,"a\"b":1}`, true},
		{"order of elements", `{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{"values", `{"a":1}`, `{"a":"1"}`, false},
		{"empty", `{}`, `null`, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			a, b := read(t, r.a), read(t, r.b)
			if (a.Hash() == b.Hash()) != r.equal {
				t.Errorf("hashes %s and %s, want equal: %v", a.Hash(), b.Hash(), r.equal)
			}
			if first, again := a.Hash(), a.Hash(); first != again || len(first) != 64 {
				t.Errorf("hash %q, then %q", first, again)
			}
		})
	}
}

func TestHashIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	o := read(t, `{"b":1,"a":2}`)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { _ = o.Hash() })
	}
	wg.Wait()
}

func TestAccessors(t *testing.T) {
	t.Parallel()
	o := read(t, `{"s":"a\n\u00e9","i":5e0,"big":9007199254740993,"half":5.5,"t":true,"f":false,"n":null,
		"l":["a","b"],"mixed":["a",1],"ints":[1,2.0],"o":{"x":"y"},"os":[{"x":1},{"x":2}],"na\"me":"q","empty":[]}`)
	if s, ok := o.String("s"); !ok || s != "a\né" {
		t.Errorf("String: %q %v", s, ok)
	}
	if s, ok := o.String(`na"me`); !ok || s != "q" {
		t.Errorf("String of an escaped name: %q %v", s, ok)
	}
	if _, ok := o.String(`na\"me`); ok {
		t.Error("a name was found by its escaped form")
	}
	if _, ok := o.String("i"); ok {
		t.Error("a number was given as a string")
	}
	if n, ok := o.Int("i"); !ok || n != 5 {
		t.Errorf("Int: %d %v", n, ok)
	}
	if n, ok := o.Int("big"); !ok || n != 9007199254740993 {
		t.Errorf("Int: %d %v", n, ok)
	}
	if _, ok := o.Int("half"); ok {
		t.Error("5.5 was given as an integer")
	}
	if b, ok := o.Bool("t"); !ok || !b {
		t.Error("Bool true")
	}
	if b, ok := o.Bool("f"); !ok || b {
		t.Error("Bool false")
	}
	if _, ok := o.Bool("n"); ok || !o.Has("n") || o.Has("none") {
		t.Error("null is there and is no boolean")
	}
	if l, ok := o.Strings("l"); !ok || strings.Join(l, " ") != "a b" {
		t.Errorf("Strings: %v %v", l, ok)
	}
	if _, ok := o.Strings("mixed"); ok {
		t.Error("a mixed array was given as strings")
	}
	if l, ok := o.Strings("empty"); !ok || len(l) != 0 || l == nil {
		t.Error("an empty array is an empty list")
	}
	if l, ok := o.Ints("ints"); !ok || l[0] != 1 || l[1] != 2 {
		t.Errorf("Ints: %v %v", l, ok)
	}
	inner, ok := o.Object("o")
	if x, _ := inner.String("x"); !ok || x != "y" {
		t.Error("Object")
	}
	list, ok := o.Objects("os")
	if !ok || len(list) != 2 {
		t.Fatalf("Objects: %v %v", list, ok)
	}
	if n, _ := list[1].Int("x"); n != 2 {
		t.Error("member of an object in a list")
	}
	if raw, ok := o.Raw("os"); !ok || string(raw) != `[{"x":1},{"x":2}]` {
		t.Errorf("Raw: %s %v", raw, ok)
	}
	if names := o.Names(); len(names) != o.Len() || names[0] != "s" || names[12] != `na"me` {
		t.Errorf("Names: %q", names)
	}
}

func TestObjectKeepsItsText(t *testing.T) {
	t.Parallel()
	text := ` {"s" : "\ud83d"} `
	if got := read(t, str(text)).Text(); got != text {
		t.Errorf("text %q, want %q", got, text)
	}
}

// TestAllocations holds the hot path: a small object, read and looked at.
func TestAllocations(t *testing.T) {
	rows := []struct {
		name string
		w    json.RawMessage
		most float64
	}{
		{"object", json.RawMessage(`{"text":"12345678901234567890123456789012"}`), 2},
		{"object in a string", json.RawMessage(`"{\"text\":\"12345678901234567890123456789012\"}"`), 3},
		{"with spaces", json.RawMessage(`{"text": "12345678901234567890123456789012"}`), 4},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			n := testing.AllocsPerRun(100, func() {
				o, _ := Normalise(r.w)
				if s, ok := o.String("text"); !ok || len(s) != 32 {
					t.Error("the member was not read")
				}
			})
			if n > r.most {
				t.Errorf("%v allocations, want at most %v", n, r.most)
			}
		})
	}
}
