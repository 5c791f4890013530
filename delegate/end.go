package delegate

import (
	"slices"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// finish decides workspace.finish.
func (s *State) finish(d *Decision, inv *Inv, op *agent.Op) {
	p := s.Env.Profiles[inv.Profile]
	live := s.live(inv)
	switch {
	case p.NeedCommit && len(s.commits) == 0:
		d.settle(inv, op.Call, tooling.Fail("agent.commit_required", "nothing was published yet: publish the result with the commit tool, then finish"))
		return
	case len(live) > 0 && p.Delegation.DenyFinishWithChildren:
		d.settle(inv, op.Call, tooling.Fail("agent.finish_pending_tasks", "these tasks have not ended: "+keys(live)+"; await or cancel them first"))
		return
	case s.waiting(inv) && s.goesOn(inv, p):
		d.settle(inv, op.Call, tooling.Fail("agent.finish_unheard", "a human has said something meanwhile, which follows; take it up, then finish"))
		return
	}
	reason, _ := op.Args.String("reason")
	s.endWith(d, inv, pendingEnd{call: op.Call, end: agent.End{Outcome: journal.Completed, Reason: "finished", Text: reason}})
}

// goesOn says whether an invocation may take another whole turn.
func (s *State) goesOn(inv *Inv, p *agent.Profile) bool {
	b := &s.Env.Budgets
	return inv.Turn < p.Rounds && inv.NCalls < p.MaxCalls && (b.Rounds == 0 || s.rounds < b.Rounds)
}

// returned decides task.return.
func (s *State) returned(d *Decision, inv *Inv, op *agent.Op) {
	t := s.Tasks[inv.Task]
	if t == nil || t.State == "ended" {
		d.settle(inv, op.Call, tooling.Fail("agent.task_already_ended", "the task has ended"))
		return
	}
	rep, bad := s.report(inv, t, op.Args)
	if bad != nil {
		d.settle(inv, op.Call, *bad)
		return
	}
	out := journal.Completed
	if rep.Status == "failed" {
		out = journal.Failed
	}
	s.endWith(d, inv, pendingEnd{call: op.Call, report: rep, end: agent.End{Outcome: out, Reason: "returned", Text: rep.Summary}})
}

// endWith ends an invocation as soon as its children have ended; those that live are
// cancelled, and their end is confirmed first.
func (s *State) endWith(d *Decision, inv *Inv, e pendingEnd) {
	waiting := s.ends[inv.Path]
	if inv.Ended || waiting != nil && (e.call != "" || waiting.call == "" && waiting.finish == nil) {
		return // a finishing call that waits gives way to a cancel or a failure, and to nothing else
	}
	live := s.live(inv)
	if len(live) == 0 {
		s.conclude(d, inv, &e)
		return
	}
	s.ends[inv.Path] = &e
	for _, t := range live {
		s.cancelTask(d, t, Said{By: inv.Path, Text: "the caller has ended"})
	}
}

// conclude writes the terminal records of an invocation without live children.
func (s *State) conclude(d *Decision, inv *Inv, e *pendingEnd) {
	delete(s.ends, inv.Path)
	if e.finish != nil {
		e.finish(d)
		return
	}
	if e.call != "" {
		d.settle(inv, e.call, tooling.Result{Content: "done"})
	}
	// Awaits and cancels of a model that is gone are answered, so that its history is paired.
	for i := range inv.Calls {
		if c := &inv.Calls[i]; c.open {
			r := tooling.Fail("tool.not_run", "not run: "+e.end.Reason)
			r.Outcome = journal.Cancelled
			d.settle(inv, c.key, r)
		}
	}
	t := s.Tasks[inv.Task]
	if t != nil && t.State != "ended" {
		if t.Cancelled != nil && e.report == nil && e.end.Outcome != journal.Unknown {
			e.end.Outcome, e.end.Reason = journal.Cancelled, "cancelled by "+t.Cancelled.By
		}
		rep := &Report{Summary: e.end.Text}
		if e.report != nil {
			rep = e.report
			d.add(journal.Scope{Task: t.ID}, &journal.TaskReturnAccepted{Status: rep.Status, Summary: rep.Summary, Result: journal.Text(string(data(rep))), Tools: slices.Clone(inv.Used), Changed: inv.Changed[:min(len(inv.Changed), maxListed)]})
		}
		rep.Tools, rep.Changed, rep.Turns, rep.Calls = slices.Clone(inv.Used), inv.Changed, inv.Turn, inv.NCalls
		rep.Took = d.now.Sub(inv.created)
		s.endTask(d, t, e.end.Outcome, e.end.Reason, rep, inv.Usage)
	}
	d.add(journal.Scope{Invocation: inv.Path, Task: inv.Task}, &journal.InvocationEnded{Outcome: e.end.Outcome, Reason: e.end.Reason, Code: e.end.Code,
		Text: journal.Text(e.end.Text), Usage: inv.Usage, Turns: inv.Turn, Calls: inv.NCalls})
	if inv.Halting {
		d.out(Out{Kind: Untimer, Name: "grace:" + inv.Path})
	}
	if inv.Path == s.Owner {
		s.endRun(d, inv, &e.end)
		return
	}
	if p := s.Inv[inv.Parent]; p != nil {
		s.childEnded(d, p)
	}
}

// endTask writes a task's one terminal record and the receipt of its tape.
func (s *State) endTask(d *Decision, t *Task, out journal.Outcome, reason string, rep *Report, u journal.Usage) {
	if rep == nil {
		rep = &Report{}
	}
	d.add(journal.Scope{Task: t.ID}, &journal.TaskEnded{Outcome: out, Reason: reason, Result: journal.Text(string(data(rep))), Usage: u, Survivors: t.Survivors})
	if t.Deadline > 0 && t.Inv != "" {
		d.out(Out{Kind: Untimer, Name: "task:" + t.ID})
	}
	if t.Kind != kindReturn {
		return
	}
	if t.Inv != "" {
		if out == journal.Completed || out == journal.Partial {
			d.add(journal.Scope{Task: t.ID}, &journal.TapeMerged{Tape: t.Inv, Head: s.Seq, Outcome: out})
		} else {
			d.add(journal.Scope{Task: t.ID}, &journal.TapeDiscarded{Tape: t.Inv, Head: s.Seq, Reason: reason})
		}
		return
	}
	if p := s.Inv[t.Parent]; p != nil { // it never had an invocation
		s.childEnded(d, p)
	}
}

// childEnded tells whatever waits for the children of an invocation.
func (s *State) childEnded(d *Decision, parent *Inv) {
	for i := range parent.Calls {
		if key := parent.Calls[i].key; s.awaits[key] != nil {
			s.checkAwait(d, key)
		}
	}
	s.answerKills(d, parent)
	if e := s.ends[parent.Path]; e != nil && len(s.live(parent)) == 0 {
		s.conclude(d, parent, e)
	}
}

// newest gives the last of a list that a record has to hold.
func newest(ids []string) []string { return ids[max(0, len(ids)-500):] }

// endRun writes the run's terminal record.
func (s *State) endRun(d *Decision, inv *Inv, e *agent.End) {
	m := &journal.RunEnded{Outcome: e.Outcome, Reason: e.Reason, Code: e.Code, Commits: newest(s.commits), UnknownCalls: newest(s.unknown),
		Usage: s.Usage, Duration: d.now.Sub(s.Created)}
	m.Result = journal.Text(e.Text)
	if e.Outcome == journal.Failed && len(s.commits) > 0 {
		m.Outcome = journal.Partial
	}
	if s.cancel != nil && m.Outcome != journal.Unknown && m.Outcome != journal.Completed {
		m.Outcome, m.Reason = journal.Cancelled, strings.TrimSuffix("cancelled by "+s.cancel.By+": "+s.cancel.Reason, ": ")
	}
	m.Survivors, m.Warnings = s.survivors, s.warnings[:min(len(s.warnings), maxListed)]
	for _, id := range s.TaskIDs {
		t := s.Tasks[id]
		if t.State == "ended" && !t.Delivered && t.Kind == kindReturn {
			m.Undelivered = append(m.Undelivered, t.Key)
		}
		m.Survivors = append(m.Survivors, t.Survivors...)
	}
	d.discard("the run has ended (" + string(m.Outcome) + ")")
	d.add(journal.Scope{}, m)
	d.out(Out{Kind: Over})
}

// Committed gives the newest accepted commit, or nil.
func (s *State) Committed() *journal.CommitRequested { return s.committed }

// handoff decides agent.handoff.
func (s *State) handoff(d *Decision, inv *Inv, op *agent.Op) {
	fail := func(code, text string) { d.settle(inv, op.Call, tooling.Fail(code, text)) }
	name, _ := op.Args.String("agentId")
	packet, _ := op.Args.Object("handoff")
	policy, _ := op.Args.String("pendingTaskPolicy")
	if policy == "" {
		policy = "denyIfPending"
	}
	from := s.Env.Profiles[inv.Profile]
	dp := &from.Delegation
	if inv.Path != s.Owner || !dp.CanHandoff {
		fail("agent.handoff_denied", "this agent may not hand over")
		return
	}
	target, bad := s.target(inv, name, true)
	if bad != nil {
		d.settle(inv, op.Call, *bad)
		return
	}
	pair := [2]string{inv.Profile, target.ID}
	live := s.live(inv)
	switch {
	case target.ID == inv.Profile:
		fail("agent.handoff_to_self", "an agent cannot hand over to itself; go on with the work")
	case len(s.chain)-1 >= dp.MaxHandoffs:
		fail("agent.handoff_depth_exhausted", "the limit of handoffs is reached: "+s.chainText()+"; finish the work yourself")
	case s.pairs[pair] >= dp.MaxHandoffRepeats:
		fail("agent.handoff_cycle", "the work goes in a circle: "+s.chainText()+" → "+target.ID+"; finish the work yourself")
	case len(live) > 0 && policy == "denyIfPending":
		fail("agent.handoff_pending_tasks", "these tasks have not ended: "+keys(live)+"; await or cancel them, or use pendingTaskPolicy cancelPending")
	case len(live) > 0:
		s.ends[inv.Path] = &pendingEnd{finish: func(d *Decision) {
			for _, t := range live {
				if len(t.Survivors) > 0 {
					d.settle(inv, op.Call, tooling.Fail("agent.handoff_pending_tasks", "these tasks could not be stopped: "+keys(live)))
					return
				}
			}
			s.transfer(d, inv, op, target, packet, policy)
		}}
		for _, t := range live {
			s.cancelTask(d, t, Said{By: inv.Path, Text: "handed over"})
		}
	default:
		s.transfer(d, inv, op, target, packet, policy)
	}
}

// transfer makes another agent the owner, in one decision.
func (s *State) transfer(d *Decision, inv *Inv, op *agent.Op, target *agent.Profile, packet *tooling.Object, policy string) {
	id := s.nextTask()
	key := s.taskKey(target.ID)
	base := inv.Path
	if i := strings.LastIndexByte(base, '/'); i >= 0 {
		base = base[:i]
	}
	path := base + "/" + key
	body := packet.Canonical()
	brief := s.handoffBrief(inv, target, body)
	m, err := s.Env.Invocation(agent.Birth{Kind: "handoff", Profile: target.ID, Path: path, Parent: inv.Path, Task: id, Depth: inv.Depth, Brief: brief, Denied: s.denied(inv), Input: s.given})
	if err != nil {
		d.settle(inv, op.Call, tooling.Fail("agent.target_unavailable", target.ID+" cannot be started: "+err.Error()))
		return
	}
	scope := d.scope(inv, op.Call)
	d.add(scope, &journal.HandoffRequested{Target: target.ID, Policy: policy, Packet: journal.Text(body)})
	d.add(scope, &journal.HandoffSettled{Accepted: true})
	for _, cid := range inv.Children {
		if t := s.Tasks[cid]; !t.Delivered {
			d.add(journal.Scope{Invocation: inv.Path, Task: cid}, &journal.TaskDelivered{To: path, Via: "handoff"})
		}
	}
	d.settle(inv, op.Call, tooling.Result{Content: "transferred to " + target.ID,
		Data: data(map[string]any{"handoffId": op.Call, "taskId": id, "status": "accepted", "agentId": target.ID})})
	for i := range inv.Calls {
		if c := &inv.Calls[i]; c.open {
			d.settle(inv, c.key, tooling.Fail("agent.handoff_already_taken", "control went to "+target.ID+" in this turn"))
		}
	}
	if t := s.Tasks[inv.Task]; t != nil && t.State != "ended" {
		s.endTask(d, t, journal.Completed, "transferred", nil, inv.Usage)
	}
	d.add(journal.Scope{Invocation: inv.Path, Task: inv.Task}, &journal.InvocationEnded{Outcome: journal.Transferred, Reason: "handoff to " + target.ID,
		Usage: inv.Usage, Turns: inv.Turn, Calls: inv.NCalls})
	d.add(journal.Scope{Task: id}, &journal.TaskCreated{ID: id, Key: key, Kind: kindTransfer, Agent: target.ID, Parent: inv.Path, ByCall: op.Call, Task: journal.Text(body)})
	d.add(journal.Scope{Task: id}, &journal.TaskStarted{Invocation: path})
	d.add(journal.Scope{Invocation: path, Task: id}, m)
}

func (s *State) chainText() string {
	if n := len(s.chain); n > 12 {
		return "… → " + strings.Join(s.chain[n-12:], " → ")
	}
	return strings.Join(s.chain, " → ")
}

func keys(ts []*Task) string {
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = t.Key
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Pause writes that the run rests, and that commands have asked for it.
func (s *State) Pause(reason string, commands []int64, now time.Time) *Decision {
	d := s.begin(now, "")
	d.add(journal.Scope{}, &journal.RunPaused{Reason: reason, Commands: commands})
	for _, id := range commands {
		d.out(Out{Kind: Reply, Tag: uint64(id), Name: journal.Recorded})
	}
	return d
}

// Park writes that the run needs a decision of a human.
func (s *State) Park(code, reason, advice string, now time.Time) *Decision {
	d := s.begin(now, "")
	d.add(journal.Scope{}, &journal.RunParked{Reason: reason, Code: code, AtSeq: s.Seq, Advice: advice})
	return d
}
