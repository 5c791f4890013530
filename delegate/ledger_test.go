package delegate

import (
	"slices"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/price"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// reserved gives what the newest request of an invocation holds back.
func (p *play) reserved(path string) journal.Reserve {
	p.t.Helper()
	var out journal.Reserve
	for i := range p.log {
		if m, ok := p.log[i].Payload.(*journal.ModelRequested); ok && p.log[i].Scope.Invocation == path {
			out = m.Reserve
		}
	}
	return out
}

// honest bills what a request was expected to read, and an answer of out tokens.
func (p *play) honest(out int64) func(string) journal.Usage {
	return func(path string) journal.Usage { return usage(p.reserved(path).Tokens, out) }
}

// What is out is held back: a request that would go beyond the budget with it does not go.
func TestRunBudgetOfTokens(t *testing.T) {
	t.Parallel()
	t.Run("budgets-8", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{Tokens: 11_000}, lead(agent.Delegation{}), worker("maker"), worker("tester")))
		p.bill = p.honest(20)
		p.do("root", delegating("maker"), delegating("tester"))
		// The root asks again, and so does one child; the other one no longer fits.
		admitted, closing := 0, 0
		for _, path := range []string{"root", "root/maker", "root/tester"} {
			if p.parts[path].Closing == "budget.tokens" {
				closing++
			} else if p.asking[path] {
				admitted++
			}
		}
		if admitted != 2 || closing != 1 {
			t.Fatalf("%d are admitted, %d close\n%s", admitted, closing, p.dump())
		}
		if got := p.exhausted(); len(got) != 1 || p.st.ledger.Tokens+p.st.ledger.Held.Tokens > 11_000+p.reserved("root/tester").Tokens {
			t.Errorf("%q with %+v", got, p.st.ledger)
		}
		p.say("root/tester", swarmtest.Say("the tester's part"))
		p.wantTask("task_2", "ended", journal.Partial, "budget.tokens")
		p.say("root/maker", swarmtest.Do(peek))
		p.say("root/maker", swarmtest.Say("the maker's part"))
		p.wantTask("task_1", "ended", journal.Partial, "budget.tokens")
		p.do("root", peek)
		p.say("root", swarmtest.Say("the root's part"))
		p.wantRun(journal.Partial, "budget.tokens")
		if p.st.ledger.Held != (journal.Reserve{}) {
			t.Errorf("still held: %+v", p.st.ledger.Held)
		}
	})
	t.Run("the closing turn is held back from the beginning", func(t *testing.T) {
		t.Parallel()
		for _, row := range []struct{ budget, work int64 }{{10_000, 8000}, {100_000, 98_000}, {1000, 800}, {5, 4}} {
			if got := agent.ForWork(row.budget); got != row.work {
				t.Errorf("%d of %d are for work, want %d", got, row.budget, row.work)
			}
		}
	})
	t.Run("a server that says nothing", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{Tokens: 6000}, lead(agent.Delegation{})))
		p.bill = func(string) journal.Usage { return journal.Usage{Requests: 1} }
		first := p.reserved("root").Tokens
		p.do("root", peek)
		if p.st.ledger.Tokens != first || first == 0 {
			t.Fatalf("charged %d, expected %d", p.st.ledger.Tokens, first)
		}
		p.do("root", peek)
		p.say("root", swarmtest.Say("known"))
		p.wantRun(journal.Partial, "budget.tokens")
	})
	t.Run("a restart gives nothing back", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{Tokens: 50_000}, lead(agent.Delegation{}), worker("maker")))
		p.do("root", delegating("maker"))
		p.do("root/maker", peek)
		before := p.st.ledger
		p.crash()
		p.pump()
		if p.st.ledger != before || before.Held.Tokens == 0 {
			t.Errorf("%+v, before %+v", p.st.ledger, before)
		}
	})
	t.Run("who ends holds nothing", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{Tokens: 50_000}, lead(agent.Delegation{}), worker("maker")))
		p.do("root", delegating("maker"))
		p.do("root", finish) // while the child asks
		p.wantRun(journal.Completed, "")
		if p.st.ledger.Held != (journal.Reserve{}) {
			t.Errorf("still held: %+v", p.st.ledger.Held)
		}
	})
}

// priced gives all models a price in nano-dollars for a million tokens.
func priced(env *agent.Env, in, out price.Rate) *agent.Env {
	for name, m := range env.Models {
		m.Price = &price.Price{Input: &in, Output: &out}
		env.Models[name] = m
	}
	return env
}

