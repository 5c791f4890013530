package agent

import (
	"strings"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Numbers of the fit of a request into the window of its model (models spec §14).
const (
	defaultReserve = 8192 // tokens kept for the answer of a model that says nothing
	reserveShare   = 4    // of the window, at most, unless the team says more
	marginPercent  = 2    // of the window
	compactTo      = 0.5  // of what requests may have, after a compaction
	lowAnswers     = 3    // reports far below the estimate until people are warned
	lowFactor      = 2    // how far below that is
)

// fit is what the fold knows of the size of requests, and of what became of the history
// so that they fit.
type fit struct {
	meter   model.Meter
	base    int64 // estimate of what each request repeats: prompt and tools
	weighed int   // messages of the history that the meter has
	results int64 // estimate of all results in the history
	wrote   int64 // reported tokens of the last answer, until it is history; 0: not reported
	head    int   // messages at the front that stay: conversation, lore and brief

	window    int   // that the server has named; 0: it has not
	ceiling   int64 // tokens that were too many for the server; 0: none were
	overflows int   // of the request under way
	shorter   bool  // since the newest of them the oldest turns were put in short
	useless   int   // compactions in a row that freed next to nothing

	pending *journal.CompactionRequested // a summary is asked for
	record  string                       // text of the record that stands behind the head; "": none
	from    int                          // first turn that it covers
	cut     bool                         // the closing turn has only what was cut for it

	low     int                       // reports in a row that are far below the estimate
	failed  *journal.HistoryCompacted // newest compaction whose summary failed
	warned  map[string]bool           // codes of warnings
	copies  map[string]journalCopy    // readable copies of results, by call
	unknown []unknownCall             // calls whose outcome is not known
	plan    planned                   // newest plan of the agent
	changes int                       // how often messages that were there became other ones
}

// journalCopy is the readable copy of a long result.
type journalCopy struct {
	path  string
	chars int
}

// unknownCall is a call of which the model has been told that its outcome is not known.
type unknownCall struct {
	turn int
	gate string
	key  string
	text string
}

// planned is what the agent has planned.
type planned struct {
	turn int
	text string // arguments of the call
}

// foldContext notes of a record what concerns the size of requests, before the rest of
// the part has folded it.
func (p *Part) foldContext(r *journal.Record) error {
	f := &p.fit
	switch m := r.Payload.(type) {
	case *journal.ModelAttemptFailed:
		if m.Class == string(model.ClassOverflow) {
			p.foldOverflow(m)
		}
	case *journal.ModelAnswered:
		p.foldReport(&m.Usage)
	case *journal.CallSettled:
		p.foldOutcome(r.Scope.Call, m)
	case *journal.FileChanged:
		if r.Scope.Call != "" && IsCopy(m.Path) {
			if f.copies == nil {
				f.copies = map[string]journalCopy{}
			}
			f.copies[r.Scope.Call] = journalCopy{m.Path, m.Chars}
		}
	case *journal.TurnClosed:
		f.overflows, f.pending = 0, nil
	case *journal.ResultsShown:
		return p.foldProjections(&m.Results, false)
	case *journal.ResultsSwept:
		return p.foldProjections(&m.Results, true)
	case *journal.ImagesLeftOut:
		return p.foldLeftOut(m)
	case *journal.CompactionRequested:
		f.pending = m
	case *journal.HistoryCompacted:
		p.foldCompacted(m)
	case *journal.ContextWarned:
		if f.warned == nil {
			f.warned = map[string]bool{}
		}
		f.warned[m.Code] = true
	}
	return nil
}

// foldOverflow learns from a server that the request was too long for it.
func (p *Part) foldOverflow(m *journal.ModelAttemptFailed) {
	f := &p.fit
	f.overflows++
	f.shorter = false
	if m.Window > 0 && (f.window == 0 || m.Window < f.window) {
		f.window = m.Window
	}
	if n := f.meter.Estimate(); f.ceiling == 0 || n < f.ceiling {
		f.ceiling = n
	}
}

// foldReport learns from a server how much it has read.
func (p *Part) foldReport(u *journal.Usage) {
	f := &p.fit
	f.overflows = 0
	if u.Input != nil && *u.Input > 0 {
		if *u.Input*lowFactor < f.meter.Sum() {
			f.low++
		} else {
			f.low = 0
		}
		f.meter.Reported(*u.Input)
	}
	f.wrote = 0
	if u.Output != nil {
		f.wrote = *u.Output
		if u.Reasoning != nil {
			f.wrote = max(f.wrote-*u.Reasoning, 1)
		}
	}
}

// foldOutcome keeps what the model must not forget of a call: that its outcome is not
// known, and the newest plan.
func (p *Part) foldOutcome(key string, m *journal.CallSettled) {
	c := p.Call(key)
	if c == nil || c.State == Settled {
		return
	}
	if c.Tool == planTool && m.Code == "" {
		p.fit.plan = planned{p.Turn, c.ArgsText}
	}
	gate := ""
	if c.Binding != nil {
		gate = c.Binding.GateKey
	}
	if m.Outcome == journal.Unknown {
		p.fit.unknown = append(p.fit.unknown, unknownCall{p.Turn, gate, key, resultText(m)})
		return
	}
	if !m.Dispatched || m.Code != "" || c.Binding == nil || c.Binding.Effect.Class != tooling.Write {
		return // only a write that went well says that the model knows how things stand
	}
	kept := p.fit.unknown[:0]
	for _, u := range p.fit.unknown {
		if u.turn == p.Turn || u.gate != gate {
			kept = append(kept, u)
		}
	}
	p.fit.unknown = kept
}

// weigh gives the meter the messages that are new in the history.
func (p *Part) weigh() {
	f := &p.fit
	for ; f.weighed < len(p.History); f.weighed++ {
		m := &p.History[f.weighed]
		n := model.MessageTokens(m)
		if m.Role == model.Assistant && m.Turn == p.Turn && f.wrote > 0 {
			f.meter.Wrote(f.wrote, n)
			f.wrote = 0
		} else {
			f.meter.Add(n)
		}
		if m.Role == model.Tool {
			f.results += n
		}
	}
}

// rewrite puts another history in the place of the one that was. Requests that hold the
// old one are not touched.
func (p *Part) rewrite(history []model.Message) {
	f := &p.fit
	p.History = history
	f.weighed, f.results, f.wrote = len(history), 0, 0
	sum := f.base
	for i := range history {
		n := model.MessageTokens(&history[i])
		sum += n
		if history[i].Role == model.Tool {
			f.results += n
		}
	}
	f.meter.Restart(sum)
	f.changes++
}

// Estimate gives about how many tokens the next request reads.
func (p *Part) Estimate() int64 { return p.fit.meter.Estimate() }

// window gives the window of the invocation's model in tokens, 0 when nobody knows it.
func (p *Part) window() int {
	w := p.model().Window
	if n := p.fit.window; n > 0 && (w == 0 || n < w) {
		return n
	}
	return w
}

// answerSpace gives the tokens that are kept for an answer.
func (p *Part) answerSpace() int {
	m := p.model()
	if n := max(p.Profile.MaxOutput, 0); n > 0 {
		return n
	}
	if m.MaxOutput > 0 {
		return m.MaxOutput
	}
	n := defaultReserve
	if m.Longest > 0 {
		n = min(n, m.Longest)
	}
	if w := p.window(); w > 0 {
		n = min(n, w/reserveShare)
	}
	return n
}

// space gives the tokens that requests may have: all but the reserve. 0: nobody knows.
func (p *Part) space() int64 {
	n := int64(0)
	if w := p.window(); w > 0 {
		n = max(int64(w-p.answerSpace()), 1)
	}
	if c := p.fit.ceiling; c > 0 && (n == 0 || c < n) {
		n = c
	}
	return n
}

// most gives the largest estimate that fits, 0 when nobody knows.
func (p *Part) most() int64 {
	n := int64(0)
	if w := p.window(); w > 0 {
		n = max(int64(w-p.answerSpace()-w*marginPercent/100), 1)
	}
	if c := p.fit.ceiling; c > 0 && (n == 0 || c <= n) {
		n = max(c-1, 1)
	}
	return n
}

// fits says whether a request of so many tokens is sent.
func (p *Part) fits(tokens int64) bool {
	n := p.most()
	return n == 0 || tokens <= n
}

// IsCopy says whether a path is that of a readable copy of a result, which the runtime
// alone writes.
func IsCopy(path string) bool { return strings.HasPrefix(path, workspace.ToolResults+"/calls/") }

// headTokens estimates what each request of an invocation repeats.
func (e *Env) headTokens(system string, snap *tooling.Snapshot) int64 {
	key := [2]string{snap.DefsHash(), system}
	if n, ok := e.cache.heads.Load(key); ok {
		return n.(int64)
	}
	n := model.HeadTokens(system, snap.Defs())
	e.cache.heads.Store(key, n)
	return n
}
