package agent

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

func bindings(s *tooling.Snapshot) []string {
	names := make([]string, len(s.Bindings))
	for i := range s.Bindings {
		names[i] = s.Bindings[i].Name
	}
	return names
}

// The prompt names no tool that the invocation does not have, whatever it has, and says
// how to end.
func TestPromptNamesOnlyItsTools(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`\b(?:workspace|agent|task|update|dice)_[a-z_]+\b|\bglob\b|\bgrep\b`)
	ids := []string{"workspace.list_files", "workspace.search_files", "workspace.read_file", "workspace.write_file", "workspace.apply_patch",
		"workspace.commit", "agent.delegate", "agent.await", "agent.list", "agent.handoff", "update_plan", "dice.roll"}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		allow := []string{"workspace.finish"}
		for _, id := range ids {
			if i > 0 && r.IntN(2) == 0 {
				allow = append(allow, id)
			}
		}
		env := testEnv(t, func(p *Profile) { p.Allow = allow })
		prompt, snap, err := env.Preview("root", "root")
		if err != nil {
			t.Fatal(err)
		}
		has := bindings(snap)
		for _, n := range name.FindAllString(prompt, -1) {
			if !slices.Contains(has, n) {
				t.Errorf("with %v the prompt names %s:\n%s", has, n, prompt)
			}
		}
		if !strings.Contains(prompt, "End with workspace_finish") && !strings.Contains(prompt, "then end with workspace_finish") {
			t.Errorf("does not say how to end:\n%s", prompt)
		}
		reaches := slices.Contains(has, "agent_delegate") || slices.Contains(has, "agent_handoff")
		if strings.Contains(prompt, "Agents you may call") != reaches {
			t.Errorf("with %v:\n%s", has, prompt)
		}
	}
}

// The parts stand in the order of the specification, the agent's own text first.
func TestPromptParts(t *testing.T) {
	t.Parallel()
	env := testEnv(t, func(p *Profile) { p.Prompt = "\nBe brief.\n"; p.Rounds = 7 })
	for _, row := range []struct {
		profile, kind string
		order         []string
		not           []string
	}{
		{"root", "root", []string{"Be brief.", "## How to work", "## Agents you may call", "- second (handoff)", "- worker (delegate)", "## Files", "## How to end", "workspace_finish", "## Limits", "At most 7 rounds."}, []string{"task_return", "root ("}},
		{"worker", "child", []string{"## How to work", "## Files", "## How to end\nEnd with task_return", "## Limits", "No human can be asked."}, []string{"workspace_finish", "Agents you may call", "workspace_commit"}},
		{"second", "handoff", []string{"## How to work", "## How to end", "workspace_finish"}, []string{"task_return", "worker"}},
	} {
		t.Run(row.profile, func(t *testing.T) {
			t.Parallel()
			prompt, _, err := env.Preview(row.profile, row.kind)
			if err != nil {
				t.Fatal(err)
			}
			at := 0
			for _, s := range row.order {
				i := strings.Index(prompt[at:], s)
				if i < 0 {
					t.Fatalf("%q does not stand behind character %d:\n%s", s, at, prompt)
				}
				at += i
			}
			for _, s := range row.not {
				if strings.Contains(prompt, s) {
					t.Errorf("says %q:\n%s", s, prompt)
				}
			}
		})
	}
	if prompt, _, _ := env.Preview("root", "root"); !strings.HasPrefix(prompt, "Be brief.\n\n## ") {
		t.Errorf("something stands before the agent's own text: %q", prompt[:40])
	}
}

