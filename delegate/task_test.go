package delegate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// Every check of agent.delegate, in the order of the specification: a row breaks its own
// rule and all that are checked after it.
func TestDelegateChecks(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 7000)
	var fat strings.Builder
	for i := range 10 {
		fmt.Fprintf(&fat, `,"part%d":%q`, i, big)
	}
	for _, row := range []struct {
		name    string
		budgets agent.Budgets
		lead    agent.Delegation
		nested  bool // asked by a child that may not
		calls   []string
		code    string
		says    []string
	}{
		{"no task", agent.Budgets{}, agent.Delegation{}, false, []string{`{"agentId":"nobody"}`}, "tool.invalid_arguments", nil},
		{"no objective", agent.Budgets{}, agent.Delegation{}, false, []string{`{"agentId":"nobody","task":{}}`}, "tool.invalid_arguments", nil},
		{"permissions-8 unknown keys", agent.Budgets{}, agent.Delegation{}, false, []string{`{"agentId":"maker","task":{"objective":"x"},"taskId":"task_1"}`}, "tool.invalid_arguments", nil},
		{"sizes-8 an objective of 8000 characters", agent.Budgets{}, agent.Delegation{}, false, []string{`{"agentId":"maker","task":{"objective":"` + strings.Repeat("汉", 8000) + `"}}`}, "", nil},
		{"sizes-8 one more", agent.Budgets{}, agent.Delegation{}, false, []string{`{"agentId":"maker","task":{"objective":"` + strings.Repeat("汉", 8001) + `"}}`}, "tool.invalid_arguments", []string{"8,001"}},
		{"too large before the target", agent.Budgets{}, agent.Delegation{}, false, []string{`{"agentId":"nobody","task":{"objective":"x"` + fat.String() + `}}`}, "agent.task_too_large", []string{"65536"}},
		{"an unknown target", agent.Budgets{Agents: 1}, agent.Delegation{MaxChildren: 1}, false, []string{`{"agentId":"nobody","task":{"objective":"x","isolation":"fork"}}`}, "agent.target_not_found", []string{"maker"}},
		{"a target that does not admit the caller", agent.Budgets{Agents: 1}, agent.Delegation{}, false, []string{`{"agentId":"closed","task":{"objective":"x","isolation":"fork"}}`}, "agent.delegation_denied", []string{"closed", "Valid now: maker, other"}},
		{"handoff-8 a target that is no child", agent.Budgets{Agents: 1}, agent.Delegation{}, false, []string{`{"agentId":"boss","task":{"objective":"x"}}`}, "agent.delegation_denied", []string{"boss"}},
		{"a target that is denied", agent.Budgets{}, agent.Delegation{DenyTargets: []string{"maker"}}, false, []string{`{"agentId":"maker","task":{"objective":"x"}}`}, "agent.delegation_denied", []string{"Valid now: other"}},
		{"itself without leave", agent.Budgets{}, agent.Delegation{}, false, []string{`{"agentId":"lead","task":{"objective":"x"}}`}, "agent.delegation_denied", nil},
		{"itself with leave", agent.Budgets{}, agent.Delegation{AllowSelf: true}, false, []string{`{"agentId":"self","task":{"objective":"x"}}`}, "", nil},
		{"a fork", agent.Budgets{Agents: 1}, agent.Delegation{MaxChildren: 1}, false, []string{`{"agentId":"maker","task":{"objective":"x","isolation":"fork"}}`}, "agent.delegation_denied", []string{"fork"}},
		{"too many children", agent.Budgets{Agents: 2}, agent.Delegation{MaxChildren: 1}, false, []string{`{"agentId":"maker","task":{"objective":"x"}}`, `{"agentId":"maker","task":{"objective":"x"}}`}, "agent.child_limit", []string{"1"}},
		{"budgets-3 too many agents", agent.Budgets{Agents: 2}, agent.Delegation{}, false, []string{`{"agentId":"maker","task":{"objective":"x"}}`, `{"agentId":"maker","task":{"objective":"x"}}`}, "budget.agents", []string{"2"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			shut := worker("closed")
			shut.Delegation.AllowedCallers = []string{"other"}
			p := newPlay(t, testEnv(t, row.budgets, lead(row.lead), worker("maker"), worker("other"), owner("boss"), shut))
			var calls []model.AnswerCall
			for _, c := range row.calls {
				calls = append(calls, swarmtest.Call("agent_delegate", c))
			}
			p.do("root", calls...)
			want := make([]string, len(calls))
			want[len(want)-1] = row.code
			p.wantCodes("root", want...)
			p.wantText("root", len(calls)-1, row.says...)
			if n := p.count(journal.TTaskCreated); n != len(calls)-1 && row.code != "" {
				t.Errorf("%d tasks", n)
			}
			p.verify()
		})
	}
}

