package workspace

import (
	"fmt"
	"strings"
	"testing"
)

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestReadLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3500)
	for name, row := range map[string]struct {
		content string
		r       Range
		start   int // lines
		end     int
		chars   [2]int
		next    [2]int // line, char
		total   int
		full    bool
	}{
		"whole":              {"a\nb\n", Range{}, 1, 2, [2]int{0, 4}, [2]int{}, 2, true},
		"no last line end":   {"a\nb", Range{}, 1, 2, [2]int{0, 3}, [2]int{}, 2, true},
		"empty":              {"", Range{}, 0, 0, [2]int{}, [2]int{}, 0, true},
		"middle":             {"a\nbc\nd\n", Range{StartLine: 2, Lines: 1}, 2, 2, [2]int{2, 5}, [2]int{3, 0}, 3, false},
		"last":               {"a\nbc\nd\n", Range{StartLine: 3, Lines: 5}, 3, 3, [2]int{5, 7}, [2]int{}, 3, false},
		"1,200 lines":        {strings.Repeat("\n", 1300), Range{}, 1, 1200, [2]int{0, 1200}, [2]int{1201, 0}, 1300, false},
		"40,000 characters":  {strings.Repeat(strings.Repeat("é", 99)+"\n", 500), Range{}, 1, 400, [2]int{0, 40000}, [2]int{401, 0}, 500, false},
		"a cut line":         {"a\n" + long + "\nb\n", Range{}, 1, 3, [2]int{0, 3505}, [2]int{0, 3002}, 3, false},
		"mark not counted":   {"\ufeffab\n", Range{}, 1, 1, [2]int{0, 3}, [2]int{}, 1, true},
		"crlf counts as two": {"a\r\nb\r\n", Range{Lines: 1}, 1, 1, [2]int{0, 3}, [2]int{2, 0}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a", row.content)
			got := b.read("output/a", row.r)
			if got.StartLine != row.start || got.EndLine != row.end || got.StartChar != row.chars[0] || got.EndChar != row.chars[1] {
				t.Errorf("lines %d-%d, characters %d-%d", got.StartLine, got.EndLine, got.StartChar, got.EndChar)
			}
			if got.NextLine != row.next[0] || got.NextChar != row.next[1] || got.TotalLines != row.total || got.Full != row.full {
				t.Errorf("next %d, %d, total %d, full %v", got.NextLine, got.NextChar, got.TotalLines, got.Full)
			}
			if got.Truncated != (row.next != [2]int{}) {
				t.Errorf("truncated %v", got.Truncated)
			}
			if seen, ok := b.reads.Get("output/a"); !ok || seen.Full != row.full {
				t.Errorf("read-state %+v, %v", seen, ok)
			}
		})
	}
}

