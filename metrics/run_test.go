package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

const awaitTool, readTool = "builtin:agent.await", "builtin:read"

// child makes the facts of a task that starts at once.
func child(id string) []fact {
	return []fact{
		{task: id, p: &journal.TaskCreated{ID: id, Kind: "return_to_parent", Agent: "kid"}},
		{task: id, after: 2 * time.Second, p: &journal.TaskStarted{Invocation: "root/" + id}},
		{inv: "root/" + id, task: id, p: &journal.InvocationCreated{Path: "root/" + id, Kind: "child", Profile: "kid", Task: id}},
	}
}

// What an invocation does is told by its newest records.
func TestStatesOfAnInvocation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	steps := []struct {
		name  string
		facts []fact
		want  string
	}{
		{"created", root(), "invocations agent=lead state=created 1"},
		{"asked", asks("root", "", awaitTool, readTool), `
			invocations agent=lead state=created 0
			invocations agent=lead state=running 1
			tool_calls_in_flight effect=read tool=builtin:agent.await 1
			tool_calls_in_flight effect=read tool=builtin:read 1`},
		{"only waits", []fact{settles("root", "", readTool, journal.Completed)}, `
			invocations agent=lead state=waiting_children 1
			tool_calls_in_flight effect=read tool=builtin:read 0
			tool_call_duration_seconds outcome=completed source=builtin tool=builtin:read 1/1`},
		{"goes on", []fact{settles("root", "", awaitTool, journal.Completed)}, "invocations agent=lead state=running 1"},
		{"a human", []fact{{inv: "root", p: &journal.InvocationWaiting{Cause: "human"}}}, "invocations agent=lead state=waiting_human 1"},
		{"an unknown cause", []fact{{inv: "root", p: &journal.InvocationWaiting{Cause: "/etc/passwd"}}}, "invocations agent=lead state=other 1"},
		{"goes on again", []fact{{inv: "root", p: &journal.InvocationContinued{}}}, "invocations agent=lead state=running 1"},
		{"closing", []fact{{inv: "root", p: &journal.TurnClosed{Reason: "budget.rounds"}}}, `
			invocations agent=lead state=closing 1
			budget_exhausted_total budget=rounds team=team 1`},
		{"the same budget", []fact{{p: &journal.BudgetExhausted{What: "budget.rounds"}}}, "budget_exhausted_total budget=rounds team=team 1"},
		{"the closing answer", []fact{
			{inv: "root", p: &journal.ModelRequested{Provider: "openai", Model: "m", Closing: true}},
			{inv: "root", p: &journal.ModelAnswered{}},
		}, "turns_total agent=lead kind=root outcome=closing 1"},
		{"ended", []fact{{inv: "root", p: &journal.InvocationEnded{Outcome: journal.Partial}}, {inv: "root", p: &journal.InvocationWaiting{Cause: "human"}}}, `
			invocations agent=lead state=closing 0
			invocations agent=lead state=waiting_human 0
			invocations_ended_total agent=lead kind=root outcome=partial 1`},
		{"the run", []fact{{p: &journal.RunEnded{Outcome: journal.Partial, Duration: time.Minute}}}, "run_duration_seconds outcome=partial team=team 1/60"},
	}
	for _, s := range steps { // one after the other
		b.tell(s.facts...)
		b.want(s.want)
		if t.Failed() {
			t.Fatalf("after %q", s.name)
		}
	}
	b.run.Closed("partial", "")
	b.run.Closed("failed", "")
	b.want("runs_active team=team 0\nruns_ended_total outcome=partial team=team 1\nruns_ended_total outcome=failed team=team none")
}

