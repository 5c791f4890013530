package actors

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func TestLifeCycle(t *testing.T) {
	t.Parallel()

	t.Run("started, mail, stopping", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		r := b.spawn(actorSpec("a", Temporary, func(c *Context, msg any) {
			b.note("%T %s %d", msg, c.Self().Path(), c.Incarnation())
		}))
		b.Tell(r, "x")
		b.Tell(r, nil)
		b.Stop(r)
		b.Tell(r, "y")
		b.expect("actors.Started a 1", "string a 1", "<nil> a 1", "actors.Stopping a 1")
		if n := b.Counters().Undelivered; n != 1 {
			t.Errorf("undelivered %d", n)
		}
	})

	t.Run("stop drains what was queued", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		probe, got := b.probe("probe")
		hold := make(chan struct{})
		r := b.spawn(actorSpec("a", Temporary, func(c *Context, msg any) {
			switch m := msg.(type) {
			case string:
				<-hold
				c.Tell(probe, m)
			case Stopping:
				c.Tell(probe, "stopping")
			}
		}))
		for range 10 {
			b.Tell(r, "mail")
		}
		b.Stop(r)
		close(hold)
		for range 10 {
			if m := await(t, got); m != "mail" {
				t.Fatal(m)
			}
		}
		if m := await(t, got); m != "stopping" {
			t.Fatal(m)
		}
	})

	t.Run("a panic loses the message in hand only, mail goes to the next incarnation", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		var self Ref
		r := b.spawn(Spec{Name: "a", Kind: "test", Life: Transient, New: func() Actor {
			n := 0
			return Func(func(c *Context, msg any) {
				n++
				switch m := msg.(type) {
				case Started:
					self = c.Self()
					b.note("started %d last=%v", m.Incarnation, m.Last != nil)
				case string:
					b.note("%s n=%d", m, n)
					if m == "bad" {
						c.Tell(self, "queued")
						panic("no good\nsecond line")
					}
				}
			})
		}})
		b.Tell(r, "bad")
		b.expect("started 1 last=false", "bad n=2", "started 2 last=true", "queued n=2")
		f := b.failed()[0]
		if f.Reason != "no good" || f.Path != "a" || f.Incarnation != 1 || !strings.Contains(f.Stack, "life_test.go") {
			t.Errorf("%+v", f)
		}
	})

	t.Run("a temporary actor ends with its failure", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		p := b.spawn(actorSpec("p", Temporary, doer(func(c *Context, msg any) {
			if m, ok := msg.(Terminated); ok {
				b.note("%s %s", m.Name, m.Failure.Reason)
			}
		})))
		b.Tell(p, do(func(c *Context) {
			k, err := c.Spawn(actorSpec("k", Temporary, func(c *Context, msg any) {
				if msg == "x" {
					panic(errors.New("broken"))
				}
			}))
			b.note("%v", err)
			c.Tell(k, "x")
		}))
		b.expect("<nil>", "k broken")
	})

	t.Run("a permanent actor that stops by itself is started again", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		r := b.spawn(actorSpec("a", Permanent, doer(func(c *Context, msg any) { b.note("%T %d", msg, c.Incarnation()) })))
		b.Tell(r, do(func(c *Context) { c.StopSelf() }))
		b.expect("actors.Started 1", "actors.Stopping 1", "actors.Started 2")
		b.Stop(r)
		b.expect("actors.Stopping 2")
	})

	t.Run("a stop by itself counts for the incarnation that asked for it", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		r := b.spawn(actorSpec("a", Permanent, doer(func(c *Context, msg any) { b.note("%T %d", msg, c.Incarnation()) })))
		for range 2 { // the second restart waits
			b.Tell(r, do(func(c *Context) { c.Tell(c.Self(), 1); c.StopSelf(); panic(1) }))
		}
		b.clock.Advance(time.Second)
		b.expect("actors.Started 1", "actors.Started 2", "int 2", "actors.Started 3", "int 3")
		if v := b.Counters(); v.Live != 1 {
			t.Errorf("%+v", v)
		}
	})

	t.Run("a constructor that panics is a failure of the actor", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		r := b.spawn(Spec{Name: "a", Kind: "test", New: func() Actor { panic("no actor") }})
		if f := b.failed(); len(f) != 1 || f[0].Reason != "no actor" {
			t.Errorf("%v", f)
		}
		if _, err := b.Ask(t.Context(), r, "x", time.Second); fault.Code(err) != "ask.stopped" {
			t.Error(err)
		}
	})

	t.Run("Goexit in Receive is a failure and the mailbox goes on", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		probe, got := b.probe("probe")
		r := b.spawn(actorSpec("a", Transient, func(c *Context, msg any) {
			switch msg {
			case "exit":
				goexit()
			case "next":
				c.Tell(probe, c.Incarnation())
			}
		}))
		for range 3 {
			b.Tell(r, "exit")
			b.Tell(r, "next")
			if n := await(t, got); n.(int) < 2 {
				t.Fatal(n)
			}
			b.clock.Advance(time.Minute)
		}
	})

	t.Run("Goexit in Stopping and in a constructor", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		ended := make(chan Terminated, 2)
		p := b.spawn(actorSpec("p", Temporary, doer(func(c *Context, msg any) {
			if m, ok := msg.(Terminated); ok {
				ended <- m
			}
		})))
		b.Tell(p, do(func(c *Context) {
			k, _ := c.Spawn(actorSpec("k", Permanent, func(c *Context, msg any) {
				if _, ok := msg.(Stopping); ok {
					goexit()
				}
			}))
			c.Stop(k)
			_, _ = c.Spawn(Spec{Name: "new", Kind: "test", New: func() Actor { goexit(); return nil }})
		}))
		for range 2 {
			if m := await(t, ended); m.Failure == nil || !strings.Contains(m.Failure.Reason, "Goexit") {
				t.Errorf("%+v", m)
			}
		}
	})

	t.Run("no log line holds what a message or a panic said", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		b := setup(t, Options{Scheduler: SyncScheduler(), Logger: slog.New(slog.NewTextHandler(&out, nil))})
		r := b.spawn(actorSpec("a", Temporary, func(c *Context, msg any) {
			if s, ok := msg.(string); ok {
				panic(s)
			}
		}))
		b.Tell(r, "a secret")
		b.Tell(r, "a secret")
		b.Tell(Ref{}, "a secret")
		if s := out.String(); strings.Contains(s, "secret") || !strings.Contains(s, "path=a") {
			t.Error(s)
		}
		if n := b.Counters().Undelivered; n != 2 {
			t.Error(n)
		}
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	t.Run("actors-19 a taken name is a typed error without a second producer", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		first := b.spawn(actorSpec("a", Temporary, func(c *Context, msg any) {
			if r, ok := msg.(Request); ok {
				r.Reply.Ok("first")
			}
		}))
		_, err := b.Spawn(Spec{Name: "a", Kind: "test", New: func() Actor { t.Error("made"); return nil }})
		if !errors.Is(err, &fault.Error{Code: "actor.name_taken"}) {
			t.Fatal(err)
		}
		if v, err := b.Ask(t.Context(), first, nil, time.Second); v != "first" || err != nil {
			t.Error(v, err)
		}
		b.Stop(first)
		second := b.spawn(actorSpec("a", Temporary, func(*Context, any) {}))
		if second == first || second.Path() != first.Path() {
			t.Error("an old Ref reaches the new actor, or the path differs")
		}
	})

	t.Run("among many, and made up ones", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		p := b.spawn(actorSpec("p", Temporary, doer(nil)))
		b.Tell(p, do(func(c *Context) {
			nothing := func(*Context, any) {}
			var refs []Ref
			for i := range 40 {
				r, err := c.Spawn(actorSpec("", Temporary, nothing))
				if err != nil {
					t.Error(err)
				}
				refs = append(refs, r)
				if _, err := c.Spawn(actorSpec(r.h.spec.Name, Temporary, nothing)); fault.Code(err) != "actor.name_taken" {
					t.Error(i, err)
				}
			}
			for _, r := range refs {
				c.Stop(r)
			}
			for _, r := range refs {
				if _, err := c.Spawn(actorSpec(r.h.spec.Name, Temporary, nothing)); err != nil {
					t.Error(err)
				}
			}
		}))
		for _, bad := range []Spec{{Name: "x", Kind: "k"}, {Name: "x", New: func() Actor { return nil }}, {Name: "x/y", Kind: "k", New: func() Actor { return nil }}} {
			if _, err := b.Spawn(bad); fault.Code(err) != "actor.invalid_spec" {
				t.Error(err)
			}
		}
	})
}

