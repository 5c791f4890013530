package delegate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// exhausted gives what the records of used-up budgets say.
func (p *play) exhausted() (out []string) {
	for _, r := range p.log {
		if m, ok := r.Payload.(*journal.BudgetExhausted); ok {
			out = append(out, fmt.Sprintf("%s %d/%d", m.What, m.Used, m.Limit))
		}
	}
	return out
}

// budgets-13 for the whole run: the calls that are left are given in order, the rest is
// refused, all are paired.
func TestRunBudgetOfCalls(t *testing.T) {
	t.Parallel()
	t.Run("budgets-13", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{Calls: 3}, lead(agent.Delegation{})))
		p.do("root", peek, swarmtest.Call("nope", ``)) // a call of an unknown tool counts
		p.wantCodes("root", "", "model.unknown_tool_call")
		p.do("root", peek, peek, peek)
		p.wantCodes("root", "", "budget.calls", "budget.calls")
		p.wantText("root", 1, "All 3 tool calls of this run are used")
		p.valid("root")
		p.do("root", peek) // nothing is admitted any more: the closing turn
		p.wantCodes("root", "budget.calls")
		p.say("root", swarmtest.Say("that far"))
		p.wantRun(journal.Partial, "budget.calls")
		if p.st.calls != 3 || p.st.Ended.Result.Text != "that far" {
			t.Errorf("%d calls, text %q", p.st.calls, p.st.Ended.Result.Text)
		}
	})
	t.Run("what ends the work is never refused", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{Calls: 2}, lead(agent.Delegation{}), worker("maker")))
		p.do("root", delegating("maker"))
		p.do("root/maker", peek)
		p.do("root/maker", peek, returning("still returned"))
		p.wantCodes("root/maker", "budget.calls", "")
		p.do("root", finish)
		p.wantRun(journal.Completed, "")
	})
	t.Run("an invalid call beyond the budget has one result", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{Calls: 1}, lead(agent.Delegation{})))
		p.do("root", peek)
		p.do("root", swarmtest.Call("peek", `[]`), swarmtest.Call("nope", ``))
		p.wantCodes("root", "budget.calls", "budget.calls")
		p.verify()
	})
	t.Run("budgets-11 a restart gives nothing back", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{Calls: 10, Rounds: 8}, lead(agent.Delegation{})))
		for range 3 {
			p.do("root", peek, swarmtest.Call("poke", ``))
		}
		p.do("root", peek)
		p.say("root", swarmtest.Say("a thought"))
		p.crash()
		p.pump()
		if p.st.calls != 7 || p.st.rounds != 5 {
			t.Fatalf("%d calls and %d rounds", p.st.calls, p.st.rounds)
		}
		p.do("root", peek, swarmtest.Call("poke", ``), peek, peek)
		p.wantCodes("root", "", "", "", "budget.calls")
		p.crash()
		p.pump()
		p.do("root", finish)
		p.wantRun(journal.Completed, "")
	})
}

// The rounds of all agents count together; the closing turn is not one.
func TestRunBudgetOfRounds(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{Rounds: 4}, lead(agent.Delegation{}), worker("maker")))
	p.do("root", delegating("maker"))
	p.do("root/maker", peek)
	p.do("root", peek)
	p.do("root/maker", peek) // the fourth
	if m := p.last("root/maker"); m.Text == "" || p.parts["root/maker"].Closing != "budget.rounds" {
		t.Fatalf("the child goes on: %+v", m)
	}
	p.say("root/maker", swarmtest.Say("the child's part"))
	p.wantTask("task_1", "ended", journal.Partial, "budget.rounds")
	p.do("root", peek) // was under way
	if p.parts["root"].Closing != "budget.rounds" {
		t.Fatal("the root goes on")
	}
	p.say("root", swarmtest.Say("the root's part"))
	p.wantRun(journal.Partial, "budget.rounds")
	if got := p.exhausted(); !slices.Equal(got, []string{"budget.rounds 4/4", "budget.rounds 5/4"}) {
		t.Errorf("recorded %q", got)
	}
	if p.st.rounds != 5 {
		t.Errorf("%d rounds", p.st.rounds)
	}
}

// budgets-1 on the run's budget: the last round may ask for calls, which run.
func TestRoundsEndOnCalls(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{Rounds: 1}, lead(agent.Delegation{}), worker("maker")))
	p.do("root", delegating("maker"), peek)
	p.wantCodes("root", "", "")
	if p.parts["root"].Closing != "budget.rounds" {
		t.Fatal("no closing turn")
	}
	p.say("root", swarmtest.Say("known"))
	p.wantRun(journal.Partial, "budget.rounds")
	p.wantTask("task_1", "ended", journal.Cancelled, "")
}

