package shell

import (
	"context"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// PoolOptions say how calls run in workers. The zero value works.
type PoolOptions struct {
	Workers int // calls at once; the number of CPUs, at least 2
	Warm    int // workers that wait for a call; 2
	// Limits are what a worker sets for itself before it says hello. A job may lower clock,
	// memory and the size of a file, and cannot raise them.
	Limits  limits.Limits
	Idle    time.Duration                         // without a call, after which one warm worker is kept; 5 min
	Tmp     string                                // directory of the host, of this pool alone, for /tmp of calls; "": one in the system's, removed by Close
	Clock   Clock                                 // of deadlines and of Idle; nil: of the machine
	Observe func(outcome string, d time.Duration) // called at the end of each call; nil: nobody
}

// Pool runs each call in a process of its own: this program, started again (shell spec §3).
// Workers are started ahead and wait; one serves one call and is killed after it. None is
// started before [Pool.Warm] or the first call. The pool treats what a worker says as
// hostile: what is forged, too long or too much costs the worker its life and the call
// fails.
type Pool struct {
	o       PoolOptions
	slots   chan struct{}
	closing context.Context
	close   context.CancelFunc
	spawner spawner
	all     sync.WaitGroup // calls, starts and processes

	mu       sync.Mutex
	idle     []*process
	waiting  []chan started // calls that wait for a worker, first come first served
	starting int
	warm     int // how many idle workers there should be
	running  int // calls
	cool     func() bool
}

// started is a worker, or why there is none.
type started struct {
	w   *process
	err error
}

var _ Runner = (*Pool)(nil)

// NewPool makes a pool. It starts nothing.
func NewPool(o PoolOptions) *Pool {
	if o.Warm <= 0 {
		o.Warm = 2
	}
	if o.Idle <= 0 {
		o.Idle = 5 * time.Minute
	}
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	o.Limits = o.Limits.OrDefault()
	p := &Pool{o: o, slots: make(chan struct{}, atOnce(o.Workers))}
	p.closing, p.close = context.WithCancel(context.Background())
	p.spawner.init(o.Tmp, wire.Greeting{Protocol: wire.Protocol, Build: wire.Build(), Limits: o.Limits})
	return p
}

// Warm starts workers ahead and does not wait for them.
func (p *Pool) Warm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.warm = p.o.Warm
	p.refill()
	p.rest()
}

// Run implements [Runner].
func (p *Pool) Run(ctx context.Context, j *Job) Outcome {
	o := p.run(ctx, j)
	if p.o.Observe != nil {
		p.o.Observe(string(o.Kind), o.Duration)
	}
	return o
}

func (p *Pool) run(ctx context.Context, j *Job) Outcome {
	if o := enter(ctx, p.closing, p.slots); o != nil {
		return *o
	}
	defer func() { <-p.slots }()
	if !p.begin() {
		return closed()
	}
	defer p.end()
	w, err := p.take(ctx)
	switch {
	case err == nil:
		return newCall(p, w, j).run(ctx)
	case p.closing.Err() != nil:
		return closed()
	case ctx.Err() != nil:
		return cancelledBefore()
	}
	return Outcome{Kind: Unavailable, Reason: "No worker could be started for the command: " + err.Error() + ". Nothing was run."}
}

// begin counts a call as running.
func (p *Pool) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing.Err() != nil {
		return false
	}
	p.all.Add(1)
	p.running++
	p.warm = p.o.Warm
	if p.cool != nil {
		p.cool()
		p.cool = nil
	}
	return true
}

// end starts what the call has used up.
func (p *Pool) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.all.Done()
	p.running--
	p.refill()
	p.rest()
}

// rest has the pool shrink when no call comes for a while. The lock is held.
func (p *Pool) rest() {
	if p.running > 0 || p.closing.Err() != nil {
		return
	}
	if p.cool != nil {
		p.cool()
	}
	p.cool = p.o.Clock.AfterFunc(p.o.Idle, p.shrink)
}

// shrink keeps one warm worker.
func (p *Pool) shrink() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running > 0 {
		return // it began while the timer fired
	}
	p.warm = 1
	for len(p.idle) > p.warm {
		p.discard(p.idle[0])
		p.idle = p.idle[1:]
	}
}

// refill starts workers until there are enough for those who wait and for the pool. The
// lock is held.
func (p *Pool) refill() {
	if p.closing.Err() != nil {
		return
	}
	for p.starting+len(p.idle) < len(p.waiting)+p.warm {
		p.starting++
		p.all.Go(p.start)
	}
}

// start starts one worker and hands it on.
func (p *Pool) start() {
	w, err := p.spawner.start(p.closing)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starting--
	switch {
	case len(p.waiting) > 0:
		p.waiting[0] <- started{w, err}
		p.waiting = p.waiting[1:]
	case err != nil: // whoever needs one tries again and says why
	case p.closing.Err() != nil || len(p.idle) >= p.warm:
		p.discard(w)
	default:
		p.idle = append(p.idle, w)
	}
}

// take gives a worker that is alive.
func (p *Pool) take(ctx context.Context) (*process, error) {
	p.mu.Lock()
	for len(p.idle) > 0 {
		w := p.idle[0]
		p.idle = p.idle[1:]
		if w.quiet() {
			if len(p.idle) == 0 {
				p.refill()
			}
			p.mu.Unlock()
			return w, nil
		}
		p.discard(w)
	}
	mine := make(chan started, 1)
	p.waiting = append(p.waiting, mine)
	if p.starting < len(p.waiting) {
		p.starting++
		p.all.Go(p.start)
	}
	p.mu.Unlock()
	select {
	case s := <-mine:
		return s.w, s.err
	case <-ctx.Done():
	case <-p.closing.Done():
	}
	p.leave(mine)
	return nil, fault.New("workspace.shell_unavailable", "the wait for a worker has ended")
}

// leave stops waiting; a worker that came meanwhile is kept.
func (p *Pool) leave(mine chan started) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, c := range p.waiting {
		if c == mine {
			p.waiting = append(p.waiting[:i:i], p.waiting[i+1:]...)
			return
		}
	}
	if s := <-mine; s.err == nil && p.closing.Err() != nil {
		p.discard(s.w)
	} else if s.err == nil {
		p.idle = append(p.idle, s.w)
	}
}

// discard ends a worker and does not wait for it.
func (p *Pool) discard(w *process) {
	w.kill()
	p.all.Go(w.reap)
}

// Close implements [Runner]: it cancels the calls, ends the workers and removes what they
// had as /tmp.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	p.close()
	if p.cool != nil {
		p.cool()
	}
	for _, w := range p.idle {
		p.discard(w)
	}
	p.idle = nil
	p.mu.Unlock()
	if err := waitFor(ctx, &p.all); err != nil {
		return err
	}
	p.spawner.close()
	return nil
}
