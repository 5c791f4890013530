package view

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The kernel can resolve a path in a directory as if that were the root: it must agree.
func TestResolveAsTheKernel(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	name := func(tops string) string {
		p := ""
		for range rnd.IntN(5) {
			p += []string{"/", "//", "/./"}[min(2, rnd.IntN(12)/5)]
			p += []string{"a", "b", "c", "..", tops}[rnd.IntN(5)]
		}
		if rnd.IntN(6) == 0 {
			p += "/"
		}
		return p
	}
	for range 40 {
		var script strings.Builder
		for range 15 {
			at := "/output" + []string{"/a", "/b", "/c", "/a/a", "/a/b", "/b/c", "/c/a/b"}[rnd.IntN(7)]
			switch rnd.IntN(3) {
			case 0:
				fmt.Fprintf(&script, "d %s\n", at)
			case 1:
				fmt.Fprintf(&script, "f %s\n", at)
			default:
				fmt.Fprintf(&script, "l %s %s\n", at, strings.TrimPrefix(name("output"), []string{"", "/"}[rnd.IntN(2)]))
			}
		}
		b := setup(t, Options{})
		plant(t, b.dir, script.String())
		for range 40 {
			p := "/output" + name("output")
			want, err := kernel(b.dir, p)
			if errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM) {
				t.Skipf("this kernel does not resolve in a root: %v", err)
			}
			info, ours := b.Stat(p)
			if errno := errnoOf(ours); errno != errnoOf(err) {
				t.Fatalf("%s in\n%s: got %v, the kernel gives %v", p, script.String(), ours, err)
			}
			if ours != nil {
				continue
			}
			got, err := b.Real(p)
			if err != nil || got != want || info == nil {
				t.Fatalf("%s in\n%s: got %s, %v, the kernel gives %s", p, script.String(), got, err, want)
			}
		}
	}
}

func errnoOf(err error) syscall.Errno {
	errno, _ := errors.AsType[syscall.Errno](err)
	return errno
}

// kernel gives the path that the kernel finds.
func kernel(dir, name string) (string, error) {
	root, err := os.Open(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT}
	fd, err := unix.Openat2(int(root.Fd()), name, how)
	for errors.Is(err, syscall.EAGAIN) { // something was renamed somewhere while it resolved ".."
		fd, err = unix.Openat2(int(root.Fd()), name, how)
	}
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	full, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return "", err
	}
	if rel := strings.TrimPrefix(full, dir); rel != "" {
		return rel, nil
	}
	return "/", nil
}
