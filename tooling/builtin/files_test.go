package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// contents is a store of contents in memory.
type contents map[string][]byte

func (c contents) GetBlob(_ context.Context, hash string) ([]byte, error) {
	if b, ok := c[hash]; ok {
		return b, nil
	}
	return nil, fault.New("journal.blob_not_found", "no blob %s", hash)
}

// desk is a run workspace with one agent that calls tools, one at a time.
type desk struct {
	t        *testing.T
	tools    []tooling.Tool
	store    contents
	manifest *workspace.Manifest
	reads    workspace.ReadState
	mounts   *workspace.Mounts
}

func newDesk(t *testing.T, files ...string) *desk {
	t.Helper()
	d := &desk{t: t, tools: append(FileTools(), CommitTool(nil)), store: contents{}}
	for i := 0; i < len(files); i += 2 {
		d.put(files[i], files[i+1])
	}
	return d
}

func (d *desk) put(path, content string) {
	c := workspace.Change{
		Path: path, New: workspace.HashOf([]byte(content)), Size: len(content), Chars: workspace.Chars(content), Content: content,
	}
	d.store[c.New] = []byte(content)
	d.manifest = d.manifest.With("root/other", []workspace.Change{c})
}

func (d *desk) tool(id string) tooling.Tool {
	d.t.Helper()
	i := slices.IndexFunc(d.tools, func(t tooling.Tool) bool { return t.ID == "builtin:"+id })
	if i < 0 {
		d.t.Fatalf("no tool %s", id)
	}
	return d.tools[i]
}

// prepare makes a call with checked arguments.
func (d *desk) prepare(id, args string) (tooling.Tool, *tooling.Call) {
	d.t.Helper()
	tool := d.tool(id)
	o, bad := tooling.Normalise(json.RawMessage(args))
	if bad != nil {
		d.t.Fatal(bad)
	}
	schema, err := tooling.CompileSchema(tool.Schema)
	if err != nil {
		d.t.Fatal(err)
	}
	if o, bad = schema.Check(o, tool.Raw); bad != nil {
		d.t.Fatal(bad)
	}
	return tool, &tooling.Call{
		Key: "key1", Run: "r", Path: "root", Tool: tool.ID, Args: o,
		View: workspace.NewView(workspace.ViewOptions{
			Manifest: d.manifest, Reads: d.reads, Mounts: d.mounts, Blobs: d.store, Agent: "root",
		}),
	}
}

// call runs a tool and settles it.
func (d *desk) call(id, args string) tooling.Result {
	d.t.Helper()
	tool, c := d.prepare(id, args)
	if tool.Prepare != nil {
		in, refused := tool.Prepare(d.t.Context(), c)
		if refused != nil {
			return *refused
		}
		c.State = in.State
	}
	r := tool.Handle(d.t.Context(), c)
	for _, c := range r.Changes {
		d.store[c.New] = []byte(c.Content)
	}
	d.manifest = d.manifest.With("root", r.Changes)
	d.reads = d.reads.With(r.Observed)
	return r
}

// record is what the journal keeps of a result.
func record(t *testing.T, r tooling.Result) map[string]any {
	t.Helper()
	b, err := json.Marshal(r.Structured)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func wantParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q does not contain %q", text, p)
		}
	}
}

