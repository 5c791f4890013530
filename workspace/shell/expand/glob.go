package expand

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// Glob gives the paths that match a pattern, in the order of their bytes; none is an empty
// list. More paths or more visited files than the limits allow are an error.
func (c *Config) Glob(ctx context.Context, pattern string) ([]string, error) {
	return c.glob(ctx, pattern)
}

func (c *Config) glob(ctx context.Context, pattern string) ([]string, error) {
	w := walk{c: c, dot: c.DotGlob}
	ignore := c.ignored()
	if ignore != nil {
		w.dot = true
	}
	start := ""
	for strings.HasPrefix(pattern, "/") {
		start += "/"
		pattern = pattern[1:]
	}
	if err := w.step(ctx, start, segments(pattern)); err != nil {
		return nil, err
	}
	slices.Sort(w.found)
	found := slices.Compact(w.found)
	if ignore != nil {
		found = slices.DeleteFunc(found, ignore)
	}
	return found, nil
}

// ignored gives what GLOBIGNORE leaves out, nil when it is not set.
func (c *Config) ignored() func(path string) bool {
	v := c.Shell.Get("GLOBIGNORE")
	if v.Kind != vars.Scalar || v.Str == "" {
		return nil
	}
	var patterns []*Pattern
	for _, text := range strings.Split(v.Str, ":") {
		patterns = append(patterns, compile(text, false, c.ExtGlob))
	}
	return func(path string) bool {
		base := path[strings.LastIndexByte(path, '/')+1:]
		return base == "." || base == ".." ||
			slices.ContainsFunc(patterns, func(p *Pattern) bool { return p.Match(path) })
	}
}

// segments splits a pattern at its slashes, but not inside of groups.
func segments(pattern string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '(':
			if i > 0 && strings.IndexByte("?*+@!", pattern[i-1]) >= 0 || depth > 0 {
				depth++
			}
		case ')':
			depth = max(depth-1, 0)
		case '/':
			if depth == 0 {
				out = append(out, pattern[from:i])
				from = i + 1
			}
		}
	}
	return append(out, pattern[from:])
}

// walk looks for the paths of one pattern.
type walk struct {
	c       *Config
	dot     bool // names with a dot are found by patterns that do not name it
	visited int
	found   []string
}

func (w *walk) add(path string) error {
	if most := w.c.limits().Matches; len(w.found) >= most {
		return &Error{Text: "pattern matches more than " + itoa(most) + " paths", Code: 1}
	}
	w.found = append(w.found, path)
	return nil
}

// at gives the absolute path of what is found.
func (w *walk) at(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return strings.TrimSuffix(w.c.Dir, "/") + "/" + path
}

func (w *walk) entries(ctx context.Context, dir string) ([]fs.DirEntry, error) {
	if err := over(ctx); err != nil {
		return nil, err
	}
	if w.c.FS == nil {
		return nil, nil
	}
	if dir == "" {
		dir = "."
	}
	entries, err := w.c.FS.ReadDir(w.at(dir))
	if err != nil {
		return nil, nil // What cannot be read matches nothing.
	}
	if w.visited += len(entries); w.visited > w.c.limits().Walk {
		return nil, &Error{Text: "pattern visits more than " + itoa(w.c.limits().Walk) + " files", Code: 1}
	}
	return entries, nil
}

// step finds what the rest of the pattern matches below a path, which ends with a slash
// or is empty.
func (w *walk) step(ctx context.Context, base string, rest []string) error {
	segment, last := rest[0], len(rest) == 1
	switch {
	case segment == "" && last:
		// The pattern ends with a slash: what was found is a directory.
		return w.add(base)
	case segment == "":
		return w.step(ctx, base+"/", rest[1:])
	case segment == "**" && w.c.GlobStar:
		return w.deep(ctx, base, rest[1:], true)
	case !isGlob(segment, w.c.ExtGlob || strings.Contains(segment, "(")):
		path := base + unescapePattern(segment)
		if last {
			if w.exists(path) {
				return w.add(path)
			}
			return nil
		}
		if !w.isDir(path) {
			return nil
		}
		return w.step(ctx, path+"/", rest[1:])
	}
	entries, err := w.entries(ctx, base)
	if err != nil {
		return err
	}
	p := compile(segment, w.c.NoCaseGlob, w.c.ExtGlob || strings.Contains(segment, "("))
	named := segment[0] == '.' || strings.HasPrefix(segment, `\.`) || dotInGroup(segment)
	for _, entry := range entries {
		name := entry.Name()
		if name[0] == '.' && !w.dot && !named || !p.Match(name) {
			continue
		}
		path := base + name
		if last {
			err = w.add(path)
		} else if w.isDirEntry(path, entry) {
			err = w.step(ctx, path+"/", rest[1:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dotInGroup says whether an alternative of the group that a segment begins with names
// the dot.
func dotInGroup(segment string) bool {
	return len(segment) > 2 && segment[1] == '(' && strings.IndexByte("?*+@", segment[0]) >= 0 &&
		(segment[2] == '.' || strings.Contains(segment, "|."))
}

// deep is ** under globstar: the directory itself and all below it, through no links.
func (w *walk) deep(ctx context.Context, base string, rest []string, top bool) error {
	for len(rest) > 0 && rest[0] == "**" {
		rest = rest[1:]
	}
	only := len(rest) == 0
	var err error
	switch {
	case only && top && base != "":
		err = w.add(base)
	case !only && (base != "" || rest[0] != ""):
		err = w.step(ctx, base, rest)
	}
	if err != nil {
		return err
	}
	entries, err := w.entries(ctx, base)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if name[0] == '.' && !w.dot {
			continue
		}
		if only {
			if err := w.add(base + name); err != nil {
				return err
			}
		}
		if entry.IsDir() {
			if err := w.deep(ctx, base+name+"/", rest, false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) exists(path string) bool {
	if w.c.FS == nil {
		return false
	}
	_, err := w.c.FS.Lstat(w.at(path))
	return err == nil
}

func (w *walk) isDir(path string) bool {
	if w.c.FS == nil {
		return false
	}
	info, err := w.c.FS.Stat(w.at(path))
	return err == nil && info.IsDir()
}

func (w *walk) isDirEntry(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink != 0 {
		return w.isDir(path)
	}
	return entry.IsDir()
}
