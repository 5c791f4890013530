package workspace

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func TestPatchText(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		content, old, new string
		all               bool
		want              string
		n, from, to       int
	}{
		"one":                        {"a b c", "b", "x", false, "a x c", 1, 1, 1},
		"deleted":                    {"a\nb\nc\n", "b\n", "", false, "a\nc\n", 1, 2, 2},
		"longer":                     {"a\nb\nc\n", "b", "1\n2\n3", false, "a\n1\n2\n3\nc\n", 1, 2, 4},
		"literal":                    {"a", "a", `$1\1&${x}`, false, `$1\1&${x}`, 1, 1, 1},
		"literal old":                {"a.c abc", "a.c", "x", false, "x abc", 1, 1, 1},
		"files-8 all three":          {"x\nx\ny\nx\n", "x", "z", true, "z\nz\ny\nz\n", 3, 1, 4},
		"all, not overlapping":       {"aaaa", "aa", "b", true, "bb", 2, 1, 1},
		"files-11 within a line":     {"a\r\nb\r\nc\r\n", "b", "x", false, "a\r\nx\r\nc\r\n", 1, 2, 2},
		"files-11 over lines":        {"a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", false, "x\r\ny\r\nz\r\nc\r\n", 1, 1, 3},
		"files-11 begins at an end":  {"a\r\nb\r\nc", "\nb\n", "\n", false, "a\r\nc", 1, 1, 1},
		"files-11 ends before one":   {"a\r\nb\r\nc", "a\nb", "x", false, "x\r\nc", 1, 1, 1},
		"files-11 last line":         {"a\r\nb", "b", "x\ny", false, "a\r\nx\r\ny", 1, 2, 3},
		"crlf given":                 {"a\r\nb\r\n", "a\r\nb", "x\r\ny", false, "x\r\ny\r\n", 1, 1, 2},
		"mixed: those of the place":  {"a\nb\r\nc\nd\r\n", "c", "1\n2", false, "a\nb\r\n1\n2\nd\r\n", 1, 3, 4},
		"mixed: old over both kinds": {"a\nb\r\nc\n", "a\nb\nc", "x", false, "x\n", 1, 1, 1},
		"crlf given in a lf file":    {"a\nb\n", "a", "x\r\ny", false, "x\r\ny\nb\n", 1, 1, 2},
		"mark is kept":               {"\ufeffab", "a", "x", false, "\ufeffxb", 1, 1, 1},
		"no last line end":           {"a\nb", "b", "c", false, "a\nc", 1, 2, 2},
		"astral":                     {"😀a😀b", "😀b", "x", false, "😀ax", 1, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a", row.content)
			b.read("output/a", Range{})
			got, err := b.patch(PatchRequest{Path: "output/a", Old: row.old, New: row.new, All: row.all})
			wantCode(t, err, "")
			if c := b.text("output/a"); c != row.want {
				t.Errorf("content %q, want %q", c, row.want)
			}
			if got.Replacements != row.n || got.StartLine != row.from || got.EndLine != row.to {
				t.Errorf("%d replacements, lines %d-%d", got.Replacements, got.StartLine, got.EndLine)
			}
			if seen, _ := b.reads.Get("output/a"); !seen.Full || seen.Hash != got.Change.New {
				t.Errorf("read-state %+v", seen)
			}
		})
	}
}

