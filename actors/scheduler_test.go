package actors

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// chatter is a tree with panics, restarts, asks, timers and stops; it gives its trace.
func chatter(t *testing.T, scheduler Scheduler, run func()) []string {
	b := setup(t, Options{Scheduler: scheduler, Go: func(f func()) { f() }})
	var peers []Ref
	for i := range 4 {
		peers = append(peers, b.spawn(Spec{Name: fmt.Sprint(i), Kind: "test", Life: Permanent, Intensity: Intensity{Max: 9, Window: time.Hour},
			New: func() Actor {
				n := 0
				return Func(func(c *Context, msg any) {
					n++
					b.note("%s.%d %T %d", c.Name(), c.Incarnation(), msg, n)
					switch m := msg.(type) {
					case Started:
						c.After("t", time.Duration(i)*time.Second)
					case int:
						if m%7 == 3 {
							panic(m)
						}
						if m > 0 {
							c.Tell(peers[(i+m)%len(peers)], m-1)
							c.Ask(peers[(i+1)%len(peers)], m, time.Minute, m)
							_, _ = c.Spawn(actorSpec("", Temporary, func(c *Context, msg any) {
								if _, ok := msg.(Started); ok {
									c.Effect(1, stubborn(nilClosed))
								} else if _, ok := msg.(Done); ok {
									c.StopSelf()
								}
							}))
						}
					case Request:
						m.Reply.Ok(n)
					}
				})
			}}))
	}
	for i := range peers {
		b.Tell(peers[i], 12)
	}
	for range 5 {
		run()
		b.clock.Advance(time.Second)
	}
	run()
	b.root.askStop()
	run()
	return b.noted()
}

var nilClosed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func TestSchedulers(t *testing.T) {
	t.Parallel()

	t.Run("equal seeds, equal traces", func(t *testing.T) {
		t.Parallel()
		traces := map[string]bool{}
		for seed := range uint64(20) {
			var first []string
			for i := range 3 {
				s := NewSeededScheduler(seed)
				got := chatter(t, s, func() { s.Run() })
				if i == 0 {
					first = got
				} else if !slices.Equal(first, got) {
					t.Fatalf("seed %d: traces differ", seed)
				}
			}
			traces[strings.Join(first, "\n")] = true
		}
		if len(traces) < 10 {
			t.Errorf("20 seeds gave %d traces", len(traces))
		}
	})

	t.Run("the synchronous one has one trace", func(t *testing.T) {
		t.Parallel()
		first := chatter(t, SyncScheduler(), func() {})
		for range 50 {
			if got := chatter(t, SyncScheduler(), func() {}); !slices.Equal(first, got) {
				t.Fatal("traces differ")
			}
		}
	})
}

// TestPool is a bounded pool made of the engine's parts: a slot is free when its member has
// ended, and a member that dies without an answer fails its job.
func TestPool(t *testing.T) {
	t.Parallel()
	t.Run("actors-12 40 jobs, cap 5, eight members killed", func(t *testing.T) {
		t.Parallel()
		b := setup(t, Options{})
		const jobs, limit = 40, 5
		type answer struct{ job, value int }
		end := make(chan [jobs]error, 1)
		most := make(chan int, 1)
		b.spawn(Spec{Name: "pool", Kind: "pool", New: func() Actor {
			results := [jobs]error{}
			answered := [jobs]bool{}
			member := map[Ref]int{}
			next, settled, peak := 0, 0, 0
			fill := func(c *Context) {
				for next < jobs && len(member) < limit {
					job := next
					r, err := c.Spawn(actorSpec("", Temporary, func(c *Context, msg any) {
						if _, ok := msg.(Started); ok {
							if job%5 == 2 {
								panic("killed")
							}
							c.Tell(c.Parent(), answer{job, job * job})
							c.StopSelf()
						}
					}))
					if err != nil {
						results[job] = err
					}
					member[r] = job
					next++
					peak = max(peak, len(member))
				}
			}
			return Func(func(c *Context, msg any) {
				switch m := msg.(type) {
				case Started:
					fill(c)
				case answer:
					answered[m.job] = m.value == m.job*m.job
				case Terminated:
					job := member[m.Ref]
					delete(member, m.Ref)
					if !answered[job] {
						results[job] = errors.New("no answer")
						if m.Failure != nil {
							results[job] = m.Failure
						}
					}
					if settled++; settled == jobs {
						end <- results
						most <- peak
					}
					fill(c)
				}
			})
		}})
		for job, err := range await(t, end) {
			var f *Failure
			if killed := job%5 == 2; killed != errors.As(err, &f) || !killed && err != nil {
				t.Error(job, err)
			}
		}
		if n := await(t, most); n != limit {
			t.Error(n)
		}
	})
}
