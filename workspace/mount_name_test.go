package workspace

import (
	"slices"
	"testing"
)

// The name of a single mount may stand at the front of a path, so that a second mount does
// not break a team; an entry of that name goes before it.
func TestNameOfASingleMount(t *testing.T) {
	t.Parallel()
	plain := mounted(t, nil, MountSpec{Host: tree(t, map[string]string{"moby.txt": "whale", "sub/b.txt": "whale"}), At: "books"})
	both := mounted(t, nil,
		MountSpec{Host: tree(t, map[string]string{"moby.txt": "whale", "sub/b.txt": "whale"}), At: "books"},
		MountSpec{Host: tree(t, map[string]string{"c.md": "c"}), At: "other"})
	taken := mounted(t, nil, MountSpec{Host: tree(t, map[string]string{"books/moby.txt": "inner", "moby.txt": "outer"}), At: "books"})
	for name, row := range map[string]struct {
		v              *View
		path, code, is string
	}{
		"with the name":         {plain, "books/moby.txt", "", "whale"},
		"with a dot":            {plain, "./books/sub/b.txt", "", "whale"},
		"without it":            {plain, "moby.txt", "", "whale"},
		"the mount":             {plain, "books", codeIsDirectory, ""},
		"missing":               {plain, "books/x.txt", codeFileNotFound, ""},
		"out of it":             {plain, "books/../../x", codeInvalidPath, ""},
		"two mounts":            {both, "books/moby.txt", "", "whale"},
		"two mounts, no name":   {both, "moby.txt", codeNotVisible, ""},
		"an entry of that name": {taken, "books/moby.txt", "", "inner"},
		"beside such an entry":  {taken, "moby.txt", "", "outer"},
	} {
		t.Run("read, "+name, func(t *testing.T) {
			t.Parallel()
			got, err := row.v.MountRead(t.Context(), row.path, Range{})
			wantCode(t, err, row.code)
			if err == nil && got.Text != row.is {
				t.Errorf("got %q", got.Text)
			}
			if row.code == codeFileNotFound {
				wantIn(t, err.Error(), "paths are relative to the mount books")
			}
			if row.code == codeNotVisible {
				wantIn(t, err.Error(), "paths begin with the name of a mount: books, other")
			}
		})
	}
	for name, row := range map[string]struct {
		v             *View
		pattern, path string
		want          []string
	}{
		"glob with the name":   {plain, "books/**", "", []string{"moby.txt", "sub/b.txt"}},
		"one level":            {plain, "books/*.txt", "", []string{"moby.txt"}},
		"the name alone":       {plain, "books", "", []string{"moby.txt", "sub/b.txt"}},
		"a part of the path":   {plain, "books/mo", "", []string{"moby.txt"}},
		"begin at the mount":   {plain, "*.txt", "books", []string{"moby.txt"}},
		"begin below it":       {plain, "books/sub/*", "books/sub", []string{"sub/b.txt"}},
		"two mounts":           {both, "books/**", "", []string{"books/moby.txt", "books/sub/b.txt"}},
		"an entry of the name": {taken, "books/**", "", []string{"books/moby.txt"}},
	} {
		t.Run("glob, "+name, func(t *testing.T) {
			t.Parallel()
			got, err := row.v.Glob(t.Context(), GlobQuery{Pattern: row.pattern, Path: row.path})
			if err != nil || !slices.Equal(got.Paths, row.want) {
				t.Errorf("got %+v, %v, want %v", got, err, row.want)
			}
		})
	}
	for name, row := range map[string]struct {
		v          *View
		glob, path string
		want       int
	}{
		"glob with the name": {plain, "books/**", "", 2},
		"one level":          {plain, "books/*.txt", "", 1},
		"by path":            {plain, "", "books/sub", 1},
		"two mounts":         {both, "books/*.txt", "", 1},
	} {
		t.Run("grep, "+name, func(t *testing.T) {
			t.Parallel()
			got, err := row.v.Grep(t.Context(), SearchQuery{Query: "whale", Mode: Regex, Glob: row.glob, Path: row.path})
			if err != nil || got.Total != row.want {
				t.Errorf("got %+v, %v, want %d", got, err, row.want)
			}
		})
	}
}
