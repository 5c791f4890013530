package eval

import (
	"context"
	"strconv"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// job is a statement that runs in the background of a shell.
type job struct {
	number int    // of %1, %2; 0 is no job: a process substitution
	pid    int    // $!
	text   string // of the statement
	proc   *proc
	done   chan struct{} // closed when it has ended
	status int           // once it has ended
	death  signal        // that ended it
}

// ended says whether the job has.
func (j *job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// jobs are the jobs of one shell, in the order of their start.
type jobs struct {
	list  []*job
	shown []*job // of a subshell: the jobs of its parent, which it can see and signal
}

// inherited gives the jobs of a subshell: none are its own.
func (j *jobs) inherited() *jobs {
	if len(j.list) == 0 {
		return &jobs{shown: j.shown}
	}
	return &jobs{shown: append([]*job(nil), j.list...)}
}

// visible gives the jobs that can be named.
func (j *jobs) visible() []*job {
	if len(j.list) == 0 {
		return j.shown
	}
	return j.list
}

// remembered bounds how many jobs that have ended are kept for wait.
const remembered = 1024

// add notes a job and gives it a number.
func (j *jobs) add(n *job) {
	n.number = 1
	for _, other := range j.list {
		if !other.ended() {
			n.number = max(n.number, other.number+1)
		}
	}
	j.note(n)
}

// note keeps a job so that it can be waited for; the oldest that have ended are forgotten.
func (j *jobs) note(n *job) {
	if len(j.list) >= remembered {
		for i, old := range j.list {
			if old.ended() {
				j.list = append(j.list[:i:i], j.list[i+1:]...)
				break
			}
		}
	}
	j.list = append(j.list, n)
}

// remove forgets a job.
func (j *jobs) remove(gone *job) {
	for i, n := range j.list {
		if n == gone {
			j.list = append(j.list[:i:i], j.list[i+1:]...)
			return
		}
	}
}

// running gives the jobs that have a number and run.
func (j *jobs) running() []*job {
	var list []*job
	for _, n := range j.visible() {
		if n.number > 0 && !n.ended() {
			list = append(list, n)
		}
	}
	return list
}

// byPID gives a job by its process number.
func (j *jobs) byPID(pid int) *job {
	for i := len(j.list) - 1; i >= 0; i-- {
		if j.list[i].pid == pid {
			return j.list[i]
		}
	}
	return nil
}

// find gives a job by its name, which begins with "%".
func (j *jobs) find(spec string) *job {
	name := strings.TrimPrefix(spec, "%")
	if n, err := strconv.Atoi(name); err == nil {
		list := j.visible()
		for i := len(list) - 1; i >= 0; i-- {
			if list[i].number == n {
				return list[i]
			}
		}
		return nil
	}
	var all []*job
	for _, x := range j.visible() {
		if x.number > 0 {
			all = append(all, x)
		}
	}
	switch name {
	case "", "%", "+":
		if len(all) > 0 {
			return all[len(all)-1]
		}
		return nil
	case "-":
		if len(all) > 0 {
			return all[max(0, len(all)-2)]
		}
		return nil
	}
	inside, within := strings.CutPrefix(name, "?")
	for i := len(all) - 1; i >= 0; i-- {
		if within && strings.Contains(all[i].text, inside) || !within && strings.HasPrefix(all[i].text, name) {
			return all[i]
		}
	}
	return nil
}

// background starts a statement as a job.
func (sh *Shell) background(ctx context.Context, s *syntax.Stmt) int {
	done, ok := sh.budget.Job()
	if !ok {
		sh.complain(ctx, "fork: retry: %s", view.Text(syscall.EAGAIN))
		sh.leave(flowDiscard)
		return 254
	}
	c := sh.fork()
	if sh.fd(0) == sh.stdin {
		c.setFd(0, openReader(strings.NewReader(""))).drop()
	}
	c.atStage(s)
	// As in a shell without job control, what is typed at a terminal does not reach jobs.
	c.proc.catch(sigINT, false, false)
	c.proc.catch(sigQUIT, false, false)
	j := sh.launch(ctx, c, done, func(ctx context.Context) { c.inner(ctx, s) })
	j.text = stmtText(s)
	sh.jobs.add(j)
	sh.last = j.pid
	return 0
}

// launch runs a fork in a goroutine of its own, as a job that has no number yet.
func (sh *Shell) launch(ctx context.Context, c *Shell, done func(), run func(ctx context.Context)) *job {
	j := &job{pid: c.proc.pid, proc: c.proc, done: make(chan struct{})}
	inside, cancel := context.WithCancelCause(ctx)
	c.proc.start(cancel)
	sh.routine(func() {
		defer close(j.done)
		defer done()
		defer cancel(context.Canceled)
		j.status = c.life(inside, ctx, func() { run(inside) })
		j.death = c.death
	})
	return j
}

// inner executes, in a fork that was made for it, a statement without its "&": ( ) needs no
// second fork.
func (sh *Shell) inner(ctx context.Context, s *syntax.Stmt) {
	sub, ok := s.Cmd.(*syntax.Subshell)
	if !ok || s.Negated {
		plain := *s
		plain.Background = false
		sh.stmt(ctx, &plain)
		return
	}
	undo, err := sh.redirect(ctx, s.Redirs)
	keepRedirects(undo)
	if err != nil {
		sh.status = sh.redirectError(ctx, err)
		return
	}
	sh.status = sh.stmts(ctx, sub.Stmts)
}

// stmtText gives the text of a statement on one line, without its "&".
func stmtText(s *syntax.Stmt) string {
	plain := *s
	plain.Background = false
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true), syntax.SpaceRedirects(true)).Print(&b, &plain); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// commandText gives BASH_COMMAND.
func (sh *Shell) commandText() string {
	if sh.running == nil {
		return ""
	}
	if c, ok := sh.running.Cmd.(*syntax.ForClause); ok {
		// Of a loop only its head.
		head, _, _ := strings.Cut(stmtText(&syntax.Stmt{Cmd: &syntax.ForClause{Select: c.Select, Loop: c.Loop}}), "; do")
		return head
	}
	return stmtText(sh.running)
}
