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
		{"two agents and no entry", agents, ".", Options{}, "$DIR: which agent begins is not said; there are critic, lead; give --entry ID [config.entry_missing]"},
		{"unknown entry", agents, ".", Options{Entry: "leed"}, `$DIR: the entry "leed" is no agent of the team; the nearest one is "lead" [config.entry_unknown]`},
		{"child without description", agents, ".", Options{Entry: "critic"}, "$DIR/lead.md:1:1: agent lead: it is callable and has no description; say in one line what it is for [config.description_missing]"},
		{"two equal ids", map[string]string{"a.md": "A.", "b.md": "---\nname: A\n---\nB."}, ".", Options{}, `$DIR/b.md:2:7: there are two agents "a", the other one in $DIR/a.md; rename one [config.agent_duplicate]`},
		{"unknown model", agents, ".", Options{Entry: "lead", Model: "gpt"}, `--model gpt: there is no model "gpt"; there are none; name one of these, or openai/MODEL [config.model_unknown]`},
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
			for _, name := range []string{"team.yaml", "a.md", "b.md", "critic.md", "lead.md"} {
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
