package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
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

func builtinSource(ctx context.Context, sh *Shell, b *streams, args []string) int {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		sh.errorf(b, "%s: filename argument required", args[0])
		fmt.Fprintf(b.err, "%s: usage: %s filename [arguments]\n", args[0], args[0])
		return 2
	}
	name := sh.sourcePath(rest[0])
	text, err := sh.readScript(ctx, name)
	if err != nil {
		sh.complain(ctx, "%s: %s", rest[0], scriptText(err))
		return 1
	}
	leave := sh.enter()
	if leave == nil {
		return 1
	}
	defer leave()
	line, offset, params := sh.line, sh.offset, sh.params
	sh.frames = append(sh.frames, frame{name: "source", source: name, line: line})
	sh.offset = 0
	if len(rest) > 1 {
		sh.params = rest[1:]
	}
	sh.traced++
	sh.readText(ctx, text)
	sh.traced--
	if sh.flow == flowReturn {
		sh.flow = flowNone
	}
	status := sh.status
	if sh.flow == flowNone {
		sh.returnTrap(ctx)
	}
	sh.frames = sh.frames[:len(sh.frames)-1]
	if len(rest) > 1 {
		sh.params = params
	}
	sh.line, sh.offset = line, offset
	return status
}

// sourcePath finds a file for source: by PATH when its name has no slash, else, or when it
// is not there, in the directory.
func (sh *Shell) sourcePath(name string) string {
	if strings.Contains(name, "/") || !sh.opt(shoptSourcePath) {
		return name
	}
	for dir := range strings.SplitSeq(sh.vars.Get("PATH").String(), ":") {
		if dir == "/usr/bin" || dir == "/bin" {
			continue
		}
		p := strings.TrimSuffix(dir, "/") + "/" + name
		if dir == "" {
			p = name
		}
		if info, err := sh.fs.Stat(sh.abs(p)); err == nil && info.Mode().IsRegular() {
			return p
		}
	}
	return name
}

// errIsDirectory and errBinary say why a file is no script.
var (
	errIsDirectory = errors.New("is a directory")
	errBinary      = errors.New("cannot execute binary file")
)

func scriptText(err error) string {
	if err == errIsDirectory || err == errBinary || err == errScript {
		return err.Error()
	}
	return view.Text(err)
}

// readScript reads the text of a script, of at most the size that a script may have.
func (sh *Shell) readScript(ctx context.Context, name string) (string, error) {
	o, err := sh.openPath(name, 0)
	if err != nil {
		return "", err
	}
	defer o.drop()
	if o.file != nil {
		if info, err := o.file.Stat(); err == nil && info.IsDir() {
			return "", errIsDirectory
		}
	}
	b, err := io.ReadAll(io.LimitReader(&input{ctx, o}, int64(sh.budget.Script)+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > sh.budget.Script:
		return "", errScript
	}
	head := b[:min(len(b), 80)]
	if i := slices.Index(head, '\n'); i >= 0 {
		head = head[:i]
	}
	if slices.Contains(head, 0) {
		return "", errBinary
	}
	return string(b), nil
}

// builtinExec replaces the shell by a command. Without one it does nothing: what it is for
// then, redirections that stay, execCommand did.
func builtinExec(ctx context.Context, sh *Shell, b *streams, args []string) int {
	g := sh.options(b, args, "cla:")
	name, clear := "", false
	for {
		switch g.next() {
		case 'c':
			clear = true
			continue
		case 'l':
			continue
		case 'a':
			name = g.value
			continue
		}
		break
	}
	if g.bad {
		return 2
	}
	if len(g.args) == 0 {
		return 0
	}
	f := sh.search(g.args[0])
	if (f.cmd == nil && (f.path == "" || f.err != nil)) && sh.standalone(f.path) == nil {
		status := sh.external(ctx, g.args)
		if sh.opt(shoptExecFail) {
			return status
		}
		sh.traps.put(sigEXIT, "", true)
		return sh.exit(status)
	}
	if clear {
		for _, n := range sh.vars.Names("") {
			if v := sh.vars.Get(n); v.Has(exported) {
				sh.vars.Delete(n)
			}
		}
	}
	words := g.args
	if name != "" && f.cmd != nil {
		words = append([]string{name}, g.args[1:]...)
	}
	var status int
	if f.cmd != nil {
		status = sh.exec(ctx, f.cmd, words)
	} else {
		status = sh.external(ctx, words)
	}
	sh.traps.put(sigEXIT, "", true)
	return sh.exit(status)
}

// execCommand executes exec with redirections, which stay in force when it returns.
func (sh *Shell) execCommand(ctx context.Context, s *syntax.Stmt, call *syntax.CallExpr, args []string) int {
	undo, err := sh.redirect(ctx, s.Redirs)
	if err != nil {
		status := sh.redirectError(ctx, err)
		sh.restore(undo)
		return status
	}
	keepRedirects(undo)
	sh.stdin = sh.fd(0)
	return sh.assigned(ctx, call, args)
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
