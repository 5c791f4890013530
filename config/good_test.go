package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestGood loads the teams of testdata/good from a directory, and compares the warnings
// and the canonical form with the last two files of each archive.
func TestGood(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/good/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := unpack(t, a)
			var o Options
			for line := range strings.Lines(string(a.Comment)) {
				switch flag, value, _ := strings.Cut(strings.TrimSpace(line), " "); flag {
				case "--entry":
					o.Entry = value
				case "--model":
					o.Model = value
				case "--set":
					o.Set = append(o.Set, value)
				}
			}
			team, err := LoadWith(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := team.Validate(); err != nil {
				t.Errorf("what was loaded is not valid: %v", err)
			}
			var warnings, pretty bytes.Buffer
			for _, f := range team.Warnings {
				warnings.WriteString(f.String() + "\n")
			}
			if err := json.Indent(&pretty, team.Canonical(), "", "  "); err != nil {
				t.Fatal(err)
			}
			pretty.WriteByte('\n')
			for want, got := range map[string]string{"want.warnings": warnings.String(), "want.json": pretty.String()} {
				compare(t, a, want, strings.ReplaceAll(got, dir, "$DIR"))
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			back, err := Decode(team.Canonical())
			if err != nil {
				t.Fatal(err)
			}
			if back.Hash() != team.Hash() {
				t.Errorf("decoding changed the team:\n%s\n%s", team.Canonical(), back.Canonical())
			}
			again, err := LoadWith(dir, o)
			if err != nil || again.Hash() != team.Hash() {
				t.Errorf("a second load gives another hash, %v", err)
			}
		})
	}
}

func unpack(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "review")
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "want.") {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func compare(t *testing.T, a *txtar.Archive, name, got string) {
	t.Helper()
	for i := range a.Files {
		if a.Files[i].Name != name {
			continue
		}
		if *update {
			a.Files[i].Data = []byte(got)
		} else if string(a.Files[i].Data) != got {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, a.Files[i].Data)
		}
		return
	}
	t.Errorf("the archive has no file %s", name)
}

