package cli

import (
	"fmt"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// progress prints what happens in a run, one plain line each: the agent's path, then
// what it does.
type progress struct {
	a     *app
	d     *describer
	width int // of the widest path so far
}

const (
	leastWidth = 12
	mostWidth  = 32
)

func newProgress(a *app) *progress { return &progress{a: a, d: newDescriber(), width: leastWidth} }

// record prints a record, or only remembers it. How much of an agent is printed says its
// presentation, which is empty where everything of interest is.
func (p *progress) record(r *journal.Record, presentation string, silent bool) {
	text, main := p.d.line(r)
	if silent || !p.a.verbose && (!main || !presented(r, presentation)) {
		return
	}
	if p.a.verbose {
		text = fmt.Sprintf("%d %s %s", r.Seq, r.Type(), text)
	}
	path := who(r)
	p.width = min(max(p.width, len(path)), mostWidth)
	p.a.errf("%-*s  %s", p.width, path, text)
}

// presented says whether a record of an agent is shown under its presentation: quiet has
// only the end, status has no texts, calls and attempts either.
func presented(r *journal.Record, presentation string) bool {
	if r.Scope.Invocation == "" {
		return true
	}
	switch r.Payload.(type) {
	case *journal.InvocationEnded:
		return true
	case *journal.ModelAnswered, *journal.ModelAttemptFailed, *journal.TurnCorrected, *journal.CallRequested, *journal.CallSettled:
		return presentation != "status" && presentation != "quiet"
	}
	return presentation != "quiet"
}
