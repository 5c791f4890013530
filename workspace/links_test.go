package workspace

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func (b *bench) link(path, target string) {
	b.manifest = b.manifest.With("root/other", []Change{{Path: path, Kind: KindLink, New: HashOf([]byte(target)), Size: len(target), Content: target}})
}

func (b *bench) dir(path string) {
	b.manifest = b.manifest.With("root/other", []Change{{Path: path, Kind: KindDir, New: HashOf(nil)}})
}

// linked is a workspace with links of every kind.
func linked(t *testing.T) *bench {
	t.Helper()
	b := setup(t, "output/real", "one\ntwo\n", "output/d/x", "in d\n", "input/given", "given\n", "secret/s", "hidden\n")
	b.link("output/rel", "real")
	b.link("output/abs", "/output/real")
	b.link("output/up", "../../../output/./real")
	b.link("output/two", "rel")
	b.link("output/dir", "d/")
	b.link("output/given", "../input/given")
	b.link("output/hidden", "/secret/s")
	b.link("output/hole", "/secret/none")
	b.link("output/past", "/secret/way")
	b.link("secret/way", "/output/real")
	b.link("output/none", "d/new")
	b.link("output/loop", "pool")
	b.link("output/pool", "loop")
	b.link("output/root", "/")
	b.dir("output/empty")
	return b
}

func TestReadThroughLinks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ path, want, code string }{
		{"output/rel", "one\ntwo\n", ""},
		{"output/abs", "one\ntwo\n", ""},
		{"output/up", "one\ntwo\n", ""},
		{"output/two", "one\ntwo\n", ""},
		{"output/dir/x", "in d\n", ""},
		{"output/given", "given\n", ""},
		{"output/root/input/given", "given\n", ""},
		{"output/hidden", "", codeNotVisible},
		{"output/hole", "", codeNotVisible},
		{"output/past", "", codeNotVisible},
		{"output/root/secret/s", "", codeNotVisible},
		{"output/none", "", codeFileNotFound},
		{"output/loop", "", codeInvalidPath},
		{"output/dir", "", codeIsDirectory},
		{"output/empty", "", codeIsDirectory},
		{"output/empty/x", "", codeFileNotFound},
	} {
		t.Run(row.path, func(t *testing.T) {
			t.Parallel()
			b := linked(t)
			got, err := b.view().Read(t.Context(), row.path, Range{})
			wantCode(t, err, row.code)
			if err == nil && (got.Text != row.want || got.Path != row.path) {
				t.Errorf("got %q of %s", got.Text, got.Path)
			}
			file, err := b.view().File(t.Context(), row.path)
			wantCode(t, err, row.code)
			if string(file.Content) != row.want {
				t.Errorf("File gives %q", file.Content)
			}
		})
	}
}

// What a link to a hidden place says does not depend on whether something is there.
func TestHiddenBehindALink(t *testing.T) {
	t.Parallel()
	b := linked(t)
	for _, do := range []func(path string) error{
		func(p string) error { _, err := b.view().Read(t.Context(), p, Range{}); return err },
		func(p string) error { _, err := b.view().List(p, 0); return err },
		func(p string) error {
			_, err := b.view().Write(t.Context(), WriteRequest{Path: p, Content: "x"})
			return err
		},
	} {
		there, absent := do("output/hidden"), do("output/hole")
		as := strings.NewReplacer("output/hole", "output/hidden", "secret/none", "secret/s")
		if there == nil || absent == nil || as.Replace(absent.Error()) != there.Error() {
			t.Errorf("%v\ndiffers from\n%v", there, absent)
		}
	}
}

func TestWriteThroughLinks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ path, target, code string }{
		{"output/none", "output/d/new", ""},
		{"output/dir/y", "output/d/y", ""},
		{"output/empty/y", "output/empty/y", ""},
		{"output/given", "", codeNotWritable},
		{"output/hidden", "", codeNotWritable},
		{"output/root/secret/new", "", codeNotWritable},
		{"output/rel", "", "workspace.write_requires_read"},
		{"output/loop", "", codeInvalidPath},
		{"output/dir", "", codeIsDirectory},
		{"output/empty", "", codeIsDirectory},
		{"output/root", "", codeIsDirectory},
	} {
		t.Run(row.path, func(t *testing.T) {
			t.Parallel()
			b := linked(t)
			got, err := b.write(WriteRequest{Path: row.path, Content: "new\n"})
			wantCode(t, err, row.code)
			if err != nil {
				return
			}
			if got.Change.Path != row.target || b.text(row.target) != "new\n" {
				t.Errorf("wrote %+v", got.Change)
			}
		})
	}
}

