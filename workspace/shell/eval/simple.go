package eval

import (
	"context"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// begin counts a command, notes where it stands and runs the DEBUG trap. It gives false
// when the command is not to be executed.
func (sh *Shell) begin(ctx context.Context, s *syntax.Stmt, at syntax.Pos) bool {
	if err := sh.budget.Step(); err != nil {
		sh.fatal(err)
		return false
	}
	if sh.trapping == 0 {
		sh.line = int(at.Line()) + sh.offset
		sh.running = s
	}
	return !sh.traps.has(sigDEBUG) || sh.debugTrap(ctx)
}

// simple executes a simple command.
func (sh *Shell) simple(ctx context.Context, s *syntax.Stmt, call *syntax.CallExpr) int {
	if !sh.begin(ctx, s, s.Position) {
		return sh.status
	}
	if len(sh.passing) > 0 || hasProcess(s) {
		defer sh.closePassing(ctx, len(sh.passing))
	}
	sh.substitution = -1
	var args []string
	if len(call.Args) > 0 {
		var err error
		if args, err = sh.exp.Fields(ctx, call.Args...); err != nil || sh.flow != flowNone {
			return sh.expansionFailed(ctx, err)
		}
	}
	if len(args) == 0 {
		return sh.assignments(ctx, s, call)
	}
	if sh.opts.set[optXTrace] && len(call.Assigns) == 0 {
		sh.trace(ctx, args)
	}
	if len(s.Redirs) > 0 {
		if args[0] == "exec" && sh.isBuiltin("exec") {
			return sh.execCommand(ctx, s, call, args)
		}
		undo, err := sh.redirect(ctx, s.Redirs)
		if err != nil {
			status := sh.redirectError(ctx, err)
			sh.restore(undo)
			return status
		}
		status := sh.assigned(ctx, call, args)
		sh.restore(undo)
		return status
	}
	return sh.assigned(ctx, call, args)
}

// expansionFailed gives the status of a command whose words could not be expanded.
func (sh *Shell) expansionFailed(ctx context.Context, err error) int {
	if err == nil {
		return sh.status
	}
	return sh.fail(ctx, err)
}

// assignments executes a command that is nothing but assignments and redirections.
func (sh *Shell) assignments(ctx context.Context, s *syntax.Stmt, call *syntax.CallExpr) int {
	if len(s.Redirs) > 0 {
		undo, err := sh.redirect(ctx, s.Redirs)
		if err != nil {
			status := sh.redirectError(ctx, err)
			sh.restore(undo)
			return status
		}
		sh.restore(undo)
	}
	for _, a := range call.Assigns {
		if err := sh.exp.Assign(ctx, a, expand.AssignOptions{}); err != nil || sh.flow != flowNone {
			return sh.expansionFailed(ctx, err)
		}
		if sh.opts.set[optXTrace] {
			sh.traceAssign(ctx, a)
		}
	}
	return max(sh.substitution, 0)
}

// assigned executes a command with its assignments in force.
func (sh *Shell) assigned(ctx context.Context, call *syntax.CallExpr, args []string) int {
	if len(call.Assigns) == 0 {
		return sh.run(ctx, args)
	}
	type saved struct {
		name  string
		value vars.Var
		known bool
	}
	var was []saved
	restore := func() {
		for i := len(was) - 1; i >= 0; i-- {
			if s := was[i]; s.known {
				sh.vars.Put(s.name, s.value)
			} else {
				sh.vars.Delete(s.name)
			}
		}
	}
	for _, a := range call.Assigns {
		name := a.Name.Value
		was = append(was, saved{name, sh.vars.Get(name), sh.vars.Known(name)})
		err := sh.exp.Assign(ctx, a, expand.AssignOptions{})
		if err != nil || sh.flow != flowNone {
			restore()
			return sh.expansionFailed(ctx, err)
		}
		if v := sh.vars.Get(name); !v.Has(vars.Export) {
			v.Attr |= vars.Export
			sh.vars.Put(name, v)
		}
		if sh.opts.set[optXTrace] {
			sh.traceAssign(ctx, a)
		}
	}
	if sh.opts.set[optXTrace] {
		sh.trace(ctx, args)
	}
	status := sh.run(ctx, args)
	restore()
	return status
}

// run executes a command whose words are expanded: a function, a builtin, or a command
// found by its name.
func (sh *Shell) run(ctx context.Context, args []string) int {
	if f := sh.funcs[args[0]]; f != nil {
		return sh.callFunction(ctx, f, args)
	}
	return sh.runNoFunction(ctx, args)
}

// runNoFunction executes a command and passes over functions.
func (sh *Shell) runNoFunction(ctx context.Context, args []string) int {
	if b := sh.builtin[args[0]]; b != nil && !sh.disabled[args[0]] {
		return sh.runBuiltin(ctx, b, args)
	}
	status := sh.external(ctx, args)
	sh.lastArg = args[len(args)-1]
	return status
}

// isBuiltin says whether a name calls a builtin.
func (sh *Shell) isBuiltin(name string) bool {
	return sh.funcs[name] == nil && sh.builtin[name] != nil && !sh.disabled[name]
}

// runBuiltin executes a builtin. A builtin whose reader is gone ends the shell, as the
// signal would.
func (sh *Shell) runBuiltin(ctx context.Context, b builtin, args []string) int {
	io := sh.stdio(ctx)
	status := b(ctx, sh, &io.streams, args)
	sh.lastArg = args[len(args)-1]
	switch {
	case io.out.err == nil || sh.flow >= flowExit || ctx.Err() != nil:
	case io.out.broken() && !sh.traps.ignores(sigPIPE):
		sh.exit(128 + int(sigPIPE))
	default:
		sh.errorf(&io.streams, "%s: write error: %s", args[0], view.Text(io.out.err))
		status = 1
	}
	return status
}
