package agent

import (
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// costed adds to the usage of an answer what it cost, by the price of the model that gave
// it. What is recorded then is not reckoned again.
func (p *Part) costed(u journal.Usage) journal.Usage { return costedBy(p.model(), u) }

// lost gives what a failed attempt has used, with its cost; nothing when the server has
// reported nothing.
func (p *Part) lost(e *model.Error) journal.Usage { return lostBy(p.model(), e) }

func lostBy(m Model, e *model.Error) journal.Usage {
	if e.Usage.Requests == 0 {
		return journal.Usage{}
	}
	return costedBy(m, e.Usage)
}

func costedBy(m Model, u journal.Usage) journal.Usage {
	u.Cost, u.CostMissing = nil, 0
	n, ok := m.Price.Cost(&u, m.LongCache)
	if !ok {
		u.CostMissing = max(u.Requests, 1)
		return u
	}
	cost := int64(n)
	u.Cost = &cost
	return u
}

// addCost adds the cost of u to a total. Usage of a version that counted no costs is of
// unknown cost.
func addCost(to *journal.Usage, u *journal.Usage) {
	to.CostMissing += u.CostMissing
	addCount(&to.CostReported, u.CostReported)
	switch {
	case u.Cost == nil:
		if u.CostMissing == 0 {
			to.CostMissing += u.Requests
		}
	case to.Cost == nil:
		to.Cost = u.Cost // shared: what it points to never changes
	case *u.Cost != 0:
		sum := *to.Cost + *u.Cost
		to.Cost = &sum
	}
}
