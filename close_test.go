package swarm_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// Everything is refused by one code after Close, and what a run came to is still told.
func TestClosed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		store func() swarm.Store // nil: the runtime's own
	}{
		{"own store", nil},
		{"store of the caller", func() swarm.Store { return memory() }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, setupOptions{script: swarmtest.Script{"root": {swarmtest.Do(finish)}}, opts: func(o *swarm.Options) {
				o.Store = nil
				if row.store != nil {
					o.Store = row.store()
				}
			}})
			ctx := t.Context()
			r := b.start("go")
			res := b.wait(r)
			b.close()
			for _, call := range []struct {
				name string
				do   func() error
			}{
				{"start", func() error { _, err := b.rt.Start(ctx, b.team, swarm.Input{Text: "go"}); return err }},
				{"start without a team", func() error { _, err := b.rt.Start(ctx, nil, swarm.Input{}); return err }},
				{"resume", func() error { _, err := b.rt.Resume(ctx, r.ID(), swarm.ResumeOptions{}); return err }},
				{"events", func() error { _, err := seqs(r.Events(ctx, 0)); return err }},
				{"runs", func() error { _, err := b.rt.Runs(ctx); return err }},
				{"inspect", func() error { _, err := b.rt.Inspect(ctx, r.ID()); return err }},
				{"cancel", func() error { return r.Cancel(ctx, "late") }},
				{"cancel a task", func() error { return r.CancelTask(ctx, "task_1", "late") }},
				{"pause", func() error { return r.Pause(ctx) }},
				{"say", func() error { return r.Say(ctx, "hello") }},
				{"answered", func() error { _, err := b.rt.Answered(ctx, swarm.Command{Run: r.ID()}); return err }},
				{"tree of a run", func() error { _, err := b.rt.RunTree(ctx, r.ID()); return err }},
				{"files", func() error { _, err := b.rt.Files(ctx, r.ID()); return err }},
				{"read file", func() error { _, err := b.rt.ReadFile(ctx, r.ID(), "output/main.md"); return err }},
				{"diff", func() error { _, err := b.rt.Diff(ctx, r.ID(), ""); return err }},
				{"labels", func() error { _, err := b.rt.Labels(ctx, r.ID()); return err }},
				{"tools", func() error { _, err := b.rt.Tools(ctx, b.team, "", ""); return err }},
				{"call", func() error { _, err := b.rt.Call(ctx, b.team, swarm.ToolCall{Tool: "dice.roll"}); return err }},
			} {
				if err := call.do(); swarm.Code(err) != "runtime.closed" {
					t.Errorf("%s: got %v", call.name, err)
				}
			}
			if again, err := r.Wait(ctx); err != nil || again.Outcome != res.Outcome {
				t.Errorf("got %+v, %v", again, err)
			}
		})
	}
}

// What was dispatched may settle while the runtime closes; the run goes on elsewhere.
func TestCloseDrains(t *testing.T) {
	t.Parallel()
	mem, hold := memory(), newHolder(t, "hold", false)
	o := setupOptions{store: mem, tools: []swarm.Tool{hold.tool},
		script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(finish)}}}
	b := setup(t, o)
	r := b.start("go")
	recv(t, hold.begun)
	closing := make(chan error, 2)
	go func() { closing <- b.rt.Close(context.Background()) }()
	for swarm.Code(func() error { _, err := b.rt.Runs(t.Context()); return err }()) != "runtime.closed" {
		runtime.Gosched() // until it takes no work any more
	}
	// A second call waits for the first, but no longer than its own context.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.rt.Close(ended); swarm.Code(err) != "runtime.cancelled" || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	late, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	if err := b.rt.Close(late); swarm.Code(err) != "runtime.timeout" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	go func() { closing <- b.rt.Close(context.Background()) }()
	close(hold.let)
	for range 2 {
		if err := recv(t, closing); err != nil {
			t.Error(err)
		}
	}
	b.outcome(b.wait(r), swarm.Paused, "shutdown")

	o.store = reborn(mem)
	b = setup(t, o)
	b.outcome(b.wait(b.resume(r.ID())), swarm.Completed, "")
	if n := hold.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
}

