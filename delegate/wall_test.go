package delegate

import (
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

func TestWall(t *testing.T) {
	t.Parallel()
	blocked := func(t *testing.T, deaf bool) *play {
		p := newPlay(t, testEnv(t, agent.Budgets{Wall: time.Minute}, lead(agent.Delegation{StopGrace: 10 * time.Second}), worker("maker")))
		p.holds["root/maker"], p.deaf["root/maker"] = true, deaf
		p.do("root", delegating("maker"), awaitAll)
		p.do("root/maker", swarmtest.Call("poke", ``))
		p.advance(time.Minute - 1)
		if p.count(journal.TBudgetExhausted) > 0 {
			t.Fatal("it ends before its time")
		}
		return p
	}
	t.Run("budgets-10", func(t *testing.T) {
		t.Parallel()
		p := blocked(t, false)
		p.advance(1)
		p.wantTask("task_1", "ended", journal.Cancelled, "budget.time")
		if p.parts["root"].Closing != "budget.time" {
			t.Fatalf("the root goes on\n%s", p.dump())
		}
		p.say("root", swarmtest.Say("that far"))
		p.wantRun(journal.Partial, "budget.time")
		if p.st.Ended.Result.Text != "that far" {
			t.Errorf("text %q", p.st.Ended.Result.Text)
		}
	})
	t.Run("budgets-10 nobody heeds it", func(t *testing.T) {
		t.Parallel()
		p := blocked(t, true)
		p.advance(1)
		p.advance(10 * time.Second) // the grace of the child, and of the closing turn
		p.advance(10 * time.Second)
		p.wantTask("task_1", "ended", journal.Unknown, "did not stop within 10s")
		p.wantRun(journal.Failed, "budget.time") // no text was there
	})
	t.Run("rests and crashes do not count", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{Wall: time.Minute}, lead(agent.Delegation{})))
		p.advance(20 * time.Second)
		p.take(p.st.Pause("user", nil, p.now))
		p.now = p.now.Add(time.Hour)
		p.crash()
		p.pump()
		p.advance(20 * time.Second)
		p.do("root", peek)
		p.now = p.now.Add(time.Hour) // after a crash
		p.crash()
		p.pump()
		p.advance(20*time.Second - 1)
		if p.count(journal.TBudgetExhausted) > 0 {
			t.Fatal("it ends before its time")
		}
		p.advance(1)
		if got := p.exhausted(); len(got) != 1 {
			t.Errorf("%q\n%s", got, p.dump())
		}
	})
}
