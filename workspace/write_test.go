package workspace

import (
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		w    WriteRequest
		read bool // output/a first
		code string
		text string // of the error
		want string // content
	}{
		"new file":                 {w: WriteRequest{Path: "output/x/y/b", Content: "new"}, want: "new"},
		"replace after a read":     {w: WriteRequest{Path: "output/a", Content: "new"}, read: true, want: "new"},
		"files-6 append, unread":   {w: WriteRequest{Path: "output/a", Content: "+", Append: true}, want: "one\ntwo+"},
		"append creates":           {w: WriteRequest{Path: "output/b", Content: "+", Append: true}, want: "+"},
		"files-6 replace, unread":  {w: WriteRequest{Path: "output/a"}, code: "workspace.write_requires_read", text: "read it"},
		"files-3 parent":           {w: WriteRequest{Path: "../x"}, code: codeInvalidPath},
		"files-3 absolute":         {w: WriteRequest{Path: "/etc/x"}, code: codeInvalidPath, text: "leave out the leading /"},
		"files-3 hidden root":      {w: WriteRequest{Path: "tool-results/x"}, code: codeNotWritable, text: "below: output, persist"},
		"files-3 unknown root":     {w: WriteRequest{Path: "x"}, code: codeNotWritable},
		"read-only root":           {w: WriteRequest{Path: "input/x"}, code: codeNotWritable},
		"files-5 directory":        {w: WriteRequest{Path: "output/dir"}, code: codeIsDirectory},
		"files-5 root":             {w: WriteRequest{Path: "output"}, code: codeIsDirectory},
		"files-5 workspace":        {w: WriteRequest{Path: "."}, code: codeIsDirectory},
		"below a file":             {w: WriteRequest{Path: "output/a/b"}, code: codeNotDirectory},
		"case clash":               {w: WriteRequest{Path: "output/A"}, code: "workspace.path_ambiguous", text: "output/a"},
		"case clash of directory":  {w: WriteRequest{Path: "output/DIR/y"}, code: "workspace.path_ambiguous", text: "output/dir"},
		"normal form clash":        {w: WriteRequest{Path: "output/dir/e\u0301"}, code: "workspace.path_ambiguous"},
		"trailing dot":             {w: WriteRequest{Path: "output/b."}, code: codeInvalidPath, text: "space or dot"},
		"trailing space in middle": {w: WriteRequest{Path: "output/b /c"}, code: codeInvalidPath, text: "space or dot"},
		"file limit":               {w: WriteRequest{Path: "output/b", Content: strings.Repeat("x", 101)}, code: "workspace.quota_exceeded", text: "limits.file)"},
		"call limit":               {w: WriteRequest{Path: "output/b", Content: strings.Repeat("x", 91)}, code: "workspace.quota_exceeded", text: "limits.call)"},
		"total limit":              {w: WriteRequest{Path: "output/b", Content: strings.Repeat("x", 85)}, code: "workspace.quota_exceeded", text: "limits.total)"},
		"append over the limit":    {w: WriteRequest{Path: "output/a", Content: strings.Repeat("x", 98), Append: true}, code: "workspace.quota_exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a", "one\ntwo", "output/dir/\u00e9", "x", "tool-results/x", "x")
			b.limits = Limits{FileBytes: 100, CallBytes: 90, TotalBytes: 92, Files: 10}
			if row.read {
				b.read("output/a", Range{})
			}
			before := b.manifest
			got, err := b.write(row.w)
			wantCode(t, err, row.code)
			if err != nil {
				wantIn(t, err.Error(), row.text)
				if b.manifest != before {
					t.Error("something was written")
				}
				return
			}
			if c := b.text(row.w.Path); c != row.want {
				t.Errorf("content %q, want %q", c, row.want)
			}
			_, existed := before.Get(row.w.Path)
			if got.Created == existed || got.Change.Chars != Chars(row.want) || got.Change.Size != len(row.want) {
				t.Errorf("got %+v", got)
			}
			if before.Check(got.Change) != nil {
				t.Error("the change does not fit what it was made for")
			}
		})
	}
}

func TestWriteCounts(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "x")
	b.limits.Files = 1
	_, err := b.write(WriteRequest{Path: "output/b"})
	wantCode(t, err, "workspace.quota_exceeded")
	v := NewView(ViewOptions{Written: 10, Limits: Limits{RunBytes: 12}})
	_, err = v.Write(t.Context(), WriteRequest{Path: "output/b", Content: "123"})
	wantCode(t, err, "workspace.quota_exceeded")
	_, err = v.Write(t.Context(), WriteRequest{Path: "output/b", Content: "12"})
	wantCode(t, err, "")
}

