package workspace

import "testing"

func TestIgnored(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		base, text, path string
		dir, want        bool
	}{
		"name at every depth":      {"", "*.log", "a/b.log", false, true},
		"name of a directory":      {"", "build", "a/build", true, true},
		"directory only, file":     {"", "build/", "build", false, false},
		"directory only":           {"", "build/", "a/build", true, true},
		"anchored":                 {"", "/build", "build", true, true},
		"anchored, deeper":         {"", "/build", "a/build", true, false},
		"slash in the middle":      {"", "a/b", "a/b", false, true},
		"slash anchors":            {"", "a/b", "x/a/b", false, false},
		"stars":                    {"", "**/b/c", "x/y/b/c", false, true},
		"stars at the end":         {"", "a/**", "a/b/c", false, true},
		"stars not the directory":  {"", "a/**", "a", true, false},
		"stars in the middle":      {"", "a/**/c", "a/c", false, true},
		"star stays in a segment":  {"", "a/*", "a/b/c", false, false},
		"negated":                  {"", "*.log\n!keep.log", "keep.log", false, false},
		"negated and again":        {"", "*.log\n!keep.log\nkeep.*", "keep.log", false, true},
		"comment":                  {"", "# x\n#y", "#y", false, false},
		"escaped comment":          {"", `\#y`, "#y", false, true},
		"escaped negation":         {"", `\!y`, "!y", false, true},
		"trailing spaces":          {"", "a  ", "a", false, true},
		"escaped trailing space":   {"", `a\ `, "a ", false, true},
		"line ends":                {"", "a\r\nb\r\n", "b", false, true},
		"braces are letters":       {"", "{a,b}", "a", false, false},
		"braces as such":           {"", "{a,b}", "{a,b}", false, true},
		"question and class":       {"", "?[!x]", "ab", false, true},
		"class negated":            {"", "?[!x]", "ax", false, false},
		"relative to its place":    {"sub", "/a", "sub/a", false, true},
		"not outside of its place": {"sub", "a", "a", false, false},
		"invalid is left out":      {"", "[a\nb", "b", false, true},
		"blank":                    {"", "\n  \n/\n", "a", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ignored(parseIgnore(row.base, row.text), row.path, row.dir); got != row.want {
				t.Errorf("%q on %q: %v", row.text, row.path, got)
			}
		})
	}
}

func FuzzIgnore(f *testing.F) {
	for _, s := range []string{"*.log", "!a/", "/a/**/b", `\ `, "{a", "[!a-", "**", "#"} {
		f.Add(s, "a/b.log")
	}
	f.Fuzz(func(t *testing.T, text, p string) {
		if p, err := ParsePath(p); err == nil && p != "" {
			rules := parseIgnore("", text)
			if ignored(rules, p, false) && len(rules) == 0 {
				t.Fatal("ignored by no rule")
			}
		}
	})
}
