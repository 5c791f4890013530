package agent

import (
	"fmt"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

func empty() swarmtest.Turn { return swarmtest.Turn{Finish: model.FinishStop} }
func cutText(text string) swarmtest.Turn {
	return swarmtest.Turn{Text: text, Finish: model.FinishLength}
}
func opTools(ops []Op) (tools []string) { return mapped(ops, func(o Op) string { return o.Tool }) }
func cmdKinds(c []Command) []CommandKind {
	return mapped(c, func(c Command) CommandKind { return c.Kind })
}
func mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i := range in {
		out[i] = f(in[i])
	}
	return out
}

func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// A request goes out only when its record is durable.
func TestRequestWaitsForItsRecord(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	w := &Work{}
	d.part.Next(&d.live, w)
	if len(w.Records) != 1 || w.Records[0].Type() != journal.TModelRequested || len(w.Commands) != 0 || !d.live.Held {
		t.Fatalf("work %+v", w)
	}
	d.append(w.Records...)
	w = &Work{}
	d.part.Next(&d.live, w)
	if len(w.Records)+len(w.Commands)+len(w.Ops) != 0 {
		t.Fatalf("acts on what is not durable: %+v", w)
	}
	d.live.Held = false
	d.part.Next(&d.live, w)
	same(t, "commands", cmdKinds(w.Commands), []CommandKind{AskModel})
	w = &Work{}
	d.part.Next(&d.live, w)
	if len(w.Records)+len(w.Commands)+len(w.Ops) != 0 {
		t.Errorf("asks twice: %+v", w)
	}
}

// What an effect needs before it starts, by the class of its tool.
func TestBring(t *testing.T) {
	t.Parallel()
	type step struct {
		cmds []CommandKind
		recs []journal.Type
		ride bool
	}
	for _, row := range []struct {
		name  string
		call  model.AnswerCall
		mode  actors.GateMode
		gate  string
		steps []step
	}{
		{"a writer outside waits for its dispatch", poking, actors.Write, tooling.SourceGo, []step{
			{[]CommandKind{Enter}, nil, false}, {[]CommandKind{Execute}, []journal.Type{journal.TCallDispatched}, false}}},
		{"a reader's dispatch rides", peeking, actors.Read, tooling.SourceGo, []step{
			{[]CommandKind{Enter}, nil, false}, {[]CommandKind{Execute}, []journal.Type{journal.TCallDispatched}, true}}},
		{"a change that its settlement makes rides too", swarmtest.Call("workspace_write_file", `{"path":"output/a","content":"x"}`), actors.Write, "ws", []step{
			{[]CommandKind{Enter}, nil, false}, {[]CommandKind{Execute}, []journal.Type{journal.TCallDispatched}, true}}},
		{"a commit looks first", swarmtest.Call("workspace_commit", ``), actors.Write, "ws", []step{
			{[]CommandKind{Enter}, nil, false}, {[]CommandKind{Look}, nil, false},
			{[]CommandKind{Execute}, []journal.Type{journal.TCallDispatched}, false}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			d.turn(swarmtest.Do(row.call))
			for i, want := range row.steps {
				w := &Work{}
				d.part.Next(&d.live, w)
				same(t, fmt.Sprint("commands of step ", i), cmdKinds(w.Commands), want.cmds)
				same(t, fmt.Sprint("records of step ", i), mapped(w.Records, func(r journal.Record) journal.Type { return r.Type() }), want.recs)
				if w.Ride != want.ride {
					t.Errorf("step %d rides: %t", i, w.Ride)
				}
				d.append(w.Records...)
				c := w.Commands[0]
				if c.Kind == Enter && (c.Mode != row.mode || c.Gate != row.gate) {
					t.Errorf("enters %+v", c)
				}
				d.carry(c, "done")
			}
			d.wantCodes("")
			d.ask()
		})
	}
}

