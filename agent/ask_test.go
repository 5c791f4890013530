package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// stage is a system in which everything runs on the goroutine of the test.
type stage struct {
	*actors.System
	clock *swarmtest.Clock
}

func newStage(t testing.TB) *stage {
	s := &stage{clock: swarmtest.NewClock()}
	s.System = actors.New(actors.Options{Clock: s.clock, Scheduler: actors.SyncScheduler(), Go: func(f func()) { f() }})
	t.Cleanup(func() {
		if left := s.Shutdown(context.Background()); len(left) > 0 {
			t.Errorf("survivors: %+v", left)
		}
	})
	return s
}

func (s *stage) spawn(t testing.TB, spec actors.Spec) actors.Ref {
	t.Helper()
	ref, err := s.Spawn(spec)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// listener is an actor that keeps what it is told.
func (s *stage) listener(t testing.TB, heard *[]any) actors.Ref {
	return s.spawn(t, actors.Spec{Kind: "listener", New: func() actors.Actor {
		return actors.Func(func(_ *actors.Context, msg any) {
			switch msg.(type) {
			case actors.Started, actors.Stopping:
			default:
				*heard = append(*heard, msg)
			}
		})
	}})
}

// asking is a model call actor under test.
type asking struct {
	*stage
	heard []any
	ref   actors.Ref
	asks  []time.Time
	reset int // previews that begin anew
}

func newAsking(t testing.TB, r Retry, answer func(attempt int) (*model.Answer, error), rand func(n int) int) *asking {
	a := &asking{stage: newStage(t)}
	provider := model.Func(func(_ context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
		a.asks = append(a.asks, a.clock.Now())
		return answer(req.Attempt)
	})
	sh := &Shared{Env: &Env{}, Rand: rand, Preview: func(_ string, d model.Delta) {
		if d.Reset {
			a.reset++
		}
	}}
	parent := a.listener(t, &a.heard)
	a.ref = a.spawn(t, actors.Spec{Kind: "model call", New: func() actors.Actor { return &modelCall{parent: parent, sh: sh} }})
	a.Tell(a.ref, &askModel{m: Model{Provider: provider, Retry: r}, req: model.Request{Turn: 1, Attempt: 1}})
	return a
}

// words says what the parent heard.
func (a *asking) words() []string {
	out := []string{}
	for _, m := range a.heard {
		switch m := m.(type) {
		case *answered:
			out = append(out, fmt.Sprintf("answer %d %q", m.attempt, m.answer.Text))
		case *attemptFailed:
			out = append(out, fmt.Sprintf("again %d %s", m.attempt, m.err.Code))
		case *modelFailed:
			out = append(out, fmt.Sprintf("failed %d %s", m.attempt, m.err.Code))
		}
	}
	return out
}

func most(n int) int { return n - 1 }
func least(int) int  { return 1 } // a nanosecond, so that a test sees it
func modelErr(class model.Class, code string, after time.Duration) error {
	return &model.Error{Class: class, Code: code, RetryAfter: after}
}

// The waits between attempts, with the largest jitter, and what the invocation hears.
func TestRetries(t *testing.T) {
	t.Parallel()
	transient := modelErr(model.ClassTransient, "model.http_500", 0)
	overload := modelErr(model.ClassOverload, "model.http_529", 0)
	limited := func(after time.Duration) error { return modelErr(model.ClassRate, "model.http_429", after) }
	emptyErr := modelErr(model.ClassTransient, "model.empty_answer", 0)
	seconds := func(n ...int) []time.Duration {
		return mapped(n, func(s int) time.Duration { return time.Duration(s) * time.Second })
	}
	for _, row := range []struct {
		name  string
		retry Retry
		rand  func(int) int
		errs  []error // of the attempts; then it answers
		waits []time.Duration
		last  string
	}{
		{"the first attempt answers", Retry{}, most, nil, nil, `answer 1 "fine"`},
		{"limits-8 transient, doubling", Retry{}, most, []error{transient, transient, transient, transient}, seconds(2, 4, 8, 16), `answer 5 "fine"`},
		{"limits-8 full jitter may be next to nothing", Retry{}, least, []error{transient, overload}, []time.Duration{1, 1}, `answer 3 "fine"`},
		{"delegation-9 overloaded until the attempts end", Retry{}, most, []error{overload, overload, overload, overload, overload, overload}, seconds(2, 4, 8, 16), "failed 5 model.http_529"},
		{"limits-8 the cap", Retry{Base: 10 * time.Second, Cap: 15 * time.Second}, most, []error{transient, transient}, seconds(15, 15), `answer 3 "fine"`},
		{"attempts of the team", Retry{Attempts: 2}, most, []error{transient, transient}, seconds(2), "failed 2 model.http_500"},
		{"limits-9 Retry-After is honoured", Retry{}, most, []error{limited(20 * time.Second)}, seconds(20), `answer 2 "fine"`},
		{"limits-9 Retry-After beyond the cap fails at once", Retry{}, most, []error{limited(4000 * time.Second)}, nil, "failed 1 model.http_429"},
		{"limits-9 a larger cap", Retry{MaxWait: 2 * time.Hour}, most, []error{limited(4000 * time.Second)}, seconds(4000), `answer 2 "fine"`},
		{"waiting for a rate limit uses no attempt up", Retry{Attempts: 2}, least, []error{limited(0), limited(0), limited(0), transient}, []time.Duration{1, 1, 1, 1}, `answer 5 "fine"`},
		{"limits-2 permanent", Retry{}, most, []error{modelErr(model.ClassPermanent, "model.http_400", 0)}, nil, "failed 1 model.http_400"},
		{"limits-8 auth", Retry{}, most, []error{modelErr(model.ClassAuth, "model.http_401", 0)}, nil, "failed 1 model.http_401"},
		{"limits-8 filtered", Retry{}, most, []error{modelErr(model.ClassFilter, "model.content_filter", 0)}, nil, "failed 1 model.content_filter"},
		{"limits-11 too long", Retry{}, most, []error{modelErr(model.ClassOverflow, "model.context_overflow", 0)}, nil, "failed 1 model.context_overflow"},
		{"limits-8 cancelled", Retry{}, most, []error{modelErr(model.ClassCancelled, "model.cancelled", 0)}, nil, "failed 1 model.cancelled"},
		{"an error of another kind is transient", Retry{}, most, []error{errors.New("odd")}, seconds(2), `answer 2 "fine"`},
		{"limits-10 an empty answer is asked for once more", Retry{}, most, []error{emptyErr}, seconds(2), `answer 2 "fine"`},
		{"limits-10 and is then a bad turn", Retry{}, most, []error{emptyErr, emptyErr}, seconds(2), `answer 2 ""`},
		{"limits-10 or at once, when the attempts are used up", Retry{Attempts: 2}, most, []error{transient, emptyErr}, seconds(2), `answer 2 ""`},
		{"limits-10 after another failure too", Retry{}, most, []error{transient, emptyErr}, seconds(2, 4), `answer 3 "fine"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			a := newAsking(t, row.retry, func(attempt int) (*model.Answer, error) {
				if n++; attempt != n {
					t.Errorf("attempt %d is numbered %d", n, attempt)
				}
				if n <= len(row.errs) {
					return nil, row.errs[n-1]
				}
				return &model.Answer{Text: "fine"}, nil
			}, row.rand)
			for i, w := range row.waits {
				a.clock.Advance(w - time.Nanosecond)
				if len(a.asks) != i+1 {
					t.Fatalf("attempt %d comes before its time", i+2)
				}
				a.clock.Advance(time.Nanosecond)
				if len(a.asks) != i+2 {
					t.Fatalf("attempt %d does not come after %s: %v", i+2, w, a.words())
				}
			}
			words := a.words()
			if len(words) != len(row.waits)+1 || words[len(words)-1] != row.last {
				t.Errorf("heard %q, want %q at last", words, row.last)
			}
			if a.reset != len(row.waits) {
				t.Errorf("%d previews begin anew", a.reset)
			}
		})
	}
}

// Whatever a provider does is one outcome of its attempt.
func TestOddProviders(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		answer func(int) (*model.Answer, error)
		code   string
	}{
		{"neither answer nor error", func(int) (*model.Answer, error) { return nil, nil }, "model.failed"},
		{"actors-7 a panic", func(int) (*model.Answer, error) { panic("broken") }, "model.failed"},
		{"an answer beside an error", func(int) (*model.Answer, error) {
			return &model.Answer{Text: "half"}, modelErr(model.ClassTransient, "model.stream_incomplete", 0)
		}, "model.stream_incomplete"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			a := newAsking(t, Retry{Attempts: 2}, row.answer, least)
			a.clock.Advance(time.Nanosecond)
			same(t, "heard", a.words(), []string{"again 1 " + row.code, "failed 2 " + row.code})
		})
	}
}

// A stop ends the wait for the next attempt.
func TestStopWhileWaiting(t *testing.T) {
	t.Parallel()
	a := newAsking(t, Retry{}, func(int) (*model.Answer, error) { return nil, modelErr(model.ClassTransient, "model.http_500", 0) }, most)
	a.Tell(a.ref, stopWork{"model.cancelled"})
	same(t, "heard", a.words(), []string{"again 1 model.http_500", "failed 2 model.cancelled"})
	a.clock.Advance(time.Hour)
	if len(a.asks) != 1 {
		t.Errorf("asked %d times", len(a.asks))
	}
}

// A stop ends the attempt that is under way, by its context.
func TestStopWhileAsking(t *testing.T) {
	t.Parallel()
	clock := swarmtest.NewClock()
	sys := actors.New(actors.Options{Clock: clock})
	begun, heard := make(chan struct{}), make(chan any, 10)
	provider := model.Func(func(ctx context.Context, _ *model.Request, _ func(model.Delta)) (*model.Answer, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	parent, err := sys.Spawn(actors.Spec{Kind: "listener", New: func() actors.Actor {
		return actors.Func(func(_ *actors.Context, msg any) {
			if m, ok := msg.(*modelFailed); ok {
				heard <- m
			}
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := sys.Spawn(actors.Spec{Kind: "model call", New: func() actors.Actor { return &modelCall{parent: parent, sh: &Shared{Env: &Env{}, Rand: least}} }})
	if err != nil {
		t.Fatal(err)
	}
	sys.Tell(ref, &askModel{m: Model{Provider: provider}, req: model.Request{Turn: 3, Attempt: 1}})
	<-begun
	sys.Tell(ref, stopWork{"model.cancelled"})
	m := (<-heard).(*modelFailed)
	if m.err.Class != model.ClassCancelled || m.turn != 3 || !errors.Is(m.err, context.Canceled) {
		t.Errorf("heard %+v", m.err)
	}
	if left := sys.Shutdown(t.Context()); len(left) > 0 {
		t.Errorf("survivors %+v", left)
	}
}
