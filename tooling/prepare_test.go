package tooling

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

const emptySchema = `{"type":"object","additionalProperties":false,"properties":{}}`

// tool describes a tool for tests; change may alter it.
func tool(id string, change ...func(*Descriptor)) Descriptor {
	d := Descriptor{ID: id, Description: "does " + id, Schema: json.RawMessage(emptySchema), Effect: Effect{Class: Read}, Exposure: UserTool, New: true}
	if i := rank(id); i >= 0 {
		d.Exposure = table[i].Exposure
	}
	for _, c := range change {
		c(&d)
	}
	return d
}

func when(c Condition) func(*Descriptor) { return func(d *Descriptor) { d.Condition = c } }
func notNew(d *Descriptor)               { d.New = false }
func inScene(s string) func(*Descriptor) { return func(d *Descriptor) { d.Scenes = []string{s} } }

func testTools() []Descriptor {
	return []Descriptor{
		tool("builtin:chat.search", inScene("chat")),
		tool("builtin:workspace.list_files", func(d *Descriptor) {
			d.Schema = json.RawMessage(props(`"path":{"type":"string"},"depth":{"type":"integer"}`))
		}),
		tool("builtin:workspace.read_file"),
		tool("builtin:workspace.write_file", when(Writable)),
		tool(IDCommit, when(Owner)),
		tool(IDFinish, when(Owner), notNew),
		tool(IDList, when(CanReach), notNew),
		tool(IDDelegate, when(CanDelegate)),
		tool(IDAwait, when(CanDelegate)),
		tool(IDHandoff, when(CanHandoff)),
		tool(IDReturn, when(ChildOnly), notNew),
		tool(IDDice, notNew),
		tool(IDQuestion, when("human")),
		tool("builtin:tape_search", notNew),
		tool("builtin:tape_info", notNew),
		tool("builtin:tape_handoff", notNew),
		tool("extension/go:lookup"),
		tool("mcp/docs:catalog.query"),
		tool("mcp/docs:catalog_query"),
	}
}

func rootInput(change ...func(*PrepareInput)) PrepareInput {
	in := PrepareInput{
		Tools: testTools(), Scene: "session", Kind: KindRoot,
		Has: map[Condition]bool{Writable: true, CanDelegate: true, CanHandoff: true},
	}
	for _, c := range change {
		c(&in)
	}
	return in
}

func ids(bindings []Binding) string {
	var out []string
	for _, b := range bindings {
		out = append(out, strings.TrimPrefix(b.ID, "builtin:"))
	}
	return strings.Join(out, " ")
}

const externals = "extension/go:lookup mcp/docs:catalog.query mcp/docs:catalog_query"

