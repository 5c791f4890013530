package builtin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func TestMountTools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"a.go": "package a\n", "sub/b.go": "package b\n", ".env": "package secret"} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := workspace.OpenMounts([]workspace.MountSpec{{Host: dir, At: "proj"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	for name, row := range map[string]struct{ tool, args, code, want string }{
		"glob":           {"glob", `{"pattern":"**/*.go"}`, "", "a.go\nsub/b.go"},
		"glob, limited":  {"glob", `{"pattern":"**/*.go","limit":1}`, "", "a.go\n[1 more path; narrow the pattern or raise limit]"},
		"glob, nothing":  {"glob", `{"pattern":"*.rs"}`, "", "no file matches"},
		"grep":           {"grep", `{"pattern":"^package"}`, "", "2 hits in 2 files\na.go:1:package a\nsub/b.go:1:package b"},
		"grep, plain":    {"grep", `{"pattern":"package .","mode":"plain"}`, "", "0 hits in 2 files"},
		"read":           {"read", `{"path":"sub/b.go","max_chars":7}`, "", "sub/b.go: lines 1-1 of 1, characters 0-7 of 10, sha256 " + workspace.Short(workspace.HashOf([]byte("package b\n"))) + "\npackage\n[3 characters left; go on with start_char 7]"},
		"files-3 hidden": {"read", `{"path":".env"}`, "workspace.path_not_visible", ".env is not visible here; paths are relative to the mount proj"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.mounts = m
			r := d.call(row.tool, row.args)
			if r.Code != row.code || r.Content != row.want {
				t.Errorf("got %s %q, want %q", r.Code, r.Content, row.want)
			}
			if row.tool == "read" && row.code == "" && (len(r.Observed) != 1 || r.Observed[0].Path != "proj:sub/b.go") {
				t.Errorf("observed %+v", r.Observed)
			}
		})
	}
}
