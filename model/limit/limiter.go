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

// Queued tells that an attempt has to wait, and why; anew when the key pauses meanwhile, and
// when its place changes: at once while few wait, else at most once a second.
type Queued struct {
	Tag      uint64
	Reason   string        // ByConcurrency, ByRequests, ByTokens, ByRetryAfter
	Position int           // 1: next
	Wait     time.Duration // until the reason is looked at again; 0: when something is given back
	Expected time.Duration // until it goes, about; 0: nobody knows
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
	told    time.Time // when everybody was told the place
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
		a.places(c, a.serve(c), t)
	case Release:
		paused := a.kept.paused
		a.kept.done(m, c.Now())
		a.spared(c)
		if m.Class == model.ClassAuth && m.Err != nil {
			for _, t := range a.kept.refuse(func(*ticket) bool { return true }) {
				c.Tell(t.From, Refused{t.Tag, m.Err})
			}
		}
		why := a.serve(c)
		if why.reason == ByRetryAfter && a.kept.paused != paused {
			a.told = time.Time{} // the wait of all is another one
			a.kept.queue.each(func(t *ticket) { t.place = 0 })
		}
		a.places(c, why, nil)
	case Lower:
		a.kept.lower(m.Limits, c.Now())
		a.places(c, a.serve(c), nil)
	case actors.Terminated:
		delete(a.watched, m.Ref)
		a.kept.gone(m.Ref)
		a.places(c, a.serve(c), nil)
	case actors.Tick:
		a.places(c, a.serve(c), nil)
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

// why is what who is next has to wait for, and for how long until it is looked at again; the
// zero value: nobody waits.
type why struct {
	reason string
	wait   time.Duration
}

// places tells those who wait their places, when these are others than they know. fresh has
// just come, and is told in any case; nil: nobody has.
func (a *limiter) places(c *actors.Context, w why, fresh *ticket) {
	s, now := a.kept.state, c.Now()
	if w.reason == "" {
		return
	}
	if s.queue.n > few && now.Sub(a.told) < tellEvery {
		if fresh != nil && s.running[fresh.key()] == nil { // among so many the last place is near enough
			a.tell(c, fresh, w, s.queue.n, s.expected(w, s.queue.n, int64(s.queue.n)*fresh.Tokens, now))
		}
		return
	}
	a.told = now
	tokens := int64(0)
	for i, t := range s.queue.inOrder() {
		tokens += t.Tokens
		if t.place != i+1 || t.reason != w.reason {
			a.tell(c, t, w, i+1, s.expected(w, i+1, tokens, now))
		}
	}
}

func (a *limiter) tell(c *actors.Context, t *ticket, w why, position int, expected time.Duration) {
	t.reason, t.place = w.reason, position
	c.Tell(t.From, Queued{t.Tag, w.reason, position, w.wait, expected})
}

// serve admits who may go, and gives why the next one has to wait.
func (a *limiter) serve(c *actors.Context) why {
	s := a.kept.state
	for {
		now := c.Now()
		t, reason, wait := s.next(now)
		if t == nil {
			a.waiting(c, reason, wait)
			return why{reason, wait}
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
