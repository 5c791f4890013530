package agent

import (
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/price"
)

// A budget of tokens of a profile has a closing turn with a bounded answer; one of money
// ends with what there is.
func TestProfileBudgets(t *testing.T) {
	t.Parallel()
	used := journal.Usage{Requests: 1, Input: num(3000), Output: num(100)}
	t.Run("tokens", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, func(p *Profile) { p.Tokens = 7500 }) // 1,500 of them are for the closing turn
		d.ask()
		d.append(d.part.Answered(&model.Answer{Text: "so far", Calls: []model.AnswerCall{listing}, Finish: model.FinishCalls, Usage: used}, 1)...)
		d.live.Asking = false
		d.run("fine")
		if d.part.Closing != budgetTokens {
			t.Fatalf("closing %q after %+v", d.part.Closing, d.part.ledger)
		}
		d.wantHost("the tokens that may be used are used")
	})
	t.Run("money", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, func(p *Profile) { p.Money = 5 })
		m := d.env.Models["default"]
		dollars := price.Rate(1000) // a nano-dollar for a thousand tokens
		m.Price = &price.Price{Input: &dollars, Output: &dollars}
		d.env.Models["default"] = m
		d.ask()
		d.append(d.part.Answered(&model.Answer{Text: "so far", Finish: model.FinishStop, Usage: used}, 1)...)
		d.live.Asking = false
		d.wantEnd(End{Outcome: journal.Partial, Reason: budgetMoney, Text: "so far"})
	})
}

// What an answer cost is reckoned once, by the price of its model; what is not known is no 0.
func TestCostOfAnswers(t *testing.T) {
	t.Parallel()
	in, out := price.Rate(2e9), price.Rate(10e9)
	known := &price.Price{Input: &in, Output: &out}
	for _, row := range []struct {
		name  string
		price *price.Price
		usage journal.Usage
		cost  *int64
		miss  int
	}{
		{"known", known, journal.Usage{Requests: 1, Input: num(1000), Output: num(10)}, num(2_100_000), 0},
		{"free", price.Free(), journal.Usage{Requests: 1}, num(0), 0},
		{"no price", nil, journal.Usage{Requests: 1, Input: num(1000), Output: num(10)}, nil, 1},
		{"no usage", known, journal.Usage{Requests: 2}, nil, 2},
		{"a provider that counts nothing", nil, journal.Usage{}, nil, 1},
		{"a provider that says a cost", nil, journal.Usage{Requests: 1, Cost: num(7)}, nil, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := rootDriver(t, nil).part
			m := p.Env.Models["default"]
			m.Price = row.price
			p.Env.Models["default"] = m
			u := p.costed(row.usage)
			if (u.Cost == nil) != (row.cost == nil) || u.Cost != nil && *u.Cost != *row.cost || u.CostMissing != row.miss {
				t.Errorf("cost %v, %d missing", u.Cost, u.CostMissing)
			}
		})
	}
}

func TestCostsAddUp(t *testing.T) {
	t.Parallel()
	var sum journal.Usage
	AddUsage(&sum, journal.Usage{Requests: 1, Cost: num(0)})
	AddUsage(&sum, journal.Usage{Requests: 1, Cost: num(5)})
	first := *sum.Cost
	AddUsage(&sum, journal.Usage{Requests: 2, CostMissing: 2})
	AddUsage(&sum, journal.Usage{Requests: 1}) // of a version that counted no costs
	other := sum
	AddUsage(&other, journal.Usage{Requests: 1, Cost: num(3)})
	if first != 5 || *sum.Cost != 5 || sum.CostMissing != 3 || *other.Cost != 8 || sum.CostComplete() {
		t.Errorf("%d, %+v, %+v", first, sum, other)
	}
}