func TestPrepare(t *testing.T) {
	t.Parallel()
	const files = "workspace.list_files workspace.read_file workspace.write_file"
	rows := []struct {
		name   string
		change func(*PrepareInput)
		want   string
		notes  []string // "id code" that must be among the diagnostics
	}{
		{
			"a profile without a list", func(*PrepareInput) {},
			files + " workspace.commit workspace.finish agent.delegate agent.await agent.handoff tape_search " + externals,
			[]string{"builtin:chat.search tool.not_in_scene", "builtin:dice.roll tool.not_allowed", "builtin:tape_info tool.not_exposed", "builtin:question question.no_human", "builtin:task.return tool.completion_protocol"},
		},
		{
			"scene chat", func(in *PrepareInput) { in.Scene = "chat"; in.Allow = []string{"chat.search"} },
			"chat.search workspace.finish tape_search", nil,
		},
		{
			"an empty list keeps system tools", func(in *PrepareInput) { in.Allow = []string{} },
			"workspace.finish tape_search", nil,
		},
		{
			"patterns", func(in *PrepareInput) { in.Allow = []string{"builtin:workspace.*", "mcp/docs:*", "dice.roll"} },
			files + " workspace.commit workspace.finish dice.roll tape_search mcp/docs:catalog.query mcp/docs:catalog_query", nil,
		},
		{
			"added by the runtime", func(in *PrepareInput) { in.Allow = []string{}; in.Also = []string{IDList} },
			"workspace.finish agent.list tape_search", nil,
		},
		{
			"names-4 deny beats allow, and one id only", func(in *PrepareInput) {
				in.Allow = []string{"mcp/docs:*"}
				in.Deny = []string{"mcp/docs:catalog.query"}
			},
			"workspace.finish tape_search mcp/docs:catalog_query", []string{"mcp/docs:catalog.query tool.denied"},
		},
		{
			"deny acts on system tools", func(in *PrepareInput) { in.Allow = []string{}; in.Deny = []string{"tape_search"} },
			"workspace.finish", nil,
		},
		{
			"expose", func(in *PrepareInput) {
				in.Allow = []string{}
				in.Expose = []string{"tape_info", "builtin:tape_handoff"}
			},
			"workspace.finish tape_search tape_info tape_handoff", nil,
		},
		{
			"deny beats expose", func(in *PrepareInput) {
				in.Allow = []string{}
				in.Expose = []string{"tape_info"}
				in.Deny = []string{"tape_info"}
			},
			"workspace.finish tape_search", []string{"builtin:tape_info tool.denied"},
		},
		{
			"authority", func(in *PrepareInput) {
				in.Denied = []string{"mcp/docs:*", "workspace.write_file", "extension/go:lookup", "builtin:agent.*"}
			},
			"workspace.list_files workspace.read_file workspace.commit workspace.finish tape_search", []string{"mcp/docs:catalog.query tool.not_authorised"},
		},
		{
			"authority cannot take the end away", func(in *PrepareInput) { in.Denied = []string{"builtin:*"} },
			"workspace.finish " + externals, nil,
		},
		{
			"conditions", func(in *PrepareInput) { in.Has = nil },
			"workspace.list_files workspace.read_file workspace.commit workspace.finish tape_search " + externals,
			[]string{"builtin:workspace.write_file tool.condition_unmet"},
		},
		{
			"child", func(in *PrepareInput) {
				in.Kind = KindChild
				in.Has = map[Condition]bool{Writable: true, CanHandoff: true}
			},
			files + " tape_search " + externals + " task.return",
			[]string{"builtin:workspace.finish tool.completion_protocol", "builtin:workspace.commit tool.condition_unmet", "builtin:agent.handoff tool.condition_unmet"},
		},
		{
			"child with nested delegation", func(in *PrepareInput) { in.Kind = KindChild },
			files + " agent.delegate agent.await tape_search " + externals + " task.return", nil,
		},
		{
			"depth", func(in *PrepareInput) {
				in.Kind = KindChild
				in.Has = nil
				in.DepthLimit = 3
				in.Allow = []string{"agent.delegate"}
			},
			"tape_search task.return", []string{"builtin:agent.delegate agent.depth_exhausted"},
		},
		{
			"handoff owner", func(in *PrepareInput) { in.Kind = KindHandoff; in.Allow = []string{"agent.handoff"} },
			"workspace.finish agent.handoff tape_search", nil,
		},
		{
			"absent external", func(in *PrepareInput) { in.Allow = []string{"mcp/gone:x", "mcp/docs:catalog_query"} },
			"workspace.finish tape_search mcp/docs:catalog_query", []string{"mcp/gone:x tool.not_in_catalog"},
		},
		{
			"the model's limit", func(in *PrepareInput) { in.MaxTools = 10 },
			files + " workspace.commit workspace.finish agent.delegate agent.await agent.handoff tape_search extension/go:lookup",
			[]string{"mcp/docs:catalog.query tool.over_provider_limit", "mcp/docs:catalog_query tool.over_provider_limit"},
		},
		{
			"one bad schema", func(in *PrepareInput) {
				in.Allow = []string{"mcp/docs:*"}
				in.Tools = append(in.Tools, tool("mcp/docs:bad", func(d *Descriptor) { d.Schema = json.RawMessage(`[`) }))
			},
			"workspace.finish tape_search mcp/docs:catalog.query mcp/docs:catalog_query", []string{"mcp/docs:bad tool.schema_invalid"},
		},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			in := rootInput(r.change)
			bindings, notes, err := Prepare(in)
			if err != nil {
				t.Fatal(err)
			}
			if got := ids(bindings); got != r.want {
				t.Errorf("tools %s\nwant  %s", got, r.want)
			}
			for _, want := range r.notes {
				if !slices.ContainsFunc(notes, func(d Diagnostic) bool { return d.ToolID+" "+d.Code == want }) {
					t.Errorf("no diagnostic %q in %v", want, notes)
				}
			}
			for _, d := range in.Tools {
				kept := slices.ContainsFunc(bindings, func(b Binding) bool { return b.ID == d.ID })
				noted := slices.ContainsFunc(notes, func(n Diagnostic) bool { return n.ToolID == d.ID })
				if kept == noted {
					t.Errorf("%s: kept %v, diagnostic %v", d.ID, kept, noted)
				}
			}
			last := bindings[len(bindings)-1].ID
			if (in.Kind == KindChild) != (last == IDReturn) {
				t.Errorf("the last tool is %s", last)
			}
		})
	}
}