func TestFileToolsDescribed(t *testing.T) {
	t.Parallel()
	tools, err := Collect(append(FileTools(), CommitTool(nil)))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		id, gate  string
		class     tooling.Class
		again     tooling.Again
		condition tooling.Condition
		params    string
	}{
		{"workspace.list_files", "ws", tooling.Read, tooling.AgainYes, tooling.Always, "depth path"},
		{"workspace.search_files", "ws", tooling.Read, tooling.AgainYes, tooling.Always, "context_lines glob limit mode path query"},
		{"workspace.read_file", "ws", tooling.Read, tooling.AgainYes, tooling.Always, "line_count max_chars path start_char start_line"},
		{"workspace.write_file", "ws", tooling.Write, tooling.AgainAppend, tooling.Writable, "content executable mode path"},
		{"workspace.apply_patch", "ws", tooling.Write, tooling.AgainAppend, tooling.Writable, "new_string old_string path replace_all"},
		{"workspace.commit", "ws", tooling.Write, tooling.AgainYes, tooling.Owner, "mode path reason"},
		{"read", "mount", tooling.Read, tooling.AgainYes, tooling.HasMount, "line_count max_chars path start_char start_line"},
		{"glob", "mount", tooling.Read, tooling.AgainYes, tooling.HasMount, "limit path pattern"},
		{"grep", "mount", tooling.Read, tooling.AgainYes, tooling.HasMount, "context_lines glob ignore_case limit mode path pattern"},
	} {
		t.Run(row.id, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(tools, func(t tooling.Tool) bool { return t.ID == "builtin:"+row.id })
			if i < 0 {
				t.Fatal("missing")
			}
			d := tools[i]
			var schema struct{ Properties map[string]any }
			if err := json.Unmarshal(d.Schema, &schema); err != nil {
				t.Fatal(err)
			}
			var params []string
			for p := range schema.Properties {
				params = append(params, p)
			}
			slices.Sort(params)
			if d.GateKey != row.gate || d.Effect.Class != row.class || d.Again != row.again || d.Condition != row.condition || !d.New ||
				strings.Join(params, " ") != row.params || d.Description == "" {
				t.Errorf("got %+v", d.Descriptor)
			}
		})
	}
}

func TestReadFileContent(t *testing.T) {
	t.Parallel()
	long, gif := strings.Repeat("x", 3100), string(modeltest.Picture("image/gif", 3, 2, 200))
	hash := func(s string) string { return workspace.HashOf([]byte(s))[:12] }
	for name, row := range map[string]struct {
		content, args string
		want          string
	}{
		"whole":   {"a\nb\x1b\n", `{"path":"output/a"}`, "output/a: lines 1-2 of 2, characters 0-5 of 5, sha256 " + hash("a\nb\x1b\n") + "\n1\ta\n2\tb\\x1b"},
		"lines":   {"a\r\nb\r\nc\r\n", `{"path":"output/a","start_line":2,"line_count":1}`, "output/a: lines 2-2 of 3, characters 3-6 of 9, sha256 " + hash("a\r\nb\r\nc\r\n") + ", CRLF line ends\n2\tb\n[1 line left; go on with start_line 3]"},
		"chars":   {"abcdef", `{"path":"output/a","start_char":1,"max_chars":2}`, "output/a: lines 1-1 of 1, characters 1-3 of 6, sha256 " + hash("abcdef") + "\nbc\n[3 characters left; go on with start_char 3]"},
		"cut":     {long, `{"path":"output/a"}`, "output/a: lines 1-1 of 1, characters 0-3100 of 3100, sha256 " + hash(long) + "\n1\t" + long[:3000] + "… [line cut, 100 characters left; go on with start_char 3000]"},
		"empty":   {"", `{"path":"output/a"}`, "output/a: an empty file, sha256 " + hash("")},
		"no text": {"\x89PNG\r\n\x1a\n", `{"path":"output/a"}`, "output/a: not a text: image/png, 8 bytes, sha256 " + hash("\x89PNG\r\n\x1a\n") + ". The shell can work with its bytes where there is one. Its picture cannot be shown: it is damaged: its header is missing."},
		"a gif":   {gif, `{"path":"output/a"}`, "output/a: not a text: image/gif, " + fmt.Sprint(len(gif)) + " bytes, sha256 " + hash(gif) + ". The shell can work with its bytes where there is one. Its picture has 3 x 2 pixels."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newDesk(t, "output/a", row.content).call("workspace.read_file", row.args)
			if r.Code != "" || r.Content != row.want {
				t.Errorf("got %s %q\nwant %q", r.Code, r.Content, row.want)
			}
		})
	}
}

