package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, in string
		n        int
		want     string
	}{
		{"short", "abc", 5, "abc"},
		{"exact", "abcde", 5, "abcde"},
		{"cut", "abcdef", 5, "abcde…"},
		{"lines", " a\n\n b\tc ", 10, "a b c"},
		{"escape sequences", "a\x1b[31mred\x07", 20, "a [31mred"},
		{"wide", "äöü", 2, "äö…"},
		{"turned direction", "a\u202eb\u2066c", 3, "abc"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := plain(row.in, row.n); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ in, want string }{
		"plain text":       {"a\tb\nc é 👩\u200d🚀\n", "a\tb\nc é 👩\u200d🚀\n"},
		"line ends":        {"a\r\nb", "a\r\nb"},
		"colours":          {"a\x1b[31mb", `a\x1b[31mb`},
		"back to the left": {"good\rbad", `good\x0dbad`},
		"C1":               {"a\u009b31mb", `a\x9b31mb`},
		"a byte alone":     {"a\x9bb", "a\ufffdb"},
		"direction":        {"a\u202etxt.exe", "a<U+202E>txt.exe"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := shown(row.in); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// TestFaultsAreSafe holds for names of files and for texts that others wrote.
func TestFaultsAreSafe(t *testing.T) {
	t.Parallel()
	bad := "bad\x1b[31m\u202e"
	dir := t.TempDir()
	good := filepath.Join(dir, "team.yaml")
	for file, text := range map[string]string{good: "version: 1\nname: n\nagents: {lead: {prompt: x}}\n", filepath.Join(dir, bad+".md"): "---\nid: [\n---\nx\n", filepath.Join(dir, bad+".jsonl"): `{"role":"` + bad + `"}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, args := range map[string][]string{
		"attached file":  {"run", good, "x", "--attach", filepath.Join(dir, bad)},
		"conversation":   {"run", good, "x", "--chat", filepath.Join(dir, bad+".jsonl")},
		"agent file":     {"check", filepath.Join(dir, bad+".md")},
		"an argument":    {"runs", bad},
		"a data folder":  {"show", "run_x", "--data", filepath.Join(dir, bad)},
		"unknown option": {"run", good, "--" + bad},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errOut strings.Builder
			code := Main(append(args, "--data", filepath.Join(dir, "data")), strings.NewReader(""), &out, &errOut, func(string) (string, bool) { return "", false })
			said := errOut.String()
			if code == exitDone || said == "" {
				t.Errorf("exit code %d, said %q", code, said)
			}
			if strings.ContainsFunc(said, func(r rune) bool { return r != '\n' && unicode.IsControl(r) || turns(r) }) {
				t.Errorf("said %q", said)
			}
		})
	}
}

func TestQuoteArg(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a/b.c-d_1": "a/b.c-d_1", "a b": "'a b'", "it's": `'it'\''s'`, "'": `''\'''`, "$(x)": "'$(x)'", "": "''",
	} {
		if got := quoteArg(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}
