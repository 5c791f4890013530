package limit

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// run serves everybody in the queue with attempts of length took, on a clock of its own,
// and gives the order in which they began and when each did.
func run(s *state, took time.Duration, class func(n int, now time.Time) Release) (order []string, at []time.Duration) {
	now := t0
	type end struct {
		at time.Time
		t  *ticket
	}
	var ends []end
	n := 0
	for s.queue.n > 0 || len(ends) > 0 {
		t, _, wait := s.next(now)
		if t != nil {
			order, at = append(order, t.Run+"/"+t.Path), append(at, now.Sub(t0))
			ends = append(ends, end{now.Add(took), t})
			continue
		}
		next := now.Add(wait)
		if len(ends) > 0 && (wait == 0 || ends[0].at.Before(next)) {
			next = ends[0].at
		}
		now = next
		for len(ends) > 0 && !ends[0].at.After(now) {
			n++
			r := Release{}
			if class != nil {
				r = class(n, now)
			}
			again := ends[0].t
			r.From, r.Tag = again.From, again.Tag
			s.done(r, now)
			if r.Class != "" {
				s.queue.push(again)
			}
			ends = ends[1:]
		}
	}
	return order, at
}

func fill(s *state, who string, n int) {
	var run, path string
	_, _ = fmt.Sscanf(who, "%s %s", &run, &path)
	for range n {
		s.queue.push(&ticket{Acquire: Acquire{Tag: uint64(s.queue.n + 1000*len(s.queue.by)), Run: run, Path: path, Tokens: 100}})
	}
}

func TestServesInTurn(t *testing.T) {
	t.Parallel()
	s := newState(Limits{Concurrency: 1}, t0)
	fill(s, "a many", 100)
	for i := range 5 {
		fill(s, fmt.Sprintf("a one%d", i), 1)
	}
	fill(s, "b lone", 2)
	order, _ := run(s, time.Second, nil)
	if len(order) != 107 {
		t.Fatalf("%d were served", len(order))
	}
	place := map[string]int{}
	for i, who := range order {
		place[who] = i
	}
	t.Run("limits-12", func(t *testing.T) {
		for i := range 5 {
			if at := place[fmt.Sprintf("a/one%d", i)]; at > 14 {
				t.Errorf("one%d came at %d, after the hundred", i, at)
			}
		}
	})
	if place["b/lone"] > 4 {
		t.Errorf("the other run came at %d", place["b/lone"])
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name        string
		limits      Limits
		n           int
		least, most time.Duration // when the last one begins
	}{
		{"no limit but concurrency", Limits{}, 80, 9 * time.Second, 9 * time.Second},
		{"requests", Limits{Concurrency: 100, Requests: 60}, 65, 60 * time.Second, 61 * time.Second},
		{"tokens", Limits{Concurrency: 100, Tokens: 6000}, 65, 59 * time.Second, 61 * time.Second},
		{"a request above the burst", Limits{Concurrency: 100, Tokens: 600}, 3, 15 * time.Second, 25 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newState(row.limits, t0)
			fill(s, "a x", row.n)
			order, at := run(s, time.Second, nil)
			if last := at[len(at)-1]; len(order) != row.n || last < row.least || last > row.most {
				t.Errorf("%d served, the last after %s", len(order), last)
			}
		})
	}
}

func TestPauses(t *testing.T) {
	t.Parallel()
	s := newState(Limits{Concurrency: 4}, t0)
	fill(s, "a x", 8)
	_, at := run(s, time.Second, func(n int, _ time.Time) Release {
		if n == 1 {
			return Release{Class: model.ClassRate, RetryAfter: 20 * time.Second}
		}
		return Release{}
	})
	if len(at) != 9 || at[4] != 21*time.Second {
		t.Errorf("begun at %v", at)
	}
	// Without a wish the pauses grow, up to their cap, and a success ends the row.
	s = newState(Limits{}, t0)
	var pauses []time.Duration
	for range 9 {
		now := s.paused
		if now.IsZero() {
			now = t0
		}
		fill(s, "a x", 1)
		tk, _, _ := s.next(now)
		s.done(Release{From: tk.From, Tag: tk.Tag, Class: model.ClassRate}, now)
		pauses = append(pauses, s.paused.Sub(now))
	}
	if pauses[0] != time.Second || pauses[3] != 8*time.Second || pauses[8] != time.Minute {
		t.Errorf("pauses %v", pauses)
	}
}