// budgets-2: at the depth limit the tools are gone, and a forced call names the limit.
func TestDepth(t *testing.T) {
	t.Parallel()
	nested := worker("maker")
	nested.Delegation.CanDelegate, nested.Delegation.AllowNested = true, true
	p := newPlay(t, testEnv(t, agent.Budgets{Depth: 1}, lead(agent.Delegation{}), nested, worker("other")))
	p.do("root", delegating("maker"))
	p.do("root/maker", delegating("other"), peek)
	p.wantCodes("root/maker", "agent.depth_exhausted", "")
	p.wantText("root/maker", 0, "1")
	none := newPlay(t, testEnv(t, agent.Budgets{Depth: -1}, lead(agent.Delegation{}), worker("maker")))
	none.do("root", delegating("maker"))
	none.wantCodes("root", "agent.depth_exhausted")
}

// budgets-3: the refusal is in the journal.
func TestBudgetOfAgents(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{Agents: 4}, lead(agent.Delegation{MaxRunning: 1}), worker("maker")))
	p.do("root", delegating("maker"), delegating("maker"), delegating("maker"), delegating("maker"), delegating("maker"))
	p.wantCodes("root", "", "", "", "budget.agents", "budget.agents")
	if n := p.count(journal.TBudgetExhausted); n != 2 {
		t.Errorf("%d records of the budget", n)
	}
	if n := p.count(journal.TTaskCreated); n != 3 {
		t.Errorf("budgets-3: %d tasks beside the root", n)
	}
}

// delegation-13: how a target may be named.
func TestTargetNames(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, called, found, code, near string }{
		{"exactly", "researcher", "researcher", "", ""},
		{"delegation-13 outer space", "Researcher ", "researcher", "", ""},
		{"delegation-13 upper case", "RESEARCHER", "researcher", "", ""},
		{"delegation-13 a typing error", "reseracher", "", "agent.target_not_found", "Nearest: researcher"},
		{"an underscore for a dash", "fact_checker", "fact-checker", "", ""},
		{"a space for a dash", "Fact Checker", "fact-checker", "", ""},
		{"full-width letters", "ｒｅｓｅａｒｃｈｅｒ", "researcher", "", ""},
		{"exact wins over alike", "Twin-one", "Twin-one", "", ""},
		{"two that are alike", "TWIN ONE", "", "agent.target_not_found", "Valid now"},
		{"nothing near", "zzzzzzzzzz", "", "agent.target_not_found", "Valid now: Twin-one, fact-checker, researcher, twin_one"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("researcher"), worker("fact-checker"), worker("Twin-one"), worker("twin_one")))
			p.do("root", delegating(row.called))
			p.wantCodes("root", row.code)
			if row.code == "" {
				p.wantText("root", 0, "was given to "+row.found+".")
				var out struct{ AgentID string }
				if err := json.Unmarshal(p.settled("root")[0].Structured, &out); err != nil || out.AgentID != row.found {
					t.Errorf("the result states %q", out.AgentID)
				}
				return
			}
			p.wantText("root", 0, row.near)
		})
	}
}