func TestWriteExecutable(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		w    WriteRequest
		want bool
	}{
		"script":          {WriteRequest{Path: "output/b", Content: "#!/bin/sh\n", Executable: true}, true},
		"not asked for":   {WriteRequest{Path: "output/b", Content: "#!/bin/sh\n"}, false},
		"no script":       {WriteRequest{Path: "output/b", Content: "x", Executable: true}, false},
		"the mode stays":  {WriteRequest{Path: "output/x", Content: "x"}, true},
		"append keeps it": {WriteRequest{Path: "output/x", Content: "x", Append: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if _, err := b.write(WriteRequest{Path: "output/x", Content: "#!x", Executable: true}); err != nil {
				t.Fatal(err)
			}
			got, err := b.write(row.w)
			wantCode(t, err, "")
			if got.Change.Exec != row.want {
				t.Errorf("executable %v", got.Change.Exec)
			}
		})
	}
}

// files-1: two agents read one file, both edit it.
func TestSecondEditIsStale(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "one two")
	b.read("output/a", Range{})
	b.put("root/critic-002", "output/a", "one three!")
	_, err := b.write(WriteRequest{Path: "output/a", Content: "mine"})
	wantCode(t, err, "workspace.write_stale_file")
	wantIn(t, err.Error(), Short(HashOf([]byte("one three!"))), "10 bytes", "root/critic-002", "read it again")
	_, err = b.patch(PatchRequest{Path: "output/a", Old: "one", New: "1"})
	wantCode(t, err, "workspace.patch_stale_file")
	wantIn(t, err.Error(), Short(HashOf([]byte("one three!"))), "changed since it was read")
	b.read("output/a", Range{})
	_, err = b.patch(PatchRequest{Path: "output/a", Old: "one", New: "1"})
	wantCode(t, err, "")
	if got := b.text("output/a"); got != "1 three!" {
		t.Errorf("got %q", got)
	}
}

// files-10: what the shell changes, with the agent's own path, is stale until read again.
func TestShellChangeIsStale(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "one")
	b.read("output/a", Range{})
	b.put("root", "output/a", "by shell")
	_, err := b.patch(PatchRequest{Path: "output/a", Old: "by", New: "through"})
	wantCode(t, err, "workspace.patch_stale_file")
	wantIn(t, err.Error(), "changed last by you")
	b.put("", "output/a", "by the host")
	_, err = b.patch(PatchRequest{Path: "output/a", Old: "by", New: "through"})
	wantIn(t, err.Error(), "changed last by outside")
	b.read("output/a", Range{})
	_, err = b.patch(PatchRequest{Path: "output/a", Old: "by", New: "through"})
	wantCode(t, err, "")
}

func TestReadStateAfterWrites(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before func(b *bench)
		w      WriteRequest
		full   bool
		frags  int
		stale  bool
		none   bool
	}{
		"created":                    {func(*bench) {}, WriteRequest{Path: "output/b", Content: "x"}, true, 0, false, false},
		"created by append":          {func(*bench) {}, WriteRequest{Path: "output/b", Content: "x", Append: true}, true, 0, false, false},
		"replaced after a part":      {func(b *bench) { b.read("output/a", Range{Lines: 1}) }, WriteRequest{Path: "output/a", Content: "x"}, true, 0, false, false},
		"append after a full read":   {func(b *bench) { b.read("output/a", Range{}) }, WriteRequest{Path: "output/a", Content: "x", Append: true}, true, 0, false, false},
		"append, never read":         {func(*bench) {}, WriteRequest{Path: "output/a", Content: "x", Append: true}, false, 0, false, true},
		"append after a part":        {func(b *bench) { b.read("output/a", Range{Lines: 1}) }, WriteRequest{Path: "output/a", Content: "x", Append: true}, false, 2, false, false},
		"append after the last part": {func(b *bench) { b.read("output/a", Range{StartLine: 3}) }, WriteRequest{Path: "output/a", Content: "x", Append: true}, false, 1, false, false},
		"append to a stale file": {func(b *bench) { b.read("output/a", Range{}); b.put("z", "output/a", "other") },
			WriteRequest{Path: "output/a", Content: "x", Append: true}, true, 0, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a", "1\n2\n3\n")
			row.before(b)
			if _, err := b.write(row.w); err != nil {
				t.Fatal(err)
			}
			seen, ok := b.reads.Get(row.w.Path)
			e, _ := b.manifest.Get(row.w.Path)
			if ok == row.none || seen.Full != row.full || len(seen.Fragments) != row.frags || ok && (seen.Hash != e.Hash) != row.stale {
				t.Errorf("read-state %+v, %v", seen, ok)
			}
		})
	}
}