func TestPatchErrors(t *testing.T) {
	t.Parallel()
	whole := func(b *bench) { b.read("output/a", Range{}) }
	part := func(b *bench) { b.read("output/a", Range{Lines: 2}) }
	for name, row := range map[string]struct {
		before func(b *bench)
		r      PatchRequest
		code   string
		text   string
		needs  bool // a full read afterwards
	}{
		"empty old comes first":     {whole, PatchRequest{Path: "../a"}, "workspace.patch_empty_old_string", "", false},
		"no change before the path": {whole, PatchRequest{Path: "../a", Old: "x", New: "x"}, "workspace.patch_no_change", "", false},
		"path":                      {whole, PatchRequest{Path: "../a", Old: "x"}, codeInvalidPath, "", false},
		"files-3 hidden":            {whole, PatchRequest{Path: "tool-results/x", Old: "x"}, codeNotWritable, "", false},
		"files-5 directory":         {whole, PatchRequest{Path: "output", Old: "x"}, codeIsDirectory, "", false},
		"files-5 directory below":   {whole, PatchRequest{Path: "output/dir", Old: "x"}, codeIsDirectory, "", false},
		"unread":                    {func(*bench) {}, PatchRequest{Path: "output/a", Old: "x"}, "workspace.patch_requires_read", "read it", false},
		"absent and unread":         {whole, PatchRequest{Path: "output/b", Old: "x"}, "workspace.patch_requires_read", "", false},
		"absent, was read":          {func(b *bench) { whole(b); b.manifest = b.manifest.With("z", []Change{{Path: "output/a"}}) }, PatchRequest{Path: "output/a", Old: "x"}, codeFileNotFound, "", false},
		"not found":                 {whole, PatchRequest{Path: "output/a", Old: "the  second line"}, "workspace.patch_old_string_not_found", "\n2\tthe second line", false},
		"not found, nothing near":   {whole, PatchRequest{Path: "output/a", Old: "zebra"}, "workspace.patch_old_string_not_found", "no line", false},
		"files-8 three times":       {whole, PatchRequest{Path: "output/a", Old: "line"}, "workspace.patch_old_string_not_unique", "3 times in output/a, at lines 1, 2, 3", false},
		"part, not found":           {part, PatchRequest{Path: "output/a", Old: "zebra"}, "workspace.patch_old_string_not_found", "", true},
		"part, not unique":          {part, PatchRequest{Path: "output/a", Old: "line"}, "workspace.patch_old_string_not_unique", "", true},
		"files-7 part, not seen":    {part, PatchRequest{Path: "output/a", Old: "third"}, "workspace.patch_requires_full_read", "line 3", true},
		"files-7 part, all":         {part, PatchRequest{Path: "output/a", Old: "first", New: "x", All: true}, "workspace.patch_requires_full_read", "replace_all", true},
		"part, over the edge":       {part, PatchRequest{Path: "output/a", Old: "second line\nthe third"}, "workspace.patch_requires_full_read", "", true},
		"part, empty old":           {part, PatchRequest{Path: "output/a"}, "workspace.patch_empty_old_string", "", true},
		"part, stale":               {func(b *bench) { part(b); b.put("z", "output/a", "new") }, PatchRequest{Path: "output/a", Old: "new"}, "workspace.patch_stale_file", "z", true},
		"parts that are a whole":    {func(b *bench) { part(b); b.read("output/a", Range{StartLine: 3, Lines: 1}) }, PatchRequest{Path: "output/a", Old: "zebra"}, "workspace.patch_old_string_not_found", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a", "the first line\nthe second line\nthe third line\n", "output/dir/x", "", "tool-results/x", "x")
			row.before(b)
			_, err := b.patch(row.r)
			wantCode(t, err, row.code)
			wantIn(t, err.Error(), row.text)
			if seen, _ := b.reads.Get("output/a"); seen.NeedsFull != row.needs {
				t.Errorf("needs a full read: %v", seen.NeedsFull)
			}
		})
	}
}

// files-7: of a partly read file only what was seen can be patched, and after one failure
// all of it has to be read.
func TestPatchOfAPart(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", numbered(500))
	b.read("output/a", Range{StartLine: 1, Lines: 20})
	patch := func(old, new string, all bool) error {
		_, err := b.patch(PatchRequest{Path: "output/a", Old: old, New: new, All: all})
		return err
	}
	wantCode(t, patch("line 10\n", "line ten, longer\n", false), "")
	wantCode(t, patch("line 12\n", "", false), "")
	wantCode(t, patch("line 20\n", "line twenty\n", false), "")
	wantCode(t, patch("line 400\n", "x\n", false), "workspace.patch_requires_full_read")
	wantCode(t, patch("line 15\n", "x\n", false), "workspace.patch_requires_full_read")
	b.read("output/a", Range{StartLine: 1, Lines: 20})
	wantCode(t, patch("line 15\n", "x\n", false), "workspace.patch_requires_full_read")
	b.read("output/a", Range{})
	wantCode(t, patch("line 400\n", "x\n", false), "")
	wantCode(t, patch("line", "LINE", true), "")
}

