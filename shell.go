package swarm

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/eval"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/host"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/project"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/userland"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/worker"
)

// ShellWorker makes the sandboxed shell run each command in a process of its own, which is
// this program started again. It is the first statement of main, and of TestMain: in a
// normal process it returns at once, in a worker never. Without it commands run within the
// process, with the same limits by counting; then a fatal error of the Go runtime, such as
// one huge allocation, ends the program, and JavaScript is refused unless
// [Options].AllowInProcessJS is set.
func ShellWorker() { worker.Main(shellParts) }

func shellParts() (shell.Evaluator, *command.Registry) { return eval.New(), userland.Registry() }

// ShellRunner runs commands in the sandboxed shell; see [NewShell].
type ShellRunner = shell.Runner

// ShellJob is one command for a [ShellRunner], and ShellOutcome how it ended.
type (
	ShellJob     = shell.Job
	ShellOutcome = shell.Outcome
)

// ShellLimits are the bounds of a command; zero fields take their default.
type ShellLimits = limits.Limits

// ShellOptions configure [NewShell].
type ShellOptions struct {
	Workers int         // commands at once; 0: the processors, at least 2
	Limits  ShellLimits // that a job may lower
	// InProcess runs commands within this process when the program does not call
	// [ShellWorker]; else that is an error.
	InProcess bool
}

// NewShell gives the sandboxed shell by itself, without a runtime. The caller closes it. The
// error has the code "workspace.shell_unavailable" for a program that does not call
// [ShellWorker].
func NewShell(o ShellOptions) (ShellRunner, error) {
	if worker.Installed() {
		return shell.NewPool(shell.PoolOptions{Workers: o.Workers, Limits: o.Limits}), nil
	}
	if !o.InProcess {
		return nil, fault.New("workspace.shell_unavailable", "this program starts no workers; it has to call swarm.ShellWorker() as the first statement of main, or to set InProcess")
	}
	e, commands := shellParts()
	return shell.NewInProcess(e, commands, shell.InProcessOptions{Workers: o.Workers}), nil
}

// shells are the runners of the sandboxed shell, by what teams configure, and the files
// that they work on. Nothing is made before a team has an agent with the tool.
type shells struct {
	mu      sync.Mutex
	runners map[config.Shell]shell.Runner
	host    *host.Host
	warned  bool
	closed  bool
}

// shellOf gives the shell of a team.
func (rt *Runtime) shellOf(team *Team) builtin.Shell { return &teamShell{rt, team.Shell} }

type teamShell struct {
	rt     *Runtime
	config config.Shell
}

// Run implements builtin.Shell.
func (s *teamShell) Run(ctx context.Context, c builtin.ShellCall) (shell.Outcome, []workspace.Change, error) {
	runner, files, err := s.rt.shell(s.config)
	if err != nil {
		return shell.Outcome{Kind: shell.Unavailable, Reason: err.Error()}, nil, nil
	}
	out, changes, err := files.Run(ctx, host.Call{
		Run: c.Run, View: c.View, Command: c.Command, Dir: c.Dir, ReadOnly: c.ReadOnly,
		Runner: runner, Clock: c.Clock, Limits: s.config.Limits,
	})
	if out.Fault != "" && s.rt.o.Logger != nil {
		s.rt.o.Logger.ErrorContext(ctx, "command of the shell failed inside", "run", c.Run, "reason", out.Fault)
	}
	return out, changes, err
}

// shell gives the runner for a configuration, and the files of runs.
func (rt *Runtime) shell(c config.Shell) (shell.Runner, *host.Host, error) {
	s := &rt.shells
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, fault.New("workspace.shell_unavailable", "the runtime is closed")
	}
	if s.host == nil {
		s.host = host.New(host.Options{Dir: rt.shellDir()})
		s.runners = map[config.Shell]shell.Runner{}
	}
	r := s.runners[c]
	if r == nil {
		var err error
		if r, err = rt.runner(c, s.host); err != nil {
			return nil, nil, err
		}
		s.runners[c] = r
	}
	return r, s.host, nil
}

// shellDir gives the directory for the files of runs as the shell sees them, "" for one of
// the system.
func (rt *Runtime) shellDir() string {
	if rt.o.Dir == "" {
		return ""
	}
	return filepath.Join(rt.o.Dir, "shell")
}

func (rt *Runtime) runner(c config.Shell, files *host.Host) (shell.Runner, error) {
	if c.Required && !worker.Installed() {
		return nil, notContained()
	}
	tmp, err := files.Tmp()
	if err != nil {
		return nil, err
	}
	observe := func(string, time.Duration) {}
	if rt.series != nil {
		observe = rt.series.Shell
	}
	if worker.Installed() {
		return shell.NewPool(shell.PoolOptions{Workers: c.Workers, Limits: c.Limits, Tmp: tmp, Observe: observe}), nil
	}
	if !rt.shells.warned && rt.o.Logger != nil {
		rt.shells.warned = true
		rt.o.Logger.Warn("commands of the shell run within this process", "mend", "call swarm.ShellWorker() as the first statement of main")
	}
	e, commands := shellParts()
	if !rt.o.AllowInProcessJS {
		commands = commands.Refusing("js", "JavaScript needs a process of its own, and this program starts none; "+
			"it has to call swarm.ShellWorker() as the first statement of main, or to set Options.AllowInProcessJS")
	}
	return shell.NewInProcess(e, commands, shell.InProcessOptions{Workers: c.Workers, Tmp: tmp, Observe: observe}), nil
}

func notContained() *Error {
	return fault.New("workspace.shell_unavailable", "the team asks for shell.isolation: required, and this program starts no workers; "+
		"it has to call swarm.ShellWorker() as the first statement of main")
}

// isolated refuses a team that asks for workers where there are none.
func isolated(team *Team) error {
	if team.Shell.Required && !worker.Installed() {
		return notContained().With("prepare team", team.Name)
	}
	return nil
}

// forgetShell removes the files that a run had for the shell, and what a process left that was
// killed.
func (rt *Runtime) forgetShell(run string) {
	s := &rt.shells
	s.mu.Lock()
	h := s.host
	s.mu.Unlock()
	if h != nil {
		h.Forget(run)
	} else if dir := rt.shellDir(); dir != "" {
		host.Sweep(dir)
	}
}

// close ends workers and removes the files.
func (s *shells) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var first error
	for _, r := range s.runners {
		if err := r.Close(ctx); err != nil && first == nil {
			first = err
		}
	}
	if s.host != nil {
		if err := s.host.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Project writes the files of a run's workspace into a directory, which is emptied first,
// and keeps links, empty directories and modes. Errors: those of [Runtime.Files], of the
// host, and of contents that are gone.
func (rt *Runtime) Project(ctx context.Context, run, dir string) error {
	h, err := rt.fileHistory(ctx, run)
	if err != nil {
		return err
	}
	var changes []workspace.Change
	contents := map[string]fileChange{}
	for _, path := range slices.Sorted(maps.Keys(h.now)) {
		if c := h.now[path]; c.New != "" {
			changes = append(changes, workspace.Change{Path: path, Kind: c.Kind, New: c.New, Size: c.Size, Chars: c.Chars, Exec: c.Exec, Content: c.target()})
			contents[c.New] = c
		}
	}
	m := (*workspace.Manifest)(nil).With("", changes)
	return project.Open(dir).Sync(ctx, m, func(ctx context.Context, hash string) ([]byte, error) {
		return rt.contentOf(ctx, run, contents[hash])
	})
}
