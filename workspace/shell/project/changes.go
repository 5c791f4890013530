package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Changes gives what differs at the announced paths, and below them, from the manifest that
// the directory holds: removals first, then the rest, each in order of path. A move is a
// removal and a creation; an emptied directory is one that was made. It looks with the eyes
// of a call that has the roots, so no link leads it anywhere else. What was announced and
// cannot be a change of such a call, such as a path outside the roots or a pipe, is left
// out, and the next [Projection.Sync] makes everything anew. A content that the journal has
// as a blob already is left out too. Modes are brought to 0644, 0755
// for what the owner may execute, and 0755 for directories.
func (p *Projection) Changes(ctx context.Context, announced []string, roots view.Roots) ([]workspace.Change, error) {
	v, err := view.New(view.Options{Dir: p.dir, Roots: roots, Used: &view.Usage{}})
	if err != nil {
		return nil, err
	}
	defer v.Close()
	l := &look{ctx: ctx, p: p, v: v, found: map[string]workspace.Change{}}
	for _, name := range outermost(announced) {
		if err := l.path(name, roots); err != nil {
			return nil, err
		}
	}
	return l.changes(), nil
}

// Accept takes changes that [Projection.Changes] gave for what the directory holds from now
// on.
func (p *Projection) Accept(changes []workspace.Change) {
	p.held = p.held.With("", changes)
}

// outermost gives the paths that are in no other one, sorted.
func outermost(announced []string) []string {
	all := slices.Compact(slices.Sorted(slices.Values(announced)))
	known := make(map[string]bool, len(all))
	for _, name := range all {
		known[name] = true
	}
	return slices.DeleteFunc(all, func(name string) bool {
		for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if known[dir] {
				return true
			}
		}
		return false
	})
}

// look is one look at a directory after a call.
type look struct {
	ctx    context.Context //nolint:containedctx // it lives within one call
	p      *Projection
	v      *view.View
	looked []string
	found  map[string]workspace.Change // what is there now, by path

	known map[string]workspace.Entry // of what the journal keeps apart, by hash
	sizes map[int64]bool
}

// doubt lets the directory be made anew.
func (l *look) doubt() { l.p.sure = false }

// path looks at an announced path.
func (l *look) path(name string, roots view.Roots) error {
	if clean, err := workspace.ParsePath(name); err != nil || clean != name || !roots.CanWrite(name) {
		l.doubt()
		return nil
	}
	// A path that leads through a link is never announced, nor is it looked at.
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		info, err := l.v.Lstat("/" + name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil || !info.IsDir() {
			l.doubt()
			return nil
		}
	}
	l.looked = append(l.looked, name)
	there, err := l.entry(name)
	if err != nil || there {
		return err
	}
	if dir := path.Dir(name); roots.CanWrite(dir) { // a root needs no entry
		return l.emptied(dir)
	}
	return nil
}

// entry notes what is at a path; false: nothing.
func (l *look) entry(name string) (bool, error) {
	if l.ctx.Err() != nil {
		return false, fault.Wrap(context.Cause(l.ctx), "tool.cancelled", "the files of the shell: stopped")
	}
	info, err := l.v.Lstat("/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c := workspace.Change{Path: name, Op: workspace.OpWrite}
	switch info.Mode().Type() {
	case fs.ModeDir:
		return true, l.dir(name, info)
	case fs.ModeSymlink:
		c.Kind = workspace.KindLink
		c.Content, err = l.v.Readlink("/" + name)
		if err == nil && (!utf8.ValidString(c.Content) || len(c.Content) > workspace.MaxPath) {
			l.doubt()
			return true, nil
		}
	case 0:
		c.Exec = info.Mode()&0o100 != 0
		if err := l.mode(name, info, modeOf(c.Exec)); err != nil {
			return true, err
		}
		if e, ok, err := l.stored(name, info.Size()); ok || err != nil {
			c.New, c.Size, c.Chars = e.Hash, e.Size, e.Chars
			l.found[name] = c
			return true, err
		}
		var b strings.Builder
		b.Grow(int(info.Size()))
		err = l.read(name, &b)
		c.Content = b.String()
	default:
		l.doubt()
		return true, nil
	}
	if err != nil {
		return true, err
	}
	l.note(c)
	return true, nil
}

func (l *look) note(c workspace.Change) {
	c.New, c.Size, c.Chars = workspace.HashOf([]byte(c.Content)), len(c.Content), workspace.Chars(c.Content)
	l.found[c.Path] = c
}

// dir notes what is in a directory, or that it is empty.
func (l *look) dir(name string, info fs.FileInfo) error {
	if err := l.mode(name, info, fs.ModeDir|0o755); err != nil {
		return err
	}
	entries, err := l.v.ReadDir("/" + name)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		l.note(workspace.Change{Path: name, Kind: workspace.KindDir, Op: workspace.OpWrite})
		return nil
	}
	for _, e := range entries {
		below := name + "/" + e.Name()
		if clean, err := workspace.ParsePath(below); err != nil || clean != below {
			l.doubt()
			continue
		}
		if _, err := l.entry(below); err != nil {
			return err
		}
	}
	return nil
}

