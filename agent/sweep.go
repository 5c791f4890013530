package agent

import (
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Numbers of the sweep of old results (results spec §5).
const (
	sweepTo    = 0.6 // of the share, after a sweep
	sweepGain  = 0.1 // of the share: what a sweep frees at least, so that the prefix of requests stays for many turns
	sweepTurns = 2   // newest turns that are never swept
)

// share gives the tokens that all results in the history may have, 0 when nobody knows.
func (p *Part) share() int64 {
	w := int64(p.window())
	if c := p.fit.ceiling; c > 0 && (w == 0 || c < w) {
		w = c
	}
	return int64(float64(w) * p.Profile.HistoryShare)
}

// sweep gives the records that shorten old results when all of them have more than their
// share of the window, none when they do not or when nothing is gained.
func (p *Part) sweep() []journal.Record {
	share := p.share()
	if share == 0 || p.fit.meter.Scale(p.fit.results) <= share {
		return nil
	}
	newest := p.lastTurn()
	over := p.fit.meter.Scale(p.fit.results) - int64(float64(share)*sweepTo)
	read, search := p.reader()
	var recs []journal.Record
	var list []journal.Projection
	freed := int64(0)
	for i := p.fit.head; i < len(p.History) && freed < over; i++ {
		m := &p.History[i]
		if m.Role != model.Tool || m.Turn > newest-sweepTurns {
			continue
		}
		var few []shown
		for j := range m.Results {
			if freed >= over || p.isUnknown(m.Results[j].Key) {
				continue
			}
			s := p.newShown(&m.Results[j], m.Turn, j)
			before := s.tokens
			if s.stub(read, search) {
				freed += p.fit.meter.Scale(before - s.tokens)
				few = append(few, s)
			}
		}
		copies, shorter := p.projected(few, m.Turn)
		recs, list = append(recs, copies...), append(list, shorter...)
	}
	if float64(freed) < float64(share)*sweepGain {
		return nil
	}
	return append(recs, p.rec(&journal.ResultsSwept{Results: journal.Projections(list), Count: len(list), Share: share}, p.Turn, ""))
}

// lastTurn gives the newest turn that is in the history.
func (p *Part) lastTurn() int {
	for i := len(p.History) - 1; i >= p.fit.head; i-- {
		if t := p.History[i].Turn; t > 0 {
			return t
		}
	}
	return 0
}

// isUnknown says whether the outcome of a call is not known yet.
func (p *Part) isUnknown(key string) bool {
	for i := range p.fit.unknown {
		if p.fit.unknown[i].key == key {
			return true
		}
	}
	return false
}
