package eval

import (
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// defaultPath is the PATH that every call starts with; looking up a name on it needs no
// look into the view.
const defaultPath = "/usr/bin:/bin"

// found is what a name of a command stands for outside the shell itself.
type found struct {
	cmd  *command.Command // of the registry
	path string           // absolute: of the command, or of a script
	err  error            // why it cannot be executed: ENOENT, EACCES, EISDIR
}

// search finds a command by its name: by PATH, or as a path when it has a slash. The zero
// value is: not found.
func (sh *Shell) search(name string) found {
	if strings.Contains(name, "/") {
		return sh.searchPath(name)
	}
	path := sh.vars.Get("PATH").String()
	if path == defaultPath {
		if cmd := sh.registry.Get(name); cmd != nil {
			return found{cmd: cmd, path: "/usr/bin/" + name}
		}
		return found{}
	}
	var refused found
	for dir := range strings.SplitSeq(path, ":") {
		if dir == "" {
			dir = "."
		}
		f := sh.searchPath(strings.TrimSuffix(dir, "/") + "/" + name)
		switch {
		case f.err == nil:
			return f
		case f.err == syscall.EACCES && refused.err == nil:
			refused = f
		}
	}
	return refused
}

// searchPath finds what a path stands for.
func (sh *Shell) searchPath(name string) found {
	p := sh.abs(name)
	if cmd := sh.virtual(p); cmd != nil {
		return found{cmd: cmd, path: p}
	}
	info, err := sh.fs.Stat(p)
	switch {
	case err != nil:
		return found{path: p, err: syscall.ENOENT}
	case info.IsDir():
		return found{path: p, err: syscall.EISDIR}
	case info.Mode()&0o111 == 0 || !info.Mode().IsRegular():
		return found{path: p, err: syscall.EACCES}
	}
	if real, err := sh.fs.Real(p); err == nil {
		if cmd := sh.virtual(real); cmd != nil {
			return found{cmd: cmd, path: p}
		}
	}
	return found{path: p}
}

// virtual gives the command of the registry that a path of /bin or /usr/bin stands for.
func (sh *Shell) virtual(p string) *command.Command {
	for _, dir := range [...]string{"/usr/bin/", "/bin/"} {
		if base, ok := strings.CutPrefix(p, dir); ok {
			return sh.registry.Get(base)
		}
	}
	return nil
}
