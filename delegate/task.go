package delegate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
)

const maxTask = 64 << 10 // bytes of one task object (delegation spec §5)

// delegate decides agent.delegate. The call settles as soon as the task exists; the
// child runs when a slot is free.
func (s *State) delegate(d *Decision, inv *Inv, op *agent.Op) tooling.Result {
	p := s.Env.Profiles[inv.Profile]
	name, _ := op.Args.String("agentId")
	body, ok := op.Args.Object("task")
	if !ok {
		return tooling.Fail("tool.invalid_arguments", "task is missing")
	}
	text := body.Canonical()
	if len(text) > maxTask {
		return tooling.Fail("agent.task_too_large", fmt.Sprintf("the task is %d bytes long, the limit is %d; put long material into files", len(text), maxTask))
	}
	if !p.Delegation.CanDelegate || (inv.Kind == "child" && !p.Delegation.AllowNested) {
		return tooling.Fail("agent.delegation_denied", "this agent may not delegate")
	}
	if inv.Depth >= s.Env.Budgets.Depth {
		return tooling.Fail("agent.depth_exhausted", fmt.Sprintf("the depth limit of %d is reached; do the work yourself", s.Env.Budgets.Depth))
	}
	target, bad := s.target(inv, name, false)
	if bad != nil {
		return *bad
	}
	if iso, ok := body.String("isolation"); ok && iso == "fork" {
		return tooling.Fail("agent.delegation_denied", "isolation fork is not in this version; leave isolation out, the files are shared")
	}
	if n := len(inv.Children); n >= p.Delegation.MaxChildren {
		return tooling.Fail("agent.child_limit", fmt.Sprintf("this agent has created %d tasks and the limit is %d; do the rest yourself", n, p.Delegation.MaxChildren))
	}
	if n := s.Agents() + s.queued; n >= s.Env.Budgets.Agents {
		d.add(journal.Scope{}, &journal.BudgetExhausted{What: "budget.agents", Used: int64(n), Limit: int64(s.Env.Budgets.Agents)})
		return tooling.Fail("budget.agents", fmt.Sprintf("the run has %d agents and the limit is %d; do the rest yourself", n, s.Env.Budgets.Agents))
	}
	id, key := s.nextTask(), s.taskKey(target.ID)
	d.add(journal.Scope{Task: id}, &journal.TaskCreated{ID: id, Key: key, Kind: kindReturn, Agent: target.ID, Parent: inv.Path, ByCall: op.Call,
		Task: journal.Text(text), Isolation: "shared", Deadline: target.Delegation.TaskDeadline})
	t := s.Tasks[id]
	out := map[string]any{"taskId": id, "taskKey": key, "agentId": target.ID, "status": "running"}
	state := "It is running"
	if len(inv.queue) == 0 && s.free(inv) {
		s.start(d, t)
	} else {
		pos := len(inv.queue) + 1
		d.add(journal.Scope{Task: id}, &journal.TaskQueued{Position: pos, Limit: p.Delegation.MaxRunning})
		out["status"], out["position"] = "queued", pos
		state = fmt.Sprintf("It is queued at position %d and starts by itself when a place is free", pos)
	}
	return tooling.Result{Content: fmt.Sprintf("%s (%s) was given to %s. %s. Its result arrives by itself; you need not wait for it.", key, id, target.ID, state), Data: data(out)}
}

func (s *State) nextTask() string { return "task_" + strconv.Itoa(len(s.TaskIDs)+1) }

// target finds the agent that a caller names: exactly, else without regard to case,
// outer space, spelling in Unicode, and the difference of space, _ and -.
func (s *State) target(inv *Inv, name string, handoff bool) (*agent.Profile, *tooling.Result) {
	caller := s.Env.Profiles[inv.Profile]
	var valid []string
	for _, id := range s.Env.Order {
		if caller.Delegation.May(caller.ID, s.Env.Profiles[id], handoff) {
			valid = append(valid, id)
		}
	}
	if !handoff && name == "self" && caller.Delegation.AllowSelf {
		return caller, nil
	}
	found := ""
	for _, id := range s.Env.Order {
		if id == name {
			found = id
			break
		}
	}
	if found == "" {
		n := 0
		for _, id := range s.Env.Order {
			if plain(id) == plain(name) {
				found, n = id, n+1
			}
		}
		if n != 1 {
			near := tooling.Nearest(name, valid, 5)
			r := tooling.Fail("agent.target_not_found", fmt.Sprintf("there is no agent %q here. Nearest: %s. Valid now: %s", name, list(near), list(valid)))
			return nil, &r
		}
	}
	if handoff && found == caller.ID {
		return caller, nil // the caller's own check says it better
	}
	if !slices.Contains(valid, found) {
		code, what := "agent.delegation_denied", "be given a task by this agent"
		if handoff {
			code, what = "agent.handoff_denied", "be handed the work by this agent"
		}
		r := tooling.Fail(code, fmt.Sprintf("%s cannot %s. Valid now: %s", found, what, list(valid)))
		return nil, &r
	}
	return s.Env.Profiles[found], nil
}

func plain(s string) string {
	return strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(strings.TrimSpace(norm.NFKC.String(s))))
}

