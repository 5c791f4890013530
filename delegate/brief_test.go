package delegate

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/workspace"
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
		"## Expected output\n", "a list", `type: object`, "## Files\nYou see: input, output. You may write below: output.\n", "These files are shared with the agent", "## How to end\n", "task_return", "## Limits\nAt most 9 rounds and 1h.\n"} {
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

// The brief names the files of the task that exist and that the child sees, once each.
func TestBriefNamesFiles(t *testing.T) {
	t.Parallel()
	maker := worker("maker")
	maker.Roots.Visible, maker.Roots.Writable = []string{"input", "output"}, []string{"output"}
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), maker))
	var files []workspace.Change
	for _, path := range []string{"input/a.md", "input/deep/b.md", "output/c.md", "scratch/hidden.md"} {
		files = append(files, workspace.Change{Path: path, New: workspace.HashOf([]byte(path)), Size: 1, Chars: 1})
	}
	p.st.Files = p.st.Files.With("", files)
	p.do("root", swarmtest.Call("agent_delegate", `{"agentId":"maker","task":{"objective":"Compare input/a.md\nwith 'input/deep/b.md' (not scratch/hidden.md, input/none.md, input/a.mdx).",
		"context":{"see":["./output/c.md","input/a.md"]}}}`))
	brief := p.parts["root/maker"].History[0].Text
	if !strings.Contains(brief, "\nFiles named in the task that exist: input/a.md, input/deep/b.md, output/c.md.\n") {
		t.Errorf("the brief is %s", brief)
	}
}

// A run begins with its files, and everyone in it knows what it was given.
func TestStartWithInput(t *testing.T) {
	t.Parallel()
	given, files, err := input.Freeze(input.Input{Text: "go", Messages: []input.Message{{Role: input.User, Content: "before"}, {Role: input.Assistant, Content: "yes"}},
		Files: []input.File{{Path: "a.txt", Content: []byte("one")}, {Path: "d/b.txt", Content: []byte("two")}}}, 0, workspace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv(t, agent.Budgets{}, lead(agent.Delegation{CanHandoff: true}), worker("maker"), owner("boss"))
	start := func() (*State, *Decision) {
		st := NewState(env, testRun)
		d, err := st.Start(&journal.RunCreated{Name: "test", Input: journal.Text(given.Encode())}, &journal.RunStarted{Host: "test"}, "go", t0, files...)
		if err != nil {
			t.Fatal(err)
		}
		return st, d
	}
	st, d := start()
	var types []string
	for _, r := range d.Records {
		types = append(types, string(r.Type()))
	}
	if got := strings.Join(types, " "); got != "run_created run_started workspace_opened file_changed file_changed invocation_created" {
		t.Errorf("records %s", got)
	}
	again := NewState(env, testRun)
	for i := range d.Records {
		if err := again.Fold(&d.Records[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []*State{st, again} {
		if e, ok := s.Files.Get("input/d/b.txt"); !ok || e.By != "" || s.Files.Len() != 2 || !reflect.DeepEqual(s.Given(), given) {
			t.Errorf("files %d, given %+v", s.Files.Len(), s.Given())
		}
	}
	inv := d.Records[5].Payload.(*journal.InvocationCreated)
	for _, name := range []string{`"chat_search"`, `"chat_read_messages"`} {
		if !strings.Contains(inv.Snapshot.Text, name) {
			t.Errorf("the root has no %s", name)
		}
	}
	damaged := *d.Records[0].Payload.(*journal.RunCreated)
	damaged.Input = journal.Text("{")
	d.Records[0].Payload = &damaged
	if err := NewState(env, testRun).Fold(&d.Records[0]); fault.Code(err) != "journal.damaged" {
		t.Errorf("error %v", err)
	}
}

func TestHandoffBrief(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{CanHandoff: true}), owner("boss")))
	p.do("root", swarmtest.Call("agent_handoff", `{"agentId":"boss","handoff":{"completionCriteria":["all green"],"mustPreserve":["the tests"],"workspaceRefs":["output/a"],"contextSummary":"so far","objective":"go on","reason":"you know it","title":"T","tone":"calm"}}`))
	want := "# The work was handed over to you\n\n## Title\nT\n\n## Reason\nyou know it\n\n## Objective\ngo on\n\n## Context summary\nso far\n\n## Files\n- output/a\n\n## Must preserve\n- the tests\n\n## Completion criteria\n- all green\n\n## tone\ncalm\n\n## Limits\nAt most 100 rounds.\n"
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
