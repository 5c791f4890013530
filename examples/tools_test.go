package examples

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
)

var update = flag.Bool("update", false, "rewrite the generated part of docs/tools.md")

// The part of docs/tools.md between these lines is made of the schemas of the tools.
const (
	generatedFrom = "<!-- generated from the schemas: go test ./examples -run TestToolsDocument -update -->\n"
	generatedTo   = "<!-- end of the generated part -->\n"
)

func TestToolsDocument(t *testing.T) {
	t.Parallel()
	file := filepath.Join("..", "docs", "tools.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(data), generatedFrom)
	_, after, ok2 := strings.Cut(rest, generatedTo)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no generated part", file)
	}
	want := before + generatedFrom + parameters(t) + generatedTo + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(data) != want {
		t.Errorf("%s does not fit the schemas; rewrite it with -update", file)
	}
}

// parameters gives a table for each tool, in the order of the catalogue.
func parameters(t *testing.T) string {
	t.Helper()
	tools, err := builtin.Collect(builtin.Core(), builtin.FileTools(), []tooling.Tool{builtin.CommitTool(nil)})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, tool := range tools {
		var doc yaml.Node // JSON is YAML, and keeps its order here
		if err := yaml.Unmarshal(tool.Schema, &doc); err != nil {
			t.Fatal(tool.ID, err)
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n", strings.TrimPrefix(tool.ID, "builtin:"), tool.Description)
		var rows strings.Builder
		members(&rows, doc.Content[0], "")
		if rows.Len() == 0 {
			b.WriteString("\nNo parameters.\n")
			continue
		}
		b.WriteString("\n| parameter | type | required | default | limits | meaning |\n|---|---|---|---|---|---|\n" + rows.String())
	}
	return b.String() + "\n"
}

// members writes a row for each property of an object schema, and for those below it.
func members(b *strings.Builder, schema *yaml.Node, prefix string) {
	required := map[string]bool{}
	for _, n := range entries(get(schema, "required")) {
		required[n.Value] = true
	}
	list := entries(get(schema, "properties"))
	for i := 0; i+1 < len(list); i += 2 {
		name, s := prefix+list[i].Value, list[i+1]
		must := ""
		if required[list[i].Value] {
			must = "yes"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", name, kind(s), must, code(get(s, "default")), limits(s), cell(text(s, "description")))
		members(b, s, name+".")
		if items := get(s, "items"); items != nil {
			members(b, items, name+"[].")
		}
	}
}

func kind(s *yaml.Node) string {
	switch k := text(s, "type"); k {
	case "array":
		return "list of " + kind(get(s, "items")) + "s"
	default:
		return k
	}
}

func limits(s *yaml.Node) string {
	var out []string
	var words []string
	for _, n := range entries(get(s, "enum")) {
		words = append(words, "`"+n.Value+"`")
	}
	if len(words) > 0 {
		out = append(out, strings.Join(words, ", "))
	}
	for _, l := range []struct{ least, most, what string }{
		{"minimum", "maximum", ""}, {"minLength", "maxLength", " characters"}, {"minItems", "maxItems", " entries"},
	} {
		least, most := text(s, l.least), text(s, l.most)
		switch {
		case least != "" && most != "":
			out = append(out, least+"–"+most+l.what)
		case least != "":
			out = append(out, "from "+least+l.what)
		case most != "":
			out = append(out, "to "+most+l.what)
		}
	}
	if text(s, "type") == "object" && text(s, "additionalProperties") != "false" {
		out = append(out, "open: further keys are allowed")
	}
	if items := get(s, "items"); items != nil {
		if each := limits(items); each != "" {
			out = append(out, "each "+each)
		}
	}
	return cell(strings.Join(out, "; "))
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func code(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return "`" + cell(n.Value) + "`"
}

func text(n *yaml.Node, name string) string {
	if v := get(n, name); v != nil {
		return v.Value
	}
	return ""
}

func get(n *yaml.Node, name string) *yaml.Node {
	list := entries(n)
	for i := 0; i+1 < len(list); i += 2 {
		if list[i].Value == name {
			return list[i+1]
		}
	}
	return nil
}

func entries(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	return n.Content
}
