package view

import (
	"io"
	"io/fs"
	"os"
	"path"
	"sync"
	"syscall"
)

// file is an open file or directory of the host.
type file struct {
	v       *View
	f       *os.File
	name    string // as it was opened
	changes string // its path in the workspace when it is open for writing; "": it is not
	append  bool
	dir     bool
	closing sync.Once
}

func (f *file) Read(p []byte) (int, error) {
	if f.dir {
		return 0, fail("read", f.name, syscall.EISDIR)
	}
	n, err := f.f.Read(p)
	return n, f.wrap("read", err)
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if f.dir {
		return 0, fail("read", f.name, syscall.EISDIR)
	}
	n, err := f.f.ReadAt(p, off)
	return n, f.wrap("read", err)
}

// wrap leaves the end of a file as it is.
func (f *file) wrap(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return fail(op, f.name, err)
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	n, err := f.f.Seek(offset, whence)
	return n, f.wrap("seek", err)
}

func (f *file) Stat() (fs.FileInfo, error) {
	if f.dir {
		return f.v.Stat(f.name)
	}
	host, err := f.f.Stat()
	if err != nil {
		return nil, fail("stat", f.name, err)
	}
	return hostInfo(path.Base(f.name), host), nil
}

// Write writes as much as the bounds allow.
func (f *file) Write(p []byte) (int, error) {
	f.v.mu.Lock()
	defer f.v.mu.Unlock()
	size, err := f.size()
	if err != nil {
		return 0, fail("write", f.name, err)
	}
	at := size
	if !f.append {
		if at, err = f.f.Seek(0, io.SeekCurrent); err != nil {
			return 0, fail("write", f.name, err)
		}
	}
	fit, why := f.v.fits(size, at, int64(len(p)))
	n := 0
	if fit > 0 {
		n, err = f.f.Write(p[:fit])
		f.v.written += int64(n)
		f.v.resized(size, max(size, at+int64(n)))
	}
	return n, f.wrap("write", firstOf(err, why))
}

// Truncate gives the file a size.
func (f *file) Truncate(to int64) error {
	f.v.mu.Lock()
	defer f.v.mu.Unlock()
	return f.wrap("truncate", f.truncate(to))
}

// truncate does it with the lock held.
func (f *file) truncate(to int64) error {
	size, err := f.size()
	switch {
	case err != nil:
		return err
	case to < 0:
		return syscall.EINVAL
	case to > f.v.limits.File:
		return syscall.EFBIG
	case to > size:
		if err := f.v.count(); err != nil {
			return err
		}
		if f.v.used.Bytes+to-size > f.v.limits.Total {
			return syscall.EDQUOT
		}
	}
	if err := f.f.Truncate(to); err != nil {
		return err
	}
	f.v.resized(size, to)
	return nil
}

// size gives the size of a file that may be changed now.
func (f *file) size() (int64, error) {
	if f.v.sealed {
		return 0, errInterrupted
	}
	host, err := f.f.Stat()
	if err != nil {
		return 0, err
	}
	return host.Size(), nil
}

func (f *file) Close() error {
	err := f.f.Close()
	f.closing.Do(func() {
		if f.changes != "" {
			f.v.mu.Lock()
			defer f.v.mu.Unlock()
		}
		f.v.closed(f)
	})
	return f.wrap("close", err)
}
