package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Survivor is a part of the runtime that did not stop: an actor, or a tool or a request of
// it that does not heed the end of its context.
type Survivor = actors.Survivor

// Survivors is the cause of the error "runtime.survivors" of [Runtime.Close]: find it with
// [errors.As].
type Survivors []Survivor

// Error gives one survivor after the other: path, kind, what it does, since when.
func (s Survivors) Error() string {
	out := make([]string, len(s))
	for i, v := range s {
		out[i] = fmt.Sprintf("%s (%s) is in %s", v.Path, v.Kind, v.WaitsFor)
		if !v.Since.IsZero() {
			out[i] += " since " + v.Since.UTC().Format(time.RFC3339)
		}
	}
	return strings.Join(out, "; ")
}

// Close brings every run to rest and ends the runtime. From its first moment on nothing is
// begun; effects that were dispatched may settle for [Options].Drain, or until ctx ends;
// what then still works is told to stop and given a moment more. Runs that had not ended
// are paused and can be resumed; what [Runtime.Call] began settles or is stopped like
// anything else, and is gone with it. Streams of events end with "runtime.closed".
//
// The error has the code "runtime.survivors" and names who did not stop, see [Survivors];
// or it is that of closing the store. A second call waits for the first and gives its
// error, or "runtime.timeout" or "runtime.cancelled" when its own context ends before.
func (rt *Runtime) Close(ctx context.Context) error {
	if rt.ending.CompareAndSwap(false, true) {
		rt.closed = rt.shutdown(ctx)
		close(rt.gone)
		return rt.closed
	}
	select {
	case <-rt.gone:
		return rt.closed
	default:
	}
	select {
	case <-rt.gone:
		return rt.closed
	case <-ctx.Done():
		code := "runtime.cancelled"
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			code = "runtime.timeout"
		}
		return fault.Wrap(ctx.Err(), code, "the first call of Close has not come back yet").With("close", "")
	}
}

const hurry = 2 * time.Second // that actors get to stop when the context of Close has ended

func (rt *Runtime) shutdown(ctx context.Context) error {
	rt.runs.Refuse()
	asides := rt.closeAsides(ctx)
	_ = rt.runs.PauseAll(ctx, "shutdown")
	rt.live.Range(func(_, v any) bool {
		select {
		case <-v.(*claim).gone:
		case <-ctx.Done():
		}
		return ctx.Err() == nil
	})
	stop, cancel := ctx, func() {}
	if ctx.Err() != nil { // the store is not closed under actors that only need a moment
		stop, cancel = context.WithTimeout(context.WithoutCancel(ctx), hurry)
	}
	defer cancel()
	left := append(rt.sys.Shutdown(stop), asides()...)
	slices.SortStableFunc(left, func(a, b Survivor) int { return strings.Compare(a.Path, b.Path) })
	rt.quiet() // after the last record was written
	err := errors.Join(rt.shells.close(stop), rt.cassette.close())
	rt.unexport()
	if rt.own {
		err = errors.Join(err, rt.store.Close())
	}
	if len(left) > 0 {
		err = errors.Join(&Error{Code: "runtime.survivors", Op: "close", Cause: Survivors(left),
			Detail: fmt.Sprintf("%d did not stop in time; what they do is not waited for", len(left))}, err)
	}
	return err
}

// closeAsides closes what [Runtime.Call] has open, all at once. The function that it gives
// waits for that and says who survives there.
func (rt *Runtime) closeAsides(ctx context.Context) (left func() []Survivor) {
	var group sync.WaitGroup
	var open []*Runtime
	rt.asides.Range(func(k, _ any) bool {
		inner := k.(*Runtime)
		open = append(open, inner)
		group.Go(func() {
			_ = inner.Close(ctx) // what came of it is read below
			<-inner.gone         // the call may close it too, within its own bounds
		})
		return true
	})
	return func() (left []Survivor) {
		group.Wait()
		for _, inner := range open {
			var s Survivors
			if errors.As(inner.closed, &s) {
				left = append(left, s...)
			}
		}
		return left
	}
}

// usable refuses what is asked of a runtime that was closed.
func (rt *Runtime) usable(op, subject string) error {
	if rt.ending.Load() {
		return fault.New("runtime.closed", "the runtime is closed").With(op, subject)
	}
	return nil
}
