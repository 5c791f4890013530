package delegate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// The brief of a child: its sections in order, nothing of the parent, no ids.
func TestBrief(t *testing.T) {
	t.Parallel()
	maker := worker("maker")
	maker.Rounds = 9
	maker.Roots.Visible, maker.Roots.Writable = []string{"input", "output"}, []string{"output"}
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), maker))
	p.do("root", swarmtest.Call("agent_delegate", `{"agentId":"maker","task":{"zeta":"last words","title":"A title","objective":"The objective.\nTwo lines.",
		"context":{"facts":["one","two"],"deep":{"n":1.50,"b":true,"z":null}},"expectedOutput":{"description":"a list","schema":{"type":"object"}},"isolation":"shared","alpha":["x",{"y":2}]}}`))
	brief := p.parts["root/maker"].History[0].Text
	at := -1
	for _, s := range []string{"# Task\n", "## Title\nA title\n", "## Objective\nThe objective.\nTwo lines.\n", "## Context\n", "- one", "n: 1.5", "b: true",
		"## Expected output\n", "a list", `type: object`, "## Files\nYou see: input, output. You may write below: output.\n", "## How to end\n", "task_return", "## Limits\nAt most 9 rounds and 1h0m0s.\n"} {
		i := strings.Index(brief[at+1:], s)
		if i < 0 {
			t.Fatalf("%q does not stand behind character %d:\n%s", s, at, brief)
		}
		at += i + 1
	}
	for _, s := range []string{"## alpha\n- x\n- - y: 2", "## zeta\nlast words"} {
		if i := strings.Index(brief, s); i < strings.Index(brief, "## Expected output") || i > strings.Index(brief, "## Files") {
			t.Errorf("%q does not stand among the further instructions:\n%s", s, brief)
		}
	}
	for _, s := range []string{"isolation", testRun, "task_1", "do it", p.parts["root"].Calls[0].Key} {
		if strings.Contains(brief, s) {
			t.Errorf("the brief says %q:\n%s", s, brief)
		}
	}
}

func TestHandoffBrief(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{CanHandoff: true}), owner("boss")))
	p.do("root", swarmtest.Call("agent_handoff", `{"agentId":"boss","handoff":{"completionCriteria":["all green"],"mustPreserve":["the tests"],"workspaceRefs":["output/a"],"contextSummary":"so far","objective":"go on","reason":"you know it","title":"T","tone":"calm"}}`))
	want := "# The work was handed over to you\n\n## Title\nT\n\n## Reason\nyou know it\n\n## Objective\ngo on\n\n## Context summary\nso far\n\n## Files\n- output/a\n\n## Must preserve\n- the tests\n\n## Completion criteria\n- all green\n\n## tone\ncalm\n"
	if got := p.parts["root/boss"].History[0].Text; got != want {
		t.Errorf("the brief is %q", got)
	}
}

// Members stand in the order of the text, whatever the values hold.
func TestMembersOrder(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, want string }{
		{"as written", `{"b":1,"a":2}`, "b a"},
		{"a value that is the name of a later one", `{"a":"c","b":1,"c":2}`, "a b c"},
		{"a nested name", `{"a":{"c":1},"b":1,"c":2}`, "a b c"},
		{"signs that HTML escapes", `{"<b>":1,"a&b":2,"a":3}`, "<b> a&b a"},
		{"twice", `{"a":1,"b":2,"a":3}`, "a b"},
		{"a list", `[1]`, ""},
		{"broken", `{"a":1,"b":`, "a"},
		{"empty", ``, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(object(row.text).names, " "); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func FuzzReadable(f *testing.F) {
	for _, s := range []string{`"text"`, `[1,"a",[2]]`, `{"a":{"b":[]},"c":null}`, `{}`, `[]`, `1.50`, `null`, `{"a":"b\nc"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) {
			return
		}
		got := readable(json.RawMessage(s))
		if got != readable(json.RawMessage(s)) {
			t.Error("two readings differ")
		}
		o := object(s)
		if len(o.names) != len(o.values) {
			t.Errorf("%d names of %d members", len(o.names), len(o.values))
		}
	})
}
