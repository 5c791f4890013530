package view

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Bounds of a path that is looked up.
const (
	maxLinks   = 40   // that one path leads through
	maxPath    = 4096 // bytes
	maxSegment = 255  // bytes
	maxSwaps   = 20   // of names that change while a path is looked up
)

// place is where a path leads, after all links. It holds the open directory that the last
// segment is in, so that what is done there is done nowhere else.
type place struct {
	segs    []string    // from the root of the view
	inTmp   bool        // below the call's own /tmp, or it
	dir     *os.Root    // that holds it; nil: a virtual one
	shared  bool        // dir belongs to the view
	name    string      // in dir; "." for a root itself
	info    fs.FileInfo // nil: absent, or virtual
	parent  fs.FileInfo // of the directory that holds it; nil: a root
	virtual *node       // nil: on the host
	slash   bool        // the path ends in a slash: a directory is meant
}

func (p *place) close() {
	if p.dir != nil && !p.shared {
		// A handle that was only looked through has nothing to lose.
		_ = p.dir.Close()
	}
}

// exists says whether there is something.
func (p *place) exists() bool { return p.info != nil || p.virtual != nil }

func (p *place) isDir() bool {
	return p.virtual != nil && p.virtual.dir() || p.info != nil && p.info.IsDir()
}

func (p *place) isLink() bool { return p.info != nil && p.info.Mode()&fs.ModeSymlink != 0 }

func (p *place) path() string { return "/" + strings.Join(p.segs, "/") }

// errSwapped says that a name has changed between two looks at it.
var errSwapped = errors.New("the name has changed")

// resolve finds where a path leads. With follow a link in the last segment is followed.
// What the last segment names may be absent, what it is in may not.
func (v *View) resolve(name string, follow bool) (*place, error) {
	switch {
	case name == "":
		return nil, syscall.ENOENT
	case strings.IndexByte(name, 0) >= 0:
		return nil, syscall.EINVAL
	case len(name) > maxPath:
		return nil, syscall.ENAMETOOLONG
	}
	for range maxSwaps {
		w := walk{v: v, follow: follow}
		p, err := w.run(name)
		if err != errSwapped {
			return p, err
		}
	}
	return nil, syscall.ELOOP
}

// walk is one way along a path. Only the directory where it stands is open.
type walk struct {
	v      *View
	follow bool
	todo   []string
	slash  bool // the last segment is to be a directory
	links  int
	at     place // a directory; its dir and name say where it is, here is it opened
	here   *os.Root
	shared bool
}

// run goes to the end of a path.
func (w *walk) run(name string) (*place, error) {
	w.push(name)
	w.begin()
	for len(w.todo) > 0 {
		seg := w.todo[0]
		w.todo = w.todo[1:]
		var done *place
		var err error
		switch {
		case seg == ".":
		case seg == "..":
			up := slices.Clone(w.at.segs[:max(0, len(w.at.segs)-1)])
			err = w.again(up)
		default:
			done, err = w.step(seg)
		}
		if err != nil || done != nil {
			w.leave(done)
			return done, err
		}
	}
	// It ends in the directory where it stands.
	p := w.at
	p.slash = false
	p.dir, p.shared, p.name = w.here, w.shared, "."
	if w.here != nil {
		info, err := w.here.Lstat(".")
		if err != nil {
			w.leave(nil)
			return nil, err
		}
		p.info = info
	}
	return &p, nil
}

// push puts the segments of a path before what is left of the way.
func (w *walk) push(name string) {
	var segs []string
	for s := range strings.SplitSeq(name, "/") {
		if s != "" {
			segs = append(segs, s)
		}
	}
	if len(w.todo) == 0 && strings.HasSuffix(name, "/") {
		w.slash = true
	}
	w.todo = append(segs, w.todo...)
}

// begin stands at the root.
func (w *walk) begin() {
	w.leave(nil)
	w.at, w.here, w.shared = place{}, w.v.root, true
}

