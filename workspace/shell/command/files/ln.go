package files

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const lnUsage = `
Usage: ln [OPTION]... [-T] TARGET LINK_NAME
  or:  ln [OPTION]... TARGET
  or:  ln [OPTION]... TARGET... DIRECTORY
  or:  ln [OPTION]... -t DIRECTORY TARGET...
Make symbolic links with -s. Without -s a COPY is made: there are no hard links here, as one
would be a name to write to a file that is read only.

  -s, --symbolic         a symbolic link
  -r, --relative         with -s: the target relative to the place of the link
  -f, -i                 remove what stands there; ask before it
  -n, --no-dereference   a LINK_NAME that is a link to a directory is a name
  -b, --backup[=KIND], -S SUFFIX   keep what is replaced
  -t DIRECTORY, -T       make them in it; the last argument is the new name itself
  -L, -P                 without -s: copy what a link leads to; copy the link
  -v, --verbose          say what is made
`

func lnCommand() *command.Command {
	return &command.Command{Name: "ln", Group: "files", Short: "make symbolic links (and copies instead of hard links)", Usage: lnUsage, Run: runLn}
}

func runLn(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "s,symbolic r,relative f,force i,interactive n,no-dereference b backup:: S,suffix: t,target-directory: T,no-target-directory v,verbose L,logical P,physical", 1)
	if !ok {
		return r.code
	}
	keep, err := backupOf(r.opt)
	if err != nil {
		return c.UsageError(1, err)
	}
	if r.opt.Has("r") && !r.opt.Has("s") {
		r.failed("cannot do --relative without --symbolic")
		return r.code
	}
	if len(r.opt.Args) == 1 && !r.opt.Has("t", "T") {
		r.opt.Args = append(r.opt.Args, ".")
	}
	s, into, ok := r.destination("link")
	if !ok {
		return r.code
	}
	for _, target := range s.names {
		r.link(target, into(target), keep)
	}
	return r.code
}

func (r *run) link(target, name string, keep backup) {
	symbolic := r.opt.Has("s")
	words := "hard link"
	if symbolic {
		words = "symbolic link"
	}
	if !symbolic {
		info, err := r.look(target, r.opt.Last("L", "P") == "L")
		if err != nil {
			r.failed("failed to access '%s': %s", target, text(err))
			return
		}
		if info.IsDir() {
			r.failed("%s: hard link not allowed for directory", target)
			return
		}
	}
	shown := target
	if r.opt.Has("r") {
		shown = r.relative(target, name)
	}
	if old, err := r.lstat(name); err == nil && !r.makeRoom(target, name, old, keep, symbolic) {
		return
	}
	var err error
	arrow := " => "
	if symbolic {
		arrow = " -> "
		err = r.FS.Symlink(shown, r.Abs(name))
	} else {
		c := &copier{run: r, mode: true, times: true, follow: followNone}
		if r.opt.Last("L", "P") == "L" {
			c.follow = followAll
		}
		if _, e := r.lstat(name); e == nil {
			err = fs.ErrExist
		} else if !c.copy(target, name, 0) {
			return
		}
	}
	if err != nil {
		r.failed("failed to create %s '%s': %s", words, name, text(err))
		return
	}
	if r.opt.Has("v") {
		r.Out.WriteString(sq(name) + arrow + sq(shown) + "\n")
	}
}

// makeRoom removes what stands under the name of a link, when it may.
func (r *run) makeRoom(target, name string, old fs.FileInfo, keep backup, symbolic bool) bool {
	asks := r.opt.Last("f", "i") == "i"
	switch {
	case keep.kind != "":
		if err := keep.keep(r, name); err != nil {
			r.failed("cannot backup '%s': %s", name, text(err))
			return false
		}
		return true
	case !r.opt.Has("f") && !asks:
		return true // making the link will fail
	case old.IsDir():
		r.failed("%s: cannot overwrite directory", name)
		return false
	case path.Clean(r.Abs(target)) == path.Clean(r.Abs(name)) && !symbolic:
		r.failed("'%s' and '%s' are the same file", target, name)
		return false
	case asks && !r.confirm("replace '"+name+"'"):
		return false
	}
	if err := r.FS.Remove(r.Abs(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.failed("cannot remove '%s': %s", name, text(err))
		return false
	}
	return true
}

// relative gives a target as seen from the directory of a link.
func (r *run) relative(target, name string) string {
	dir := r.canonical(parent(r.Abs(name)), missingAll)
	return relativeTo(r.canonical(r.Abs(target), missingAll), dir)
}

// relativeTo gives a path as seen from a directory, both absolute and clean.
func relativeTo(p, dir string) string {
	if p == dir {
		return "."
	}
	a, b := segments(p), segments(dir)
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	up := strings.Repeat("../", len(b)-same)
	return strings.TrimSuffix(up+strings.Join(a[same:], "/"), "/")
}

func segments(p string) []string {
	return strings.FieldsFunc(p, func(c rune) bool { return c == '/' })
}
