package wire

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// watch cancels an attempt when one of its time limits is over.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	done    bool
	stage   *time.Timer // connect, first token, or between
	content *time.Timer
	total   *time.Timer
}

// limitError is the cause of a context that a limit has ended.
type limitError struct {
	name string
	d    time.Duration
}

func (e *limitError) Error() string { return fmt.Sprintf("time limit %s of %s is over", e.name, e.d) }

// Is makes a limit a time-out.
func (e *limitError) Is(target error) bool { return target == context.DeadlineExceeded }

func newWatch(ctx context.Context, total time.Duration) *watch {
	w := new(watch)
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.total = w.after("total", total)
	return w
}

func (w *watch) after(name string, d time.Duration) *time.Timer {
	return time.AfterFunc(d, func() { w.cancel(&limitError{name, d}) })
}

// begin ends the stage before and begins one of its own limit.
func (w *watch) begin(name string, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return
	}
	if w.stage != nil {
		w.stage.Stop()
	}
	w.stage = w.after(name, d)
}

// beginContent begins the limit for pieces of content.
func (w *watch) beginContent(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.done {
		w.content = w.after("content", d)
	}
}

// again gives the running stage, or the limit for content, its whole time anew, unless it
// has fired.
func (w *watch) again(content bool, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.stage
	if content {
		t = w.content
	}
	if !w.done && t != nil && t.Stop() {
		t.Reset(d)
	}
}

// end stops every timer and ends the context.
func (w *watch) end() {
	w.mu.Lock()
	w.done = true
	for _, t := range []*time.Timer{w.stage, w.content, w.total} {
		if t != nil {
			t.Stop()
		}
	}
	w.mu.Unlock()
	w.cancel(nil)
}

// failure gives the error of an attempt that ended while its context did: our caller's
// cancel, or a limit; nil when the context is alive.
func (w *watch) failure(caller context.Context) *model.Error {
	if caller.Err() != nil {
		return &model.Error{Class: model.ClassCancelled, Code: "model.cancelled", Detail: "the request was cancelled", Cause: context.Cause(caller)}
	}
	if w.ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(w.ctx)
	return &model.Error{Class: model.ClassTransient, Code: "model.timeout", Detail: cause.Error(), Cause: cause}
}
