package eval

import (
	"bytes"
	"context"
	"strconv"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// captured takes what a command substitution writes.
type captured struct {
	buf    []byte
	budget *limits.Budget
}

func (c *captured) Write(p []byte) (int, error) {
	if len(c.buf)+len(p) > c.budget.Variable {
		return 0, c.budget.Exceed(&limits.Hit{Name: "variable", Value: int64(c.budget.Variable), Unit: "bytes of one variable", Mend: "Write to a file instead."})
	}
	c.buf = append(c.buf, p...)
	return len(p), nil
}

// text gives what was written as the shell takes it: without NUL and last newlines.
func (c *captured) text() string {
	b := c.buf
	if bytes.IndexByte(b, 0) >= 0 {
		b = bytes.ReplaceAll(b, []byte{0}, nil)
	}
	return string(bytes.TrimRight(b, "\n"))
}

// Substitute implements [expand.Shell]. The commands run here, in a fork; only what they
// leave in the background is waited for.
func (sh *Shell) Substitute(ctx context.Context, cs *syntax.CmdSubst) (string, error) {
	out := &captured{budget: sh.budget}
	if r, ok := onlyReads(cs); ok {
		return sh.readFile(ctx, r, out)
	}
	gone := make(chan struct{})
	to := openWriter(out)
	to.close = func() error { close(gone); return nil }
	c := sh.fork()
	if !sh.opt(shoptInheritErrExit) && !sh.opts.set[optPosix] {
		c.opts.set[optErrExit] = false
	}
	c.traced++
	c.setFd(1, to).drop()
	sh.substitution = c.life(ctx, ctx, func() { c.status = c.stmts(ctx, cs.Stmts) })
	sh.status = sh.substitution
	select {
	case <-gone:
	case <-ctx.Done():
	}
	sh.taken(c, ctx)
	if sh.over(ctx) {
		return "", context.Cause(ctx)
	}
	to.mu.Lock()
	defer to.mu.Unlock()
	return out.text(), nil
}

// onlyReads gives the redirection of $(<file).
func onlyReads(cs *syntax.CmdSubst) (*syntax.Redirect, bool) {
	if len(cs.Stmts) != 1 {
		return nil, false
	}
	s := cs.Stmts[0]
	if s.Cmd != nil || s.Negated || s.Background || len(s.Redirs) != 1 {
		return nil, false
	}
	r := s.Redirs[0]
	return r, r.Op == syntax.RdrIn && (r.N == nil || r.N.Value == "0")
}

// readFile gives the content of the file of $(<file).
func (sh *Shell) readFile(ctx context.Context, r *syntax.Redirect, out *captured) (string, error) {
	sh.substitution = 0
	undo, err := sh.redirect(ctx, []*syntax.Redirect{r})
	defer sh.restore(undo)
	if err != nil {
		sh.substitution = sh.redirectError(ctx, err)
		sh.status = sh.substitution
		return "", nil
	}
	in := sh.fd(0)
	var space [8 << 10]byte
	for {
		n, err := in.read(ctx, space[:])
		if _, err := out.Write(space[:n]); err != nil {
			return "", err
		}
		if err != nil {
			break
		}
	}
	return out.text(), nil
}

// passing is a process substitution: a descriptor of the shell, and the shell at its other
// end.
type passing struct {
	fd   int
	far  *open // the writing end of >( ), to see whether it is still in use
	done chan struct{}
}

// Process implements [expand.Shell].
func (sh *Shell) Process(ctx context.Context, p *syntax.ProcSubst) (string, error) {
	done, ok := sh.budget.Job()
	fd := sh.freeFd(63, -1)
	if !ok || fd < 0 {
		if ok {
			done()
		}
		return "", &redirectFault{"process substitution", syscall.EAGAIN}
	}
	r, w := newPipe()
	c := sh.fork()
	for _, other := range sh.passing {
		c.closeFd(other.fd)
	}
	mine := &passing{fd: fd}
	if p.Op == syntax.CmdIn {
		c.setFd(1, w).drop()
		sh.setFd(fd, r).drop()
	} else {
		c.setFd(0, r).drop()
		sh.setFd(fd, w).drop()
		mine.far = w
	}
	sh.passing = append(sh.passing, mine)
	sh.last = c.proc.pid
	j := sh.launch(ctx, c, done, func(ctx context.Context) { c.status = c.stmts(ctx, p.Stmts) })
	sh.jobs.note(j)
	mine.done = j.done
	return "/dev/fd/" + strconv.Itoa(fd), nil
}

// closePassing closes the process substitutions that were started after the first n. One
// that reads is waited for when nothing else can write to it any more.
func (sh *Shell) closePassing(ctx context.Context, n int) {
	for len(sh.passing) > n {
		p := sh.passing[len(sh.passing)-1]
		sh.passing = sh.passing[:len(sh.passing)-1]
		sh.closeFd(p.fd)
		if p.far == nil {
			continue
		}
		if p.far.refs.Load() > 0 {
			sh.kept = append(sh.kept, p)
			continue
		}
		select {
		case <-p.done:
		case <-ctx.Done():
		}
	}
}

// awaitKept waits for the process substitutions that went on after their command, such as
// that of exec > >(tee log), once nobody can write to them any more.
func (sh *Shell) awaitKept(ctx context.Context) {
	for _, p := range sh.kept {
		if p.far.refs.Load() > 0 {
			continue
		}
		select {
		case <-p.done:
		case <-ctx.Done():
		}
	}
}

// hasProcess says whether a statement may start process substitutions, as far as its words
// show.
func hasProcess(s *syntax.Stmt) bool {
	call, _ := s.Cmd.(*syntax.CallExpr)
	if call != nil {
		for _, w := range call.Args {
			for _, p := range w.Parts {
				if _, ok := p.(*syntax.ProcSubst); ok {
					return true
				}
			}
		}
	}
	for _, r := range s.Redirs {
		for _, p := range r.Word.Parts {
			if _, ok := p.(*syntax.ProcSubst); ok {
				return true
			}
		}
	}
	return false
}
