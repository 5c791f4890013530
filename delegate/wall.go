package delegate

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// work keeps how long a run has been at work. Rests are not in it, nor is the time between
// a crash and the resume.
type work struct {
	done        time.Duration // up to since
	since, last time.Time     // since is zero while it rests; last: of the newest record
}

func (w *work) fold(r *journal.Record) {
	switch r.Payload.(type) {
	case *journal.RunStarted:
		w.rest(w.last)
		w.since = r.At
	case *journal.RunPaused, *journal.RunParked, *journal.RunEnded:
		w.rest(r.At)
	}
	w.last = r.At
}

func (w *work) rest(at time.Time) {
	w.done = w.upTo(at)
	w.since = time.Time{}
}

func (w *work) upTo(now time.Time) time.Duration {
	if w.since.IsZero() {
		return w.done
	}
	return w.done + now.Sub(w.since)
}

// Timers of the budget of time: that it is over, and that its closing turn is.
const (
	wallTimer  = "wall"
	wallCloses = "wall-closes"
)

// wall has the run told when its time is over.
func (s *State) wall(d *Decision) {
	if limit := s.Env.Budgets.Wall; limit > 0 {
		d.out(Out{Kind: Timer, Name: wallTimer, After: max(limit-s.work.upTo(d.now), 0)})
	}
}

// wallOver ends the work of the whole run: tasks at once, the owner with a closing turn
// within its grace.
func (s *State) wallOver(d *Decision) {
	inv := s.Inv[s.Owner]
	if inv == nil || inv.Ended || inv.Halting {
		return
	}
	const reason = "budget.time"
	d.add(journal.Scope{}, &journal.BudgetExhausted{What: reason, Used: int64(s.work.upTo(d.now)), Limit: int64(s.Env.Budgets.Wall)})
	for _, t := range s.live(inv) {
		s.cancelTask(d, t, Said{By: reason, Text: "the time of the run is over"})
	}
	d.out(Out{Kind: Halt, Path: inv.Path, Halt: agent.Halt{Close: true, Reason: reason}})
	d.out(Out{Kind: Timer, Name: wallCloses, After: s.grace(inv)})
}

// wallClosed ends an owner whose closing turn takes too long.
func (s *State) wallClosed(d *Decision) {
	if inv := s.Inv[s.Owner]; inv != nil {
		s.haltInv(d, inv, agent.Halt{Over: true, Reason: "budget.time"})
	}
}
