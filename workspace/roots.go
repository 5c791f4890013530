package workspace

import (
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Names of the roots of a run workspace (workspace spec §3).
const (
	Output      = "output"
	Scratch     = "scratch"
	Plan        = "plan"
	Summaries   = "summaries"
	Persist     = "persist"
	Input       = "input"
	ToolResults = "tool-results"
	Skills      = "skills"
)

// Roots says which paths of the run workspace an invocation sees and may write. A
// visible root is visible itself and below; a writable one is writable strictly below.
// Paths have no trailing slash. The zero value stands for [DefaultRoots].
type Roots struct {
	Visible  []string `json:"visible,omitzero"`
	Writable []string `json:"writable,omitzero"`
}

// DefaultRoots gives the roots of a profile that does not narrow them. Tool results are
// not among them, because each invocation sees only some: see [Roots.AndVisible].
func DefaultRoots() Roots {
	writable := []string{Output, Persist, Plan, Scratch, Summaries}
	visible := append([]string{Input, Skills}, writable...)
	slices.Sort(visible)
	return Roots{Visible: visible, Writable: writable}
}

func (r Roots) orDefault() Roots {
	if r.Visible == nil && r.Writable == nil {
		return DefaultRoots()
	}
	return r
}

// AndVisible gives r with more paths that can be read, such as the folders of the tool
// results that an invocation may see.
func (r Roots) AndVisible(paths ...string) Roots {
	r = r.orDefault()
	visible := slices.Concat(r.Visible, paths)
	slices.Sort(visible)
	r.Visible = slices.Compact(visible)
	return r
}

// Narrow gives the part of r that a profile leaves. A nil list leaves what there is.
// A path outside r, or a writable one that is not visible: "workspace.roots_invalid".
func (r Roots) Narrow(visible, writable []string) (Roots, error) {
	r = r.orDefault()
	out := r
	if visible != nil {
		paths, err := narrowed("visible", visible, r.Visible)
		if err != nil {
			return Roots{}, err
		}
		out.Visible, out.Writable = paths, intersect(r.Writable, paths)
	}
	if writable != nil {
		paths, err := narrowed("writable", writable, r.Writable)
		if err != nil {
			return Roots{}, err
		}
		for _, p := range paths {
			if !anyInside(p, out.Visible) {
				return Roots{}, fault.New("workspace.roots_invalid", "the writable root %q is not visible; visible: %s", p, names(out.Visible))
			}
		}
		out.Writable = paths
	}
	return out, nil
}

func narrowed(what string, want, have []string) ([]string, error) {
	out := make([]string, 0, len(want))
	for _, s := range want {
		p, err := ParsePath(s)
		if err != nil {
			return nil, fault.Wrap(err, "workspace.roots_invalid", "the %s root %q", what, s)
		}
		if p == "" || !anyInside(p, have) {
			return nil, fault.New("workspace.roots_invalid", "the %s root %q widens what there is; %s: %s", what, s, what, names(have))
		}
		out = append(out, p)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// intersect gives the parts of the paths a that are inside paths of b.
func intersect(a, b []string) []string {
	out := []string{}
	for _, x := range a {
		for _, y := range b {
			switch {
			case inside(x, y):
				out = append(out, x)
			case inside(y, x):
				out = append(out, y)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func anyInside(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return inside(p, dir) })
}

// CanSee says whether p is visible, whether or not it exists.
func (r Roots) CanSee(p string) bool { return anyInside(p, r.orDefault().Visible) }

// CanWrite says whether p is strictly below a writable root.
func (r Roots) CanWrite(p string) bool { return r.writableRoot(p) != "" }

// writableRoot gives the innermost writable root that p is strictly below, or "".
func (r Roots) writableRoot(p string) string {
	found := ""
	for _, dir := range r.orDefault().Writable {
		if below(p, dir) && len(dir) > len(found) {
			found = dir
		}
	}
	return found
}

func names(paths []string) string {
	if len(paths) == 0 {
		return "none"
	}
	return strings.Join(paths, ", ")
}
