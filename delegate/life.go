package delegate

import (
	"fmt"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Start makes the first records of a run. brief is what its first agent is asked, files
// put what the run was given into its workspace.
func (s *State) Start(created *journal.RunCreated, started *journal.RunStarted, brief string, now time.Time, files ...workspace.Change) (*Decision, error) {
	d := s.begin(now, "")
	d.add(journal.Scope{}, created)
	d.add(journal.Scope{}, started)
	var mounts []string
	if s.Env.Mounts != nil {
		mounts = s.Env.Mounts.Names()
	}
	d.add(journal.Scope{}, &journal.WorkspaceOpened{Roots: s.Env.Profiles[s.Env.Entry].Roots.Visible, Mounts: mounts})
	for _, f := range files {
		d.add(journal.Scope{}, &journal.FileChanged{Path: f.Path, Kind: f.Kind, Op: f.Op, New: f.New, Size: f.Size, Chars: f.Chars, Exec: f.Exec, Content: journal.Text(f.Content)})
	}
	m, err := s.Env.Invocation(agent.Birth{Kind: "root", Profile: s.Env.Entry, Path: "root", Brief: brief, Input: s.given})
	if err != nil {
		return nil, err
	}
	d.add(journal.Scope{Invocation: "root"}, m)
	s.wall(d)
	return d, nil
}

// Resume makes the records of a resume by a new owner: what was found open, and that
// slots of ended members are free, since no actor has outlived its process.
func (s *State) Resume(started *journal.RunStarted, from string, open []journal.ClassifiedCall, now time.Time) *Decision {
	d := s.begin(now, "")
	d.add(journal.Scope{}, started)
	d.add(journal.Scope{}, &journal.RunResumed{From: from})
	for ; len(open) > maxListed; open = open[maxListed:] {
		d.add(journal.Scope{}, &journal.RecoveryClassified{Calls: open[:maxListed:maxListed]})
	}
	c := &journal.RecoveryClassified{Calls: open}
	for _, id := range s.TaskIDs {
		if t := s.Tasks[id]; t.State != "ended" {
			c.Tasks = append(c.Tasks, id)
		}
	}
	d.add(journal.Scope{}, c)
	for _, id := range s.TaskIDs {
		if t := s.Tasks[id]; t.State == "ended" && t.Slot {
			d.add(journal.Scope{Task: id}, &journal.SlotFreed{})
		}
	}
	for _, id := range s.TaskIDs {
		if t := s.Tasks[id]; t.State == "running" {
			s.deadline(d, t)
		}
	}
	s.wall(d)
	if s.cancel != nil {
		s.haltAll(d)
	}
	for _, id := range s.TaskIDs {
		if t := s.Tasks[id]; t.Cancelled != nil && t.State != "ended" {
			s.halt(d, t, agent.Halt{Reason: t.Cancelled.Reason, By: t.Cancelled.By})
		}
	}
	s.fill(d)
	return d
}

// Live gives the paths of the invocations that have not ended, in order of creation.
func (s *State) Live() []string {
	var out []string
	for _, p := range s.Order {
		if !s.Inv[p].Ended {
			out = append(out, p)
		}
	}
	return out
}

// ActorFailed records that the actor of a live invocation has failed and is made anew.
// It gives nil when there is nothing to go on with.
func (s *State) ActorFailed(f agent.Crash, now time.Time) *Decision {
	inv := s.Inv[f.Path]
	if inv == nil || inv.Ended || s.Status == "ended" {
		return nil
	}
	d := s.begin(now, "")
	s.unhold(inv.Path)
	d.crashed(inv, f)
	d.add(journal.Scope{Invocation: inv.Path, Task: inv.Task}, &journal.ActorRestarted{Path: f.Path, Incarnation: f.Incarnation + 1})
	d.Outs = nil // its actor is gone, and the next one reads them
	if inv.Halting {
		d.out(Out{Kind: Halt, Path: inv.Path, Halt: inv.halt})
	}
	return d
}

func (d *Decision) crashed(inv *Inv, f agent.Crash) {
	d.add(journal.Scope{Invocation: inv.Path, Task: inv.Task}, &journal.ActorFailed{Path: f.Path, Incarnation: f.Incarnation, Reason: f.Reason, Stack: journal.Text(f.Stack)})
}

// ActorEnded decides what an actor's end means: a slot is free, or, when its
// invocation had not ended, the invocation has failed.
func (s *State) ActorEnded(f agent.Crash, now time.Time) *Decision {
	d := s.begin(now, "")
	inv := s.Inv[f.Path]
	if inv == nil || s.Status == "ended" {
		return d
	}
	if !inv.Ended {
		why := "stopped_before_return"
		if f.Reason != "" {
			why = "actor_failed: " + f.Reason
			d.crashed(inv, f)
		}
		s.forceEnd(d, inv, journal.Failed, why)
	}
	if t := s.Tasks[inv.Task]; t != nil && inv.Ended && t.Slot {
		d.add(journal.Scope{Task: t.ID}, &journal.SlotFreed{})
	}
	s.fill(d)
	return d
}

// forceEnd ends an invocation whose actor is gone or does not answer: its open calls
// are settled by what is known of them.
func (s *State) forceEnd(d *Decision, inv *Inv, out journal.Outcome, reason string) {
	for i := range inv.Calls {
		c := &inv.Calls[i]
		if !c.open {
			continue
		}
		r := tooling.Fail("tool.not_run", "not run: "+reason)
		r.Outcome = journal.Cancelled
		if t, ok := s.Env.Catalogue.Lookup(c.tool); c.dispatched && (!ok || (t.Effect.Class == tooling.Write && !t.Effect.Idempotent && t.Again != tooling.AgainAppend)) {
			r = tooling.Result{Code: "tool.outcome_unknown", Outcome: journal.Unknown, Content: "the call was started and its end was not seen; inspect the state before repeating it"}
		}
		d.settle(inv, c.key, r)
	}
	s.endWith(d, inv, pendingEnd{end: agent.End{Outcome: out, Reason: reason}})
}

// Fired decides what a timer of the run means.
func (s *State) Fired(name string, now time.Time) *Decision {
	d := s.begin(now, "")
	if s.Status == "ended" {
		return d
	}
	var key string
	switch {
	case name == wallTimer:
		s.wallOver(d)
	case name == wallCloses:
		s.wallClosed(d)
	case cut(name, "await:", &key):
		if a := s.awaits[key]; a != nil {
			s.answerAwait(d, key, a, true)
		}
	case cut(name, "task:", &key):
		if t := s.Tasks[key]; t != nil && t.State == "running" {
			if inv := s.Inv[t.Inv]; !inv.Halting && !inv.Ended {
				d.out(Out{Kind: Halt, Path: inv.Path, Halt: agent.Halt{Close: true, Reason: "budget.time"}})
				d.out(Out{Kind: Timer, Name: "close:" + t.ID, After: s.grace(inv)})
			}
		}
	case cut(name, "close:", &key):
		if t := s.Tasks[key]; t != nil && t.State == "running" {
			s.haltInv(d, s.Inv[t.Inv], agent.Halt{Over: true, Reason: "budget.time"})
		}
	case cut(name, "grace:", &key):
		if inv := s.Inv[key]; inv != nil && !inv.Ended {
			why := fmt.Sprintf("did not stop within %s", s.grace(inv)) + s.workOf(inv)
			if t := s.Tasks[inv.Task]; t != nil {
				t.Survivors = append(t.Survivors, inv.Path)
			} else {
				s.survivors = append(s.survivors, inv.Path)
			}
			s.forceEnd(d, inv, journal.Unknown, why)
			d.out(Out{Kind: Kill, Path: key})
		}
	}
	s.fill(d)
	return d
}

// workOf says what an invocation that does not stop is in.
func (s *State) workOf(inv *Inv) string {
	for i := range inv.Calls {
		if c := &inv.Calls[i]; c.open && s.awaits[c.key] == nil && s.kills[c.key] == nil {
			return fmt.Sprintf(": in %s since %s", c.name, c.since.UTC().Format(time.RFC3339))
		}
	}
	return ""
}

func cut(s, prefix string, rest *string) bool {
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		*rest = s[len(prefix):]
		return true
	}
	return false
}
