package delegate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// command gives the run a new command and returns the answer.
func (p *play) command(kind, payload string) string {
	p.t.Helper()
	p.said++
	return p.again(p.said, kind, payload)
}

// again gives the run a command of a number.
func (p *play) again(id int64, kind, payload string) string {
	p.t.Helper()
	p.take(p.st.Command(&journal.Command{ID: id, Run: testRun, Kind: kind, Payload: payload, By: "user"}, true, p.now))
	return p.heard[id]
}

// refuses compares the code of an answer.
func (p *play) refuses(answer, code string) {
	p.t.Helper()
	if fault.Code(journal.Refusal(answer)) != code {
		p.t.Errorf("the answer is %q, want a refusal with %s\n%s", answer, code, p.dump())
	}
}

// Commands are answered truthfully, and carried out once however often they come.
func TestCommands(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{MaxRunning: 1}), worker("maker")))
	p.refuses(p.command("whistle", ""), "command.unknown")
	p.refuses(p.command(journal.CommandTree, ""), "command.stale")
	p.refuses(p.command(journal.CommandCancelTask, "{"), "command.invalid")
	p.refuses(p.command(journal.CommandCancelTask, `{"task":"task_1"}`), "agent.task_not_found")
	p.do("root", delegating("maker"), delegating("maker"), delegating("maker"))
	answer := p.command(journal.CommandCancelTask, `{"task":"root/nobody"}`)
	p.refuses(answer, "agent.task_not_found")
	if !strings.Contains(answer, "task_2 (root/maker-002)") {
		t.Errorf("the answer names no task: %s", answer)
	}
	for _, row := range []struct{ task, want string }{
		{"root/maker-002", journal.Recorded}, // the path of one that is queued
		{"maker-002", journal.Duplicate},
		{"task_2", journal.Duplicate},
		{"root/maker", journal.Recorded},
		{"task_1", journal.Duplicate},
		{"maker-003", journal.Recorded},
	} {
		if got := p.command(journal.CommandCancelTask, fmt.Sprintf(`{"task":%q}`, row.task)); got != row.want {
			t.Errorf("cancel of %s: %q, want %q", row.task, got, row.want)
		}
		p.pump()
	}
	p.wantTask("task_1", "ended", journal.Cancelled, "")
	p.wantTask("task_2", "ended", journal.Cancelled, "")

	p.hear("once")
	id := p.said
	if got := p.again(id, journal.CommandSay, "once"); got != journal.Recorded || len(p.st.Guidance()) != 1 {
		t.Errorf("the second time it is answered %q and %d texts wait", got, len(p.st.Guidance()))
	}
	p.crash() // its answer was lost with the process, its record was not
	p.pump()
	if got := p.again(id, journal.CommandSay, "once"); got != journal.Recorded || len(p.st.Guidance()) != 1 {
		t.Errorf("after a crash it is answered %q and %d texts wait", got, len(p.st.Guidance()))
	}
	p.take(p.st.Pause("user", []int64{77, 78}, p.now))
	if p.heard[77] != journal.Recorded || p.heard[78] != journal.Recorded || !p.st.Carried(78) || p.st.Carried(79) {
		t.Errorf("the pauses are answered %q, %q", p.heard[77], p.heard[78])
	}
	p.crash()
	p.pump()
	p.holds["root"], p.deaf["root"] = true, true
	p.do("root", swarmtest.Call("poke", ``))
	if got := p.command(journal.CommandCancel, "enough"); got != journal.Recorded {
		t.Errorf("the cancel is answered %q", got)
	}
	if got := p.command(journal.CommandCancel, "more than enough"); got != journal.Duplicate {
		t.Errorf("the second cancel is answered %q", got)
	}
	p.pump()
	p.stops("root")
	p.wantRun(journal.Cancelled, "cancelled by user: enough")
	p.refuses(p.command(journal.CommandCancel, ""), "journal.ended")
}

// pairing-4: an agent that is being stopped settles its own await as not run, also when
// its children end before it comes to that; so does one that cancels tasks.
func TestAwaitOfWhoIsStopped(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]string{"pairing-4 await": "agent_await", "pairing-4 cancel": "agent_cancel"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
			p.do("root", delegating("maker"))
			p.holds["root/maker"], p.deaf["root/maker"] = true, true
			p.do("root/maker", swarmtest.Call("poke", ``))
			p.do("root", swarmtest.Call(call, `{"taskIds":["task_1"]}`))
			p.wantCodes("root", "-")
			p.command(journal.CommandCancel, "enough")
			for len(p.held["root/maker"]) > 0 { // the child ends first
				p.done("root/maker", p.held["root/maker"][0], stopped)
			}
			for p.parts["root/maker"] != nil {
				p.step("root/maker", p.parts["root/maker"])
			}
			p.wantTask("task_1", "ended", journal.Cancelled, "")
			p.wantCodes("root", "-")
			p.pump()
			p.wantCodes("root", "tool.not_run")
			p.wantRun(journal.Cancelled, "enough")
			if len(p.timers) > 0 {
				t.Errorf("timers stand: %v", p.timers)
			}
		})
	}
}
