package jq

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/commandtest"
)

// given is a directory with files.
func given(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestJQ(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		args  string // separated by blanks
		in    string
		out   string
		code  int
		files map[string]string
	}{
		{name: "keys stay in their order", args: "-c .", in: `{"z":1,"a":2}`, out: `{"z":1,"a":2}`},
		{name: "keys in order when asked", args: "-cS .", in: `{"z":1,"a":{"y":1,"b":2}}`, out: `{"a":{"b":2,"y":1},"z":1}`},
		{name: "search list without -L", args: `-nc get_search_list`, out: `["~/.jq"]`},
		{name: "a program that begins with a minus", args: `-n -1`, out: `-1`},
		{name: "literals are kept", args: "-c .", in: `[1.0,2.50,100000000000000000000,1e1000]`, out: `[1.0,2.50,100000000000000000000,1.7976931348623157e+308]`},
		{name: "computed numbers", args: "-c [.[]*1]", in: `[0.5,1e17,1e-7]`, out: `[0.5,1e+17,1e-07]`},
		{name: "big integers are exact", args: ".+1", in: `12345678901234567890`, out: `12345678901234567891`},
		{name: "location", args: "-c [$__loc__]", in: `0`, out: `[{"file":"<top-level>","line":1}]`},
		{name: "location as a field", args: "-c {$__loc__}", in: `0`, out: `{"__loc__":{"file":"<top-level>","line":1}}`},
		{name: "message with the key", args: `try(.a)catch(.)`, in: `1`, out: `"Cannot index number with string \"a\""`},
		{name: "message in the end", args: `.a`, in: `1`, code: 5},
		{name: "parse error", args: `.`, in: "1\n{", out: "1", code: 2},
		{name: "control characters in strings", args: `.`, in: "\"a\nb\"", out: `"a\nb"`},
		{name: "byte order mark", args: `.`, in: "\ufeff1", out: "1"},
		{name: "halt", args: `.,halt`, in: "1 2", out: "1"},
		{name: "compile error", args: `foo`, in: "1", code: 3},
		{name: "unknown option", args: `--foo .`, in: "1", code: 2},
		{name: "stream of truncated input", args: `-c --stream .`, in: `[1,2`, out: "[[0],1]\n[[1],2]", code: 2},
		{name: "separators of records", args: `--seq -c .`, in: "\x1e1\n\x1e2", out: "\x1e1\n\x1e2"},
		{name: "raw output with NUL bytes", args: `--raw-output0 .`, in: `"a"`, out: "a\x00"},
		{name: "module", args: `-L. import"m"as(m);m::f`, code: 3, in: `1`},
		{name: "own file of functions", args: `mine`, in: `1`, out: `2`, files: map[string]string{".jq": "def mine: . + 1;"}},
		{name: "program of a file", args: `-f p`, in: `{"a":1}`, out: `1`, files: map[string]string{"p": "# comment\n.a"}},
		{name: "search list", args: `-nc -L/x get_search_list`, out: `["/x"]`},
		{name: "local time", args: `-nr 0|strflocaltime("%Z")`, out: "UTC"},
		{name: "clock of the call", args: `-n now|floor`, out: "1710505845"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			out, errOut, code := commandtest.Run(t, Commands(), given(t, row.files), append([]string{"jq"}, strings.Fields(row.args)...), row.in)
			if strings.TrimSuffix(out, "\n") != row.out || code != row.code || (code != 0) != (errOut != "") {
				t.Errorf("out %q, exit %d, stderr %q; want %q, %d", out, code, errOut, row.out, row.code)
			}
		})
	}
}