// What a halted invocation may still put into the journal: facts, not new effects.
func TestHaltedProposals(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		call  string
		taken bool
	}{
		{"the dispatch of a write", "poke", false},
		{"the dispatch of a read is a fact", "peek", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
			p.reply("root", swarmtest.Do(swarmtest.Call(row.call, ``)))
			part := p.parts["root"]
			key := part.Calls[0].Key
			d := p.st.CancelRun(Said{By: "user"}, p.now)
			p.take(&Decision{Records: d.Records}) // the halt is on its way
			lost, n := p.lost, p.count(journal.TCallDispatched)
			dispatch := journal.Record{Scope: journal.Scope{Invocation: "root", Turn: 1, Call: key}, Payload: &journal.CallDispatched{}}
			p.propose("root", []journal.Record{dispatch}, nil)
			if taken := p.count(journal.TCallDispatched) > n; taken != row.taken || (p.lost > lost) == row.taken {
				t.Errorf("taken %t, lost %t", taken, p.lost > lost)
			}
			p.propose("root", []journal.Record{{Scope: journal.Scope{Invocation: "root", Turn: 2}, Payload: &journal.ModelRequested{}}}, nil)
			if n := p.count(journal.TModelRequested); n != 1 {
				t.Errorf("%d requests", n)
			}
			if row.taken {
				p.propose("root", []journal.Record{{Scope: journal.Scope{Invocation: "root", Turn: 1, Call: key}, Payload: &journal.CallSettled{Outcome: journal.Completed, Dispatched: true}}}, nil)
			}
			p.anew("root", &agent.Halt{Reason: "cancelled"})
			p.pump()
			p.wantRun(journal.Cancelled, "cancelled by user")
		})
	}
}

// A settlement after another one changes nothing, and takes its changes of files with it.
func TestSecondSettlement(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
	p.holds["root"] = true
	p.do("root", swarmtest.Call("poke", ``))
	key := p.held["root"][0]
	settle := func(path string) []journal.Record {
		scope := journal.Scope{Invocation: "root", Turn: 1, Call: key}
		return []journal.Record{{Scope: scope, Payload: &journal.CallSettled{Outcome: journal.Completed, Dispatched: true}},
			{Scope: scope, Payload: &journal.FileChanged{Path: path, Op: "write", New: "h", ByCall: key}}}
	}
	p.propose("root", settle("output/first"), nil)
	p.propose("root", settle("output/second"), nil)
	if _, ok := p.st.Files.Get("output/first"); !ok {
		t.Error("the first change is gone")
	}
	if _, ok := p.st.Files.Get("output/second"); ok {
		t.Error("the second change was made")
	}
	p.verify()
}

// files-1 at the run: a change of a file that has another hash by now is not made.
func TestStaleChange(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
	p.holds["root"] = true
	p.do("root", swarmtest.Call("poke", ``))
	key := p.held["root"][0]
	scope := journal.Scope{Invocation: "root", Turn: 1, Call: key}
	p.propose("root", []journal.Record{{Scope: scope, Payload: &journal.CallSettled{Outcome: journal.Completed, Dispatched: true}},
		{Scope: scope, Payload: &journal.FileChanged{Path: "output/a", Op: "patch", Old: "what was read", New: "h"}}}, nil)
	if _, ok := p.st.Files.Get("output/a"); ok {
		t.Error("files-1: a stale change was made")
	}
}

// How a run rests.
func TestPauseAndPark(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
	p.holds["root"] = true
	p.do("root", swarmtest.Call("poke", ``))
	if !p.st.Effects() {
		t.Error("no effect is under way")
	}
	p.done("root", p.held["root"][0], tooling.Result{Content: "poked"})
	if p.st.Effects() {
		t.Error("an effect is under way")
	}
	p.take(p.st.Pause("user", nil, p.now))
	if p.st.Status != "paused" {
		t.Errorf("status %s", p.st.Status)
	}
	p.crash()
	if p.st.Status != "running" {
		t.Errorf("status %s", p.st.Status)
	}
	p.take(p.st.Park("journal.poison", "it fails", "look", p.now))
	if p.st.Status != "parked" || p.st.Parked.AtSeq != int64(len(p.log)-1) {
		t.Errorf("%s %+v", p.st.Status, p.st.Parked)
	}
	p.verify()
}