// The call settles as soon as the task is durable, and says where it stands.
func TestDelegateResult(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{MaxRunning: 1}), worker("maker")))
	p.do("root", delegating("maker"), delegating("maker"), delegating("maker"))
	type result struct {
		TaskID, TaskKey, AgentID, Status string
		Position                         int
	}
	want := []result{
		{"task_1", "maker", "maker", "running", 0},
		{"task_2", "maker-002", "maker", "queued", 1},
		{"task_3", "maker-003", "maker", "queued", 2},
	}
	for i, m := range p.settled("root") {
		var got result
		if err := json.Unmarshal(m.Structured, &got); err != nil || got != want[i] {
			t.Errorf("result %d is %+v, %v", i, got, err)
		}
	}
	p.inOrder(journal.TTaskCreated, journal.TTaskStarted, journal.TInvocationCreated, journal.TTapeForked, journal.TCallSettled, journal.TTaskCreated, journal.TTaskQueued, journal.TCallSettled)
	for _, s := range []string{testRun, p.parts["root"].Calls[0].Key} {
		if strings.Contains(p.text("root", 0), s) {
			t.Errorf("delegation-20: an internal id in %q", p.text("root", 0))
		}
	}
}

// delegation-1: the whole way of one task.
func TestOneTask(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("critic")))
	p.do("root", delegating("critic"), peek)
	p.do("root", awaitOne)
	p.wantCodes("root", "-")
	p.do("root/critic", peek)
	p.do("root/critic", returning("all fine"))
	p.wantCodes("root", "")
	p.wantText("root", 0, "all fine", "critic", "completed", "Measured: tools used: peek 1×; files changed: none")
	p.wantTask("task_1", "ended", journal.Completed, "returned")
	p.do("root", finish)
	p.wantRun(journal.Completed, "finished")
	p.inOrder(journal.TTaskCreated, journal.TTaskStarted, journal.TTaskReturnAccepted, journal.TTaskEnded, journal.TTapeMerged, journal.TInvocationEnded, journal.TTaskDelivered, journal.TRunEnded)
	if n := p.count(journal.TTaskDelivered); n != 1 {
		t.Errorf("delivered %d times", n)
	}
}

// How awaits end, by mode.
func TestAwaitModes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name      string
		args      string
		returned  int // children that return, before the await and after it
		after     int
		code      string // "-" open
		says      []string
		delivered int
	}{
		{"next, one has ended", ``, 1, 0, "", []string{"sum-0"}, 1},
		{"next, none yet", ``, 0, 0, "-", nil, 0},
		{"next, one ends", ``, 0, 1, "", []string{"sum-0", "running for"}, 1},
		{"all, one ends", `{"mode":"allCompleted"}`, 0, 1, "-", nil, 0},
		{"all end", `{"mode":"allCompleted"}`, 0, 2, "", []string{"sum-0", "sum-1"}, 2},
		{"delegation-12 status only", `{"mode":"statusOnly"}`, 0, 0, "", []string{"running for"}, 0},
		{"status does not deliver", `{"mode":"statusOnly","taskIds":["task_1"]}`, 1, 0, "", []string{"task_1): ended, completed"}, 0},
		{"no time at all", `{"timeoutMs":0}`, 0, 0, "", []string{"The time for this await is over"}, 0},
		{"a task of somebody else", `{"taskIds":["task_9"]}`, 0, 0, "agent.task_not_found", []string{"task_1, task_2"}, 0},
		{"the same task twice", `{"taskIds":["task_1","task_1"]}`, 1, 0, "tool.invalid_arguments", []string{"taskIds[1]"}, 0},
		{"too long a time", `{"timeoutMs":300001}`, 0, 0, "tool.invalid_arguments", nil, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
			p.reply("root", swarmtest.Do(delegating("maker"), delegating("maker")))
			p.step("root", p.parts["root"])
			returns := func(n int) {
				for i := range n {
					path := []string{"root/maker", "root/maker-002"}[i]
					p.step(path, p.parts[path])
					p.step(path, p.parts[path])
					p.reply(path, swarmtest.Do(returning(fmt.Sprint("sum-", i))))
					p.step(path, p.parts[path])
				}
			}
			// Results that are ready come before the request; so the child returns while it is out.
			p.step("root", p.parts["root"])
			p.step("root", p.parts["root"])
			returns(row.returned)
			p.do("root", swarmtest.Call("agent_await", row.args))
			if row.returned == 0 {
				for i := range row.after {
					p.do([]string{"root/maker", "root/maker-002"}[i], returning(fmt.Sprint("sum-", i)))
				}
			}
			p.wantCodes("root", row.code)
			if row.code != "-" {
				p.wantText("root", 0, row.says...)
			}
			n := 0
			for _, r := range p.log {
				if m, ok := r.Payload.(*journal.TaskDelivered); ok && m.Via == "await" {
					n++
				}
			}
			if n != row.delivered {
				t.Errorf("%d tasks were delivered by the await", n)
			}
			p.verify()
		})
	}
}

