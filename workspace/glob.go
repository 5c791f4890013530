package workspace

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// GlobQuery asks for files of the mounts by name.
type GlobQuery struct {
	Pattern string // a glob; one without *, ?, [ or { matches as a part of the path, case ignored
	Path    string // where to begin; "": everywhere
	Limit   int    // of paths; 0: 50
}

// Globbed is what a [View.Glob] gave.
type Globbed struct {
	Paths     []string // sorted
	Total     int
	Truncated bool
	Bounds    []string // what stopped the search before its end, in words
}

// Glob finds visible files of the mounts. Ignore files and .git are honoured unless the
// pattern names what they leave out.
func (v *View) Glob(ctx context.Context, q GlobQuery) (*Globbed, error) {
	if q.Pattern == "" {
		return nil, fault.New("workspace.pattern_invalid", "the pattern is empty")
	}
	if err := checkGlob(q.Pattern); err != nil {
		return nil, err
	}
	if q.Limit <= 0 {
		q.Limit = 50
	}
	out := &Globbed{}
	prefix := v.o.Mounts.optionalPrefix(q.Pattern)
	until := v.o.Now().Add(v.o.Limits.SearchTime)
	err := v.walk(ctx, q.Path, q.Pattern, func(start, p string, _ func() (*opened, error)) (bool, error) {
		if !v.o.Now().Before(until) {
			out.Bounds = []string{"the time limit of " + v.o.Limits.SearchTime.String()}
			return false, nil
		}
		if meant(q.Pattern, path.Join(prefix, p), path.Join(prefix, start)) {
			out.Paths = append(out.Paths, p)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(out.Paths)
	out.Total = len(out.Paths)
	out.Paths = out.Paths[:min(out.Total, q.Limit)]
	out.Truncated = len(out.Paths) < out.Total || len(out.Bounds) > 0
	return out, nil
}

func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?[{") }

func meant(pattern, p, start string) bool {
	if !isGlob(pattern) {
		return strings.Contains(fold(p), fold(pattern))
	}
	return doublestar.MatchUnvalidated(pattern, p) || doublestar.MatchUnvalidated(pattern, relative(p, start))
}

// Grep finds lines of visible files of the mounts, in order of path and line. Ignore
// files and .git are honoured unless the glob names what they leave out.
func (v *View) Grep(ctx context.Context, q SearchQuery) (*Found, error) {
	s, err := v.newSearch(q, "")
	if err != nil {
		return nil, err
	}
	s.prefix = v.o.Mounts.optionalPrefix(q.Glob)
	err = v.walk(ctx, q.Path, q.Glob, func(start, p string, open func() (*opened, error)) (bool, error) {
		s.start = start
		if p != start && (!s.wants(p) || s.tooDeep(p)) {
			return true, nil
		}
		return s.file(ctx, source{path: p, read: func() ([]byte, error) { return v.hostText(ctx, p, open) }})
	})
	if err != nil {
		return nil, err
	}
	return s.result(), nil
}

// errSkip says that a search goes on without a file.
var errSkip = fault.New("workspace.search_failed", "the file cannot be read")

// hostText reads a file for a search; errSkip when it cannot be read.
func (v *View) hostText(ctx context.Context, p string, open func() (*opened, error)) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, errSkip
	}
	defer f.Close()
	b, err := bytesOf(ctx, f, p, v.o.Limits)
	if err != nil && ctx.Err() == nil {
		return nil, errSkip
	}
	return b, err
}

// walk calls visit for the files below a path of the mounts, or of all mounts, with the
// path where the walk really began.
func (v *View) walk(ctx context.Context, p, pattern string, visit func(start, p string, open func() (*opened, error)) (bool, error)) error {
	mounts := v.o.Mounts
	type begin struct {
		m   *mount
		rel string
	}
	var begins []begin
	if clean := strings.Trim(p, "/"); (clean == "" || clean == ".") && !strings.HasPrefix(p, "/") && mounts.Len() > 0 {
		for _, one := range mounts.list {
			begins = append(begins, begin{one, ""})
		}
	} else {
		one, rel, err := mounts.locate(p)
		if err != nil {
			return err
		}
		begins = []begin{{one, rel}}
	}
	for _, b := range begins {
		ended := false
		w := &walker{m: b.m, ctx: ctx, named: literals(pattern)}
		w.file = func(rel string, open func() (*opened, error)) (bool, error) {
			more, err := visit(mounts.show(b.m, w.base), mounts.show(b.m, rel), open)
			ended = !more
			return more, err
		}
		shown := mounts.show(b.m, b.rel)
		if shown == "" {
			shown = b.m.at
		}
		if err := w.start(b.rel, shown, mounts.notVisible(shown)); err != nil || ended {
			return mounts.formed(err)
		}
	}
	return nil
}

// literals gives the segments of a pattern that spell out a name.
func literals(pattern string) []string {
	var out []string
	for seg := range strings.SplitSeq(pattern, "/") {
		if seg != "" && !isGlob(seg) {
			out = append(out, seg)
		}
	}
	return out
}
