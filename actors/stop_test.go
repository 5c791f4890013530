package actors

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// stubborn is an effect that ignores its context until release is closed.
func stubborn(release <-chan struct{}) func(context.Context) (any, error) {
	return func(context.Context) (any, error) { <-release; return nil, nil }
}

func TestShutdown(t *testing.T) {
	t.Parallel()

	t.Run("reverse order of start, deepest first, nothing after Stopping", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		var level func(name string, depth int) Spec
		level = func(name string, depth int) Spec {
			return actorSpec(name, Permanent, func(c *Context, msg any) {
				switch msg.(type) {
				case Started:
					for i := range depth {
						if _, err := c.Spawn(level(fmt.Sprint(i), depth-1)); err != nil {
							t.Error(err)
						}
					}
				case Stopping:
					b.note("stop %s", c.Self())
					c.Watch(Ref{})
					if _, err := c.Spawn(level("new", 0)); fault.Code(err) != "actor.stopping" {
						t.Error(err)
					}
				case Terminated:
					t.Error("after Stopping")
				}
			})
		}
		b.spawn(level("a", 1))
		b.spawn(level("b", 2))
		b.Shutdown(t.Context())
		b.expect("stop b", "stop b/1", "stop b/1/0", "stop b/0", "stop b/0/0", "stop a", "stop a/0")
		if _, err := b.Spawn(level("c", 0)); fault.Code(err) != "actor.stopping" {
			t.Error(err)
		}
		if c := b.Counters(); c.Live != 0 || c.Spawned != 7 {
			t.Errorf("%+v", c)
		}
	})

	t.Run("actors-16 open asks, a held gate, queued jobs, closed twice at the same time", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		gate := b.spawn(GateSpec("gate"))
		granted := make(chan struct{}, 1)
		settled := make(chan error, 10)
		callee := b.spawn(actorSpec("callee", Permanent, holder))
		job := b.spawn(actorSpec("job", Permanent, doer(func(c *Context, msg any) {
			switch m := msg.(type) {
			case Granted:
				granted <- struct{}{}
			case Settled:
				settled <- m.Err
			}
		})))
		b.Tell(job, do(func(c *Context) {
			c.Tell(gate, Acquire{c.Self(), "w", Write})
			c.Tell(gate, Acquire{c.Self(), "r", Read})
			c.Ask(callee, 0, time.Hour, nil)
			c.Effect(nil, func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() })
			c.After("x", time.Hour)
		}))
		await(t, granted)
		outside := make(chan error, 5)
		for range 5 {
			r := b.ask(callee, 0, time.Hour)
			go func() {
				_, err := r.wait(context.Background())
				outside <- err
			}()
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if left := b.Shutdown(context.Background()); len(left) > 0 {
					t.Error(left)
				}
			})
		}
		wg.Wait()
		for range 5 {
			if err := await(t, outside); fault.Code(err) != "ask.stopped" {
				t.Error(err)
			}
		}
		if c := b.Counters(); c.AsksOpen != 0 || c.Live != 0 || b.clock.Waiters() != 0 {
			t.Errorf("%+v, %d timers", c, b.clock.Waiters())
		}
	})

	t.Run("actors-15 a leaf that ignores its context is named after its time, the rest has ended", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		release, started := make(chan struct{}), make(chan struct{}, 10)
		b.spawn(actorSpec("top", Transient, func(c *Context, msg any) {
			if _, ok := msg.(Started); ok {
				for i := range 10 {
					_, _ = c.Spawn(actorSpec(fmt.Sprint(i), Temporary, func(c *Context, msg any) {
						if _, ok := msg.(Started); !ok {
							return
						}
						c.Effect("call "+c.Name(), func(ctx context.Context) (any, error) {
							started <- struct{}{}
							if i == 4 {
								return stubborn(release)(ctx)
							}
							<-ctx.Done()
							return nil, nil
						})
					}))
				}
			}
		}))
		for range 10 {
			await(t, started)
		}
		end := make(chan []Survivor)
		go func() { end <- b.Shutdown(context.Background()) }()
		// The youngest go first; number 4 has a deadline of its own and one for its effect,
		// beside the one of top.
		until(t, func() bool { return len(b.Tree()) == 6 && b.clock.Waiters() == 3 })
		b.clock.Advance(DefaultStopWithin)
		left := await(t, end)
		if len(left) != 1 || left[0].Path != "top/4" || left[0].WaitsFor != "effect call 4" || left[0].Since != t0 {
			t.Errorf("%+v", left)
		}
		if n := b.Tree(); len(n) != 1 || n[0].State != "leaked" {
			t.Errorf("%+v", n)
		}
		if c := b.Counters(); c.LeakedEffects != 1 || c.LeakedActors != 0 || c.Live != 0 {
			t.Errorf("%+v", c)
		}
		close(release)
		until(t, func() bool { return len(b.survivors()) == 0 })
	})

	t.Run("a child stuck in Receive holds its parent no longer than its time", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		release, stuck := make(chan struct{}), make(chan struct{}, 1)
		ended := make(chan Terminated, 1)
		p := b.spawn(actorSpec("p", Transient, doer(func(c *Context, msg any) {
			switch m := msg.(type) {
			case Started:
				k, _ := c.Spawn(Spec{Name: "k", Kind: "stuck", StopWithin: time.Second, New: func() Actor {
					return Func(func(c *Context, msg any) {
						switch msg.(type) {
						case Started:
							_, _ = c.Spawn(actorSpec("below", Permanent, func(*Context, any) {}))
							c.Publish("busy", "a lock")
						case string:
							stuck <- struct{}{}
							<-release
						}
					})
				}})
				c.Tell(k, "x")
			case Terminated:
				ended <- m
			}
		})))
		await(t, stuck)
		answer := b.ask(b.find("p/k"), 0, time.Hour)
		b.Tell(p, do(func(c *Context) { c.Stop(b.find("p/k")) }))
		b.clock.BlockUntil(2)
		b.clock.Advance(time.Second)
		m := await(t, ended)
		if m.Name != "k" || m.Failure == nil || m.Failure.Reason != "did not stop within 1s" {
			t.Errorf("%+v", m)
		}
		if _, err := answer.wait(t.Context()); fault.Code(err) != "ask.stopped" {
			t.Error(err)
		}
		left := b.Shutdown(t.Context())
		until(t, func() bool { return len(b.survivors()) == 1 }) // below is on its way out
		if v := left[0]; v.Path != "p/k" || v.WaitsFor != "a lock" || v.Kind != "stuck" || v.Since != t0 {
			t.Errorf("%+v", left)
		}
		if c := b.Counters(); c.LeakedActors != 1 {
			t.Errorf("%+v", c)
		}
		close(release)
		until(t, func() bool { return b.Counters().Live == 0 && len(b.survivors()) == 0 })
	})

	t.Run("a child stuck in Stopping holds its parent no longer than its time", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		release, stuck := make(chan struct{}), make(chan struct{})
		b.spawn(actorSpec("a", Permanent, func(c *Context, msg any) {
			if _, ok := msg.(Stopping); ok {
				close(stuck)
				<-release
			}
		}))
		end := make(chan []Survivor)
		go func() { end <- b.Shutdown(context.Background()) }()
		await(t, stuck)
		b.clock.Advance(DefaultStopWithin)
		if left := await(t, end); len(left) != 1 || left[0].Path != "a" || left[0].Since != t0 {
			t.Errorf("%+v", left)
		}
		close(release)
		until(t, func() bool { return len(b.survivors()) == 0 })
	})

	t.Run("sick children do not add up their times", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		release, stuck := make(chan struct{}), make(chan struct{}, 20)
		b.spawn(actorSpec("p", Transient, func(c *Context, msg any) {
			if _, ok := msg.(Started); ok {
				for range 20 {
					_, _ = c.Spawn(actorSpec("", Permanent, func(c *Context, msg any) {
						stuck <- struct{}{}
						<-release
					}))
				}
			}
		}))
		for range 20 {
			await(t, stuck)
		}
		end := make(chan []Survivor)
		go func() { end <- b.Shutdown(context.Background()) }()
		b.clock.BlockUntil(2) // p, and its youngest
		b.clock.Advance(DefaultStopWithin)
		b.clock.BlockUntil(19)
		b.clock.Advance(DefaultStopWithin)
		if left := await(t, end); len(left) != 20 {
			t.Error(len(left))
		}
		close(release)
		until(t, func() bool { return len(b.survivors()) == 0 })
	})

	t.Run("the end of ctx gives what is left", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		release := make(chan struct{})
		started := make(chan struct{})
		b.spawn(actorSpec("a", Transient, func(c *Context, msg any) {
			if _, ok := msg.(Started); ok {
				c.Effect("x", stubborn(release))
				close(started)
			}
		}))
		await(t, started)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if left := b.Shutdown(ctx); len(left) != 1 || left[0].Path != "a" || left[0].WaitsFor == "" {
			t.Error(left)
		}
		close(release)
		await(t, b.gone)
	})

	t.Run("an effect is given up at the end of its actor only", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		release := make(chan struct{})
		got := make(chan any, 2)
		r := b.spawn(actorSpec("a", Permanent, doer(func(c *Context, msg any) {
			switch m := msg.(type) {
			case Started:
				got <- m.Incarnation
			}
		})))
		await(t, got)
		b.Tell(r, do(func(c *Context) { c.Effect("x", stubborn(release)); panic(1) }))
		if n := await(t, got); n != 2 { // the restart does not wait for it
			t.Error(n)
		}
		b.Stop(r)
		b.clock.BlockUntil(2) // the stop, the grace
		close(release)
		if left := b.Shutdown(t.Context()); len(left) > 0 {
			t.Error(left)
		}
		if c := b.Counters(); c.StaleDone != 1 || c.LeakedEffects != 0 || b.clock.Waiters() != 0 {
			t.Errorf("%+v", c)
		}
	})
}