// Hole 24: everything that a query can ask for comes from the call.
func TestHole24QueriesSeeOnlyTheCall(t *testing.T) {
	t.Setenv("SWARM_CANARY", "canary")
	kit := commandtest.Kit{Commands: Commands(), Dir: given(t, map[string]string{"m.jq": "def f: 7;", "d.json": "8"}), Env: []string{"A=b", "HOME=/", "TZ=Asia/Tokyo"}}
	outside := filepath.Join(t.TempDir(), "m.jq")
	if err := os.WriteFile(outside, []byte("def f: 9;"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, out string
		args      []string
		code      int
	}{
		{"env", `{"A":"b","HOME":"/","TZ":"Asia/Tokyo"}` + "\n", []string{"-nc", "env"}, 0},
		{"$ENV", "\"b\"\n", []string{"-n", "$ENV.A"}, 0},
		{"the environment of the process", "null\n", []string{"-n", "env.SWARM_CANARY"}, 0},
		{"a module of the view", "7\n", []string{"-n", "-L", "/", `import "m" as m; m::f`}, 0},
		{"data of the view", "[8]\n", []string{"-nc", "-L", ".", `import "d" as $d; $d`}, 0},
		{"a module of the host", "", []string{"-n", "-L", filepath.Dir(outside), `import "m" as m; m::f`}, 3},
		{"a module above the view", "", []string{"-n", "-L", "../../../../../.." + filepath.Dir(outside), `import "m" as m; m::f`}, 3},
		{"a file of the host", "", []string{"-n", "--rawfile", "x", "/etc/passwd", "$x"}, 2},
		{"the zone of the call", "9\n", []string{"-n", "0|localtime|.[3]"}, 0},
	} {
		out, errOut, code := kit.Run(t, append([]string{"jq"}, row.args...), "")
		if out != row.out || code != row.code {
			t.Errorf("%s: out %q, exit %d, stderr %q; want %q, %d", row.name, out, code, errOut, row.out, row.code)
		}
	}
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	const n = 1_000_000
	for _, row := range []struct {
		name, in string
		args     []string
	}{
		{"arrays", strings.Repeat("[", n), []string{"jq", "."}},
		{"objects", strings.Repeat(`{"a":`, n), []string{"jq", "."}},
		{"stream", strings.Repeat("[", n), []string{"jq", "-c", "--stream", "."}},
		{"program", "", []string{"jq", "-n", strings.Repeat("(", 100_000)}},
		{"program without end", "", []string{"jq", "-n", strings.Repeat("1|", n) + "1"}},
		{"yaml", strings.Repeat("[", n), []string{"yq", "."}},
		{"yaml of a deep value", "", []string{"yq", "-n", "reduce range(1000000) as $i (1; [.])"}},
		{"calls", "", []string{"jq", "-n", "def f: [f]; f"}},
		{"calls of closures", "", []string{"jq", "-n", "def f(g): [g | f(g)]; f(.)"}},
		{"descent of a deep value", "", []string{"jq", "-n", "reduce range(1000000) as $i (1; [.]) | [..] | length"}},
		{"aliases", "a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n" +
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n", []string{"yq", "."}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, errOut, code := commandtest.Run(t, Commands(), t.TempDir(), row.args, row.in)
			if code == 0 || errOut == "" {
				t.Errorf("exit %d, stderr %q; want a refusal", code, errOut)
			}
		})
	}
	for _, program := range []string{"tojson | length", ". == .", "flatten | length", "[.] - [.]", "contains(.)", "unique | length", "tostream | length"} {
		whole := "reduce range(300000) as $i (1; [.]) | try (" + program + ") catch 0 | 1"
		if out, errOut, code := commandtest.Run(t, Commands(), t.TempDir(), []string{"jq", "-n", whole}, ""); code != 0 || !strings.HasPrefix(out, "1\n") {
			t.Errorf("%s of a deep value: %q, exit %d: %s", program, out, code, errOut)
		}
	}
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	if out, _, code := commandtest.Run(t, Commands(), t.TempDir(), []string{"jq", "-c", "."}, deep); code != 0 || strings.TrimSpace(out) != deep {
		t.Errorf("exit %d for arrays exactly %d deep", code, maxDepth)
	}
}

func TestACancelledQueryEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	out := &first{then: cancel}
	kit := commandtest.Kit{Commands: Commands(), Dir: t.TempDir()}
	kit.Exec(ctx, t, command.Nested{Args: []string{"jq", "-n", "--unbuffered", "repeat(1)"}, Out: out})
	if !out.seen {
		t.Error("nothing was written before the end")
	}
}

// first calls then at the first write.
type first struct {
	seen bool
	then func()
}

func (f *first) Write(p []byte) (int, error) {
	if !f.seen {
		f.seen = true
		f.then()
	}
	return len(p), nil
}
