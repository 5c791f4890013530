package files

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// extractor makes files of members.
type extractor struct {
	*archiver
	made map[string]bool // directories that are known to be no links
	late []lateDir
}

// lateDir is a directory whose mode and time are set when all is in it.
type lateDir struct {
	path     string
	mode     uint32
	modified time.Time
}

// extract makes the file of a member. What is wrong with the member alone is reported; the
// error that comes back ends the extraction.
func (e *extractor) extract(h *tar.Header, content io.Reader) error {
	name, ok := e.stripped(h.Name)
	if !ok {
		return nil
	}
	if why := e.refuses(name); why != "" {
		e.fault("%s: %s: not extracted", h.Name, why)
		return nil
	}
	target := name
	if e.topLevel != "" && name != e.topLevel && !strings.HasPrefix(name, e.topLevel+"/") {
		target = join(e.topLevel, strings.TrimPrefix(name, "./"))
	}
	dir := e.lastDir()
	if dir != "" && !strings.HasPrefix(target, "/") {
		target = join(dir, target)
	}
	if through := e.linkAbove(target, dir); through != "" {
		e.fault("%s: leads through the link %s: not extracted", h.Name, through)
		return nil
	}
	err := e.make(h, target, content)
	switch {
	case err == nil:
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, tar.ErrHeader):
		return e.readFault(err)
	case e.ctx.Err() != nil:
		return errTar
	default:
		e.fault("%s: %s", h.Name, err)
	}
	return nil
}

// stripped takes away the first parts of a name. ok is false when nothing is left.
func (e *extractor) stripped(name string) (string, bool) {
	for range e.strip {
		_, rest, ok := strings.Cut(strings.TrimLeft(name, "/"), "/")
		if !ok {
			return "", false
		}
		name = strings.TrimLeft(rest, "/")
	}
	return name, strings.Trim(name, "/") != "" || strings.HasPrefix(name, "/")
}

// refuses says why a member of this name is not extracted.
func (e *extractor) refuses(name string) string {
	if strings.HasPrefix(name, "/") && !e.opt.Has("P") {
		return "Member name is absolute"
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == ".." {
			return "Member name contains '..'"
		}
	}
	if strings.IndexByte(name, 0) >= 0 {
		return "Member name contains NUL"
	}
	return ""
}

// linkAbove gives the first part above a target, below the directory of -C, that is a link.
func (e *extractor) linkAbove(target, dir string) string {
	for i := len(dir) + 1; i < len(target); i++ {
		if target[i] != '/' {
			continue
		}
		at := target[:i]
		if e.made[at] {
			continue
		}
		info, err := e.lstat(at)
		if err != nil {
			return ""
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return at
		}
		e.made[at] = true
	}
	return ""
}

func (e *extractor) make(h *tar.Header, target string, content io.Reader) error {
	if err := e.above(target); err != nil {
		return fmt.Errorf("cannot open: %s", text(err))
	}
	mode := uint32(h.Mode) & 0o777
	if e.opt.Has("p", "same-permissions") {
		mode = uint32(h.Mode) & 0o7777
	} else {
		mode &^= uint32(e.Umask)
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return e.makeDir(target, mode, h.ModTime)
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
		return e.makeFile(target, mode, h.ModTime, content)
	case tar.TypeSymlink:
		if ok, err := e.clear(target, h.ModTime); !ok {
			return err
		}
		if err := e.FS.Symlink(h.Linkname, e.Abs(target)); err != nil {
			return fmt.Errorf("cannot create symlink to '%s': %s", h.Linkname, text(err))
		}
		return nil
	case tar.TypeLink:
		return e.makeCopy(target, h)
	}
	return errors.New("cannot mknod: Operation not permitted")
}

// above makes the directories that a target is in.
func (e *extractor) above(target string) error {
	up := parent(target)
	if up == "" || up == "." {
		return nil
	}
	if info, err := e.stat(up); err == nil {
		if !info.IsDir() {
			return errNotDir
		}
		return nil
	}
	if err := e.above(up); err != nil {
		return err
	}
	return e.FS.Mkdir(e.Abs(up), 0o777&^e.Umask)
}