func TestReadChars(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		content    string
		start, max int
		text       string
		lines      [2]int
		next       int
	}{
		"from the start":    {"abcdef", 0, 3, "abc", [2]int{1, 1}, 3},
		"to the end":        {"abcdef", 4, 0, "ef", [2]int{1, 1}, 0},
		"over lines":        {"ab\ncd\nef", 1, 4, "b\ncd", [2]int{1, 2}, 5},
		"astral":            {"a😀b😀", 1, 2, "😀b", [2]int{1, 1}, 3},
		"not inside crlf":   {"a\r\nb", 0, 2, "a", [2]int{1, 1}, 1},
		"crlf in one":       {"a\r\nb", 1, 1, "\r\n", [2]int{1, 1}, 3},
		"empty file":        {"", 0, 5, "", [2]int{}, 0},
		"window":            {strings.Repeat("x", 50000), 0, 0, strings.Repeat("x", 40000), [2]int{1, 1}, 40000},
		"escapes take room": {strings.Repeat("\x01", 20000), 0, 0, strings.Repeat("\x01", 10000), [2]int{1, 1}, 10000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a", row.content)
			got := b.read("output/a", Range{ByChars: true, StartChar: row.start, MaxChars: row.max})
			if got.Text != row.text || got.StartLine != row.lines[0] || got.EndLine != row.lines[1] || got.NextChar != row.next {
				t.Errorf("got %.80q, lines %d-%d, next %d", got.Text, got.StartLine, got.EndLine, got.NextChar)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		path string
		r    Range
		code string
		text string
	}{
		"line past the end":        {"output/a", Range{StartLine: 4}, "workspace.invalid_range", "3 lines"},
		"character past the end":   {"output/a", Range{ByChars: true, StartChar: 6}, "workspace.invalid_range", "6 characters"},
		"files-5 directory":        {"output", Range{}, codeIsDirectory, "directory"},
		"directory below":          {"output/dir", Range{}, codeIsDirectory, "directory"},
		"root":                     {".", Range{}, codeIsDirectory, "root"},
		"missing":                  {"output/b", Range{}, codeFileNotFound, "does not exist"},
		"near name":                {"output/A", Range{}, codeFileNotFound, "output/a"},
		"below a file":             {"output/a/b", Range{}, codeNotDirectory, "output/a is a file"},
		"files-3 hidden":           {"tool-results/x", Range{}, codeNotVisible, "visible: input"},
		"files-3 hidden, absent":   {"tool-results/y", Range{}, codeNotVisible, "visible: input"},
		"not a path":               {"../a", Range{}, codeInvalidPath, `".."`},
		"too large":                {"output/big", Range{}, "workspace.quota_exceeded", "workspace.limits.file"},
		"content not in the store": {"output/lost", Range{}, "workspace.storage_failed", "output/lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a", "1\n2\n3\n", "output/dir/x", "x", "tool-results/x", "hidden", "output/big", strings.Repeat("x", 101))
			b.limits.FileBytes = 100
			b.manifest = b.manifest.With("root", []Change{{Path: "output/lost", New: HashOf([]byte("?")), Size: 1}})
			_, err := b.view().Read(t.Context(), row.path, row.r)
			wantCode(t, err, row.code)
			wantIn(t, err.Error(), row.text)
		})
	}
}

// A hidden path gives the same answer whether or not it exists, in every way of asking.
func TestHiddenIsAbsent(t *testing.T) {
	t.Parallel()
	with := setup(t, "output/a", "x", "tool-results/calls/b/t.txt", "x", "secret/a", "x").view()
	without := setup(t, "output/a", "x").view()
	for _, p := range []string{"tool-results/calls/b/t.txt", "tool-results/calls/b", "tool-results", "secret", "secret/a", "secret/a/b"} {
		for name, ask := range map[string]func(v *View) error{
			"read":   func(v *View) error { _, err := v.Read(t.Context(), p, Range{}); return err },
			"file":   func(v *View) error { _, err := v.File(t.Context(), p); return err },
			"list":   func(v *View) error { _, err := v.List(p, 0); return err },
			"search": func(v *View) error { _, err := v.Search(t.Context(), SearchQuery{Query: "x", Path: p}); return err },
			"write":  func(v *View) error { _, err := v.Write(t.Context(), WriteRequest{Path: p}); return err },
			"patch":  func(v *View) error { _, err := v.Patch(t.Context(), PatchRequest{Path: p, Old: "a"}); return err },
		} {
			a, b := ask(with), ask(without)
			if a == nil || b == nil || a.Error() != b.Error() {
				t.Errorf("%s %s: %v, without it: %v", name, p, a, b)
			}
		}
	}
}

