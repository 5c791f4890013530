package agent

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// What becomes of the calls of an answer before anything is started.
func TestAnsweredRefuses(t *testing.T) {
	t.Parallel()
	cut := func(calls ...model.AnswerCall) swarmtest.Turn {
		return swarmtest.Turn{Calls: calls, Finish: model.FinishLength}
	}
	for _, row := range []struct {
		name   string
		change func(p *Profile)
		turn   swarmtest.Turn
		want   []string // "-" is admitted
	}{
		{"pairing-13 finish is not last", nil, swarmtest.Do(finishing1, listing), []string{"agent.finish_not_last", "-"}},
		{"finish is last", nil, swarmtest.Do(listing, finishing1), []string{"-", "-"}},
		{"finish alone", nil, swarmtest.Do(finishing1), []string{"-"}},
		{"finish twice", nil, swarmtest.Do(finishing1, finishing1), []string{"agent.finish_not_last", "-"}},
		{"finish after handoff", nil, swarmtest.Do(handing, finishing1), []string{"-", "agent.finish_beside_handoff"}},
		{"finish before handoff", nil, swarmtest.Do(finishing1, handing), []string{"agent.finish_beside_handoff", "-"}},
		{"handoff-2 two handoffs are both looked at", nil, swarmtest.Do(handing, handing), []string{"-", "-"}},
		{"names-1 unknown tool beside good ones", nil, swarmtest.Do(listing, swarmtest.Call("search_resumes", ``), listing), []string{"-", "model.unknown_tool_call", "-"}},
		{"handoff-10 return of an owner is unknown", nil, swarmtest.Do(returning1), []string{"model.unknown_tool_call"}},
		{"arguments-3 a list", nil, swarmtest.Do(swarmtest.Call("peek", `[1]`), peeking), []string{"tool.invalid_arguments", "-"}},
		{"unknown parameter", nil, swarmtest.Do(swarmtest.Call("workspace_list_files", `{"nope":1}`)), []string{"tool.invalid_arguments"}},
		{"arguments-5 cut answer", nil, cut(listing, finishing1), []string{"model.answer_truncated", "model.answer_truncated"}},
		{"too many in one turn", func(p *Profile) { p.MaxCallsPerTurn = 2 }, swarmtest.Do(peeking, peeking, peeking), []string{"-", "-", "tool.turn_call_limit"}},
		{"budget of calls within one answer", func(p *Profile) { p.MaxCalls = 1 }, swarmtest.Do(peeking, peeking, finishing1), []string{"-", "agent.tool_budget_exhausted", "-"}},
		{"budgets-7 limit of one tool", func(p *Profile) {
			p.Limits = map[string]tooling.ToolLimit{"workspace.list_files": {MaxCalls: 2}}
		}, swarmtest.Do(swarmtest.Call("workspace_list_files", `"null"`), swarmtest.Call("workspace_list_files", `{"depth":`), listing, peeking),
			[]string{"-", "tool.invalid_arguments", "agent.tool_budget_exhausted", "-"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, row.change)
			d.turn(row.turn)
			d.wantCodes(row.want...)
			for i := range d.part.Calls {
				if c := &d.part.Calls[i]; c.Index != i || c.Key != CallKey(testRun, "root", 1, i) {
					t.Errorf("call %d has index %d and key %s", i, c.Index, c.Key)
				}
			}
			d.run("fine")
			d.valid()
		})
	}
}

func TestAnsweredChild(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		turn swarmtest.Turn
		want []string
	}{
		{"return is not last", swarmtest.Do(returning1, listing), []string{"agent.return_not_last", "-"}},
		{"return is last", swarmtest.Do(listing, returning1), []string{"-", "-"}},
		{"return without a summary", swarmtest.Do(swarmtest.Call("task_return", `{}`)), []string{"tool.invalid_arguments"}},
		{"handoff-10 forced owner tools", swarmtest.Do(finishing1, handing), []string{"model.unknown_tool_call", "model.unknown_tool_call"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := childDriver(t)
			d.turn(row.turn)
			d.wantCodes(row.want...)
		})
	}
}

