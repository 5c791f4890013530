package swarm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Links and empty directories are seen as what they are by those who look at a run.
func TestLinksOfARun(t *testing.T) {
	t.Parallel()
	link, dir := workspace.KindLink, workspace.KindDir
	rt, run := filesRun(t, journal.NewMemory(journal.MemoryOptions{}),
		edit{path: "input/a", content: "given"}, edit{path: "input/tool", content: "#!/bin/sh\n"},
		edit{by: "root", path: "output/l", content: "../input/a", kind: link}, edit{by: "root", path: "output/in", content: "/input", kind: link},
		edit{by: "root", path: "output/none", content: "nothing", kind: link}, edit{by: "root", path: "output/loop", content: "loop", kind: link},
		edit{by: "root", path: "output/e", kind: dir}, edit{by: "root", path: "output/f", kind: dir}, edit{by: "root", path: "output/f/x", content: "x"},
		edit{by: "root", path: "output/f/x", gone: true}, edit{by: "root", path: "output/g", kind: dir}, edit{by: "root", path: "output/g/h/y", content: "y"},
		edit{by: "root", path: "input/tool", content: "#!/bin/sh\n", exec: true})
	list, err := rt.Files(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		got = append(got, strings.TrimRight(fmt.Sprintf("%s %s %s", f.Path, f.Kind, f.Target), " "))
	}
	want := []string{"input/a", "input/tool", "output/e dir", "output/g/h/y", "output/in link /input", "output/l link ../input/a",
		"output/loop link loop", "output/none link nothing"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for path, want := range map[string]string{"output/l": "given", "output/in/a": "given", "input/a": "given"} {
		if b, err := rt.ReadFile(t.Context(), run, path); err != nil || string(b) != want {
			t.Errorf("%s is %q, %v", path, b, err)
		}
	}
	for path, code := range map[string]string{
		"output/none": "workspace.file_not_found", "output/loop": "workspace.file_not_found", "output/e": "workspace.path_is_directory",
		"output/f": "workspace.file_not_found", "output/f/x": "workspace.file_not_found", "output/g": "workspace.path_is_directory",
	} {
		if _, err := rt.ReadFile(t.Context(), run, path); fault.Code(err) != code {
			t.Errorf("%s: %v", path, err)
		}
	}
	diffs, err := rt.Diff(t.Context(), run, "")
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, d := range diffs {
		got = append(got, strings.Join([]string{d.Path, d.Change, d.Kind, d.Omitted}, " "))
		if d.Path == "output/l" && !strings.Contains(d.Diff, "+../input/a") {
			t.Errorf("the link is shown as %q", d.Diff)
		}
	}
	want = []string{"input/tool changed  mode", "output/e added dir directory", "output/g/h/y added  ", "output/in added link ",
		"output/l added link ", "output/loop added link ", "output/none added link "}
	if !slices.Equal(got, want) {
		t.Errorf("differ: %q", got)
	}
}