func list(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	if len(ids) > 20 {
		return strings.Join(ids[:20], ", ") + fmt.Sprintf(" and %d more", len(ids)-20)
	}
	return strings.Join(ids, ", ")
}

// list decides agent.list.
func (s *State) list(inv *Inv, args *tooling.Object) tooling.Result {
	caller := s.Env.Profiles[inv.Profile]
	purpose, _ := args.String("purpose")
	query, _ := args.String("query")
	limit := 20
	if n, ok := args.Int("limit"); ok {
		limit = int(n)
	}
	type row struct {
		AgentID     string   `json:"agentId"`
		Operations  []string `json:"operations"`
		Description string   `json:"description"`
	}
	rows, total, text := []row{}, 0, ""
	for _, id := range s.Env.Order {
		t := s.Env.Profiles[id]
		var ops []string
		if caller.Delegation.CanDelegate && purpose != "handoff" && caller.Delegation.May(caller.ID, t, false) {
			ops = append(ops, "delegate")
		}
		if caller.Delegation.CanHandoff && purpose != "delegate" && caller.Delegation.May(caller.ID, t, true) {
			ops = append(ops, "handoff")
		}
		if len(ops) == 0 || !strings.Contains(strings.ToLower(id+" "+t.Delegation.Description), strings.ToLower(query)) {
			continue
		}
		if total++; total <= limit {
			rows = append(rows, row{id, ops, t.Delegation.Description})
			text += id + " (" + strings.Join(ops, ", ") + "): " + t.Delegation.Description + "\n"
		}
	}
	return tooling.Result{Content: text, Data: data(map[string]any{"agents": rows, "total": total})}
}

