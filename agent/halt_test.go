package agent

import (
	"fmt"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

var (
	cancelled = Halt{Reason: "cancelled", By: "user"}
	timeOver  = Halt{Close: true, Reason: "budget.time"}
)

func (d *driver) halt(h Halt) { d.live.Halt = &h }

// A cancel in every state of a call: what has not begun is left, what runs is told to
// stop, every call has its result, and only then the invocation ends.
func TestCancelInEveryState(t *testing.T) {
	t.Parallel()
	stopped := tooling.Result{Code: "tool.cancelled", Content: "stopped", Outcome: journal.Cancelled}
	for _, row := range []struct {
		name   string
		turn   swarmtest.Turn
		before func(d *driver) // brings the calls into their states
		cmds   []CommandKind   // at the cancel
		after  func(d *driver) // effects end
		want   []string
	}{
		{"asked only", swarmtest.Do(poking, peeking), nil, []CommandKind{}, nil, []string{"tool.not_run", "tool.not_run"}},
		{"at the gate", swarmtest.Do(poking), func(d *driver) { d.next() }, []CommandKind{Leave}, nil, []string{"tool.not_run"}},
		{"holds the gate", swarmtest.Do(poking), func(d *driver) { d.next(); d.live.Calls[d.key(0)].State = Admitted }, []CommandKind{Leave}, nil, []string{"tool.not_run"}},
		{"looks before it is dispatched", swarmtest.Do(swarmtest.Call("workspace_commit", ``)), func(d *driver) { d.next(); d.live.Calls[d.key(0)].State = Admitted; d.next() },
			[]CommandKind{Stop}, func(d *driver) { d.live.Calls[d.key(0)].State = Prepared }, []string{"tool.not_run"}},
		{"pairing-10 runs, and succeeds all the same", swarmtest.Do(poking, poking, peeking), func(d *driver) { d.next(); d.live.Calls[d.key(0)].State = Admitted; d.next() },
			[]CommandKind{Stop, Leave, Leave}, func(d *driver) { d.done(d.key(0), tooling.Result{Content: "poked"}) }, []string{"", "tool.not_run", "tool.not_run"}},
		{"runs, and stops", swarmtest.Do(poking), func(d *driver) { d.next(); d.live.Calls[d.key(0)].State = Admitted; d.next() },
			[]CommandKind{Stop}, func(d *driver) { d.done(d.key(0), stopped) }, []string{"tool.cancelled"}},
		{"the run decides it", swarmtest.Do(awaiting, peeking), func(d *driver) { d.next() }, []CommandKind{Leave}, nil, []string{"tool.not_run", "tool.not_run"}},
	} {
		t.Run("pairing-4 "+row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			d.turn(row.turn)
			if row.before != nil {
				row.before(d)
			}
			d.halt(cancelled)
			ops, cmds := d.next()
			same(t, "commands", cmdKinds(cmds), row.cmds)
			if row.after != nil {
				if len(ops) != 0 {
					t.Fatalf("ends while an effect is under way: %+v", ops)
				}
				if _, again := d.next(); len(again) != 0 {
					t.Errorf("told twice: %v", again)
				}
				row.after(d)
				ops, _ = d.next()
			}
			if len(ops) != 1 || ops[0].Kind != OpEnd || *ops[0].End != (End{Outcome: journal.Cancelled, Reason: "cancelled"}) {
				t.Fatalf("ops %+v", ops)
			}
			d.wantCodes(row.want...)
			d.valid()
			if ops, _ := d.next(); len(ops) != 0 {
				t.Errorf("asks for its end twice")
			}
		})
	}
}