// Who does not stop is named: where it is, what it does, since when.
func TestCloseNamesSurvivors(t *testing.T) {
	t.Parallel()
	clock, deaf := swarmtest.NewClock(), newHolder(t, "deaf", true)
	b := setup(t, setupOptions{script: swarmtest.Script{}}) // for its team
	defer close(deaf.let)
	rt, err := swarm.Open(t.Context(), swarm.Options{Clock: clock, Tools: []swarm.Tool{deaf.tool},
		Providers: map[string]swarm.Provider{"default": swarmtest.Script{"root": {swarmtest.Do(use("deaf", ""))}}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := rt.Start(t.Context(), b.team, swarm.Input{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	recv(t, deaf.begun)
	closing := make(chan error, 1)
	go func() { closing <- rt.Close(context.Background()) }()
	for err = nil; err == nil; {
		select {
		case err = <-closing:
			if err == nil {
				t.Fatal("nobody was named")
			}
		default:
			clock.Advance(time.Second)
			runtime.Gosched()
		}
	}
	var left swarm.Survivors
	if swarm.Code(err) != "runtime.survivors" || !errors.As(err, &left) || len(left) == 0 {
		t.Fatalf("got %v", err)
	}
	named := false
	for _, s := range left {
		named = named || s.Kind == "tool call" && s.WaitsFor == "effect extension/go:deaf" && strings.Contains(s.Path, r.ID()+"/run/root/") && !s.Since.IsZero()
	}
	if !named || !strings.Contains(err.Error(), "(tool call) is in effect extension/go:deaf since 2030-01-01T00:") {
		t.Errorf("the tool is not named: %v", err)
	}
	if again := rt.Close(t.Context()); !errors.Is(again, err) || again.Error() != err.Error() {
		t.Errorf("the second call gave %v", again)
	}
}

// Two runtimes of one process know nothing of each other.
func TestSeveralRuntimes(t *testing.T) {
	t.Parallel()
	var bundles []*testBundle
	for _, who := range []string{"first", "second"} {
		tool := goTool(t, "who", func(context.Context, none) (string, error) { return who, nil })
		bundles = append(bundles, setup(t, setupOptions{tools: []swarm.Tool{tool},
			script: swarmtest.Script{"root": {swarmtest.Do(swarmtest.Call("who", "")), swarmtest.Do(finish)}}}))
	}
	var runs []*swarm.Run
	for _, b := range bundles {
		runs = append(runs, b.start("go"))
	}
	for i, b := range bundles {
		res := b.wait(runs[i])
		b.outcome(res, swarm.Completed, "")
		if got := b.results("root", 1)[0].Text; got != []string{"first", "second"}[i] {
			t.Errorf("runtime %d used the tool of the %s", i, got)
		}
		if list, err := b.rt.Runs(t.Context()); err != nil || len(list) != 1 || list[0].Run != res.Run {
			t.Errorf("runs %+v, %v", list, err)
		}
		b.close() // the other one goes on
	}
}

// Close with asks that are open, tasks that are queued, a writer that waits at a gate, and
// two callers at the same time: everything settles, both are told the same.
func TestCloseInTheMiddle(t *testing.T) {
	t.Parallel()
	t.Run("actors-16", func(t *testing.T) {
		t.Parallel()
		mem, hold := memory(), newHolder(t, "hold", false)
		o := setupOptions{
			store:  mem,
			agents: map[string]*agent.Profile{"lead": with(parent(), func(p *agent.Profile) { p.Delegation.MaxRunning = 2 }), "kid": child()},
			tools:  []swarm.Tool{hold.tool},
			script: swarmtest.Script{
				"lead": {swarmtest.Do(delegateTo("kid"), delegateTo("kid"), delegateTo("kid"), delegateTo("kid"), awaitAll), swarmtest.Do(finish)},
				"kid":  {swarmtest.Do(use("hold", "")), swarmtest.Do(returning("done"))},
			}}
		b := setup(t, o)
		r := b.start("go")
		recv(t, hold.begun) // one kid holds the gate, one waits there, two are queued, the lead awaits
		b.seen(r, ofType(journal.TTaskQueued, 2))
		both := make(chan error, 2)
		for range cap(both) {
			go func() { both <- b.rt.Close(context.Background()) }()
		}
		close(hold.let)
		for range cap(both) {
			if err := recv(t, both); err != nil {
				t.Error(err)
			}
		}
		if n := len(b.rt.Tree()); n != 0 {
			t.Errorf("%d actors are left", n)
		}
		if c := b.rt.Counters(); c.AsksOpen != 0 || c.Live != 0 {
			t.Errorf("%+v", c)
		}
		b.outcome(b.wait(r), swarm.Paused, "shutdown")
		o.store = reborn(mem)
		b = setup(t, o)
		b.outcome(b.wait(b.resume(r.ID())), swarm.Completed, "")
		if n := hold.ran.Load(); n != 4 {
			t.Errorf("%d effects of 4 calls", n)
		}
	})
}
