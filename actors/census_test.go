package actors

import (
	"fmt"
	"testing"
	"time"
)

// of gives what a census knows of a kind.
func (c Count) of(kind string) KindStatus {
	for _, k := range c.Kinds {
		if k.Kind == kind {
			return k
		}
	}
	return KindStatus{}
}

// Mail that waits while one message is in hand gets older from count to count, and is
// young again once the next message was taken.
func TestCensusAge(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{})
	census := b.Census()
	taken, let := make(chan struct{}), make(chan struct{})
	busy := b.spawn(Spec{Name: "busy", Kind: "busy", StopWithin: patience, New: func() Actor {
		return Func(func(_ *Context, msg any) {
			if _, ok := msg.(int); ok {
				taken <- struct{}{}
				<-let
			}
		})
	}})
	begun := make(chan struct{})
	b.spawn(actorSpec("idle", Temporary, func(_ *Context, msg any) {
		if _, ok := msg.(Started); ok {
			close(begun)
		}
	}))
	await(t, begun) // its first message was taken
	for i := range 3 {
		b.Tell(busy, i)
	}
	take := func(mailbox int64, age time.Duration) {
		t.Helper()
		got := census.Take()
		if k := got.of("busy"); k.Live != 1 || k.Mailbox != mailbox || k.Age != age {
			t.Errorf("got %+v, want %d messages of age %s", k, mailbox, age)
		}
		if k := got.of("test"); k.Live != 1 || k.Mailbox != 0 || k.Age != 0 {
			t.Errorf("got %+v of an idle actor", k)
		}
	}
	await(t, taken)
	take(2, 0)
	b.clock.Advance(3 * time.Second)
	take(2, 3*time.Second)
	b.clock.Advance(time.Second)
	take(2, 4*time.Second)
	let <- struct{}{}
	await(t, taken)
	take(1, 0)
	b.clock.Advance(time.Second)
	take(1, time.Second)
	let <- struct{}{}
	await(t, taken)
	b.clock.Advance(time.Second)
	take(0, 0) // nothing waits behind it
	close(let)
}

// Failures and restarts are counted by kind, and a kind stays listed when none of it lives.
func TestCensusCountsKinds(t *testing.T) {
	t.Parallel()
	b := setupSync(t)
	census := b.Census()
	r := b.spawn(Spec{Name: "x", Kind: "frail", Life: Transient, New: func() Actor {
		return Func(func(_ *Context, msg any) {
			if _, ok := msg.(string); ok {
				panic("boom")
			}
		})
	}})
	b.Tell(r, "fail")
	if k := census.Take().of("frail"); k != (KindStatus{Kind: "frail", Live: 1, Restarts: 1, Failures: 1}) {
		t.Errorf("got %+v", k)
	}
	b.Stop(r)
	if k := census.Take().of("frail"); k != (KindStatus{Kind: "frail", Restarts: 1, Failures: 1}) {
		t.Errorf("got %+v", k)
	}
	b.Tell(r, "too late")
	b.Tell(Ref{}, "to nobody")
	c := b.Counters()
	if c.ToEnded != 1 || c.ToNobody != 1 || c.LeftBehind != 0 || c.Undelivered != 2 || c.Restarts != 1 || c.Failures != 1 {
		t.Errorf("got %+v", c)
	}
}

// Each way in which an ask is settled is counted by itself.
func TestAskOutcomesAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{})
	r := b.spawn(actorSpec("x", Temporary, func(c *Context, msg any) {
		if m, ok := msg.(Request); ok {
			switch m.Msg {
			case "ok":
				m.Reply.Ok(1)
			case "no":
				m.Reply.Fail(nil)
			case "end":
				c.StopSelf()
			}
		}
	}))
	ask := func(msg string, deadline time.Duration) { _, _ = b.Ask(t.Context(), r, msg, deadline) }
	ask("ok", time.Minute)
	ask("ok", time.Minute)
	ask("no", time.Minute)
	ask("ok", 0)
	ask("end", time.Minute)
	ask("ok", time.Minute)
	c := b.Counters()
	if want := (AskOutcomes{Answered: 2, Failed: 1, Overdue: 1, Stopped: 2}); c.Asks != want || c.AsksSettled != 6 || c.AsksOpen != 0 {
		t.Errorf("got %+v, %d settled, %d open", c.Asks, c.AsksSettled, c.AsksOpen)
	}
}

// watched notes what a gate tells.
type watched struct {
	note func(format string, args ...any)
}

func (w watched) Queued(mode GateMode, by int) { w.note("queued %d by %d", mode, by) }

func (w watched) Granted(mode GateMode, wait time.Duration) {
	w.note("granted %d after %s", mode, wait)
}

func TestWatchedGate(t *testing.T) {
	t.Parallel()
	g := setupGate(t)
	b := g.bundle
	g.gate = b.spawn(WatchedGateSpec("watched", watched{func(format string, args ...any) { b.note("%s", fmt.Sprintf(format, args...)) }}))
	g.acquire("a", "1", Write)
	g.expect("granted 1 after 0s", "a 1 granted 1")
	g.acquire("b", "2", Read)
	g.acquire("c", "3", Write)
	g.acquire("d", "4", Read)
	g.expect("queued 0 by 1", "queued 1 by 1", "queued 0 by 1")
	b.clock.Advance(2 * time.Second)
	g.release("c", "3") // gives up
	g.expect("queued 1 by -1")
	g.release("a", "1")
	g.expect("queued 0 by -1", "granted 0 after 2s", "b 2 granted 2", "queued 0 by -1", "granted 0 after 2s", "d 4 granted 3")
	g.acquire("e", "5", Write)
	g.expect("queued 1 by 1")
	g.Stop(g.holders["e"])
	g.expect("queued 1 by -1")
}