// A file read by one name may be written and patched by another.
func TestReadStateIsOfTheTarget(t *testing.T) {
	t.Parallel()
	b := linked(t)
	b.read("output/two", Range{})
	got, err := b.patch(PatchRequest{Path: "output/abs", Old: "one", New: "1"})
	wantCode(t, err, "")
	if got.Change.Path != "output/real" || b.text("output/real") != "1\ntwo\n" {
		t.Errorf("patched %+v", got.Change)
	}
	_, err = b.write(WriteRequest{Path: "output/real", Content: "all\n"})
	wantCode(t, err, "")
	if e, _ := b.manifest.Get("output/rel"); e.Kind != KindLink || e.Target != "real" {
		t.Errorf("the link became %+v", e)
	}
}

func TestListLinksAndEmptyDirectories(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/d/x", "x")
	b.link("output/l", "d")
	b.dir("output/e/f")
	got, err := b.view().List("output", 3)
	wantCode(t, err, "")
	want := []Listed{
		{Path: "output/d", Directory: true}, {Path: "output/d/x", Chars: 1},
		{Path: "output/e", Directory: true}, {Path: "output/e/f", Directory: true},
		{Path: "output/l", Link: "d"},
	}
	if !slices.Equal(got.Entries, want) {
		t.Errorf("got %+v", got.Entries)
	}
	got, err = b.view().List("output/l", 0)
	wantCode(t, err, "")
	if len(got.Entries) != 1 || got.Entries[0].Path != "output/d/x" {
		t.Errorf("through the link: %+v", got.Entries)
	}
	got, err = b.view().List("output/e/f", 0)
	wantCode(t, err, "")
	if got.Total != 0 {
		t.Errorf("the empty directory lists %+v", got.Entries)
	}
}

func TestSearchGoesRoundLinks(t *testing.T) {
	t.Parallel()
	b := linked(t)
	for path, want := range map[string]int{"": 1, "output": 1, "output/two": 1, "output/dir": 0, "output/empty": 0} {
		got, err := b.view().Search(context.Background(), SearchQuery{Query: "two", Mode: PlainLiteral, Path: path})
		wantCode(t, err, "")
		if got.Total != want || got.Skipped != 0 {
			t.Errorf("%q: %+v", path, got)
		}
	}
	_, err := b.view().Search(t.Context(), SearchQuery{Query: "two", Path: "output/hidden"})
	wantCode(t, err, codeNotVisible)
}

// An empty directory has an entry, one that holds something has none.
func TestEmptyDirectories(t *testing.T) {
	t.Parallel()
	m := (*Manifest)(nil).With("a", []Change{{Path: "output/d/e", Kind: KindDir, New: HashOf(nil)}})
	if !m.hasDir("output/d/e") || !m.hasDir("output/d") || m.Len() != 1 {
		t.Error("the directory is not there")
	}
	m = m.With("a", []Change{{Path: "output/d/e/f", New: "1", Size: 3}})
	if _, ok := m.Get("output/d/e"); ok || m.Len() != 1 || m.Bytes() != 3 {
		t.Error("a directory that holds a file has an entry")
	}
	m = m.With("a", []Change{{Path: "output/d", Kind: KindDir, New: HashOf(nil)}})
	if _, ok := m.Get("output/d"); ok {
		t.Error("a directory that holds one has an entry")
	}
	m = m.With("a", []Change{{Path: "output/d/e/f"}})
	if m.Len() != 0 || m.hasDir("output") {
		t.Error("something is left")
	}
}

func TestResolveStopsAtTheRoot(t *testing.T) {
	t.Parallel()
	m := (*Manifest)(nil).With("a", []Change{{Path: "output/l", Kind: KindLink, New: "1", Content: "../../../../input"}})
	got, err := m.Resolve("output/l/x")
	if err != nil || got != "input/x" {
		t.Errorf("got %q, %v", got, err)
	}
	m = m.With("a", []Change{{Path: "output/l"}})
	if got, err := m.Resolve("output/l/x"); err != nil || got != "output/l/x" || m.links != 0 {
		t.Errorf("without the link: %q, %v", got, err)
	}
	loop := m.With("a", []Change{{Path: "output/l", Kind: KindLink, New: "1", Content: "l/x"}})
	if _, err := loop.Resolve("output/l"); fault.Code(err) != codeInvalidPath {
		t.Errorf("got %v", err)
	}
}