// The lowest of what is set counts, and what is not set does not.
func TestLowest(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		given []Limits
		want  Limits
		most  int
	}{
		{"nothing", []Limits{{}, {}}, Limits{}, 8},
		{"one", []Limits{{}, {Concurrency: 20, Requests: 60}, {}}, Limits{Concurrency: 20, Requests: 60}, 20},
		{"several", []Limits{{Concurrency: 4, Tokens: 100}, {Concurrency: 6, Requests: 30, Tokens: 50}}, Limits{4, 30, 50}, 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newState(Limits{}, t0)
			for _, l := range row.given {
				s.lower(l, t0)
			}
			if s.limits != row.want || s.most() != row.most {
				t.Errorf("limits %+v, at most %d", s.limits, s.most())
			}
		})
	}
}

// TestActor drives the actor with clients that hold, give back, die while they wait and
// while they hold.
func TestActor(t *testing.T) {
	t.Parallel()
	clock := actors.NewManualClock(t0)
	sys := actors.New(actors.Options{Clock: clock})
	var waits atomic.Int64
	idle := make(chan struct{}, 100) // each time that nobody waits any more
	ref, err := sys.Spawn(Spec("key", Limits{Concurrency: 2}, Observer{Waits: func(_ string, n int) {
		if waits.Swap(int64(n)) > 0 && n == 0 {
			idle <- struct{}{}
		}
	}}))
	if err != nil {
		t.Fatal(err)
	}
	news := make(chan string, 100)
	client := func(name string) actors.Ref {
		c, err := sys.Spawn(actors.Spec{Name: name, Kind: "client", New: func() actors.Actor {
			return actors.Func(func(c *actors.Context, msg any) {
				switch m := msg.(type) {
				case actors.Started:
					c.Tell(ref, Acquire{From: c.Self(), Tag: 1, Run: name})
				case Granted:
					news <- name + " goes"
				case Queued:
					news <- fmt.Sprintf("%s waits for %s at %d", name, m.Reason, m.Position)
				case Refused:
					news <- name + " " + m.Err.Code
				case Release:
					m.From, m.Tag = c.Self(), 1
					c.Tell(ref, m)
					news <- name + " gives back"
				case string:
					c.StopSelf()
				}
			})
		}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	want := func(texts ...string) {
		t.Helper()
		left := map[string]bool{}
		for _, text := range texts {
			left[text] = true
		}
		for range texts {
			got := <-news
			if !left[got] {
				t.Fatalf("%q, want one of %v", got, left)
			}
			delete(left, got)
		}
	}
	a := client("a")
	want("a goes")
	b := client("b")
	want("b goes")
	c := client("c")
	want("c waits for concurrency at 1")
	d := client("d")
	want("d waits for concurrency at 2")
	sys.Tell(a, Release{})
	want("a gives back", "c goes", "d waits for concurrency at 1")
	sys.Tell(d, "die") // while it waits
	<-idle
	client("e")
	want("e waits for concurrency at 1")
	sys.Tell(b, "die") // while it holds
	want("e goes")
	client("f")
	want("f waits for concurrency at 1")
	sys.Tell(c, Release{Class: model.ClassRate, RetryAfter: time.Minute})
	want("c gives back", "f waits for retry_after at 1") // who waits already is told too
	client("g")
	want("g waits for retry_after at 2")
	clock.BlockUntil(1)
	clock.Advance(time.Minute)
	want("f goes", "g waits for concurrency at 1")
	sys.Tell(c, Release{Class: model.ClassAuth, Err: &model.Error{Code: "model.auth"}})
	want("c gives back", "g model.auth")
	if n := waits.Load(); n != 0 {
		t.Errorf("%d wait", n)
	}
	if left := sys.Shutdown(t.Context()); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
