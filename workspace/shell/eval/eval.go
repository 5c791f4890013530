package eval

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// lastWait bounds how long jobs that still run may go on when the script has ended.
const lastWait = 100 * time.Millisecond

// evaluator implements [shell.Evaluator]. It is immutable.
type evaluator struct{ builtin map[string]builtin }

var _ shell.Evaluator = evaluator{}

// New makes an evaluator. It may evaluate several requests at once.
func New() shell.Evaluator { return evaluator{builtins()} }

// Builtins gives the names of the builtins, sorted.
func Builtins() []string { return slices.Sorted(maps.Keys(builtins())) }

// Eval implements [shell.Evaluator].
func (e evaluator) Eval(ctx context.Context, r *shell.Request) shell.Exit {
	root, cancel := context.WithCancelCause(ctx)
	c := &call{
		budget: r.Budget, registry: r.Commands, base: r.FS, builtin: e.builtin,
		now: r.Now, sleep: r.Sleep, rand: r.Rand, prompt: r.Prompt,
		root: root, cancel: cancel, procs: map[int]*proc{},
	}
	c.parsers.New = func() any { return syntax.NewParser() }
	c.writers.New = func() any { return command.NewWriter(nil) }
	c.nextPID.Store(firstPID - 1)
	status := 0
	func() {
		defer c.guard()
		status = c.main(r)
	}()
	c.finish()
	cancel(context.Canceled)
	c.routines.Wait()
	if err := c.ended(); err != nil {
		return shell.Exit{Code: status, Err: err}
	}
	if ctx.Err() != nil {
		return shell.Exit{Code: status, Err: context.Cause(ctx)}
	}
	return shell.Exit{Code: status}
}

// main runs the shell of the request.
func (c *call) main(r *shell.Request) int {
	sh := c.newShell(vars.NewTable(r.Env), r.Name, r.Args, r.Dir)
	in, out := openReader(r.In), openWriter(r.Out)
	errs := out.keep()
	if r.Out != r.Err {
		out.drop()
		errs = openWriter(r.Err)
	}
	sh.fds, sh.stdin = []*open{in, out, errs}, in
	// The end of the shell does not end its jobs; the end of the evaluation does.
	ctx, cancel := context.WithCancelCause(c.root)
	sh.proc.start(cancel)
	return sh.life(ctx, c.root, func() {
		if r.FromInput {
			sh.mode = modeInput
			sh.readInput(ctx)
			return
		}
		if sh.name == "bash" {
			sh.mode = modeString
		} else {
			sh.frames = append(sh.frames, frame{name: "main", source: sh.name})
		}
		sh.readText(ctx, r.Script)
	})
}

// finish lets jobs that still run end by themselves for a moment: a script that starts one
// as its last command does so for its effect.
func (c *call) finish() {
	done := make(chan struct{})
	c.mu.Lock()
	running := len(c.procs) > 0
	c.mu.Unlock()
	if !running || c.root.Err() != nil {
		return
	}
	ctx, stop := context.WithTimeout(c.root, lastWait)
	defer stop()
	go func() {
		c.routines.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		c.cancel(context.Canceled)
		<-done
	}
}

// newShell makes a shell with nothing but its variables. The descriptors are the caller's
// to set.
func (c *call) newShell(v *vars.Table, name string, args []string, dir string) *Shell {
	if name == "" {
		name = "bash"
	}
	sh := &Shell{call: c, vars: v, name: name, params: args, dir: dir, opts: defaultOptions(), mask: 0o022, jobs: &jobs{}}
	sh.proc = sh.newProc()
	sh.pid = sh.proc.pid
	sh.started = c.now().UnixNano()
	sh.lastArg = name
	sh.startVars()
	sh.bind()
	return sh
}

// life runs a shell from its first statement to the end of its EXIT trap. It gives the exit
// status. outer is the context that a signal to the shell does not end.
func (sh *Shell) life(ctx, outer context.Context, run func()) int {
	sh.reach = ctx
	run()
	if sig, ok := killedBy(ctx); ok && outer.Err() == nil {
		sh.status = 128 + int(sig)
		sh.flow = flowExit
		sh.death = sig
		ctx = outer
	}
	if sh.flow != flowFatal {
		sh.exitTrap(ctx)
	}
	sh.close()
	sh.awaitKept(ctx)
	return sh.status & 0xff
}

// killedBy gives the signal that ended a context.
func killedBy(ctx context.Context) (signal, bool) {
	if ctx.Err() == nil {
		return 0, false
	}
	k, ok := errors.AsType[killed](context.Cause(ctx))
	return k.sig, ok
}