// find gives the Ref of a path in the tree.
func (b *bundle) find(path string) Ref {
	var r Ref
	b.visit(func(h *host, _ bool) {
		if h.path() == path {
			r = Ref{h}
		}
	})
	return r
}

// until waits for a condition that another goroutine is about to make true.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	limit := time.After(patience)
	for !ok() {
		select {
		case <-limit:
			t.Fatal("never true")
		default:
		}
	}
}

func TestContexts(t *testing.T) {
	t.Parallel()

	t.Run("actors-14 a cancel reaches 50 blocked leaves without any mailbox", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		const branches, leaves = 5, 10
		started, release := make(chan struct{}, branches*leaves), make(chan struct{})
		ended := make(chan string, branches*leaves+branches)
		cancels := make(chan context.CancelFunc, 1)
		top := b.spawn(actorSpec("top", Transient, doer(func(c *Context, msg any) {
			switch m := msg.(type) {
			case Started:
				ctx, cancel := context.WithCancel(c.Ctx())
				cancels <- cancel
				for range branches {
					_, err := c.SpawnUnder(ctx, actorSpec("", Temporary, func(c *Context, msg any) {
						switch m := msg.(type) {
						case Started:
							for range leaves {
								_, _ = c.Spawn(actorSpec("", Temporary, func(c *Context, msg any) {
									switch msg.(type) {
									case Started:
										c.Effect(nil, func(ctx context.Context) (any, error) {
											started <- struct{}{}
											<-ctx.Done()
											return nil, ctx.Err()
										})
									case Done:
										c.StopSelf()
									}
								}))
							}
							<-release // deaf: only the context can have told the leaves
						case Terminated:
							ended <- m.Name
						}
					}))
					if err != nil {
						t.Error(err)
					}
				}
			case Terminated:
				ended <- m.Name
			}
		})))
		for range branches * leaves {
			await(t, started)
		}
		await(t, cancels)()
		until(t, func() bool { return b.Counters().Live == 1+branches }) // the leaves
		close(release)
		for range branches * leaves {
			await(t, ended)
		}
		b.Stop(top)
	})

	t.Run("derive, cancel, values, deadline", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		type key struct{}
		var kid, grandkid context.Context
		var under context.CancelFunc
		var derived context.Context
		p := b.spawn(actorSpec("p", Permanent, doer(func(c *Context, msg any) {
			if _, ok := msg.(Started); ok && c.Incarnation() == 1 {
				ctx, cancel := context.WithTimeout(context.WithValue(c.Ctx(), key{}, "v"), time.Hour)
				under = cancel
				_, _ = c.SpawnUnder(ctx, actorSpec("k", Permanent, doer(func(c *Context, msg any) {
					if _, ok := msg.(Started); ok {
						kid = c.Ctx()
						_, _ = c.SpawnUnder(c.Ctx(), actorSpec("g", Permanent, doer(func(c *Context, msg any) {
							if _, ok := msg.(Started); ok {
								grandkid = c.Ctx()
								var cancel context.CancelFunc
								derived, cancel = context.WithCancel(c.Ctx())
								_ = cancel
							}
						})))
					}
				})))
			}
		})))
		if _, ok := grandkid.Deadline(); !ok || grandkid.Value(key{}) != "v" || grandkid.Err() != nil || derived.Err() != nil {
			t.Error("not derived")
		}
		one := grandkid
		b.Tell(b.find("p/k/g"), do(func(*Context) { panic(1) }))
		if one.Err() == nil || grandkid.Err() != nil || grandkid == one {
			t.Error("a restart gives a new context")
		}
		under()
		if kid.Err() != context.Canceled || grandkid.Err() != context.Canceled {
			t.Error(kid.Err(), grandkid.Err())
		}
		await(t, grandkid.Done())
		await(t, derived.Done())
		b.Tell(b.find("p/k/g"), do(func(*Context) { panic(1) }))
		b.clock.Advance(time.Second)
		if grandkid.Err() == nil {
			t.Error("born alive under a cancelled one")
		}
		var mine context.Context
		b.Tell(p, do(func(c *Context) { mine = c.Ctx() }))
		if mine.Err() != nil || context.Cause(mine) != nil {
			t.Error("a cancel went up")
		}
		b.Stop(p)
		if context.Cause(mine) != context.Canceled {
			t.Error("not cancelled by the stop")
		}
		var mu sync.Mutex // as the standard library holds one
		mu.Lock()
		late := make(chan struct{})
		mine.(interface{ AfterFunc(func()) func() bool }).AfterFunc(func() { mu.Lock(); defer mu.Unlock(); close(late) })
		mu.Unlock()
		await(t, late)
		fired := make(chan struct{})
		if stop := context.AfterFunc(mine, func() { close(fired) }); stop() {
			t.Error("of a cancelled one")
		}
		await(t, fired)
	})

	t.Run("is cancelled before Stopping is handled", func(t *testing.T) {
		t.Parallel()
		b := setupSync(t)
		r := b.spawn(actorSpec("a", Temporary, func(c *Context, msg any) { b.note("%T %v", msg, c.Ctx().Err()) }))
		b.Stop(r)
		b.expect("actors.Started <nil>", "actors.Stopping context canceled")
	})
}

func TestTree(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{})
	hold, in := make(chan struct{}), make(chan struct{})
	r := b.spawn(actorSpec("b", Temporary, func(c *Context, msg any) {
		switch msg {
		case "x":
			c.Publish("asking", "the model")
			b.clock.Advance(time.Second)
			c.Publish("asking", "the model")
			close(in)
			<-hold
		}
	}))
	b.spawn(actorSpec("a", Temporary, func(*Context, any) {}))
	b.Tell(r, "x")
	await(t, in)
	b.Tell(r, "y")
	b.Tell(r, "z")
	n := b.Tree() // of an actor that is stuck
	if len(n) != 2 || n[0].Path != "a" {
		t.Fatalf("%+v", n)
	}
	want := Node{Path: "b", Kind: "test", State: "asking", WaitsFor: "the model", Since: t0, Incarnation: 1, Mailbox: 2}
	if n[1] != want {
		t.Errorf("%+v", n[1])
	}
	close(hold)
	if s := fmt.Sprint(r, Ref{}); !strings.HasPrefix(s, "b") || !(Ref{}).IsZero() || r.IsZero() {
		t.Error(s)
	}
}
