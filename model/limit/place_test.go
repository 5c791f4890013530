package limit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Places are those in which everybody is served, whatever runs and invocations there are.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, who := range map[string][]string{
		"nobody":                  nil,
		"one":                     {"a x"},
		"one line":                {"a x", "a x", "a x"},
		"a parent and its child":  {"a x", "a x", "a x", "a y", "a y"},
		"two runs":                {"a x", "a x", "a y", "b x", "b x", "b x", "b z"},
		"limits-12 a flood":       {"a x", "a x", "a x", "a x", "a x", "a x", "b x", "a y", "c x"},
		"lines of several depths": {"a x", "b x", "a x", "b y", "c x", "b y", "a z", "b y", "c x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newState(Limits{Concurrency: 1}, t0)
			for i, w := range who {
				run, path, _ := strings.Cut(w, " ")
				s.queue.push(&ticket{Acquire: Acquire{Tag: uint64(i), Run: run, Path: path}})
			}
			var places, served []uint64
			for _, k := range s.queue.inOrder() {
				places = append(places, k.Tag)
			}
			for s.queue.n > 0 {
				served = append(served, s.queue.pop().Tag)
			}
			if !slices.Equal(places, served) {
				t.Errorf("places %v, served %v", places, served)
			}
		})
	}
}

// What is expected of a wait, by what limits the key.
func TestExpected(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		limits Limits
		took   time.Duration // of the attempts so far
		runs   int           // attempts that run
		paused time.Duration
		reason string
		place  int
		tokens int64
		want   time.Duration
	}{
		{"nobody knows how long an attempt takes", Limits{Concurrency: 2}, 0, 2, 0, ByConcurrency, 1, 0, 0},
		{"the next of two at once", Limits{Concurrency: 2}, 10 * time.Second, 2, 0, ByConcurrency, 1, 0, 5 * time.Second},
		{"the fifth of two at once", Limits{Concurrency: 2}, 10 * time.Second, 2, 0, ByConcurrency, 5, 0, 25 * time.Second},
		{"the key pauses", Limits{}, 0, 0, time.Minute, ByRetryAfter, 1, 0, time.Minute},
		{"the key pauses, and then many go", Limits{Concurrency: 2}, 10 * time.Second, 0, time.Minute, ByRetryAfter, 4, 0, 70 * time.Second},
		{"requests beyond the burst of five", Limits{Concurrency: 100, Requests: 60}, 0, 0, 0, ByRequests, 8, 0, 3 * time.Second},
		{"tokens beyond the burst of 500", Limits{Concurrency: 100, Tokens: 6000}, 0, 0, 0, ByTokens, 2, 700, 2 * time.Second},
		{"what limits most counts", Limits{Concurrency: 1, Requests: 60}, 30 * time.Second, 1, 0, ByConcurrency, 8, 0, 240 * time.Second},
	} {
		t.Run("limits-1/"+row.name, func(t *testing.T) {
			t.Parallel()
			s := newState(row.limits, t0)
			s.took, s.paused = row.took, t0.Add(row.paused)
			for i := range row.runs {
				s.running[ticketKey{tag: uint64(i)}] = &ticket{}
			}
			if got := s.expected(why{reason: row.reason}, row.place, row.tokens, t0); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
	t.Run("the running mean", func(t *testing.T) {
		t.Parallel()
		s := newState(Limits{}, t0)
		for _, took := range []time.Duration{8 * time.Second, 4 * time.Second, 7 * time.Second} {
			s.lasted(took)
		}
		if s.took != 7*time.Second {
			t.Errorf("got %s", s.took)
		}
	})
}

// Of many who wait, each is told its place when it comes, and all are told theirs once a
// second, not with each attempt that ends.
func TestManyPlaces(t *testing.T) {
	t.Parallel()
	const many = 40
	clock := actors.NewManualClock(t0)
	sys := actors.New(actors.Options{Clock: clock, Scheduler: actors.SyncScheduler(), Go: func(f func()) { f() }})
	ref, err := sys.Spawn(Spec("key", Limits{Concurrency: 1}, Observer{}))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	var holds actors.Ref
	for i := range many + 1 {
		if _, err := sys.Spawn(actors.Spec{Kind: "client", New: func() actors.Actor {
			return actors.Func(func(c *actors.Context, msg any) {
				switch m := msg.(type) {
				case actors.Started:
					c.Tell(ref, Acquire{From: c.Self(), Tag: 1, Run: fmt.Sprint(i)})
				case Queued:
					told = append(told, fmt.Sprintf("%d at %d about %s", i, m.Position, m.Expected))
				case Granted:
					holds = c.Self()
				}
			})
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != many || told[many-1] != "40 at 40 about 0s" {
		t.Fatalf("told %d times, %q at last", len(told), told[len(told)-1])
	}
	end := func() int {
		told = nil
		sys.Tell(ref, Release{From: holds, Tag: 1, Class: model.ClassPermanent})
		return len(told)
	}
	clock.Advance(time.Second)
	if n := end(); n != many-1 || told[n-1] != "40 at 39 about 39s" {
		t.Errorf("a second later %d were told, %q at last", n, told)
	}
	if n := end(); n != 0 {
		t.Errorf("at once after that %d were told: %q", n, told)
	}
	if left := sys.Shutdown(t.Context()); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