func (e *extractor) makeDir(target string, mode uint32, modified time.Time) error {
	target = strings.TrimRight(target, "/")
	info, err := e.lstat(target)
	if err == nil && !info.IsDir() {
		if ok, err := e.clear(target, modified); !ok {
			return err
		}
		info = nil
	}
	if info == nil {
		if err := e.FS.Mkdir(e.Abs(target), fileMode(mode|0o700)); err != nil {
			return fmt.Errorf("cannot mkdir: %s", text(err))
		}
	} else if e.opt.Has("no-overwrite-dir", "k") {
		return nil
	}
	e.late = append(e.late, lateDir{target, mode, modified})
	return nil
}

// clear removes what stands where a file is to be made. ok: go on.
func (e *extractor) clear(target string, modified time.Time) (ok bool, err error) {
	old, err := e.lstat(strings.TrimRight(target, "/"))
	if err != nil {
		return true, nil
	}
	switch {
	case e.opt.Has("k"):
		return false, errors.New("cannot open: File exists")
	case e.opt.Has("skip-old-files"):
		return false, nil
	case e.opt.Has("keep-newer-files") && !old.ModTime().Before(modified):
		return false, fmt.Errorf("current '%s' is newer or same age", target)
	}
	if err := e.FS.Remove(e.Abs(target)); err != nil {
		return false, fmt.Errorf("cannot open: %s", text(err))
	}
	delete(e.made, target)
	return true, nil
}

func (e *extractor) makeFile(target string, mode uint32, modified time.Time, content io.Reader) error {
	if ok, err := e.clear(target, modified); !ok {
		return err
	}
	f, err := e.FS.Open(e.Abs(target), os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode(mode|0o200))
	if err != nil {
		return fmt.Errorf("cannot open: %s", text(err))
	}
	_, err = io.Copy(f, e.reader(content))
	if e := f.Close(); err == nil {
		err = e
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case err != nil:
		return fmt.Errorf("cannot write: %s", text(err))
	}
	return e.dress(target, mode, modified)
}

// makeCopy makes what a hard link in the archive stands for: a copy of a file that was
// extracted.
func (e *extractor) makeCopy(target string, h *tar.Header) error {
	from, ok := e.stripped(h.Linkname)
	if why := e.refuses(from); !ok || why != "" {
		return fmt.Errorf("cannot hard link to '%s': %s", h.Linkname, why)
	}
	dir := e.lastDir()
	if dir != "" && !strings.HasPrefix(from, "/") {
		from = join(dir, from)
	}
	if through := e.linkAbove(from, dir); through != "" {
		return fmt.Errorf("cannot hard link to '%s': it leads through the link %s", h.Linkname, through)
	}
	info, err := e.lstat(from)
	if err != nil {
		return fmt.Errorf("cannot hard link to '%s': %s", h.Linkname, text(err))
	}
	if e.Abs(from) == e.Abs(target) {
		return nil
	}
	if ok, err := e.clear(target, h.ModTime); !ok {
		return err
	}
	c := &copier{run: e.run, mode: true, times: true, follow: followNone}
	if info.IsDir() || !c.copy(from, target, 0) {
		return fmt.Errorf("cannot hard link to '%s'", h.Linkname)
	}
	return nil
}

// dress gives a file its mode and time.
func (e *extractor) dress(target string, mode uint32, modified time.Time) error {
	if err := e.FS.Chmod(e.Abs(target), fileMode(mode)); err != nil {
		return fmt.Errorf("cannot change mode: %s", text(err))
	}
	if e.opt.Has("m") {
		return nil
	}
	if err := e.FS.Chtimes(e.Abs(target), e.Now(), modified); err != nil {
		return fmt.Errorf("cannot utime: %s", text(err))
	}
	return nil
}

// finish sets modes and times of directories, the deepest first.
func (e *extractor) finish() {
	for i := len(e.late) - 1; i >= 0; i-- {
		d := e.late[i]
		if err := e.dress(d.path, d.mode, d.modified); err != nil {
			e.fault("%s: %s", d.path, err)
		}
	}
}
