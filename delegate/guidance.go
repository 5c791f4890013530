package delegate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Limits of guidance (protocol spec §3).
const (
	MaxGuidanceChars = 16_000 // characters of one text
	MaxGuidance      = 8      // texts that wait in one run
)

// CheckGuidance says whether a text can be guidance. Errors: "guidance.empty",
// "guidance.too_long".
func CheckGuidance(text string) error {
	if strings.TrimSpace(text) == "" {
		return fault.New("guidance.empty", "the text is empty; say what the agent should know or do")
	}
	if n := utf8.RuneCountInString(text); n > MaxGuidanceChars {
		return fault.New("guidance.too_long", "the text has %d characters and the limit is %d; put the rest in a file that the run can read", n, MaxGuidanceChars)
	}
	return nil
}

// guide keeps what a human says until the owner's next request. An await of the owner ends
// for it.
func (s *State) guide(d *Decision, said Said) error {
	if err := CheckGuidance(said.Text); err != nil {
		return err
	}
	inv := s.Inv[s.Owner]
	if inv == nil || s.ending(inv) {
		return fault.New("guidance.too_late", "the run is ending, so nobody would read it")
	}
	if n := len(s.guidance); n >= MaxGuidance {
		return fault.New("guidance.full", "%d texts wait already, which is the limit; say it again when the agent has read them", n)
	}
	s.submit(d, said)
	for i := range inv.Calls {
		if key := inv.Calls[i].key; s.awaits[key] != nil {
			s.interrupt(d, key)
		}
	}
	return nil
}

// submit records what was said, and gives its id.
func (s *State) submit(d *Decision, said Said) string {
	id := fmt.Sprintf("guidance_%d", s.guided+1)
	d.add(journal.Scope{}, &journal.GuidanceSubmitted{ID: id, Text: journal.Text(agent.Sendable(said.Text)), By: agent.Bounded(said.By), Command: said.Command})
	return id
}

// untold leaves a trace of guidance that is refused while nobody here waits for the
// answer: it may have been said long ago. The records do not carry the command out: when
// its answer is lost with the process, it is decided anew.
func (s *State) untold(d *Decision, said Said, why error) {
	var e *fault.Error
	if !errors.As(why, &e) || e.Code != "guidance.full" && e.Code != "guidance.too_late" {
		return
	}
	said.Command = 0
	d.add(journal.Scope{}, &journal.GuidanceDiscarded{ID: s.submit(d, said), Reason: e.Detail})
}

// WaitingTypes are the records that [Room] looks at.
func WaitingTypes() []journal.Type {
	return []journal.Type{journal.TGuidanceSubmitted, journal.TGuidanceApplied, journal.TGuidanceDiscarded, journal.TRunCancelRequested}
}

// Room says whether a run that nobody works on can be told one more text, by its records
// of [WaitingTypes] and all its commands. Errors: "guidance.full"; "guidance.too_late"
// when a cancel waits, since it is carried out before anybody would read the text.
func Room(records []journal.Record, commands []journal.Command) error {
	waits, carried, cancelled := map[string]bool{}, map[int64]bool{}, false
	for i := range records {
		switch m := records[i].Payload.(type) {
		case *journal.GuidanceSubmitted:
			waits[m.ID], carried[m.Command] = true, true
		case *journal.GuidanceApplied:
			delete(waits, m.ID)
		case *journal.GuidanceDiscarded:
			delete(waits, m.ID)
		case *journal.RunCancelRequested:
			cancelled = true
		}
	}
	n := len(waits)
	for i := range commands {
		switch c := &commands[i]; {
		case c.Answer != "" || carried[c.ID]:
		case c.Kind == journal.CommandSay:
			n++
		case c.Kind == journal.CommandCancel:
			cancelled = true
		}
	}
	switch {
	case cancelled:
		return fault.New("guidance.too_late", "a cancel of the run waits, so nobody would read it")
	case n >= MaxGuidance:
		return fault.New("guidance.full", "%d texts wait already, which is the limit; say it again when the run was resumed and the agent has read them", n)
	}
	return nil
}

// ending says whether an owner takes no normal turn any more.
func (s *State) ending(inv *Inv) bool {
	e := s.ends[inv.Path]
	return s.Status == "ended" || s.cancel != nil || inv.Ended || inv.Halting || inv.closing || e != nil && e.finish == nil
}

// waiting says whether there is guidance for an invocation.
func (s *State) waiting(inv *Inv) bool { return len(s.guidance) > 0 && inv.Path == s.Owner }

// interrupt ends an await of the owner before its time.
func (s *State) interrupt(d *Decision, key string) {
	a := s.awaits[key]
	a.interrupted = true
	s.answerAwait(d, key, a, false)
}

// apply gives the owner what waits for it, right before its request of a turn.
func (d *Decision) apply(inv *Inv, turn int) {
	if !d.s.waiting(inv) {
		return
	}
	d.Records = slices.Clip(d.Records) // the rest of the proposal is still to be read from its array
	for _, g := range slices.Clone(d.s.guidance) {
		d.add(journal.Scope{Invocation: inv.Path, Task: inv.Task, Turn: turn}, &journal.GuidanceApplied{ID: g.ID, Text: g.Text})
	}
}

// discard drops what nobody will read any more.
func (d *Decision) discard(reason string) {
	for _, g := range slices.Clone(d.s.guidance) {
		d.add(journal.Scope{}, &journal.GuidanceDiscarded{ID: g.ID, Reason: reason})
	}
}

func (s *State) applyGuidance(r *journal.Record) error {
	id := ""
	switch m := r.Payload.(type) {
	case *journal.GuidanceSubmitted:
		s.guidance = append(slices.Clip(s.guidance), m)
		s.guided++
		s.carried(m.Command)
		return nil
	case *journal.GuidanceApplied:
		id = m.ID
	case *journal.GuidanceDiscarded:
		id = m.ID
	}
	i := slices.IndexFunc(s.guidance, func(g *journal.GuidanceSubmitted) bool { return g.ID == id })
	if i < 0 {
		return fault.New("journal.damaged", "record %d (%s) names the guidance %q, which does not wait", r.Seq, r.Type(), id)
	}
	s.guidance = slices.Delete(slices.Clone(s.guidance), i, i+1)
	return nil
}

// Guidance gives what humans have said and the owner has not been given yet, oldest first.
func (s *State) Guidance() []*journal.GuidanceSubmitted { return slices.Clone(s.guidance) }