// The calls of the run itself: finishing ones wait for their siblings, and one at a time
// is asked for.
func TestDecidedCalls(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		turn swarmtest.Turn
		ops  [][]string // in each round; what is asked for is settled with the code after it
		fail []string
		want []string
	}{
		{"delegates and awaits at once", swarmtest.Do(swarmtest.Call("agent_delegate", `{"agentId":"worker","task":{"objective":"x"}}`), awaiting),
			[][]string{{DelegateTool, AwaitTool}}, []string{""}, []string{"", ""}},
		{"finish waits for an await", swarmtest.Do(awaiting, finishing1), [][]string{{AwaitTool}, {FinishTool}}, []string{"", ""}, []string{"", ""}},
		{"finish is refused after a failed call", swarmtest.Do(awaiting, finishing1), [][]string{{AwaitTool}}, []string{"agent.no_tasks"},
			[]string{"agent.no_tasks", "agent.finish_after_failed_call"}},
		{"handoff-2 the second handoff is tried when the first is refused", swarmtest.Do(handing, handing),
			[][]string{{HandoffTool}, {HandoffTool}}, []string{"agent.handoff_cycle", "agent.handoff_cycle"}, []string{"agent.handoff_cycle", "agent.handoff_cycle"}},
		{"handoff-1 a handoff does not mind a failed call", swarmtest.Do(handing, awaiting),
			[][]string{{AwaitTool}, {HandoffTool}}, []string{"agent.no_tasks", "agent.handoff_denied"}, []string{"agent.handoff_denied", "agent.no_tasks"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			d.turn(row.turn)
			for i, want := range row.ops {
				ops, _ := d.next()
				same(t, fmt.Sprint("operations of round ", i), opTools(ops), want)
				for _, op := range ops {
					d.settle(op.Call, tooling.Result{Content: "x", Code: row.fail[i]})
				}
			}
			d.next()
			d.wantCodes(row.want...)
		})
	}
}

// A return has no guard on failed siblings.
func TestReturnAfterFailedCall(t *testing.T) {
	t.Parallel()
	d := childDriver(t)
	d.turn(swarmtest.Do(listing, returning1))
	_, cmds := d.next()
	d.carry(cmds[0], "")
	d.next()
	d.done(d.key(0), tooling.Fail("tool.failed", "no"))
	ops, _ := d.next()
	same(t, "operations", opTools(ops), []string{ReturnTool})
}

// A tool that the snapshot has and the program has not is answered, and siblings run.
func TestToolGone(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	d.turn(swarmtest.Do(poking, listing))
	var left []tooling.Tool
	for _, tool := range d.env.Catalogue.Tools() {
		if tool.ID != tooling.SourceGo+":poke" {
			left = append(left, tool)
		}
	}
	var err error
	if d.env.Catalogue, err = tooling.NewCatalogue(left...); err != nil {
		t.Fatal(err)
	}
	d.run("listed")
	d.wantCodes("tool.unavailable", "")
	d.valid()
}

func TestPlan(t *testing.T) {
	t.Parallel()
	plan := func(step string) model.AnswerCall {
		return swarmtest.Call("update_plan", fmt.Sprintf(`{"plan":[{"step":%q,"status":"pending"}]}`, step))
	}
	bad := swarmtest.Call("update_plan", `{"plan":[{"step":"a","status":"in_progress"},{"step":"b","status":"in_progress"}]}`)
	d := rootDriver(t, nil)
	d.turn(swarmtest.Do(plan("a"), bad, plan("b")))
	d.run("")
	d.wantCodes("", "plan.multiple_in_progress", "")
	d.live = Live{}
	d.answer(swarmtest.Do(plan("c")))
	d.run("")
	if d.part.Plan != 3 {
		t.Errorf("%d revisions", d.part.Plan)
	}
	var revisions []string
	for _, r := range d.log {
		if m, ok := r.Payload.(*journal.CallSettled); ok && m.Code == "" {
			revisions = append(revisions, string(m.Structured))
		}
	}
	same(t, "revisions", revisions, []string{`{"revision":1,"open":1,"done":0}`, `{"revision":2,"open":1,"done":0}`, `{"revision":3,"open":1,"done":0}`})
}

