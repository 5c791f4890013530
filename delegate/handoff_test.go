package delegate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Every check of agent.handoff, in order.
func TestHandoffChecks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		lead  agent.Delegation
		calls []model.AnswerCall // before, in a turn of their own
		to    string
		code  string
		says  string
	}{
		{"nobody of this name", agent.Delegation{}, nil, "nobody", "agent.target_not_found", "boss"},
		{"handoff-8 a child only", agent.Delegation{}, nil, "maker", "agent.handoff_denied", "Valid now: boss, other"},
		{"does not admit the caller", agent.Delegation{}, nil, "shut", "agent.handoff_denied", "boss"},
		{"to itself", agent.Delegation{}, nil, "lead", "agent.handoff_to_self", ""},
		{"itself under another spelling", agent.Delegation{}, nil, " LEAD", "agent.handoff_to_self", ""},
		{"handoff-4 a child runs", agent.Delegation{}, []model.AnswerCall{delegating("maker")}, "boss", "agent.handoff_pending_tasks", "maker"},
		{"handoff-4 a child is queued", agent.Delegation{MaxRunning: 1}, []model.AnswerCall{delegating("maker"), delegating("maker")}, "boss", "agent.handoff_pending_tasks", "maker, maker-002"},
		{"accepted", agent.Delegation{}, nil, "BOSS", "", "transferred to boss"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.lead.CanHandoff = true
			shut := owner("shut")
			shut.Delegation.AllowedCallers = []string{"other"}
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(row.lead), worker("maker"), owner("boss"), owner("other"), shut))
			if len(row.calls) > 0 {
				p.do("root", row.calls...)
			}
			p.do("root", handing(row.to, "denyIfPending"))
			p.wantCodes("root", row.code)
			p.wantText("root", 0, row.says)
			if owner := p.st.Owner; (owner == "root/boss") != (row.code == "") {
				t.Errorf("the owner is %s", owner)
			}
			p.verify()
		})
	}
}

// handoff-1, handoff-2: others of the turn run first, the first handoff wins.
func TestHandoffTurn(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{CanHandoff: true}), owner("bob"), owner("carol")))
	p.do("root", handing("nobody", "denyIfPending"), handing("bob", "denyIfPending"), handing("carol", "denyIfPending"), peek)
	p.wantCodes("root", "agent.target_not_found", "", "agent.handoff_already_taken", "")
	p.wantText("root", 2, "bob")
	p.inOrder(journal.TCallDispatched, journal.TCallSettled, journal.THandoffRequested, journal.THandoffSettled, journal.TInvocationEnded, journal.TTaskCreated, journal.TTaskStarted, journal.TInvocationCreated)
	if p.st.Owner != "root/bob" || p.st.Inv["root"].Outcome != journal.Transferred || p.st.Inv["root/bob"].Depth != 0 {
		t.Fatalf("owner %s, source %+v", p.st.Owner, p.st.Inv["root"])
	}
	part := p.parts["root/bob"]
	if len(part.History) != 1 || strings.Contains(part.History[0].Text, "carol") || !strings.Contains(part.History[0].Text, "go on") {
		t.Errorf("handoff-2: bob's history is %+v", part.History)
	}
	p.do("root/bob", finish)
	p.wantRun(journal.Completed, "finished")
	n := len(p.log)
	var tail []journal.Type
	for _, r := range p.log[n-3:] {
		tail = append(tail, r.Type())
	}
	if !slices.Equal(tail, []journal.Type{journal.TTaskEnded, journal.TInvocationEnded, journal.TRunEnded}) {
		t.Errorf("handoff-7: the run ends with %v", tail)
	}
}

// handoff-3: the chain guards print the chain.
func TestHandoffChain(t *testing.T) {
	t.Parallel()
	t.Run("handoff-3 a circle", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, owner("a"), owner("b")))
		p.do("root", handing("b", "denyIfPending"))
		p.do("root/b", handing("a", "denyIfPending"))
		p.do("root/a", handing("b", "denyIfPending"))
		p.wantCodes("root/a", "agent.handoff_cycle")
		p.wantText("root/a", 0, "a → b → a → b")
		p.do("root/a", finish)
		p.wantRun(journal.Completed, "")
	})
	t.Run("the length", func(t *testing.T) {
		t.Parallel()
		one := owner("a")
		one.Delegation.MaxHandoffs = 2
		three := owner("c")
		three.Delegation.MaxHandoffs = 2
		p := newPlay(t, testEnv(t, agent.Budgets{}, one, owner("b"), three, owner("d")))
		p.do("root", handing("b", "denyIfPending"))
		p.do("root/b", handing("c", "denyIfPending"))
		p.do("root/c", handing("d", "denyIfPending"))
		p.wantCodes("root/c", "agent.handoff_depth_exhausted")
		p.wantText("root/c", 0, "a → b → c")
	})
	t.Run("the guards survive a crash", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, owner("a"), owner("b")))
		p.do("root", handing("b", "denyIfPending"))
		p.do("root/b", handing("a", "denyIfPending"))
		p.crash()
		p.pump()
		p.do("root/a", handing("b", "denyIfPending"))
		p.wantCodes("root/a", "agent.handoff_cycle")
	})
}

