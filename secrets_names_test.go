package swarm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// TestNamesHoldNoSecret holds that an input whose names would put a secret into the journal
// is refused before anything is stored, and that the refusal does not tell it.
func TestNamesHoldNoSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rt, err := swarm.Open(t.Context(), swarm.Options{Dir: dir, Env: environment(map[string]string{"THE_KEY": theKey, "MORE": otherKey, "MODEL": theModel})})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		in   swarm.Input
		says string
	}{
		"file":  {swarm.Input{Text: "Go.", Files: []swarm.InputFile{{Path: "a.md"}, {Path: "key-" + theKey + ".md"}}}, "the name of a file holds the value of a secret: key-{{secret:THE_KEY}}.md; rename it"},
		"label": {swarm.Input{Text: "Go.", Labels: map[string]string{"a": "b", theKey: "x"}}, "the name of a label holds the value of a secret: {{secret:THE_KEY}}; rename it"},
	} {
		run, err := rt.Start(t.Context(), gossipTeam("http://127.0.0.1:9"), row.in)
		if run != nil || fault.Code(err) != "input.secret_name" || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), theKey) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() {
			if b, err := os.ReadFile(f); err != nil || strings.Contains(string(b), theKey) {
				t.Errorf("%s keeps the key, or %v", filepath.Base(f), err)
			}
		}
	}
}
