package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// MountSpec describes a host directory to mount (workspace spec §4).
type MountSpec struct {
	Host     string   `json:"host,omitzero"`     // the directory, absolute
	At       string   `json:"at,omitzero"`       // its name in the view, one segment; "": the name of the directory
	Mode     string   `json:"mode,omitzero"`     // "" or "read-only"; "read-write" is refused in this version
	Roots    []string `json:"roots,omitzero"`    // sub-paths that are visible; nil: all
	Hidden   []string `json:"hidden,omitzero"`   // globs never shown; nil: DefaultHidden; an entry "+glob" adds to the list
	Ignore   []string `json:"ignore,omitzero"`   // globs not listed or searched, as in an ignore file; nil: the .gitignore files; "+glob" adds
	Symlinks string   `json:"symlinks,omitzero"` // "" or "inside": followed when the target is in the mount; "none": refused
}

// DefaultHidden gives the globs of a mount that sets none. A glob without a slash hides
// the name at every depth; what is hidden hides all below it.
func DefaultHidden() []string {
	return []string{".env", ".env.*", "**/*.pem", "**/id_*", ".git/config", ".git/hooks/**"}
}

// Mounts are the host directories of a run, opened once. They are read only, safe for
// concurrent use, and nil is none.
type Mounts struct{ list []*mount } // sorted by name

// mount is one directory. Its handle is taken once, so that a later rename of the path
// does not redirect it.
type mount struct {
	at     string
	host   string // as given, absolute
	real   string // without links
	root   *os.Root
	roots  []string // nil: all
	hidden []string // folded
	cut    []string // folded paths in the mount that are never visible
	vcs    bool     // honour .gitignore files
	ignore []ignoreRule
	links  bool
}

// OpenMounts opens host directories. The directories cutOut, absolute, and what is below
// them are never visible: the data directory. Errors are "workspace.mount_invalid".
func OpenMounts(specs []MountSpec, cutOut []string) (*Mounts, error) {
	m := &Mounts{}
	for _, s := range specs {
		one, err := openMount(s, cutOut)
		if err == nil {
			err = m.fits(one)
			m.list = append(m.list, one)
		}
		if err != nil {
			m.Close()
			return nil, err
		}
	}
	slices.SortFunc(m.list, func(a, b *mount) int { return strings.Compare(a.at, b.at) })
	return m, nil
}

func (m *Mounts) fits(one *mount) error {
	for _, other := range m.list {
		if sameName(one.at, other.at) {
			return badMount(one.host, "the name %q is taken by %s", one.at, other.host)
		}
		if hostInside(one.real, other.real) || hostInside(other.real, one.real) {
			return badMount(one.host, "it overlaps with the mount of %s", other.host)
		}
	}
	return nil
}

func openMount(s MountSpec, cutOut []string) (*mount, error) {
	if !filepath.IsAbs(s.Host) {
		return nil, badMount(s.Host, "the path is not absolute")
	}
	one := &mount{host: filepath.Clean(s.Host), at: s.At, links: s.Symlinks != "none"}
	if one.at == "" {
		one.at = filepath.Base(one.host)
	}
	name, err := ParsePath(one.at)
	switch {
	case err != nil || segments(name) != 1 || strings.Contains(name, ":"):
		return nil, badMount(s.Host, "the name %q is not one valid path segment", one.at)
	case s.Mode == "read-write":
		return nil, badMount(s.Host, "mode read-write: not in this version; use read-only")
	case s.Mode != "" && s.Mode != "read-only":
		return nil, badMount(s.Host, "mode %q is neither read-only nor read-write", s.Mode)
	case s.Symlinks != "" && s.Symlinks != "none" && s.Symlinks != "inside":
		return nil, badMount(s.Host, "symlinks %q is neither inside nor none", s.Symlinks)
	}
	one.at = name
	if err := one.rules(s); err != nil {
		return nil, err
	}
	if one.real, err = filepath.EvalSymlinks(one.host); err != nil {
		return nil, fault.Wrap(err, "workspace.mount_invalid", "mount %s: the directory cannot be opened", s.Host)
	}
	for _, dir := range cutOut {
		dir = realPath(dir)
		if hostInside(one.real, dir) {
			return nil, badMount(s.Host, "it lies in %s, which is never visible", dir)
		}
		if hostInside(dir, one.real) {
			rel, err := filepath.Rel(one.real, dir)
			if err != nil {
				return nil, fault.Wrap(err, "workspace.mount_invalid", "mount %s", s.Host)
			}
			one.cut = append(one.cut, fold(filepath.ToSlash(rel)))
		}
	}
	if one.root, err = os.OpenRoot(one.real); err != nil {
		return nil, fault.Wrap(err, "workspace.mount_invalid", "mount %s: the directory cannot be opened", s.Host)
	}
	return one, nil
}

