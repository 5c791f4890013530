package tooling

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
)

func ask(index int, name, args string) Ask {
	return Ask{Call: model.AnswerCall{Name: name, Args: json.RawMessage(args)}, Index: index}
}

func codeOf(v *Verdict) string {
	if v.Refusal == nil {
		return "ok"
	}
	return v.Refusal.Code
}

// judge decides calls in order and counts them.
func judge(s *Snapshot, c *Counters, asks ...Ask) []string {
	var codes []string
	for _, a := range asks {
		v := s.Judge(c, a)
		c.Add(&v)
		codes = append(codes, codeOf(&v))
	}
	return codes
}

func TestGate(t *testing.T) {
	t.Parallel()
	const exhausted, list = "agent.tool_budget_exhausted", "workspace_list_files"
	limited := func(in *PrepareInput) { in.ToolLimits = map[string]ToolLimit{"workspace.list_files": {MaxCalls: 2}} }
	total := func(n int) func(*PrepareInput) { return func(in *PrepareInput) { in.Limits.MaxCalls = n } }
	with := func(a Ask, change func(*Ask)) Ask { change(&a); return a }
	rows := []struct {
		name   string
		change func(*PrepareInput)
		asks   []Ask
		want   []string
		total  int
	}{
		{"budgets-7", limited, []Ask{ask(0, list, `"null"`), ask(1, list, `"{\"a\":,}"`), ask(2, list, `{}`), ask(3, "workspace_read_file", `{}`)}, []string{"ok", CodeInvalidArguments, exhausted, "ok"}, 3},
		{"vector 55", limited, []Ask{ask(0, list, `{}`), ask(1, list, `{"colour":1}`), ask(2, list, `{}`)}, []string{"ok", CodeInvalidArguments, exhausted}, 2},
		{"budgets-13", total(1), []Ask{ask(0, list, `{}`), ask(1, list, `{}`), ask(2, list, `{}`)}, []string{"ok", exhausted, exhausted}, 1},
		{"an exhausted agent can finish", total(1), []Ask{ask(0, list, `{}`), ask(1, "workspace_commit", `{}`), ask(2, "workspace_finish", `{}`)}, []string{"ok", "ok", "ok"}, 3},
		{"names-1 unknown tools are counted", total(2), []Ask{ask(0, "search_resumes", `{}`), ask(1, list, `{}`), ask(2, list, `{}`)}, []string{"model.unknown_tool_call", "ok", exhausted}, 2},
		{"calls of one turn", func(in *PrepareInput) { in.Limits.MaxCallsPerTurn = 2 }, []Ask{ask(0, list, `{}`), ask(1, list, `{}`), ask(2, list, `{}`), ask(3, "workspace_finish", `{}`)}, []string{"ok", "ok", "tool.turn_call_limit", "tool.turn_call_limit"}, 2},
		{"cut answer", total(1), []Ask{with(ask(0, list, `{}`), func(a *Ask) { a.Cut = true }), with(ask(1, "workspace_finish", `"{"`), func(a *Ask) { a.Cut = true })}, []string{"model.answer_truncated", "model.answer_truncated"}, 0},
		{"choice none", total(1), []Ask{with(ask(0, list, `{}`), func(a *Ask) { a.Choice.Mode = "none" })}, []string{"model.tool_choice_violation"}, 0},
		{"choice of one", total(3), []Ask{with(ask(0, list, `{}`), func(a *Ask) { a.Choice = model.Choice{Mode: "specific", Name: "workspace_finish"} }), with(ask(1, "workspace_finish", `{}`), func(a *Ask) { a.Choice = model.Choice{Mode: "specific", Name: "workspace_finish"} })}, []string{"model.tool_choice_violation", "ok"}, 1},
		{"run ledger", total(5), []Ask{with(ask(0, list, `{}`), func(a *Ask) { a.RunSpent = true }), with(ask(1, "workspace_finish", `{}`), func(a *Ask) { a.RunSpent = true })}, []string{"budget.calls", "ok"}, 1},
		{"the order of checks", total(1), []Ask{ask(0, list, `{}`), with(ask(1, "no_such", `{`), func(a *Ask) { a.RunSpent = true }), with(ask(99, "no_such", `{`), func(a *Ask) { a.Cut = true })}, []string{"ok", exhausted, "model.answer_truncated"}, 1},
		{"names are exact", total(5), []Ask{ask(0, "Workspace_List_Files", `{}`), ask(1, "builtin:workspace.list_files", `{}`), ask(2, "workspace.list_files", `{}`)}, []string{"model.unknown_tool_call", "model.unknown_tool_call", "model.unknown_tool_call"}, 3},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			var c Counters
			got := judge(frozenRoot(t, r.change), &c, r.asks...)
			if strings.Join(got, " ") != strings.Join(r.want, " ") || c.Total != r.total {
				t.Errorf("%v, total %d; want %v, total %d", got, c.Total, r.want, r.total)
			}
		})
	}
}

