package eval

import (
	"context"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// define makes a function.
func (sh *Shell) define(ctx context.Context, d *syntax.FuncDecl) int {
	sh.line = int(d.Position.Line()) + sh.offset
	if d.Name == nil {
		sh.complain(ctx, "syntax error: a function needs a name")
		return 2
	}
	name := d.Name.Value
	if f := sh.funcs[name]; f != nil && f.readonly {
		sh.complain(ctx, "%s: readonly function", name)
		return 1
	}
	ownMap(&sh.funcs, &sh.owned.funcs)[name] = &function{decl: d, source: sh.source(), offset: sh.offset}
	return 0
}

// source gives BASH_SOURCE of the text that is executed: the file of the innermost frame.
func (sh *Shell) source() string {
	if n := len(sh.frames); n > 0 {
		return sh.frames[n-1].source
	}
	if sh.mode == modeString {
		return "environment"
	}
	return "main"
}

// body gives the text of a function after its name, for its export.
func (f *function) body(name string) string {
	text := functionText(name, f)
	return "() " + strings.TrimLeft(text[len(name)+3:], " \n")
}

// callFunction executes a function in a scope of its own.
func (sh *Shell) callFunction(ctx context.Context, f *function, args []string) int {
	if sh.vars.Depth() >= sh.budget.Functions {
		sh.fatal(sh.budget.Exceed(functionHit(sh.budget.Functions)))
		return 1
	}
	if v := sh.vars.Get("FUNCNEST"); v.Set() {
		if most, err := strconv.Atoi(v.String()); err == nil && most > 0 && sh.vars.Depth() >= most {
			sh.complain(ctx, "%s: maximum function nesting level exceeded (%d)", args[0], most)
			sh.leave(flowDiscard)
			return 1
		}
	}
	params, offset, loops := sh.params, sh.offset, sh.loops
	sh.frames = append(sh.frames, frame{name: args[0], source: f.source, line: sh.line, fn: true, args: args[1:]})
	sh.vars.Push()
	sh.params, sh.offset, sh.loops = args[1:], f.offset, 0
	restore := sh.shield(f)
	sh.lastArg = args[len(args)-1]
	line := sh.line
	if sh.traps.has(sigDEBUG) {
		sh.debugTrap(ctx)
	}
	status := sh.stmt(ctx, f.decl.Body)
	if sh.flow == flowReturn {
		sh.flow = flowNone
		status = sh.status
	}
	if sh.flow == flowNone {
		sh.returnTrap(ctx)
	}
	restore()
	if kept := sh.frames[len(sh.frames)-1].opts; kept != nil {
		sh.opts = *kept
		sh.configure()
	}
	sh.vars.Pop()
	sh.frames = sh.frames[:len(sh.frames)-1]
	sh.params, sh.offset, sh.loops = params, offset, loops
	sh.line = line
	return status
}

// keepOptions makes the options come back at the end of the function (local -).
func (sh *Shell) keepOptions() {
	if n := len(sh.frames); n > 0 && sh.frames[n-1].opts == nil {
		kept := sh.opts
		sh.frames[n-1].opts = &kept
	}
}
