package workspace

import (
	"iter"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Depths of a listing.
const (
	ListDepth    = 2 // default
	MaxListDepth = 4
)

// Listed is one entry of a [Listing].
type Listed struct {
	Path      string
	Directory bool
	Link      string // target of a link
	Chars     int    // of a file
}

// Listing is a part of the tree of the run workspace.
type Listing struct {
	Entries   []Listed // sorted by path
	Total     int      // entries there are
	Truncated bool     // Total is over the limit of Entries
}

// List gives the visible entries below a directory, at most depth levels deep; "" is
// the root, depth 0 the default. Links are listed and not followed, except the one that the
// path leads through.
func (v *View) List(path string, depth int) (*Listing, error) {
	start := ""
	if path != "" {
		var err error
		if start, err = v.visible(path); err != nil {
			return nil, err
		}
		if start, err = v.follow(start); err != nil {
			return nil, err
		}
	}
	if err := v.startOfWalk(start); err != nil {
		return nil, err
	}
	if e, ok := v.o.Manifest.Get(start); ok && e.Kind != KindDir {
		return nil, fault.New(codeNotDirectory, "%s is a file; read it instead of listing it", start)
	}
	if depth <= 0 {
		depth = ListDepth
	}
	depth = min(depth, MaxListDepth)

	found := map[string]Listed{}
	if start == "" {
		for _, root := range v.o.Roots.Visible {
			found[root] = Listed{Path: root, Directory: true}
		}
	}
	for p, e := range v.o.Manifest.under(start) {
		if !v.o.Roots.CanSee(p) {
			continue
		}
		for dir := range dirsOf(p) {
			if below(dir, start) && segments(relative(dir, start)) <= depth && v.o.Roots.CanSee(dir) {
				found[dir] = Listed{Path: dir, Directory: true}
			}
		}
		if segments(relative(p, start)) <= depth {
			found[p] = listed(p, e)
		}
	}
	out := &Listing{Total: len(found)}
	for _, l := range found {
		out.Entries = append(out.Entries, l)
	}
	slices.SortFunc(out.Entries, func(a, b Listed) int { return strings.Compare(a.Path, b.Path) })
	if limit := v.o.Limits.ListEntries; len(out.Entries) > limit {
		out.Entries, out.Truncated = out.Entries[:limit], true
	}
	return out, nil
}

func listed(p string, e Entry) Listed {
	switch e.Kind {
	case KindDir:
		return Listed{Path: p, Directory: true}
	case KindLink:
		return Listed{Path: p, Link: e.Target}
	}
	return Listed{Path: p, Chars: e.Chars}
}

// dirsOf gives the directories that a path lies in, outermost first.
func dirsOf(p string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(p) {
			if p[i] == '/' && !yield(p[:i]) {
				return
			}
		}
	}
}

// startOfWalk fails when a checked path is neither a file nor a directory. A visible
// root is a directory even when it is empty.
func (v *View) startOfWalk(p string) error {
	if _, ok := v.o.Manifest.Get(p); ok || p == "" || v.o.Manifest.hasDir(p) || slices.Contains(v.o.Roots.Visible, p) {
		return nil
	}
	if err := v.parentIsFile(p); err != nil {
		return err
	}
	return v.notFound(codePathNotFound, p)
}