// An image of the workspace is attached to its result; one of a mount, whose bytes the run
// does not have, and a text are not.
func TestReadImage(t *testing.T) {
	t.Parallel()
	png := string(modeltest.Picture("image/png", 5, 4, 1))
	want := []journal.Image{{Path: "output/a", Media: "image/png", Hash: workspace.HashOf([]byte(png)), Bytes: len(png), Width: 5, Height: 4}}
	for _, row := range []struct {
		name, content string
		want          []journal.Image
	}{{"files-13 an image", png, want}, {"a damaged one", png[:30], nil}, {"a text", "text", nil}} {
		if r := newDesk(t, "output/a", row.content).call("workspace.read_file", `{"path":"output/a"}`); r.Code != "" || !slices.Equal(r.Images, row.want) {
			t.Errorf("%s: %+v", row.name, r)
		}
	}
}

func TestReadFileRecord(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "output/a", "one two\nthree\nfour\n")
	r := d.call("workspace.read_file", `{"path":"output/a","line_count":2}`)
	got, err := json.Marshal(r.Structured)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"path":"output/a","sha256":"` + workspace.HashOf([]byte("one two\nthree\nfour\n")) + `","totalLines":3,"startLine":1,"endLine":2,` +
		`"startChar":0,"endChar":14,"chars":14,"totalChars":19,"words":3,"truncated":true,"fullRead":false,"nextStartLine":3}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if r := record(t, d.call("workspace.read_file", `{"path":"output/a","start_line":3}`)); r["fullRead"] != true {
		t.Error("two windows do not make a full read")
	}
}

func TestFileToolErrors(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ tool, args, code, text string }{
		"lines and characters":   {"workspace.read_file", `{"path":"output/a","start_line":1,"max_chars":5}`, "tool.invalid_arguments", "not both"},
		"files-5 read":           {"workspace.read_file", `{"path":"output"}`, "workspace.path_is_directory", "output"},
		"files-5 write":          {"workspace.write_file", `{"path":"output","content":""}`, "workspace.path_is_directory", "output"},
		"files-5 patch":          {"workspace.apply_patch", `{"path":"output","old_string":"a","new_string":"b"}`, "workspace.path_is_directory", "output"},
		"files-5 commit":         {"workspace.commit", `{"path":"output"}`, "workspace.path_is_directory", "output"},
		"files-3 parent":         {"workspace.read_file", `{"path":"../x"}`, "workspace.invalid_path", ".."},
		"files-3 hidden, listed": {"workspace.list_files", `{"path":"tool-results"}`, "workspace.path_not_visible", "visible:"},
		"files-6 unread":         {"workspace.write_file", `{"path":"output/a","content":""}`, "workspace.write_requires_read", "read it"},
		"range":                  {"workspace.read_file", `{"path":"output/a","start_line":9}`, "workspace.invalid_range", "1 line"},
		"pattern":                {"workspace.search_files", `{"query":"(","mode":"regex"}`, "workspace.pattern_invalid", "character 0"},
		"no mount":               {"grep", `{"pattern":"x"}`, "workspace.path_not_visible", "mounted"},
		"commit of nothing":      {"workspace.commit", `{}`, "workspace.file_not_found", "output/main.md"},
		"commit of a blank file": {"workspace.commit", `{"path":"output/blank"}`, "workspace.required_artifact_empty", "output/blank"},
		"commit of no text":      {"workspace.commit", `{"path":"output/bin"}`, "workspace.not_text", "2 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "output/a", "text\n", "output/blank", "\ufeff \n\t\n", "output/bin", "\xff\xfe")
			r := d.call(row.tool, row.args)
			if r.Code != row.code {
				t.Fatalf("got %q (%s), want %q", r.Code, r.Content, row.code)
			}
			wantParts(t, r.Content, row.text)
			if len(r.Changes) > 0 {
				t.Error("something was changed")
			}
		})
	}
}

