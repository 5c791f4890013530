package eval

import (
	"slices"
	"strings"
	"testing"
)

// TestEveryBuiltinIsExplained: help lists every builtin, in order, and nothing else.
func TestEveryBuiltinIsExplained(t *testing.T) {
	t.Parallel()
	all := builtins()
	var explained []string
	for _, m := range manuals {
		explained = append(explained, m.name)
		if all[m.name] == nil {
			t.Errorf("help explains %s, which is no builtin", m.name)
		}
		if !strings.HasPrefix(m.synopsis, m.name) || m.short == "" || strings.HasSuffix(m.short, ".") {
			t.Errorf("the text about %s: %q, %q", m.name, m.synopsis, m.short)
		}
	}
	if !slices.IsSorted(explained) {
		t.Error("the texts are not in order")
	}
	for name := range all {
		if _, ok := manualOf(name); !ok && name != "bash" && name != "sh" {
			t.Errorf("help says nothing about %s", name)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	out, errs, exit := stage{}.play(t, "help")
	for _, want := range []string{"\ntext:\n", "  cat ", "\nbuiltins of the shell:\n", "  declare ", "  wait "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %q", want, out)
		}
	}
	if errs != "" || exit.Code != 0 {
		t.Errorf("%q %+v", errs, exit)
	}
	for _, c := range []struct{ script, out string }{
		{"help -s shift", "shift: shift [n]\n"},
		{"help -d shift", "shift - drops the first positional parameters\n"},
		{"help shift", "shift: shift [n]\n    shift drops the first positional parameters.\n"},
		{"help cat", "Usage: cat\n"},
		{"help -d cat", "cat - copy files\n"},
		{"help nonsense 2>/dev/null; echo $?", "1\n"},
	} {
		if out, _, _ := (stage{}).play(t, c.script); out != c.out {
			t.Errorf("%s: %q, want %q", c.script, out, c.out)
		}
	}
}
