package tooling

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func frozenRoot(t testing.TB, change ...func(*PrepareInput)) *Snapshot {
	t.Helper()
	s, err := Freeze("root", rootInput(change...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func encoded(t testing.TB, s *Snapshot) string {
	t.Helper()
	text, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSnapshotRestores(t *testing.T) {
	t.Parallel()
	s := frozenRoot(t, func(in *PrepareInput) {
		in.ToolLimits = map[string]ToolLimit{"workspace.list_files": {MaxCalls: 2}}
		in.Tools[1].Description = "line\r\nends <&> \u2028 \"quoted\""
	})
	text := encoded(t, s)
	if canon, err := Canonical(text); err != nil || canon != text {
		t.Fatal("the encoded form is not canonical")
	}
	again, err := DecodeSnapshot(text)
	if err != nil {
		t.Fatal(err)
	}
	if encoded(t, again) != text || again.Hash != s.Hash || again.DefsHash() != s.DefsHash() {
		t.Error("a restored snapshot differs")
	}
	for i, d := range again.Defs() {
		if w := s.Defs()[i]; d.Name != w.Name || d.Description != w.Description || !bytes.Equal(d.Schema, w.Schema) {
			t.Errorf("definition of %s differs", d.ID)
		}
	}
	b, ok := again.Lookup("workspace_list_files")
	if !ok || b.MaxCalls != 2 || !strings.HasPrefix(b.Description, "line\nends <&>") {
		t.Errorf("binding %+v", b)
	}
	if _, invalid := b.Check(read(t, `{"colour":1}`)); invalid == nil {
		t.Error("the restored schema does not check")
	}
	if _, ok := again.Lookup("Workspace_list_files"); ok {
		t.Error("a name was found in another case")
	}
	if again.NameOf(IDFinish) != "workspace_finish" || again.NameOf(IDReturn) != "" {
		t.Error("names of tools")
	}
}

func TestSnapshotWithID(t *testing.T) {
	t.Parallel()
	s := frozenRoot(t)
	other, err := s.WithID("root/critic")
	if err != nil {
		t.Fatal(err)
	}
	direct, err := Freeze("root/critic", rootInput())
	if err != nil {
		t.Fatal(err)
	}
	if encoded(t, other) != encoded(t, direct) || other.Hash == s.Hash || &other.Defs()[0] != &s.Defs()[0] {
		t.Error("the copy differs from one made afresh, or shares nothing")
	}
	if _, err := s.WithID(""); fault.Code(err) != "tool.snapshot_invalid" {
		t.Errorf("error %v", err)
	}
}

// edit changes a decoded snapshot and writes it with the hash that fits.
func edit(t *testing.T, text string, change func(map[string]any)) string {
	t.Helper()
	var m map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	change(m)
	delete(m, "hash")
	canon := func() string {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Canonical(string(b))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	m["hash"] = digest(canon())
	return canon()
}

func TestSnapshotRefuses(t *testing.T) {
	t.Parallel()
	text := encoded(t, frozenRoot(t))
	binding := func(i int, change func(map[string]any)) func(map[string]any) {
		return func(m map[string]any) { change(m["bindings"].([]any)[i].(map[string]any)) }
	}
	rows := []struct {
		name   string
		text   string
		change func(map[string]any)
		code   string
		says   string
	}{
		{name: "unchanged", change: func(map[string]any) {}},
		{name: "names-7 duplicate id", change: binding(1, func(b map[string]any) { b["tool_id"] = "builtin:workspace.list_files" }), code: "tool.snapshot_invalid", says: "bindings[1].tool_id"},
		{name: "names-7 duplicate name", change: binding(1, func(b map[string]any) { b["model_name"] = "Workspace_List_Files" }), code: "tool.snapshot_invalid", says: "bindings[1].model_name"},
		{name: "names-7 budget of 0", change: func(m map[string]any) { m["limits"].(map[string]any)["max_calls"] = 0 }, code: "tool.snapshot_invalid", says: "limits.max_calls"},
		{name: "names-7 unknown version", change: func(m map[string]any) { m["version"] = 2 }, code: "tool.snapshot_version", says: "version is 2"},
		{name: "names-7 unknown field", change: func(m map[string]any) { m["extra"] = 1 }, code: "tool.snapshot_invalid", says: "extra"},
		{name: "names-7 unknown field of a binding", change: binding(0, func(b map[string]any) { b["handler"] = "x" }), code: "tool.snapshot_invalid", says: "handler"},
		{name: "field in another case", change: func(m map[string]any) { m["Scene"] = m["scene"]; delete(m, "scene") }, code: "tool.snapshot_invalid"},
		{name: "no version", change: func(m map[string]any) { delete(m, "version") }, code: "tool.snapshot_version", says: "missing"},
		{name: "no limits", change: func(m map[string]any) { delete(m, "limits") }, code: "tool.snapshot_invalid", says: "limits.inline_chars"},
		{name: "another type", change: func(m map[string]any) { m["scene"] = 1 }, code: "tool.snapshot_invalid"},
		{name: "limit of a tool below zero", change: binding(0, func(b map[string]any) { b["max_calls"] = -1 }), code: "tool.snapshot_invalid", says: "bindings[0].max_calls"},
		{name: "no timeout", change: binding(0, func(b map[string]any) { b["timeout_ms"] = 0 }), code: "tool.snapshot_invalid", says: "timeout_ms"},
		{name: "invalid id", change: binding(0, func(b map[string]any) { b["tool_id"] = "x" }), code: "tool.snapshot_invalid", says: "bindings[0].tool_id"},
		{name: "invalid name", change: binding(0, func(b map[string]any) { b["model_name"] = "a.b" }), code: "tool.snapshot_invalid", says: "grammar"},
		{name: "order", change: func(m map[string]any) { b := m["bindings"].([]any); b[0], b[1] = b[1], b[0] }, code: "tool.snapshot_invalid", says: "out of order"},
		{name: "task.return not last", change: binding(0, func(b map[string]any) { b["tool_id"] = IDReturn; b["model_name"] = "task_return" }), code: "tool.snapshot_invalid", says: "not the last"},
		{name: "policy", change: func(m map[string]any) { m["policy"] = "mcp_wins" }, code: "tool.snapshot_invalid", says: "policy"},
		{name: "schema", change: binding(0, func(b map[string]any) { b["input_schema"] = []any{} }), code: "tool.snapshot_invalid", says: "bindings[0].input_schema"},
		{name: "edited without its hash", text: strings.Replace(text, "does builtin:workspace.read_file", "does evil", 1), code: "tool.snapshot_invalid", says: "hash"},
		{name: "cut", text: text[:len(text)-20], code: "tool.snapshot_invalid"},
		{name: "extended", text: text + "{}", code: "tool.snapshot_invalid"},
		{name: "white space", text: text + "\n", code: "tool.snapshot_invalid", says: "canonical"},
		{name: "empty", text: "", code: "tool.snapshot_invalid", says: "JSON"},
		{name: "array", text: "[]", code: "tool.snapshot_invalid"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			changed := r.text
			if r.change != nil {
				changed = edit(t, text, r.change)
			}
			_, err := DecodeSnapshot(changed)
			if fault.Code(err) != r.code {
				t.Fatalf("error %v, want %q", err, r.code)
			}
			if err != nil && !strings.Contains(err.Error(), r.says) {
				t.Errorf("error %v lacks %q", err, r.says)
			}
		})
	}
}

func TestFreezeRefusesLimits(t *testing.T) {
	t.Parallel()
	_, err := Freeze("root", rootInput(func(in *PrepareInput) { in.Limits.MaxCalls = -1 }))
	if fault.Code(err) != "tool.snapshot_invalid" || !strings.Contains(err.Error(), "limits.max_calls") {
		t.Errorf("error %v", err)
	}
	if _, err := Freeze("", rootInput()); fault.Code(err) != "tool.snapshot_invalid" {
		t.Errorf("error %v", err)
	}
}

func TestSnapshotBytesAreStable(t *testing.T) {
	t.Parallel()
	want := encoded(t, frozenRoot(t))
	for range 20 {
		if encoded(t, frozenRoot(t)) != want {
			t.Fatal("names-10: equal inputs give other bytes")
		}
	}
	later := frozenRoot(t, func(in *PrepareInput) { in.Tools = append(in.Tools, tool("mcp/new:x")) })
	if encoded(t, later) == want || later.CatalogueHash == frozenRoot(t).CatalogueHash {
		t.Error("another catalogue gives the same bytes")
	}
}

// TestSnapshotsOfConcurrentInvocations is names-5 and names-6.
func TestSnapshotsOfConcurrentInvocations(t *testing.T) {
	t.Parallel()
	c := rootInput().Tools
	only := func(i int) []string { return []string{c[1+i%2].ID} }
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			in := rootInput(func(in *PrepareInput) { in.Tools, in.Kind, in.Allow, in.Has = c, KindChild, only(i), nil })
			s, err := Freeze("root/c-"+strconv.Itoa(i), in)
			if err != nil {
				t.Error(err)
				return
			}
			if len(s.Bindings) != 3 || s.Bindings[0].ID != only(i)[0] {
				t.Errorf("invocation %d has %s", i, ids(s.Bindings))
			}
			if _, ok := s.ByID(only(i + 1)[0]); ok {
				t.Errorf("invocation %d reaches a tool of another", i)
			}
		})
	}
	wg.Wait()
}
