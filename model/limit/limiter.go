package limit

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Acquire asks for a permit for one attempt; it is told to the limiter, and answered with
// [Granted] or [Refused]. A permit belongs to the attempt and comes back with [Release], or
// by the end of From.
type Acquire struct {
	From   actors.Ref
	Tag    uint64 // of the sender's choice, one for each attempt
	Run    string // for fairness between runs
	Path   string // for fairness between the invocations of a run
	Tokens int64  // about how many it will use, input and output
}

// Queued tells once that an attempt has to wait, and why.
type Queued struct {
	Tag      uint64
	Reason   string // ByConcurrency, ByRequests, ByTokens, ByRetryAfter
	Position int    // 1: next
}

// Granted gives a permit.
type Granted struct {
	Tag    uint64
	Waited time.Duration
	Reason string // of the wait; "": it had not to wait
}

// Refused ends a wait: the key itself was refused.
type Refused struct {
	Tag uint64
	Err *model.Error
}

// Release gives a permit back, or gives up waiting for one.
type Release struct {
	From       actors.Ref
	Tag        uint64
	Used       int64         // tokens, 0: unknown, what was reserved counts
	Class      model.Class   // of a failed attempt; "": it succeeded
	RetryAfter time.Duration // the server's wish, with model.ClassRate
	Err        *model.Error  // with model.ClassAuth: everybody who waits gets it
}

// Observer sees what a limiter does. It must not block. Nil fields are not called.
type Observer struct {
	Waits   func(n int)                             // who waits now
	Granted func(reason string, wait time.Duration) // "" and 0: at once
}

// Spec is the spec of a limiter. The name is the key's in the tree view; it must not tell
// the key itself.
func Spec(name string, l Limits, see Observer) actors.Spec {
	kept := new(kept) // outlives a restart: permits that were given are still out
	return actors.Spec{Name: name, Kind: "limiter", Life: actors.Permanent, New: func() actors.Actor { return &limiter{limits: l, see: see, kept: kept} }}
}

type kept struct{ *state }

type limiter struct {
	limits  Limits
	see     Observer
	kept    *kept
	watched map[actors.Ref]bool
}

const look = "look"

// Receive implements [actors.Actor].
func (a *limiter) Receive(c *actors.Context, msg any) {
	switch m := msg.(type) {
	case actors.Started:
		if a.kept.state == nil {
			a.kept.state = newState(a.limits, c.Now())
		}
		a.watched = make(map[actors.Ref]bool)
		a.watchAll(c)
		a.serve(c)
	case Acquire:
		a.watch(c, m.From)
		t := &ticket{Acquire: m, since: c.Now()}
		a.kept.queue.push(t)
		if reason := a.serve(c); reason != "" && a.kept.running[t.key()] == nil {
			t.reason = reason
			c.Tell(t.From, Queued{t.Tag, reason, a.kept.queue.n})
		}
	case Release:
		a.kept.done(m, c.Now())
		if m.Class == model.ClassAuth && m.Err != nil {
			for _, t := range a.kept.queue.remove(func(*ticket) bool { return true }) {
				c.Tell(t.From, Refused{t.Tag, m.Err})
			}
		}
		a.serve(c)
	case actors.Terminated:
		delete(a.watched, m.Ref)
		a.kept.gone(m.Ref)
		a.serve(c)
	case actors.Tick:
		a.serve(c)
	}
}

func (a *limiter) watch(c *actors.Context, ref actors.Ref) {
	if !a.watched[ref] {
		a.watched[ref] = true
		c.Watch(ref)
	}
}

// watchAll watches who holds or waits, after a restart.
func (a *limiter) watchAll(c *actors.Context) {
	for k := range a.kept.running { // a set
		a.watch(c, k.from)
	}
	for _, r := range a.kept.queue.order {
		for _, p := range r.order {
			for _, t := range p.items {
				a.watch(c, t.From)
			}
		}
	}
}

// serve admits who may go, and gives why the next one has to wait; "": nobody waits.
func (a *limiter) serve(c *actors.Context) string {
	s := a.kept.state
	for {
		now := c.Now()
		t, reason, wait := s.next(now)
		if t == nil {
			a.waiting(c, reason, wait)
			return reason
		}
		waited := now.Sub(t.since)
		if a.see.Granted != nil {
			a.see.Granted(t.reason, waited)
		}
		c.Tell(t.From, Granted{t.Tag, waited, t.reason})
	}
}

func (a *limiter) waiting(c *actors.Context, reason string, wait time.Duration) {
	s := a.kept.state
	if a.see.Waits != nil {
		a.see.Waits(s.queue.n)
	}
	if reason == "" {
		c.Cancel(look)
		c.Publish("running", "")
		return
	}
	if wait > 0 {
		c.After(look, wait)
	}
	c.Publish("waiting", reason)
}