// A halt between and during requests.
func TestHaltAroundRequests(t *testing.T) {
	t.Parallel()
	t.Run("cancel before any request", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		d.halt(cancelled)
		d.wantEnd(End{Outcome: journal.Cancelled, Reason: "cancelled"})
	})
	t.Run("cancel while the model is asked", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		d.ask()
		d.halt(cancelled)
		ops, cmds := d.next()
		if len(ops) != 0 || len(cmds) != 1 || cmds[0].Kind != Stop || cmds[0].Call != "" {
			t.Fatalf("ops %+v, commands %+v", ops, cmds)
		}
		if _, cmds = d.next(); len(cmds) != 0 {
			t.Error("told twice")
		}
		d.live.Asking = false
		d.wantEnd(End{Outcome: journal.Cancelled, Reason: "cancelled"})
	})
	t.Run("cancel keeps the last text", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		d.turn(swarmtest.Say("so far"))
		d.halt(cancelled)
		d.wantEnd(End{Outcome: journal.Cancelled, Reason: "cancelled", Text: "so far"})
	})
	t.Run("the answer that a cancel meets is paired", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		d.ask()
		d.halt(cancelled)
		d.next()
		d.answer(swarmtest.Do(poking, peeking))
		d.wantEnd(End{Outcome: journal.Cancelled, Reason: "cancelled"})
		d.wantCodes("tool.not_run", "tool.not_run")
		d.valid()
	})
	t.Run("budgets-5 the time is over while the model is asked", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		d.ask()
		d.halt(timeOver)
		_, cmds := d.next()
		same(t, "commands", cmdKinds(cmds), []CommandKind{Stop})
		d.answer(swarmtest.Do(poking))
		d.ask()
		d.wantHost("the time for this task is over")
		d.wantCodes("tool.not_run")
		d.answer(swarmtest.Say("that much"))
		d.wantEnd(End{Outcome: journal.Partial, Reason: "budget.time", Text: "that much"})
	})
	t.Run("the time is over between requests", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		w := &Work{}
		d.part.Next(&d.live, w) // proposed, not durable
		d.append(w.Records...)
		d.halt(timeOver)
		d.ask()
		d.wantHost("the time for this task is over")
		if d.part.Turn != 2 || d.part.Rounds != 0 {
			t.Errorf("turn %d, %d rounds", d.part.Turn, d.part.Rounds)
		}
	})
	for _, text := range []string{"", "so far"} {
		t.Run(fmt.Sprintf("the closing turn has had its time, last text %q", text), func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			d.turn(swarmtest.Say(text))
			d.ask()
			d.halt(Halt{Over: true, Reason: "budget.time"})
			_, cmds := d.next()
			same(t, "commands", cmdKinds(cmds), []CommandKind{Stop})
			d.live.Asking = false
			want := End{Outcome: journal.Failed, Reason: "budget.time"}
			if text != "" {
				want = End{Outcome: journal.Partial, Reason: "budget.time", Text: text}
			}
			d.wantEnd(want)
		})
	}
	t.Run("an unknown end", func(t *testing.T) {
		t.Parallel()
		d := rootDriver(t, nil)
		d.halt(Halt{Reason: "unknown"})
		d.wantEnd(End{Outcome: journal.Unknown, Reason: "unknown"})
	})
}

// The second of two reasons to close changes nothing: there is one closing turn.
func TestTimeIsOverInTheClosingTurn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		when func(d *driver)
	}{
		{"before its answer", func(d *driver) { d.ask(); d.halt(timeOver); d.next(); d.answer(swarmtest.Say("known")) }},
		{"before its request", func(d *driver) {
			d.live.Held = true
			d.halt(timeOver)
			d.ask()
			d.answer(swarmtest.Say("known"))
		}},
		{"with its answer", func(d *driver) { d.ask(); d.answer(swarmtest.Say("known")); d.halt(timeOver) }},
		{"after calls of its answer", func(d *driver) {
			d.ask()
			d.answer(swarmtest.Turn{Text: "known", Calls: []model.AnswerCall{poking}})
			d.halt(timeOver)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, func(p *Profile) { p.Rounds = 1 })
			d.turn(swarmtest.Do(peeking))
			d.run("fine")
			d.live.Asking = false
			d.live.Held = false
			if d.part.Closing != "budget.rounds" {
				t.Fatal("it does not close")
			}
			row.when(d)
			d.wantEnd(End{Outcome: journal.Partial, Reason: "budget.rounds", Text: "known"})
			closed := 0
			for _, r := range d.log {
				if r.Type() == journal.TTurnClosed {
					closed++
				}
			}
			if closed != 1 {
				t.Errorf("%d closing turns", closed)
			}
		})
	}
}

// The time is over while calls run: they are stopped and paired before the closing turn.
func TestTimeIsOverWhileCallsRun(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	d.turn(swarmtest.Do(poking, awaiting))
	d.next()
	d.live.Calls[d.key(0)].State = Admitted
	d.next()
	d.halt(timeOver)
	_, cmds := d.next()
	same(t, "commands", cmdKinds(cmds), []CommandKind{Stop})
	d.done(d.key(0), tooling.Fail("tool.cancelled", "stopped"))
	d.ask()
	d.wantCodes("tool.cancelled", "tool.not_run")
	d.wantHost("the time for this task is over")
	if m := d.part.History[len(d.part.History)-2]; m.Role != model.Tool || len(m.Results) != 2 {
		t.Errorf("the message before is %+v", m)
	}
}