// Money ends the work without a closing turn: what there is is the result.
func TestRunBudgetOfMoney(t *testing.T) {
	t.Parallel()
	const dollar = price.Nano(1e9)
	t.Run("the last text counts", func(t *testing.T) {
		t.Parallel()
		env := testEnv(t, agent.Budgets{Money: 5 * dollar}, lead(agent.Delegation{}), worker("maker"))
		p := newPlay(t, priced(env, price.Rate(1000*dollar), price.Rate(1000*dollar))) // a tenth of a cent a token
		p.bill = p.honest(1)
		turn := swarmtest.Do(delegating("maker"))
		turn.Text = "so far"
		p.say("root", turn) // 2.7 dollars are spent, and the next requests would cost 2.8 and 2.1
		p.wantRun(journal.Partial, "budget.money")
		if p.st.Ended.Result.Text != "so far" || p.count(journal.TTurnClosed) > 0 {
			t.Errorf("text %q\n%s", p.st.Ended.Result.Text, p.dump())
		}
		p.wantTask("task_1", "ended", journal.Cancelled, "")
		if u := p.st.Usage; u.Cost == nil || *u.Cost != int64(p.st.ledger.Money) || *u.Cost == 0 || !u.CostComplete() {
			t.Errorf("usage %+v, ledger %+v", u, p.st.ledger)
		}
	})
	t.Run("budgets-9 an unknown price is no cost of 0", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{Money: 5 * dollar, Unpriced: true}, lead(agent.Delegation{})))
		p.do("root", peek)
		p.do("root", finish)
		p.wantRun(journal.Completed, "")
		if u := p.st.Ended.Usage; u.Cost != nil || u.CostMissing != 2 || u.CostComplete() {
			t.Errorf("usage %+v", u)
		}
	})
}

// budgets-6: the run's usage is that of all invocations, each once, also after a restart.
func TestUsageAddsUp(t *testing.T) {
	t.Parallel()
	nested := worker("maker")
	nested.Delegation.CanDelegate, nested.Delegation.AllowNested = true, true
	env := testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), nested, worker("tester"))
	p := newPlay(t, priced(env, 2_000_000_000, 10_000_000_000)) // 2 and 10 dollars a million
	p.do("root", delegating("maker"))
	p.do("root/maker", delegating("tester"))
	p.do("root/maker/tester", returning("ok"))
	p.do("root/maker", returning("ok"))
	p.crash()
	p.pump()
	p.do("root", peek)
	p.do("root", finish)
	p.wantRun(journal.Completed, "")
	sum, own := journal.Usage{}, []int64{}
	for _, path := range p.st.Order {
		agent.AddUsage(&sum, p.st.Inv[path].Usage)
		own = append(own, *p.st.Inv[path].Usage.Cost)
	}
	const each = 10*2000 + 5*10_000 // of one answer, nano-dollars
	if *sum.Cost != *p.st.Ended.Usage.Cost || *sum.Input != *p.st.Ended.Usage.Input || sum.Requests != 6 || *sum.Cost != 6*each {
		t.Errorf("the sum is %+v, the run has %+v", sum, p.st.Ended.Usage)
	}
	if !slices.Equal(own, []int64{3 * each, 2 * each, each}) {
		t.Errorf("own costs %v", own)
	}
}

// What failed attempts have used is of the invocation and of the run, also after a restart,
// and what is held back for the request stays held back.
func TestFailedAttemptsAddUp(t *testing.T) {
	t.Parallel()
	env := testEnv(t, agent.Budgets{Tokens: 100_000}, lead(agent.Delegation{}), worker("maker"))
	p := newPlay(t, priced(env, 2_000_000_000, 10_000_000_000)) // 2 and 10 dollars a million
	p.do("root", delegating("maker"))
	part := p.parts["root/maker"]
	held := p.st.ledger.Held
	fails := func(recs []journal.Record) {
		t.Helper()
		if err := part.FoldAll(recs); err != nil {
			t.Fatal(err)
		}
		p.propose("root/maker", recs, nil)
	}
	fails(part.AttemptFailed(1, &model.Error{Class: model.ClassTransient, Code: "model.stream_incomplete", Usage: usage(1000, 100)}))
	fails(part.AttemptFailed(2, &model.Error{Class: model.ClassTransient, Code: "model.http_500"}))
	if l := p.st.ledger; l.Held != held || l.Tokens != 15+1100 || l.Money != 10*2000+5*10_000+1000*2000+100*10_000 {
		t.Errorf("the ledger has %+v, held was %+v", l, held)
	}
	fails(part.Failed(3, &model.Error{Class: model.ClassPermanent, Code: "model.http_400", Usage: usage(10, 0)}))
	p.crash()
	p.pump()
	if u := p.st.Inv["root/maker"].Usage; u.Requests != 2 || *u.Input != 1010 || *u.Output != 100 || *u.Cost != 1010*2000+100*10_000 || !u.CostComplete() {
		t.Errorf("the child has used %+v", u)
	}
	if u := p.st.Usage; u.Requests != 3 || *u.Input != 1020 || *u.Output != 105 {
		t.Errorf("the run has used %+v", u)
	}
}
