package config

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// asked are keys whose default is applied by who asks for the value, so that giving it is
// seen in the profile.
var asked = []string{"agents.lead.context.messages", "agents.lead.presentation"}

// TestDefaults holds that the defaults of the tables are those that loading gives: a team
// that states one is the team that says nothing.
func TestDefaults(t *testing.T) {
	t.Parallel()
	l := blank()
	stated := map[string]any{}
	var walk func(path string, keys []key)
	walk = func(path string, keys []key) {
		for _, k := range keys {
			at, f := join(path, k.name), k.kind.form
			switch _, words := k.def.(says); {
			case at == "models" || at == "workspace.mounts":
			case at == "agents":
				walk("agents.lead", f.each.keys)
			case f.keys != nil:
				walk(at, f.keys)
			case k.def != nil && !words:
				stated[at] = k.def
			}
		}
	}
	walk("", teamKeys(l))
	if len(stated) < 35 {
		t.Fatalf("%d defaults were found", len(stated))
	}
	load := func(set ...string) *Team {
		none := func(string) ([]byte, error) { return nil, fs.ErrNotExist }
		team, err := (&loader{read: none}).load([]byte("version: 1\nagents: {lead: {prompt: Lead.}}\n"), "team.yaml", Options{Set: set})
		if err != nil {
			t.Fatalf("%v: %v", set, err)
		}
		return team
	}
	base := load().Hash()
	for at, def := range stated {
		same := load(fmt.Sprintf("%s=%v", at, def)).Hash() == base
		isAsked := false
		for _, a := range asked {
			isAsked = isAsked || a == at
		}
		if same == isAsked {
			t.Errorf("%s: stating its default %v changes the team: %v", at, def, !same)
		}
	}
}

// TestTables holds what every table needs: names that differ, a line of text for each
// key, defaults that their own kind takes.
func TestTables(t *testing.T) {
	t.Parallel()
	l := blank()
	var walk func(path string, keys []key)
	walk = func(path string, keys []key) {
		seen := map[string]bool{}
		for _, k := range keys {
			at, f := join(path, k.name), k.kind.form
			if seen[k.name] {
				t.Errorf("%s stands twice", at)
			}
			seen[k.name] = true
			if k.doc == "" || strings.ContainsAny(k.doc, "\n|") || strings.HasSuffix(k.doc, ".") {
				t.Errorf("%s: the text %q is not one line without a full stop", at, k.doc)
			}
			if !k.lacking() && f.is == "" {
				t.Errorf("%s: its values have no words", at)
			}
			if f.each != nil {
				walk(at+".NAME", f.each.keys)
			}
			walk(at, f.keys)
		}
	}
	walk("", teamKeys(l))
	walk("", frontKeys(l, new(draft)))
}

// TestHostileFiles holds that what nobody writes by hand has a clear outcome as well.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	const team = "version: 1\nagents: {lead: {file: lead.md}}\n"
	for _, row := range []struct {
		name, team, agent string
		want              string // the report; "": it is taken
	}{
		{"byte order mark", "\uFEFF" + team, "Lead.", ""},
		{"byte order mark before front matter", team, "\uFEFF---\nmaxTurns: 3\n---\nLead.", ""},
		{"lines that end in CR LF", strings.ReplaceAll(team, "\n", "\r\n"), "---\r\nmaxTurns: 3\r\n---\r\nLead.\r\n", ""},
		{"blanks behind the marks of front matter", team, "--- \nmaxTurns: 3\n---\t\nLead.", ""},
		{"tabs in a prompt", team, "Lead:\n\t- well\n", ""},
		{"NUL in a team file", "version: 1\nname: a\x00b\n", "Lead.", "team.yaml:2:8: the file holds a character NUL, so it is no text; remove it, or save the file as UTF-8 [config.not_text]"},
		{"NUL in a prompt", team, "Lead\nwell\x00.", "lead.md:2:5: the file holds a character NUL, so it is no text; remove it, or save the file as UTF-8 [config.not_text]"},
		{"control character", "version: 1\nname: a\x1bb\n", "Lead.", "team.yaml:2:8: YAML does not take the control character U+001B; remove it [config.not_text]"},
		{"UTF-16", "\xff\xfev\x00e\x00", "Lead.", "team.yaml:1:1: the file is not UTF-8 from here on; save it as UTF-8 [config.not_text]"},
		{"huge team file", strings.Repeat("# x\n", maxFile/4+1), "Lead.", "team.yaml: the file has more than the 4194304 bytes that are allowed; shorten it [config.too_large]"},
		{"huge prompt", team, strings.Repeat("x", maxFile+1), "lead.md: the file has more than the 4194304 bytes that are allowed; shorten it [config.too_large]"},
		{"deep lists", team + "models: " + strings.Repeat("[", 20_000), "Lead.", "team.yaml:3:1: this is not YAML: exceeded max depth of 10000; a team is never nested so deep [config.syntax]"},
		{"deep mappings", team + "budgets: " + strings.Repeat("{a: ", 5_000) + strings.Repeat("}", 5_000), "Lead.",
			`team.yaml:3:11: budgets has no key "a"; the nearest known key is "usd" [config.unknown_key]`},
		{"alias to itself", team + "budgets: &a {rounds: *a}\n", "Lead.", "team.yaml:3:10: budgets.rounds is a single value; put a text that holds { or a colon in quotes [config.type]"},
		{"alias for a whole value", "version: 1\nentry: a\nagents:\n  a: &x {prompt: Lead., budgets: {rounds: 3}}\n  b: *x\n", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(row.team), "team.yaml", func(name string) ([]byte, error) {
				if name != "lead.md" {
					return nil, errors.New("not asked for")
				}
				return []byte(row.agent), nil
			})
			if got := FaultsOf(err).Error(); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}

// TestMends holds what is said to write instead of a value.
func TestMends(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ mend, value, want string }{
		{"duration", "10", "add the unit, such as 10s"},
		{"duration", "1 hour", "write 1h"},
		{"duration", "5min", "write 5m"},
		{"duration", "2 days", "write 48h"},
		{"duration", "1.5 hours", "write 1.5h"},
		{"duration", "0", ""},
		{"duration", "0 days", ""},
		{"duration", "soon", ""},
		{"duration", "10 parsecs", ""},
		{"number", "1,000", "write 1000"},
		{"number", "2 000 000", "write 2000000"},
		{"number", "2k", "write 2000"},
		{"number", "3M", "write 3000000"},
		{"number", "80 rounds", "write 80"},
		{"number", "unlimited", "remove the key for its default"},
		{"number", "1.5", ""},
		{"boolean", "Yes", "write true"},
		{"boolean", "off", "write false"},
		{"boolean", "perhaps", ""},
		{"id", "Code Reviewer", "write code-reviewer"},
		{"id", "***", ""},
		{"model", "gpt-5", "write {provider: openai, model: gpt-5}"},
		{"model", "openai/gpt-5", "write {provider: openai, model: gpt-5}"},
		{"model", "qwen3:8b", `write {provider: openai, model: "qwen3:8b"}`},
		{"model", "scripted", "write {provider: scripted, script: …}"},
	} {
		t.Run(row.mend+" "+row.value, func(t *testing.T) {
			t.Parallel()
			mend := map[string]func(string) string{"duration": mendDuration, "number": mendNumber, "boolean": mendBoolean, "id": mendID, "model": mendModel}[row.mend]
			if got := mend(row.value); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
