package workspace

import (
	"strings"
	"testing"
)

func TestParsePath(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 256)
	for name, row := range map[string]struct{ in, out, code string }{
		"plain":                     {"output/main.md", "output/main.md", ""},
		"dots and empties dropped":  {"./output//./a", "output/a", ""},
		"trailing slash":            {"output/", "output", ""},
		"backslash":                 {`output\a`, "output/a", ""},
		"root":                      {"./", "", ""},
		"nfd stays as given":        {"output/e\u0301", "output/e\u0301", ""},
		"dots in names":             {"output/..a/...", "output/..a/...", ""},
		"files-3 parent":            {"../x", "", codeInvalidPath},
		"files-3 parent in between": {"output/a/../../x", "", codeInvalidPath},
		"files-3 parent harmless":   {"output/a/../b", "", codeInvalidPath},
		"files-3 backslash parent":  {`output\..\x`, "", codeInvalidPath},
		"files-3 absolute":          {"/etc/x", "", codeInvalidPath},
		"backslash absolute":        {`\etc`, "", codeInvalidPath},
		"drive":                     {"C:/x", "", codeInvalidPath},
		"empty":                     {"", "", codeInvalidPath},
		"nul":                       {"a\x00b", "", codeInvalidPath},
		"control":                   {"a\nb", "", codeInvalidPath},
		"c1 control":                {"a\u0085b", "", codeInvalidPath},
		"bad utf-8":                 {"a\xffb", "", codeInvalidPath},
		"segment 255":               {long[:255], long[:255], ""},
		"segment 256":               {long, "", codeInvalidPath},
		"path 1025":                 {strings.Repeat(long[:204]+"/", 5) + "a", "", codeInvalidPath},
		"depth 32":                  {strings.Repeat("a/", 31) + "a", strings.Repeat("a/", 31) + "a", ""},
		"depth 33":                  {strings.Repeat("a/", 32) + "a", "", codeInvalidPath},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParsePath(row.in)
			wantCode(t, err, row.code)
			if got != row.out {
				t.Errorf("ParsePath(%q) = %q, want %q", row.in, got, row.out)
			}
		})
	}
}

func TestParseHostPath(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ in, out, code string }{
		"plain":             {"a/b", "a/b", ""},
		"parent inside":     {"a/../b", "b", ""},
		"root":              {".", "", ""},
		"back to root":      {"a/..", "", ""},
		"files-3 leaves":    {"a/../../b", "", codeInvalidPath},
		"files-3 parent":    {"..", "", codeInvalidPath},
		"tilde is a name":   {"~/x", "~/x", ""},
		"backslash is kept": {`a\b`, `a\b`, ""},
		"control":           {"a\tb", "", codeInvalidPath},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseHostPath(row.in)
			wantCode(t, err, row.code)
			if got != row.out {
				t.Errorf("parseHostPath(%q) = %q, want %q", row.in, got, row.out)
			}
		})
	}
}

func TestClash(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ p, other, want string }{
		"equal":          {"output/a", "output/a", ""},
		"case":           {"output/A", "output/a", "output/a"},
		"normal form":    {"output/\u00e9", "output/e\u0301", "output/e\u0301"},
		"directory case": {"output/A/x", "output/a/y", "output/a"},
		"different":      {"output/ab", "output/a", ""},
		"deeper":         {"output/a/x", "output/a/y", ""},
		"prefix of name": {"output/a", "output/a.md", ""},
		"file under":     {"output/a/b", "output/a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := clash(row.p, row.other); got != row.want {
				t.Errorf("clash(%q, %q) = %q, want %q", row.p, row.other, got, row.want)
			}
		})
	}
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"output/a", "../x", `a\..\b`, "/x", "C:x", "./a//b/", "a\x00", "e\u0301/é", strings.Repeat("x/", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePath(s)
		if err != nil {
			wantCode(t, err, codeInvalidPath)
			return
		}
		for seg := range strings.SplitSeq(p, "/") {
			if seg == ".." || seg == "." || seg == "" && p != "" {
				t.Fatalf("ParsePath(%q) = %q", s, p)
			}
		}
		if len(p) > MaxPath || segments(p) > MaxDepth || strings.HasPrefix(p, "/") {
			t.Fatalf("ParsePath(%q) = %q is over a limit", s, p)
		}
		if p == "" {
			return
		}
		if again, err := ParsePath(p); err != nil || again != p {
			t.Fatalf("ParsePath(%q) = %q, but again: %q, %v", s, p, again, err)
		}
	})
}