// mode gives a file or directory the mode that it is to have.
func (l *look) mode(name string, info fs.FileInfo, mode fs.FileMode) error {
	if info.Mode() == mode {
		return nil
	}
	return l.v.Chmod("/"+name, mode)
}

func (l *look) read(name string, to io.Writer) error {
	f, err := l.v.Open("/"+name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}

// stored gives the entry of the manifest that has the content of a file, if the journal
// keeps that content apart: it was moved, copied or not changed, and is not read into memory.
func (l *look) stored(name string, size int64) (workspace.Entry, bool, error) {
	if size <= journal.MaxInline {
		return workspace.Entry{}, false, nil
	}
	if l.known == nil {
		l.known, l.sizes = map[string]workspace.Entry{}, map[int64]bool{}
		for _, e := range l.p.held.All() {
			if e.Size > journal.MaxInline {
				l.known[e.Hash], l.sizes[int64(e.Size)] = e, true
			}
		}
	}
	if !l.sizes[size] {
		return workspace.Entry{}, false, nil
	}
	sum := sha256.New()
	if err := l.read(name, sum); err != nil {
		return workspace.Entry{}, false, err
	}
	e, ok := l.known[hex.EncodeToString(sum.Sum(nil))]
	return e, ok, nil
}

// emptied notes that a directory holds nothing since something in it went away.
func (l *look) emptied(name string) error {
	info, err := l.v.Lstat("/" + name)
	if err != nil || !info.IsDir() {
		return nil // it is gone too
	}
	if entries, err := l.v.ReadDir("/" + name); err != nil || len(entries) > 0 {
		return err
	}
	l.looked = append(l.looked, name)
	l.note(workspace.Change{Path: name, Kind: workspace.KindDir, Op: workspace.OpWrite})
	return nil
}

// changes compares what was found with what the directory held.
func (l *look) changes() []workspace.Change {
	var gone, now []workspace.Change
	paths := slices.Sorted(maps.Keys(l.found))
	seen := map[string]bool{}
	remove := func(name string, e workspace.Entry) {
		if _, ok := l.found[name]; ok || seen[name] {
			return
		}
		seen[name] = true
		if e.Kind != workspace.KindDir || !holds(paths, name) {
			gone = append(gone, workspace.Change{Path: name, Op: workspace.OpDelete, Old: e.Hash})
		}
	}
	for _, name := range l.looked {
		if e, ok := l.p.held.Get(name); ok {
			remove(name, e)
		}
		for below, e := range l.p.held.Under(name) {
			remove(below, e)
		}
	}
	for _, name := range paths {
		c := l.found[name]
		e, ok := l.p.held.Get(c.Path)
		c.Old = e.Hash
		if !ok || differs(e, workspace.Entry{Hash: c.New, Kind: c.Kind, Exec: c.Exec}) {
			now = append(now, c)
		}
	}
	slices.SortFunc(gone, func(a, b workspace.Change) int { return strings.Compare(a.Path, b.Path) })
	return append(gone, now...)
}

// holds says whether sorted paths have one below a directory.
func holds(paths []string, dir string) bool {
	i, _ := slices.BinarySearch(paths, dir+"/")
	return i < len(paths) && strings.HasPrefix(paths[i], dir+"/")
}