// Turns without calls: what is said to the model, and when the work ends.
func TestTurnsWithoutCalls(t *testing.T) {
	t.Parallel()
	type turns []swarmtest.Turn
	for _, row := range []struct {
		name   string
		child  bool
		change func(p *Profile)
		turns  turns
		host   []string // of the message after the last turn; nil: the invocation ends
		end    End
	}{
		{"pairing-15 text", false, nil, turns{swarmtest.Say("all is well")}, []string{"Plain text is not a result", "workspace_finish", "agent_handoff"}, End{}},
		{"the last reminder says so", false, nil, turns{swarmtest.Say("a"), swarmtest.Say("b")}, []string{"This is the last reminder"}, End{}},
		{"text at the bound", false, nil, turns{swarmtest.Say("a"), swarmtest.Say("b"), swarmtest.Say("c")}, nil,
			End{Outcome: journal.Partial, Reason: "ended_without_finish", Text: "c"}},
		{"delegation-2 text of a child", true, nil, turns{swarmtest.Say("a"), swarmtest.Say("b")}, []string{"has not reached the caller", "task_return"}, End{}},
		{"delegation-2 text of a child at the bound", true, nil, turns{swarmtest.Say("a"), swarmtest.Say("b"), swarmtest.Say("c")}, nil,
			End{Outcome: journal.Partial, Reason: "ended_without_return", Text: "c"}},
		{"a wanted commit is named", false, func(p *Profile) { p.NeedCommit = true }, turns{swarmtest.Say("a")},
			[]string{"Publish with workspace_commit, then end with workspace_finish"}, End{}},
		{"limits-10 empty answers", false, nil, turns{empty()}, []string{"Your last answer was empty"}, End{}},
		{"limits-10 empty answers at the bound have a closing turn", false, nil, turns{empty(), empty(), empty()}, []string{"3 turns in a row could not be used"}, End{}},
		{"white space is empty", false, nil, turns{{Text: " \n\t", Finish: model.FinishStop}}, []string{"Your last answer was empty"}, End{}},
		{"cut text", false, nil, turns{cutText("one ")}, []string{"Go on exactly where it stopped"}, End{}},
		{"delegation-8 cut text goes on", false, nil, turns{cutText("one "), cutText("two "), swarmtest.Say("three"), swarmtest.Say("x"), swarmtest.Say("y")}, nil,
			End{Outcome: journal.Partial, Reason: "ended_without_finish", Text: "y"}},
		{"delegation-8 pieces are one text", false, func(p *Profile) { p.MaxTextTurns = 1 }, turns{cutText("one "), cutText("two "), swarmtest.Say("three")}, nil,
			End{Outcome: journal.Partial, Reason: "ended_without_finish", Text: "one two three"}},
		{"a text that never ends", false, nil, turns{cutText("one "), cutText("two "), cutText("three")}, nil,
			End{Outcome: journal.Partial, Reason: "bad_turns", Text: "one two three"}},
		{"an empty answer is no text", false, func(p *Profile) { p.MaxTextTurns = 2 }, turns{swarmtest.Say("a"), empty(), swarmtest.Say("b")}, nil,
			End{Outcome: journal.Partial, Reason: "ended_without_finish", Text: "b"}},
		{"filtered", false, nil, turns{{Text: "I", Finish: model.FinishFilter}}, nil,
			End{Outcome: journal.Failed, Reason: "model.failed", Code: "model.content_filter", Text: "I"}},
		{"budgets-1 rounds end on a text", false, func(p *Profile) { p.Rounds = 1 }, turns{swarmtest.Say("a")}, []string{"the limit of rounds is reached"}, End{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, row.change)
			if row.child {
				d = childDriver(t)
			}
			for _, turn := range row.turns {
				d.turn(turn)
			}
			if row.host == nil {
				d.wantEnd(row.end)
				return
			}
			d.ask()
			d.wantHost(row.host...)
		})
	}
}

// What resets the counts of turns in a row.
func TestTurnsInARow(t *testing.T) {
	t.Parallel()
	unknown := swarmtest.Call("nope", ``)
	for _, row := range []struct {
		name      string
		turns     []swarmtest.Turn
		text, bad int
	}{
		{"a call that ran resets both", []swarmtest.Turn{swarmtest.Say("a"), empty(), swarmtest.Do(peeking)}, 0, 0},
		{"a refused call resets neither", []swarmtest.Turn{swarmtest.Say("a"), swarmtest.Do(unknown)}, 1, 1},
		{"one good call among bad ones is no bad turn", []swarmtest.Turn{swarmtest.Do(unknown, peeking)}, 0, 0},
		{"every call refused is a bad turn", []swarmtest.Turn{swarmtest.Do(unknown, unknown), swarmtest.Do(unknown)}, 0, 2},
		{"arguments-5 a cut answer with calls is a bad turn", []swarmtest.Turn{{Calls: []model.AnswerCall{peeking}, Finish: model.FinishLength}}, 0, 1},
		{"a rule of the turn is no bad form", []swarmtest.Turn{swarmtest.Do(finishing1, finishing1)}, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			d.ask()
			for _, turn := range row.turns {
				d.answer(turn)
				for _, op := range d.run("fine") {
					if op.Kind == OpEnd {
						t.Fatalf("ended: %+v", op.End)
					}
				}
			}
			if d.part.TextTurns != row.text || d.part.BadTurns != row.bad {
				t.Errorf("%d text turns and %d bad ones, want %d and %d", d.part.TextTurns, d.part.BadTurns, row.text, row.bad)
			}
		})
	}
}