// handoff-4: with cancelPending nothing is orphaned.
func TestHandoffCancelsPending(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T) *play {
		boss := owner("boss")
		boss.Delegation.CanDelegate = true
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{CanHandoff: true, MaxRunning: 1}), worker("maker"), worker("critic"), boss, owner("other")))
		p.do("root", delegating("critic"))
		p.do("root/critic", returning("an early result"))
		p.holds["root/maker"], p.deaf["root/maker"] = true, true
		p.reply("root", swarmtest.Do(delegating("maker"), delegating("maker")))
		return p
	}
	t.Run("handoff-4 stopped and confirmed first", func(t *testing.T) {
		t.Parallel()
		p := setup(t)
		p.pump()
		p.do("root/maker", peek)
		p.do("root", handing("boss", "cancelPending"), handing("other", "cancelPending"))
		p.wantCodes("root", "-", "-")
		if p.st.Owner != "root" {
			t.Fatal("the run moved before its children have ended")
		}
		p.stops("root/maker")
		p.wantCodes("root", "", "agent.handoff_already_taken")
		p.wantTask("task_2", "ended", journal.Cancelled, "cancelled by root")
		p.wantTask("task_3", "ended", journal.Cancelled, "")
		if p.st.Owner != "root/boss" {
			t.Errorf("the owner is %s", p.st.Owner)
		}
	})
	t.Run("handoff-4 one survives", func(t *testing.T) {
		t.Parallel()
		p := setup(t)
		p.pump()
		p.do("root/maker", peek)
		p.do("root", handing("boss", "cancelPending"))
		p.advance(time.Minute)
		p.wantCodes("root", "agent.handoff_pending_tasks")
		p.wantTask("task_2", "ended", journal.Unknown, "did not stop within 10s")
		if p.st.Owner != "root" {
			t.Errorf("the owner is %s", p.st.Owner)
		}
		p.do("root", finish)
		p.wantRun(journal.Completed, "")
		if got := p.st.Ended.Survivors; !slices.Equal(got, []string{"root/maker"}) {
			t.Errorf("survivors %q", got)
		}
	})
	t.Run("a cancel of the run meanwhile wins", func(t *testing.T) {
		t.Parallel()
		p := setup(t)
		p.pump()
		p.do("root/maker", peek)
		p.do("root", handing("boss", "cancelPending"))
		p.take(p.st.CancelRun(Said{By: "user"}, p.now))
		p.pump()
		p.stops("root/maker")
		p.wantRun(journal.Cancelled, "cancelled by user")
		if p.st.Owner != "root" {
			t.Errorf("the owner is %s", p.st.Owner)
		}
	})
	t.Run("a crash meanwhile", func(t *testing.T) {
		t.Parallel()
		p := setup(t)
		p.pump()
		p.do("root/maker", peek)
		p.do("root", handing("boss", "cancelPending"))
		p.deaf["root/maker"] = false
		p.crash()
		p.pump()
		if p.st.Owner != "root/boss" {
			t.Errorf("the owner is %s\n%s", p.st.Owner, p.dump())
		}
		p.verify()
	})
	t.Run("results of ended children travel", func(t *testing.T) {
		t.Parallel()
		p := setup(t)
		// the critic's result was given before; a second one is not
		p.pump()
		p.deaf["root/maker"] = false
		p.do("root/maker", returning("the late result"))
		p.do("root/maker-002", returning("the later result"))
		p.do("root", handing("boss", "denyIfPending"))
		brief := p.parts["root/boss"].History[0].Text
		for _, s := range []string{"Results of finished children", "the late result", "the later result", evidence} {
			if !strings.Contains(brief, s) {
				t.Errorf("the brief does not say %q: %s", s, brief)
			}
		}
		if strings.Contains(brief, "an early result") {
			t.Error("an early result is told twice")
		}
		p.do("root/boss", swarmtest.Call("agent_read_result", `{"taskId":"task_2"}`))
		p.wantCodes("root/boss", "")
		p.wantText("root/boss", 0, "the late result")
		p.do("root/boss", awaitOne)
		p.wantCodes("root/boss", "agent.no_tasks")
	})
}

// handoff-6: a target that fails ends the run, partial when something was committed.
func TestHandoffTargetFails(t *testing.T) {
	t.Parallel()
	for _, committed := range []bool{false, true} {
		t.Run(fmt.Sprintf("handoff-6 committed %t", committed), func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{CanHandoff: true}), owner("boss")))
			if committed {
				p.commit()
			}
			p.do("root", handing("boss", "denyIfPending"))
			part := p.parts["root/boss"]
			p.lives["root/boss"].Asking = false
			recs := part.Failed(5, &model.Error{Class: model.ClassPermanent, Code: "model.http_401", Detail: "no key"})
			p.fold(part, recs)
			p.propose("root/boss", recs, nil)
			p.pump()
			want := journal.Failed
			if committed {
				want = journal.Partial
			}
			p.wantRun(want, "model.failed")
			p.wantTask("task_1", "ended", journal.Failed, "model.failed")
			if p.st.Inv["root"].Outcome != journal.Transferred || p.st.Inv["root/boss"].Outcome != journal.Failed {
				t.Errorf("source %s, target %s", p.st.Inv["root"].Outcome, p.st.Inv["root/boss"].Outcome)
			}
		})
	}
}

// commit publishes something as a call of the root.
func (p *play) commit() {
	p.t.Helper()
	p.holds["root"] = true
	p.do("root", swarmtest.Call("workspace_commit", ``))
	key := p.held["root"][0]
	p.propose("root", []journal.Record{{Scope: journal.Scope{Invocation: "root", Turn: p.parts["root"].Turn, Call: key}, Payload: &journal.CommitRequested{Commit: key, Hash: "h"}}}, nil)
	p.done("root", key, tooling.Result{Content: "published", Commit: &journal.CommitSettled{Commit: key, Outcome: journal.Completed}})
	p.holds["root"] = false
	p.pump()
}
