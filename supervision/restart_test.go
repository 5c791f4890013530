package supervision

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

func memory() *journal.Memory { return journal.NewMemory(journal.MemoryOptions{RoundTrip: true}) }

// The run's actor fails at each of its appends in turn, before and after it is stored: it
// is rebuilt from the journal and goes on.
func TestRunRestarts(t *testing.T) {
	t.Parallel()
	appends := func() int {
		store := &odd{Memory: memory()}
		s := newStage(t, store, whole())
		s.want(s.start("run_a"), "completed", "finished")
		return int(store.n.Load())
	}()
	if appends < 10 {
		t.Fatalf("%d appends", appends)
	}
	for n := 1; n <= appends; n++ {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("append %d stored %t", n, stored), func(t *testing.T) {
				t.Parallel()
				store := &odd{Memory: memory(), panic: func(i int, _ *journal.Batch) (bool, bool) { return i == n && !stored, i == n && stored }}
				s := newStage(t, store, whole())
				h := s.start("run_a")
				if stored && n == appends { // the end is stored: there is nothing to go on with
					if res := s.wait(h); res.Outcome != "completed" {
						t.Errorf("got %+v", res)
					}
					s.verify("run_a")
					return
				}
				s.want(h, "completed", "finished")
				if started := s.count("run_a", journal.TRunStarted); started != 2 && (n > 1 || stored) {
					t.Errorf("started %d times\n%s", started, s.dump("run_a"))
				}
				if got := s.Runs; got == nil {
					t.Error("no supervisor")
				}
			})
		}
	}
}

// actors-17: a run whose actor fails again and again is parked with the reason; another
// run of the process goes on and hears nothing of it.
func TestPoison(t *testing.T) {
	t.Parallel()
	store := &odd{Memory: memory()}
	sick := 0
	store.panic = func(_ int, b *journal.Batch) (bool, bool) {
		if b.Run != "run_sick" || b.After < 8 {
			return false, false
		}
		sick++
		return true, false
	}
	s := newStage(t, store, nil)
	s.env.Models["default"] = withProvider(s, swarmtest.Script{"lead": {swarmtest.Do(peek), swarmtest.Do(peek), swarmtest.Do(finish)}})
	s.hold = true
	well := s.config("run_well")
	s.Begin(well)
	closed := 0
	cfg := s.config("run_sick")
	cfg.OnClose = func() { closed++ }
	other := s.held
	s.hold, s.held = false, nil
	s.Begin(cfg)
	for range 40 {
		s.clock.Advance(time.Second)
	}
	res := s.wait(cfg.Handle)
	if res.Outcome != "parked" || res.Code != "journal.poison" || res.Reason == "" || res.Err == nil || closed != 1 {
		t.Errorf("actors-17: got %+v, closed %d times", res, closed)
	}
	if sick != 4 {
		t.Errorf("actors-17: it was tried %d times", sick)
	}
	s.verify("run_sick")
	select {
	case <-well.Handle.Done():
		t.Fatalf("actors-17: the other run ended: %+v", well.Handle.Result())
	default:
	}
	for _, f := range other {
		f()
	}
	s.want(well.Handle, "completed", "finished")
	if n := s.count("run_well", journal.TRunStarted); n != 1 {
		t.Errorf("actors-17: the other run was started %d times", n)
	}
	// It can be resumed when what broke it is mended.
	store.panic = nil
	s.want(s.start("run_sick"), "completed", "finished")
}

// Several runs that fail once each are no reason to park one of them.
func TestManyRunsRestart(t *testing.T) {
	t.Parallel()
	failed := map[string]bool{}
	store := &odd{Memory: memory()}
	store.panic = func(_ int, b *journal.Batch) (bool, bool) {
		if failed[b.Run] || b.After < 8 {
			return false, false
		}
		failed[b.Run] = true
		return true, false
	}
	s := newStage(t, store, swarmtest.Script{"lead": {swarmtest.Do(peek), swarmtest.Do(peek), swarmtest.Do(finish)}})
	for i := range 8 {
		s.want(s.start(fmt.Sprint("run_", i)), "completed", "finished")
	}
	if len(failed) != 8 {
		t.Errorf("%d runs failed once", len(failed))
	}
}

// trip is a clock that breaks an invocation's actor when it is about to start a call.
type trip struct {
	*swarmtest.Clock
	left int
}

func (c *trip) Now() time.Time {
	if c.left > 0 && calledBy("agent.(*invocation).deadline") {
		c.left--
		panic("the clock broke")
	}
	return c.Clock.Now()
}

func calledBy(name string) bool {
	var pcs [8]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, name) {
			return true
		}
		if !more {
			return false
		}
	}
}

