package agent

import (
	"strings"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Reasons of a compaction.
const (
	whyWindow   = "window"   // the request would be too long, or nearly so
	whyOverflow = "overflow" // the server said that it is
	whyClosing  = "closing"  // the closing turn has to fit
)

// How the text of a compaction was made.
const (
	bySummary = "summary" // by a model
	byDigest  = "digest"  // by rule
	byCut     = "cut"     // of what cannot be left out, for the closing turn
)

const maxUseless = 2 // compactions in a row that free next to nothing

// summariser gives the model that puts earlier work in short.
func (p *Part) summariser() Model {
	if m, ok := p.Env.Models[p.Profile.CompactionModel]; ok {
		return m
	}
	return p.model()
}

func (p *Part) why() string {
	switch {
	case p.Closing != "":
		return whyClosing
	case p.fit.overflows > 0:
		return whyOverflow
	}
	return whyWindow
}

// compact puts the oldest turns in short: a model is asked for a summary, or in the
// closing turn, and when what is to be read is too long for the model, a digest is made
// by rule.
func (p *Part) compact(w *Work, e *excerpt) {
	m := p.summariser()
	if p.Closing == "" && p.transcript(e) != "" {
		w.Records = append(w.Records, p.rec(&journal.CompactionRequested{Why: p.why(), From: e.from, To: e.to,
			Provider: m.Kind, Model: p.Env.Secrets.Mask(m.Name), Before: p.Estimate()}, p.next(), ""))
		return
	}
	c := &journal.HistoryCompacted{Why: p.why(), From: e.from, To: e.to, By: byDigest}
	if p.Closing == "" {
		c.Code = "context.transcript_long"
	}
	w.Records = append(w.Records, p.compacted(c, e, p.digest(e))...)
}

// next gives the number of the turn that is asked for next, or is being asked for.
func (p *Part) next() int {
	if p.Phase == Requested {
		return p.Turn
	}
	return p.Turn + 1
}

// pendingExcerpt gives what the compaction that is under way puts in short.
func (p *Part) pendingExcerpt() *excerpt {
	m := p.fit.pending
	e := excerpt{from: m.From, to: m.To, start: p.fit.head, end: p.endOf(m.To)}
	for _, g := range p.groups() {
		if g.turn <= m.To {
			e.tokens += g.tokens
		}
	}
	return &e
}

// endOf gives the end of the messages of turns up to a number.
func (p *Part) endOf(turn int) int {
	for i := p.fit.head; i < len(p.History); i++ {
		if m := &p.History[i]; m.Role == model.Assistant && m.Turn > turn {
			return i
		}
	}
	return len(p.History)
}

// Summarised gives the records of an answer to the request for a summary. What is no
// summary is rejected, and a digest stands in its place.
func (p *Part) Summarised(a *model.Answer) []journal.Record {
	if p.fit.pending == nil {
		return nil // the closing turn has begun
	}
	e := p.pendingExcerpt()
	text := strings.TrimSpace(Readable(sendable(clipped(a.Text))))
	code := ""
	switch {
	case len(a.Calls) > 0:
		code = "context.summary_calls"
	case a.Finish != model.FinishStop:
		code = "context.summary_cut"
	case text == "":
		code = "context.summary_empty"
	case model.Tokens(text) > e.tokens/2:
		code = "context.summary_long"
	}
	return p.summarised(e, text, code, costedBy(p.summariser(), a.Usage))
}

// Unsummarised gives the records of a request for a summary that failed.
func (p *Part) Unsummarised(err *model.Error) []journal.Record {
	if p.fit.pending == nil {
		return nil
	}
	return p.summarised(p.pendingExcerpt(), "", bounded(err.Code, maxWord), lostBy(p.summariser(), err))
}

func (p *Part) summarised(e *excerpt, text, code string, u journal.Usage) []journal.Record {
	m := p.fit.pending
	c := &journal.HistoryCompacted{Why: m.Why, From: e.from, To: e.to, By: bySummary, Provider: m.Provider, Model: m.Model, Code: code, Usage: u}
	if code != "" {
		c.By, text = byDigest, p.digest(e)
	}
	return p.compacted(c, e, text)
}

// compacted completes the records of a compaction.
func (p *Part) compacted(c *journal.HistoryCompacted, e *excerpt, text string) []journal.Record {
	shown := p.recordText(e, text)
	c.Text = journal.Text(shown)
	c.Before = p.Estimate()
	c.After = p.fit.meter.Scale(p.fit.meter.Sum() - e.tokens + model.Tokens(shown))
	return p.anchored(c)
}

// anchored gives the record of a compaction with the anchor that names it.
func (p *Part) anchored(c *journal.HistoryCompacted) []journal.Record {
	return []journal.Record{p.rec(c, p.next(), ""),
		p.rec(&journal.AnchorSet{Name: "compaction/" + c.Why, Covers: journal.Span{From: c.From, To: c.To}}, p.next(), "")}
}

// foldCompacted puts the text of a compaction in the place of what it stands for. Texts
// of humans stay.
func (p *Part) foldCompacted(m *journal.HistoryCompacted) {
	f := &p.fit
	f.pending, f.shorter = nil, true
	addUsage(&p.Usage, m.Usage)
	p.ledger.Lose(&m.Usage) // what is held back for the turn stays so
	before := f.meter.Sum()
	host := model.Message{Role: model.Host, Text: m.Text.Text}
	if m.By == byCut {
		f.cut, f.head, f.record, f.from = true, 0, "", 0
		p.rewrite([]model.Message{host})
		return
	}
	end := p.endOf(m.To)
	history := make([]model.Message, 0, f.head+1+len(p.History)-end)
	history = append(history, p.History[:f.head]...)
	history = append(history, host)
	for i := f.head; i < end; i++ {
		if p.History[i].Role == model.User {
			history = append(history, p.History[i])
		}
	}
	p.rewrite(append(history, p.History[end:]...))
	f.record, f.from = unframed(m.Text.Text), m.From
	f.useless++
	if float64(before-f.meter.Sum()) >= float64(before)*leastGain {
		f.useless = 0
	}
	if m.Code != "" {
		f.failed = m
	}
}
