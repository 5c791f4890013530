package cli

import (
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// progress prints what happens in a run, one plain line each: the agent's path, then
// what it does.
type progress struct {
	a     *app
	d     *describer
	width int // of the paths
}

// Widths of the column of paths, and of the type of a record.
const (
	leastWidth = 12
	mostWidth  = 32
	typeWidth  = 24
)

func newProgress(a *app) *progress { return &progress{a: a, d: newDescriber(), width: leastWidth} }

// record prints a record, or only remembers it. How much of an agent is printed says its
// presentation, which is empty where everything of interest is.
func (p *progress) record(r *journal.Record, presentation string, silent bool) {
	text, main := p.d.line(r)
	created, _ := r.Payload.(*journal.RunCreated)
	if created != nil {
		p.width = pathWidth(created)
	}
	if silent || !p.a.verbose && (!main || !presented(r, presentation)) {
		return
	}
	if p.a.verbose {
		text = strings.TrimRight(fmt.Sprintf("%5d  %-*s  %s", r.Seq, typeWidth, r.Type(), text), " ")
	}
	p.a.errf("%-*s  %s", p.width, who(r), text)
	if created != nil {
		p.given(created)
	}
}

// given says what a run was given beside its text.
func (p *progress) given(m *journal.RunCreated) {
	in, err := input.Decode(m.Input.Text)
	if err != nil {
		return
	}
	var parts []string
	if n := len(in.Messages); n > 0 {
		parts = append(parts, "conversation: "+count(n, "message"))
	}
	if in.HasLore() {
		parts = append(parts, fmt.Sprintf("lore: %d of %d entries activated", len(in.Lore), in.LoreSize))
	}
	if n := len(in.Files); n > 0 {
		parts = append(parts, fmt.Sprintf("files: %d", n))
	}
	if len(parts) > 0 {
		p.a.errf("%-*s  given: %s", p.width, "run", strings.Join(parts, ", "))
	}
}

// pathWidth is the width that the path of any agent of the team takes as the second one of
// its name below the first agent. Longer paths move only their own line.
func pathWidth(m *journal.RunCreated) int {
	width := leastWidth
	team, err := config.Decode([]byte(m.Team.Text))
	if err != nil {
		return width
	}
	for id := range team.Agents {
		if id != team.Entry {
			width = max(width, len("root/"+id+"-002"))
		}
	}
	return min(width, mostWidth)
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
