//go:build unix

package view

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe or socket that stands in the directory is refused at once: nothing waits for
// somebody at its other end, and nobody there sees anything.
func TestSpecialFilesAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{})
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(b.dir, "socket"))
	if err != nil {
		t.Skipf("no socket can be made in %s: %v", b.dir, err)
	}
	defer l.Close()
	b.host(b.Symlink("pipe", "/link"))
	for _, p := range []string{"/pipe", "/socket", "/link"} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_CREATE | os.O_TRUNC, os.O_WRONLY | os.O_APPEND} {
			_, err := b.Open(p, flag, 0o644)
			wantErr(t, err, syscall.ENXIO)
		}
		if _, err := b.Lstat(p); err != nil {
			t.Error(err)
		}
	}
	b.host(b.Remove("/pipe"))
}
