package workspace

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// maxIgnoreFile is the size in bytes of an ignore file that is still read.
const maxIgnoreFile = 1 << 20

// walker goes through a part of a mount in order of path. Links to directories are not
// entered, so every file comes once by each name and nothing goes round.
type walker struct {
	m     *mount
	ctx   context.Context //nolint:containedctx // a walker lives within one call
	named []string        // names that a pattern spells out: never ignored
	base  string          // where the walk really begins
	all   bool            // the start is itself ignored: then nothing below is
	file  func(rel string, open func() (*opened, error)) (more bool, err error)
}

// start walks from a path, which may be a file.
func (w *walker) start(rel, shown string, hidden error) error {
	o, err := w.m.open(rel, shown, w.m.passes, hidden)
	if err != nil {
		if fault.Code(err) == codeFileNotFound {
			return fault.New(codePathNotFound, "%s does not exist", shown)
		}
		return err
	}
	if o.file != nil {
		real := o.rel
		_ = o.Close()
		if !w.m.shows(real) {
			return hidden
		}
		w.base = rel
		_, err := w.file(rel, func() (*opened, error) { return w.m.open(rel, shown, w.m.shows, hidden) })
		return err
	}
	defer o.Close()
	w.base = o.rel
	rules := w.above(o.rel)
	_, err = w.dir(o.dir, o.rel, rules)
	return err
}

// above gives the ignore rules of the directories over a path.
func (w *walker) above(rel string) []ignoreRule {
	rules := w.m.ignore
	if rel == "" {
		return rules
	}
	rules = w.with(rules, w.m.root, "")
	for dir := range dirsOf(rel + "/") {
		w.all = w.all || ignored(rules, dir, true) || dir == ".git" || strings.HasSuffix(dir, "/.git")
		if dir == rel {
			break
		}
		if o, _, err := w.m.walk(dir, dir); err == nil && o != nil {
			if o.dir != nil {
				rules = w.with(rules, o.dir, dir)
			}
			_ = o.Close()
		}
	}
	return rules
}

// with adds the rules of the ignore file of a directory.
func (w *walker) with(rules []ignoreRule, dir *os.Root, rel string) []ignoreRule {
	if !w.m.vcs {
		return rules
	}
	info, err := dir.Lstat(".gitignore")
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return rules
	}
	f, err := openFile(dir, ".gitignore", info)
	if err != nil {
		return rules
	}
	o := &opened{file: f, size: info.Size()}
	defer o.Close()
	b, err := bytesOf(w.ctx, o, ".gitignore", Limits{FileBytes: maxIgnoreFile})
	if err != nil {
		return rules
	}
	return slices.Concat(rules, parseIgnore(rel, string(b)))
}

// dir walks through an open directory.
func (w *walker) dir(dir *os.Root, rel string, rules []ignoreRule) (more bool, err error) {
	if w.ctx.Err() != nil {
		return false, stopped(w.ctx.Err(), "search")
	}
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return true, nil // not readable, or gone meanwhile: as if empty
	}
	rules = w.with(rules, dir, rel)
	// A directory is sorted as if its name ended in a slash: then the order is that of paths.
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(sortName(a), sortName(b)) })
	for _, e := range entries {
		p := path.Join(rel, e.Name())
		if w.skips(p, e, rules) {
			continue
		}
		if e.IsDir() {
			more, err = w.enterDir(dir, p, e.Name(), rules)
		} else {
			more, err = w.oneFile(dir, p, e)
		}
		if err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

func sortName(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

func (w *walker) skips(p string, e fs.DirEntry, rules []ignoreRule) bool {
	if e.IsDir() && !w.m.passes(p) || !e.IsDir() && !w.m.shows(p) {
		return true
	}
	if w.all || slices.Contains(w.named, e.Name()) {
		return false
	}
	return e.Name() == ".git" || ignored(rules, p, e.IsDir())
}

func (w *walker) enterDir(dir *os.Root, p, name string, rules []ignoreRule) (bool, error) {
	if segments(p) >= MaxDepth {
		return true, nil
	}
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() {
		return true, nil
	}
	sub, err := openDir(dir, name, info)
	if err != nil {
		return true, nil
	}
	defer sub.Close()
	if !w.all && slices.Contains(w.named, name) {
		inner := *w
		inner.all = true
		return inner.dir(sub, p, rules)
	}
	return w.dir(sub, p, rules)
}

func (w *walker) oneFile(dir *os.Root, p string, e fs.DirEntry) (bool, error) {
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		// Whether it leads to a visible file inside is known only by opening it.
		open := func() (*opened, error) { return w.m.open(p, p, w.m.shows, errSwapped) }
		o, err := open()
		if err != nil {
			return true, nil
		}
		_ = o.Close()
		if o.file == nil {
			return true, nil
		}
		return w.file(p, open)
	case !e.Type().IsRegular():
		return true, nil
	}
	return w.file(p, func() (*opened, error) {
		info, err := dir.Lstat(e.Name())
		if err != nil {
			return nil, err
		}
		f, err := openFile(dir, e.Name(), info)
		if err != nil {
			return nil, err
		}
		return &opened{rel: p, file: f, size: info.Size()}, nil
	})
}