// A child holds a slot, lends it, waits for one, and frees it.
func TestPool(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tell(append(root(), child("task_1")...)...)
	b.tell(fact{task: "task_2", p: &journal.TaskCreated{ID: "task_2", Kind: "return_to_parent", Agent: "kid"}}, fact{task: "task_2", p: &journal.TaskQueued{Position: 1}})
	b.want("pool_members state=running 1\npool_members state=queued 1\ntask_queue_seconds agent=kid 1/2")
	b.tell(append(asks("root/task_1", "task_1", awaitTool), fact{task: "task_1", p: &journal.SlotLent{}})...)
	b.want("pool_members state=running 0\npool_members state=lent 1\ninvocations agent=kid state=waiting_children 1")
	b.tell(settles("root/task_1", "task_1", awaitTool, journal.Completed))
	b.want("invocations agent=kid state=waiting_slot 1")
	b.tell(append([]fact{{task: "task_1", p: &journal.SlotTaken{}}}, asks("root/task_1", "task_1")...)...)
	b.want("pool_members state=running 1\npool_members state=lent 0\ninvocations agent=kid state=running 1\ninvocations agent=kid state=waiting_slot 0")
	b.tell(fact{task: "task_2", p: &journal.TaskEnded{Outcome: journal.Cancelled}})
	b.want("pool_members state=queued 0\ntasks_total agent=kid outcome=cancelled 1\ntask_duration_seconds agent=kid outcome=cancelled none")
	b.tell(fact{task: "task_1", after: 3 * time.Second, p: &journal.TaskEnded{Outcome: journal.Completed}},
		fact{inv: "root/task_1", task: "task_1", p: &journal.InvocationEnded{Outcome: journal.Completed}})
	b.want("pool_members state=running 1\ntask_duration_seconds agent=kid outcome=completed 1/3")
	b.tell(fact{task: "task_1", p: &journal.SlotFreed{}})
	b.want("pool_members state=running 0")
	if len(b.run.tasks) != 0 || len(b.run.invs) != 1 {
		t.Errorf("%d tasks and %d invocations are still kept", len(b.run.tasks), len(b.run.invs))
	}
}

func TestHandoffsAreCountedByProfile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tell(root()...)
	b.tell(fact{inv: "root", p: &journal.HandoffRequested{Target: "writer"}}, fact{inv: "root", p: &journal.HandoffSettled{}})
	b.want("handoffs_total from=lead to=writer none")
	b.tell(fact{inv: "root", p: &journal.HandoffRequested{Target: "writer"}}, fact{inv: "root", p: &journal.HandoffSettled{Accepted: true}},
		fact{task: "task_1", p: &journal.TaskCreated{ID: "task_1", Kind: "transfer_control", Agent: "writer"}},
		fact{task: "task_1", p: &journal.TaskStarted{Invocation: "writer"}},
		fact{inv: "writer", task: "task_1", p: &journal.InvocationCreated{Path: "writer", Kind: "handoff", Profile: "writer", Task: "task_1"}})
	b.want("handoffs_total from=lead to=writer 1\npool_members state=running 0\ninvocations agent=writer state=created 1")
	b.tell(fact{task: "task_1", p: &journal.TaskEnded{Outcome: journal.Completed}})
	if len(b.run.tasks) != 0 {
		t.Error("the task of the transfer is still kept")
	}
}

// How a call came out, and how it is counted.
func TestOutcomesOfCalls(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, tool, class string
		settled           journal.CallSettled
		want              string
	}{
		{"completed", readTool, "read", journal.CallSettled{Outcome: journal.Completed, Dispatched: true}, "tool_calls_total outcome=completed source=builtin tool=builtin:read 1"},
		{"failed at work", readTool, "read", journal.CallSettled{Outcome: journal.Failed, Dispatched: true, Code: "x"}, "tool_calls_total outcome=failed source=builtin tool=builtin:read 1"},
		{"never began", readTool, "read", journal.CallSettled{Outcome: journal.Failed, Code: "tool.invalid_arguments"}, "tool_calls_total outcome=refused source=builtin tool=builtin:read 1"},
		{"decided by the run", "builtin:agent.delegate", "none", journal.CallSettled{Outcome: journal.Failed, Code: "agent.child_limit"}, "tool_calls_total outcome=failed source=builtin tool=builtin:agent.delegate 1"},
		{"unknown tool", "", "", journal.CallSettled{Outcome: journal.Failed, Code: "model.unknown_tool_call"}, "tool_calls_total outcome=refused source=unknown tool=unknown 1"},
		{"no valid id", "nonsense", "read", journal.CallSettled{Outcome: journal.Completed, Dispatched: true}, "tool_calls_total outcome=completed source=unknown tool=unknown 1"},
		{"outcome unknown", "mcp/git:push", "write", journal.CallSettled{Outcome: journal.Unknown, Dispatched: true}, "tool_calls_total outcome=unknown source=mcp/git tool=mcp/git:push 1\ntool_call_duration_seconds outcome=unknown source=mcp/git tool=mcp/git:push none"},
		{"an outcome of a newer program", readTool, "read", journal.CallSettled{Outcome: "melted", Dispatched: true}, "tool_calls_total outcome=other source=builtin tool=builtin:read 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.tell(root()...)
			b.tell(fact{inv: "root", call: "k", p: &journal.CallRequested{Tool: row.tool, Class: row.class}},
				fact{inv: "root", call: "k", p: &journal.CallRequested{Tool: row.tool, Class: row.class}},
				fact{inv: "root", call: "k", p: &row.settled}, fact{inv: "root", call: "k", p: &row.settled})
			b.want(row.want)
		})
	}
}

