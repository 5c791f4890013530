package view

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func bounded(l limits.Limits) *limits.Budget { return &limits.Budget{Limits: l} }

func TestQuotas(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		l    limits.Limits
		used *Usage
		do   func(b *bench) error
		want syscall.Errno
		size int64 // of /f after it; -1: absent
	}{
		{"a file as large as may be", limits.Limits{File: 4}, nil, func(b *bench) error { return b.write("/f", "1234") }, 0, 4},
		{"a file too large", limits.Limits{File: 4}, nil, func(b *bench) error { return b.write("/f", "12345") }, syscall.EFBIG, 4},
		{"grown too large", limits.Limits{File: 4}, nil, func(b *bench) error {
			return errors.Join(b.write("/f", "123"), b.append("/f", "45"))
		}, syscall.EFBIG, 4},
		{"truncated too large", limits.Limits{File: 4}, nil, func(b *bench) error { return b.truncate("/f", 5) }, syscall.EFBIG, 0},
		{"the call has written enough", limits.Limits{Written: 6}, nil, func(b *bench) error {
			return errors.Join(b.write("/g", "1234"), b.Remove("/g"), b.write("/f", "567"))
		}, syscall.EDQUOT, 2},
		{"the call has written all it may", limits.Limits{Written: 6}, nil, func(b *bench) error {
			return errors.Join(b.write("/g", "1234"), b.write("/f", "56"))
		}, 0, 2},
		{"the workspace is full", limits.Limits{Total: 6}, nil, func(b *bench) error {
			return errors.Join(b.write("/g", "1234"), b.write("/f", "567"))
		}, syscall.EDQUOT, 2},
		{"room is made by removing", limits.Limits{Total: 6}, nil, func(b *bench) error {
			return errors.Join(b.write("/g", "1234"), b.Remove("/g"), b.write("/f", "123456"))
		}, 0, 6},
		{"room is made by emptying", limits.Limits{Total: 6}, nil, func(b *bench) error {
			return errors.Join(b.write("/g", "1234"), b.write("/g", ""), b.write("/f", "123456"))
		}, 0, 6},
		{"room is made by moving over", limits.Limits{Total: 6}, nil, func(b *bench) error {
			return errors.Join(b.write("/g", "123"), b.write("/f", "123"), b.Rename("/g", "/f"), b.append("/f", "456"))
		}, 0, 6},
		{"writing over takes no room", limits.Limits{Total: 4}, nil, func(b *bench) error {
			return errors.Join(b.write("/f", "1234"), b.over("/f", "567"))
		}, 0, 4},
		{"what was there counts", limits.Limits{Total: 6}, nil, func(b *bench) error {
			b.put("old", "12345")
			return b.write("/f", "12")
		}, syscall.EDQUOT, 1},
		{"what the caller says counts", limits.Limits{Total: 6}, &Usage{Bytes: 5}, func(b *bench) error { return b.write("/f", "12") }, syscall.EDQUOT, 1},
		{"/tmp counts", limits.Limits{Total: 6}, nil, func(b *bench) error {
			return errors.Join(b.write("/tmp/g", "1234"), b.write("/f", "567"))
		}, syscall.EDQUOT, 2},
		{"too many files", limits.Limits{Files: 2}, nil, func(b *bench) error {
			return errors.Join(b.write("/g", ""), b.Symlink("x", "/l"), b.write("/f", ""))
		}, syscall.EDQUOT, -1},
		{"too many directories", limits.Limits{Files: 2}, nil, func(b *bench) error {
			return errors.Join(b.Mkdir("/g", 0o755), b.Mkdir("/h", 0o755), b.Mkdir("/f", 0o755))
		}, syscall.EDQUOT, -1},
		{"files that were there", limits.Limits{Files: 2}, &Usage{Files: 2}, func(b *bench) error { return b.write("/f", "") }, syscall.EDQUOT, -1},
		{"one goes, one comes", limits.Limits{Files: 1}, nil, func(b *bench) error {
			return errors.Join(b.write("/g", ""), b.Remove("/g"), b.write("/f", ""))
		}, 0, 0},
		{"moving needs no room", limits.Limits{Files: 1, Total: 1}, nil, func(b *bench) error {
			return errors.Join(b.write("/g", "1"), b.Rename("/g", "/f"))
		}, 0, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, Options{Budget: bounded(row.l), Used: row.used, Tmp: "tmp"})
			wantErr(t, row.do(b), row.want)
			info, err := os.Lstat(filepath.Join(b.dir, "f"))
			switch {
			case row.size < 0 && err == nil:
				t.Error("/f is there")
			case row.size >= 0 && (err != nil || info.Size() != row.size):
				t.Errorf("/f: %v, want %d bytes", err, row.size)
			}
		})
	}
}

func (b *bench) open(name string, flag int, do func(f File) error) error {
	f, err := b.Open(name, flag, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

func (b *bench) append(name, text string) error {
	return b.open(name, os.O_WRONLY|os.O_APPEND, func(f File) error { _, err := io.WriteString(f, text); return err })
}

func (b *bench) over(name, text string) error {
	return b.open(name, os.O_RDWR, func(f File) error { _, err := io.WriteString(f, text); return err })
}

func (b *bench) truncate(name string, size int64) error {
	return b.open(name, os.O_WRONLY|os.O_CREATE, func(f File) error { return f.Truncate(size) })
}

func TestOpenFiles(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Budget: bounded(limits.Limits{Open: 3})})
	var open []File
	for i := range 3 {
		f, err := b.Open(fmt.Sprint("/f", i), os.O_WRONLY|os.O_CREATE, 0o644)
		b.host(err)
		open = append(open, f)
	}
	_, err := b.Open("/f0", os.O_RDONLY, 0)
	wantErr(t, err, syscall.EMFILE)
	_, err = b.Open("/new", os.O_WRONLY|os.O_CREATE, 0o644)
	wantErr(t, err, syscall.EMFILE)
	b.host(open[0].Close())
	wantErr(t, open[0].Close(), syscall.EBADF)
	f, err := b.Open("/f0", os.O_RDONLY, 0)
	b.host(err)
	for _, f := range append(open[1:], f) {
		b.host(f.Close())
	}
	if n := b.View.open.Load(); n != 0 {
		t.Errorf("%d files count as open", n)
	}
}

