package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

var liveStart = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// liveRun makes the records of a run and folds them.
type liveRun struct {
	s   *liveState
	seq int64
	at  time.Time
}

func newLiveRun(team *swarm.Team) *liveRun {
	l := &liveRun{s: newLiveState(), at: liveStart}
	team.Version = 1
	l.add(journal.Scope{}, &journal.RunCreated{Name: team.Name, Team: journal.Text(string(team.Canonical()))})
	return l
}

func (l *liveRun) add(scope journal.Scope, p journal.Payload) {
	l.seq++
	l.s.fold(&journal.Record{Run: "run_01", Seq: l.seq, At: l.at, Scope: scope, Payload: p})
}

func (l *liveRun) after(d time.Duration) { l.at = l.at.Add(d) }

func (l *liveRun) of(path string, p journal.Payload) { l.add(journal.Scope{Invocation: path}, p) }

func (l *liveRun) call(path, tool, name, args string) {
	l.add(journal.Scope{Invocation: path, Call: path + name}, &journal.CallRequested{Tool: tool, Name: name, Args: journal.Text(args), Counted: true})
}

func (l *liveRun) settle(path, name string) {
	l.add(journal.Scope{Invocation: path, Call: path + name}, &journal.CallSettled{Outcome: journal.Completed})
}

func (l *liveRun) root(profile string) {
	l.of("root", &journal.InvocationCreated{Path: "root", Kind: "root", Profile: profile})
}

// task gives a task to a child, which starts unless it is queued.
func (l *liveRun) task(id, key, profile, parent string, queued bool) {
	scope := journal.Scope{Task: id}
	l.add(scope, &journal.TaskCreated{ID: id, Key: key, Kind: "return_to_parent", Agent: profile, Parent: parent})
	if queued {
		l.add(scope, &journal.TaskQueued{Position: 1, Limit: 5})
		return
	}
	l.begin(id, key, profile, parent)
}

func (l *liveRun) begin(id, key, profile, parent string) {
	path := parent + "/" + key
	l.add(journal.Scope{Task: id}, &journal.TaskStarted{Invocation: path})
	l.add(journal.Scope{Invocation: path, Task: id}, &journal.InvocationCreated{Path: path, Kind: "child", Profile: profile, Parent: parent, Task: id})
}

func (l *liveRun) ask(path string, turn int) {
	l.add(journal.Scope{Invocation: path, Turn: turn}, &journal.ModelRequested{Provider: "openai", Model: "gpt-5-mini"})
}

func (l *liveRun) answer(path string, turn int, in, out int64) {
	l.add(journal.Scope{Invocation: path, Turn: turn}, &journal.ModelAnswered{Usage: journal.Usage{Requests: 1, Input: &in, Output: &out}})
}

func (l *liveRun) end(path string, outcome journal.Outcome, reason string) {
	l.of(path, &journal.InvocationEnded{Outcome: outcome, Reason: reason})
}

// workingRun has an agent in every state.
func workingRun() *liveRun {
	l := newLiveRun(&swarm.Team{Name: "review", Agents: map[string]*agent.Profile{"silent": {Presentation: "quiet"}, "terse": {Presentation: "status"}},
		Budgets: agent.Budgets{Agents: 200, Rounds: 80, Calls: 400}})
	l.root("lead")
	l.ask("root", 1)
	l.after(2 * time.Second)
	l.answer("root", 1, 1200, 300)
	l.task("task_1", "critic", "critic", "root", false)
	l.task("task_2", "editor", "editor", "root", false)
	l.task("task_3", "critic-002", "critic", "root", false)
	l.task("task_4", "silent", "silent", "root", false)
	l.task("task_5", "terse", "terse", "root", false)
	l.task("task_6", "writer", "writer", "root", true)
	l.task("task_7", "writer-002", "writer", "root", true)
	l.ask("root", 2)
	l.answer("root", 2, 2_500_000, 1500)
	l.call("root", tooling.IDAwait, "agent_await", `{"mode":"allCompleted"}`)

	l.ask("root/critic", 1)
	l.answer("root/critic", 1, 900, 20)
	l.task("task_8", "reader", "reader", "root/critic", false)
	l.call("root/critic", tooling.IDAwait, "agent_await", `{"taskIds":["task_8"]}`)
	l.add(journal.Scope{Task: "task_1"}, &journal.SlotLent{Cause: "children"})
	l.ask("root/critic/reader", 1)
	l.of("root/critic/reader", &journal.ModelAttemptFailed{Attempt: 1, Class: "transient", Code: "model.overloaded"})

	l.ask("root/editor", 1)
	l.answer("root/editor", 1, 10, 10)
	l.call("root/editor", "builtin:read", "read", `{}`)
	l.call("root/editor", "builtin:grep", "grep", `{}`)
	l.after(61 * time.Second)
	l.of("root/critic-002", &journal.TurnClosed{Reason: "budget.rounds"})
	l.ask("root/silent", 1)
	l.s.preview("root/silent", "never shown")
	l.ask("root/terse", 1)
	l.s.preview("root/terse", "never shown")
	l.after(3 * time.Second)
	return l
}

// manyRun has one parent and n children: most have ended, some run, some are queued.
func manyRun(n int) *liveRun {
	l := newLiveRun(&swarm.Team{Name: "many", Budgets: agent.Budgets{Agents: n + 1}})
	l.root("lead")
	for i := range n {
		id, key := fmt.Sprintf("task_%d", i+1), fmt.Sprintf("worker-%03d", i+1)
		l.task(id, key, "worker", "root", i >= n-n/5)
		switch {
		case i >= n-n/5:
		case i%10 == 9:
			l.ask("root/"+key, 1)
		default:
			l.end("root/"+key, []journal.Outcome{journal.Completed, journal.Failed}[i%2], "returned")
		}
	}
	l.after(10 * time.Second)
	return l
}

func hostileRun() *liveRun {
	l := newLiveRun(&swarm.Team{Name: "evil\x1b[2J\u202e"})
	l.root("le\x1b]0;x\x07ad")
	l.of("root", &journal.ModelRequested{Model: strings.Repeat("m\u200b\x1b[1A", 100)})
	l.task("task_1", "a\r\n\x1b[31m"+strings.Repeat("汉", 80), "b\u202e", "root", false)
	l.call("root/a\r\n\x1b[31m"+strings.Repeat("汉", 80), "", "\x9b2J"+strings.Repeat("e\u0301\u0301\u0301\u0301\u0301\u0301", 40), "not JSON")
	l.task("task_2", strings.Repeat("deep", 20), "x", "root/a\r\n\x1b[31m"+strings.Repeat("汉", 80), false)
	l.end("root/a\r\n\x1b[31m"+strings.Repeat("汉", 80)+"/"+strings.Repeat("deep", 20), journal.Failed, "why\x1b[2J\nnot")
	l.s.preview("root", "text\x1b[10A\x1b[J\u202eturned\nsecond \x07 row")
	return l
}
