package eval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// control gives the builtins that are control flow, jobs and scripts.
func control() map[string]builtin {
	return map[string]builtin{
		":":        func(context.Context, *Shell, *streams, []string) int { return 0 },
		"true":     func(context.Context, *Shell, *streams, []string) int { return 0 },
		"false":    func(context.Context, *Shell, *streams, []string) int { return 1 },
		"break":    builtinBreak,
		"continue": builtinBreak,
		"return":   builtinReturn,
		"exit":     builtinExit,
		"eval":     builtinEval,
		"source":   builtinSource,
		".":        builtinSource,
		"exec":     builtinExec,
		"command":  builtinCommand,
		"builtin":  builtinBuiltin,
		"trap":     builtinTrap,
		"wait":     builtinWait,
		"jobs":     builtinJobs,
		"kill":     builtinKill,
		"fg":       noJobControl,
		"bg":       noJobControl,
		"disown":   builtinDisown,
		"alias":    builtinAlias,
		"unalias":  builtinUnalias,
	}
}

// builtinBreak is break and continue.
func builtinBreak(_ context.Context, sh *Shell, b *streams, args []string) int {
	n := 1
	if len(args) > 1 && args[1] == "--" {
		args = slices.Delete(slices.Clone(args), 1, 2)
	}
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil {
			sh.errorf(b, "%s: %s: numeric argument required", args[0], args[1])
			return sh.exit(128)
		}
	}
	if sh.loops == 0 {
		sh.errorf(b, "%s: only meaningful in a `for', `while', or `until' loop", args[0])
		return 0
	}
	if len(args) > 2 {
		sh.errorf(b, "%s: too many arguments", args[0])
		sh.levels = sh.loops
		sh.leave(flowBreak)
		return 1
	}
	if n < 1 {
		sh.errorf(b, "%s: %s: loop count out of range", args[0], args[1])
		sh.levels = sh.loops
		sh.leave(flowBreak)
		return 1
	}
	sh.levels = min(n, sh.loops)
	if args[0] == "break" {
		sh.leave(flowBreak)
	} else {
		sh.leave(flowContinue)
	}
	return 0
}

// statusArg reads the argument of return and exit; without one it is $?.
func (sh *Shell) statusArg(b *streams, args []string) (status int, ok bool) {
	if len(args) > 1 && args[1] == "--" {
		args = slices.Delete(slices.Clone(args), 1, 2)
	}
	if len(args) < 2 {
		return sh.status, true
	}
	n, err := strconv.ParseInt(strings.TrimSpace(args[1]), 10, 64)
	if err != nil {
		sh.errorf(b, "%s: %s: numeric argument required", args[0], args[1])
		return 2, true
	}
	if len(args) > 2 {
		sh.errorf(b, "%s: too many arguments", args[0])
		return 1, false
	}
	return int(n & 0xff), true
}

func builtinReturn(_ context.Context, sh *Shell, b *streams, args []string) int {
	if len(sh.frames) == 0 || sh.frames[len(sh.frames)-1].name == "main" && !sh.frames[len(sh.frames)-1].fn {
		sh.errorf(b, "return: can only `return' from a function or sourced script")
		return 2
	}
	status, ok := sh.statusArg(b, args)
	if !ok {
		return status
	}
	sh.status = status
	sh.leave(flowReturn)
	return status
}

func builtinExit(_ context.Context, sh *Shell, b *streams, args []string) int {
	status, ok := sh.statusArg(b, args)
	if !ok {
		return status
	}
	return sh.exit(status)
}

func builtinEval(ctx context.Context, sh *Shell, b *streams, args []string) int {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	} else if len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		sh.errorf(b, "eval: %s: invalid option", rest[0][:2])
		fmt.Fprintln(b.err, "eval: usage: eval [arg ...]")
		return 2
	}
	return sh.evalText(ctx, strings.Join(rest, " "))
}

// evalText executes a text in the shell, as eval does.
func (sh *Shell) evalText(ctx context.Context, text string) int {
	if leave := sh.enter(); leave != nil {
		defer leave()
	} else {
		return 1
	}
	line, offset := sh.line, sh.offset
	sh.offset = line - 1
	sh.traced++
	sh.readText(ctx, text)
	sh.traced--
	sh.line, sh.offset = line, offset
	return sh.status
}

// enter counts source, eval and bash inside each other until leave is called; nil: too many,
// and the call ends.
func (sh *Shell) enter() (leave func()) {
	if sh.depth >= sh.budget.Sources {
		sh.fatal(sh.budget.Exceed(sourceHit(sh.budget.Sources)))
		return nil
	}
	sh.depth++
	return func() { sh.depth-- }
}

// builtinCommand executes a command and passes over functions; -v and -V describe one.
func builtinCommand(ctx context.Context, sh *Shell, b *streams, args []string) int {
	g := sh.options(b, args, "pvV")
	var describe byte
	for {
		letter := g.next()
		if letter == 0 {
			break
		}
		if letter != 'p' {
			describe = letter
		}
	}
	if g.bad {
		return 2
	}
	switch {
	case len(g.args) == 0:
		return 0
	case describe != 0:
		status := min(len(g.args), 1) // 0 when one of the names is found
		for _, name := range g.args {
			switch {
			case sh.describe(b, name, describe == 'v'):
				status = 0
			case describe == 'V':
				sh.errorf(b, "command: %s: not found", name)
			}
		}
		return status
	}
	return sh.runNoFunction(ctx, g.args)
}

// builtinBuiltin executes a builtin and passes over functions.
func builtinBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return 0
	}
	f := sh.builtin[rest[0]]
	if f == nil {
		sh.errorf(b, "builtin: %s: not a shell builtin", rest[0])
		return 1
	}
	return f(ctx, sh, b, rest)
}
