package files

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const mkdirUsage = `
Usage: mkdir [OPTION]... DIRECTORY...
Make directories.

  -p, --parents          make those above as needed; no fault when it is there
  -m, --mode=MODE        set the mode, as chmod does
  -v, --verbose          say what is made
`

func mkdirCommand() *command.Command {
	return &command.Command{Name: "mkdir", Group: "files", Short: "make directories", Usage: mkdirUsage, Run: runMkdir}
}

func runMkdir(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "p,parents m,mode: v,verbose", 1)
	if !ok {
		return r.code
	}
	if len(r.opt.Args) == 0 {
		return c.UsageError(1, errors.New("missing operand"))
	}
	perm := uint32(0o777 &^ r.Umask)
	if r.opt.Has("m") {
		change, err := parseChange(r.opt.Value("m", ""), r.Umask)
		if err != nil {
			r.failed("invalid mode '%s'", r.opt.Value("m", ""))
			return r.code
		}
		perm = change(0o777, true)
	}
	for _, name := range r.opt.Args {
		if r.opt.Has("p") && !r.parents(name) {
			continue
		}
		r.mkdir(name, perm)
	}
	return r.code
}

// parents makes what stands above a directory.
func (r *run) parents(name string) bool {
	trimmed := strings.TrimRight(name, "/")
	for i := 1; i < len(trimmed); i++ {
		if trimmed[i] != '/' || trimmed[i-1] == '/' {
			continue
		}
		if at := trimmed[:i]; !r.makeIfAbsent(at, uint32(0o777&^r.Umask)) {
			return false
		}
	}
	return true
}

func (r *run) makeIfAbsent(name string, perm uint32) bool {
	info, err := r.stat(name)
	if err == nil {
		if !info.IsDir() {
			r.failed("cannot create directory '%s': Not a directory", name)
		}
		return info.IsDir()
	}
	return r.makeDir(name, perm)
}

func (r *run) mkdir(name string, perm uint32) {
	if r.opt.Has("p") {
		if info, err := r.stat(name); err == nil && info.IsDir() {
			return
		}
	}
	if r.makeDir(name, perm) && r.opt.Has("m") {
		if err := r.FS.Chmod(r.Abs(name), fileMode(perm)); err != nil {
			r.failed("cannot set permissions of '%s': %s", name, text(err))
		}
	}
}

func (r *run) makeDir(name string, perm uint32) bool {
	p, err := r.path(name)
	if err == nil {
		err = r.FS.Mkdir(p, fileMode(perm))
	}
	if err != nil {
		r.failed("cannot create directory '%s': %s", name, text(err))
		return false
	}
	if r.opt.Has("v") {
		r.Out.WriteString("mkdir: created directory " + sq(name) + "\n")
	}
	return true
}

const rmdirUsage = `
Usage: rmdir [OPTION]... DIRECTORY...
Remove empty directories.

  -p, --parents          also those above it, as far as they are named: a/b and then a
  -v, --verbose          say what is removed
      --ignore-fail-on-non-empty   a directory that is not empty is no fault
`

func rmdirCommand() *command.Command {
	return &command.Command{Name: "rmdir", Group: "files", Short: "remove empty directories", Usage: rmdirUsage, Run: runRmdir}
}

func runRmdir(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "p,parents v,verbose ignore-fail-on-non-empty", 1)
	if !ok {
		return r.code
	}
	if len(r.opt.Args) == 0 {
		return c.UsageError(1, errors.New("missing operand"))
	}
	for _, name := range r.opt.Args {
		for r.rmdir(name) && r.opt.Has("p") {
			up := strings.TrimRight(parent(name), "/")
			if up == "." || up == "" {
				break
			}
			name = up
		}
	}
	return r.code
}

func (r *run) rmdir(name string) bool {
	if r.opt.Has("v") {
		r.Out.WriteString("rmdir: removing directory, " + sq(name) + "\n")
	}
	info, err := r.lstat(strings.TrimRight(name, "/"))
	if name == "/" {
		info, err = r.lstat(name)
	}
	if err == nil && !info.IsDir() {
		err = errNotDir
	}
	if err == nil {
		if path.Base(name) == "." {
			err = errInvalid
		} else {
			err = r.FS.Remove(r.Abs(name))
		}
	}
	if err == nil {
		return true
	}
	if !(r.opt.Has("ignore-fail-on-non-empty") && errors.Is(err, errNotEmpty)) {
		r.failed("failed to remove '%s': %s", name, text(err))
	}
	return false
}