func TestGateTexts(t *testing.T) {
	t.Parallel()
	s := frozenRoot(t, func(in *PrepareInput) {
		in.Limits.MaxCalls = 1
		in.Tools = append(in.Tools, tool("mcp/cv:search_resume"), tool("mcp/a:get"), tool("mcp/b:get"))
	})
	unknown := s.Judge(&Counters{}, ask(0, "search_resumes`\n", `{}`))
	text := unknown.Refusal.Content
	if !strings.Contains(text, "``search_resumes`\\n``") || strings.Count(text, ", ") != 4 || unknown.Binding != nil || unknown.ToolID() != "" {
		t.Errorf("unknown tool: %q", text)
	}
	native := s.Judge(&Counters{}, ask(0, "get", `{}`))
	if !strings.Contains(native.Refusal.Content, "are: mcp__a__get, mcp__b__get, ") {
		t.Errorf("native name: %q", native.Refusal.Content)
	}
	spent := s.Judge(&Counters{Total: 1}, ask(0, "mcp__a__get", `{}`))
	if !strings.Contains(spent.Refusal.Content, "All 1 tool calls") || !strings.Contains(spent.Refusal.Content, "workspace_finish") || spent.ToolID() != "mcp/a:get" {
		t.Errorf("budget: %q", spent.Refusal.Content)
	}
	huge := s.Judge(&Counters{}, ask(0, strings.Repeat("x", 1<<20), `{}`))
	if n := len(huge.Refusal.Content); n > 600 {
		t.Errorf("%d bytes for a huge name", n)
	}
}

func TestGateNamesConditions(t *testing.T) {
	t.Parallel()
	s := frozenRoot(t, func(in *PrepareInput) { in.Has, in.DepthLimit = nil, 3; in.Deny = []string{IDAwait} })
	rows := []struct{ name, code, says string }{
		{"agent_delegate", "agent.depth_exhausted", "depth limit of 3"},
		{"question", "question.no_human", "no human"},
		{"agent_await", "model.unknown_tool_call", ""},
		{"workspace_write_file", "model.unknown_tool_call", ""},
		{"agent_merge", "model.unknown_tool_call", ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			v := s.Judge(&Counters{}, ask(0, r.name, `{}`))
			if codeOf(&v) != r.code || !strings.Contains(v.Refusal.Content, r.says) || !v.Counted {
				t.Errorf("%s: %s %q", r.name, codeOf(&v), v.Refusal.Content)
			}
		})
	}
}

func TestVerdictArguments(t *testing.T) {
	t.Parallel()
	s := frozenRoot(t)
	rows := []struct {
		name, args, replay, raw, checked string
		hash                             bool
	}{
		{"object", ` {"path" : " a "} `, `{"path":" a "}`, ` {"path" : " a "} `, `{"path":"a"}`, true},
		{"object in a string", `"{\"path\":\"a\"}"`, `{"path":"a"}`, `{"path":"a"}`, `{"path":"a"}`, true},
		{"arguments-12 invalid", `"{\"path\":"`, `{}`, `{"path":`, ``, false},
		{"refused by the schema", `{"colour":1}`, `{"colour":1}`, `{"colour":1}`, ``, true},
		{"absent", ``, `{}`, ``, `{}`, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			v := s.Judge(&Counters{}, ask(0, "workspace_list_files", r.args))
			if v.Replay() != r.replay || v.Raw != r.raw || (v.ArgsHash() != "") != r.hash {
				t.Errorf("replay %s raw %q hash %q", v.Replay(), v.Raw, v.ArgsHash())
			}
			if (v.Checked == nil) != (r.checked == "") || v.Checked != nil && v.Checked.Canonical() != r.checked {
				t.Errorf("checked %v", v.Checked)
			}
		})
	}
	// A call that the gate refuses keeps its arguments for the record.
	v := s.Judge(&Counters{}, ask(0, "no_such", `{"a":1}`))
	if v.Replay() != `{"a":1}` || v.Checked != nil {
		t.Errorf("replay %s", v.Replay())
	}
}

func TestCheckTurn(t *testing.T) {
	t.Parallel()
	s := frozenRoot(t)
	if err := s.CheckTurn("root"); err != nil {
		t.Error(err)
	}
	if err := s.CheckTurn("root/x"); fault.Code(err) != "tool.turn_snapshot_mismatch" {
		t.Errorf("error %v", err)
	}
}
