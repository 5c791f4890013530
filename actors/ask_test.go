package actors

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// holder keeps requests unanswered, but for the string "answer".
func holder(c *Context, msg any) {
	if r, ok := msg.(Request); ok && r.Msg == "answer" {
		r.Reply.Ok("answer")
	}
	if d, ok := msg.(do); ok {
		d(c)
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()

	t.Run("outcomes", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		callee := b.spawn(actorSpec("callee", Temporary, doer(func(c *Context, msg any) {
			r, ok := msg.(Request)
			if !ok {
				return
			}
			switch m := r.Msg.(type) {
			case string:
				b.note("from %q", r.From)
				r.Reply.Ok(m + "!")
			case error:
				r.Reply.Fail(m)
			case int:
				r.Reply.Ok(nil)
			}
		})))
		asker := b.spawn(actorSpec("asker", Temporary, doer(func(c *Context, msg any) {
			if m, ok := msg.(Settled); ok {
				b.note("%v: %v %v", m.Key, m.Value, fault.Code(m.Err))
			}
		})))
		gone := b.spawn(actorSpec("gone", Temporary, holder))
		b.Stop(gone)
		b.Tell(asker, do(func(c *Context) {
			c.Ask(callee, "hi", time.Second, 1)
			c.Ask(callee, fault.New("x.y", "no"), time.Second, 2)
			c.Ask(callee, 0, time.Second, 3)
			c.Ask(callee, "late", 0, 4)
			c.Ask(gone, "hi", time.Second, 5)
			c.Ask(Ref{}, "hi", time.Second, 6)
			c.Ask(callee, [1]int{}, time.Second, 7)
			c.Ask(c.Self(), "self", time.Second, 8) // not answered
		}))
		b.clock.Advance(time.Second)
		b.expect(`from "asker"`, "1: hi! ", "2: <nil> x.y", "3: <nil> ", "4: <nil> ask.deadline",
			"5: <nil> ask.stopped", "6: <nil> ask.stopped", "7: <nil> ask.deadline", "8: <nil> ask.deadline")
		c := b.Counters()
		if c.AsksOpen != 0 || c.AsksSettled != 8 || b.clock.Waiters() != 0 {
			t.Errorf("%+v", c)
		}
		_, err := b.Ask(t.Context(), callee, context.Canceled, time.Second)
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})

	t.Run("actors-1 a panic answers all that wait, with the reason", func(t *testing.T) {
		t.Parallel()
		for _, life := range []Life{Temporary, Transient, Permanent} {
			b := setupSync(t)
			r := b.spawn(actorSpec("a", life, holder))
			one, two := b.ask(r, 1, time.Hour), b.ask(r, 2, time.Hour)
			b.Tell(r, do(func(*Context) { panic("the reason") }))
			for _, w := range []*Reply{one, two} {
				_, err := w.wait(t.Context())
				var f *Failure
				if fault.Code(err) != "actor.failed" || !errors.As(err, &f) || f.Reason != "the reason" {
					t.Error(life, err)
				}
			}
			v, err := b.Ask(t.Context(), r, "answer", time.Second)
			if life == Temporary && fault.Code(err) != "ask.stopped" || life != Temporary && v != "answer" {
				t.Error(life, v, err)
			}
		}
	})

	t.Run("actors-1 the request in hand of a panic", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		r := b.spawn(actorSpec("a", Temporary, func(c *Context, msg any) {
			if _, ok := msg.(Request); ok {
				panic("x")
			}
		}))
		if _, err := b.Ask(t.Context(), r, 1, time.Hour); fault.Code(err) != "actor.failed" {
			t.Error(err)
		}
	})

	t.Run("actors-2 two actors ask each other with full mailboxes", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		end := make(chan any, 2)
		var peers [2]Ref
		hold := make(chan struct{})
		for i := range peers {
			peers[i] = b.spawn(actorSpec("", Temporary, doer(func(c *Context, msg any) {
				switch m := msg.(type) {
				case Request:
					m.Reply.Ok(i)
				case Settled:
					end <- m.Value
				case string:
					<-hold
				}
			})))
		}
		for i := range peers {
			b.Tell(peers[i], "hold")
			b.Tell(peers[i], do(func(c *Context) { c.Ask(peers[1-i], "?", time.Hour, nil) }))
			for range 10_000 {
				b.Tell(peers[i], 0)
			}
		}
		close(hold)
		if x, y := await(t, end).(int), await(t, end).(int); x+y != 1 {
			t.Error(x, y)
		}
	})

	t.Run("actors-3 the first of two answers counts, for both waiters", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		const n = 1000
		r := b.spawn(actorSpec("a", Temporary, func(c *Context, msg any) {
			if m, ok := msg.(Request); ok {
				m.Reply.Ok(m.Msg)
				c.Effect(nil, func(context.Context) (any, error) {
					m.Reply.Fail(errors.New("second"))
					return nil, nil
				})
			}
		}))
		var wg sync.WaitGroup
		var good atomic.Int64
		for i := range n {
			reply := b.ask(r, i, time.Hour)
			for range 2 {
				wg.Go(func() {
					if v, err := reply.wait(context.Background()); v == i && err == nil {
						good.Add(1)
					}
				})
			}
		}
		wg.Wait()
		if good.Load() != 2*n {
			t.Error(good.Load())
		}
		b.Stop(r)
		if left := b.Shutdown(t.Context()); len(left) > 0 {
			t.Error(left)
		}
		if c := b.Counters(); c.LateAnswers != n || c.AsksSettled != n {
			t.Errorf("%+v", c)
		}
	})

	t.Run("actors-4 queued requests survive a restart", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		hold := make(chan struct{})
		r := b.spawn(actorSpec("a", Permanent, func(c *Context, msg any) {
			switch m := msg.(type) {
			case string:
				<-hold
				panic(m)
			case Request:
				m.Reply.Ok(c.Incarnation())
			}
		}))
		b.Tell(r, "x")
		var waiting []*Reply
		for range 10 {
			waiting = append(waiting, b.ask(r, 0, time.Hour))
		}
		close(hold)
		for _, w := range waiting {
			if v, err := w.wait(t.Context()); v != 2 || err != nil {
				t.Error(v, err)
			}
		}
	})

	t.Run("actors-5 open asks settle when the callee stops", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		r := b.spawn(actorSpec("a", Permanent, holder))
		asker := b.spawn(actorSpec("asker", Temporary, doer(func(c *Context, msg any) {
			if m, ok := msg.(Settled); ok {
				b.note("%v %s", m.Key, fault.Code(m.Err))
			}
		})))
		b.Tell(asker, do(func(c *Context) {
			for i := range 5 {
				c.Ask(r, i, time.Hour, i)
			}
		}))
		b.Stop(r)
		got := b.noted()
		if len(got) != 5 {
			t.Fatal(got)
		}
		for _, g := range got {
			if g[1:] != " ask.stopped" {
				t.Error(got)
			}
		}
		if b.clock.Waiters() != 0 {
			t.Error("deadlines left")
		}
	})

	t.Run("a request after the stop is refused at once, those before it are handled", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		hold := make(chan struct{})
		r := b.spawn(actorSpec("a", Temporary, func(c *Context, msg any) {
			if msg == "hold" {
				<-hold
			}
			holder(c, msg)
		}))
		b.Tell(r, "hold")
		before := b.ask(r, "answer", time.Hour)
		b.Stop(r)
		if _, err := b.Ask(t.Context(), r, "answer", time.Hour); fault.Code(err) != "ask.stopped" {
			t.Error(err)
		}
		close(hold)
		if v, err := before.wait(t.Context()); v != "answer" {
			t.Error(v, err)
		}
	})

	t.Run("a waiter outside gives up", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		r := b.spawn(actorSpec("a", Temporary, holder))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.Ask(ctx, r, 0, time.Hour); fault.Code(err) != "ask.cancelled" || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		w := b.ask(r, 0, time.Hour)
		b.clock.Advance(time.Hour)
		if _, err := w.wait(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})

	t.Run("a request whose asker has gone is not begun", func(t *testing.T) {
		t.Parallel()
		s := NewSeededScheduler(1)
		b := setup(t, Options{Scheduler: s})
		t.Cleanup(drainAtEnd(s))
		r := b.spawn(actorSpec("a", Temporary, func(c *Context, msg any) {
			if _, ok := msg.(Request); ok {
				t.Error("begun")
			}
		}))
		w := b.ask(r, 0, time.Second)
		b.clock.Advance(time.Second)
		s.Run()
		if _, err := w.wait(t.Context()); fault.Code(err) != "ask.deadline" {
			t.Error(err)
		}
		b.root.askStop()
		s.Run()
	})

	t.Run("an answer to a stopped or restarted asker is late", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		var kept []*Reply
		callee := b.spawn(actorSpec("callee", Temporary, func(c *Context, msg any) {
			if r, ok := msg.(Request); ok {
				kept = append(kept, r.Reply)
			}
		}))
		asker := b.spawn(actorSpec("asker", Permanent, doer(func(c *Context, msg any) {
			if _, ok := msg.(Settled); ok {
				t.Error("delivered to another incarnation")
			}
		})))
		b.Tell(asker, do(func(c *Context) { c.Ask(callee, 1, time.Hour, nil); panic(1) }))
		b.Tell(asker, do(func(c *Context) { c.Ask(callee, 2, time.Hour, nil) }))
		b.Stop(asker)
		for _, r := range kept {
			r.Ok(1)
		}
		if c := b.Counters(); len(kept) != 2 || c.LateAnswers != 2 || c.AsksOpen != 0 || b.clock.Waiters() != 0 {
			t.Errorf("%+v %d", c, b.clock.Waiters())
		}
	})
}

// drainAtEnd is nothing but a name for the order of cleanups: what is due runs before the
// system is shut down.
func drainAtEnd(s *SeededScheduler) func() { return func() { s.Run() } }
