package view

import (
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Tmp: "tmp"})
	b.host(b.write("/a", "one"))
	b.want("/a", "one")
	f, err := b.Open("/a", os.O_WRONLY|os.O_APPEND, 0)
	b.host(err)
	if got := b.Writing(); len(got) != 1 || got[0] != "a" {
		t.Errorf("writing %q", got)
	}
	_, err = io.WriteString(f, " two")
	b.host(err)
	b.host(f.Close())
	wantErr(t, f.Close(), syscall.EBADF)
	if got := b.Writing(); len(got) != 0 {
		t.Errorf("writing %q after close", got)
	}
	b.want("/a", "one two")
	b.host(b.Mkdir("/d", 0o755))
	b.host(b.Rename("/a", "/d/b"))
	b.want("/d/b", "one two")
	b.host(b.Symlink("d/b", "/l"))
	b.want("/l", "one two")
	b.want("//d/./../d//b", "one two")
	b.host(b.write("/tmp/x", "y"))
	b.want("/tmp/x", "y")
	if got := b.names("/"); got != "d l" {
		t.Errorf("/ lists %q", got)
	}
	wantErr(t, b.Remove("/d"), syscall.ENOTEMPTY)
	b.host(b.Remove("/d/b"))
	b.host(b.Remove("/d"))
	_, err = b.Stat("/l")
	wantErr(t, err, syscall.ENOENT)
	target, err := b.Readlink("/l")
	if err != nil || target != "d/b" {
		t.Errorf("readlink gives %q, %v", target, err)
	}
	b.wantAnnounced("a", "d", "d/b", "l")
}

func TestOpenRules(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, path string
		flag       int
		want       syscall.Errno
	}{
		{"absent", "/none", os.O_RDONLY, syscall.ENOENT},
		{"absent in absent", "/none/x", os.O_RDWR | os.O_CREATE, syscall.ENOENT},
		{"below a file", "/file/x", os.O_RDONLY, syscall.ENOTDIR},
		{"a file with a slash", "/file/", os.O_RDONLY, syscall.ENOTDIR},
		{"new with a slash", "/new/", os.O_WRONLY | os.O_CREATE, syscall.EISDIR},
		{"a directory to write", "/dir", os.O_WRONLY, syscall.EISDIR},
		{"a directory to read", "/dir", os.O_RDONLY, 0},
		{"exclusive", "/file", os.O_WRONLY | os.O_CREATE | os.O_EXCL, syscall.EEXIST},
		{"exclusive over a link that leads nowhere", "/dangling", os.O_WRONLY | os.O_CREATE | os.O_EXCL, syscall.EEXIST},
		{"new through a link that leads nowhere", "/dangling", os.O_WRONLY | os.O_CREATE, 0},
		{"loop", "/loop", os.O_RDONLY, syscall.ELOOP},
		{"empty", "", os.O_RDONLY, syscall.ENOENT},
		{"NUL", "/a\x00b", os.O_RDONLY, syscall.EINVAL},
		{"long segment", "/" + strings.Repeat("x", 256), os.O_WRONLY | os.O_CREATE, syscall.ENAMETOOLONG},
		{"longest segment", "/" + strings.Repeat("x", 255), os.O_WRONLY | os.O_CREATE, 0},
		{"no right to read", "/closed", os.O_RDONLY, syscall.EACCES},
		{"no right to write", "/frozen", os.O_WRONLY, syscall.EACCES},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, Options{})
			b.put("file", "f")
			b.put("closed", "")
			b.put("frozen", "")
			b.host(b.Mkdir("/dir", 0o755))
			b.host(b.Symlink("loop", "/loop"))
			b.host(b.Symlink("dir/new", "/dangling"))
			b.host(b.Chmod("/closed", 0o200))
			b.host(b.Chmod("/frozen", 0o444))
			f, err := b.Open(row.path, row.flag, 0o644)
			wantErr(t, err, row.want)
			if err == nil {
				b.host(f.Close())
			}
		})
	}
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Commands: []string{"ls"}})
	b.host(b.write("/a", "x"))
	b.host(b.Chmod("/a", 0o751))
	when := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	b.host(b.Chtimes("/a", time.Time{}, when))
	info, err := b.Stat("/a")
	b.host(err)
	if info.Name() != "a" || info.Mode() != 0o751 || !info.ModTime().Equal(when) || info.Size() != 1 {
		t.Errorf("got %v %v %v %v", info.Name(), info.Mode(), info.ModTime(), info.Size())
	}
	f, err := b.Open("/bin/ls", os.O_RDONLY, 0)
	b.host(err)
	defer f.Close()
	opened, err := f.Stat()
	b.host(err)
	if opened.Mode() != 0o755 || opened.Mode().Type() != 0 {
		t.Errorf("a command has mode %v", opened.Mode())
	}
	for _, p := range []string{"/", "/a", "/dev", "/dev/null", "/bin", "/usr/bin/ls", "/dev/fd/7"} {
		info, err := b.Lstat(p)
		b.host(err)
		attr, ok := info.Sys().(*Attr)
		if !ok || attr.UID != Owner || attr.GID != Owner || attr.Nlink == 0 || attr.Ino == 0 {
			t.Errorf("%s has %T %+v", p, info.Sys(), attr)
		}
	}
	null, err := b.Stat("/dev/null")
	b.host(err)
	if null.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("/dev/null has mode %v", null.Mode())
	}
	one, err := b.Stat("/bin/ls")
	b.host(err)
	other, err := b.Stat("/usr/bin/ls")
	b.host(err)
	if !Same(one, other) || Same(one, null) || Same(one, info) {
		t.Error("Same is wrong")
	}
}

