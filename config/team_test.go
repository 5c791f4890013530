package config

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	env := map[string]string{"A": "one", "B_2": "two", "EMPTY": "", "LOOP": "${A}"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for _, row := range []struct{ name, text, want, code string }{
		{"no reference", "plain $A {x}", "plain $A {x}", ""},
		{"one", "${A}", "one", ""},
		{"two with text", "x${A}-${B_2}y", "xone-twoy", ""},
		{"a value is not expanded again", "${LOOP}", "${A}", ""},
		{"unknown", "${GONE}", "", "config.variable_missing"},
		{"empty", "${EMPTY}", "", "config.variable_missing"},
		{"not closed", "${A", "", "config.value"},
		{"bad name", "${A B}", "", "config.value"},
		{"digit first", "${2A}", "", "config.value"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := Expand(row.text, lookup)
			if got != row.want || fault.Code(err) != row.code {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, code string }{
		{"not JSON", "{", "config.invalid_json"},
		{"unknown field", `{"version":1,"later":true}`, "config.invalid_json"},
		{"something follows", `{"version":1} {}`, "config.invalid_json"},
		{"newer version", `{"version":2}`, "config.version"},
		{"null agent", `{"version":1,"agents":{"a":null}}`, "config.invalid_json"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if _, err := Decode([]byte(row.text)); fault.Code(err) != row.code {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	good := func() *Team {
		return &Team{Version: 1, Name: "t", Entry: "lead", Models: map[string]Model{"default": {Provider: Scripted, Script: embedded, ScriptFile: "s"}},
			Agents: map[string]*agent.Profile{"lead": {ID: "lead", Prompt: "Lead."}}}
	}
	for _, row := range []struct {
		name   string
		change func(*Team)
		want   string // part of the fault; "": none
	}{
		{"good", func(*Team) {}, ""},
		{"default model may come from the program", func(t *Team) { t.Models = nil }, ""},
		{"version", func(t *Team) { t.Version = 0 }, "[config.version]"},
		{"name", func(t *Team) { t.Name = "A B" }, "name is 1 to 64"},
		{"no agents", func(t *Team) { t.Agents = nil }, "at least one agent"},
		{"nil agent", func(t *Team) { t.Agents["x"] = nil }, `agent "x" is nil`},
		{"id is not its key", func(t *Team) { t.Agents["lead"].ID = "other" }, `the id "other" of an agent is not its key "lead"; make the two equal; each agent has an id of its own [config.agent_id]`},
		{"id with a capital", func(t *Team) { t.Agents["Clerk"] = &agent.Profile{ID: "Clerk", Prompt: "x"} },
			`the id "Clerk" of an agent is not 1 to 64 characters of a-z, 0-9, - and _ that begin with a letter or digit; write clerk [config.agent_id]`},
		{"id of no agent", func(t *Team) { t.Agents["human"] = &agent.Profile{ID: "human", Prompt: "x"} }, `the id "human" is reserved; give the agent another one [config.agent_id]`},
		{"entry", func(t *Team) { t.Entry = "x" }, "[config.entry_unknown]"},
		{"no entry", func(t *Team) { t.Entry = "" }, "[config.entry_missing]"},
		{"prompt", func(t *Team) { t.Agents["lead"].Prompt = "" }, "the prompt is empty"},
		{"model", func(t *Team) { t.Agents["lead"].Model = "x" }, "[config.model_unknown]"},
		{"provider", func(t *Team) { t.Models["x"] = Model{Provider: "y"} }, "provider is openai, anthropic, gemini, scripted or replay"},
		{"literal key", func(t *Team) { t.Models["x"] = Model{Provider: OpenAI, Model: "m", APIKey: "sk"} }, "[config.literal_secret]"},
		{"script", func(t *Team) { t.Models["x"] = Model{Provider: Scripted, Script: "version: 3", ScriptFile: "s"} }, "[config.script_invalid]"},
		{"temperature", func(t *Team) { t.Models["x"] = Model{Provider: OpenAI, Model: "m", Temperature: &nan} }, "finite"},
		{"window", func(t *Team) { t.Models["x"] = Model{Provider: OpenAI, Model: "m", Window: -1} }, "window is a number of tokens"},
		{"history share", func(t *Team) { t.Agents["lead"].HistoryShare = 2 }, "context.history_share is a number from 0.1 to 0.9"},
		{"no history share", func(t *Team) { t.Agents["lead"].HistoryShare = nan }, "context.history_share is"},
		{"compaction at", func(t *Team) { t.Agents["lead"].CompactAt = 0.1 }, "context.compact_at is a number from 0.3 to 0.95"},
		{"turn chars", func(t *Team) { t.Agents["lead"].TurnChars = -1 }, "context.turn_chars is"},
		{"compaction model", func(t *Team) { t.Agents["lead"].CompactionModel = "x" }, "[config.model_unknown]"},
		{"no target", func(t *Team) { t.Agents["lead"].Delegation.CanDelegate = true }, "[config.no_child_target]"},
		{"self is a target", func(t *Team) { d := &t.Agents["lead"].Delegation; d.CanDelegate, d.AllowSelf = true, true }, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			team := good()
			row.change(team)
			err := team.Validate()
			if got := FaultsOf(err).Error(); (err == nil) != (row.want == "") || !strings.Contains(got, row.want) {
				t.Errorf("got %v, want %q", got, row.want)
			}
		})
	}
}

// TestFaultsInErrors holds what the error of a team says: each fault once, and one code.
func TestFaultsInErrors(t *testing.T) {
	t.Parallel()
	team := &Team{Version: 1, Name: "t", Entry: "Clerk", Agents: map[string]*agent.Profile{"Clerk": {ID: "Clerk", Prompt: "x"}}}
	const one = `read team: t: 1 fault: the id "Clerk" of an agent is not 1 to 64 characters of a-z, 0-9, - and _ that begin with a letter or digit; write clerk`
	if err := team.Validate(); err == nil || err.Error() != one+" [config.invalid]" {
		t.Errorf("got %v", err)
	}
	team.Models = map[string]Model{"m": {Provider: Scripted, Script: "version: 3", ScriptFile: "s"}}
	want := "read team: t: 3 faults: \nmodel m: s:1:10: version 3 is not in this version; write version: 1\nmodel m: s:1:1: agents is missing\n" + strings.SplitN(one, ": ", 4)[3] + " [config.invalid]"
	if err := team.Validate(); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%v", err, want)
	}
	if fs := FaultsOf(team.Validate()); len(fs) != 3 || fs[0].Code != "config.script_invalid" {
		t.Errorf("got %v", fs)
	}
}

// FuzzParse holds that a load never panics, that faults have places and codes, and that
// what is taken survives its canonical form.
func FuzzParse(f *testing.F) {
	f.Add("version: 1\nagents: {lead: {file: a.md}}\n", "---\ntools: Read, Bash\nmode: primary\n---\nLead.")
	f.Add("version: 1\nentry: a\nagents:\n  a: &x {prompt: p, description: d, delegation: {callable: true, as_child: true}}\n  b: *x\n", "")
	f.Add("version: 1\nmodels: {default: {provider: scripted, script: a.md}}\nagents: {lead: {prompt: x}}\n", "version: 1\nagents: {lead: [{text: hi}]}")
	f.Add("a: &a [*a]\n<<: *a\n? {x: y}\n: 1\n", "---\n---")
	f.Add("version: 1\nagents: {lead: {file: a.md}}\n", "not\xffUTF-8")
	f.Fuzz(func(t *testing.T, team, file string) {
		got, err := Parse([]byte(team), "team.yaml", func(string) ([]byte, error) { return []byte(file), nil })
		if err != nil {
			fs := FaultsOf(err)
			if len(fs) == 0 {
				t.Fatalf("no faults in %v", err)
			}
			for _, one := range fs {
				if !strings.HasPrefix(one.Code, "config.") || one.File == "" || one.Text == "" {
					t.Errorf("fault without code, file or text: %+v", one)
				}
			}
			return
		}
		back, err := Decode(got.Canonical())
		if err != nil {
			t.Fatal(err)
		}
		if string(back.Canonical()) != string(got.Canonical()) {
			t.Errorf("got\n%s\nwant\n%s", back.Canonical(), got.Canonical())
		}
		if err := got.Validate(); err != nil {
			t.Errorf("what was loaded is not valid: %v", err)
		}
	})
}
