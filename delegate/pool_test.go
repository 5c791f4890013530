package delegate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

func several(n int, call model.AnswerCall) []model.AnswerCall {
	return slices.Repeat([]model.AnswerCall{call}, n)
}

// slotHolders gives the tasks that hold a slot of a parent.
func (p *play) slotHolders(parent string) (out []string) {
	for _, id := range p.st.TaskIDs {
		if t := p.st.Tasks[id]; t.Parent == parent && t.Slot {
			out = append(out, id)
		}
	}
	return out
}

func (p *play) wantSlots(parent string, want ...string) {
	p.t.Helper()
	if got := p.slotHolders(parent); !slices.Equal(got, want) {
		p.t.Errorf("slots of %s: %v, want %v", parent, got, want)
	}
}

// delegation-6: a pool, not waves; over the limit is never an error.
func TestPool(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{MaxRunning: 3}), worker("maker")))
	p.do("root", several(8, delegating("maker"))...)
	p.wantCodes("root", "", "", "", "", "", "", "", "")
	p.wantSlots("root", "task_1", "task_2", "task_3")
	if n := p.count(journal.TTaskQueued); n != 5 {
		t.Errorf("delegation-6: %d queued", n)
	}
	path := func(n int) string {
		if n == 1 {
			return "root/maker"
		}
		return fmt.Sprintf("root/maker-%03d", n)
	}
	for n := 2; n <= 6; n++ { // the first is slow, the others pass through two slots
		p.do(path(n), returning("done"))
		p.wantSlots("root", "task_1", fmt.Sprint("task_", n+1), fmt.Sprint("task_", n+2))
	}
	p.do(path(7), returning("done"))
	p.do(path(8), returning("done"))
	p.do(path(1), returning("slow"))
	p.wantSlots("root")
	// budgets-4: every slot is free again.
	p.do("root", several(4, delegating("maker"))...)
	p.wantSlots("root", "task_9", "task_10", "task_11")
	p.do("root", finish)
	p.wantRun(journal.Completed, "")
}

// delegation-3: a slot is free at the child's termination, not at its return.
func TestSlotIsFreedAtTermination(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{MaxRunning: 1}), worker("maker")))
	p.do("root", delegating("maker"), delegating("maker"))
	p.do("root", awaitOne)
	p.reply("root/maker", swarmtest.Do(returning("done")))
	part := p.parts["root/maker"]
	p.step("root/maker", part) // its actor has not ended yet
	p.wantCodes("root", "")
	p.wantTask("task_1", "ended", journal.Completed, "")
	p.wantTask("task_2", "queued", "", "")
	p.wantSlots("root", "task_1")
	p.pump()
	p.wantSlots("root", "task_2")
	p.inOrder(journal.TTaskEnded, journal.TTaskDelivered, journal.TSlotFreed, journal.TTaskStarted)
}

func nestedTeam(t testing.TB, budgets agent.Budgets, running int) *agent.Env {
	mid := worker("mid")
	mid.Delegation.CanDelegate, mid.Delegation.AllowNested, mid.Delegation.MaxRunning = true, true, 1
	return testEnv(t, budgets, lead(agent.Delegation{MaxRunning: running}), mid, worker("leaf"))
}

// A child that only waits for its children lends its slot, and goes on with one only; it
// goes before new starts.
func TestLentSlots(t *testing.T) {
	t.Parallel()
	p := newPlay(t, nestedTeam(t, agent.Budgets{}, 1))
	p.do("root", delegating("mid"), delegating("leaf"), delegating("leaf"))
	p.do("root/mid", delegating("leaf"))
	p.wantSlots("root", "task_1")
	p.do("root/mid", awaitOne, peek)
	p.wantSlots("root", "task_2") // task_1 waits for its child and nothing else
	p.do("root/mid/leaf-003", returning("for mid"))
	p.wantCodes("root/mid", "", "")
	if p.asking["root/mid"] {
		t.Fatal("goes on without a slot")
	}
	p.do("root/leaf", returning("first"))
	p.wantSlots("root", "task_1") // before task_3
	if !p.asking["root/mid"] {
		t.Fatal("does not go on")
	}
	p.wantTask("task_3", "queued", "", "")
	p.do("root/mid", returning("all"))
	p.wantSlots("root", "task_3")
	p.inOrder(journal.TSlotLent, journal.TSlotFreed, journal.TSlotTaken)
	p.verify()
}

