package swarm_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// A run that comes to rest begins nothing: a write whose turn comes during the drain is
// dispatched after the resume, once.
func TestPauseBeginsNothing(t *testing.T) {
	t.Parallel()
	hold := newHolder(t, "hold", false, tooling.Gate("other")) // keeps the drain open
	first := newHolder(t, "first", false)
	var mu sync.Mutex
	ran := 0
	second := goTool(t, "second", func(context.Context, none) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		ran++
		return "ok", nil
	})
	mem := memory()
	b := setup(t, setupOptions{
		store:  mem,
		agents: map[string]*agent.Profile{"root": parent(), "kid": child()},
		script: swarmtest.Script{
			"root": {swarmtest.Do(delegateTo("kid"), use("first", ""), swarmtest.Call("second", ``)), swarmtest.Do(finish)},
			"kid":  {swarmtest.Do(use("hold", "")), swarmtest.Do(returning("x"))},
		},
		tools: []swarm.Tool{hold.tool, first.tool, second},
	})
	r := b.start("go")
	recv(t, hold.begun)
	recv(t, first.begun)
	if err := b.rt.Pause(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	close(first.let) // its end is taken, and the gate goes to the second, which may not begin
	b.seen(r, func(rec *journal.Record) bool {
		m, ok := rec.Payload.(*journal.CallSettled)
		return ok && m.Dispatched && rec.Scope.Invocation == "root"
	})
	close(hold.let)
	res := b.wait(r)
	b.outcome(res, "paused", "")
	mu.Lock()
	if ran != 0 {
		t.Errorf("the second ran %d times during the pause", ran)
	}
	mu.Unlock()
	b.outcome(b.wait(b.resume(r.ID())), "completed", "")
	if ran != 1 {
		t.Errorf("the second ran %d times\n%s", ran, b.dump(r.ID()))
	}
}

// What was said while nobody owned the run is applied first when it is resumed.
func TestCancelOfAPausedRun(t *testing.T) {
	t.Parallel()
	hold := newHolder(t, "hold", false)
	ran := false
	write := goTool(t, "write", func(context.Context, none) (string, error) { ran = true; return "ok", nil })
	b := setup(t, setupOptions{
		script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(swarmtest.Call("write", ``)), swarmtest.Do(finish)}},
		tools:  []swarm.Tool{hold.tool, write},
	})
	r := b.start("go")
	recv(t, hold.begun)
	if err := b.rt.Pause(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	close(hold.let)
	b.outcome(b.wait(r), "paused", "")
	if err := b.rt.Cancel(t.Context(), r.ID(), "never mind"); err != nil {
		t.Fatal(err)
	}
	b.outcome(b.wait(b.resume(r.ID())), "cancelled", "")
	if ran {
		t.Error("it went on before it looked at what was said")
	}
}

// Whoever waits is told also when the runtime is closed in a hurry.
func TestCloseInAHurry(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 1)
	b := setup(t, setupOptions{script: swarmtest.Script{}}) // for its team
	rt, err := swarm.Open(t.Context(), swarm.Options{Drain: time.Hour, Providers: map[string]model.Provider{"default": model.Func(
		func(ctx context.Context, _ *model.Request, _ func(model.Delta)) (*model.Answer, error) {
			select {
			case begun <- struct{}{}:
			default:
				t.Error("asked a second time")
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := rt.Start(t.Context(), b.team, swarm.Input{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	recv(t, begun)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = rt.Close(ctx) // it may name who has not stopped yet
	res, err := b.rests(r)
	if err != nil || (res.Outcome != "paused" && res.Outcome != "interrupted") {
		t.Errorf("%+v, %v", res, err)
	}
}

// A context that has ended begins nothing and leaves nothing behind.
func TestStartWithAnEndedContext(t *testing.T) {
	t.Parallel()
	b := setup(t, setupOptions{script: swarmtest.Script{"root": {swarmtest.Do(finish)}}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if _, err := b.rt.Start(ctx, b.team, swarm.Input{Text: "go"}); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
	if runs, err := b.rt.Runs(t.Context()); err != nil || len(runs) != 0 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// A team that no run could begin with is refused by name.
func TestStartRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t, setupOptions{script: swarmtest.Script{}})
	for name, change := range map[string]func(*swarm.Team){
		"an unknown entry": func(t *swarm.Team) { t.Entry = "nobody" },
		"no agents":        func(t *swarm.Team) { t.Agents = nil },
		"an agent of nil":  func(t *swarm.Team) { t.Agents = map[string]*agent.Profile{"root": nil} },
		"an unknown model": func(t *swarm.Team) { t.Agents = map[string]*agent.Profile{"root": {Model: "none"}} },
	} {
		team := *b.team
		change(&team)
		if _, err := b.rt.Start(t.Context(), &team, swarm.Input{Text: "go"}); fault.Code(err) != "config.invalid" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := b.rt.Start(t.Context(), nil, swarm.Input{Text: "go"}); fault.Code(err) != "config.missing" {
		t.Errorf("no team: %v", err)
	}
}
