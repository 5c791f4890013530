// Package command owns what a command of the sandboxed shell is: its call, the registry,
// the reading of options, and the streams that end a command whose reader is gone. The
// commands themselves stand in the packages below it.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Command is one command of the registry.
type Command struct {
	Name    string
	Aliases []string // other names that run the same, such as egrep
	Group   string   // of help: "text", "files", "data", "system"
	Short   string   // one line for the list of help
	Usage   string   // the text of --help
	Run     func(ctx context.Context, c *Call) int
}

// Call is one run of a command. It must not be kept after Run returned.
type Call struct {
	Args   []string // Args[0] is the name that was called
	In     io.Reader
	Out    *Writer // buffered; flushed when Run returns
	Err    io.Writer
	Dir    string      // absolute
	Env    []string    // NAME=value
	Umask  fs.FileMode // what the mode of a new file lacks
	FS     view.FS
	Budget *limits.Budget
	Now    func() time.Time // in UTC
	Sleep  func(ctx context.Context, d time.Duration) error
	Rand   func(p []byte) // fills p
	All    *Registry
	Cmd    *Command

	// Shell runs another command of the registry or a script, in the same call and under the
	// same limits: the one door for xargs, env, find -exec, timeout and the like.
	Shell func(ctx context.Context, n Nested) int
}

// Nested is a command that a command runs.
type Nested struct {
	Args     []string // a command with its arguments, or
	Script   string   // text of the shell's language, with Args as $0, $1, ...
	In       io.Reader
	Out, Err io.Writer
	Dir      string   // "": as the caller
	Env      []string // nil: as the caller
}

// Getenv gives a variable of the environment, "" when it is not set.
func (c *Call) Getenv(name string) string {
	for _, pair := range c.Env {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			return v
		}
	}
	return ""
}

// Abs gives the absolute path of an argument.
func (c *Call) Abs(p string) string {
	if strings.HasPrefix(p, "/") {
		return p
	}
	// Not cleaned as a whole: a/../b means something else when a is a link.
	return strings.TrimSuffix(c.Dir, "/") + "/" + p
}

// Errorf writes "name: text" as a line on standard error.
func (c *Call) Errorf(format string, args ...any) {
	fmt.Fprintf(c.Err, "%s: %s\n", path.Base(c.Args[0]), fmt.Sprintf(format, args...))
}

// Open opens an argument for reading; "-" is standard input.
func (c *Call) Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(c.In), nil
	}
	f, err := c.FS.Open(c.Abs(name), 0, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = &PathError{name, syscall.EISDIR}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Fail writes "name: subject: reason" on standard error and gives 1.
func (c *Call) Fail(subject string, err error) int {
	c.Errorf("%s: %s", subject, view.Text(err))
	return 1
}

// PathError is an error about a path with the reason that the words come from.
type PathError struct {
	Path string
	Err  error
}

func (e *PathError) Error() string { return e.Path + ": " + view.Text(e.Err) }

// Unwrap gives the reason.
func (e *PathError) Unwrap() error { return e.Err }

// Registry is the commands that exist. It is immutable once the first call was made.
type Registry struct {
	byName map[string]*Command
}

// NewRegistry makes a registry. Two commands with one name panic: a fault of the program.
func NewRegistry(lists ...[]*Command) *Registry {
	r := &Registry{byName: map[string]*Command{}}
	for _, c := range slices.Concat(lists...) {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if r.byName[name] != nil {
				panic("command " + name + " is registered twice")
			}
			r.byName[name] = c
		}
	}
	return r
}

// Get gives a command by its name or one of its aliases, or nil.
func (r *Registry) Get(name string) *Command { return r.byName[name] }

// Refusing gives the registry with a command that refuses to run, under all of its names:
// it says why on standard error and ends with 126.
func (r *Registry) Refusing(name, why string) *Registry {
	out := &Registry{byName: maps.Clone(r.byName)}
	refused := r.byName[name]
	for n, c := range out.byName {
		if c == refused && c != nil {
			with := *c
			with.Run = func(_ context.Context, c *Call) int {
				c.Errorf("%s", why)
				return 126
			}
			out.byName[n] = &with
		}
	}
	return out
}

// Names gives all names and aliases, sorted.
func (r *Registry) Names() []string { return slices.Sorted(maps.Keys(r.byName)) }

// Exec runs a command: --help is answered here, the output is flushed, and a command whose
// reader is gone ends with 141.
func (cmd *Command) Exec(ctx context.Context, c *Call) int {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c.Cmd = cmd
	c.Out.broken = stop
	code := 0
	if len(c.Args) == 2 && c.Args[1] == "--help" && cmd.Usage != "" {
		io.WriteString(c.Out, strings.TrimSpace(cmd.Usage)+"\n")
	} else {
		code = cmd.Run(ctx, c)
	}
	err := c.Out.Flush()
	switch {
	case err == nil:
		return code
	case errors.Is(err, syscall.EPIPE):
		return 141
	}
	c.Errorf("write error: %s", view.Text(err))
	return max(code, 1)
}