// A held request survives what may happen to it.
func TestHeldRequests(t *testing.T) {
	t.Parallel()
	held := func(t *testing.T) *play {
		p := newPlay(t, nestedTeam(t, agent.Budgets{}, 1))
		p.do("root", delegating("mid"), delegating("leaf"))
		p.do("root/mid", delegating("leaf"))
		p.do("root/mid", awaitOne)
		p.do("root/mid/leaf-002", returning("for mid"))
		if len(p.st.held) != 1 {
			t.Fatalf("%d held requests", len(p.st.held))
		}
		return p
	}
	free := func(p *play) { p.do("root/leaf", returning("first")) }
	t.Run("granted", func(t *testing.T) {
		t.Parallel()
		p := held(t)
		free(p)
		p.do("root/mid", returning("all"))
		p.wantTask("task_1", "ended", journal.Completed, "")
	})
	t.Run("a crash", func(t *testing.T) {
		t.Parallel()
		p := held(t)
		p.crash()
		p.pump()
		p.wantSlots("root", "task_2")
		free(p)
		p.do("root/mid", returning("all"))
		p.wantTask("task_1", "ended", journal.Completed, "")
		p.verify()
	})
	t.Run("its actor fails", func(t *testing.T) {
		t.Parallel()
		p := held(t)
		p.fail("root/mid")
		p.pump()
		if len(p.st.held) != 1 {
			t.Fatalf("%d held requests", len(p.st.held))
		}
		free(p)
		p.do("root/mid", returning("all"))
		p.wantTask("task_1", "ended", journal.Completed, "")
		p.verify()
	})
	t.Run("its time is over", func(t *testing.T) {
		t.Parallel()
		p := held(t)
		delete(p.timers, "task:task_2")
		p.advance(time.Hour)
		if len(p.st.held) > 1 {
			t.Errorf("%d held requests of one invocation", len(p.st.held))
		}
		free(p)
		p.say("root/mid", swarmtest.Say("that much"))
		p.wantTask("task_1", "ended", journal.Partial, "budget.time")
		p.verify()
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		p := held(t)
		p.do("root", cancelling("task_1"))
		p.wantTask("task_1", "ended", journal.Cancelled, "")
		free(p)
		p.wantSlots("root")
		if len(p.st.held) != 0 {
			t.Errorf("%d held requests", len(p.st.held))
		}
		p.do("root", finish)
		p.wantRun(journal.Completed, "")
	})
}

// actors-13: three levels with one slot each and two in the run: parents that only wait
// lend theirs, so it finishes.
func TestNestedFanOut(t *testing.T) {
	t.Parallel()
	mid := worker("mid")
	mid.Delegation.CanDelegate, mid.Delegation.AllowNested, mid.Delegation.MaxRunning = true, true, 1
	low := worker("low")
	low.Delegation.CanDelegate, low.Delegation.AllowNested, low.Delegation.MaxRunning = true, true, 1
	p := newPlay(t, testEnv(t, agent.Budgets{AgentsRunning: 2}, lead(agent.Delegation{MaxRunning: 1}), mid, low, worker("leaf")))
	steps := map[string][]swarmtest.Turn{
		"root": {swarmtest.Do(delegating("mid"), delegating("mid")), swarmtest.Do(awaitAll), swarmtest.Do(finish)},
		"mid":  {swarmtest.Do(delegating("low")), swarmtest.Do(awaitAll), swarmtest.Do(returning("mid"))},
		"low":  {swarmtest.Do(delegating("leaf")), swarmtest.Do(awaitAll), swarmtest.Do(returning("low"))},
		"leaf": {swarmtest.Do(returning("leaf"))},
	}
	p.each = func() {
		if n := p.st.slots; n > 2 {
			t.Fatalf("actors-13: %d run", n)
		}
	}
	for r := rand.New(rand.NewPCG(13, 13)); !p.over; {
		path := p.anyAsking(r)
		if path == "" {
			t.Fatalf("actors-13: nobody goes on\n%s", p.dump())
		}
		agentID, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], "-")
		p.say(path, steps[agentID][p.parts[path].Turn-1])
	}
	p.wantRun(journal.Completed, "")
	if n := p.count(journal.TTaskEnded); n != 6 {
		t.Errorf("%d tasks ended", n)
	}
}

