package eval

import (
	"context"
	"strconv"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// coprocClause starts a job whose standard input and output are descriptors of the shell.
func (sh *Shell) coprocClause(ctx context.Context, c *syntax.CoprocClause) int {
	sh.line = int(c.Coproc.Line()) + sh.offset
	name := "COPROC"
	if c.Name != nil {
		var err error
		if name, err = sh.exp.Literal(ctx, c.Name); err != nil || sh.flow != flowNone {
			return sh.expansionFailed(ctx, err)
		}
	}
	done, ok := sh.budget.Job()
	from := sh.freeFd(63, -1)
	to := sh.freeFd(from-1, -1)
	if !ok || to < 0 {
		if ok {
			done()
		}
		sh.complain(ctx, "coproc: %s", view.Text(syscall.EAGAIN))
		return 1
	}
	outR, outW := newPipe()
	inR, inW := newPipe()
	f := sh.fork()
	f.setFd(0, inR).drop()
	f.setFd(1, outW).drop()
	sh.setFd(from, outR).drop()
	sh.setFd(to, inW).drop()
	j := sh.launch(ctx, f, done, func(ctx context.Context) { f.inner(ctx, c.Stmt) })
	j.text = "coproc " + name + " " + stmtText(c.Stmt)
	sh.jobs.add(j)
	sh.last = j.pid
	sh.vars.Put(name, vars.Var{Kind: vars.Indexed, List: vars.ArrayOf(strconv.Itoa(from), strconv.Itoa(to))})
	sh.vars.Put(name+"_PID", number(j.pid))
	return 0
}