// names-10: prompt and tools are the same bytes, whoever makes them and when.
func TestBirthIsStable(t *testing.T) {
	t.Parallel()
	birth := Birth{Kind: "root", Profile: "root", Path: "root", Brief: "go"}
	one, two := testEnv(t, nil), testEnv(t, nil)
	a, err := one.Invocation(birth)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		for _, env := range []*Env{one, two} {
			b, err := env.Invocation(birth)
			if err != nil {
				t.Fatal(err)
			}
			if a.Prompt != b.Prompt || a.Snapshot != b.Snapshot {
				t.Fatal("names-10: prompt or snapshot differ")
			}
		}
	}
	// What a journal brings back gives the same tools, also in another process.
	restored, err := tooling.DecodeSnapshot(a.Snapshot.Text)
	if err != nil {
		t.Fatal(err)
	}
	p := NewPart(testEnv(t, nil), testRun)
	if err := p.foldCreated(a); err != nil {
		t.Fatal(err)
	}
	if p.Snap.DefsHash() != restored.DefsHash() || p.System != a.Prompt.Text || p.History[0].Text != "go" {
		t.Error("the fold gives other tools or another prompt")
	}
}

// delegation-1, budgets-2: the tools of an invocation by its kind and depth.
func TestToolsByKind(t *testing.T) {
	t.Parallel()
	delegates := []string{"agent_delegate", "agent_await", "agent_read_result", "agent_cancel"}
	for _, row := range []struct {
		name     string
		birth    Birth
		depth    int // limit
		has, not []string
	}{
		{"an owner", Birth{Kind: "root", Profile: "root"}, 3, append([]string{"workspace_finish", "agent_handoff", "workspace_commit"}, delegates...), []string{"task_return"}},
		{"delegation-1 a child", Birth{Kind: "child", Profile: "root", Depth: 1}, 3, []string{"task_return"}, append([]string{"workspace_finish", "agent_handoff", "workspace_commit"}, delegates...)},
		{"a nested child", Birth{Kind: "child", Profile: "nested", Depth: 1}, 3, append([]string{"task_return"}, delegates...), []string{"workspace_finish", "agent_handoff"}},
		{"budgets-2 a nested child at the limit", Birth{Kind: "child", Profile: "nested", Depth: 1}, 1, []string{"task_return"}, delegates},
		{"budgets-2 nobody delegates", Birth{Kind: "root", Profile: "root"}, -1, []string{"agent_handoff"}, delegates},
		{"without targets", Birth{Kind: "root", Profile: "lonely"}, 3, []string{"workspace_finish"}, append([]string{"agent_handoff", "agent_list"}, delegates...)},
		{"itself as a target", Birth{Kind: "root", Profile: "selfish"}, 3, delegates, []string{"agent_handoff"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			env := testEnv(t, nil)
			env.Budgets.Depth = row.depth
			for _, p := range []Profile{
				{ID: "nested", Delegation: Delegation{CanDelegate: true, CanHandoff: true, AllowNested: true, Callable: true, AsChild: true}},
				{ID: "lonely", Delegation: Delegation{CanDelegate: true, CanHandoff: true, Targets: []string{"nobody"}}},
				{ID: "selfish", Delegation: Delegation{CanDelegate: true, AllowSelf: true, Targets: []string{"nobody"}}},
			} {
				p := p.Defaults()
				env.Profiles[p.ID], env.Order = &p, append(env.Order, p.ID)
			}
			slices.Sort(env.Order)
			m, err := env.make(row.birth)
			if err != nil {
				t.Fatal(err)
			}
			names := bindings(m.snap)
			for _, n := range row.has {
				if !slices.Contains(names, n) {
					t.Errorf("has no %s: %v", n, names)
				}
			}
			for _, n := range row.not {
				if slices.Contains(names, n) {
					t.Errorf("has %s: %v", n, names)
				}
			}
			if row.birth.Kind == "child" && names[len(names)-1] != "task_return" {
				t.Errorf("task_return is not last: %v", names)
			}
		})
	}
}

func TestBirthErrors(t *testing.T) {
	t.Parallel()
	env := testEnv(t, nil)
	if _, err := env.Invocation(Birth{Kind: "child", Profile: "nobody"}); fault.Code(err) != "agent.target_unavailable" {
		t.Errorf("error %v", err)
	}
	bad := testEnv(t, func(p *Profile) { p.Allow = []string{"no.such_tool"} })
	if _, err := bad.Check(); fault.Code(err) != "tool.not_in_catalog" {
		t.Errorf("error %v", err)
	}
	if _, err := env.Check(); err != nil {
		t.Error(err)
	}
}

