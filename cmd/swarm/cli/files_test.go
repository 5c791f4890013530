package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesOfADamagedRun holds that what can be read is shown, and the damage is said.
func TestFilesOfADamagedRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	called(t, dir, 0, "init")
	called(t, dir, 0, "run", ".", "x", "--quiet")
	id := newest(t, dir)
	damage(t, dir+"/.swarm")
	for _, row := range []struct{ text, args string }{{"output/main.md  ", "files " + id}, {"Hello! You asked: x\n", "files " + id + " output/main.md"}} {
		out := called(t, dir, exitParked, strings.Fields(row.args)...)
		if !strings.Contains(out, row.text) || !strings.Contains(out, "[journal.damaged]") || !strings.Contains(out, "swarm events RUN shows what can be read") {
			t.Errorf("%s: %s", row.args, out)
		}
	}
	if out := called(t, dir, 0, "runs", "--label", "a"); !strings.Contains(out, "there are no such runs") {
		t.Error(out)
	}
}

// TestPlaceStaysInItsDirectory holds for paths of a journal that was made to harm, and for
// links that appear while files are written.
func TestPlaceStaysInItsDirectory(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	inside, outside := filepath.Join(base, "in"), filepath.Join(base, "out")
	dir, err := emptyDir(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"dir": outside, "rel": "../out", "file": filepath.Join(outside, "file")} {
		if err := os.Symlink(target, filepath.Join(inside, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"../out/a", "a/../../out/a", filepath.Join(outside, "a"), "", ".", "./a", "a//b", `a\b`, "c:/a", "a\x00b", "dir/a", "dir/deep/a", "rel/a", "file"} {
		if err := place(dir, name, []byte("x"), false); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("%v was written outside, %v", left, err)
	}
	if err := place(dir, "a/b c/汉.sh", []byte("#!/bin/sh\n"), true); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(inside, "a", "b c", "汉.sh"))
	if err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if err := place(dir, "a/b c/汉.sh", nil, false); err == nil {
		t.Error("a file was overwritten")
	}
}