// again goes the way to a directory anew, from the root; no segment of it was a link.
func (w *walk) again(segs []string) error {
	w.begin()
	for _, seg := range segs {
		p, err := w.look(seg)
		if err != nil || !p.isDir() {
			return errSwapped
		}
		if err := w.enter(p); err != nil {
			return err
		}
	}
	return nil
}

// leave closes the directory where the way stands, unless the place found is in it.
func (w *walk) leave(found *place) {
	if w.here != nil && !w.shared && (found == nil || found.dir != w.here) {
		_ = w.here.Close()
	}
	w.here = nil
}

// step takes one segment. It gives the place when the way ends there.
func (w *walk) step(seg string) (*place, error) {
	if len(seg) > maxSegment {
		return nil, syscall.ENAMETOOLONG
	}
	p, err := w.look(seg)
	if err != nil {
		return nil, err
	}
	last := len(w.todo) == 0
	switch {
	case p.isLink() && (!last || w.follow || w.slash):
		return nil, w.through(p)
	case last:
		p.slash = w.slash
		return p, nil
	case !p.exists():
		return nil, syscall.ENOENT
	case !p.isDir():
		return nil, syscall.ENOTDIR
	}
	return nil, w.enter(p)
}

// look finds a segment in the directory where the way stands: on the host, if the roots
// show it, else among what is virtual.
func (w *walk) look(seg string) (*place, error) {
	segs := append(slices.Clip(w.at.segs), seg)
	p := &place{segs: segs, inTmp: w.at.inTmp, dir: w.here, shared: w.shared, name: seg, parent: w.at.info}
	if w.here != nil && (p.inTmp || w.v.shows(segs)) {
		if !searchable(w.at.info) {
			return nil, syscall.EACCES
		}
		info, err := w.here.Lstat(seg)
		if err == nil {
			p.info = info
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, bare(err)
		}
	}
	if p.inTmp {
		return p, nil
	}
	if w.v.tmp != nil && segs[0] == "tmp" {
		switch len(segs) {
		case 1:
			info, err := w.v.tmp.Lstat(".")
			return &place{segs: segs, inTmp: true, dir: w.v.tmp, shared: true, name: ".", info: info}, err
		case 2: // beside a tmp of the workspace
			if info, err := w.v.tmp.Lstat(seg); err == nil {
				return &place{segs: segs, inTmp: true, dir: w.v.tmp, shared: true, name: seg, info: info}, nil
			}
		}
	}
	p.virtual = w.v.node(segs)
	return p, nil
}

// searchable says whether names may be looked up in a directory by its owner.
func searchable(dir fs.FileInfo) bool { return dir == nil || dir.Mode()&0o100 != 0 }

// through goes on where a link leads.
func (w *walk) through(p *place) error {
	if w.links++; w.links > maxLinks {
		return syscall.ELOOP
	}
	target, err := p.dir.Readlink(p.name)
	if err != nil {
		return errSwapped
	}
	if target == "" {
		return syscall.ENOENT
	}
	w.push(target)
	if strings.HasPrefix(target, "/") {
		w.begin()
	}
	return nil
}

// enter goes into a directory that was seen to be one.
func (w *walk) enter(p *place) error {
	var here *os.Root
	shared := false
	switch {
	case p.virtual != nil:
	case p.name == ".":
		here, shared = p.dir, true
	default:
		var err error
		if here, err = openDir(p.dir, p.name, p.info); err != nil {
			return err
		}
	}
	w.leave(nil)
	w.here, w.shared = here, shared
	w.at = place{segs: p.segs, inTmp: p.inTmp, info: p.info, virtual: p.virtual}
	return nil
}

// openDir opens a directory that was seen to be no link. Something else there by then:
// errSwapped.
func openDir(dir *os.Root, name string, seen fs.FileInfo) (*os.Root, error) {
	sub, err := dir.OpenRoot(name)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil, syscall.EACCES
		}
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			return nil, syscall.EMFILE
		}
		return nil, errSwapped
	}
	now, err := sub.Lstat(".")
	if err == nil && !os.SameFile(seen, now) {
		err = errSwapped
	}
	if err != nil {
		_ = sub.Close()
		return nil, errSwapped
	}
	return sub, nil
}