// A record whose profile or snapshot cannot be used is damage, not a panic.
func TestFoldDamagedBirth(t *testing.T) {
	t.Parallel()
	env := testEnv(t, nil)
	good, err := env.Invocation(Birth{Kind: "root", Profile: "root", Path: "root", Brief: "go"})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, profile, snapshot, code string
	}{
		{"unknown profile", "gone", good.Snapshot.Text, "journal.damaged"},
		{"names-7 no JSON", "root", "{", "tool.snapshot_invalid"},
		{"names-7 unknown version", "root", strings.Replace(good.Snapshot.Text, `"version":1`, `"version":99`, 1), "tool.snapshot_version"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			m := *good
			m.Profile, m.Snapshot.Text = row.profile, row.snapshot
			if err := NewPart(env, testRun).foldCreated(&m); fault.Code(err) != row.code {
				t.Errorf("error %v, want %s", err, row.code)
			}
		})
	}
}

// Nothing can stand before the birth.
func TestFoldBeforeBirth(t *testing.T) {
	t.Parallel()
	for _, pl := range []journal.Payload{&journal.ModelRequested{}, &journal.ModelAnswered{}, &journal.CallRequested{Tool: FinishTool}, &journal.CallSettled{}, &journal.InvocationEnded{}} {
		r := journal.Record{Seq: 2, Scope: journal.Scope{Invocation: "root"}, Payload: pl}
		if err := NewPart(testEnv(t, nil), testRun).Fold(&r); fault.Code(err) != "journal.damaged" {
			t.Errorf("%s: error %v", r.Type(), err)
		}
	}
}

func TestAgentsList(t *testing.T) {
	t.Parallel()
	env := testEnv(t, nil)
	for i := range 25 {
		p := Profile{ID: fmt.Sprintf("x%02d", i), Description: "helps", Delegation: Delegation{Callable: true, AsChild: true}}.Defaults()
		env.Profiles[p.ID], env.Order = &p, append(env.Order, p.ID)
	}
	for list, last := range map[string]string{"": "- and 7 more", "agent_list": "- and 7 more, which agent_list lists"} {
		lines := env.agents(env.Profiles["root"], true, true, list)
		if len(lines) != 21 || lines[20] != last || lines[2] != "- x00 (delegate): helps" {
			t.Errorf("%q", lines)
		}
	}
}

func TestMay(t *testing.T) {
	t.Parallel()
	target := func(d Delegation) *Profile { p := Profile{ID: "b", Delegation: d}.Defaults(); return &p }
	both := Delegation{Callable: true, AsChild: true, AsHandoff: true}
	for _, row := range []struct {
		name     string
		caller   Delegation
		target   Delegation
		delegate bool
		handoff  bool
	}{
		{"both", Delegation{}, both, true, true},
		{"not callable", Delegation{}, Delegation{AsChild: true, AsHandoff: true}, false, false},
		{"as a child only", Delegation{}, Delegation{Callable: true, AsChild: true}, true, false},
		{"handoff-8 as an owner only", Delegation{}, Delegation{Callable: true, AsHandoff: true}, false, true},
		{"not among the targets", Delegation{Targets: []string{"c"}}, both, false, false},
		{"among the targets", Delegation{Targets: []string{"c", "b"}}, both, true, true},
		{"denied", Delegation{DenyTargets: []string{"b"}}, both, false, false},
		{"does not admit the caller", Delegation{}, Delegation{Callable: true, AsChild: true, AsHandoff: true, AllowedCallers: []string{"c"}}, false, false},
		{"admits the caller", Delegation{}, Delegation{Callable: true, AsChild: true, AllowedCallers: []string{"a"}}, true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := Profile{ID: "a", Delegation: row.caller}.Defaults()
			d, h := c.Delegation.May("a", target(row.target), false), c.Delegation.May("a", target(row.target), true)
			if d != row.delegate || h != row.handoff {
				t.Errorf("delegate %t, handoff %t", d, h)
			}
		})
	}
}
