package eval

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// mode is where a shell's statements come from.
type mode uint8

const (
	modeFile   mode = iota // a file, or the request
	modeString             // -c
	modeInput              // standard input
)

// Shell is the state of one shell. One goroutine uses it; a subshell has a fork.
type Shell struct {
	*call // shared by all shells of the evaluation

	vars     *vars.Table
	name     string   // $0
	params   []string // $1, $2, ...
	funcs    map[string]*function
	aliases  map[string]string
	hashed   map[string]string // of the builtin hash: name to path
	disabled map[string]bool   // builtins, by enable -n
	owned    owned             // which of these maps are this shell's alone
	opts     options
	dir      string          // absolute, as it is reported
	dirs     []string        // the stack of pushd below dir
	mask     uint32          // umask
	fds      []*open         // by number; nil is closed
	stdin    *open           // descriptor 0 as the shell began, or as exec set it
	fs       view.FS         // with /dev/fd of this shell
	reach    context.Context // of the shell, for descriptors that are opened by their path
	exp      expand.Config
	mode     mode

	status         int          // $?
	pipestatus     []int        // of the last pipeline
	last           int          // $!, 0 for none
	lastArg        string       // $_
	line           int          // of the command that is executed
	offset         int          // to add to a line of the syntax tree
	running        *syntax.Stmt // BASH_COMMAND
	death          signal       // that ended the shell; 0: none
	frames         []frame      // functions and sourced files that run, innermost last
	flow           flow
	levels         int        // loops that a break or continue still has to leave
	loops          int        // loops around the command
	tolerant       int        // > 0: a failure is looked at by the shell's text, so errexit and ERR let it pass
	substitution   int        // status of the last command substitution of a command, -1: none
	redirectFailed bool       // of a compound command
	trapping       int        // traps that run
	traced         int        // substitutions around the shell, for PS4
	depth          int        // of source, eval and bash
	within         []signal   // events whose traps run
	passing        []*passing // process substitutions of the commands that run
	kept           []*passing // of them, those that go on after their command
	handling       int        // > 0: in command_not_found_handle

	proc               *proc // of this shell; what signals reach
	jobs               *jobs
	traps              traps
	pid                int   // $$
	subshell           int   // BASH_SUBSHELL
	subshellDepth      int   // of forks, nested shells included
	started            int64 // SECONDS counts from here, in Unix nanoseconds
	random, lastRandom uint32
	getopts            int // position inside a group of options
}

// owned says which maps of a shell are its own; others are shared with a fork and copied
// before they are changed.
type owned struct{ funcs, aliases, hashed, disabled bool }

// function is a function of the shell.
type function struct {
	decl   *syntax.FuncDecl
	source string // BASH_SOURCE of its text
	offset int    // of its lines
	export bool

	readonly bool
	traced   bool // declare -t: it inherits the traps of events
}

// frame is a function or a sourced file that runs.
type frame struct {
	name   string   // FUNCNAME: the function, "source", or "main"
	source string   // BASH_SOURCE
	line   int      // where it was called, in the text of the caller
	fn     bool     // a function; return ends it
	args   []string // of the function
	opts   *options // to come back at its end (local -)
}

// ownMap gives a map that may be changed.
func ownMap[V any](m *map[string]V, own *bool) map[string]V {
	switch {
	case *m == nil:
		*m = map[string]V{}
	case !*own:
		*m = maps.Clone(*m)
	}
	*own = true
	return *m
}

// on says whether an option of set is on.
func (sh *Shell) on(o option) bool { return sh.opts.set[o] }

// opt says whether an option of shopt is on.
func (sh *Shell) opt(o shopt) bool { return sh.opts.shopt[o] }

// fork gives a copy of the shell for a subshell. It shares what neither changes, and has
// the descriptors until [Shell.close]. Over the depth: the call ends.
func (sh *Shell) fork() *Shell {
	sh.owned = owned{}
	c := *sh
	c.vars = sh.vars.Fork()
	c.fds = make([]*open, len(sh.fds))
	for i, o := range sh.fds {
		c.fds[i] = o.keep()
	}
	c.frames = append([]frame(nil), sh.frames...)
	c.passing, c.kept = nil, nil
	c.pipestatus = append([]int(nil), sh.pipestatus...)
	c.flow, c.levels, c.loops, c.death = flowNone, 0, 0, 0
	c.subshell++
	c.subshellDepth++
	c.proc = sh.newProc()
	c.jobs = sh.jobs.inherited()
	c.traps = sh.traps.inherited()
	if sh.traps.set != nil {
		c.inheritEvents(&sh.traps)
	}
	c.bind()
	if c.subshellDepth > sh.budget.Subshells {
		c.fatal(sh.budget.Exceed(subshellHit(sh.budget.Subshells)))
	}
	return &c
}

// bind makes the parts of a shell that lead back to it.
func (sh *Shell) bind() {
	sh.fs = view.WithFd(sh.base, sh.openFd)
	sh.exp.Shell = sh
	sh.exp.FS = sh.fs
	sh.exp.Budget = sh.budget
	sh.exp.Warn = func(ctx context.Context, text string) { sh.complain(ctx, "%s", text) }
	sh.configure()
}

// close gives back the descriptors of a shell that has ended.
func (sh *Shell) close() {
	for i, o := range sh.fds {
		o.drop()
		sh.fds[i] = nil
	}
	sh.proc.end()
}

// chdir sets the directory and PWD, OLDPWD. The path was checked.
func (sh *Shell) chdir(dir string) {
	sh.setEnv("OLDPWD", sh.vars.Get("PWD").Str)
	sh.dir = dir
	sh.setEnv("PWD", dir)
	sh.exp.Dir = dir
}

// setEnv sets a scalar and keeps its attributes.
func (sh *Shell) setEnv(name, value string) {
	v := sh.vars.Get(name)
	if v.Has(vars.ReadOnly) {
		return
	}
	v.Kind, v.Str = vars.Scalar, value
	sh.vars.Put(name, v)
}

// abs gives the absolute path of a name.
func (sh *Shell) abs(p string) string {
	if len(p) > 0 && p[0] == '/' {
		return p
	}
	if sh.dir == "/" {
		return "/" + p
	}
	return sh.dir + "/" + p
}

// where gives the beginning of an error text: "bash: line 3: ".
func (sh *Shell) where() string {
	name := sh.name
	if n := len(sh.frames); n > 0 && sh.frames[n-1].source != "" {
		name = sh.frames[n-1].source
	}
	return name + ": line " + strconv.Itoa(sh.line) + ": "
}

// complain writes an error text to descriptor 2, after where it happened.
func (sh *Shell) complain(ctx context.Context, format string, args ...any) {
	text := sh.where() + fmt.Sprintf(format, args...) + "\n"
	sh.fd(2).write(ctx, []byte(text))
}
