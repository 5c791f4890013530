package agent

import "github.com/seed-cf6d8d1b/swarm/model"

// Numbers of the choice of what is compacted (models spec §14).
const (
	pinnedGroups  = 4    // newest groups that stay
	leastGroups   = 1    // of them, when the request would not fit otherwise
	summaryTokens = 2000 // longest summary
	leastGain     = 0.1  // of a request: below it a compaction was useless
)

// group is an answer of the model with the results of its calls, and what was said to it
// before its next one. It is kept or removed whole.
type group struct {
	start, end int // messages
	turn       int
	tokens     int64 // estimate of what is removed with it: texts of humans stay
}

// groups cuts the history behind its head. Messages in front of the first answer are the
// first group, of turn 0, when there are any: the record of earlier turns is one.
func (p *Part) groups() []group {
	var all []group
	for i := p.fit.head; i < len(p.History); i++ {
		m := &p.History[i]
		if len(all) == 0 || m.Role == model.Assistant {
			all = append(all, group{start: i, turn: m.Turn})
		}
		g := &all[len(all)-1]
		g.end = i + 1
		if m.Role != model.User {
			g.tokens += model.MessageTokens(m)
		}
	}
	return all
}

// excerpt is a part of the history that is put in short.
type excerpt struct {
	from, to int // turns
	start    int // messages
	end      int
	tokens   int64 // estimate of what is removed
}

// excerpt chooses the oldest groups so that the next request reads about half of what it
// may. The newest four stay; if that is not enough, all but the newest one may go. Nil:
// there is nothing to remove.
func (p *Part) excerpt() *excerpt {
	groups := p.groups()
	e := excerpt{from: p.fit.from, start: p.fit.head}
	if len(groups) > 0 && groups[0].turn == 0 { // the record of earlier turns goes with the first one
		e.tokens, groups = groups[0].tokens, groups[1:]
	}
	if len(groups) <= leastGroups {
		return nil
	}
	if e.from == 0 {
		e.from = groups[0].turn
	}
	for i := range groups[:len(groups)-leastGroups] {
		left := p.afterwards(e.tokens)
		if i > 0 && (left <= p.part(compactTo) || i+pinnedGroups >= len(groups) && left <= p.part(p.Profile.CompactAt)) {
			break
		}
		e.tokens += groups[i].tokens
		e.to, e.end = groups[i].turn, groups[i].end
	}
	return &e
}

// part gives a part of what requests may have.
func (p *Part) part(of float64) int64 { return int64(float64(p.space()) * of) }

// afterwards gives about how many tokens the next request reads when so many are put in
// short, by the estimate of texts.
func (p *Part) afterwards(removed int64) int64 {
	return p.fit.meter.Scale(p.fit.meter.Sum() - removed + min(summaryTokens, removed/2))
}

// gains says whether putting so many tokens in short is worth it.
func (p *Part) gains(removed int64) bool {
	return float64(removed-min(summaryTokens, removed/2)) >= float64(p.fit.meter.Sum())*leastGain
}