func TestOrder(t *testing.T) {
	t.Parallel()
	t.Run("a result is delivered before the news that its sender has ended", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		const n = 2000
		end := make(chan int, 1)
		b.spawn(Spec{Name: "p", Kind: "test", New: func() Actor {
			results, ended, wrong := 0, 0, 0
			return Func(func(c *Context, msg any) {
				switch msg.(type) {
				case Started:
					for range n {
						_, _ = c.Spawn(actorSpec("", Temporary, func(c *Context, msg any) {
							if _, ok := msg.(Started); ok {
								c.Tell(c.Parent(), 1)
								c.StopSelf()
							}
						}))
					}
				case int:
					results++
				case Terminated:
					if ended++; ended > results {
						wrong++
					}
					if ended == n {
						end <- wrong
					}
				}
			})
		}})
		if wrong := await(t, end); wrong > 0 {
			t.Error(wrong)
		}
	})

	t.Run("eight senders keep theirs", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		const senders, each = 8, 5000
		end := make(chan bool, 1)
		sink := b.spawn(Spec{Name: "sink", Kind: "test", New: func() Actor {
			var next [senders]int
			total, good := 0, true
			return Func(func(c *Context, msg any) {
				if m, ok := msg.([2]int); ok {
					good = good && next[m[0]] == m[1]
					next[m[0]]++
					if total++; total == senders*each {
						end <- good
					}
				}
			})
		}})
		for i := range senders {
			go func() {
				for j := range each {
					b.Tell(sink, [2]int{i, j})
				}
			}()
		}
		if !await(t, end) {
			t.Error("out of order")
		}
	})
}

