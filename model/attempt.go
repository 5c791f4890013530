package model

import (
	"context"
	"sync/atomic"
)

// Attempt says which attempt a request on the wire belongs to. It travels in the context
// of the attempt, for transports that have to tell requests apart.
type Attempt struct {
	Run    string
	Path   string // invocation path
	Turn   int
	Number int // of the attempt, as [Request].Attempt

	parts atomic.Int32
}

type attemptKey struct{}

// WithAttempt gives a context that [AttemptOf] reads. It is made anew for each attempt, as
// it counts the requests of that attempt.
func WithAttempt(ctx context.Context, req *Request) context.Context {
	return context.WithValue(ctx, attemptKey{}, &Attempt{Run: req.Run, Path: req.Path, Turn: req.Turn, Number: req.Attempt})
}

// AttemptOf gives the attempt of a context, nil for none.
func AttemptOf(ctx context.Context) *Attempt {
	a, _ := ctx.Value(attemptKey{}).(*Attempt)
	return a
}

// Part counts one request and gives how many the attempt had before it: 0 but for a
// provider that needs several requests for one answer.
func (a *Attempt) Part() int { return int(a.parts.Add(1)) - 1 }
