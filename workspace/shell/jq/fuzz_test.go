package jq

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/commandtest"
)

// FuzzDecode compares the decoder with itself in small steps, and with the one of Go: what
// Go takes, ours takes as well and reads the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00\n",true,null]}`, "1 2", `"\ud800"`, "[1,", "{\"a\" 1}", "nan", "-", "01", "\xff", "\ufeff1", `"a` + "\x00" + `"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole, errWhole := parseAll(text)
		d := newDecoder(iotest.OneByteReader(strings.NewReader(text)))
		bytewise := []any{}
		var err error
		for {
			var v any
			if v, err = d.next(); err != nil {
				break
			}
			bytewise = append(bytewise, v)
		}
		if (errWhole == nil) != (err == io.EOF) {
			t.Fatalf("%q: whole %v, by bytes %v", text, errWhole, err)
		}
		s := &style{}
		if errWhole == nil && string(s.appendValue(nil, newArray(whole...))) != string(s.appendValue(nil, newArray(bytewise...))) {
			t.Fatalf("%q: %v and %v", text, whole, bytewise)
		}
		if !json.Valid([]byte(text)) {
			return
		}
		if errWhole != nil || len(whole) != 1 {
			t.Fatalf("%q is JSON, but: %v", text, errWhole)
		}
		if out := s.appendValue(nil, whole[0]); !json.Valid(out) {
			t.Fatalf("%q came out as %q", text, out)
		}
	})
}

// FuzzProgram runs programs: none may panic or outlive its context.
func FuzzProgram(f *testing.F) {
	for _, seed := range []string{`.a.b`, `try error("x") catch .`, `[.[]?] | map(.+1)`, `{$__loc__}`, `"\(1+"a")"`, `def f: f; f`, `.. |= 1`, `input`, `@base64 "x\(.)"`, `import "m" as m; 1`, `$__loc__ as {$file} | $file`,
		`def f(g): if . > 9 then . else g | f(g) end; 0 | f(. + 1)`, `[.[] as [$a] ?// {$a} | $a]`, `label $f | foreach .. as $x (0; . + 1; if . > 3 then break $f else . end)`,
		`del(.a[0:2]) | .b[3] = 1 | .a[1:] |= map(.)`, `path(..), [paths], tostream`, `try (to_entries | from_entries) catch .`, `walk(.) | tojson | fromjson`,
		`[limit(3; recurse(.[]?))] | group_by(type) | add`, `gsub("(?<x>.)"; "\(.x)!")?`, `input, inputs, $ENV, now | strftime("%c")`, `.a += 1 | .a //= 2 | (.a, .b) |= empty`} {
		f.Add(seed, `{"a":[1,"x",null]}`)
		f.Add(seed, `[[3,"x"],{"a":1.50,"b":{}}, 1e400, -0]`)
	}
	f.Fuzz(func(t *testing.T, program, in string) {
		if strings.ContainsAny(program, "*") || strings.Contains(program, "repeat") || strings.Contains(program, "recurse") {
			return // one value may grow until the memory of the worker ends it
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, name := range []string{"jq", "yq"} {
			kit := commandtest.Kit{Commands: Commands(), Dir: t.TempDir()}
			kit.Exec(ctx, t, command.Nested{Args: []string{name, "--", program}, In: strings.NewReader(in)})
		}
	})
}