// The bounds hold to the byte when many write at once, by every way that makes files grow.
func TestChecklist23QuotaUnderParallelWriters(t *testing.T) {
	t.Parallel()
	const total, files = 10_000, 40
	b := setup(t, Options{Budget: bounded(limits.Limits{Total: total, Files: files, File: 900})})
	b.host(b.write("/shared", ""))
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 60 {
				name := fmt.Sprintf("/f%d-%d", w, i)
				_ = b.write(name, strings.Repeat("x", 70+i))
				_ = b.append("/shared", "0123456789")
				_ = b.truncate(name, int64(200+10*w))
				if i%3 == 0 {
					_ = b.Rename(name, fmt.Sprintf("/moved%d", w))
				}
				if i%5 == 0 {
					_ = b.Remove(name)
				}
			}
		})
	}
	all.Wait()
	entries, err := os.ReadDir(b.dir)
	b.host(err)
	sum := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		b.host(err)
		sum += info.Size()
		if info.Size() > 900 {
			t.Errorf("%s has %d bytes", e.Name(), info.Size())
		}
	}
	if sum > total || len(entries) > files {
		t.Errorf("%d bytes in %d files", sum, len(entries))
	}
	if b.used.Bytes != sum || b.used.Files != len(entries) {
		t.Errorf("counted %+v, there are %d bytes in %d files", b.used, sum, len(entries))
	}
	if sum < total/2 {
		t.Errorf("only %d bytes were written: the test tests nothing", sum)
	}
	written := setup(t, Options{Budget: bounded(limits.Limits{Written: 1000})})
	for range 8 {
		all.Go(func() {
			for range 30 {
				_ = written.open("/f", os.O_WRONLY|os.O_CREATE|os.O_APPEND, func(f File) error { _, err := io.WriteString(f, "0123456"); return err })
			}
		})
	}
	all.Wait()
	info, err := os.Stat(filepath.Join(written.dir, "f"))
	b.host(err)
	if info.Size() != 1000 {
		t.Errorf("%d bytes were written", info.Size())
	}
}

func TestChecklist24HardLinksAndSparseFiles(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Budget: bounded(limits.Limits{Total: 5000, File: 3000})})
	// There is no operation that makes a hard link; a hole counts as what it looks like.
	wantErr(t, b.truncate("/a", 3001), syscall.EFBIG)
	b.host(b.truncate("/a", 3000))
	wantErr(t, b.truncate("/b", 2001), syscall.EDQUOT)
	b.host(b.truncate("/b", 1000))
	wantErr(t, b.open("/b", os.O_WRONLY, func(f File) error {
		if _, err := f.Seek(2000, io.SeekStart); err != nil {
			return err
		}
		_, err := io.WriteString(f, "x")
		return err
	}), syscall.EDQUOT)
	b.host(b.open("/b", os.O_WRONLY, func(f File) error {
		if _, err := f.Seek(1999, io.SeekStart); err != nil {
			return err
		}
		_, err := io.WriteString(f, "x")
		return err
	}))
	info, err := b.Stat("/b")
	b.host(err)
	if attr := info.Sys().(*Attr); info.Size() != 2000 || attr.Nlink != 1 {
		t.Errorf("size %d, links %d", info.Size(), attr.Nlink)
	}
	wantErr(t, b.write("/c", "x"), syscall.EDQUOT)
	b.host(b.truncate("/a", 0))
	b.host(b.write("/c", "x"))
}

func TestSeal(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{})
	b.host(b.write("/a", "a"))
	f, err := b.Open("/a", os.O_RDWR, 0)
	b.host(err)
	b.Seal()
	_, err = io.WriteString(f, "x")
	wantErr(t, err, syscall.EINTR)
	wantErr(t, f.Truncate(0), syscall.EINTR)
	for what, do := range actions {
		if err := do(b, "/a", "/b"); !errors.Is(err, syscall.EINTR) && !(what == "move over" && errors.Is(err, syscall.ENOENT)) && !(what == "move to" && errors.Is(err, syscall.ENOENT)) {
			t.Errorf("%s gives %v", what, err)
		}
	}
	wantErr(t, b.write("/bin/new", ""), syscall.EINTR)
	b.host(f.Close())
	b.want("/a", "a")
	if got := b.names("/"); got != "a" {
		t.Errorf("/ lists %q", got)
	}
}

// A change that has begun when the view is sealed is complete afterwards.
func TestSealWaitsForWhatHasBegun(t *testing.T) {
	t.Parallel()
	begun, on := make(chan struct{}), make(chan struct{})
	v, err := New(Options{Dir: t.TempDir(), Announce: func(string) {
		close(begun)
		<-on
	}})
	if err != nil {
		t.Fatal(err)
	}
	made := make(chan error, 1)
	go func() { made <- v.Mkdir("/d", 0o755) }()
	<-begun
	sealed := make(chan struct{})
	go func() {
		v.Seal()
		close(sealed)
	}()
	select {
	case <-sealed:
		t.Error("sealed while a change was in hand")
	default:
	}
	close(on)
	<-sealed
	if err := <-made; err != nil {
		t.Error(err)
	}
	if _, err := v.Stat("/d"); err != nil {
		t.Error(err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}