// The run's places are given by turns: to the parent with the fewest running children.
func TestFairness(t *testing.T) {
	t.Parallel()
	mid := worker("mid")
	mid.Delegation.CanDelegate, mid.Delegation.AllowNested, mid.Delegation.MaxRunning = true, true, 5
	p := newPlay(t, testEnv(t, agent.Budgets{AgentsRunning: 6}, lead(agent.Delegation{MaxRunning: 5}), mid, worker("leaf")))
	p.do("root", delegating("mid"), delegating("mid")) // with the root three run
	p.do("root/mid", several(5, delegating("leaf"))...)
	p.wantSlots("root/mid", "task_3", "task_4", "task_5")
	p.do("root/mid-002", several(5, delegating("leaf"))...)
	p.wantSlots("root/mid-002")
	p.do("root/mid/leaf", returning("x"))
	p.wantSlots("root/mid-002", "task_8")
	p.do("root/mid/leaf-002", returning("x")) // one each: the older parent is next
	p.wantSlots("root/mid", "task_5", "task_6")
	p.do("root/mid-002/leaf-006", returning("x"))
	p.wantSlots("root/mid-002", "task_9")
	p.verify()
}

// delegation-17: whatever comes in whatever order, nobody has more than its limit, and
// the run is not over its own.
func TestPoolUnderRandomEvents(t *testing.T) {
	t.Parallel()
	seeds := 120
	if testing.Short() {
		seeds = 40
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 17))
		mid := worker("mid")
		mid.Delegation.CanDelegate, mid.Delegation.AllowNested, mid.Delegation.MaxRunning = true, true, 1+r.IntN(2)
		budgets := agent.Budgets{Agents: 4 + r.IntN(12), AgentsRunning: 2 + r.IntN(4)}
		p := newPlay(t, testEnv(t, budgets, lead(agent.Delegation{MaxRunning: 1 + r.IntN(3), MaxChildren: 6}), mid, worker("leaf")))
		slots := 0
		p.each = func() {
			held := 0
			for path, inv := range p.st.Inv {
				n := len(p.slotHolders(path))
				held += n
				if limit := p.env.Profiles[inv.Profile].Delegation.MaxRunning; n > limit || n != inv.slots {
					t.Fatalf("seed %d: %s has %d running children, the limit is %d, counted %d\n%s", seed, path, n, limit, inv.slots, p.dump())
				}
			}
			running := held
			if o := p.st.Inv[p.st.Owner]; !o.Ended && !p.st.waits(o) {
				running++
			}
			if limit := p.env.Budgets.AgentsRunning; held != p.st.slots || held > slots && running > limit {
				t.Fatalf("seed %d: %d agents run, the limit is %d; %d slots, counted %d\n%s", seed, running, limit, held, p.st.slots, p.dump())
			}
			slots = held
			if n := p.st.Agents() + p.st.queued; n > budgets.Agents {
				t.Fatalf("seed %d: %d agents, the limit is %d", seed, n, budgets.Agents)
			}
		}
		p.improvise(r, 60)
		p.verify()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
