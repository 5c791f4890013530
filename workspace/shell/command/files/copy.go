package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// copier copies files and trees: for cp, for ln without -s, and for mv between places that
// a rename cannot bridge.
type copier struct {
	*run
	recursive   bool
	follow      follow
	mode        bool // preserve it
	times       bool // preserve them
	plain       bool // modes as of new files
	force       bool // remove what cannot be opened
	replace     bool // remove what stands there first
	interactive bool
	keep        bool // never overwrite
	update      bool // only what is newer
	verbose     bool
	attributes  bool // no contents
	backup      backup
	visited     int
	made        map[string]bool // files that this call made, when there are several sources
	into, top   string          // the directory, below its own source, that is being made
}

// copy copies from src to dst, the name of the new file itself. It says whether all went
// well.
func (c *copier) copy(src, dst string, depth int) bool {
	if c.over() {
		return false
	}
	if c.visited++; c.visited > c.Budget.Walk {
		c.failed("cannot copy '%s': %s", src, text(&walkError{c.Budget.Walk}))
		return false
	}
	info, err := c.look(src, c.follow == followAll || c.follow == followArgs && depth == 0)
	if err != nil {
		c.failed("cannot stat '%s': %s", src, text(err))
		return false
	}
	if info.IsDir() {
		return c.copyDir(src, dst, info, depth)
	}
	link := info.Mode()&fs.ModeSymlink != 0
	old, err := c.lstat(dst)
	if err == nil {
		if ok, done := c.mayReplace(src, dst, info, old, link); done {
			return ok
		}
	}
	if c.verbose {
		c.Out.WriteString(sq(src) + " -> " + sq(dst) + "\n")
	}
	if link {
		return c.copyLink(src, dst)
	}
	return c.copyFile(src, dst, info)
}

// mayReplace decides about a destination that stands already. done: nothing is left to do,
// and ok says how it went.
func (c *copier) mayReplace(src, dst string, info, old fs.FileInfo, link bool) (ok, done bool) {
	if plain := old.Mode()&fs.ModeSymlink == 0; c.Abs(src) == c.Abs(dst) || (!link || plain) && c.same(src, dst) {
		c.failed("'%s' and '%s' are the same file", src, dst)
		return false, true
	}
	target := old
	if old.Mode()&fs.ModeSymlink != 0 {
		var err error
		if target, err = c.stat(dst); err != nil {
			target = old
			if !link && !c.replace && !c.keep {
				c.failed("not writing through dangling symlink '%s'", dst)
				return false, true
			}
		}
	}
	switch {
	case target.IsDir() && (old == target || !link):
		c.failed("cannot overwrite directory '%s' with non-directory", dst)
		return false, true
	case c.keep, c.update && !info.ModTime().After(target.ModTime()):
		return true, true
	case c.interactive && !c.confirm("overwrite '"+dst+"'"):
		return true, true
	case c.made[path.Clean(c.Abs(dst))]:
		c.failed("will not overwrite just-created '%s' with '%s'", dst, src)
		return false, true
	}
	if err := c.backup.keep(c.run, dst); err != nil {
		c.failed("cannot backup '%s': %s", dst, text(err))
		return false, true
	}
	if c.replace || link {
		if err := c.FS.Remove(c.Abs(dst)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.failed("cannot remove '%s': %s", dst, text(err))
			return false, true
		}
	}
	return true, false
}

func (c *copier) copyLink(src, dst string) bool {
	target, err := c.FS.Readlink(c.Abs(src))
	if err == nil {
		err = c.FS.Symlink(target, c.Abs(dst))
	}
	if err != nil {
		c.failed("cannot create symbolic link '%s': %s", dst, text(err))
	}
	return err == nil
}

