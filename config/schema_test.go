package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// compiled gives a schema by which values are judged.
func compiled(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("schema.json", value); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance gives the JSON value of a YAML text; false: it has none.
func instance(text []byte) (any, bool) {
	var value any
	if yaml.Unmarshal(text, &value) != nil {
		return nil, false
	}
	return value, true
}

// frontMatter gives the front matter of an agent file.
func frontMatter(data []byte) ([]byte, bool) {
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, bom), []byte("\r\n"), []byte("\n"))
	rest, found := bytes.CutPrefix(data, []byte("---\n"))
	front, _, closed := bytes.Cut(rest, []byte("\n---"))
	return front, found && closed
}

// TestSchemaGolden holds that the schemas are those of testdata.
func TestSchemaGolden(t *testing.T) {
	t.Parallel()
	for name, got := range map[string][]byte{"team.schema.json": TeamSchema(), "agent.schema.json": AgentSchema()} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale; run go test ./config -update and look at what changed", file)
		}
	}
}

// TestSchemaTakesGoodFiles judges all that loads by the schemas.
func TestSchemaTakesGoodFiles(t *testing.T) {
	t.Parallel()
	team, agent := compiled(t, TeamSchema()), compiled(t, AgentSchema())
	archives, err := filepath.Glob("testdata/good/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	teams, agents := 0, 0
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			s, text := team, f.Data
			switch front, ok := frontMatter(f.Data); {
			case f.Name == "team.yaml":
				teams++
			case strings.HasSuffix(f.Name, ".md") && ok:
				s, text = agent, front
				agents++
			default:
				continue
			}
			value, ok := instance(text)
			if !ok { // taken all the same, as a load takes it
				text, _ = quotedLines(text)
				value, ok = instance(text)
			}
			if !ok {
				t.Errorf("%s: %s is not YAML", name, f.Name)
				continue
			}
			if value == nil {
				continue // front matter without keys
			}
			if err := s.Validate(value); err != nil {
				t.Errorf("%s: %s: %v", name, f.Name, err)
			}
		}
	}
	if teams < 4 || agents < 12 {
		t.Errorf("%d team files and %d agent files were judged", teams, agents)
	}
}

// beyondSchema are codes of faults that a schema cannot find: of other files, of what
// belongs together, and of YAML.
var beyondSchema = []string{
	"config.agent_duplicate", "config.callable_without_use", "config.caller_unknown", "config.callers_empty", "config.conflict",
	"config.description_missing", "config.duplicate_key", "config.entry_missing", "config.entry_unknown", "config.front_matter",
	"config.merge_key", "config.model_unknown", "config.mount_name", "config.mount_overlap", "config.nested_depth", "config.no_child_target",
	"config.no_handoff_target", "config.no_model", "config.not_text", "config.permission_mode", "config.plain_secret", "config.roots",
	"config.script_invalid", "config.syntax", "config.tag", "config.target_not_callable", "config.target_refuses", "config.target_self", "config.target_unknown",
	"config.too_large", "config.tool_pattern", "config.tool_reserved", "config.tool_unknown", "config.unreadable", "config.use_without_callable",
	"config.ignored_field", "config.tools_none", "config.unquoted", "config.file_unread",
}

// TestSchemaRefusesBrokenFiles judges the files of testdata/broken that have faults which
// a schema can find.
func TestSchemaRefusesBrokenFiles(t *testing.T) {
	t.Parallel()
	team, agent := compiled(t, TeamSchema()), compiled(t, AgentSchema())
	archives, err := filepath.Glob("testdata/broken/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(name), ".txtar")
		for _, f := range a.Files {
			s, text := team, f.Data
			if front, ok := frontMatter(f.Data); ok {
				s, text = agent, front
			} else if f.Name != "team.yaml" {
				continue
			}
			value, ok := instance(text)
			if !ok || value == nil || !structural(string(a.Comment), f.Name) {
				continue
			}
			if s.Validate(value) == nil {
				if looser[base] == "" {
					t.Errorf("%s: the schema takes %s, whose faults are\n%s", name, f.Name, a.Comment)
				}
				continue
			}
			if looser[base] != "" {
				t.Errorf("%s: the schema refuses %s after all", name, f.Name)
			}
			refused++
		}
	}
	if refused < 20 {
		t.Errorf("the schemas refused %d files only", refused)
	}
}

// looser are archives whose faults are of a kind that a schema finds elsewhere, with the
// reason why it does not find theirs.
var looser = map[string]string{
	"agent_file_missing": "what is missing is a file",
	"agents_empty":       "agents may be left out beside agent files",
	"agents_missing":     "likewise",
	"file_is_team_file":  "a file has any name",
	"merge_and_tags":     "aliases and tags are gone in the value",
	"model_of_ours":      "a URL may have any path",
	"prompt_empty":       "the prompt is in a file",
	"targets_rule":       "the targets are names of other agents",
}

// structural says whether a report has a fault of a file that a schema can find.
func structural(report, file string) bool {
	for line := range strings.Lines(report) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, file+":") || strings.Contains(line, " warning: ") {
			continue
		}
		code := line[strings.LastIndexByte(line, '[')+1 : len(line)-1]
		known := false
		for _, c := range beyondSchema {
			known = known || c == code
		}
		if !known {
			return true
		}
	}
	return false
}
