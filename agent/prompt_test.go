package agent

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

var update = flag.Bool("update", false, "write the golden files anew")

// frozenChat is the input of a run with a conversation and lore.
func frozenChat(t testing.TB) *input.Frozen {
	t.Helper()
	f, _, err := input.Freeze(input.Input{Text: "And now?", Messages: []input.Message{{Role: input.Assistant, Content: "Welcome."}, {Role: input.User, Content: "Hi."}, {Role: input.Assistant, Content: "Ho."}},
		Lore: []input.Entry{{Content: "It rains.", Constant: true}}}, 0, workspace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// builtinNamed describes a built-in that this version does not have.
func builtinNamed(t testing.TB, env *Env, ids ...string) {
	t.Helper()
	tools := slices.Clone(env.Catalogue.Tools())
	for _, id := range ids {
		tool := goTool(t, "x", say("x"))
		tool.ID, tool.Schema, tool.New = "builtin:"+id, []byte(`{"type":"object","additionalProperties":false}`), true
		tools = append(tools, tool)
	}
	c, err := tooling.NewCatalogue(tools...)
	if err != nil {
		t.Fatal(err)
	}
	env.Catalogue = c
}

// The prompts of the kinds of invocations, whole, as a model reads them.
func TestPromptGolden(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		profile string
		kind    string
		change  func(t *testing.T, env *Env, p *Profile)
		birth   func(t *testing.T, b *Birth)
	}{
		{"lone root", "root", "root", func(_ *testing.T, _ *Env, p *Profile) { p.Delegation = Delegation{} }, nil},
		{"lead with targets", "root", "root", func(_ *testing.T, env *Env, p *Profile) {
			p.Prompt, p.NeedCommit, p.Rounds = "You lead.\n\nBe brief.\n", true, 12
			env.Profiles["worker"].Delegation.Description = "Works hard."
			env.Profiles["second"].Delegation.Description = "Goes on."
		}, nil},
		{"child", "worker", "child", func(_ *testing.T, env *Env, _ *Profile) {
			env.Profiles["worker"].Delegation.TaskDeadline = 90 * time.Minute
		}, nil},
		{"handoff target", "second", "handoff", nil, nil},
		{"chat", "root", "root", func(_ *testing.T, _ *Env, p *Profile) { p.Delegation = Delegation{} }, func(t *testing.T, b *Birth) { b.Input = frozenChat(t) }},
		{"child of a chat", "worker", "child", nil, func(t *testing.T, b *Birth) { b.Input = frozenChat(t) }},
		{"narrow", "root", "root", func(_ *testing.T, _ *Env, p *Profile) {
			p.Delegation, p.Allow = Delegation{}, []string{"workspace.search_files", "chat.search"}
		}, func(t *testing.T, b *Birth) { b.Input = frozenChat(t) }},
		{"no tools", "root", "root", func(_ *testing.T, _ *Env, p *Profile) { p.Delegation, p.Allow = Delegation{}, []string{"dice.roll"} }, nil},
		{"mounts, a shell, a human", "root", "root", func(t *testing.T, env *Env, p *Profile) {
			p.Delegation = Delegation{}
			builtinNamed(t, env, "workspace.shell", "exec", "edit", "question")
			env.NoHuman = false
			var specs []workspace.MountSpec
			for _, at := range []string{"docs", "code"} {
				specs = append(specs, workspace.MountSpec{Host: t.TempDir(), At: at})
			}
			mounts, err := workspace.OpenMounts(specs, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(mounts.Close)
			env.Mounts = mounts
		}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			env := testEnv(t, nil)
			if row.change != nil {
				row.change(t, env, env.Profiles["root"])
			}
			b := Birth{Kind: row.kind, Profile: row.profile}
			if row.birth != nil {
				row.birth(t, &b)
			}
			m, err := env.make(b)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "prompt", strings.NewReplacer(" ", "_", ",", "").Replace(row.name)+".golden")
			got := m.prompt + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the prompt is\n%s\nand not as %s has it; -update writes it anew", got, file)
			}
		})
	}
}

// What the run was given belongs to the shape of an invocation: a run without a
// conversation does not get the tools of one with it, and the other way round.
func TestSceneIsPartOfTheShape(t *testing.T) {
	t.Parallel()
	env := testEnv(t, nil)
	chat := frozenChat(t)
	bare := *chat
	bare.Lore, bare.LoreSize = nil, 0
	for range 2 { // made, then found
		for _, row := range []struct {
			in  *input.Frozen
			has string
		}{{nil, ""}, {chat, "chat_search chat_read_messages worldinfo_read_activated"}, {&bare, "chat_search chat_read_messages"}, {&input.Frozen{Text: "x", LoreSize: 3}, ""}} {
			for _, kind := range []string{"root", "child", "handoff"} {
				m, err := env.make(Birth{Kind: kind, Profile: "root", Input: row.in})
				if err != nil {
					t.Fatal(err)
				}
				var has []string
				for _, n := range bindings(m.snap) {
					if strings.HasPrefix(n, "chat_") || strings.HasPrefix(n, "worldinfo_") {
						has = append(has, n)
					}
				}
				if got := strings.Join(has, " "); got != row.has {
					t.Errorf("a %s has %q, want %q", kind, got, row.has)
				}
			}
		}
	}
}

// The root begins with the conversation, and so does one that is folded anew; others
// begin with their brief.
func TestHistoryBeginsWithTheConversation(t *testing.T) {
	t.Parallel()
	two := 2
	env := testEnv(t, func(p *Profile) { p.Messages = &two })
	given := frozenChat(t)
	first := given.First(&two)
	for _, row := range []struct {
		kind, profile string
		given         *input.Frozen
		want          []model.Message
	}{
		{"root", "root", given, first},
		{"root", "root", nil, first[len(first)-1:]},
		{"child", "worker", given, []model.Message{{Role: model.User, Text: "do it"}}},
		{"handoff", "second", given, []model.Message{{Role: model.User, Text: "do it"}}},
	} {
		brief := row.want[len(row.want)-1].Text
		m, err := env.Invocation(Birth{Kind: row.kind, Profile: row.profile, Path: "root", Brief: brief, Input: given})
		if err != nil {
			t.Fatal(err)
		}
		p := NewPart(env, testRun)
		p.Given = row.given
		if err := p.foldCreated(m); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(p.History, row.want, func(a, b model.Message) bool { return a.Role == b.Role && a.Text == b.Text }) || p.Brief != brief {
			t.Errorf("%s: history %+v\nwant %+v", row.kind, p.History, row.want)
		}
	}
	if len(first) != 3 || !strings.Contains(first[0].Text, "It rains.") || !strings.Contains(first[0].Text, "[Message 0 of the conversation is not shown.]") {
		t.Errorf("%+v", first)
	}
}

func TestSpell(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{time.Hour: "1h", 90 * time.Minute: "1h30m", 30 * time.Minute: "30m", 45 * time.Second: "45s", 61 * time.Minute: "1h1m", time.Hour + 5*time.Second: "1h0m5s", 10 * time.Minute: "10m", 20 * time.Hour: "20h", 100 * time.Millisecond: "100ms"} {
		if got := Spell(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