// One closing turn: what it says, what its answer does.
func TestClosingTurn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		change func(p *Profile)
		before []swarmtest.Turn
		host   string
		answer swarmtest.Turn
		codes  []string
		end    End
	}{
		{"budgets-1 rounds", func(p *Profile) { p.Rounds = 1 }, []swarmtest.Turn{swarmtest.Do(peeking)}, "the limit of rounds is reached",
			swarmtest.Say("half"), []string{}, End{Outcome: journal.Partial, Reason: "budget.rounds", Text: "half"}},
		{"calls in it are not run", func(p *Profile) { p.Rounds = 1 }, []swarmtest.Turn{swarmtest.Do(peeking)}, "Say in plain text",
			swarmtest.Turn{Text: "beside", Calls: []model.AnswerCall{poking, finishing1}}, []string{"model.tool_choice_violation", "model.tool_choice_violation"},
			End{Outcome: journal.Partial, Reason: "budget.rounds", Text: "beside"}},
		{"empty falls back to the last text", func(p *Profile) { p.Rounds = 2 }, []swarmtest.Turn{swarmtest.Say("earlier"), swarmtest.Do(peeking)}, "",
			empty(), []string{}, End{Outcome: journal.Partial, Reason: "budget.rounds", Text: "earlier"}},
		{"no text at all is failed", func(p *Profile) { p.Rounds = 1 }, []swarmtest.Turn{swarmtest.Do(peeking)}, "",
			empty(), []string{}, End{Outcome: journal.Failed, Reason: "budget.rounds"}},
		{"cut text counts", func(p *Profile) { p.Rounds = 1 }, []swarmtest.Turn{swarmtest.Do(peeking)}, "",
			cutText("half of"), []string{}, End{Outcome: journal.Partial, Reason: "budget.rounds", Text: "half of"}},
		{"bad turns", nil, []swarmtest.Turn{swarmtest.Do(swarmtest.Call("a", ``)), swarmtest.Do(swarmtest.Call("b", ``)), swarmtest.Do(swarmtest.Call("c", ``))},
			"3 turns in a row could not be used", swarmtest.Say("sorry"), []string{}, End{Outcome: journal.Partial, Reason: "bad_turns", Text: "sorry"}},
		{"budgets-12 no progress", nil, []swarmtest.Turn{swarmtest.Do(peeking), swarmtest.Do(peeking), swarmtest.Do(peeking), swarmtest.Do(peeking), swarmtest.Do(peeking)},
			"the same results again and again", swarmtest.Say("stuck"), []string{}, End{Outcome: journal.Partial, Reason: "no_progress", Text: "stuck"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, row.change)
			d.ask()
			for _, turn := range row.before {
				d.answer(turn)
				d.run("the result is long enough")
			}
			d.valid()
			d.wantHost(row.host)
			if d.part.Closing == "" {
				t.Fatal("no closing turn")
			}
			d.answer(row.answer)
			d.wantCodes(row.codes...)
			d.wantEnd(row.end)
			if n := d.part.Rounds; n != len(row.before) {
				t.Errorf("%d rounds", n)
			}
		})
	}
}

// budgets-12: the note comes once per cycle, a changed result resets, waiting never counts.
func TestStall(t *testing.T) {
	t.Parallel()
	notes := func(d *driver) (n int) {
		for _, r := range d.log {
			if m, ok := r.Payload.(*journal.TurnCorrected); ok && m.Rule == ruleStall {
				n++
			}
		}
		return n
	}
	for _, row := range []struct {
		name    string
		calls   []model.AnswerCall
		texts   []string
		notes   int
		closing string
	}{
		{"budgets-12 three times", []model.AnswerCall{peeking}, []string{"a", "a", "a"}, 1, ""},
		{"budgets-12 four times are one note", []model.AnswerCall{peeking}, []string{"a", "a", "a", "a"}, 1, ""},
		{"budgets-12 five times", []model.AnswerCall{peeking}, []string{"a", "a", "a", "a", "a"}, 1, "no_progress"},
		{"a changed result", []model.AnswerCall{peeking}, []string{"a", "a", "b", "b", "a"}, 0, ""},
		{"waiting", []model.AnswerCall{awaiting}, []string{"w", "w", "w", "w", "w", "w"}, 0, ""},
		{"a second cycle has its own note", []model.AnswerCall{peeking}, []string{"a", "a", "a", "b", "b", "b"}, 2, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			d.ask()
			for _, text := range row.texts {
				d.answer(swarmtest.Do(row.calls...))
				d.run(text)
			}
			if n := notes(d); n != row.notes || d.part.Closing != row.closing {
				t.Errorf("%d notes, closing %q", n, d.part.Closing)
			}
			d.valid()
		})
	}
}

