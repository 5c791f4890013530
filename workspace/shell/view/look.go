package view

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// Stat gives the info of what a path leads to.
func (v *View) Stat(name string) (fs.FileInfo, error) {
	info, err := v.stat(name, true)
	return info, fail("stat", name, err)
}

// Lstat gives the info of what a path names, also of a link.
func (v *View) Lstat(name string) (fs.FileInfo, error) {
	info, err := v.stat(name, false)
	return info, fail("lstat", name, err)
}

func (v *View) stat(name string, follow bool) (fs.FileInfo, error) {
	p, err := v.resolve(name, follow)
	if err != nil {
		return nil, err
	}
	defer p.close()
	switch {
	case !p.exists():
		return nil, syscall.ENOENT
	case p.slash && !p.isDir():
		return nil, syscall.ENOTDIR
	case p.virtual != nil:
		return p.virtual.info(path.Base(name)), nil
	}
	info := hostInfo(path.Base(name), p.info)
	if info.IsDir() && v.hides(p) {
		v.disguise(info, p)
	}
	return info, nil
}

// hides says whether a directory of the host may hold what is not seen: it leads to a
// visible root and is not at or below one.
func (v *View) hides(p *place) bool {
	if v.free || p.inTmp {
		return false
	}
	at := path.Join(p.segs...)
	return !slices.ContainsFunc(v.o.Roots.Visible, func(r string) bool { return inside(at, r) })
}

// disguise gives a directory the size and the number of links that it would have without
// what is not seen in it.
func (v *View) disguise(i *info, p *place) {
	i.size, i.attr.Blocks, i.attr.Nlink = 4096, 8, 2
	found, err := listOf(p)
	if err != nil {
		return
	}
	segs := append(slices.Clip(p.segs), "")
	for _, e := range found {
		if segs[len(segs)-1] = e.Name(); e.IsDir() && v.shows(segs) {
			i.attr.Nlink++
		}
	}
}

// Readlink gives the target of a link as it was made.
func (v *View) Readlink(name string) (string, error) {
	p, err := v.resolve(name, false)
	if err != nil {
		return "", fail("readlink", name, err)
	}
	defer p.close()
	switch {
	case !p.exists():
		return "", fail("readlink", name, syscall.ENOENT)
	case !p.isLink():
		return "", fail("readlink", name, syscall.EINVAL)
	}
	target, err := p.dir.Readlink(p.name)
	return target, fail("readlink", name, err)
}

// Real gives the path with every link resolved. Its last segment may be absent.
func (v *View) Real(name string) (string, error) {
	p, err := v.resolve(name, true)
	if err != nil {
		return "", fail("realpath", name, err)
	}
	defer p.close()
	if p.slash && p.exists() && !p.isDir() {
		return "", fail("realpath", name, syscall.ENOTDIR)
	}
	return p.path(), nil
}

// ReadDir gives what is in a directory and may be seen, sorted by name. What is virtual is
// not listed in "/".
func (v *View) ReadDir(name string) ([]fs.DirEntry, error) {
	for range maxSwaps {
		out, err := v.readDir(name)
		if err != errSwapped {
			return out, fail("readdir", name, err)
		}
	}
	return nil, fail("readdir", name, syscall.ELOOP)
}

func (v *View) readDir(name string) ([]fs.DirEntry, error) {
	p, err := v.resolve(name, true)
	if err != nil {
		return nil, err
	}
	defer p.close()
	switch {
	case !p.exists():
		return nil, syscall.ENOENT
	case !p.isDir():
		return nil, syscall.ENOTDIR
	case p.virtual != nil:
		return v.virtualEntries(p), nil
	case p.info.Mode()&0o400 == 0:
		return nil, syscall.EACCES
	}
	found, err := listOf(p)
	if err != nil {
		return nil, err
	}
	out := make([]fs.DirEntry, 0, len(found))
	segs := append(slices.Clip(p.segs), "")
	for _, e := range found {
		segs[len(segs)-1] = e.Name()
		if p.inTmp || v.shows(segs) {
			out = append(out, &entry{v: v, dir: p.path(), name: e.Name(), mode: e.Type()})
		}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// listOf reads a directory of the host.
func listOf(p *place) ([]fs.DirEntry, error) {
	dir := p.dir
	if p.name != "." {
		var err error
		if dir, err = openDir(p.dir, p.name, p.info); err != nil {
			return nil, err
		}
		defer dir.Close()
	}
	f, err := dir.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

func (v *View) virtualEntries(p *place) []fs.DirEntry {
	var out []fs.DirEntry
	for _, name := range v.names(p.segs) {
		if n := v.node(append(slices.Clip(p.segs), name)); n != nil {
			out = append(out, &entry{v: v, dir: p.path(), name: name, mode: n.mode.Type()})
		}
	}
	return out
}