// rules reads the lists of a spec.
func (m *mount) rules(s MountSpec) error {
	for _, r := range s.Roots {
		p, err := parseHostPath(r)
		if err != nil {
			return fault.Wrap(err, "workspace.mount_invalid", "mount %s: the root %q", s.Host, r)
		}
		if p != "" {
			m.roots = append(m.roots, p)
		} else {
			m.roots = nil
			break
		}
	}
	hidden, _ := additions(s.Hidden, DefaultHidden())
	for _, glob := range hidden {
		glob = strings.TrimPrefix(fold(glob), "/")
		if glob == "" || !doublestar.ValidatePattern(glob) {
			return badMount(s.Host, "the hidden glob %q is not valid", glob)
		}
		if !strings.Contains(glob, "/") {
			glob = "**/" + glob
		}
		m.hidden = append(m.hidden, glob)
	}
	ignore, own := additions(s.Ignore, nil)
	m.vcs = !own
	m.ignore = parseIgnore("", strings.Join(ignore, "\n"))
	return nil
}

// additions reads a list that replaces the one given, or adds to it by "+" entries; own
// says that it replaces.
func additions(list, base []string) (out []string, own bool) {
	if list == nil {
		return base, false
	}
	var added []string
	own = len(list) == 0
	for _, s := range list {
		if rest, ok := strings.CutPrefix(s, "+"); ok {
			added = append(added, rest)
			continue
		}
		own = true
		out = append(out, s)
	}
	if !own {
		out = base
	}
	return slices.Concat(out, added), own
}

func badMount(host, reason string, args ...any) error {
	return fault.Wrap(fault.New("workspace.mount_invalid", reason, args...), "workspace.mount_invalid", "mount %s", host)
}

// realPath resolves the links of a path as far as it exists.
func realPath(p string) string {
	p = filepath.Clean(p)
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	dir := filepath.Dir(p)
	if dir == p {
		return p
	}
	return filepath.Join(realPath(dir), filepath.Base(p))
}