// budgets-13 after the run's budget: a turn of which nothing was admitted is the last one.
func TestRunBudgetOfCalls(t *testing.T) {
	t.Parallel()
	refusedByRun := func(d *driver, i int) {
		d.settle(d.key(i), tooling.Fail("budget.calls", "All 3 tool calls of this run are used. End now."))
	}
	t.Run("budgets-13 one admitted", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		d.turn(swarmtest.Do(awaiting, peeking))
		d.part.Calls[1].Checked = false
		refusedByRun(d, 1)
		d.run("fine")
		if d.part.Closing != "" {
			t.Error("closes although a call was admitted")
		}
	})
	t.Run("budgets-11 none admitted", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		d.turn(swarmtest.Do(awaiting, peeking))
		for i := range 2 {
			d.part.Calls[i].Checked = false
			refusedByRun(d, i)
		}
		d.ask()
		d.wantHost("all tool calls of the run are used")
	})
}

// A failure of the model for good ends the invocation, with what is known when it was closing.
func TestModelFailure(t *testing.T) {
	t.Parallel()
	gone := &model.Error{Class: model.ClassPermanent, Code: "model.http_400", Detail: "no"}
	t.Run("delegation-9", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		d.ask()
		d.live.Asking = false
		d.append(d.part.Failed(1, gone)...)
		d.wantEnd(End{Outcome: journal.Failed, Reason: "model.failed", Code: "model.http_400", Text: "no"})
	})
	t.Run("in the closing turn", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, func(p *Profile) { p.Rounds = 1 })
		d.turn(swarmtest.Say("known"))
		d.ask()
		d.live.Asking = false
		d.append(d.part.Failed(1, gone)...)
		d.wantEnd(End{Outcome: journal.Partial, Reason: "budget.rounds", Text: "known"})
	})
	t.Run("attempts are counted until the answer", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		d.ask()
		d.append(d.part.AttemptFailed(1, gone)...)
		d.append(d.part.AttemptFailed(2, gone)...)
		if d.part.Attempts != 2 {
			t.Errorf("%d attempts", d.part.Attempts)
		}
		d.answer(swarmtest.Say("x"))
		if d.part.Attempts != 0 {
			t.Errorf("%d attempts after the answer", d.part.Attempts)
		}
	})
}

// A part that has ended says nothing more.
func TestEnded(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	d.append(d.part.rec(&journal.InvocationEnded{Outcome: journal.Completed, Reason: "finished"}, 0, ""))
	if ops, cmds := d.next(); len(ops)+len(cmds) != 0 || d.part.Phase != Ended || d.part.Outcome != journal.Completed {
		t.Errorf("%v %v %+v", ops, cmds, d.part.Phase)
	}
}

// delegation-14: results that the run delivers stand once, before the next request.
func TestDelivered(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	w := &Work{}
	d.part.Next(&d.live, w)
	d.append(w.Records...)
	d.append(d.part.rec(&journal.TaskDelivered{To: "root", Via: "auto", Text: journal.Text("both results")}, 1, ""),
		d.part.rec(&journal.TaskDelivered{To: "root", Via: "auto"}, 1, ""))
	d.live.Held = false
	d.ask()
	d.wantHost("both results")
	if n := len(d.part.History); n != 2 {
		t.Errorf("%d messages", n)
	}
	d.answer(swarmtest.Do(awaiting))
	d.append(d.part.rec(&journal.TaskDelivered{To: "root", Via: "await"}, 1, ""))
	if n := len(d.part.History); n != 2 {
		t.Errorf("what an await delivers stands in its result only: %d messages", n)
	}
}
