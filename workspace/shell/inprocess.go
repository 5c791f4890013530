package shell

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// InProcessOptions say how calls run without workers. The zero value works.
type InProcessOptions struct {
	Workers int                                   // calls at once; the number of CPUs, at least 2
	Tmp     string                                // directory of the host for /tmp of calls; "": the system's
	Clock   Clock                                 // nil: of the machine
	Observe func(outcome string, d time.Duration) // called at the end of each call; nil: nobody
}

// InProcess runs calls in this process: for systems without workers and programs that do
// not call the worker's main. Limits are counted as in a worker, and the deadline ends the
// context of the call; but what ignores its context runs on after the call was settled,
// without changing a file, and a fatal error of the Go runtime ends the program. The limit
// of memory looks at how much the whole process grows.
type InProcess struct {
	o         InProcessOptions
	evaluator Evaluator
	commands  *command.Registry
	slots     chan struct{}
	closing   context.Context
	close     context.CancelFunc
	mu        sync.Mutex // held to begin and to close
	running   sync.WaitGroup
}

var _ Runner = (*InProcess)(nil)

// NewInProcess makes a runner without workers.
func NewInProcess(e Evaluator, commands *command.Registry, o InProcessOptions) *InProcess {
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	r := &InProcess{o: o, evaluator: e, commands: commands, slots: make(chan struct{}, atOnce(o.Workers))}
	r.closing, r.close = context.WithCancel(context.Background())
	return r
}

// atOnce gives how many calls run at once.
func atOnce(workers int) int {
	if workers > 0 {
		return workers
	}
	return max(2, runtime.NumCPU())
}

// Run implements [Runner].
func (r *InProcess) Run(ctx context.Context, j *Job) Outcome {
	o := r.run(ctx, j)
	if r.o.Observe != nil {
		r.o.Observe(string(o.Kind), o.Duration)
	}
	return o
}

func (r *InProcess) run(ctx context.Context, j *Job) Outcome {
	if o := enter(ctx, r.closing, r.slots); o != nil {
		return *o
	}
	defer func() { <-r.slots }()
	if !r.begin() {
		return closed()
	}
	tmp, err := os.MkdirTemp(r.o.Tmp, "swarm-shell-")
	if err != nil {
		r.running.Done()
		return Outcome{Kind: Unavailable, Reason: "No directory for /tmp could be made: " + err.Error() + ". Nothing was run."}
	}
	c := newInProcessCall(r, j, tmp)
	go func() { // left to itself when the evaluation ignores its context
		defer r.running.Done()
		defer removeTree(tmp)
		c.report <- c.evaluate()
	}()
	return c.wait(ctx)
}

// begin counts a call as running.
func (r *InProcess) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing.Err() != nil {
		return false
	}
	r.running.Add(1)
	return true
}

// Close implements [Runner].
func (r *InProcess) Close(ctx context.Context) error {
	r.mu.Lock()
	r.close()
	r.mu.Unlock()
	return waitFor(ctx, &r.running)
}

// waitFor waits for a group or the end of the context.
func waitFor(ctx context.Context, group *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// enter waits for a slot. It gives an outcome when there is none to be had.
func enter(ctx, closing context.Context, slots chan struct{}) *Outcome {
	if ctx.Err() != nil {
		o := cancelledBefore()
		return &o
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		o := cancelledBefore()
		return &o
	case <-closing.Done():
		o := closed()
		return &o
	}
}

func cancelledBefore() Outcome {
	return Outcome{Kind: Cancelled, Reason: "The command was cancelled before it began. Nothing was run."}
}

func closed() Outcome {
	return Outcome{Kind: Unavailable, Reason: "The program is closing. Nothing was run."}
}

// inProcessCall is one call.
type inProcessCall struct {
	r      *InProcess
	j      *Job
	limits limits.Limits
	report chan wire.Report
	begun  chan struct{} // closed when eval can be stopped, or never will be
	eval   *Evaluation
	ctx    context.Context
	stop   context.CancelFunc

	mu        sync.Mutex // of what evaluation and settlement share
	settled   bool
	out, err  sink
	announced announcements
}

func newInProcessCall(r *InProcess, j *Job, tmp string) *inProcessCall {
	l := j.Limits.OrDefault()
	c := &inProcessCall{
		r: r, j: j, limits: l, report: make(chan wire.Report, 1), begun: make(chan struct{}),
		out: newSink(j.Out, l), err: newSink(j.Err, l), announced: announcements{most: l.Files},
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	c.eval = &Evaluation{
		Evaluator: r.evaluator, Commands: r.commands, Call: j.call(tmp),
		In: io.Reader(eof{}), Out: guarded{c, &c.out}, Err: guarded{c, &c.err},
		Announce: c.announce, Prompt: j.Prompt,
	}
	if j.Stdin != nil {
		c.eval.In = j.Stdin
	}
	return c
}

// eof is an input without a byte.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

func (c *inProcessCall) evaluate() wire.Report {
	defer c.stop()
	base := Used()
	failed := c.eval.Begin(c.ctx)
	close(c.begun)
	if failed != nil {
		return *failed
	}
	done := make(chan struct{})
	watching, stop := context.WithCancel(context.Background())
	go func() {
		defer close(done)
		Watch{Budget: c.eval.Budget, Base: base}.Run(watching)
	}()
	defer func() {
		stop()
		<-done
	}()
	return c.eval.Run()
}

// wait settles the call.
func (c *inProcessCall) wait(ctx context.Context) Outcome {
	began := c.r.o.Clock.Now()
	over, late := make(chan struct{}), make(chan struct{})
	defer c.r.o.Clock.AfterFunc(c.limits.Clock, func() { close(over) })()
	var why Kind
	var report wire.Report
	select {
	case report = <-c.report:
		return c.outcome(report, why, began)
	case <-over:
		why = TimedOut
	case <-ctx.Done():
		why = Cancelled
	case <-c.r.closing.Done():
		why = Cancelled
	}
	<-c.begun
	defer c.r.o.Clock.AfterFunc(Grace, func() { close(late) })()
	if c.eval.view != nil {
		c.eval.Stop()
	}
	select {
	case report = <-c.report:
	case <-late:
		c.eval.End()
		report = wire.Report{Stopped: true, Writing: c.eval.Writing()}
	}
	return c.outcome(report, why, began)
}

func (c *inProcessCall) outcome(report wire.Report, why Kind, began time.Time) Outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled = true
	o := Outcome{Stdout: c.out.capture(), Stderr: c.err.capture(), Announced: c.announced.list(), Duration: c.r.o.Clock.Now().Sub(began)}
	o.settle(report, why, c.j, c.limits)
	return o
}

func (c *inProcessCall) announce(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.announced.add(path)
}

// guarded drops what is written after the call was settled.
type guarded struct {
	c    *inProcessCall
	into *sink
}

var errSettled = errors.New("the call is over")

func (g guarded) Write(p []byte) (int, error) {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	if g.c.settled {
		return 0, errSettled
	}
	return g.into.to.Write(p)
}
