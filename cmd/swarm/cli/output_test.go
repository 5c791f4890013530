package cli

import "testing"

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
		{"turned direction", "a\u202eb\u2066c", 3, "abc"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := plain(row.in, row.n); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
