package view

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"
)

const openWrites = os.O_WRONLY | os.O_RDWR

// Open opens a file as package os does. A directory opens for reading, and reading it
// fails. A pipe, socket or device of the host is refused before it is opened: ENXIO.
func (v *View) Open(name string, flag int, perm fs.FileMode) (File, error) {
	for range maxSwaps {
		f, err := v.openOnce(name, flag, perm)
		if err != errSwapped {
			if err != nil {
				return nil, fail("open", name, err)
			}
			return f, nil
		}
	}
	return nil, fail("open", name, syscall.ELOOP)
}

func (v *View) openOnce(name string, flag int, perm fs.FileMode) (File, error) {
	write := flag&openWrites != 0
	exclusive := flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0
	if write || flag&os.O_CREATE != 0 {
		v.mu.Lock()
		defer v.mu.Unlock()
	}
	p, err := v.resolve(name, !exclusive)
	if err != nil {
		return nil, err
	}
	defer p.close()
	switch {
	case !p.exists() && flag&os.O_CREATE == 0:
		return nil, syscall.ENOENT
	case !p.exists():
		if err := v.home(p, name); err != nil {
			return nil, err
		}
		return v.create(p, name, flag, perm)
	case exclusive:
		return nil, syscall.EEXIST
	case p.slash && !p.isDir():
		return nil, syscall.ENOTDIR
	case p.isDir() && (write || flag&os.O_CREATE != 0):
		return nil, syscall.EISDIR
	case p.virtual != nil:
		return v.openNode(p.virtual, name, write)
	}
	return v.openHost(p, name, flag)
}

// openHost opens what is there.
func (v *View) openHost(p *place, name string, flag int) (File, error) {
	write := flag&openWrites != 0
	mode := p.info.Mode()
	switch {
	case !mode.IsRegular() && !mode.IsDir():
		return nil, syscall.ENXIO
	case flag&openWrites != os.O_WRONLY && mode&0o400 == 0:
		return nil, syscall.EACCES
	}
	if write {
		if err := v.mayChange(p); err != nil {
			return nil, err
		}
		if mode&0o200 == 0 {
			return nil, syscall.EACCES
		}
		v.announce(p)
	}
	if err := v.oneOpen(); err != nil {
		return nil, err
	}
	f, err := p.dir.OpenFile(p.name, flag&(openWrites|os.O_APPEND)|openNoWait, 0)
	if err == nil {
		var now fs.FileInfo
		if now, err = f.Stat(); err == nil && !os.SameFile(p.info, now) {
			err = errSwapped
		}
		if err != nil {
			_ = f.Close()
		}
	} else if swapped(err) {
		err = errSwapped
	}
	if err != nil {
		v.open.Add(-1)
		return nil, err
	}
	out := v.opened(f, p, name, flag)
	if write && flag&os.O_TRUNC != 0 {
		if err := out.truncate(0); err != nil {
			_ = f.Close()
			v.closed(out)
			return nil, err
		}
	}
	return out, nil
}

// swapped says whether a failure to open means that a name is no longer what it was.
func swapped(err error) bool {
	err = bare(err)
	return err == syscall.ELOOP || err == syscall.ENOENT || err == syscall.ENOTDIR || err == syscall.ENXIO || err == syscall.EISDIR
}

// create makes a file where there is none. The lock is held.
func (v *View) create(p *place, name string, flag int, perm fs.FileMode) (File, error) {
	if p.slash {
		return nil, syscall.EISDIR
	}
	if err := v.mayMake(p); err != nil {
		return nil, err
	}
	if err := v.oneOpen(); err != nil {
		return nil, err
	}
	v.announce(p)
	perm = modeBits(perm)
	f, err := p.dir.OpenFile(p.name, flag&(openWrites|os.O_APPEND)|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		v.open.Add(-1)
		if errors.Is(err, fs.ErrExist) {
			return nil, errSwapped
		}
		return nil, err
	}
	v.made(p)
	if now, err := f.Stat(); err == nil && modeBits(now.Mode()) != perm {
		_ = f.Chmod(perm) // the host's mask took some away; without it the file is only less open
	}
	return v.opened(f, p, name, flag), nil
}

func (v *View) opened(f *os.File, p *place, name string, flag int) *file {
	out := &file{v: v, f: f, name: name, append: flag&os.O_APPEND != 0, dir: p.isDir()}
	if flag&openWrites != 0 && !p.inTmp {
		out.changes = path.Join(p.segs...)
		v.writing[out.changes]++
	}
	return out
}

// oneOpen counts one more open file.
func (v *View) oneOpen() error {
	if v.open.Add(1) > int64(v.limits.Open) {
		v.open.Add(-1)
		return syscall.EMFILE
	}
	return nil
}

// closed forgets an open file. The lock is held when it is open for writing.
func (v *View) closed(f *file) {
	v.open.Add(-1)
	if f.changes == "" {
		return
	}
	if v.writing[f.changes]--; v.writing[f.changes] == 0 {
		delete(v.writing, f.changes)
	}
}
