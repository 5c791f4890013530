package view

import (
	"errors"
	"io/fs"
	"syscall"
)

// All here is called with the lock held.

// count finds out what is used when nobody has said it.
func (v *View) count() error {
	if v.counted {
		return nil
	}
	var used Usage
	err := fs.WalkDir(v.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case name == ".":
			return nil
		}
		used.Files++
		if d.Type().IsRegular() {
			info, err := v.root.Lstat(name)
			if err != nil {
				return nil // gone meanwhile
			}
			used.Bytes += info.Size()
		}
		return nil
	})
	if err != nil {
		return err
	}
	v.used, v.counted = used, true
	return nil
}

// oneMore is asked before something new is made.
func (v *View) oneMore() error {
	if err := v.count(); err != nil {
		return err
	}
	if v.used.Files >= v.limits.Files {
		return syscall.EDQUOT
	}
	return nil
}

// gone says that something was removed.
func (v *View) gone(seen fs.FileInfo) {
	if !v.counted {
		return
	}
	v.used.Files = max(0, v.used.Files-1)
	if seen.Mode().IsRegular() {
		v.resized(seen.Size(), 0)
	}
}

// resized says that the size of a file has changed.
func (v *View) resized(before, after int64) {
	if v.counted {
		v.used.Bytes = max(0, v.used.Bytes+after-before)
	}
}

// fits gives how many of n bytes may be written at an offset of a file of a size, and why
// it is not all of them. A hole counts as what it looks like.
func (v *View) fits(size, at, n int64) (int64, error) {
	if err := v.count(); err != nil {
		return 0, err
	}
	var why error
	bound := func(most int64, err error) {
		if n > most {
			n, why = max(0, most), err
		}
	}
	bound(v.limits.File-at, syscall.EFBIG)
	bound(v.limits.Written-v.written, syscall.EDQUOT)
	if at+n > size {
		bound(max(size+v.limits.Total-v.used.Bytes, size)-at, syscall.EDQUOT)
	}
	return n, why
}
