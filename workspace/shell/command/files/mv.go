package files

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const mvUsage = `
Usage: mv [OPTION]... [-T] SOURCE DEST
  or:  mv [OPTION]... SOURCE... DIRECTORY
  or:  mv [OPTION]... -t DIRECTORY SOURCE...
Rename or move files and directories.

  -f, -i, -n, -u         overwrite; ask before it; never; only what is newer
  -b, --backup[=KIND], -S SUFFIX   keep what is replaced
  -t DIRECTORY, -T       move into it; the last argument is the new name itself
  -v, --strip-trailing-slashes
`

func mvCommand() *command.Command {
	return &command.Command{Name: "mv", Group: "files", Short: "move or rename files", Usage: mvUsage, Run: runMv}
}

const mvSpec = "f,force i,interactive n,no-clobber u,update v,verbose t,target-directory: T,no-target-directory b backup:: S,suffix: strip-trailing-slashes"

// mover is one call of mv.
type mover struct {
	*run
	asks, keep, update, verbose bool
	backup                      backup
	made                        map[string]bool
}

func runMv(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, mvSpec, 1)
	if !ok {
		return r.code
	}
	last := r.opt.Last("f", "i", "n")
	m := &mover{run: r, asks: last == "i", keep: last == "n", update: r.opt.Has("u"), verbose: r.opt.Has("v"), made: map[string]bool{}}
	var err error
	if m.backup, err = backupOf(r.opt); err != nil {
		return c.UsageError(1, err)
	}
	s, into, ok := r.destination("move")
	if !ok {
		return r.code
	}
	for _, src := range s.names {
		if m.over() {
			break
		}
		m.move(src, into(src))
	}
	return r.code
}

func (m *mover) move(src, dst string) {
	info, err := m.lstat(strings.TrimRight(src, "/"))
	if src == "/" {
		info, err = m.lstat(src)
	}
	if err == nil && strings.HasSuffix(src, "/") && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		m.failed("cannot stat '%s': %s", src, text(err))
		return
	}
	old, err := m.lstat(strings.TrimRight(dst, "/"))
	if err == nil && !m.mayReplace(src, dst, info, old) {
		return
	}
	if err != nil && strings.HasSuffix(dst, "/") && !info.IsDir() {
		m.failed("cannot move '%s' to '%s': Not a directory", src, dst)
		return
	}
	from, to := m.Abs(src), m.Abs(dst)
	switch c := (&copier{run: m.run}); {
	case info.IsDir() && c.within(src, dst):
		m.failed("cannot move '%s' to a subdirectory of itself, '%s'", src, dst)
		return
	}
	err = m.FS.Rename(from, to)
	switch {
	case errors.Is(err, syscall.EXDEV):
		m.copy(src, dst, old != nil)
		return
	case err != nil:
		m.failed("cannot move '%s' to '%s': %s", src, dst, text(err))
		return
	}
	m.made[path.Clean(to)] = true
	if m.verbose {
		m.Out.WriteString("renamed " + sq(src) + " -> " + sq(dst) + "\n")
	}
}

// mayReplace decides about a destination that stands already.
func (m *mover) mayReplace(src, dst string, info, old fs.FileInfo) bool {
	switch {
	case path.Clean(m.Abs(src)) == path.Clean(m.Abs(dst)), info.Mode()&fs.ModeSymlink == 0 && old.Mode()&fs.ModeSymlink == 0 && m.same(src, dst):
		m.failed("'%s' and '%s' are the same file", src, dst)
		return false
	case m.keep:
		return false
	case m.update && !info.ModTime().After(old.ModTime()):
		return false
	case m.made[path.Clean(m.Abs(dst))]:
		m.failed("will not overwrite just-created '%s' with '%s'", dst, src)
		return false
	case m.asks && !m.confirm("overwrite '"+dst+"'"):
		return false
	case m.backup.kind != "":
		if err := m.backup.keep(m.run, dst); err != nil {
			m.failed("cannot backup '%s': %s", dst, text(err))
			return false
		}
		return true
	case old.IsDir() && !info.IsDir():
		m.failed("cannot overwrite directory '%s' with non-directory", dst)
		return false
	case !old.IsDir() && info.IsDir():
		m.failed("cannot overwrite non-directory '%s' with directory '%s'", dst, src)
		return false
	}
	return true
}

// copy moves between places that a rename cannot bridge, such as /tmp and the workspace.
func (m *mover) copy(src, dst string, replace bool) {
	if replace {
		if err := m.FS.Remove(m.Abs(dst)); err != nil {
			m.failed("cannot move '%s' to '%s': %s", src, dst, text(err))
			return
		}
	}
	c := &copier{run: m.run, recursive: true, mode: true, times: true}
	if !c.copy(src, dst, 0) {
		return
	}
	rm := &remover{run: m.run, recursive: true, force: true}
	rm.remove(src, 0)
	if m.verbose {
		m.Out.WriteString("copied " + sq(src) + " -> " + sq(dst) + "\n")
	}
}