func TestWatch(t *testing.T) {
	t.Parallel()
	b := setupSync(t)
	say := func(name string) Func {
		return doer(func(c *Context, msg any) {
			if m, ok := msg.(Terminated); ok {
				b.note("%s: %s %s %v", name, m.Name, m.Ref.Path(), m.Failure != nil)
			}
		})
	}
	w := b.spawn(actorSpec("w", Temporary, say("w")))
	x := b.spawn(actorSpec("x", Temporary, doer(nil)))
	watch := do(func(c *Context) { c.Watch(x); c.Watch(x) })
	b.Tell(w, watch)
	b.Tell(x, do(func(*Context) { panic("x") }))
	b.expect("w: x x true")
	b.Tell(w, watch) // one that has ended; twice, since the first is delivered after
	b.expect("w: x x true")

	p := b.spawn(actorSpec("p", Transient, say("p")))
	b.Tell(p, do(func(c *Context) {
		k, _ := c.Spawn(actorSpec("k", Temporary, doer(nil)))
		c.Watch(k)
		c.Tell(k, do(func(c *Context) { c.StopSelf() }))
		c.Watch(k)
	}))
	b.expect("p: k p/k false")

	y := b.spawn(actorSpec("y", Temporary, doer(nil)))
	b.Tell(p, do(func(c *Context) { c.Watch(y); panic("restart") }))
	b.Stop(y)
	b.expect() // the watch was of the incarnation before
}