// A run whose actor is made anew counts what it had not seen, and nothing twice; one of an
// earlier process counts nothing that is there already.
func TestLoaded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tell(append(root(), child("task_1")...)...)
	b.tell(asks("root", "", readTool, "builtin:glob")...)
	b.tell(settles("root", "", "builtin:glob", journal.Completed))
	const there = `
		runs_active team=team 1
		invocations agent=lead state=running 1
		invocations agent=kid state=created 1
		pool_members state=running 1
		tool_calls_in_flight effect=read tool=builtin:read 1
		tool_calls_total outcome=completed source=builtin tool=builtin:glob 1
		journal_records_total type=call_settled 1`
	b.want(there)
	b.run.Loaded(b.all)
	b.want(there)

	lost := append(b.all, journal.Record{Seq: b.seq + 1, At: b.now, Scope: journal.Scope{Invocation: "root", Call: "root " + readTool},
		Payload: &journal.CallSettled{Outcome: journal.Failed, Dispatched: true, Code: "x"}})
	b.run.Loaded(lost) // one more became durable while nobody looked
	b.want(`
		tool_calls_in_flight effect=read tool=builtin:read 0
		tool_calls_total outcome=failed source=builtin tool=builtin:read 1
		tool_calls_total outcome=completed source=builtin tool=builtin:glob 1
		journal_records_total type=call_settled 2`)

	next := setup(t)
	next.run.Loaded(b.all)
	next.want(`
		runs_active team=team 0
		runs_started_total team=team 0
		invocations agent=lead state=running 1
		tool_calls_in_flight effect=read tool=builtin:read 1
		tool_calls_total outcome=completed source=builtin tool=builtin:glob none
		journal_records_total type=call_settled none`)
	next.seq = b.seq
	next.tell(fact{p: &journal.RunStarted{}}, fact{p: &journal.RunResumed{From: "crash"}},
		fact{p: &journal.RecoveryClassified{Calls: []journal.ClassifiedCall{{Class: "rerun"}, {Class: "whatever"}}}})
	next.want(`
		runs_active team=team 1
		runs_started_total team=team 1
		recovered_calls_total class=settled 1
		recovered_calls_total class=rerun 1
		recovered_calls_total class=other 1`)
	next.run.Closed("interrupted", "")
	next.run.Recorded(lost) // too late
	next.run.Loaded(lost)
	next.want(`
		runs_active team=team 0
		runs_ended_total outcome=interrupted team=team 1
		invocations agent=lead state=running 0
		invocations agent=kid state=created 0
		pool_members state=running 0
		tool_calls_in_flight effect=read tool=builtin:read 0`)
}

// How a run came to rest when it never was at work.
func TestClosedBeforeItBegan(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, outcome, code, want string }{
		{"a damaged journal", "parked", "journal.damaged", "runs_started_total team=team 1\nruns_ended_total outcome=parked team=team 1\nrecovered_calls_total class=corrupt 1"},
		{"a full disk", "failed", "journal.append_failed", "runs_started_total team=team 1\nruns_ended_total outcome=failed team=team 1"},
		{"it had ended", "completed", "journal.ended", "runs_started_total team=team 0\nruns_ended_total outcome=completed team=team none"},
		{"it had moved on", "failed", "journal.seq_conflict", "runs_started_total team=team 0\nruns_ended_total outcome=failed team=team none"},
		{"an outcome of a newer program", "melted", "", "runs_ended_total outcome=other team=team 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.run.Closed(row.outcome, row.code)
			b.want(row.want + "\nruns_active team=team 0")
		})
	}
}

func TestDraining(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tell(root()...)
	b.run.Draining(b.now)
	b.tell(fact{after: 4 * time.Second, p: &journal.RunPaused{Reason: "user"}})
	b.want("drain_seconds 1/4")
}

func TestRestartedInvocations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tell(root()...)
	b.tell(fact{inv: "root", p: &journal.ActorFailed{Path: "root", Reason: "boom /etc/passwd"}}, fact{inv: "root", p: &journal.ActorRestarted{Path: "root"}})
	if got := b.m.remade.Load(); got != 1 {
		t.Errorf("%d were counted", got)
	}
	for key := range b.values() {
		if strings.Contains(key, "boom") {
			t.Errorf("the reason of a panic is a label: %s", key)
		}
	}
}