// A call over a limit counts nothing; a malformed one counts.
func TestCountersFollowTheGate(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, func(p *Profile) { p.Limits = map[string]tooling.ToolLimit{"workspace.list_files": {MaxCalls: 2}} })
	d.turn(swarmtest.Do(listing, swarmtest.Call("workspace_list_files", `[]`), listing, swarmtest.Call("nope", ``)))
	if got := d.part.Counters; got.Total != 3 || got.PerTool["builtin:workspace.list_files"] != 2 {
		t.Errorf("counters %+v", got)
	}
	counted := 0
	for _, r := range d.log {
		if m, ok := r.Payload.(*journal.CallRequested); ok && m.Counted {
			counted++
		}
	}
	if counted != 3 {
		t.Errorf("%d calls are recorded as counted", counted)
	}
}

// Names that no provider takes back are replayed as legal ones, and the record keeps them.
func TestIllegalNames(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, called, replayed string }{
		{"empty", "", "_"},
		{"a space", "read file", "_read_file"},
		{"begins with a digit", "1st", "_1st"},
		{"begins with a dash", "-x", "_-x"},
		{"not ASCII", "읽기", "_" + strings.Repeat("_", 6)},
		{"too long", strings.Repeat("n", 300), "_" + strings.Repeat("n", 59)},
		{"control characters", "a\x00b\n", "_a_b_"},
		{"broken UTF-8", "a\xffb", "_a___b"},
		{"dots", "workspace.finish", "_workspace_finish"},
		{"legal but unknown", "read_minds", "read_minds"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			d.turn(swarmtest.Do(swarmtest.Call(row.called, ``), peeking))
			if got := d.part.Calls[0].Name; got != row.replayed || !model.ValidName(got) {
				t.Errorf("replayed as %q, want %q", got, row.replayed)
			}
			d.wantCodes("model.unknown_tool_call", "-")
			d.run("fine")
			d.valid()
		})
	}
}

func FuzzLegalName(f *testing.F) {
	for _, s := range []string{"", "a", "workspace.finish", "9", "-", "\xff", "ä", strings.Repeat("x", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := legal(name)
		if !model.ValidName(got) {
			t.Errorf("%q becomes %q", name, got)
		}
		if model.ValidName(name) && got != name {
			t.Errorf("the legal name %q was changed to %q", name, got)
		}
	})
}

// The arguments that a handler reads are those that were recorded, whatever their spelling.
func TestArgumentsSurviveTheFold(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, args, replay string }{
		{"absent", ``, `{}`},
		{"arguments-2 an object", `{"path":"a"}`, `{"path":"a"}`},
		{"arguments-2 a string that holds it", `" {\"path\":\"a\"} "`, `{"path":"a"}`},
		{"arguments-4 encoded twice", `"\"{\\\"path\\\":\\\"a\\\"}\""`, `{}`},
		{"arguments-6 malformed", `"{\"path\":\"a\",,}"`, `{}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			d.turn(swarmtest.Do(swarmtest.Call("workspace_list_files", row.args), peeking))
			again := NewPart(d.env, testRun)
			if err := again.FoldAll(d.log); err != nil {
				t.Fatal(err)
			}
			a, b := &d.part.Calls[0], &again.Calls[0]
			if a.ArgsText != row.replay || b.ArgsText != row.replay {
				t.Errorf("replayed as %q and %q", a.ArgsText, b.ArgsText)
			}
			if (a.Args == nil) != (b.Args == nil) || a.Args != nil && a.Args.Canonical() != b.Args.Canonical() {
				t.Errorf("the handler reads %v live and %v after the fold", a.Args, b.Args)
			}
		})
	}
}
