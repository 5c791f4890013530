package agent

import (
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model/price"
)

// Ledger keeps what was spent of tokens and money, and what is held back for a request that
// is out. It is a fold: the same records give the same numbers.
type Ledger struct {
	Tokens int64
	Money  price.Nano
	Held   journal.Reserve
}

// Ask holds back what a request will use, in place of what was held.
func (l *Ledger) Ask(r journal.Reserve) { l.Held = r }

// Answer charges an answer, and gives what it charged: what the server said, else what was
// held back.
func (l *Ledger) Answer(u *journal.Usage) journal.Reserve {
	used := l.Held
	if u.Input != nil && u.Output != nil {
		used.Tokens = *u.Input + *u.Output
	}
	if u.Cost != nil {
		used.Cost = *u.Cost
	}
	l.Tokens += used.Tokens
	l.Money += price.Nano(used.Cost)
	l.Held = journal.Reserve{}
	return used
}

// Lose charges a failed attempt or a summary what the server has reported for it, and gives
// what it charged. What is held back stays so: the request is still out.
func (l *Ledger) Lose(u *journal.Usage) journal.Reserve {
	var used journal.Reserve
	for _, n := range []*int64{u.Input, u.Output} {
		if n != nil {
			used.Tokens += *n
		}
	}
	if u.Cost != nil {
		used.Cost = *u.Cost
	}
	l.Tokens += used.Tokens
	l.Money += price.Nano(used.Cost)
	return used
}

// Bound gives the budget that an amount would go beyond: "budget.tokens", "budget.money"
// or "", with what is used of it, that amount included, and its limit. Zero limits are none.
func Bound(tokens int64, money price.Nano, limitTokens int64, limitMoney price.Nano) (what string, used, limit int64) {
	switch {
	case limitTokens > 0 && tokens > limitTokens:
		return budgetTokens, tokens, limitTokens
	case limitMoney > 0 && money > limitMoney:
		return budgetMoney, int64(money), int64(limitMoney)
	}
	return "", 0, 0
}

// Stop reasons. The end of the money has no closing turn, which would cost more of it.
const (
	budgetTokens = "budget.tokens"
	budgetMoney  = "budget.money"
)

// ClosingTokens is how much answer a closing turn may have when the tokens are used up. It
// is held back from the beginning, but never more than a fifth of a budget.
const ClosingTokens = 2000

// ForWork gives how much of a budget of tokens is not held back for the closing turn.
func ForWork(budget int64) int64 { return budget - min(ClosingTokens, budget/5) }

// reserve gives what is held back for the next request of a model. Nothing is when no budget
// asks.
func (p *Part) reserve(m *Model) journal.Reserve {
	b := &p.Env.Budgets
	if b.Tokens == 0 && b.Money == 0 && p.Profile.Tokens == 0 && p.Profile.Money == 0 {
		return journal.Reserve{}
	}
	in, out := p.estimate()
	r := journal.Reserve{Tokens: in + out}
	if cost, ok := m.Price.Cost(&journal.Usage{Input: &in, Output: &out}, false); ok {
		r.Cost = int64(cost)
	}
	return r
}

// overspent names the budget of the profile that the next request would go beyond, or "".
func (p *Part) overspent() string {
	if p.Profile.Tokens == 0 && p.Profile.Money == 0 {
		return ""
	}
	m := p.model()
	next := p.reserve(&m)
	limit := p.Profile.Tokens
	if limit > 0 {
		limit = ForWork(limit)
	}
	what, _, _ := Bound(p.ledger.Tokens+next.Tokens, p.ledger.Money+price.Nano(next.Cost), limit, p.Profile.Money)
	return what
}

// exceed ends the normal turns at a bound: by way of the closing turn, or at once when
// nothing may be spent any more.
func (p *Part) exceed(w *Work, live *Live, reason string) {
	if reason == budgetMoney {
		p.end(w, live, p.partial(reason))
		return
	}
	p.close(w, reason)
}