func TestListFilesTool(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "output/a", "abc", "output/dir/b", "x")
	for _, args := range []string{`{"path":"output"}`, `{"path":"output/","depth":2}`} {
		r := d.call("workspace.list_files", args)
		if want := "output/a (3 characters)\noutput/dir/\noutput/dir/b (1 character)"; r.Content != want {
			t.Errorf("got %q", r.Content)
		}
	}
	all := d.call("workspace.list_files", `{}`)
	for _, args := range []string{`null`, `{"path":null}`, `{"path":""}`, `{"path":"."}`, `{"path":"./"}`} {
		if r := d.call("workspace.list_files", args); r.Code != "" || r.Content != all.Content {
			t.Errorf("%s: %s %q", args, r.Code, r.Content)
		}
	}
	if r := d.call("workspace.list_files", `{"path":"scratch"}`); r.Content != "scratch is empty" || record(t, r)["total"] != 0.0 {
		t.Errorf("got %q", r.Content)
	}
}

func TestSearchFilesTool(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "output/a", "one\ntwo needle\nthree\n", "output/b", "needle\n")
	r := d.call("workspace.search_files", `{"query":"needle two","context_lines":1}`)
	want := "2 hits in 2 files\noutput/a-1-one\noutput/a:2:two needle\noutput/a-3-three\n--\noutput/b:1:needle"
	if r.Content != want {
		t.Errorf("got %q, want %q", r.Content, want)
	}
	hits, ok := record(t, r)["hits"].([]any)
	if !ok || len(hits) != 2 {
		t.Fatalf("got %v", record(t, r))
	}
	first, ok := hits[0].(map[string]any)
	if !ok || first["score"] != 1.0 || first["ref"] != "output/a:2" || first["startLine"] != 1.0 || first["endLine"] != 3.0 || len(r.Observed) != 0 {
		t.Errorf("got %v, %v", first, r.Observed)
	}
	if r := d.call("workspace.search_files", `{"query":"zebra"}`); r.Code != "" || r.Content != "0 hits in 2 files" {
		t.Errorf("got %q", r.Content)
	}
}

// pairing-16: a read after a write gives the new text; reads, writes and patches in a row.
func TestWriteAndPatchTools(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.call("workspace.write_file", `{"path":"output/main.md","content":" one two\n"}`)
	if want := "wrote 9 characters, 2 words to output/main.md (new file)"; r.Content != want {
		t.Errorf("got %q", r.Content)
	}
	r = d.call("workspace.write_file", `{"path":"output/main.md","content":"three","mode":"append"}`)
	if want := "appended 5 characters, 1 word to output/main.md (now 14 characters)"; r.Content != want {
		t.Errorf("got %q", r.Content)
	}
	if rec := record(t, r); rec["created"] != false || rec["totalChars"] != 14.0 || rec["mode"] != "append" || rec["oldSha256"] == nil {
		t.Errorf("got %v", rec)
	}
	r = d.call("workspace.apply_patch", `{"path":"output/main.md","old_string":" two\n","new_string":"\n"}`)
	wantParts(t, r.Content, "patched output/main.md: 1 replacement, lines 1-1, now 10 characters")
	if rec := record(t, r); rec["replacements"] != 1.0 || rec["chars"] != 1.0 || rec["startLine"] != 1.0 {
		t.Errorf("got %v", rec)
	}
	r = d.call("workspace.read_file", `{"path":"output/main.md"}`)
	wantParts(t, r.Content, "1\t one\n2\tthree")
	r = d.call("workspace.write_file", `{"path":"output/empty","content":""}`)
	if r.Code != "" || len(r.Changes) != 1 {
		t.Errorf("an empty file: %s %q", r.Code, r.Content)
	}
}

// files-7 through the tools: a failed patch of a part is observed, so that the next one
// asks for a full read.
func TestFailedPatchIsObserved(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "output/a", "1\n2\n3\n")
	d.call("workspace.read_file", `{"path":"output/a","line_count":1}`)
	r := d.call("workspace.apply_patch", `{"path":"output/a","old_string":"3","new_string":"x"}`)
	if r.Code != "workspace.patch_requires_full_read" || len(r.Observed) != 1 || !r.Observed[0].Failed {
		t.Errorf("got %q, %+v", r.Code, r.Observed)
	}
	r = d.call("workspace.apply_patch", `{"path":"output/a","old_string":"1","new_string":"x"}`)
	if r.Code != "workspace.patch_requires_full_read" {
		t.Errorf("got %q", r.Code)
	}
}
