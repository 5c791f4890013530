package view

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A path in the directory for temporary files is one of the view, whatever the host has
// there, and what is written there never reaches the host's.
func TestHole01TemporaryDirectory(t *testing.T) {
	t.Parallel()
	host, err := os.MkdirTemp("", "sh-interp-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(host); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(host, "f"), []byte("of the host"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tmp := range []string{"", "tmp"} {
		b := setup(t, Options{Roots: agent(), Tmp: tmp})
		for _, p := range []string{host, host + "/f", "/tmp/../" + host + "/f"} {
			for what, look := range looks {
				if err := look(b, p); err == nil {
					t.Errorf("%s of %s works", what, p)
				}
			}
			_ = b.write(p, "x") // with a /tmp the first becomes a file of the call
		}
	}
	got, err := os.ReadFile(filepath.Join(host, "f"))
	if err != nil || string(got) != "of the host" {
		t.Errorf("the host's file is %q, %v", got, err)
	}
	// The honest use.
	b := setup(t, Options{Roots: agent(), Tmp: "tmp"})
	b.host(b.Mkdir("/tmp/sh-interp-1", 0o700))
	b.host(b.write("/tmp/sh-interp-1/f", "mine"))
	b.want("/tmp/sh-interp-1/f", "mine")
	b.wantAnnounced()
}

// Every file info says whose the file is, so that a test of the owner needs nobody else.
func TestHole08FileInfo(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Tmp: "tmp", Commands: []string{"ls"}})
	b.host(b.write("/f", ""))
	b.host(b.Symlink("f", "/l"))
	b.host(b.write("/tmp/t", ""))
	var walk func(dir string)
	check := func(what string, info fs.FileInfo, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		if attr, ok := info.Sys().(*Attr); !ok || attr.UID != 1000 || attr.GID != 1000 {
			t.Errorf("%s has %T", what, info.Sys())
		}
	}
	walk = func(dir string) {
		entries, err := b.ReadDir(dir)
		b.host(err)
		for _, e := range entries {
			p := strings.TrimSuffix(dir, "/") + "/" + e.Name()
			info, err := e.Info()
			check(p, info, err)
			info, err = b.Stat(p)
			check(p, info, err)
			if info.IsDir() {
				walk(p)
				continue
			}
			f, err := b.Open(p, os.O_RDONLY, 0)
			if err != nil {
				continue // a descriptor that no shell has given
			}
			info, err = f.Stat()
			check(p, info, err)
			b.host(f.Close())
		}
	}
	for _, dir := range []string{"/", "/tmp", "/dev", "/bin", "/usr"} {
		info, err := b.Stat(dir)
		check(dir, info, err)
		walk(dir)
	}
}

// There is no hook that could be missing: each operation takes the same way, and none of
// them finds what is on the host by the same name.
func TestHole09NoOperationReachesTheHost(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Roots: agent()})
	host := filepath.Join(filepath.Dir(b.dir), "canary")
	for _, p := range []string{host, b.dir, "/etc/passwd", "/root", "/home", "/var"} {
		for what, look := range looks {
			if err := look(b, p); err == nil {
				t.Errorf("%s of %s works", what, p)
			}
		}
		for what, do := range actions {
			b.host(b.write("/output/other", ""))
			if err := do(b, p, "/output/other"); err == nil {
				t.Errorf("%s of %s works", what, p)
			}
		}
	}
	// Errors tell nothing of the host either.
	for _, do := range actions {
		if err := do(b, "/output/none/x", "/input/y"); err == nil || strings.Contains(err.Error(), b.dir) {
			t.Errorf("got %v", err)
		}
	}
	var at *fs.PathError
	if _, err := b.Stat("/output/none"); !errors.As(err, &at) || at.Path != "/output/none" {
		t.Errorf("got %v", at)
	}
}
