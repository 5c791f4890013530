package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const rmUsage = `
Usage: rm [OPTION]... FILE...
Remove files; directories only with -r or, when they are empty, with -d.

  -r, -R, -d             with everything below; empty directories
  -f                     no fault when a file is not there; never ask
  -i, -I, --interactive[=WHEN]   ask for each file; once before three or more, or with -r
  -v                     say what is done
  --preserve-root, --no-preserve-root   refuse to remove / recursively (default), or not
  --one-file-system
`

func rmCommand() *command.Command {
	return &command.Command{Name: "rm", Group: "files", Short: "remove files and directories", Usage: rmUsage, Run: runRm}
}

// remover removes files and trees: for rm, and for mv between places.
type remover struct {
	*run
	recursive, empty, force, asks, verbose bool
	visited                                int
}

func runRm(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "f,force i I interactive:: r R,recursive d,dir v,verbose one-file-system no-preserve-root preserve-root::", 1)
	if !ok {
		return r.code
	}
	o := r.opt
	rm := &remover{run: r, recursive: o.Has("r", "R"), empty: o.Has("d"), verbose: o.Has("v")}
	once := false
	for _, s := range o.Seen() {
		switch s.Name {
		case "f":
			rm.force, rm.asks, once = true, false, false
		case "i":
			rm.asks, rm.force, once = true, false, false
		case "I":
			once, rm.asks, rm.force = true, false, false
		case "interactive":
			rm.asks = s.Value == "" || s.Value == "always" || s.Value == "yes"
			once = s.Value == "once"
			if !rm.asks && !once && s.Value != "never" && s.Value != "no" && s.Value != "none" {
				return c.UsageError(1, fmt.Errorf("invalid argument '%s' for '--interactive'", s.Value))
			}
		}
	}
	if len(o.Args) == 0 {
		if rm.force {
			return 0
		}
		return c.UsageError(1, errors.New("missing operand"))
	}
	if once && (rm.recursive || len(o.Args) > 3) {
		question := fmt.Sprintf("remove %d arguments", len(o.Args))
		if rm.recursive {
			question += " recursively"
		}
		if !rm.confirm(question) {
			return 0
		}
	}
	for _, name := range o.Args {
		if rm.refuses(name) {
			continue
		}
		rm.remove(name, 0)
	}
	return r.code
}

// refuses says whether a name must not be removed recursively.
func (r *remover) refuses(name string) bool {
	if base := baseName(name); base == "." || base == ".." {
		r.failed("refusing to remove '.' or '..' directory: skipping '%s'", name)
		return true
	}
	if !r.recursive || r.opt.Last("no-preserve-root", "preserve-root") == "no-preserve-root" {
		return false
	}
	info, err := r.lstat(name)
	if err != nil || !info.IsDir() {
		return false
	}
	if real, err := r.FS.Real(r.Abs(name)); err == nil && real == "/" {
		r.Errorf("it is dangerous to operate recursively on '%s'", name)
		r.failed("use --no-preserve-root to override this failsafe")
		return true
	}
	return false
}

// remove removes a file or tree. It says whether nothing of it is left.
func (r *remover) remove(name string, depth int) bool {
	if r.over() {
		return false
	}
	if r.visited++; r.visited > r.Budget.Walk {
		r.failed("cannot remove '%s': %s", name, text(&walkError{r.Budget.Walk}))
		return false
	}
	info, err := r.lstat(name)
	if err != nil {
		if r.force && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) {
			return true
		}
		r.failed("cannot remove '%s': %s", name, text(err))
		return false
	}
	if info.IsDir() {
		return r.removeDir(name, depth)
	}
	if r.asks && !r.confirm("remove "+kindWords(info)+" '"+name+"'") {
		return false
	}
	return r.unlink(name, "removed ")
}

func (r *remover) removeDir(name string, depth int) bool {
	if !r.recursive && !r.empty {
		r.failed("cannot remove '%s': Is a directory", name)
		return false
	}
	clean := strings.TrimRight(name, "/")
	if r.recursive {
		entries, err := r.FS.ReadDir(r.Abs(name))
		if err != nil {
			r.failed("cannot remove '%s': %s", name, text(err))
			return false
		}
		if len(entries) > 0 && r.asks && !r.confirm("descend into directory '"+name+"'") {
			return false
		}
		whole := true
		for _, e := range entries {
			whole = r.remove(clean+"/"+e.Name(), depth+1) && whole
		}
		if !whole {
			if r.asks && r.code == 0 && !r.confirm("remove directory '"+name+"'") {
				return false
			}
			if r.code != 0 {
				return false
			}
			return r.unlink(name, "removed directory ")
		}
	}
	if r.asks && !r.confirm("remove directory '"+name+"'") {
		return false
	}
	return r.unlink(name, "removed directory ")
}

func (r *remover) unlink(name, done string) bool {
	if err := r.FS.Remove(r.Abs(name)); err != nil {
		r.failed("cannot remove '%s': %s", name, text(err))
		return false
	}
	if r.verbose {
		r.Out.WriteString(done + sq(name) + "\n")
	}
	return true
}

// kindWords names the kind of a file, as stat and rm do.
func kindWords(info fs.FileInfo) string {
	switch kindLetter(info.Mode()) {
	case 'd':
		return "directory"
	case 'l':
		return "symbolic link"
	case 'c':
		return "character special file"
	case 'b':
		return "block special file"
	case 'p':
		return "fifo"
	case 's':
		return "socket"
	}
	if info.Size() == 0 {
		return "regular empty file"
	}
	return "regular file"
}