// delegation-4: an await ends at its deadline as a success, and cancels nothing.
func TestAwaitDeadline(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, args string
		after      time.Duration
	}{
		{"the default", ``, 120 * time.Second},
		{"delegation-4 the longest", `{"timeoutMs":300000}`, 300 * time.Second},
		{"a short one", `{"timeoutMs":1}`, time.Millisecond},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
			p.holds["root/maker"] = true
			p.do("root", delegating("maker"))
			p.do("root/maker", peek)
			p.do("root", swarmtest.Call("agent_await", row.args))
			p.advance(row.after - time.Nanosecond)
			p.wantCodes("root", "-")
			p.advance(time.Nanosecond)
			p.wantCodes("root", "")
			p.wantText("root", 0, "The tasks go on; this is not a failure", "now in peek for "+row.after.Round(time.Second).String())
			var out struct{ TimedOut bool }
			_ = json.Unmarshal(p.settled("root")[0].Structured, &out)
			if !out.TimedOut {
				t.Error("timedOut is not set")
			}
			p.wantTask("task_1", "running", "", "")
			// A crash gives an await its full time again.
			p.do("root", swarmtest.Call("agent_await", row.args))
			p.advance(row.after / 2)
			p.crash()
			p.pump()
			p.advance(row.after - time.Nanosecond)
			p.wantCodes("root", "-")
			p.advance(time.Nanosecond)
			p.wantCodes("root", "")
		})
	}
}

// Several awaits of one task are all answered, and it is delivered once.
func TestSeveralAwaits(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
	p.do("root", delegating("maker"))
	p.do("root", awaitOne, awaitAll)
	p.do("root/maker", returning("once only"))
	p.wantCodes("root", "", "")
	p.wantText("root", 0, "once only")
	p.wantText("root", 1, "ended, completed")
	if strings.Contains(p.text("root", 1), "once only") {
		t.Error("shown twice")
	}
	p.do("root", awaitOne)
	p.wantCodes("root", "agent.no_tasks")
	p.verify()
}

// delegation-14: results that nobody awaits come once, before the next request, in order of tasks.
func TestAutomaticDelivery(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker"), worker("critic")))
	p.do("root", delegating("maker"), delegating("critic"))
	p.do("root/critic", returning("from the critic"))
	p.do("root/maker", returning("from the maker"))
	p.do("root", peek)
	m := p.last("root")
	if m.Role != model.Host || strings.Index(m.Text, "from the maker") > strings.Index(m.Text, "from the critic") || strings.Count(m.Text, evidence) != 1 {
		t.Fatalf("delegation-14: the last message is %+v", m)
	}
	p.do("root", swarmtest.Call("agent_await", `{"taskIds":["task_1"]}`))
	if strings.Contains(p.text("root", 0), "from the maker") {
		t.Error("delegation-14: shown again")
	}
	// After a corrected text turn too.
	p.do("root", delegating("maker"))
	p.do("root/maker-002", returning("later"))
	p.say("root", swarmtest.Say("thinking"))
	if m := p.last("root"); m.Role != model.Host || !strings.Contains(m.Text, "later") {
		t.Errorf("the last message is %+v", m)
	}
	p.do("root", finish)
	p.wantRun(journal.Completed, "")
}