func TestPrepareLoadErrors(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name   string
		change func(*PrepareInput)
		code   string
		says   string
	}{
		{"unknown built-in", func(in *PrepareInput) { in.Allow = []string{"workspace.read_fil"} }, "tool.not_in_catalog", "workspace.read_file"},
		{"unknown built-in by id", func(in *PrepareInput) { in.Deny = []string{"builtin:grap"} }, "tool.not_in_catalog", "grep"},
		{"unknown family", func(in *PrepareInput) { in.Allow = []string{"builtin:files.*"} }, "tool.not_in_catalog", ""},
		{"not in this version", func(in *PrepareInput) { in.Allow = []string{"image_generate"} }, "tool.not_in_catalog", "not in this version"},
		{"task.return in allow", func(in *PrepareInput) { in.Allow = []string{"task.return"} }, "tool.protocol_violated", "every child"},
		{"task.return in deny", func(in *PrepareInput) { in.Deny = []string{IDReturn} }, "tool.protocol_violated", ""},
		{"task.return in expose", func(in *PrepareInput) { in.Expose = []string{IDReturn} }, "tool.protocol_violated", ""},
		{"an owner denies its end", func(in *PrepareInput) { in.Deny = []string{"workspace.finish"} }, "tool.protocol_violated", ""},
		{"an owner denies its end by a pattern", func(in *PrepareInput) { in.Deny = []string{"builtin:workspace.*"} }, "tool.protocol_violated", "one by one"},
		{"a child denies its end by a pattern", func(in *PrepareInput) { in.Kind = KindChild; in.Deny = []string{"builtin:task.*"} }, "tool.protocol_violated", ""},
		{"star without a source", func(in *PrepareInput) { in.Allow = []string{"workspace.*"} }, "tool.pattern_invalid", ""},
		{"star alone", func(in *PrepareInput) { in.Allow = []string{"*"} }, "tool.pattern_invalid", ""},
		{"star inside", func(in *PrepareInput) { in.Allow = []string{"mcp/a*:x*"} }, "tool.pattern_invalid", ""},
		{"star in the source", func(in *PrepareInput) { in.Deny = []string{"mcp/*"} }, "tool.pattern_invalid", ""},
		{"empty pattern", func(in *PrepareInput) { in.Allow = []string{""} }, "tool.id_invalid", ""},
		{"invalid id", func(in *PrepareInput) { in.Denied = []string{"mcp/A:x"} }, "tool.source_invalid", ""},
		{"built-ins over the limit", func(in *PrepareInput) { in.MaxTools = 5 }, "tool.over_provider_limit", "takes 5"},
		{"kind", func(in *PrepareInput) { in.Kind = "leaf" }, "tool.kind_invalid", ""},
		{"two of one id", func(in *PrepareInput) { in.Tools = append(in.Tools, tool(IDDice)) }, "tool.catalog_duplicate_id", ""},
		{"no way to end", func(in *PrepareInput) { in.Tools = []Descriptor{tool(IDDice)} }, "tool.not_in_catalog", ""},
		{"no way to return", func(in *PrepareInput) { in.Kind = KindChild; in.Tools = []Descriptor{tool(IDDice)} }, "tool.not_in_catalog", ""},
		{"limit below zero", func(in *PrepareInput) { in.ToolLimits = map[string]ToolLimit{"dice.roll": {MaxCalls: -1}} }, "tool.limit_invalid", ""},
		{"limit of no pattern", func(in *PrepareInput) { in.ToolLimits = map[string]ToolLimit{"mcp/A:x": {}} }, "tool.source_invalid", ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := Prepare(rootInput(r.change))
			if fault.Code(err) != r.code || !strings.Contains(err.Error(), r.says) {
				t.Errorf("error %v, want %s with %q", err, r.code, r.says)
			}
		})
	}
}

func TestPrepareIsPure(t *testing.T) {
	t.Parallel()
	in := rootInput(func(in *PrepareInput) {
		in.Allow = []string{"builtin:workspace.*", "mcp/docs:*", "mcp/gone:x", "agent.delegate"}
	})
	want, wantNotes, err := Prepare(in)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		shuffled := in
		shuffled.Tools, shuffled.Allow = slices.Clone(in.Tools), slices.Clone(in.Allow)
		r.Shuffle(len(shuffled.Tools), func(i, j int) {
			shuffled.Tools[i], shuffled.Tools[j] = shuffled.Tools[j], shuffled.Tools[i]
		})
		r.Shuffle(len(shuffled.Allow), func(i, j int) {
			shuffled.Allow[i], shuffled.Allow[j] = shuffled.Allow[j], shuffled.Allow[i]
		})
		got, notes, err := Prepare(shuffled)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i].schema, want[i].schema = nil, nil
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(notes, wantNotes) {
			t.Fatal("another order of inputs gives another result")
		}
	}
}