// What is virtual gives way in a view without roots.
func TestVirtualGivesWay(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Tmp: "tmp", Commands: []string{"cat", "ls"}})
	if got := b.names("/"); got != "" {
		t.Errorf("/ lists %q", got)
	}
	if got := b.names("/bin") + "|" + b.names("/usr") + "|" + b.names("/usr/bin"); got != "cat ls|bin|cat ls" {
		t.Errorf("got %q", got)
	}
	b.host(b.write("/tmp/kept", "k"))
	for _, dir := range []string{"/bin", "/tmp", "/usr"} {
		b.host(b.Mkdir(dir, 0o755))
		wantErr(t, b.Mkdir(dir, 0o755), syscall.EEXIST)
		b.host(b.write(dir+"/x", "mine"))
		if got := b.names(dir); got != "x" {
			t.Errorf("%s lists %q", dir, got)
		}
	}
	b.want("/tmp/kept", "k")
	if _, err := b.Stat("/bin/ls"); err != nil {
		t.Error(err)
	}
	if got := b.names("/"); got != "bin tmp usr" {
		t.Errorf("/ lists %q", got)
	}
	wantErr(t, b.write("/dev/x", ""), syscall.EROFS)
	wantErr(t, b.write("/bin/ls", ""), syscall.EROFS)
	b.wantAnnounced("bin", "bin/x", "tmp", "tmp/x", "usr", "usr/x")
}

func TestNewInAVirtualDirectory(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{})
	b.host(b.write("/usr/bin/tool", "#!/bin/bash\n"))
	b.want("/usr/bin/tool", "#!/bin/bash\n")
	b.wantAnnounced("usr", "usr/bin", "usr/bin/tool")
}

func TestDevices(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{ReadOnly: true, Rand: func(p []byte) {
		for i := range p {
			p[i] = 7
		}
	}})
	b.host(b.write("/dev/null", "gone"))
	b.want("/dev/null", "")
	wantErr(t, b.write("/dev/full", "x"), syscall.ENOSPC)
	for path, want := range map[string]string{"/dev/zero": "\x00\x00", "/dev/urandom": "\a\a", "/dev/random": "\a\a"} {
		f, err := b.Open(path, os.O_RDONLY, 0)
		b.host(err)
		got := []byte("xx")
		_, err = io.ReadFull(f, got)
		b.host(err)
		if string(got) != want {
			t.Errorf("%s gives %q", path, got)
		}
		b.host(f.Close())
	}
	for _, p := range []string{"/proc", "/sys", "/etc", "/proc/self/environ", "/proc/1/root", "/dev/mem", "/dev/tty", "/dev/fd/x", "/dev/tcp/1.1.1.1/80"} {
		_, err := b.Stat(p)
		wantErr(t, err, syscall.ENOENT)
	}
}

func TestWithFd(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{})
	b.put("f", "from five")
	fs := WithFd(b, func(n int) (File, error) {
		if n != 1 && n != 5 {
			return nil, syscall.ENOENT
		}
		return b.Open("/f", os.O_RDONLY, 0)
	})
	b.host(fs.Symlink("/dev/fd/5", "/link"))
	for path, want := range map[string]syscall.Errno{
		"/dev/fd/5": 0, "/dev/stdout": 0, "/link": 0, "/dev/../dev/fd/5": 0, "/dev/fd/6": syscall.ENOENT, "/dev/stderr": syscall.ENOENT, "/f": 0,
	} {
		f, err := fs.Open(path, os.O_RDONLY, 0)
		wantErr(t, err, want)
		if err == nil {
			b.host(f.Close())
		}
	}
	_, err := b.View.Open("/dev/fd/5", os.O_RDONLY, 0)
	wantErr(t, err, syscall.ENXIO)
}
