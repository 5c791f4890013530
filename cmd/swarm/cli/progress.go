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

// record prints a record, or only remembers it.
func (p *progress) record(r *journal.Record, silent bool) {
	text, main := p.d.line(r)
	if silent || !main && !p.a.verbose {
		return
	}
	if p.a.verbose {
		text = fmt.Sprintf("%d %s %s", r.Seq, r.Type(), text)
	}
	path := who(r)
	p.width = min(max(p.width, len(path)), mostWidth)
	p.a.errf("%-*s  %s", p.width, path, text)
}
