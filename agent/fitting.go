package agent

import (
	"fmt"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// exhaustedReason is the stop reason of an invocation whose conversation does not fit the
// window of its model any more.
const exhaustedReason = "context_exhausted"

// fitting makes the next request fit into the window of the model. It reports false when
// the request may go out; else it has added what has to be done before. All of it follows
// from the fold, so a resume decides alike.
//
// The order: notes stand for images that are not sent, the newest results are shortened, old results are swept, the oldest turns
// are put in short; and when nothing is left to do, the invocation ends by its closing turn.
func (p *Part) fitting(w *Work, live *Live) bool {
	if p.fit.pending != nil {
		live.Asking, live.Summing = true, true
		w.Commands = append(w.Commands, Command{Kind: Summarise})
		return true
	}
	if p.add(w, p.leaveOut()) || p.warn(w) {
		return true
	}
	if p.Closing == exhaustedReason && !p.fit.cut {
		p.add(w, p.cut())
		return true
	}
	if p.most() == 0 { // nobody knows the window: only the bound of one turn counts
		return p.add(w, p.showTurn(0))
	}
	if p.Closing == "" && p.fit.overflows > 1 { // it was put in short, and is too long for the server all the same
		p.close(w, exhaustedReason)
		return true
	}
	if p.add(w, p.showTurn(p.space()/4)) || p.add(w, p.sweep()) {
		return true
	}
	now := p.Estimate()
	fits := p.fits(now)
	limit := p.Profile.CompactAt
	if p.fit.overflows > 0 && !p.fit.shorter {
		limit = compactTo // what the server says counts more than what is estimated
	}
	if !fits || now > p.part(limit) {
		if e := p.excerpt(); e != nil && p.fit.useless < maxUseless && (!fits || p.gains(e.tokens)) {
			p.compact(w, e)
			return true
		}
	}
	switch {
	case fits:
		return false
	case p.add(w, p.showTurn(0)), p.add(w, p.crowded()):
	case p.Closing == "":
		p.close(w, exhaustedReason)
	case !p.fit.cut:
		p.add(w, p.cut())
	default: // prompt and tools alone are too long
		p.end(w, live, p.closed())
	}
	return true
}

func (p *Part) add(w *Work, recs []journal.Record) bool {
	w.Records = append(w.Records, recs...)
	return len(recs) > 0
}

// Codes of warnings.
const (
	warnTruncated = "context_truncated_suspected"
	warnSummary   = "context_summary_failed"
)

// warn tells people, once, of what they should look at.
func (p *Part) warn(w *Work) bool {
	f := &p.fit
	switch {
	case f.low >= lowAnswers && !f.warned[warnTruncated]:
		p.warning(w, warnTruncated, fmt.Sprintf("the model %s has reported far fewer tokens than it was sent, %d times in a row: its server may cut long requests without a word; give it a larger context, or set window",
			p.Env.Secrets.Mask(p.model().Name), f.low))
	case f.failed != nil && !f.warned[warnSummary]:
		p.warning(w, warnSummary, fmt.Sprintf("turns %d to %d were put in short by rule, as there is no summary of the model (%s)", f.failed.From, f.failed.To, f.failed.Code))
	default:
		return false
	}
	return true
}

func (p *Part) warning(w *Work, code, detail string) {
	w.Records = append(w.Records, p.rec(&journal.ContextWarned{Code: code, Detail: bounded(detail, 500)}, p.next(), ""))
}
