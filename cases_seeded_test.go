package swarm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/supervision"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
)

// interleaved runs a team to its end on a scheduler whose every choice follows from a
// seed, and gives the journal.
func interleaved(t *testing.T, seed uint64, env *agent.Env, reqs *swarmtest.Requests) []journal.Record {
	t.Helper()
	const id = "run_seeded"
	ctx := context.Background()
	store := journal.NewMemory(journal.MemoryOptions{})
	defer store.Close()
	sched, clock := actors.NewSeededScheduler(seed), swarmtest.NewClock()
	sys := actors.New(actors.Options{Clock: clock, Scheduler: sched, Go: sched.Schedule, Rand: rand.New(rand.NewPCG(seed, 3)).Float64})
	runs, err := supervision.Open(sys, swarmtest.NewCrash(store, 0, false))
	if err != nil {
		t.Fatal(err)
	}
	epoch, err := store.Acquire(ctx, id, false)
	if err != nil {
		t.Fatal(err)
	}
	h := supervision.NewHandle(id)
	runs.Begin(supervision.Config{ID: id, Env: env, Epoch: epoch, Created: &journal.RunCreated{Name: "seeded"}, Started: &journal.RunStarted{}, Input: "go", Handle: h,
		Rand: rand.New(rand.NewPCG(seed, 5)).IntN, Probe: reqs})
	for step, over := 0, false; !over; step++ {
		sched.Run()
		select {
		case <-h.Done():
			over = true
		default:
			if step > 1000 {
				t.Fatalf("seed %d: the run does not end", seed)
			}
			clock.Advance(time.Second)
		}
	}
	gone := make(chan struct{})
	go func() { sys.Shutdown(ctx); close(gone) }()
	for {
		sched.Run()
		select {
		case <-gone:
			recs, err := store.Read(ctx, id, journal.Query{})
			if err != nil {
				t.Fatal(err)
			}
			return recs
		default:
			clock.Advance(time.Second)
			runtime.Gosched() // to the goroutine that waits for the shutdown
		}
	}
}

// team makes the environment of a run of these agents.
func team(t *testing.T, entry string, agents map[string]*agent.Profile, budgets agent.Budgets, s swarmtest.Script) *agent.Env {
	t.Helper()
	tools, err := builtin.Collect(builtin.Core(), builtin.FileTools(), []tooling.Tool{builtin.CommitTool(nil)})
	if err != nil {
		t.Fatal(err)
	}
	env := &agent.Env{Team: "seeded", Entry: entry, Profiles: map[string]*agent.Profile{}, Budgets: budgets.Defaults(),
		Models: map[string]agent.Model{"default": {Provider: s, Kind: "script", Name: "script"}}}
	if env.Catalogue, err = tooling.NewCatalogue(tools...); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"lead", "mid", "worker"} {
		if p := agents[id]; p != nil {
			d := p.Defaults()
			d.ID = id
			env.Profiles[id] = &d
			env.Order = append(env.Order, id)
		}
	}
	return env
}

// One place is left, and two delegations want it: exactly one gets it, in 1,000
// interleavings.
func TestLastPlace(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		lead    *agent.Profile
		budgets agent.Budgets
		code    string
		script  swarmtest.Script
		limit   int // of invocations
	}{
		{"two parents", parent(), agent.Budgets{Agents: 4}, "budget.agents", swarmtest.Script{
			"lead":   {swarmtest.Do(delegateTo("mid"), delegateTo("mid")), swarmtest.Do(awaitAll), swarmtest.Do(finish)},
			"mid":    {swarmtest.Do(delegateTo("worker")), swarmtest.Do(nothing), swarmtest.Do(returning("done"))},
			"worker": {swarmtest.Do(nothing), swarmtest.Do(returning("done"))},
		}, 4},
		{"one parent", with(parent(), func(p *agent.Profile) { p.Delegation.MaxChildren = 1 }), agent.Budgets{}, "agent.child_limit", swarmtest.Script{
			"lead":   {swarmtest.Do(delegateTo("worker"), delegateTo("worker")), swarmtest.Do(awaitAll), swarmtest.Do(finish)},
			"worker": {swarmtest.Do(returning("done"))},
		}, 2},
	} {
		t.Run("delegation-17/"+row.name, func(t *testing.T) {
			t.Parallel()
			env := team(t, "lead", map[string]*agent.Profile{"lead": row.lead, "mid": nested(5), "worker": child()}, row.budgets, row.script)
			orders := map[string]bool{}
			for seed := range uint64(1000) {
				reqs := &swarmtest.Requests{}
				recs := interleaved(t, seed, env, reqs)
				refused, won := 0, ""
				for _, c := range callsOf(recs, "") {
					if c.code() == row.code {
						refused++
					} else if c.Name == "agent_delegate" {
						won += c.Path + " "
					}
				}
				orders[won] = true
				faults := fmt.Sprint(journal.Verify(recs), reqs.Faults())
				if n := len(payloads[*journal.InvocationCreated](recs)); refused != 1 || n != row.limit || faults != "[] []" {
					t.Fatalf("seed %d: %d refused, %d agents, %s", seed, refused, n, faults)
				}
			}
			if row.code == "budget.agents" && len(orders) < 2 {
				t.Errorf("the same parent won each time: %v", orders)
			}
		})
	}
}
