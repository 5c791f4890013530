package view

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// Options say what a [View] shows. Only Dir is needed.
type Options struct {
	// Dir is the directory of the host that is "/".
	Dir string
	// Tmp is the directory of the host that is /tmp; "": there is none. A directory tmp of
	// the workspace takes its place.
	Tmp string
	// Roots narrow what is seen and written. Zero: everything, and names are judged only by
	// what a host can hold; else by the rules of a workspace.
	Roots Roots
	// ReadOnly refuses every change, also below /tmp.
	ReadOnly bool
	// Budget has the bounds of files; nil: the defaults.
	Budget *limits.Budget
	// Used is what counts as used of the bounds of all files when the call starts; nil:
	// what is found in Dir, counted when it is first needed.
	Used *Usage
	// Commands are the names that /bin and /usr/bin list.
	Commands []string
	// Rand fills p for /dev/urandom; nil: from the system.
	Rand func(p []byte)
	// Announce is called before the first change of a path of the workspace, with the path
	// relative to its root. A directory stands for all that is below it. Nil: nobody asks.
	Announce func(path string)
}

// Roots are the paths that are seen and those that can be written below, relative to the
// workspace root and without a trailing slash. Writable ones are visible.
type Roots struct {
	Visible  []string `json:"visible,omitzero"`
	Writable []string `json:"writable,omitzero"`
}

func (r Roots) none() bool { return r.Visible == nil && r.Writable == nil }

// CanWrite says whether a path, relative to the workspace root, may be changed.
func (r Roots) CanWrite(p string) bool {
	return r.none() && p != "" || slices.ContainsFunc(r.Writable, func(w string) bool { return p != w && inside(p, w) })
}

// Usage is how much of a workspace is used.
type Usage struct {
	Files int   `json:"files,omitzero"` // files, links and directories
	Bytes int64 `json:"bytes,omitzero"` // sizes of the files
}

// View is an [FS] over a directory of the host. It follows no link out of it, shows nothing
// beyond its roots, and refuses what passes a bound. It must be closed.
type View struct {
	o        Options
	limits   limits.Limits
	root     *os.Root
	tmp      *os.Root // nil: none
	free     bool     // no roots
	commands []string // sorted
	refused  *readOnlyError
	open     atomic.Int64 // files
	folded   folded       // under the lock

	mu        sync.Mutex // held by each change from its first check to its end
	sealed    bool
	used      Usage
	counted   bool
	written   int64
	announced map[string]bool
	writing   map[string]int // paths open for writing
}

var _ FS = (*View)(nil)

// New opens the directories of a view. Visible roots that have none are made.
func New(o Options) (*View, error) {
	v := &View{o: o, free: o.Roots.none(), announced: map[string]bool{}, writing: map[string]int{}}
	v.limits = limits.Limits{}.OrDefault()
	if o.Budget != nil {
		v.limits = o.Budget.OrDefault()
	}
	if o.Used != nil {
		v.used, v.counted = *o.Used, true
	}
	if v.o.Rand == nil {
		v.o.Rand = func(p []byte) { _, _ = rand.Read(p) } // it never fails
	}
	v.commands = slices.Compact(slices.Sorted(slices.Values(o.Commands)))
	v.refused = &readOnlyError{writable: v.writableNames()}
	var err error
	if v.root, err = os.OpenRoot(o.Dir); err != nil {
		return nil, err
	}
	if o.Tmp != "" {
		if v.tmp, err = os.OpenRoot(o.Tmp); err != nil {
			_ = v.root.Close()
			return nil, err
		}
	}
	for _, r := range o.Roots.Visible {
		// What else stands there is found when the root is used.
		_ = v.root.MkdirAll(r, 0o755)
	}
	return v, nil
}

// Close gives the handles back. Files that are open stay so.
func (v *View) Close() error {
	err := v.root.Close()
	if v.tmp != nil {
		err = firstOf(err, v.tmp.Close())
	}
	return err
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// Seal lets no change begin any more, and returns when the one in hand has ended. A change
// then fails with EINTR.
func (v *View) Seal() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sealed = true
}

// Writing gives the paths of the workspace that are open for writing, sorted and relative
// to its root.
func (v *View) Writing() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := make([]string, 0, len(v.writing))
	for p := range v.writing {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// shows says whether a place of the workspace may be seen, whether or not it exists: it is
// at or below a visible root, or leads to one.
func (v *View) shows(segs []string) bool {
	if v.free || len(segs) == 0 {
		return true
	}
	p := path.Join(segs...)
	return slices.ContainsFunc(v.o.Roots.Visible, func(r string) bool { return inside(p, r) || inside(r, p) })
}

// writes says whether a place may be changed.
func (v *View) writes(p *place) bool {
	switch {
	case v.o.ReadOnly || p.virtual != nil || p.dir == nil:
		return false
	case p.inTmp:
		return len(p.segs) > 1
	}
	return v.o.Roots.CanWrite(path.Join(p.segs...))
}

// inside says whether p is dir or below it.
func inside(p, dir string) bool {
	return p == dir || len(p) > len(dir) && p[len(dir)] == '/' && strings.HasPrefix(p, dir)
}

func (v *View) writableNames() string {
	if v.free || v.o.ReadOnly {
		return ""
	}
	names := make([]string, 0, len(v.o.Roots.Writable)+1)
	for _, r := range v.o.Roots.Writable {
		names = append(names, "/"+r)
	}
	if v.o.Tmp != "" {
		names = append(names, "/tmp")
	}
	return strings.Join(names, ", ")
}

// announce tells of a place before its first change. The lock is held.
func (v *View) announce(p *place) {
	if p.inTmp || v.o.Announce == nil {
		return
	}
	name := path.Join(p.segs...)
	if !v.announced[name] {
		v.announced[name] = true
		v.o.Announce(name)
	}
}

// mayChange is asked, with the lock held, before each change of a place.
func (v *View) mayChange(p *place) error {
	if v.sealed {
		return errInterrupted
	}
	if !v.writes(p) {
		return v.refused
	}
	return nil
}

func modeBits(m fs.FileMode) fs.FileMode {
	return m & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}