func TestPrepareLimits(t *testing.T) {
	t.Parallel()
	bindings, _, err := Prepare(rootInput(func(in *PrepareInput) {
		in.ToolLimits = map[string]ToolLimit{
			"workspace.list_files": {MaxCalls: 2},
			"mcp/docs:*":           {MaxCalls: 7, Timeout: time.Second},
			"mcp/docs:catalog_*":   {Timeout: time.Minute},
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bindings {
		calls, timeout := 0, DefaultTimeout
		switch b.ID {
		case "builtin:workspace.list_files":
			calls = 2
		case "mcp/docs:catalog.query":
			calls, timeout = 7, time.Second
		case "mcp/docs:catalog_query":
			timeout = time.Minute
		}
		if b.MaxCalls != calls || b.Timeout() != timeout {
			t.Errorf("%s: %d calls, %s", b.ID, b.MaxCalls, b.Timeout())
		}
	}
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	handle := func(context.Context, *Call) Result { return Result{} }
	made := func(d Descriptor) Tool { return Tool{Descriptor: d, Handle: handle} }
	c, err := NewCatalogue(made(tool("mcp/b:x")), made(tool("extension/go:x")), made(tool(IDDice)), made(tool("builtin:chat.search")), made(tool("mcp/a:x")))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range c.Descriptors() {
		got = append(got, d.ID)
	}
	if want := "builtin:chat.search builtin:dice.roll extension/go:x mcp/a:x mcp/b:x"; strings.Join(got, " ") != want {
		t.Errorf("order %v", got)
	}
	if found, ok := c.Lookup(IDDice); !ok || found.ID != IDDice || found.Handle == nil {
		t.Error("look-up")
	}
	if _, err := c.Find("builtin:no_such"); fault.Code(err) != "tool.not_in_catalog" {
		t.Errorf("error %v", err)
	}
	if _, err := c.Find("mcp/a"); fault.Code(err) != "tool.id_invalid" {
		t.Errorf("error %v", err)
	}
	if found, err := c.Find("mcp/a:x"); err != nil || found.ID != "mcp/a:x" {
		t.Errorf("error %v", err)
	}
	more, err := c.With(made(tool("mcp/c:x")))
	if err != nil || len(more.Tools()) != 6 || len(c.Tools()) != 5 {
		t.Errorf("catalogue with one more: %v", err)
	}

	rows := []struct {
		name, code string
		tools      []Tool
	}{
		{"twice", "tool.catalog_duplicate_id", []Tool{made(tool("extension/go:x")), made(tool("extension/go:x"))}},
		{"id", "tool.id_invalid", []Tool{made(tool("x"))}},
		{"built-in of no table", "tool.descriptor_invalid", []Tool{made(tool("builtin:x"))}},
		{"exposure of another class", "tool.descriptor_invalid", []Tool{made(tool(IDDice, func(d *Descriptor) { d.Exposure = SystemTool }))}},
		{"exposure", "tool.descriptor_invalid", []Tool{made(tool("mcp/a:x", func(d *Descriptor) { d.Exposure = "" }))}},
		{"class", "tool.descriptor_invalid", []Tool{made(tool("mcp/a:x", func(d *Descriptor) { d.Effect.Class = "" }))}},
		{"again", "tool.descriptor_invalid", []Tool{made(tool("mcp/a:x", func(d *Descriptor) { d.Again = "maybe" }))}},
		{"timeout", "tool.descriptor_invalid", []Tool{made(tool("mcp/a:x", func(d *Descriptor) { d.Timeout = -1 }))}},
		{"writer without a handler", "tool.descriptor_invalid", []Tool{{Descriptor: tool("mcp/a:x", func(d *Descriptor) { d.Effect.Class = Write })}}},
		{"schema", "tool.schema_invalid", []Tool{made(tool("mcp/a:x", func(d *Descriptor) { d.Schema = nil }))}},
		{"schema outside the subset", "tool.schema_invalid", []Tool{made(tool("extension/go:x", func(d *Descriptor) { d.Schema = json.RawMessage(`{"type":"object","anyOf":[]}`) }))}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if _, err := NewCatalogue(r.tools...); fault.Code(err) != r.code {
				t.Errorf("error %v, want %s", err, r.code)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	got := Nearest("serch", []string{"write", "search", "perch", "read", "bsearch", "fetch"}, 3)
	if strings.Join(got, " ") != "perch search bsearch" {
		t.Errorf("nearest %v", got)
	}
	if got := Nearest("x", nil, 5); len(got) != 0 {
		t.Errorf("nearest of none %v", got)
	}
}