// What a parent is told of tasks that go on.
func TestProgress(t *testing.T) {
	t.Parallel()
	nested := worker("maker")
	nested.Delegation.CanDelegate, nested.Delegation.AllowNested = true, true
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{MaxRunning: 2}), nested, worker("other")))
	p.do("root", delegating("maker"), delegating("other"), delegating("other"))
	p.do("root/maker", delegating("other"))
	p.do("root/maker", awaitOne)
	p.now = p.now.Add(10 * time.Minute)
	p.do("root", swarmtest.Call("agent_await", `{"mode":"statusOnly"}`))
	p.wantText("root", 0, "maker (task_1): running for 10m0s, turn 2, 2 calls so far, now in agent_await for 10m0s, last activity 10m0s ago, 30 tokens used")
	var out struct {
		Tasks []struct {
			TaskID, Status, WaitingFor string
			Progress                   struct{ Turns, Calls, QueuePosition int }
		}
	}
	if err := json.Unmarshal(p.settled("root")[0].Structured, &out); err != nil || len(out.Tasks) != 3 {
		t.Fatalf("%s, %v", p.settled("root")[0].Structured, err)
	}
	if a := out.Tasks[0]; a.WaitingFor != "children" || a.Progress.Turns != 2 {
		t.Errorf("%+v", a)
	}
}

// agent.list and agent.read_result.
func TestListAndRead(t *testing.T) {
	t.Parallel()
	l := lead(agent.Delegation{CanHandoff: true})
	l.Allow = []string{"builtin:agent.*", "workspace.finish"}
	p := newPlay(t, testEnv(t, agent.Budgets{}, l, worker("maker"), owner("boss"), agent.Profile{ID: "hidden"}))
	p.do("root", swarmtest.Call("agent_list", ``), swarmtest.Call("agent_list", `{"purpose":"handoff"}`), swarmtest.Call("agent_list", `{"query":"WORKS"}`), swarmtest.Call("agent_list", `{"limit":1}`))
	p.wantText("root", 0, "boss (handoff): \nmaker (delegate): works as maker\n")
	if got := p.text("root", 1); got != "boss (handoff): \n" {
		t.Errorf("for handoffs: %q", got)
	}
	if got := p.text("root", 2); got != "maker (delegate): works as maker\n" {
		t.Errorf("for a query: %q", got)
	}
	var out struct{ Total int }
	_ = json.Unmarshal(p.settled("root")[3].Structured, &out)
	if out.Total != 2 || strings.Count(p.text("root", 3), "\n") != 1 {
		t.Errorf("bounded: %q of %d", p.text("root", 3), out.Total)
	}

	long := strings.Repeat("😀", 7000)
	p.do("root", delegating("maker"))
	p.do("root", swarmtest.Call("agent_read_result", `{"taskId":"task_1"}`), swarmtest.Call("agent_read_result", `{"taskId":"task_7"}`))
	p.wantCodes("root", "agent.task_not_ended", "agent.task_not_found")
	p.do("root/maker", returning(long))
	var whole strings.Builder
	for offset := 0; ; {
		p.do("root", swarmtest.Call("agent_read_result", fmt.Sprintf(`{"taskId":"task_1","offset":%d,"limit":2000}`, offset)))
		page, _, _ := strings.Cut(p.text("root", 0), "\n[characters ")
		whole.WriteString(page)
		var out struct{ NextOffset, Total int }
		if err := json.Unmarshal(p.settled("root")[0].Structured, &out); err != nil {
			t.Fatal(err)
		}
		if out.NextOffset == 0 {
			break
		}
		offset = out.NextOffset
	}
	if got := whole.String(); got != p.st.Tasks["task_1"].Report.whole(p.st.Tasks["task_1"]) || !strings.Contains(got, long) {
		t.Errorf("delegation-11: the pages are %d bytes", len(got))
	}
	p.do("root", swarmtest.Call("agent_read_result", `{"taskId":"task_1","offset":99999}`))
	p.wantCodes("root", "workspace.invalid_range")
}
