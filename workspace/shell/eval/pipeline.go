package eval

import (
	"context"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// pipeline executes the stages of a pipeline, each in a shell of its own; all but the last
// in goroutines. The tree leans to the left, as deep as the pipeline is long.
func (sh *Shell) pipeline(ctx context.Context, b *syntax.BinaryCmd) int {
	var stages []*syntax.Stmt
	for {
		stages = append(stages, b.Y)
		x, ok := bareBinary(b.X)
		merged := b.Op == syntax.PipeAll
		if ok && (x.Op == syntax.Pipe || x.Op == syntax.PipeAll) {
			if merged {
				// The stage before is the right side of the pipeline inside.
				x = &syntax.BinaryCmd{OpPos: x.OpPos, Op: x.Op, X: x.X, Y: withErrors(x.Y)}
			}
			b = x
			continue
		}
		first := b.X
		if merged {
			first = withErrors(first)
		}
		stages = append(stages, first)
		break
	}
	n := len(stages)
	statuses := make([]int, n)
	ended := make(chan int, n)
	started := 0
	var in *open
	for i := range n - 1 {
		done, ok := sh.budget.Job()
		if !ok {
			in.drop()
			sh.complain(ctx, "fork: retry: %s", view.Text(syscall.EAGAIN))
			sh.leave(flowDiscard)
			return 254
		}
		r, w := newPipe()
		c := sh.fork()
		if in != nil {
			c.setFd(0, in).drop()
		}
		c.setFd(1, w).drop()
		in = r
		stage := stages[n-1-i]
		c.atStage(stage)
		started++
		sh.routine(func() {
			defer func() { ended <- i }()
			defer done()
			statuses[i] = c.life(ctx, ctx, func() { c.inner(ctx, stage) })
		})
	}
	statuses[n-1] = sh.lastStage(ctx, stages[0], in)
	for range started {
		select {
		case <-ended:
		case <-ctx.Done():
			sh.over(ctx)
			return 1
		}
	}
	sh.pipestatus = statuses
	if sh.flow != flowNone {
		return sh.status
	}
	status := statuses[n-1]
	if sh.opts.set[optPipeFail] {
		for _, s := range statuses {
			if s != 0 {
				status = s
			}
		}
	}
	return status
}

// lastStage executes the last stage of a pipeline: in a fork, or, with lastpipe, in the
// shell itself.
func (sh *Shell) lastStage(ctx context.Context, s *syntax.Stmt, in *open) int {
	if sh.opt(shoptLastPipe) && !sh.opts.set[optMonitor] {
		was := sh.setFd(0, in)
		status := sh.plain(ctx, s)
		sh.setFd(0, was).drop()
		return status
	}
	c := sh.fork()
	c.atStage(s)
	c.setFd(0, in).drop()
	return c.life(ctx, ctx, func() { c.inner(ctx, s) })
}

// atStage makes a fork the shell of one stage: a simple command is no level of its own.
func (sh *Shell) atStage(s *syntax.Stmt) {
	if _, ok := s.Cmd.(*syntax.CallExpr); ok {
		sh.subshell--
	}
}

// withErrors gives a statement with 2>&1 after its own redirections, which is what |& means.
func withErrors(s *syntax.Stmt) *syntax.Stmt {
	c := *s
	lit := func(text string) *syntax.Lit {
		return &syntax.Lit{ValuePos: s.Position, ValueEnd: s.Position, Value: text}
	}
	c.Redirs = append(s.Redirs[:len(s.Redirs):len(s.Redirs)], &syntax.Redirect{
		OpPos: s.Position, Op: syntax.DplOut, N: lit("2"), Word: &syntax.Word{Parts: []syntax.WordPart{lit("1")}},
	})
	return &c
}

// subshellCmd executes ( ).
func (sh *Shell) subshellCmd(ctx context.Context, s *syntax.Subshell) int {
	c := sh.fork()
	status := c.life(ctx, ctx, func() { c.status = c.stmts(ctx, s.Stmts) })
	sh.taken(c, ctx)
	sh.mourn(ctx, c, func() string { return stmtText(&syntax.Stmt{Cmd: s}) })
	return status
}

// mourn says that a shell which this one waited for was ended by a signal, as bash does.
func (sh *Shell) mourn(ctx context.Context, c *Shell, text func() string) {
	switch c.death {
	case 0, sigINT, sigPIPE:
	case sigTERM:
		sh.fd(2).write(ctx, []byte(c.death.describe()+"\n"))
	default:
		sh.complain(ctx, "%5d %-23s %s", c.proc.pid, c.death.describe(), text())
	}
}

// taken brings the end of a call in a fork to the shell that waited for it.
func (sh *Shell) taken(c *Shell, ctx context.Context) {
	if c.flow == flowFatal {
		sh.over(ctx)
		sh.leave(flowFatal)
	}
}