func TestLoadFaults(t *testing.T) {
	t.Parallel()
	agents := map[string]string{"lead.md": "Lead.", "critic.md": "---\ndescription: d\n---\nCritic."}
	for _, row := range []struct {
		name  string
		files map[string]string
		path  string
		opt   Options
		want  string
	}{
		{"no such path", nil, "gone", Options{}, "$DIR/gone: there is no such file [config.unreadable]"},
		{"empty directory", nil, ".", Options{}, "$DIR: there is neither a team.yaml nor an agent file (*.md) in this directory; swarm init DIR writes a small team [config.missing]"},
		{"another spelling of the team file", map[string]string{"team.yml": "version: 1\n"}, ".", Options{}, "$DIR: there is neither a team.yaml nor an agent file (*.md) in this directory; there is a team.yml: rename it to team.yaml, or name it [config.missing]"},
		{"agent files one level down", map[string]string{"agents/lead.md": "Lead."}, ".", Options{}, "$DIR: there is neither a team.yaml nor an agent file (*.md) in this directory; name the directory agents below it [config.missing]"},
		{"two agents and no entry", agents, ".", Options{}, "$DIR: which agent begins is not said; there are critic, lead; give --entry ID [config.entry_missing]"},
		{"unknown entry", agents, ".", Options{Entry: "leed"}, `$DIR: the entry "leed" is no agent of the team; the nearest one is "lead" [config.entry_unknown]`},
		{"child without description", agents, ".", Options{Entry: "critic"}, "$DIR/lead.md:1:1: agent lead: it is callable and has no description; say in one line what it is for [config.description_missing]"},
		{"two equal ids", map[string]string{"a.md": "A.", "b.md": "---\nname: A\n---\nB."}, ".", Options{}, `$DIR/b.md:2:7: there are two agents "a", the other one in $DIR/a.md; rename one [config.agent_duplicate]`},
		{"two files of one name", map[string]string{"agents/a.md": "---\nname: One Two\n---\nA.", "agents/b.md": "---\nname: one-two\n---\nB."}, "agents", Options{},
			`$DIR/agents/b.md:2:7: there are two agents "one-two", the other one in $DIR/agents/a.md; rename one [config.agent_duplicate]`},
		{"a name that makes no id", map[string]string{"a.md": "---\nname: C++ Pro\n---\nA."}, ".", Options{},
			`$DIR/a.md:2:7: the id "c++-pro" of an agent is not 1 to 64 characters of a-z, 0-9, - and _ that begin with a letter or digit; write c-pro [config.agent_id]`},
		{"set of a key", agents, ".", Options{Entry: "lead", Set: []string{"models.default={provider: openai, model: m}", "models.default.api_key=sk-secret"}},
			`--set models.default.api_key=…: models.default.api_key holds a key itself; write ${NAME} and set NAME in the environment, or use api_key_file [config.literal_secret]`},
		{"unknown model", agents, ".", Options{Entry: "lead", Model: "gpt"}, `--model gpt: there is no model "gpt"; there are none; name one of these, or PROVIDER/MODEL with openai, anthropic or gemini [config.model_unknown]`},
		{"set without value", agents, ".", Options{Entry: "lead", Set: []string{"budgets.rounds"}}, "--set budgets.rounds: a setting is KEY=VALUE; for example budgets.rounds=20 [config.set_invalid]"},
		{"set of a bad value", agents, ".", Options{Entry: "lead", Set: []string{"budgets.rounds=x"}}, `--set budgets.rounds=x: budgets.rounds is a whole number from 1, not "x" [config.value]`},
		{"set of an unknown key", agents, ".", Options{Entry: "lead", Set: []string{"budget.rounds=1"}}, `--set budget.rounds=1: the file has no key "budget"; the nearest known key is "budgets" [config.unknown_key]`},
		{"set below a value", agents, ".", Options{Entry: "lead", Set: []string{"name=a", "name.b=c"}}, `--set name.b=c: name is no mapping [config.set_invalid]`},
		{"set of no YAML", agents, ".", Options{Entry: "lead", Set: []string{"name={"}}, `--set name={: the value is not YAML: line 1: did not find expected node content [config.set_invalid]`},
		{"no agents beside the team file", map[string]string{"team.yaml": "version: 1\n"}, "team.yaml", Options{}, "$DIR/team.yaml: agents is missing, and there are no agent files in $DIR/agents; name at least one agent, or write one as a Markdown file [config.missing]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			a := &txtar.Archive{}
			for _, name := range []string{"team.yaml", "team.yml", "a.md", "agents/a.md", "agents/b.md", "agents/lead.md", "b.md", "critic.md", "lead.md"} {
				if text, ok := row.files[name]; ok {
					a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
				}
			}
			dir := unpack(t, a)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := LoadWith(filepath.Join(dir, row.path), row.opt)
			if got := strings.ReplaceAll(FaultsOf(err).Error(), dir, "$DIR"); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

// TestUnreadableFiles holds for files that are no text files: a link that leads to itself,
// a directory.
func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink("loop.md", filepath.Join(dir, "loop.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	team := "version: 1\nentry: a\nagents:\n  a: {file: loop.md}\n  b: {file: folder.md}\n"
	if err := os.WriteFile(filepath.Join(dir, "team.yaml"), []byte(team), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Load(dir)
	want := "$DIR/team.yaml:4:13: agent a: $DIR/loop.md: the file cannot be read: too many levels of symbolic links [config.unreadable]\n" +
		"$DIR/team.yaml:5:13: agent b: $DIR/folder.md: the file cannot be read: it is no regular file [config.unreadable]"
	if got := strings.ReplaceAll(FaultsOf(err).Error(), dir, "$DIR"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOpenPolicy holds whom the agents of a directory without a team file may call.
func TestOpenPolicy(t *testing.T) {
	t.Parallel()
	const described = "---\ndescription: d\n---\nWork."
	for _, row := range []struct {
		name  string
		files map[string]string
		want  string // id and what it may, of those that may something
	}{
		{"one agent", map[string]string{"lead.md": "Lead."}, ""},
		{"two agents", map[string]string{"lead.md": "Lead.", "a.md": described}, "a: child; lead: delegates"},
		{"the entry says its mode", map[string]string{"lead.md": "---\nmode: primary\n---\nLead.", "a.md": described}, "a: child; lead: delegates"},
		{"the entry says its policy", map[string]string{"lead.md": "---\ndelegation: {max_children: 3}\n---\nLead.", "a.md": described}, "a: child"},
		{"another one says its mode", map[string]string{"lead.md": "Lead.", "a.md": "---\nmode: primary\n---\nWork."}, ""},
		{"another one takes work over only", map[string]string{"lead.md": "Lead.", "a.md": "---\ndescription: d\ndelegation: {callable: true, as_handoff_target: true}\n---\nWork."}, ""},
		{"a subagent among others", map[string]string{"lead.md": "Lead.", "a.md": "---\nmode: primary\n---\nWork.", "b.md": "---\nmode: subagent\ndescription: d\n---\nWork."}, "b: child; lead: delegates"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range row.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			team, err := LoadWith(dir, Options{Entry: "lead"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, id := range []string{"a", "b", "lead"} {
				if p := team.Agents[id]; p != nil && p.Delegation.CanDelegate {
					got = append(got, id+": delegates")
				} else if p != nil && p.Delegation.AsChild {
					got = append(got, id+": child")
				}
			}
			if text := strings.Join(got, "; "); text != row.want {
				t.Errorf("got %q, want %q", text, row.want)
			}
		})
	}
}
