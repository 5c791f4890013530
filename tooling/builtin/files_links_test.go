package builtin

import (
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Links and empty directories are listed as what they are, and the tools work through links.
func TestToolsAndLinks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "output/real", "one\n", "input/given", "given\n")
	for path, target := range map[string]string{"output/l": "real", "output/in": "../input/given"} {
		d.manifest = d.manifest.With("root", []workspace.Change{{Path: path, Kind: workspace.KindLink, New: "h", Size: len(target), Content: target}})
	}
	d.manifest = d.manifest.With("root", []workspace.Change{{Path: "output/e", Kind: workspace.KindDir, New: workspace.HashOf(nil)}})
	r := d.call("workspace.list_files", `{"path":"output"}`)
	if want := "output/e/\noutput/in -> ../input/given\noutput/l -> real\noutput/real (4 characters)"; r.Content != want {
		t.Errorf("listed %q", r.Content)
	}
	entries := record(t, r)["entries"].([]any)
	if e := entries[1].(map[string]any); e["kind"] != "link" || e["target"] != "../input/given" || e["chars"] != nil {
		t.Errorf("got %v", e)
	}
	wantParts(t, d.call("workspace.read_file", `{"path":"output/l"}`).Content, "one")
	r = d.call("workspace.apply_patch", `{"path":"output/l","old_string":"one","new_string":"two"}`)
	wantParts(t, r.Content, "patched output/real")
	if r := d.call("workspace.write_file", `{"path":"output/in","content":"x"}`); r.Code != "workspace.path_not_writable" {
		t.Errorf("got %q: %s", r.Code, r.Content)
	}
	if r := d.call("workspace.read_file", `{"path":"output/e"}`); r.Code != "workspace.path_is_directory" {
		t.Errorf("got %q: %s", r.Code, r.Content)
	}
}
