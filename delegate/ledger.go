package delegate

import (
	"slices"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model/price"
)

// The ledger of a run: what its answers have used, and what is held back for the requests
// that are out, so that agents that work at the same time do not spend the same tokens.

// reserve holds back what the next request of an invocation will use, in place of what was
// held for it.
func (s *State) reserve(inv *Inv, r journal.Reserve) {
	s.ledger.Held.Tokens += r.Tokens - inv.ledger.Held.Tokens
	s.ledger.Held.Cost += r.Cost - inv.ledger.Held.Cost
	inv.ledger.Ask(r)
}

// charge takes what an answer has used, in place of what was held for it.
func (s *State) charge(inv *Inv, u *journal.Usage) {
	held := inv.ledger.Held
	used := inv.ledger.Answer(u)
	s.ledger.Held.Tokens -= held.Tokens
	s.ledger.Held.Cost -= held.Cost
	s.ledger.Tokens += used.Tokens
	s.ledger.Money += price.Nano(used.Cost)
}

// lose charges an invocation what a failed attempt or a summary has used. What is held for
// its turn stays so.
func (s *State) lose(inv *Inv, u *journal.Usage) {
	agent.AddUsage(&inv.Usage, *u)
	agent.AddUsage(&s.Usage, *u)
	used := inv.ledger.Lose(u)
	s.ledger.Tokens += used.Tokens
	s.ledger.Money += price.Nano(used.Cost)
}

// exceeds says whether a request would go beyond a budget of the run. If it does, the
// invocation is told to end its work.
func (d *Decision) exceeds(inv *Inv, r *journal.Record, m *journal.ModelRequested) bool {
	s, b := d.s, &d.s.Env.Budgets
	if m.Closing {
		return false
	}
	if b.Rounds > 0 && s.rounds >= b.Rounds && r.Scope.Turn > inv.Turn {
		d.stop(inv, "budget.rounds", int64(s.rounds), int64(b.Rounds))
		return true
	}
	if b.Tokens == 0 && b.Money == 0 {
		return false
	}
	l, own := &s.ledger, inv.ledger.Held
	tokens := l.Tokens + l.Held.Tokens - own.Tokens + m.Reserve.Tokens
	money := l.Money + price.Nano(l.Held.Cost-own.Cost+m.Reserve.Cost)
	limit := b.Tokens
	if limit > 0 {
		limit = agent.ForWork(limit)
	}
	what, used, _ := agent.Bound(tokens, money, limit, b.Money)
	switch what {
	case "":
		return false
	case "budget.tokens":
		d.stop(inv, what, used, b.Tokens)
	default:
		d.stop(inv, what, used, int64(b.Money))
	}
	return true
}

// stop records that a budget is used up, and tells an invocation to end its work.
func (d *Decision) stop(inv *Inv, what string, used, limit int64) {
	d.Records = slices.Clip(d.Records) // the rest of the proposal is still to be read from its array
	d.add(journal.Scope{}, &journal.BudgetExhausted{What: what, Used: used, Limit: limit})
	h := agent.Halt{Close: true, Reason: what}
	if what == "budget.money" { // a closing turn would cost more
		h = agent.Halt{Over: true, Reason: what}
	}
	d.out(Out{Kind: Halt, Path: inv.Path, Halt: h})
}
