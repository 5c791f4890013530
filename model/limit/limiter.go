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
	Model  string // that is asked
	Fresh  bool   // it can do without: it is refused while the model fails again and again
}

// Queued tells that an attempt has to wait, and why; anew when the key pauses meanwhile.
type Queued struct {
	Tag      uint64
	Reason   string        // ByConcurrency, ByRequests, ByTokens, ByRetryAfter
	Position int           // 1: next
	Wait     time.Duration // until the reason is looked at again; 0: when something is given back
}

// Granted gives a permit.
type Granted struct {
	Tag    uint64
	Waited time.Duration
	Reason string // of the wait; "": it had not to wait
}

// Refused ends a wait: the key itself was refused, or the model fails again and again and
// the attempt is a fresh one.
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

// Lower makes limits stricter: of each number that is set, the lower one counts. So a key
// that several models name has the lowest of what they say.
type Lower struct{ Limits Limits }

// Observer sees what a limiter does. It must not block. Nil fields are not called.
type Observer struct {
	Waits   func(reason string, n int)              // how many wait now, and for what; "" and 0: nobody
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
		if err := a.kept.spare(t, c.Now()); err != nil {
			c.Tell(m.From, Refused{m.Tag, err})
			return
		}
		a.kept.queue.push(t)
		if reason, wait := a.serve(c); reason != "" && a.kept.running[t.key()] == nil {
			a.tell(c, t, reason, wait, a.kept.queue.n)
		}
	case Release:
		paused := a.kept.paused
		a.kept.done(m, c.Now())
		a.spared(c)
		if m.Class == model.ClassAuth && m.Err != nil {
			for _, t := range a.kept.queue.remove(func(*ticket) bool { return true }) {
				c.Tell(t.From, Refused{t.Tag, m.Err})
			}
		}
		if reason, wait := a.serve(c); reason == ByRetryAfter && a.kept.paused != paused {
			a.paused(c, wait)
		}
	case Lower:
		a.kept.lower(m.Limits, c.Now())
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
	a.kept.queue.each(func(t *ticket) { a.watch(c, t.From) })
}

// spared refuses fresh attempts that wait for a model that has begun to fail.
func (a *limiter) spared(c *actors.Context) {
	for _, t := range a.kept.queue.remove(func(t *ticket) bool { return t.Fresh && a.kept.isOpen(t.Model) && !a.kept.probes(t) }) {
		c.Tell(t.From, Refused{t.Tag, broken(t.Model)})
	}
}

// paused tells everybody who waits that the key pauses.
func (a *limiter) paused(c *actors.Context, wait time.Duration) {
	n := 0
	a.kept.queue.each(func(t *ticket) {
		n++
		a.tell(c, t, ByRetryAfter, wait, n)
	})
}

func (a *limiter) tell(c *actors.Context, t *ticket, reason string, wait time.Duration, position int) {
	t.reason = reason
	c.Tell(t.From, Queued{t.Tag, reason, position, wait})
}

// serve admits who may go, and gives why and for how long the next one has to wait; "":
// nobody waits.
func (a *limiter) serve(c *actors.Context) (string, time.Duration) {
	s := a.kept.state
	for {
		now := c.Now()
		t, reason, wait := s.next(now)
		if t == nil {
			a.waiting(c, reason, wait)
			return reason, wait
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
		a.see.Waits(reason, s.queue.n)
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
