package builtin

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// object reads arguments for a test.
func object(t testing.TB, text string) *tooling.Object {
	t.Helper()
	o, invalid := tooling.Normalise(json.RawMessage(text))
	if invalid != nil {
		t.Fatalf("%s: %v", text, invalid)
	}
	return o
}

// checked judges arguments by the schema of a tool.
func checked(t testing.TB, tool *tooling.Tool, text string) (*tooling.Object, *tooling.Invalid) {
	t.Helper()
	s, err := tooling.CompileSchema(tool.Schema)
	if err != nil {
		t.Fatal(err)
	}
	return s.Check(object(t, text), tool.Raw)
}

// core finds a tool of [Core].
func core(t testing.TB, id string) *tooling.Tool {
	t.Helper()
	c, err := tooling.NewCatalogue(Core()...)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := c.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestCollect(t *testing.T) {
	t.Parallel()
	tools, err := Collect(Core())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range tools {
		ids = append(ids, strings.TrimPrefix(tools[i].ID, "builtin:"))
	}
	want := "chat.search chat.read_messages worldinfo.read_activated workspace.finish agent.list agent.delegate agent.await agent.read_result agent.cancel agent.handoff task.return dice.roll update_plan"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("tools %s\nwant  %s", got, want)
	}
}

func TestCollectWithFiles(t *testing.T) {
	t.Parallel()
	tools, err := Collect(FileTools(), Core())
	if err != nil {
		t.Fatal(err)
	}
	if len(tools) != len(FileTools())+len(Core()) || tools[0].ID != "builtin:chat.search" || tools[3].ID != "builtin:workspace.list_files" {
		t.Errorf("%d tools, first %s", len(tools), tools[0].ID)
	}
}

func TestCollectRefuses(t *testing.T) {
	t.Parallel()
	handle := func(context.Context, *tooling.Call) tooling.Result { return tooling.Result{} }
	alter := func(change func(*tooling.Tool)) []tooling.Tool {
		d := dice()
		d.Handle = handle
		change(&d)
		return []tooling.Tool{d}
	}
	rows := []struct {
		name, code string
		tools      []tooling.Tool
	}{
		{"no id", "tool.id_invalid", alter(func(d *tooling.Tool) { d.ID = "dice" })},
		{"no built-in", "tool.descriptor_invalid", alter(func(d *tooling.Tool) { d.ID = "extension/go:dice" })},
		{"no row in the table", "tool.descriptor_invalid", alter(func(d *tooling.Tool) { d.ID = "builtin:coin" })},
		{"exposure of another class", "tool.descriptor_invalid", alter(func(d *tooling.Tool) { d.Exposure = tooling.DiagnosticTool })},
		{"open schema", "tool.schema_invalid", alter(func(d *tooling.Tool) { d.Schema = json.RawMessage(`{"type":"object"}`) })},
		{"no schema", "tool.schema_invalid", alter(func(d *tooling.Tool) { d.Schema = nil })},
		{"twice", "tool.catalog_duplicate_id", append(Core(), dice())},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if _, err := Collect(r.tools); fault.Code(err) != r.code {
				t.Errorf("error %v, want %s", err, r.code)
			}
		})
	}
}
