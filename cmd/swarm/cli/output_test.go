package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
)

func TestPublisher(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out.md")
	publish := publisher(file)
	for i, row := range []struct{ name, id, mode, content, want string }{
		{"first", "a", "replace", "one\n", "one\n"},
		{"the same again", "a", "replace", "one\n", "one\n"},
		{"appended", "b", "append", "two\n", "one\ntwo\n"},
		{"appended again by a retry", "b", "append", "two\n", "one\ntwo\n"},
		{"replaced", "c", "replace", "three\n", "three\n"},
	} {
		if _, err := publish(t.Context(), commit(row.id, row.mode, row.content)); err != nil {
			t.Fatal(row.name, err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != row.want {
			t.Errorf("%d %s: %q, %v", i, row.name, got, err)
		}
	}
	gone := publisher(filepath.Join(t.TempDir(), "no", "out.md"))
	if _, err := gone(t.Context(), commit("a", "replace", "x")); err == nil {
		t.Error("a directory that is not there is no fault")
	}
}

func commit(id, mode, content string) swarm.Commit {
	return swarm.Commit{ID: id, Mode: mode, Content: []byte(content)}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, in string
		n        int
		want     string
	}{
		{"short", "abc", 5, "abc"},
		{"exact", "abcde", 5, "abcde"},
		{"cut", "abcdef", 5, "abcde…"},
		{"lines", " a\n\n b\tc ", 10, "a b c"},
		{"escape sequences", "a\x1b[31mred\x07", 20, "a [31mred"},
		{"wide", "äöü", 2, "äö…"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := plain(row.in, row.n); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
