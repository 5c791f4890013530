package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestEffect(t *testing.T) {
	t.Parallel()

	t.Run("actors-7 exactly one done each", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		got := make(chan Done, 100)
		r := b.spawn(actorSpec("a", Temporary, doer(func(c *Context, msg any) {
			if m, ok := msg.(Done); ok {
				got <- m
			}
		})))
		b.Tell(r, do(func(c *Context) {
			c.Effect("return", func(context.Context) (any, error) { return 7, nil })
			c.Effect("fail", func(context.Context) (any, error) { return nil, errors.New("no") })
			c.Effect("panic", func(context.Context) (any, error) { panic("boom") })
			c.Effect("goexit", func(context.Context) (any, error) { goexit(); return nil, nil })
		}))
		all := map[any]Done{}
		for range 4 {
			d := await(t, got)
			if _, twice := all[d.Key]; twice {
				t.Error(d)
			}
			all[d.Key] = d
		}
		if d := all["return"]; d.Value != 7 || d.Err != nil {
			t.Error(d)
		}
		if d := all["fail"]; d.Err == nil || d.Err.Error() != "no" {
			t.Error(d)
		}
		var f *Failure
		if d := all["panic"]; !errors.As(d.Err, &f) || f.Reason != "boom" || !strings.Contains(f.Stack, "effect_test.go") {
			t.Error(d)
		}
		if d := all["goexit"]; !errors.As(d.Err, &f) || !strings.Contains(f.Reason, "Goexit") || f.Incarnation != 1 {
			t.Error(d)
		}
		if n := len(b.failed()); n != 0 {
			t.Error("an effect's panic failed the actor")
		}
	})

	t.Run("actors-6 the done of an incarnation before is dropped and counted", func(t *testing.T) {
		t.Parallel()
		var runs []func()
		b := setup(t, Options{Scheduler: SyncScheduler(), Go: func(f func()) { runs = append(runs, f) }})
		r := b.spawn(actorSpec("a", Permanent, doer(func(c *Context, msg any) {
			if m, ok := msg.(Done); ok {
				b.note("%v at %d", m.Key, c.Incarnation())
			}
		})))
		effect := func(key string) do {
			return func(c *Context) {
				c.Effect(key, func(ctx context.Context) (any, error) { b.note("%s: %v", key, ctx.Err()); return nil, nil })
			}
		}
		b.Tell(r, effect("one"))
		b.Tell(r, do(func(*Context) { panic(1) }))
		b.Tell(r, effect("two"))
		for _, f := range runs {
			f()
		}
		b.expect("one: context canceled", "two: <nil>", "two at 2")
		if n := b.Counters().StaleDone; n != 1 {
			t.Error(n)
		}
	})
}

func TestTimers(t *testing.T) {
	t.Parallel()

	t.Run("actors-18 only the newest setting acts, none across a restart", func(t *testing.T) {
		t.Parallel()
		s := NewSeededScheduler(3)
		b := setup(t, Options{Scheduler: s})
		t.Cleanup(drainAtEnd(s))
		r := b.spawn(actorSpec("a", Permanent, doer(func(c *Context, msg any) {
			if m, ok := msg.(Tick); ok {
				b.note("%s %s %d", m.Name, c.Now().Sub(t0), c.Incarnation())
			}
		})))
		run := func(d time.Duration, f do) {
			b.clock.Advance(d) // what fires is queued
			if f != nil {
				b.Tell(r, f)
			}
			s.Run()
		}
		run(0, func(c *Context) { c.After("x", time.Second); c.After("y", 3*time.Second); c.After("z", time.Second) })
		run(0, func(c *Context) { c.After("x", 2*time.Second); c.Cancel("z"); c.Cancel("none") })
		run(time.Second, nil)
		b.expect()
		run(time.Second, nil)
		b.expect("x 2s 1")
		b.Tell(r, do(func(c *Context) { c.After("y", time.Second); c.After("x", 0) }))
		run(time.Second, nil) // the old y fires, is queued behind its replacement and dropped
		b.expect()
		run(0, func(c *Context) { panic("restart") })
		run(time.Minute, nil)
		if len(b.noted()) > 2 {
			t.Error("ticks across the restart")
		}
		run(0, func(c *Context) { c.After("x", time.Second) })
		run(time.Second, nil)
		got := b.noted()
		if len(got) != 1 || !strings.HasSuffix(got[0], " 2") {
			t.Error(got)
		}
		b.root.askStop()
		s.Run()
		if n := b.clock.Waiters(); n != 0 {
			t.Error(n)
		}
	})

	t.Run("the manual clock goes in order of due time", func(t *testing.T) {
		t.Parallel()
		m := NewManualClock(t0)
		var got []string
		set := func(name string, d time.Duration, then func()) func() bool {
			return m.AfterFunc(d, func() {
				got = append(got, fmt.Sprint(name, m.Now().Sub(t0)))
				if then != nil {
					then()
				}
			})
		}
		set("c", 3*time.Second, nil)
		set("b", 2*time.Second, func() { set("b2", time.Second, nil); set("never", time.Hour, nil) })
		stop := set("stopped", time.Second, nil)
		set("a", time.Second, nil)
		set("a2", time.Second, nil)
		if !stop() || stop() || m.Waiters() != 4 {
			t.Error("stop")
		}
		m.Advance(5 * time.Second)
		equal(t, got, []string{"a1s", "a21s", "b2s", "c3s", "b23s"})
		if m.Waiters() != 1 || !m.Now().Equal(t0.Add(5*time.Second)) {
			t.Error(m.Waiters(), m.Now())
		}
		set("now", -1, nil)
		m.Advance(0)
		if len(got) != 6 {
			t.Error(got)
		}
		waited := make(chan struct{})
		go func() { m.BlockUntil(3); close(waited) }()
		set("x", 1, nil)
		set("y", 1, nil)
		await(t, waited)
	})

	t.Run("the real clock", func(t *testing.T) {
		t.Parallel()
		c := RealClock()
		fired := make(chan struct{}, 1)
		c.AfterFunc(0, func() { fired <- struct{}{} })
		await(t, fired)
		if stop := c.AfterFunc(time.Hour, func() {}); !stop() || c.Now().IsZero() {
			t.Error("stop")
		}
	})
}
