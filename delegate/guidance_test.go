package delegate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// hear is guidance that must be taken, and what comes of it.
func (p *play) hear(text string) {
	p.t.Helper()
	if answer := p.command(journal.CommandSay, text); answer != journal.Recorded {
		p.t.Fatalf("%q is answered %q\n%s", text, answer, p.dump())
	}
	p.pump()
}

// tail gives the newest messages of an invocation as "role: text".
func (p *play) tail(path string, n int) []string {
	p.t.Helper()
	part := p.parts[path]
	if part == nil {
		p.t.Fatalf("%s is gone\n%s", path, p.dump())
	}
	var out []string
	for _, m := range part.History[len(part.History)-n:] {
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s: %.40s", m.Role, m.Text), ": "))
	}
	return out
}

func (p *play) wantTail(path string, want ...string) {
	p.t.Helper()
	if got := p.tail(path, len(want)); !slices.Equal(got, want) {
		p.t.Errorf("the history of %s ends in %q, want %q\n%s", path, got, want, p.dump())
	}
}

// checkGuidance: whatever was submitted was given to an owner once or dropped, and the
// messages of humans in the histories are just these, in order.
func checkGuidance(t testing.TB, p *play) {
	t.Helper()
	texts, given := map[string]string{}, map[string][]string{}
	for _, r := range p.log {
		switch m := r.Payload.(type) {
		case *journal.GuidanceSubmitted:
			texts[m.ID] = m.Text.Text
		case *journal.GuidanceApplied:
			if m.Text.Text != texts[m.ID] {
				t.Errorf("%s says %q, not %q", m.ID, m.Text.Text, texts[m.ID])
			}
			given[r.Scope.Invocation] = append(given[r.Scope.Invocation], m.Text.Text)
		}
	}
	for path := range p.st.Inv {
		part := agent.NewPart(p.env, testRun)
		if err := part.FoldAll(p.of(path)); err != nil {
			t.Fatal(err)
		}
		var heard []string
		for _, m := range part.History[1:] {
			if m.Role == model.User {
				heard = append(heard, m.Text)
			}
		}
		if !slices.Equal(heard, given[path]) {
			t.Errorf("%s heard %q, was given %q", path, heard, given[path])
		}
	}
	if n := len(p.st.Guidance()); n > 0 {
		t.Errorf("%d texts still wait", n)
	}
}

// It is given to the owner right before its next request, behind the results of the turn
// and those of children, as messages of the human, in the order in which it was said.
func TestGuidanceIsGivenToTheOwner(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
	p.do("root", delegating("maker"))
	p.do("root/maker", returning("from the maker"))
	p.hear("use the blue one")
	p.hear("and hurry")
	if part := p.parts["root"]; len(part.History) != 3 {
		t.Fatalf("it changed a request that was out: %d messages", len(part.History))
	}
	p.do("root", peek)
	tail := p.tail("root", 5)
	if tail[0] != "assistant" || tail[1] != "tool" || !strings.HasPrefix(tail[2], "host: ") || tail[3] != "user: use the blue one" || tail[4] != "user: and hurry" {
		t.Fatalf("the history ends in %q", tail)
	}
	p.valid("root")
	p.do("root", peek) // once
	p.wantTail("root", "user: and hurry", "assistant", "tool")
	if part := p.parts["root"]; part.Turn != 4 {
		t.Errorf("turn %d", part.Turn)
	}
	p.do("root", finish)
	p.wantRun(journal.Completed, "")
	checkGuidance(t, p)
	p.inOrder(journal.TGuidanceSubmitted, journal.TGuidanceSubmitted, journal.TTaskDelivered, journal.TGuidanceApplied, journal.TGuidanceApplied, journal.TModelRequested)
}

// Limits: the run says what it does not take, and takes it when there is room again.
func TestGuidanceIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
	p.refuses(p.command(journal.CommandSay, " \n"), "guidance.empty")
	p.refuses(p.command(journal.CommandSay, strings.Repeat("汉", MaxGuidanceChars+1)), "guidance.too_long")
	p.hear(strings.Repeat("汉", MaxGuidanceChars))
	for i := range MaxGuidance - 1 {
		p.hear(fmt.Sprint("hint ", i))
	}
	p.refuses(p.command(journal.CommandSay, "one more"), "guidance.full")
	p.do("root", peek)
	p.hear("one more\xff\x00")
	p.do("root", peek)
	p.wantTail("root", "user: one more\uFFFD\uFFFD")
	p.valid("root")
	p.do("root", finish)
	p.refuses(p.command(journal.CommandSay, "too late"), "journal.ended")
	p.wantRun(journal.Completed, "")
	checkGuidance(t, p)
}

