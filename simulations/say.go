package simulations

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/supervision"
)

// saying gives the run commands now and then, somewhere among what is about to happen.
// Mostly it is one, at times as many as are left.
func (s *sim) saying(sched *actors.SeededScheduler, store journal.Store, runs *supervision.Runs) {
	if s.said >= s.o.Says || s.rng.IntN(4) > 0 {
		return
	}
	n := 1
	if s.rng.IntN(6) == 0 {
		n = s.o.Says - s.said
	}
	for range n {
		s.said++
		sched.Schedule(func() { s.post(store, runs) })
	}
}

// post gives one command. The owner is told of some at once, and finds the others by
// itself, or the next owner does.
func (s *sim) post(store journal.Store, runs *supervision.Runs) {
	c := journal.Command{Run: runID, By: "user"}
	switch n := s.rng.IntN(30); {
	case n == 0:
		c.Kind = journal.CommandPause
	case n < 3:
		c.Kind, c.Payload = journal.CommandCancelTask, fmt.Sprintf(`{"task":"task_%d"}`, 1+s.rng.IntN(4))
	default:
		c.Kind, c.Payload = journal.CommandSay, fmt.Sprintf("hint %d", s.rng.Uint64())
	}
	var err error
	if c.ID, err = store.Post(context.Background(), runID, c); err != nil {
		s.faults = append(s.faults, "post: "+err.Error())
		return
	}
	for range s.rng.IntN(3) { // not at all, once, or twice
		runs.Apply(c)
	}
}

// untraced says whether an answer is a refusal that nobody here hears, so that records say it.
func untraced(answer string) bool {
	code := fault.Code(journal.Refusal(answer))
	return code == "guidance.full" || code == "guidance.too_late"
}

// commandFaults compares the answers to commands with the records: one record at most
// carries a command out, and no answer is untrue.
func commandFaults(records []journal.Record, commands []journal.Command) (faults []string) {
	carried, texts, refusals := map[int64]int{}, map[string]bool{}, map[string]bool{}
	for i := range records {
		switch m := records[i].Payload.(type) {
		case *journal.GuidanceSubmitted:
			if m.Command == 0 { // the trace of a refusal
				refusals[m.Text.Text] = true
				continue
			}
			carried[m.Command]++
			texts[m.Text.Text] = true
		case *journal.TaskCancelRequested:
			carried[m.Command]++
		case *journal.RunPaused:
			for _, id := range m.Commands {
				carried[id]++
			}
		}
	}
	for _, c := range commands {
		n, refused := carried[c.ID], strings.HasPrefix(c.Answer, "refused: ")
		switch {
		case n > 1, n == 0 && c.Answer == journal.Recorded, n > 0 && (refused || c.Answer == journal.Duplicate),
			c.Kind == journal.CommandSay && (n > 0) != texts[c.Payload],
			untraced(c.Answer) && !refusals[c.Payload]:
			faults = append(faults, fmt.Sprintf("command %d (%s) is in %d records and answered %q", c.ID, c.Kind, n, c.Answer))
		}
	}
	return faults
}
