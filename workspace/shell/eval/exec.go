package eval

import (
	"context"

	"mvdan.cc/sh/v3/syntax"
)

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