func hostInside(p, dir string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Close gives the handles back. Views must not be used after it.
func (m *Mounts) Close() {
	if m == nil {
		return
	}
	for _, one := range m.list {
		// A handle that was only read from has nothing to lose when closing fails.
		_ = one.root.Close()
	}
}

// Len gives the number of mounts.
func (m *Mounts) Len() int {
	if m == nil {
		return 0
	}
	return len(m.list)
}

// Names gives the names of the mounts, sorted.
func (m *Mounts) Names() []string {
	if m == nil {
		return nil
	}
	out := make([]string, 0, len(m.list))
	for _, one := range m.list {
		out = append(out, one.at)
	}
	return out
}

// MountRoots leaves one mount to an invocation, with the sub-paths Roots; nil: all of it.
type MountRoots struct {
	At    string
	Roots []string
}

// Narrow gives the mounts that a profile leaves. They share the handles of m and are not
// closed on their own. Errors are "workspace.mount_invalid".
func (m *Mounts) Narrow(keep []MountRoots) (*Mounts, error) {
	out := &Mounts{}
	for _, k := range keep {
		i := slices.Index(m.Names(), k.At)
		if i < 0 {
			return nil, fault.New("workspace.mount_invalid", "there is no mount %q; mounts: %s", k.At, names(m.Names()))
		}
		one := *m.list[i]
		if k.Roots != nil {
			roots := []string{}
			for _, r := range k.Roots {
				p, err := parseHostPath(r)
				if err != nil || one.roots != nil && !anyInside(p, one.roots) {
					return nil, fault.New("workspace.mount_invalid", "the root %q of the mount %q widens what there is", r, k.At)
				}
				roots = append(roots, p)
			}
			one.roots = roots
		}
		out.list = append(out.list, &one)
	}
	slices.SortFunc(out.list, func(a, b *mount) int { return strings.Compare(a.at, b.at) })
	return out, nil
}

// shows says whether a path of the mount may be seen, whether or not it exists.
func (m *mount) shows(rel string) bool {
	return (m.roots == nil || anyInside(rel, m.roots)) && !m.hides(rel)
}

// passes says whether a walk may go through a directory: it may be seen or leads to a
// root.
func (m *mount) passes(dir string) bool {
	if m.hides(dir) {
		return false
	}
	return m.roots == nil || anyInside(dir, m.roots) ||
		slices.ContainsFunc(m.roots, func(r string) bool { return inside(r, dir) })
}

func (m *mount) hides(rel string) bool {
	if rel == "" {
		return false
	}
	rel = fold(rel)
	if anyInside(rel, m.cut) {
		return true
	}
	for _, glob := range m.hidden {
		if doublestar.MatchUnvalidated(glob, rel) {
			return true
		}
		for dir := range dirsOf(rel) {
			if doublestar.MatchUnvalidated(glob, dir) {
				return true
			}
		}
	}
	return false
}

// key is the path of a file in the read-state.
func (m *mount) key(rel string) string { return m.at + ":" + rel }

// locate finds the mount and the path in it that a path of a call means. A path that no
// mount holds: "workspace.path_not_visible".
func (m *Mounts) locate(p string) (*mount, string, error) {
	if m.Len() == 0 {
		return nil, "", fault.New(codeNotVisible, "no host directory is mounted here")
	}
	if filepath.IsAbs(p) {
		clean := filepath.Clean(p)
		for _, one := range m.list {
			for _, dir := range []string{one.host, one.real} {
				if hostInside(clean, dir) {
					rel, err := filepath.Rel(dir, clean)
					if err != nil {
						return nil, "", invalidPath(p, "it cannot be made relative to the mount")
					}
					rel, err = parseHostPath(filepath.ToSlash(rel))
					return one, rel, err
				}
			}
		}
		if err := checkPathText(p); err != nil {
			return nil, "", err
		}
		return nil, "", m.notVisible(p)
	}
	if len(m.list) == 1 {
		rel, err := parseHostPath(p)
		if at := m.optionalName(); at != "" && inside(rel, at) {
			rel = relative(rel, at)
		}
		return m.list[0], rel, err
	}
	if err := checkPathText(p); err != nil {
		return nil, "", err
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(p, "./"), "/")
	i := slices.Index(m.Names(), name)
	if i < 0 {
		return nil, "", m.notVisible(p)
	}
	if rest == "" {
		return m.list[i], "", nil
	}
	rel, err := parseHostPath(rest)
	return m.list[i], rel, err
}

// show gives the path of a file as calls name it.
func (m *Mounts) show(one *mount, rel string) string {
	if len(m.list) == 1 {
		return rel
	}
	return path.Join(one.at, rel)
}

// optionalName gives the name of a single mount when paths may begin with it, as they have
// to where there are several: not when its directory has an entry of that name.
func (m *Mounts) optionalName() string {
	if m.Len() != 1 {
		return ""
	}
	one := m.list[0]
	if _, err := one.root.Lstat(one.at); err == nil {
		return ""
	}
	return one.at
}

// optionalPrefix gives what a file's path is to begin with when it is compared with a glob
// that begins with the name of a single mount; "" for any other glob.
func (m *Mounts) optionalPrefix(glob string) string {
	if at := m.optionalName(); at != "" && inside(glob, at) {
		return at
	}
	return ""
}

func (m *Mounts) notVisible(p string) error {
	return fault.New(codeNotVisible, "%s is not visible here; %s", p, m.form())
}

// form says how paths are written.
func (m *Mounts) form() string {
	if len(m.list) == 1 {
		return "paths are relative to the mount " + m.list[0].at
	}
	return "paths begin with the name of a mount: " + names(m.Names())
}

// formed adds to the error of a path that leads nowhere how paths are written.
func (m *Mounts) formed(err error) error {
	var e *fault.Error
	if !errors.As(err, &e) || e.Cause != nil || e.Code != codeFileNotFound && e.Code != codePathNotFound {
		return err
	}
	return fault.New(e.Code, "%s; %s", e.Detail, m.form())
}

func notExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
