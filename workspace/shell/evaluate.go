package shell

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Evaluation is a call at the place where it is evaluated: in a worker or, without one, in
// this process. It is for the two of them alone.
type Evaluation struct {
	Evaluator Evaluator
	Commands  *command.Registry
	Call      wire.Call
	In        io.Reader
	Out, Err  io.Writer
	Announce  func(path string)
	Prompt    func(more bool)

	Budget *limits.Budget // set by Begin

	ctx  context.Context
	stop func()
	view *view.View
	req  *Request

	looked  sync.Once
	writing atomic.Pointer[[]string] // what was open for writing when the call was stopped
}

// lookTime bounds the look at what is open for writing: a change in hand may hold it up.
const lookTime = 50 * time.Millisecond

// Begin opens what the call sees. When that cannot be it gives a report instead, and
// nothing has run. The context ends the call.
func (e *Evaluation) Begin(ctx context.Context) *wire.Report {
	e.Budget, e.ctx, e.stop = limits.NewBudget(ctx, e.Call.Limits)
	o := view.Options{
		Dir: string(e.Call.Host), Tmp: string(e.Call.Tmp), Roots: e.Call.Roots, Used: e.Call.Used, ReadOnly: e.Call.ReadOnly,
		Budget: e.Budget, Commands: e.Commands.Names(), Announce: e.Announce,
	}
	fs, err := view.New(o)
	if err != nil {
		e.stop()
		return &wire.Report{Fault: "the directory of the call cannot be opened: " + view.Text(err)}
	}
	e.view = fs
	dir := string(e.Call.Dir)
	switch info, err := fs.Stat(dir); {
	case err != nil:
		e.End()
		return &wire.Report{Dir: view.Text(err)}
	case !info.IsDir():
		e.End()
		return &wire.Report{Dir: "Not a directory", NoDir: true}
	}
	e.Budget.BeforeEnd = e.look
	count := &produced{budget: e.Budget}
	e.req = &Request{
		Script: string(e.Call.Command), Name: string(e.Call.Name), Args: texts(e.Call.Args), Dir: dir, Env: texts(e.Call.Env),
		In: e.In, Out: counted{e.Out, count}, Err: counted{e.Err, count},
		FS: fs, Commands: e.Commands, Budget: e.Budget,
		Now:       func() time.Time { return time.Now().UTC() },
		Sleep:     sleep,
		Rand:      func(p []byte) { _, _ = rand.Read(p) }, // it never fails
		FromInput: e.Call.FromInput, Prompt: e.Prompt,
	}
	return nil
}

// Run evaluates and says how it ended. Nothing of the call changes a file after it: its
// context has ended and its view is sealed. A limit that was hit is also said on Err.
func (e *Evaluation) Run() wire.Report {
	exit := e.eval()
	stopped := e.Budget.Hit() == nil && e.ctx.Err() != nil
	e.End()
	r := wire.Report{Code: exit.Code & 0xff, Hit: e.Budget.Hit(), Writing: e.Writing()}
	if hit, ok := errors.AsType[*limits.Hit](exit.Err); ok && r.Hit == nil {
		r.Hit = hit
	}
	switch {
	case r.Hit != nil:
		fmt.Fprintf(e.Err, "bash: %s\n", r.Hit.Error())
	case stopped:
		r.Stopped = true
	case exit.Err != nil:
		r.Fault = exit.Err.Error()
	default:
		r.Writing = nil
	}
	return r
}

// eval evaluates on a goroutine of its own, which the evaluator may leave by a Goexit.
func (e *Evaluation) eval() Exit {
	done := make(chan Exit, 1)
	go func() {
		exit := Exit{Err: errors.New("the evaluation left its goroutine")}
		defer func() {
			if p := recover(); p != nil {
				exit.Err = panicked(p, debug.Stack())
			}
			done <- exit
		}()
		exit = e.Evaluator.Eval(e.ctx, e.req)
	}()
	return <-done
}

// End ends what runs, and returns when no change of a file can begin any more.
func (e *Evaluation) End() {
	e.stop()
	e.view.Seal()
	_ = e.view.Close()
}

// Stop ends the call from outside, before it is over.
func (e *Evaluation) Stop() {
	e.look()
	e.stop()
}

// look keeps what is open for writing, before what runs ends and closes it.
func (e *Evaluation) look() {
	e.looked.Do(func() {
		done := make(chan struct{})
		go func() {
			files := e.view.Writing()
			e.writing.Store(&files)
			close(done)
		}()
		t := time.NewTimer(lookTime)
		defer t.Stop()
		select {
		case <-done:
		case <-t.C:
		}
	})
}

// Writing gives the files that were open for writing when the call was stopped.
func (e *Evaluation) Writing() []string {
	if files := e.writing.Load(); files != nil {
		return *files
	}
	return nil
}

func texts(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// produced counts the output of both streams.
type produced struct {
	budget *limits.Budget
	bytes  atomic.Int64
}

// counted passes output on until more was produced than may be.
type counted struct {
	to    io.Writer
	count *produced
}

// Write implements [io.Writer]. What goes over the limit is written up to it.
func (c counted) Write(p []byte) (int, error) {
	over := c.count.bytes.Add(int64(len(p))) - c.count.budget.Produced
	if over <= 0 {
		return c.to.Write(p)
	}
	n, err := 0, error(nil)
	if fits := int64(len(p)) - over; fits > 0 {
		n, err = c.to.Write(p[:fits])
	}
	hit := c.count.budget.Exceed(&limits.Hit{Name: "produced", Value: c.count.budget.Produced, Unit: "bytes of output", Mend: "Redirect the output into a file, or let the command write less."})
	if err == nil {
		err = hit
	}
	return n, err
}

// panicked gives the text of a panic: a first line for everybody, then the stack for a log.
func panicked(p any, stack []byte) error {
	first, _, _ := strings.Cut(fmt.Sprint(p), "\n")
	return fmt.Errorf("panic: %s\n%s", first, stack)
}