// An invocation's actor that fails is made anew, and the call goes on by its class; one
// that fails too often has failed, and its parent hears of it.
func TestInvocationRestarts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		call    string
		times   int
		outcome string
		code    string // of the call
		ran     int
	}{
		{"durability-2 a read goes on", "look", 1, "completed", "", 1},
		{"a read goes on, twice", "look", 2, "completed", "", 1},
		{"durability-2 a write is unknown", "act", 1, "completed", "tool.outcome_unknown", 0},
		{"too often", "look", 100, "failed", "tool.not_run", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ran := 0
			run := func(context.Context, none) (string, error) { ran++; return "ran", nil }
			clock := &trip{Clock: swarmtest.NewClock(), left: row.times}
			k := newKit(t, actors.Options{Clock: clock, Scheduler: actors.SyncScheduler(), Rand: func() float64 { return 0 }, Go: func(f func()) { f() }},
				memory(), swarmtest.Script{"lead": {swarmtest.Do(swarmtest.Call(row.call, ``)), swarmtest.Do(finish)}},
				goTool(t, "look", run, tooling.ReadOnly()), goTool(t, "act", run))
			h := k.start("run_a")
			res := k.want(h, row.outcome, "")
			var got *journal.CallSettled
			for _, r := range k.records("run_a") {
				if m, ok := r.Payload.(*journal.CallSettled); ok && got == nil {
					got = m
				}
			}
			if got.Code != row.code || ran != row.ran {
				t.Errorf("the call has code %q and ran %d times\n%s", got.Code, ran, k.dump("run_a"))
			}
			failed, made := k.count("run_a", journal.TActorFailed), k.count("run_a", journal.TActorRestarted)
			if want := min(row.times, 4); failed != want || made != min(row.times, 3) {
				t.Errorf("%d failures and %d restarts are recorded", failed, made)
			}
			if n := k.count("run_a", journal.TRunStarted); n != 1 {
				t.Errorf("the run was started %d times", n)
			}
			if row.outcome == "failed" && res.Reason != "actor_failed: the clock broke" {
				t.Errorf("reason %q", res.Reason)
			}
			for _, r := range k.records("run_a") {
				if m, ok := r.Payload.(*journal.ActorFailed); ok && (m.Reason != "the clock broke" || m.Stack.Text == "") {
					t.Errorf("recorded %q, stack of %d bytes", m.Reason, len(m.Stack.Text))
				}
			}
		})
	}
}

// A run refuses what it cannot go on with, and says why.
func TestResumeRefused(t *testing.T) {
	t.Parallel()
	t.Run("ended", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil, swarmtest.Script{"lead": {swarmtest.Do(finish)}})
		s.want(s.start("run_a"), "completed", "")
		n := len(s.records("run_a"))
		if res := s.wait(s.start("run_a")); res.Code != "journal.ended" {
			t.Errorf("got %+v", res)
		}
		if len(s.records("run_a")) != n {
			t.Error("something was appended")
		}
	})
	t.Run("moved on", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil, swarmtest.Script{"lead": {swarmtest.Do(finish)}})
		s.want(s.start("run_a"), "completed", "")
		cfg := s.config("run_a")
		cfg.Expect = 3
		if err := s.Start(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		if res := s.wait(cfg.Handle); res.Code != "journal.seq_conflict" {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("durability-16 here already", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil, swarmtest.Script{"lead": {swarmtest.Do(finish)}})
		s.hold = true
		first := s.config("run_a")
		if err := s.Start(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		second := s.config("run_a")
		if err := s.Start(t.Context(), second); fault.Code(err) != "journal.run_held" {
			t.Errorf("error %v", err)
		}
		_, _ = s.store.Acquire(t.Context(), "run_a", true)
		s.letGo()
		if res := s.wait(first.Handle); fault.Code(res.Err) != "journal.stale_owner" {
			t.Errorf("durability-6: the old owner went on: %+v", res)
		}
	})
	t.Run("durability-7 damaged", func(t *testing.T) {
		t.Parallel()
		mem := memory()
		epoch, err := mem.Acquire(t.Context(), "run_a", false)
		if err != nil {
			t.Fatal(err)
		}
		rec := func(seq int64, scope journal.Scope, p journal.Payload) journal.Record {
			return journal.Record{V: 1, Run: "run_a", Epoch: epoch, Seq: seq, Prev: seq - 1, At: time.Unix(0, 0), Scope: scope, Payload: p}
		}
		if err := mem.AppendNow(&journal.Batch{Run: "run_a", Epoch: epoch, Records: []journal.Record{
			rec(1, journal.Scope{}, &journal.RunCreated{}), rec(2, journal.Scope{Task: "task_9"}, &journal.TaskEnded{})}}); err != nil {
			t.Fatal(err)
		}
		s := newStage(t, mem, swarmtest.Script{})
		if res := s.wait(s.start("run_a")); res.Outcome != "parked" || res.Code != "journal.damaged" || res.Reason == "" {
			t.Errorf("got %+v", res)
		}
		if n := len(s.records("run_a")); n != 2 || s.reqs.Count() != 0 {
			t.Errorf("%d records, %d requests", n, s.reqs.Count())
		}
	})
}

// An actor that is made anew is not told of what the one before has proposed: it counts
// its own proposals, and would act on them before they are durable.
func TestMailOfTheActorBefore(t *testing.T) {
	t.Parallel()
	r := &run{away: map[string][]any{"root": nil}}
	for _, msg := range []any{agent.Accepted{Tag: 7}, agent.Lost{Tag: 8}, agent.HaltWork{}, agent.Recorded{}} {
		r.tell(nil, "root", msg)
		r.tell(nil, "root/nobody", msg)
	}
	if len(r.away) != 1 || len(r.away["root"]) != 2 {
		t.Errorf("kept %+v", r.away)
	}
}
