package actors

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var t0 = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)

// patience bounds a wait for something that must happen; it is never waited out in a
// passing test.
const patience = 20 * time.Second

// bundle is a system under test.
type bundle struct {
	*System
	t     *testing.T
	clock *ManualClock

	mu       sync.Mutex
	failures []*Failure
	log      []string
}

// setup makes a system on a manual clock that must shut down without survivors.
func setup(t *testing.T, o Options) *bundle {
	b := &bundle{t: t, clock: NewManualClock(t0)}
	if o.Clock == nil {
		o.Clock = b.clock
	}
	if o.Rand == nil {
		o.Rand = func() float64 { return 1 }
	}
	o.OnFailure = func(f *Failure) {
		b.mu.Lock()
		b.failures = append(b.failures, f)
		b.mu.Unlock()
	}
	b.System = New(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		b.Shutdown(ctx)
		if left := b.survivors(); len(left) > 0 { // by now; tests look at what Shutdown returns
			t.Errorf("survivors: %+v", left)
		}
	})
	return b
}

// setupSync makes one whose actors and effects all run on the goroutine of the test.
func setupSync(t *testing.T) *bundle {
	return setup(t, Options{Scheduler: SyncScheduler(), Go: func(f func()) { f() }})
}

// note adds a line to the log of the test, from anywhere.
func (b *bundle) note(format string, args ...any) {
	b.mu.Lock()
	b.log = append(b.log, fmt.Sprintf(format, args...))
	b.mu.Unlock()
}

// noted gives the log and empties it.
func (b *bundle) noted() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.log
	b.log = nil
	return l
}

// failed gives the failures and empties them.
func (b *bundle) failed() []*Failure {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.failures
	b.failures = nil
	return f
}

// spawn starts a top-level actor.
func (b *bundle) spawn(spec Spec) Ref {
	b.t.Helper()
	r, err := b.Spawn(spec)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// actor is a spec of a stateless actor.
func actorSpec(name string, life Life, f Func) Spec {
	return Spec{Name: name, Kind: "test", Life: life, New: func() Actor { return f }}
}

// expect compares the log.
func (b *bundle) expect(want ...string) {
	b.t.Helper()
	equal(b.t, b.noted(), want)
}

func equal[T comparable](t *testing.T, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

// await receives from a channel that must have something soon.
func await[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// probe is an actor that passes its mail to a channel.
func (b *bundle) probe(name string) (Ref, <-chan any) {
	c := make(chan any, 1<<16)
	return b.spawn(actorSpec(name, Temporary, func(_ *Context, msg any) {
		switch msg.(type) {
		case Started, Stopping:
		default:
			c <- msg
		}
	})), c
}

// do is a message that an actor made by doer carries out.
type do func(c *Context)

// doer is an actor that carries out do messages and passes the rest to f, if there is one.
func doer(f Func) Func {
	return func(c *Context, msg any) {
		if d, ok := msg.(do); ok {
			d(c)
			return
		}
		if f != nil {
			f(c, msg)
		}
	}
}