// ownTasks reads the taskIds of a call; absent means every task not yet delivered.
func (s *State) ownTasks(inv *Inv, args *tooling.Object) ([]string, *tooling.Result) {
	ids, twice := builtin.TaskIDs(args)
	if twice != nil {
		r := twice.Result()
		return nil, &r
	}
	if ids == nil {
		for _, id := range inv.Children {
			if !s.Tasks[id].Delivered {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			r := tooling.Fail("agent.no_tasks", "there is no task whose result you have not been given")
			return nil, &r
		}
		return ids, nil
	}
	for _, id := range ids {
		if !slices.Contains(inv.Children, id) {
			r := tooling.Fail("agent.task_not_found", fmt.Sprintf("%q is not a task of yours. Yours: %s", id, list(inv.Children)))
			return nil, &r
		}
	}
	return ids, nil
}

// await decides agent.await: it only watches, and ends at its deadline at the latest.
func (s *State) await(d *Decision, inv *Inv, op *agent.Op) {
	ids, bad := s.ownTasks(inv, op.Args)
	if bad != nil {
		d.settle(inv, op.Call, *bad)
		return
	}
	mode, _ := op.Args.String("mode")
	if mode == "" {
		mode = "nextCompleted"
	}
	timeout := 120 * time.Second
	if ms, ok := op.Args.Int("timeoutMs"); ok {
		timeout = time.Duration(ms) * time.Millisecond
	}
	s.awaits[op.Call] = &await{inv: inv.Path, ids: ids, mode: mode, since: d.now}
	if s.checkAwait(d, op.Call) {
		return
	}
	if s.waiting(inv) { // the model is given it first
		s.interrupt(d, op.Call)
		return
	}
	if timeout == 0 {
		s.answerAwait(d, op.Call, s.awaits[op.Call], true)
		return
	}
	d.out(Out{Kind: Timer, Name: "await:" + op.Call, After: timeout})
}

// checkAwait answers an await whose condition holds.
func (s *State) checkAwait(d *Decision, key string) bool {
	a := s.awaits[key]
	ended, fresh := 0, 0
	for _, id := range a.ids {
		if t := s.Tasks[id]; t.State == "ended" {
			ended++
			if !t.Delivered {
				fresh++
			}
		}
	}
	switch {
	case a.mode == "statusOnly", ended == len(a.ids), a.mode == "nextCompleted" && fresh > 0:
		s.answerAwait(d, key, a, false)
		return true
	}
	return false
}

func (s *State) answerAwait(d *Decision, key string, a *await, timedOut bool) {
	inv := s.Inv[a.inv]
	type row struct {
		TaskID   string          `json:"taskId"`
		TaskKey  string          `json:"taskKey"`
		AgentID  string          `json:"agentId"`
		Status   string          `json:"status"`
		Outcome  string          `json:"outcome,omitempty"`
		Waiting  string          `json:"waitingFor,omitempty"`
		Progress *progress       `json:"progress,omitempty"`
		Capsule  json.RawMessage `json:"capsule,omitempty"`
	}
	rows := make([]row, 0, len(a.ids))
	var due []*Task
	var b strings.Builder
	for _, id := range a.ids {
		t := s.Tasks[id]
		r := row{TaskID: id, TaskKey: t.Key, AgentID: t.Agent, Status: t.State, Outcome: string(t.Outcome)}
		switch {
		case t.State != "ended":
			r.Progress = s.progress(t, d.now)
			r.Waiting = r.Progress.waiting
			fmt.Fprintf(&b, "%s (%s): %s\n", t.Key, id, r.Progress.text)
		case t.Delivered || a.mode == "statusOnly":
			fmt.Fprintf(&b, "%s (%s): ended, %s\n", t.Key, id, t.Outcome)
		default:
			due = append(due, t)
			r.Capsule = data(t.Report)
		}
		rows = append(rows, r)
	}
	if timedOut {
		b.WriteString("The time for this await is over. The tasks go on; this is not a failure.\n")
	}
	out := map[string]any{"mode": a.mode, "timedOut": timedOut, "tasks": rows}
	if a.interrupted {
		out["interrupted"] = "guidance"
		b.WriteString("A message of the user has ended this await; read it next. The tasks go on.\n")
	}
	text := b.String()
	if len(due) > 0 {
		text = s.capsules(inv, due) + text
	}
	d.out(Out{Kind: Untimer, Name: "await:" + key})
	d.settle(inv, key, tooling.Result{Content: text, Data: data(out)})
	for _, t := range due {
		d.add(journal.Scope{Invocation: inv.Path, Task: t.ID, Turn: inv.Turn}, &journal.TaskDelivered{To: inv.Path, Via: "await"})
	}
}

type progress struct {
	Turns   int    `json:"turns"`
	Calls   int    `json:"calls"`
	Tool    string `json:"tool,omitempty"`
	ToolMS  int64  `json:"toolMs,omitempty"` // since the tool was asked for
	IdleMS  int64  `json:"idleMs"`           // since the last activity
	Tokens  int64  `json:"tokens,omitempty"`
	Queue   int    `json:"queuePosition,omitempty"`
	waiting string
	text    string
}

// progress says what a task that has not ended is doing.
func (s *State) progress(t *Task, now time.Time) *progress {
	p := &progress{}
	if t.State == "queued" {
		p.Queue = slices.Index(s.Inv[t.Parent].queue, t.ID) + 1
		p.waiting, p.text = "slot", fmt.Sprintf("queued at position %d", p.Queue)
		return p
	}
	inv := s.Inv[t.Inv]
	p.Turns, p.Calls = inv.Turn, inv.NCalls
	for i := range inv.Calls {
		if inv.Calls[i].open {
			p.Tool, p.ToolMS = inv.Calls[i].name, now.Sub(inv.Calls[i].since).Milliseconds()
			break
		}
	}
	p.IdleMS = now.Sub(inv.active).Milliseconds()
	for _, n := range []*int64{inv.Usage.Input, inv.Usage.Output} {
		if n != nil {
			p.Tokens += *n
		}
	}
	p.text = fmt.Sprintf("running for %s, turn %d, %d calls so far", now.Sub(inv.created).Round(time.Second), p.Turns, p.Calls)
	if p.Tool != "" {
		p.text += ", now in " + p.Tool + " for " + seconds(p.ToolMS)
	}
	p.text += ", last activity " + seconds(p.IdleMS) + " ago"
	if p.Tokens > 0 {
		p.text += fmt.Sprintf(", %d tokens used", p.Tokens)
	}
	if s.waits(inv) {
		p.waiting = "children"
	}
	return p
}

func seconds(ms int64) string {
	return (time.Duration(ms) * time.Millisecond).Round(time.Second).String()
}

// mayRead says whether a task is one of an invocation's own, or of those that handed the
// work over to it.
func (s *State) mayRead(inv *Inv, task string) bool {
	for ; inv != nil; inv = s.Inv[inv.Parent] {
		if slices.Contains(inv.Children, task) {
			return true
		}
		if inv.Kind != "handoff" {
			return false
		}
	}
	return false
}

// readResult decides agent.read_result: a page of an ended task's whole result.
func (s *State) readResult(inv *Inv, args *tooling.Object) tooling.Result {
	id, _ := args.String("taskId")
	if !s.mayRead(inv, id) {
		return tooling.Fail("agent.task_not_found", fmt.Sprintf("%q is not a task of yours. Yours: %s", id, list(inv.Children)))
	}
	t := s.Tasks[id]
	if t.State != "ended" {
		return tooling.Fail("agent.task_not_ended", id+" has not ended yet; await it")
	}
	offset, limit := 0, 8000
	if n, ok := args.Int("offset"); ok {
		offset = int(n)
	}
	if n, ok := args.Int("limit"); ok {
		limit = int(n)
	}
	text := t.Report.whole(t)
	total := utf8.RuneCountInString(text)
	if offset > total || (offset == total && total > 0) {
		return tooling.Fail("workspace.invalid_range", fmt.Sprintf("the result has %d characters, so it cannot be read from %d", total, offset))
	}
	r := []rune(text)
	end := min(total, offset+limit)
	out := map[string]any{"taskId": id, "offset": offset, "total": total}
	page := string(r[offset:end])
	if end < total {
		out["nextOffset"] = end
		page += fmt.Sprintf("\n[characters %d to %d of %d; read on with offset %d]", offset, end, total, end)
	}
	return tooling.Result{Content: page, Data: data(out)}
}

// data is JSON of a value that always can be encoded.
func data(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