// A run that is admitted to its end takes no guidance any more, and what waits is dropped
// with the end, in the same append.
func TestGuidanceAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		end     func(p *play) // brings the run near its end, with a text that waits
		last    func(p *play) // and over it
		outcome journal.Outcome
	}{
		{"it finishes in its last round, and a child is still to stop", func(p *play) {
			p.holds["root/maker"], p.deaf["root/maker"] = true, true
			p.do("root", delegating("maker"))
			p.do("root/maker", swarmtest.Call("poke", ``))
			p.do("root", peek)
			p.do("root", peek)
			p.hear("wait")
			p.do("root", finish)
		}, func(p *play) { p.stops("root/maker") }, journal.Completed},
		{"it is cancelled", func(p *play) {
			p.holds["root"], p.deaf["root"] = true, true
			p.do("root", swarmtest.Call("poke", ``))
			p.hear("wait")
			p.command(journal.CommandCancel, "enough")
			p.pump()
		}, func(p *play) { p.stops("root") }, journal.Cancelled},
		{"its closing turn", func(p *play) {
			for range 3 {
				p.do("root", peek)
			}
			p.hear("wait")
			p.do("root", peek)
		}, func(p *play) { p.say("root", swarmtest.Say("that far")) }, journal.Partial},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			l := lead(agent.Delegation{})
			l.Rounds = 4
			p := newPlay(t, testEnv(t, agent.Budgets{}, l, worker("maker")))
			row.end(p)
			p.refuses(p.command(journal.CommandSay, "too late"), "guidance.too_late")
			if p.over {
				t.Fatalf("it is over\n%s", p.dump())
			}
			row.last(p)
			p.wantRun(row.outcome, "")
			n := len(p.log)
			if m, ok := p.log[n-2].Payload.(*journal.GuidanceDiscarded); !ok || m.ID != "guidance_1" || !strings.Contains(m.Reason, string(row.outcome)) {
				t.Errorf("before the end stands %+v", p.log[n-2].Payload)
			}
			checkGuidance(t, p)
		})
	}
}

// What was said while the last answer was under way is heard: the finish is refused once.
func TestGuidanceBeforeTheFinish(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
	p.do("root", peek)
	p.hear("one thing more")
	p.do("root", finish)
	if p.over {
		t.Fatalf("it is over\n%s", p.dump())
	}
	var refused bool
	for i := range p.log {
		if m, ok := p.log[i].Payload.(*journal.CallSettled); ok && m.Code == "agent.finish_unheard" {
			refused = true
		}
	}
	if !refused || len(p.st.Guidance()) != 0 {
		t.Errorf("refused %t, %d texts wait\n%s", refused, len(p.st.Guidance()), p.dump())
	}
	p.do("root", finish)
	p.wantRun(journal.Completed, "")
	checkGuidance(t, p)
}

// An await of the owner ends for it, also one that begins while it waits; that of a child
// does not.
func TestGuidanceEndsAnAwait(t *testing.T) {
	t.Parallel()
	mid := worker("mid")
	mid.Delegation = agent.Delegation{CanDelegate: true, AllowNested: true, Callable: true, AsChild: true}
	for _, row := range []struct {
		name  string
		first bool // it is said before the await
		args  string
	}{
		{"while it waits", false, ``},
		{"all", false, `{"mode":"allCompleted"}`},
		{"before it waits", true, ``},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), mid, worker("leaf")))
			p.do("root", delegating("mid"), delegating("leaf"))
			p.do("root/mid", delegating("leaf"))
			p.do("root/mid", awaitOne)
			p.do("root/leaf", returning("from the leaf"))
			if row.first {
				p.hear("look here")
			}
			call := swarmtest.Call("agent_await", `{"taskIds":["task_1"]}`)
			if row.args != "" {
				call = swarmtest.Call("agent_await", row.args)
			}
			p.do("root", call, swarmtest.Call("agent_await", `{"taskIds":["task_1"],"mode":"allCompleted"}`))
			if !row.first {
				p.wantCodes("root", "-", "-")
				p.hear("look here")
			}
			p.wantCodes("root", "", "")
			p.wantCodes("root/mid", "-")
			for i := range 2 {
				var got struct {
					TimedOut    bool   `json:"timedOut"`
					Interrupted string `json:"interrupted"`
				}
				if err := json.Unmarshal(p.settled("root")[i].Data(), &got); err != nil || got.TimedOut || got.Interrupted != "guidance" {
					t.Errorf("await %d: %+v, %v", i, got, err)
				}
				p.wantText("root", i, "A message of the user has ended this await", "mid (task_1): running")
			}
			tail := p.tail("root", 2)
			if tail[1] != "user: look here" {
				t.Errorf("the history ends in %q", tail)
			}
			if _, set := p.timers["await:"+p.parts["root"].Calls[0].Key]; set {
				t.Error("the deadline of the await still stands")
			}
			p.wantTask("task_1", "running", "", "")
			p.do("root/mid/leaf-002", returning("x"))
			p.wantCodes("root/mid", "")
			p.do("root/mid", returning("y"))
			p.do("root", finish)
			p.wantRun(journal.Completed, "")
			checkGuidance(t, p)
		})
	}
}