func TestNotText(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n\x00\x00"
	for name, row := range map[string]struct{ content, kind string }{
		"files-13 image":      {png, "image/png"},
		"files-13 mostly nul": {"a\x00\x00", "application/octet-stream"},
		"files-13 some nul":   {"abc\x00", ""},
		"latin-1":             {"caf\xe9", "text/plain; charset=utf-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a", row.content)
			got := b.read("output/a", Range{})
			if got.Kind != row.kind || got.SizeBytes != len(row.content) {
				t.Errorf("kind %q, size %d", got.Kind, got.SizeBytes)
			}
			_, err := b.patch(PatchRequest{Path: "output/a", Old: "a", New: "b"})
			if row.kind == "" {
				wantCode(t, err, "")
				return
			}
			wantCode(t, err, "workspace.not_text")
			_, err = b.write(WriteRequest{Path: "output/a", Content: "x", Append: true})
			wantCode(t, err, "workspace.not_text")
			_, err = b.write(WriteRequest{Path: "output/a", Content: "now a text"})
			wantCode(t, err, "")
		})
	}
}

// Reading on as a window says reaches every character and makes the read-state full.
func FuzzReadOn(f *testing.F) {
	for _, s := range []string{"", "a\nb", "a\r\n\r\nb\r\n", "\ufeffx\n", "é\n😀😀😀😀😀😀😀", strings.Repeat("long ", 30), "\x01\x02\n\x03"} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, content string, inline int) {
		if !IsText([]byte(content)) {
			return
		}
		_, body := splitBOM(content)
		b := setup(t, "output/a", content)
		b.limits.InlineChars = windowRoom + max(inline%50, 1)
		if inline < 0 {
			b.limits.InlineChars = windowRoom + 1
		}
		for step, r := 0, (Range{}); ; step++ {
			got := b.read("output/a", r)
			if n := Chars(got.Text); n > 0 && !strings.Contains(body, got.Text) {
				t.Fatalf("%q is not in %q", got.Text, body)
			}
			if got.Full {
				break
			}
			if step > 4*len(body)+4 {
				t.Fatalf("reading %q does not end", body)
			}
			switch {
			case got.NextChar > 0:
				r = Range{ByChars: true, StartChar: got.NextChar}
			case got.NextLine > 0:
				r = Range{StartLine: got.NextLine}
			default:
				t.Fatalf("%q: nothing to go on with after %+v", body, got)
			}
		}
		if seen, _ := b.reads.Get("output/a"); !seen.Full {
			t.Fatalf("read-state %+v", seen)
		}
	})
}

// An invocation sees its own tool results, and no others.
func TestOwnToolResults(t *testing.T) {
	t.Parallel()
	b := setup(t, "tool-results/calls/critic-002/t1.txt", "mine", "tool-results/calls/root/t1.txt", "theirs")
	v := NewView(ViewOptions{Manifest: b.manifest, Blobs: b.blobs, Agent: "root/critic-002", Roots: Roots{Visible: []string{"output"}}})
	got, err := v.Read(t.Context(), "tool-results/calls/critic-002/t1.txt", Range{})
	wantCode(t, err, "")
	if got.Text != "mine" {
		t.Errorf("got %q", got.Text)
	}
	_, err = v.Read(t.Context(), "tool-results/calls/root/t1.txt", Range{})
	wantCode(t, err, codeNotVisible)
	_, err = v.Write(t.Context(), WriteRequest{Path: "tool-results/calls/critic-002/t1.txt"})
	wantCode(t, err, codeNotWritable)
	found, err := v.Search(t.Context(), SearchQuery{Query: "mine theirs"})
	wantCode(t, err, "")
	if found.Total != 0 {
		t.Errorf("tool results are searched without being named: %+v", found)
	}
}

func TestFileAndContent(t *testing.T) {
	t.Parallel()
	v := setup(t, "output/bin", "\xff\x00").view()
	f, err := v.File(t.Context(), "output/bin")
	wantCode(t, err, "")
	if string(f.Content) != "\xff\x00" || f.Size != 2 || f.By != "root/other" {
		t.Errorf("got %+v", f)
	}
	c, err := v.Content(t.Context(), f.Hash)
	wantCode(t, err, "")
	if string(c) != "\xff\x00" {
		t.Errorf("got %q", c)
	}
	_, err = v.Content(t.Context(), "0")
	wantCode(t, err, "workspace.storage_failed")
}
