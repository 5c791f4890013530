package actors

import (
	"context"
	"time"
)

// Context is what an actor does things with. It is valid only inside Receive of the actor
// that it was given to, and must not be kept or used by an effect.
type Context struct{ h *host }

// Self is the actor itself.
func (c *Context) Self() Ref { return Ref{c.h} }

// Parent is the actor that spawned this one; zero for a top-level actor.
func (c *Context) Parent() Ref { return c.h.parent.ref() }

// Name is the path segment the actor was spawned under.
func (c *Context) Name() string { return c.h.spec.Name }

// Incarnation is 1 until the first restart.
func (c *Context) Incarnation() int { return int(c.h.inc.Load()) }

// Now is the time of the injected clock.
func (c *Context) Now() time.Time { return c.h.sys.clock.Now() }

// Clock is the injected clock.
func (c *Context) Clock() Clock { return c.h.sys.clock }

// Ctx is the context of this incarnation. It derives from the parent's and is cancelled
// before Stopping is delivered and when the incarnation panics.
func (c *Context) Ctx() context.Context { return c.h.scope }

// CancelCtx cancels [Context.Ctx] of this incarnation: the effects under way see it, and
// the actor goes on and hears of their ends.
func (c *Context) CancelCtx() { c.h.scope.cancel() }

// Tell puts a message into an actor's mailbox and never blocks. Messages of one sender,
// and the news of its end, arrive in order.
func (c *Context) Tell(to Ref, msg any) { c.h.sys.Tell(to, msg) }

// Spawn starts a child. Its end is delivered as [Terminated], after all that it told.
// Errors: "actor.name_taken", "actor.stopping" within Stopping, "actor.invalid_spec";
// spec.New is not called then.
func (c *Context) Spawn(spec Spec) (Ref, error) { return c.h.spawn(&spec, c.h.scope, nil) }

// SpawnUnder is [Context.Spawn] with a child whose Ctx derives from ctx, which must itself
// derive from [Context.Ctx].
func (c *Context) SpawnUnder(ctx context.Context, spec Spec) (Ref, error) {
	if s, ok := ctx.(*scope); ok && s == c.h.scope {
		ctx = nil
	}
	return c.h.spawn(&spec, c.h.scope, ctx)
}

// Stop asks an actor, a child or this one, to stop: it handles what is queued, gets
// Stopping, and ends when its children and effects have. A child that is not done with
// what is queued after its StopWithin is given up: see [Terminated].
func (c *Context) Stop(to Ref) {
	if to.h == c.h {
		c.h.stopSelf()
		return
	}
	to.h.askStop()
}

// StopSelf is Stop of this actor.
func (c *Context) StopSelf() { c.h.stopSelf() }

// Watch has [Terminated] of an actor delivered once, at once when it has ended. A parent
// gets it of its children without a watch. A restart of the watching actor ends its watches.
func (c *Context) Watch(to Ref) { c.h.watch(to.h) }

// Ask sends a request. Its outcome arrives as [Settled] with the key, unless the
// incarnation ends before. A deadline of zero or less is over at once.
func (c *Context) Ask(to Ref, msg any, deadline time.Duration, key any) {
	c.h.ask(to.h, msg, deadline, key)
}

// Effect runs fn, which may block, beside the mailbox. Its outcome arrives as [Done] with
// the key, unless the incarnation ends before. fn gets the context of the incarnation and
// must return soon after it is cancelled; it must not touch the state of the actor nor
// use c.
func (c *Context) Effect(key any, fn func(ctx context.Context) (any, error)) {
	c.h.startEffect(key, fn)
}

// After has [Tick] with the name delivered once d has passed. Setting a name again
// replaces it; the end of the incarnation cancels it.
func (c *Context) After(name string, d time.Duration) { c.h.setTimer(name, d) }

// Cancel drops a timer, also one whose Tick is queued already.
func (c *Context) Cancel(name string) { c.h.cancelTimer(name) }

// Publish sets what the tree view shows of this actor.
func (c *Context) Publish(state, waitsFor string) { c.h.publish(state, waitsFor) }