// After a turn of text only what a human said stands in the place of the reminder. Other
// corrections stay.
func TestGuidanceInsteadOfAReminder(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		turn swarmtest.Turn
		want []string
		rule string
	}{
		{"text", swarmtest.Say("thinking"), []string{"assistant: thinking", "user: do it"}, "text_only"},
		{"an empty answer", swarmtest.Say(""), []string{"tool", "host: Your last answer was empty. Go on with t", "user: do it"}, "empty_answer"},
		{"a cut text", swarmtest.Turn{Text: "so far", Finish: model.FinishLength},
			[]string{"assistant: so far", "host: Your text was cut at the length limit. G", "user: do it"}, "cut"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
			p.do("root", peek)
			p.hear("do it")
			p.say("root", row.turn)
			p.wantTail("root", row.want...)
			p.valid("root")
			corrected := 0
			for _, r := range p.log {
				if m, ok := r.Payload.(*journal.TurnCorrected); ok {
					corrected++
					if m.Rule != row.rule || m.Count != 1 || (m.Instead == "guidance") != (m.Text.Text == "") || (m.Instead == "guidance") != (row.rule == "text_only") {
						t.Errorf("the correction is %+v", m)
					}
				}
			}
			if corrected != 1 {
				t.Errorf("%d corrections", corrected)
			}
			p.crash() // the same history comes of the journal
			p.pump()
			p.wantTail("root", row.want...)
			p.say("root", swarmtest.Say("thinking again"))
			if tail := p.tail("root", 1); !strings.HasPrefix(tail[0], "host: Plain text is not a result") {
				t.Errorf("the history ends in %q", tail)
			}
			p.do("root", finish)
			p.wantRun(journal.Completed, "")
			checkGuidance(t, p)
		})
	}
}

// The text of a child is corrected as ever: guidance is not for it.
func TestGuidanceIsNotForChildren(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
	p.do("root", delegating("maker"))
	p.hear("for the lead")
	p.say("root/maker", swarmtest.Say("thinking"))
	if tail := p.tail("root/maker", 1); !strings.HasPrefix(tail[0], "host: Your text has not reached the caller") {
		t.Errorf("the history of the child ends in %q", tail)
	}
	if len(p.st.Guidance()) != 1 {
		t.Error("it does not wait any more")
	}
	p.do("root", finish) // refused: there is something to hear
	p.do("root", finish)
	p.pump()
	p.wantRun(journal.Completed, "")
}

// After a handoff what waits goes to the new owner; while a handoff waits for children to
// stop, it is still taken.
func TestGuidanceAfterAHandoff(t *testing.T) {
	t.Parallel()
	l := lead(agent.Delegation{CanHandoff: true})
	p := newPlay(t, testEnv(t, agent.Budgets{}, l, worker("maker"), owner("boss")))
	p.holds["root/maker"], p.deaf["root/maker"] = true, true
	p.do("root", delegating("maker"))
	p.do("root/maker", swarmtest.Call("poke", ``))
	p.hear("first")
	p.do("root", handing("boss", "cancelPending"))
	p.hear("second")
	p.stops("root/maker")
	p.wantTail("root/boss", "user: first", "user: second")
	p.valid("root/boss")
	p.do("root/boss", peek)
	p.hear("third")
	p.do("root/boss", peek)
	p.wantTail("root/boss", "user: third")
	p.do("root/boss", finish)
	p.wantRun(journal.Completed, "")
	checkGuidance(t, p)
}

// What waits survives a crash and a pause, and is given once.
func TestGuidanceAfterACrash(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
	p.do("root", peek)
	p.hear("keep this")
	p.crash()
	p.pump()
	p.take(p.st.Pause("user", nil, p.now))
	p.crash()
	p.pump()
	if w := p.st.Guidance(); len(w) != 1 || w[0].Text.Text != "keep this" || w[0].By != "user" {
		t.Fatalf("there wait %+v", w)
	}
	p.do("root", peek)
	p.crash()
	p.pump()
	p.wantTail("root", "user: keep this")
	p.do("root", finish)
	p.wantRun(journal.Completed, "")
	checkGuidance(t, p)
}

// A record of guidance that does not wait is damage.
func TestGuidanceDamage(t *testing.T) {
	t.Parallel()
	for name, rec := range map[string]journal.Record{
		"applied":              {Scope: journal.Scope{Invocation: "root"}, Payload: &journal.GuidanceApplied{ID: "guidance_1"}},
		"applied by nobody":    {Payload: &journal.GuidanceApplied{ID: "guidance_1"}},
		"discarded":            {Payload: &journal.GuidanceDiscarded{ID: "guidance_1"}},
		"applied by a phantom": {Scope: journal.Scope{Invocation: "ghost"}, Payload: &journal.GuidanceApplied{ID: "guidance_1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
			rec.Seq, rec.At = p.st.Seq+1, p.now.Add(time.Second)
			if err := p.st.Fold(&rec); fault.Code(err) != "journal.damaged" {
				t.Errorf("got %v", err)
			}
		})
	}
}