// Two reads at once cover a file without either knowing it.
func TestPartsMakeAWhole(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "a\nb\na\n")
	v := b.view()
	one, err := v.Read(t.Context(), "output/a", Range{Lines: 1})
	wantCode(t, err, "")
	two, err := v.Read(t.Context(), "output/a", Range{StartLine: 2})
	wantCode(t, err, "")
	b.reads = b.reads.With(one.Observed).With(two.Observed)
	_, err = b.patch(PatchRequest{Path: "output/a", Old: "none", New: "x"})
	wantCode(t, err, "workspace.patch_old_string_not_found")
	_, err = b.patch(PatchRequest{Path: "output/a", Old: "a", New: "x", All: true})
	wantCode(t, err, "")
}

// files-9: 200 guarded writes and appends at once, each under the gate.
func TestConcurrentWrites(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "")
	var gate sync.Mutex
	views := make([]ReadState, 200)
	for i := range views { // everybody has read the first state
		got, err := b.view().Read(t.Context(), "output/a", Range{})
		if err != nil {
			t.Fatal(err)
		}
		views[i] = views[i].With(got.Observed)
	}
	codes := make([]string, len(views))
	var wg sync.WaitGroup
	for i := range views {
		wg.Go(func() {
			gate.Lock()
			defer gate.Unlock()
			w := WriteRequest{Path: "output/a", Content: fmt.Sprintf("<%d>", i), Append: i%2 == 0}
			v := NewView(ViewOptions{Manifest: b.manifest, Blobs: b.blobs, Reads: views[i]})
			got, err := v.Write(t.Context(), w)
			codes[i] = fault.Code(err)
			if err == nil && b.manifest.Check(got.Change) == nil {
				b.apply(got.Change, nil)
			}
		})
	}
	wg.Wait()
	content, replaced := b.text("output/a"), 0
	for i, code := range codes {
		part := fmt.Sprintf("<%d>", i)
		switch {
		case i%2 == 0 && code != "":
			t.Errorf("append %d: %s", i, code)
		case i%2 == 1 && code == "":
			replaced++
			if !strings.HasPrefix(content, part) {
				t.Errorf("the replace by %d was lost", i)
			}
		case i%2 == 1 && code != "workspace.write_stale_file":
			t.Errorf("replace %d: %q", i, code)
		case i%2 == 0 && replaced == 0 && strings.Count(content, part) > 1:
			t.Errorf("append %d stands twice", i)
		}
	}
	if replaced > 1 {
		t.Errorf("%d replaces of one state", replaced)
	}
	if replaced == 0 && strings.Count(content, "<") != 100 {
		t.Errorf("%d of 100 appends are there", strings.Count(content, "<"))
	}
}

// A patch changes only the text that it names, whatever the line ends.
func FuzzPatch(f *testing.F) {
	f.Add("a\r\nb\r\nc", "a\nb", "x\ny")
	f.Add("\ufeffa\nb", "b", "")
	f.Add("a\r\r\nb", "\n", "\n\n")
	f.Add("\r\n\n\r\n", "\n\n", "é")
	f.Add("xx", "x", "yy")
	f.Fuzz(func(t *testing.T, content, old, text string) {
		if !IsText([]byte(content)) || old == "" || old == text {
			return
		}
		b := setup(t, "output/a", content)
		b.read("output/a", Range{})
		got, err := b.patch(PatchRequest{Path: "output/a", Old: old, New: text, All: true})
		lf := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
		mark, body := splitBOM(content)
		if err != nil {
			wantCode(t, err, "workspace.patch_old_string_not_found")
			if strings.Contains(body, old) {
				t.Fatalf("%q is in %q and was not found", old, body)
			}
			return
		}
		_, after := splitBOM(b.text("output/a"))
		if strings.Contains(old, "\r") || strings.Contains(text, "\r") || strings.Contains(lf(body), "\r") {
			return
		}
		if want := strings.ReplaceAll(lf(body), old, text); lf(after) != want {
			t.Fatalf("%q, %q for %q: got %q, want %q", body, text, old, lf(after), want)
		}
		if !strings.HasPrefix(b.text("output/a"), mark) {
			t.Fatal("the byte order mark is gone")
		}
		if strings.Count(body, "\n") == strings.Count(body, "\r\n") && strings.Contains(body, "\n") && strings.Count(after, "\n") != strings.Count(after, "\r\n") {
			t.Fatalf("%q: a CRLF file became %q", body, after)
		}
		if got.StartLine < 1 || got.EndLine < got.StartLine {
			t.Fatalf("lines %d-%d", got.StartLine, got.EndLine)
		}
	})
}
