package eval

import (
	"context"
	"sync"
	"sync/atomic"
)

// proc is a shell as signals and wait see it. It is safe for concurrent use.
type proc struct {
	pid  int
	call *call

	waiting atomic.Bool // signals are pending
	mu      sync.Mutex
	pending []signal
	caught  map[signal]bool         // by a trap; false: ignored
	cancel  context.CancelCauseFunc // ends what the shell runs; nil: only the shell itself looks
	wake    chan struct{}           // has one element when a signal arrived
}

// killed is the cause of a context that a signal ended.
type killed struct{ sig signal }

func (k killed) Error() string { return "killed by " + k.sig.String() }

// newProc gives the next shell of the call its number.
func (c *call) newProc() *proc { return &proc{pid: int(c.nextPID.Add(1)), call: c} }

// start makes the shell one that others can signal.
func (p *proc) start(cancel context.CancelCauseFunc) {
	p.cancel = cancel
	p.wake = make(chan struct{}, 1)
	p.call.mu.Lock()
	p.call.procs[p.pid] = p
	p.call.mu.Unlock()
}

// end takes it away again.
func (p *proc) end() {
	if p.cancel == nil {
		return
	}
	p.call.mu.Lock()
	delete(p.call.procs, p.pid)
	p.call.mu.Unlock()
}

// catch says how the shell takes a signal: by a trap, not at all, or (reset) by its end.
func (p *proc) catch(sig signal, trap, reset bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.caught == nil {
		p.caught = map[signal]bool{}
	}
	p.caught[sig] = trap
	if reset {
		delete(p.caught, sig)
	}
}

// signal sends a signal to the shell. One that has no trap ends it.
func (p *proc) signal(sig signal) {
	p.mu.Lock()
	trap, caught := p.caught[sig]
	switch {
	case sig == sigKILL || sig == sigSTOP:
		caught = false
	case caught && !trap, !caught && sig.harmless():
		p.mu.Unlock()
		return
	}
	if caught || p.cancel == nil {
		p.pending = append(p.pending, sig)
		p.waiting.Store(true)
	}
	p.mu.Unlock()
	if caught {
		if p.wake != nil {
			select {
			case p.wake <- struct{}{}:
			default:
			}
		}
	} else if p.cancel != nil {
		p.cancel(killed{sig})
	}
}

// take gives the signals that are pending.
func (p *proc) take() []signal {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.pending
	p.pending = nil
	p.waiting.Store(false)
	return all
}
