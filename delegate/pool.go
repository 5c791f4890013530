package delegate

import (
	"slices"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// The pool of a parent is a fold: a task holds a slot from task_started to slot_freed,
// except between slot_lent and slot_taken. So the limit holds after any crash.

// free says whether a parent may have one more running child.
func (s *State) free(parent *Inv) bool {
	if parent == nil {
		return false
	}
	running := s.slots
	if o := s.Inv[s.Owner]; o != nil && !s.waits(o) {
		running++
	}
	return parent.slots < s.Env.Profiles[parent.Profile].Delegation.MaxRunning && running < s.Env.Budgets.AgentsRunning
}

// waits says whether an invocation only waits for its own children.
func (s *State) waits(inv *Inv) bool {
	if len(s.awaits) == 0 {
		return false
	}
	n := 0
	for i := range inv.Calls {
		c := &inv.Calls[i]
		if !c.open {
			continue
		}
		if s.awaits[c.key] == nil {
			return false
		}
		n++
	}
	return n > 0
}

// lend gives back the slot of a child that only waits for its own children.
func (s *State) lend(d *Decision, inv *Inv) {
	if t := s.Tasks[inv.Task]; t != nil && t.Slot && !inv.Ended && s.waits(inv) {
		d.add(journal.Scope{Task: t.ID}, &journal.SlotLent{Cause: "children"})
	}
}

// fill gives free slots away: to those that lent theirs first, then to queued tasks,
// each time to the parent with the fewest running children.
func (s *State) fill(d *Decision) {
	if s.Status == "ended" {
		return
	}
	for i := 0; i < len(s.held); {
		h := s.held[i]
		inv := s.Inv[h.path]
		t := s.Tasks[inv.Task]
		switch {
		case inv.Ended || inv.Halting:
			s.held = slices.Delete(s.held, i, i+1)
		case !t.Lent || s.free(s.Inv[t.Parent]):
			s.held = slices.Delete(s.held, i, i+1)
			d.grant(inv, h)
		default:
			i++
		}
	}
	for s.queued > 0 {
		var best *Inv
		for _, p := range s.Order {
			inv := s.Inv[p]
			if len(inv.queue) > 0 && !inv.Halting && s.free(inv) && (best == nil || inv.slots < best.slots) {
				best = inv
			}
		}
		if best == nil {
			return
		}
		s.start(d, s.Tasks[best.queue[0]])
	}
}

// unhold forgets a request that an invocation has replaced, or whose actor is gone.
func (s *State) unhold(path string) {
	s.held = slices.DeleteFunc(s.held, func(h heldRequest) bool { return h.path == path })
}

// grant lets a held request go out: the slot is taken, and the proposal accepted.
func (d *Decision) grant(inv *Inv, h heldRequest) {
	if m, ok := h.rec.Payload.(*journal.ModelRequested); ok && d.exceeds(inv, &h.rec, m) {
		d.out(Out{Kind: Lose, Path: inv.Path, Tag: h.tag})
		return
	}
	by, ext := d.by, d.ext
	d.by, d.ext = inv.Path, nil
	d.request(inv, h.rec, h.tag)
	d.out(Out{Kind: Accept, Path: inv.Path, Tag: h.tag, Records: d.ext})
	d.by, d.ext = by, ext
}

// start gives a task its invocation.
func (s *State) start(d *Decision, t *Task) {
	parent := s.Inv[t.Parent]
	path := parent.Path + "/" + t.Key
	m, err := s.Env.Invocation(agent.Birth{Kind: "child", Profile: t.Agent, Path: path, Parent: parent.Path, Task: t.ID, Depth: parent.Depth + 1,
		Brief: s.brief(t), Denied: s.denied(parent), Input: s.given})
	if err != nil {
		s.endTask(d, t, journal.Failed, "start_failed: "+err.Error(), nil, journal.Usage{})
		return
	}
	d.add(journal.Scope{Task: t.ID}, &journal.TaskStarted{Invocation: path})
	d.add(journal.Scope{Invocation: path, Task: t.ID}, m)
	d.add(journal.Scope{Task: t.ID}, &journal.TapeForked{Tape: path, Parent: parent.Path, ParentHead: s.Seq})
	s.deadline(d, t)
}

// denied gives the patterns of tools that an invocation and everything above it deny
// themselves, sorted: what is born below them does not get those either (delegation
// spec §12).
func (s *State) denied(inv *Inv) []string {
	var out []string
	for ; inv != nil; inv = s.Inv[inv.Parent] {
		out = append(out, s.Env.Profiles[inv.Profile].Deny...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s *State) deadline(d *Decision, t *Task) {
	if t.Deadline > 0 {
		d.out(Out{Kind: Timer, Name: "task:" + t.ID, After: t.Deadline})
	}
}

func (s *State) grace(inv *Inv) time.Duration {
	return s.Env.Profiles[inv.Profile].Delegation.StopGrace
}

// halt ends the work of a task and of everything below it, deepest first.
func (s *State) halt(d *Decision, t *Task, h agent.Halt) {
	if t.State != "running" {
		s.endTask(d, t, journal.Cancelled, h.Reason, nil, journal.Usage{})
		return
	}
	s.haltInv(d, s.Inv[t.Inv], h)
}

func (s *State) haltInv(d *Decision, inv *Inv, h agent.Halt) {
	if inv.Ended || inv.Halting {
		return
	}
	inv.Halting, inv.halt = true, h
	for i := range inv.Calls { // it settles its calls itself, whatever becomes of the children meanwhile
		key := inv.Calls[i].key
		if s.awaits[key] != nil {
			delete(s.awaits, key)
			d.out(Out{Kind: Untimer, Name: "await:" + key})
		}
		delete(s.kills, key)
	}
	for _, t := range s.live(inv) {
		s.halt(d, t, h)
	}
	d.out(Out{Kind: Halt, Path: inv.Path, Halt: h})
	d.out(Out{Kind: Timer, Name: "grace:" + inv.Path, After: s.grace(inv)})
}

// CancelRun asks for the end of the run.
func (s *State) CancelRun(said Said, now time.Time) *Decision {
	d := s.begin(now, "")
	s.cancelRun(d, said)
	s.fill(d)
	return d
}

func (s *State) cancelRun(d *Decision, said Said) {
	if s.Status == "ended" || s.cancel != nil {
		return
	}
	d.add(journal.Scope{}, &journal.RunCancelRequested{By: agent.Bounded(said.By), Reason: agent.Bounded(said.Text), Command: said.Command})
	s.haltAll(d)
}

func (s *State) haltAll(d *Decision) {
	if inv := s.Inv[s.Owner]; inv != nil {
		s.haltInv(d, inv, agent.Halt{Reason: "cancelled", By: s.cancel.By})
	}
}

// cancelTask asks for the end of one task and its subtree.
func (s *State) cancelTask(d *Decision, t *Task, said Said) {
	if t.State == "ended" || t.Cancelled != nil {
		return
	}
	d.add(journal.Scope{Task: t.ID}, &journal.TaskCancelRequested{By: agent.Bounded(said.By), Reason: agent.Bounded(said.Text), Command: said.Command})
	s.halt(d, t, agent.Halt{Reason: "cancelled", By: said.By})
}

// cancelTasks decides agent.cancel: it is answered when every leaf has stopped.
func (s *State) cancelTasks(d *Decision, inv *Inv, op *agent.Op) {
	ids, bad := s.ownTasks(inv, op.Args)
	if bad != nil {
		d.settle(inv, op.Call, *bad)
		return
	}
	reason, _ := op.Args.String("reason")
	s.kills[op.Call] = &kill{inv: inv.Path, ids: ids}
	for _, id := range ids {
		s.cancelTask(d, s.Tasks[id], Said{By: inv.Path, Text: reason})
	}
	s.answerKills(d, inv)
}

func (s *State) answerKills(d *Decision, inv *Inv) {
	for i := range inv.Calls {
		key := inv.Calls[i].key
		k := s.kills[key]
		if k == nil || !inv.Calls[i].open {
			continue
		}
		type row struct {
			TaskID    string   `json:"taskId"`
			Outcome   string   `json:"outcome"`
			Changed   bool     `json:"changed"`
			Survivors []string `json:"survivors,omitempty"`
		}
		var rows []row
		text := ""
		for _, id := range k.ids {
			t := s.Tasks[id]
			if t.State != "ended" {
				rows = nil
				break
			}
			rows = append(rows, row{id, string(t.Outcome), t.Cancelled != nil, t.Survivors})
			text += t.Key + " (" + id + "): " + string(t.Outcome)
			if len(t.Survivors) > 0 {
				text += ", not confirmed stopped: " + t.Reason
			}
			text += "\n"
		}
		if len(rows) == len(k.ids) {
			d.settle(inv, key, tooling.Result{Content: text, Data: data(map[string]any{"tasks": rows})})
		}
	}
}