func (c *copier) copyFile(src, dst string, info fs.FileInfo) bool {
	in, err := c.FS.Open(c.Abs(src), os.O_RDONLY, 0)
	if err != nil {
		c.failed("cannot open '%s' for reading: %s", src, text(err))
		return false
	}
	defer in.Close()
	perm := info.Mode().Perm() &^ c.Umask
	switch {
	case c.mode:
		perm = info.Mode().Perm()
	case c.plain:
		perm = 0o666 &^ c.Umask
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if c.attributes {
		flags &^= os.O_TRUNC
	}
	out, err := c.FS.Open(c.Abs(dst), flags, perm)
	if err != nil && c.force && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.EROFS) {
		if c.FS.Remove(c.Abs(dst)) == nil {
			out, err = c.FS.Open(c.Abs(dst), flags, perm)
		}
	}
	if err != nil {
		c.failed("cannot create regular file '%s': %s", dst, text(err))
		return false
	}
	if c.made != nil {
		c.made[path.Clean(c.Abs(dst))] = true
	}
	if !c.attributes {
		_, err = io.Copy(out, c.reader(in))
	}
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		c.failed("error writing '%s': %s", dst, text(err))
		return false
	}
	return c.preserve(dst, info)
}

// reader reads until the call ends.
func (r *run) reader(in io.Reader) io.Reader { return &stoppable{r, in} }

type stoppable struct {
	r  *run
	in io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.r.ctx.Err(); err != nil {
		return 0, err
	}
	return s.in.Read(p)
}

// preserve gives a copy the mode and times of what it was made from.
func (c *copier) preserve(dst string, info fs.FileInfo) bool {
	if c.mode {
		if err := c.FS.Chmod(c.Abs(dst), fileMode(permBits(info.Mode()))); err != nil {
			c.failed("preserving permissions for '%s': %s", dst, text(err))
			return false
		}
	}
	if c.times {
		return c.setTimes(dst, timeOf(info, 'a'), info.ModTime())
	}
	return true
}

func (c *copier) setTimes(dst string, accessed, modified time.Time) bool {
	if err := c.FS.Chtimes(c.Abs(dst), accessed, modified); err != nil {
		c.failed("preserving times for '%s': %s", dst, text(err))
		return false
	}
	return true
}

func (c *copier) copyDir(src, dst string, info fs.FileInfo, depth int) bool {
	if !c.recursive {
		c.failed("-r not specified; omitting directory '%s'", src)
		return false
	}
	if depth == 0 {
		c.into = ""
		if c.within(src, dst) {
			c.into, c.top = path.Clean(c.Abs(dst)), dst
		}
	}
	if path.Clean(c.Abs(src)) == c.into {
		c.failed("cannot copy a directory, '%s', into itself, '%s'", parent(src), c.top)
		return false
	}
	old, err := c.stat(dst)
	switch {
	case err == nil && !old.IsDir():
		c.failed("cannot overwrite non-directory '%s' with directory '%s'", dst, src)
		return false
	case err != nil:
		if err := c.FS.Mkdir(c.Abs(dst), 0o700|info.Mode().Perm()&^c.Umask); err != nil {
			c.failed("cannot create directory '%s': %s", dst, text(err))
			return false
		}
		if c.verbose {
			c.Out.WriteString(sq(src) + " -> " + sq(dst) + "\n")
		}
	}
	entries, err := c.FS.ReadDir(c.Abs(src))
	if err != nil {
		c.failed("cannot access '%s': %s", src, text(err))
		return false
	}
	ok := true
	for _, e := range entries {
		ok = c.copy(join(src, e.Name()), join(dst, e.Name()), depth+1) && ok
	}
	if old == nil && !c.mode {
		if perm := info.Mode().Perm() &^ c.Umask; perm|0o700 != perm {
			ok = c.FS.Chmod(c.Abs(dst), perm) == nil && ok
		}
	}
	return c.preserve(dst, info) && ok
}

// within says whether dst is src or would be made somewhere below it.
func (c *copier) within(src, dst string) bool {
	from, err := c.FS.Real(c.Abs(src))
	if err != nil {
		return false
	}
	for p := path.Clean(c.Abs(dst)); ; p = path.Dir(p) {
		if real, err := c.FS.Real(p); err == nil {
			return real == from || strings.HasPrefix(real, strings.TrimSuffix(from, "/")+"/")
		}
		if p == "/" {
			return false
		}
	}
}
