package view

import (
	"io/fs"
	"path"
	"slices"
	"syscall"
	"time"
)

// change does something to the place of a path, under the lock.
func (v *View) change(op, name string, follow bool, do func(p *place) error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	p, err := v.resolve(name, follow)
	if err == nil {
		err = do(p)
		p.close()
	}
	return fail(op, name, err)
}

// home finds where something new goes. In a view without roots what is virtual gives way to
// it: the directories that it is in are made. The lock is held.
func (v *View) home(p *place, name string) error {
	parent := p.segs[:len(p.segs)-1]
	if p.dir != nil || !v.free || v.o.ReadOnly || v.sealed || len(parent) == 0 || parent[0] == "dev" {
		return nil
	}
	for i := range parent {
		made := &place{segs: parent[:i+1]}
		if err := v.oneMore(); err != nil {
			return err
		}
		v.announce(made)
		if err := v.root.Mkdir(path.Join(made.segs...), 0o755); err == nil {
			v.used.Files++
		}
	}
	now, err := v.resolve(name, true)
	if err == nil {
		*p = *now
	}
	return err
}

// Mkdir makes a directory.
func (v *View) Mkdir(name string, perm fs.FileMode) error {
	return v.change("mkdir", name, false, func(p *place) error {
		if v.free && (p.virtual != nil || p.inTmp && p.name == ".") && len(p.segs) == 1 {
			// What the view puts there gives way to a directory of the workspace.
			p = &place{segs: p.segs, dir: v.root, shared: true, name: p.segs[0]}
		}
		if p.exists() {
			return syscall.EEXIST
		}
		if err := v.home(p, name); err != nil {
			return err
		}
		if err := v.mayMake(p); err != nil {
			return err
		}
		v.announce(p)
		if err := p.dir.Mkdir(p.name, perm.Perm()); err != nil {
			return err
		}
		v.made(p)
		// The host's mask took some bits away; without them it is only less open.
		_ = p.dir.Chmod(p.name, modeBits(perm))
		return nil
	})
}

// Symlink makes a link. Its target is not looked at.
func (v *View) Symlink(target, name string) error {
	return v.change("symlink", name, false, func(p *place) error {
		switch {
		case target == "":
			return syscall.ENOENT
		case len(target) > maxPath:
			return syscall.ENAMETOOLONG
		case p.exists():
			return syscall.EEXIST
		case p.slash:
			return syscall.ENOENT
		}
		if err := v.home(p, name); err != nil {
			return err
		}
		if err := v.mayMake(p); err != nil {
			return err
		}
		if err := v.mayLead(p, target); err != nil {
			return err
		}
		v.announce(p)
		if err := p.dir.Symlink(target, p.name); err != nil {
			return err
		}
		v.made(p)
		return nil
	})
}

// Remove removes a file, a link or an empty directory.
func (v *View) Remove(name string) error {
	return v.change("remove", name, false, func(p *place) error {
		switch {
		case !p.exists():
			return syscall.ENOENT
		case p.slash && !p.isDir():
			return syscall.ENOTDIR
		}
		if err := v.mayChange(p); err != nil {
			return err
		}
		if p.name == "." {
			return syscall.EINVAL
		}
		if err := v.mayEdit(p); err != nil {
			return err
		}
		v.announce(p)
		if err := p.dir.Remove(p.name); err != nil {
			return err
		}
		v.gone(p.info)
		v.unnamed()
		return nil
	})
}

// Chmod sets the mode bits of what a path leads to.
func (v *View) Chmod(name string, mode fs.FileMode) error {
	return v.change("chmod", name, true, func(p *place) error {
		if err := v.mayAlter(p); err != nil {
			return err
		}
		v.announce(p)
		return p.dir.Chmod(p.name, modeBits(mode))
	})
}

// Chtimes sets the times of what a path leads to; a zero time is left alone. It is not
// announced: a workspace keeps no times.
func (v *View) Chtimes(name string, accessed, modified time.Time) error {
	return v.change("chtimes", name, true, func(p *place) error {
		if err := v.mayAlter(p); err != nil {
			return err
		}
		return p.dir.Chtimes(p.name, accessed, modified)
	})
}

// mayAlter says whether the attributes of what is at a place may be changed.
func (v *View) mayAlter(p *place) error {
	switch {
	case !p.exists():
		return syscall.ENOENT
	case p.slash && !p.isDir():
		return syscall.ENOTDIR
	}
	return v.mayChange(p)
}

// Rename moves something, and replaces what is there as the system does. A directory goes
// from /tmp into a workspace only by copying: EXDEV.
func (v *View) Rename(from, to string) error {
	return v.change("rename", from, false, func(p *place) error {
		q, err := v.resolve(to, false)
		if err != nil {
			return err
		}
		defer q.close()
		if !q.exists() {
			if err := v.home(q, to); err != nil {
				return err
			}
		}
		if err := v.mayMove(p, q); err != nil {
			return err
		}
		if p.info != nil && q.info != nil && Same(hostInfo("", p.info), hostInfo("", q.info)) {
			return nil
		}
		v.announce(p)
		v.announce(q)
		if err := v.renameIn(p, q); err != nil {
			return err
		}
		if q.info != nil {
			v.gone(q.info)
		}
		v.unnamed()
		return nil
	})
}

func (v *View) mayMove(p, q *place) error {
	switch {
	case !p.exists():
		return syscall.ENOENT
	case p.slash && !p.isDir():
		return syscall.ENOTDIR
	}
	if err := firstOf(v.mayChange(p), v.mayChange(q)); err != nil {
		return err
	}
	switch {
	case p.name == "." || q.name == ".":
		return syscall.EBUSY
	case p.isDir() && len(q.segs) > len(p.segs) && slices.Equal(q.segs[:len(p.segs)], p.segs):
		return syscall.EINVAL
	case q.slash && !p.isDir():
		return syscall.ENOTDIR
	case q.exists() && p.isDir() && !q.isDir():
		return syscall.ENOTDIR
	case q.exists() && !p.isDir() && q.isDir():
		return syscall.EISDIR
	}
	if err := firstOf(v.mayEdit(p), v.mayEdit(q)); err != nil {
		return err
	}
	if v.free || q.inTmp {
		return nil
	}
	if p.isDir() {
		if p.inTmp {
			return syscall.EXDEV
		}
		if err := checkBelow(p, q); err != nil {
			return err
		}
	}
	if q.exists() {
		return nil
	}
	if err := checkNames(q.segs); err != nil {
		return err
	}
	leaves := ""
	if slices.Equal(p.segs[:len(p.segs)-1], q.segs[:len(q.segs)-1]) {
		leaves = p.name
	}
	return v.clash(q, leaves)
}