// durability-7: a record that cannot follow is damage, never a panic.
func TestFoldDamage(t *testing.T) {
	t.Parallel()
	rec := func(seq int64, scope journal.Scope, pl journal.Payload) journal.Record {
		return journal.Record{V: 1, Run: testRun, Epoch: 1, Seq: seq, At: t0, Scope: scope, Payload: pl}
	}
	for _, row := range []struct {
		name string
		rec  journal.Record
	}{
		{"a hole", rec(5, journal.Scope{}, &journal.RunPaused{})},
		{"twice", rec(1, journal.Scope{}, &journal.RunCreated{})},
		{"of an unknown invocation", rec(2, journal.Scope{Invocation: "root/x"}, &journal.ModelRequested{})},
		{"of no invocation", rec(2, journal.Scope{}, &journal.ModelAnswered{})},
		{"a call of nobody", rec(2, journal.Scope{Call: "k"}, &journal.CallRequested{})},
		{"a settlement of nobody", rec(2, journal.Scope{Call: "k"}, &journal.CallSettled{})},
		{"an end of nobody", rec(2, journal.Scope{}, &journal.InvocationEnded{})},
		{"of an unknown task", rec(2, journal.Scope{Task: "task_9"}, &journal.TaskEnded{})},
		{"a queued task of nobody", rec(2, journal.Scope{Task: "task_9"}, &journal.TaskQueued{})},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := NewState(testEnv(t, agent.Budgets{}, lead(agent.Delegation{})), testRun)
			first := rec(1, journal.Scope{}, &journal.RunCreated{})
			if err := s.Fold(&first); err != nil {
				t.Fatal(err)
			}
			if err := s.Fold(&row.rec); fault.Code(err) != "journal.damaged" {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("a task of an unknown parent", func(t *testing.T) {
		t.Parallel()
		s := NewState(testEnv(t, agent.Budgets{}, lead(agent.Delegation{})), testRun)
		recs := []journal.Record{rec(1, journal.Scope{}, &journal.RunCreated{}),
			rec(2, journal.Scope{Task: "task_1"}, &journal.TaskCreated{ID: "task_1", Kind: kindReturn, Parent: "root/nobody"})}
		for i := range recs {
			if err := s.Fold(&recs[i]); err != nil {
				return
			}
		}
		q := rec(3, journal.Scope{Task: "task_1"}, &journal.TaskQueued{})
		if err := s.Fold(&q); fault.Code(err) != "journal.damaged" {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a report that is none", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
		p.do("root", delegating("maker"))
		r := rec(p.st.Seq+1, journal.Scope{Task: "task_1"}, &journal.TaskEnded{Outcome: journal.Completed, Result: journal.Text("{")})
		if err := p.st.Fold(&r); fault.Code(err) != "journal.damaged" {
			t.Errorf("error %v", err)
		}
	})
}

// A failed actor goes on from its records; what it waited for is asked anew.
func TestActorFailed(t *testing.T) {
	t.Parallel()
	t.Run("while it awaits", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
		p.do("root", delegating("maker"))
		p.do("root", awaitOne)
		p.fail("root")
		p.pump()
		p.do("root/maker", returning("all the same"))
		p.wantCodes("root", "")
		p.do("root", finish)
		p.wantRun(journal.Completed, "")
		p.inOrder(journal.TActorFailed, journal.TActorRestarted, journal.TTaskEnded)
	})
	t.Run("while it is being ended", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
		p.holds["root"], p.deaf["root"] = true, true
		p.do("root", swarmtest.Call("poke", ``))
		p.take(p.st.CancelRun(Said{By: "user"}, p.now))
		p.pump()
		p.fail("root")
		p.pump()
		p.wantRun(journal.Cancelled, "cancelled by user")
		p.wantCodes("root", "tool.outcome_unknown")
	})
	t.Run("after its end", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
		p.do("root", finish)
		if d := p.st.ActorFailed(agent.Crash{Path: "root", Reason: "late"}, p.now); d != nil {
			t.Errorf("records %+v", d.Records)
		}
	})
	t.Run("beyond its restarts while it waits to finish", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
		p.holds["root/maker"], p.deaf["root/maker"] = true, true
		p.do("root", delegating("maker"))
		p.do("root/maker", peek)
		p.do("root", finish)
		delete(p.parts, "root")
		p.take(p.st.ActorEnded(agent.Crash{Path: "root", Reason: "broken", Incarnation: 4}, p.now))
		p.stops("root/maker")
		p.wantRun(journal.Failed, "actor_failed: broken")
	})
}

// Resume frees the slots of those that have ended and says what it found.
func TestResume(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{MaxRunning: 1}), worker("maker")))
	p.do("root", delegating("maker"), delegating("maker"))
	p.reply("root/maker", swarmtest.Do(returning("done")))
	p.step("root/maker", p.parts["root/maker"]) // ended, and its actor dies with the process
	p.wantSlots("root", "task_1")
	p.crash()
	p.wantSlots("root", "task_2")
	p.inOrder(journal.TRunStarted, journal.TRunStarted, journal.TRunResumed, journal.TRecoveryClassified, journal.TSlotFreed, journal.TTaskStarted)
	if _, ok := p.timers["task:task_2"]; !ok {
		t.Error("the deadline is not set again")
	}
	open := make([]journal.ClassifiedCall, 120)
	d := p.st.Resume(&journal.RunStarted{}, "crash", open, p.now)
	n := 0
	for _, r := range d.Records {
		if m, ok := r.Payload.(*journal.RecoveryClassified); ok {
			n += len(m.Calls)
			if len(m.Calls) > maxListed {
				t.Errorf("%d calls in one record", len(m.Calls))
			}
		}
	}
	if n != 120 {
		t.Errorf("%d calls classified", n)
	}
}
