package actors

import (
	"strings"
	"testing"
	"time"
)

// failing is a spec of an actor that panics with each string it is told.
func failing(b *bundle, name string, life Life) Spec {
	return actorSpec(name, life, func(c *Context, msg any) {
		switch m := msg.(type) {
		case Started:
			b.note("%s %d", c.Self().Path(), m.Incarnation)
		case string:
			panic(m)
		}
	})
}

func TestSupervision(t *testing.T) {
	t.Parallel()

	t.Run("actors-8 too many failures go upward with path, reason and stack", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		var kid Ref
		top := b.spawn(actorSpec("top", Transient, func(c *Context, msg any) {
			switch msg.(type) {
			case Started:
				b.note("top %d", c.Incarnation())
				if _, err := c.Spawn(actorSpec("sup", Transient, func(c *Context, msg any) {
					if m, ok := msg.(Started); ok {
						b.note("sup %d", m.Incarnation)
						kid, _ = c.Spawn(failing(b, "kid", Transient))
						_, _ = c.Spawn(actorSpec("calm", Transient, func(c *Context, msg any) {
							if _, ok := msg.(Stopping); ok {
								b.note("calm stops")
							}
						}))
					}
				})); err != nil {
					t.Error(err)
				}
			}
		}))
		b.expect("top 1", "sup 1", "top/sup/kid 1")
		fail := func(n int) {
			for range n {
				b.Tell(kid, "again")
				b.clock.Advance(time.Second)
			}
		}
		fail(3)
		b.expect("top/sup/kid 2", "top/sup/kid 3", "top/sup/kid 4")
		b.failed()
		fail(1)
		b.expect("calm stops", "sup 2", "top/sup/kid 1")
		f := b.failed()
		if len(f) != 2 || !f[0].Escalated || f[0].Path != "top/sup/kid" || f[0].Restarts != 3 {
			t.Fatalf("%+v", f)
		}
		if f[1].Path != "top/sup" || !f[1].Escalated || f[1].Child != f[0] || f[1].Stack != f[0].Stack ||
			!strings.Contains(f[1].Reason, "top/sup/kid: again") {
			t.Errorf("%+v", f[1])
		}
		for range 4 {
			fail(4)
		}
		if c := b.Counters(); c.Escalations == 0 {
			t.Error(c)
		}
		_ = top
	})

	t.Run("actors-8 above the root the top-level actor ends and the process lives", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		w := b.spawn(actorSpec("w", Temporary, doer(func(c *Context, msg any) {
			if m, ok := msg.(Terminated); ok {
				b.note("ended %s escalated=%v", m.Failure.Reason, m.Failure.Escalated)
			}
		})))
		bad, other := b.spawn(failing(b, "bad", Permanent)), b.spawn(failing(b, "other", Permanent))
		b.Tell(w, do(func(c *Context) { c.Watch(bad) }))
		for range 4 {
			b.Tell(bad, "x")
			b.clock.Advance(time.Second)
		}
		b.expect("bad 1", "other 1", "bad 2", "bad 3", "bad 4", "ended x escalated=true")
		b.Tell(other, "y") // has an intensity of its own
		b.expect("other 2")
	})

	t.Run("the window forgets", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		r := b.spawn(failing(b, "a", Permanent))
		for i := range 20 {
			b.Tell(r, "x")
			b.clock.Advance(11 * time.Second)
			if i > 3 && b.Tree()[0].Restarts > 3 {
				t.Error(b.Tree())
			}
		}
		if n := b.Tree()[0].Incarnation; n != 21 {
			t.Error(n)
		}
	})

	t.Run("actors-17 a message that always fails does not loop and others go on", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		bad, good := b.spawn(actorSpec("bad", Permanent, func(c *Context, msg any) {
			if m, ok := msg.(Started); ok {
				b.note("bad %d", m.Incarnation)
				panic("poison")
			}
		})), b.spawn(failing(b, "good", Permanent))
		b.clock.Advance(time.Minute)
		b.expect("bad 1", "bad 2", "good 1", "bad 3", "bad 4")
		b.clock.Advance(time.Hour)
		b.expect()
		if n := b.clock.Waiters(); n != 0 {
			t.Error(n)
		}
		b.Tell(bad, "late")
		b.Tell(good, "x")
		b.expect("good 2")
	})

	t.Run("back-off doubles to a cap with full jitter, and mail waits in order", func(t *testing.T) {
		t.Parallel()
		jitter := 0.5
		b := setup(t, Options{Scheduler: SyncScheduler(), Rand: func() float64 { return jitter }})
		var kid Ref
		b.spawn(Spec{Name: "sup", Kind: "test", Intensity: Intensity{Max: 20, Window: time.Hour}, New: func() Actor {
			return Func(func(c *Context, msg any) {
				if _, ok := msg.(Started); ok {
					kid, _ = c.Spawn(actorSpec("kid", Transient, func(c *Context, msg any) {
						switch msg {
						case "bad":
							panic(1)
						case "one", "two":
							b.note("%s %d", msg, c.Incarnation())
						}
					}))
				}
			})
		}})
		b.Tell(kid, "bad") // at once
		b.Tell(kid, "one")
		b.expect("one 2")
		for i, pause := range []time.Duration{100, 200, 400, 800, 1600, 3200, 5000, 5000} {
			pause = pause * time.Millisecond / 2
			b.Tell(kid, "bad")
			b.Tell(kid, "one")
			b.Tell(kid, "two")
			if n := b.Tree()[1]; n.Mailbox != 2 || n.State != "restarting" {
				t.Error(n)
			}
			b.clock.Advance(pause - time.Millisecond)
			b.expect()
			b.clock.Advance(time.Millisecond)
			inc := string(rune('3' + i))
			if i > 6 {
				inc = "10"
			}
			b.expect("one "+inc, "two "+inc)
		}
	})

	t.Run("a failure while kept mail is replayed keeps the rest", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		r := b.spawn(actorSpec("a", Permanent, func(c *Context, msg any) {
			switch msg {
			case "bad":
				panic(1)
			case "one", "two":
				b.note("%s %d", msg, c.Incarnation())
			}
		}))
		b.Tell(r, "bad")
		b.Tell(r, "bad")
		for _, m := range []string{"one", "bad", "two"} {
			b.Tell(r, m)
		}
		b.clock.Advance(100 * time.Millisecond)
		b.expect("one 3")
		b.clock.Advance(200 * time.Millisecond)
		b.expect("two 4")
	})

	t.Run("a stop during the back-off ends it, queued requests are answered", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{Scheduler: SyncScheduler()})
		r := b.spawn(failing(b, "a", Permanent))
		b.Tell(r, "x")
		b.Tell(r, "x")
		w := b.ask(r, "q", time.Minute)
		b.Stop(r)
		if _, err := w.wait(t.Context()); err == nil || !strings.Contains(err.Error(), "ask.stopped") {
			t.Error(err)
		}
		if n := b.clock.Waiters(); n != 0 {
			t.Errorf("%d timers left", n)
		}
	})

	t.Run("children of an incarnation end before the next one starts", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		r := b.spawn(actorSpec("p", Permanent, doer(func(c *Context, msg any) {
			switch msg.(type) {
			case Started:
				b.note("p %d", c.Incarnation())
				for _, n := range []string{"1", "2", "3"} {
					if _, err := c.Spawn(actorSpec(n, Permanent, func(c *Context, msg any) {
						if _, ok := msg.(Stopping); ok {
							b.note("stop %s", c.Name())
						}
					})); err != nil {
						t.Error(err)
					}
				}
			case Terminated:
				t.Error("a death of the incarnation before was delivered")
			}
		})))
		b.Tell(r, do(func(*Context) { panic(1) }))
		b.expect("p 1", "stop 3", "stop 2", "stop 1", "p 2")
	})

	t.Run("actors-9 a panic while stopping and one in a hook", func(t *testing.T) {
		t.Parallel()
		s := New(Options{Scheduler: SyncScheduler(), Clock: NewManualClock(t0), OnFailure: func(*Failure) { panic("hook") }})
		b := setupSync(t)
		for _, x := range []*System{s, b.System} {
			var end *Failure
			p, _ := x.Spawn(actorSpec("p", Temporary, doer(func(c *Context, msg any) {
				if m, ok := msg.(Terminated); ok {
					end = m.Failure
				}
			})))
			x.Tell(p, do(func(c *Context) {
				k, _ := c.Spawn(actorSpec("k", Permanent, func(c *Context, msg any) {
					if _, ok := msg.(Stopping); ok {
						panic("at the end")
					}
				}))
				c.Stop(k)
			}))
			if end == nil || end.Reason != "at the end" {
				t.Errorf("%+v", end)
			}
		}
		if f := b.failed(); len(f) != 1 {
			t.Error(f)
		}
		if left := s.Shutdown(t.Context()); len(left) > 0 {
			t.Error(left)
		}
	})
}
