package cli

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

func TestSafe(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, in, want string }{
		{"plain", "abc DEF ~", "abc DEF ~"},
		{"escape sequence", "a\x1b[31mred\x1b]0;title\x07", "a [31mred ]0;title "},
		{"controls of eight bits", "a\u009b31mb", "a 31mb"},
		{"lines and tabs", "a\nb\tc\r\u2028d", "a b c  d"},
		{"turned direction", "abc\u202e\u2066fed\u2069\u200f", "abcfed"},
		{"invisible", "a\u200bb\ufeffc\u00ad\U000e0041", "abc"},
		{"private use", "a\ue000b", "ab"},
		{"wide", "汉字 かな 한글", "汉字 かな 한글"},
		{"joined emoji", "👩‍🚀❤️👍🏽", "👩🚀❤👍"},
		{"combining", "e\u0301", "e\u0301"},
		{"a tower of marks", "e" + strings.Repeat("\u0301", 100) + "f", "e" + strings.Repeat("\u0301", marks) + "f"},
		{"no UTF-8", "a\xff\xfeb", "a\ufffd\ufffdb"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := safe(row.in)
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
			if again := safe(got); again != got {
				t.Errorf("it is not stable: %q", again)
			}
		})
	}
}

func TestFolded(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text string
		width      int
		want       []string
	}{
		{"it fits", "root  calls a", 13, []string{"root  calls a"}},
		{"between words, below the text", "root  calls a tool with words", 18, []string{"root  calls a tool", "      with words"}},
		{"no column", "warning: some words", 10, []string{"warning:", "some words"}},
		{"a column too wide for rows below it", "root/a/b/c/d  some words here", 20, []string{"root/a/b/c/d  some", "words here"}},
		{"a word without end", "root  abcdefghijklmnop", 14, []string{"root  abcdefgh", "      ijklmnop"}},
		{"wide characters", "root  汉字汉字汉字汉字", 14, []string{"root  汉字汉字", "      汉字汉字"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := folded(row.text, row.width)
			if !slices.Equal(got, row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
			for _, line := range got {
				if columns(line) > row.width {
					t.Errorf("%q has %d columns", line, columns(line))
				}
			}
		})
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		in    string
		width int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"abc", -1, ""}, {"", 3, ""},
		{"汉字", 4, "汉字"}, {"汉字漢", 5, "汉字…"}, {"汉字漢", 4, "汉…"}, {"汉", 1, "…"}, {"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
	} {
		got := cut(row.in, row.width)
		if got != row.want {
			t.Errorf("%q in %d: got %q, want %q", row.in, row.width, got, row.want)
		}
		if p := padded(row.in, row.width); columns(p) != max(row.width, 0) {
			t.Errorf("%q in %d: filled up to %q", row.in, row.width, p)
		}
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text string
		width, n   int
		want       []string
	}{
		{"nothing", "", 10, 2, nil},
		{"one row", "abc", 10, 2, []string{"abc"}},
		{"newest rows", "a\nb\n\nc\n", 10, 2, []string{"b", "c"}},
		{"wrapped", "abcdefgh", 3, 2, []string{"def", "gh"}},
		{"wide", "汉字漢", 5, 3, []string{"汉字", "漢"}},
		{"no room", "abc", 1, 2, nil},
		{"no rows", "abc", 10, 0, nil},
		{"hostile", "a\x1b[2Jb\r\nc", 10, 2, []string{"a [2Jb", "c"}},
		{"long", strings.Repeat("汉", 10_000) + "end", 10, 1, []string{"end"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := tail(row.text, row.width, row.n)
			if row.name == "long" {
				if len(got) != 1 || !strings.HasSuffix(got[0], "end") {
					t.Errorf("got %q", got)
				}
				return
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0k", 1234: "1.2k", 9949: "9.9k", 9999: "10k", 12_345: "12k", 999_499: "999k", 999_950: "1.0M", 1_000_000: "1.0M", 2_500_000_000: "2.5G"} {
		if got := compact(journal.Usage{Input: &n}, &n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
	if got := compact(journal.Usage{}, nil); got != "0" {
		t.Errorf("before an answer: %s", got)
	}
	if got := compact(journal.Usage{Requests: 1}, nil); got != "?" {
		t.Errorf("unknown: %s", got)
	}
}

func TestLasted(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "", 999 * time.Millisecond: "", 1900 * time.Millisecond: "1s", 3661 * time.Second: "1h1m1s", -time.Hour: ""} {
		if got := lasted(d); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}

// sane fails a test when a view is larger than its space, or holds what must not reach
// a terminal.
func sane(t *testing.T, view string, width, height int) {
	t.Helper()
	if view == "" {
		return // no row
	}
	rows := strings.Split(view, "\n")
	if len(rows) > height {
		t.Errorf("%d rows in a height of %d:\n%s", len(rows), height, view)
	}
	for _, row := range rows {
		if n := columns(row); n > width {
			t.Errorf("%d columns in a width of %d: %q", n, width, row)
		}
		for _, r := range row {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) {
				t.Errorf("%U reaches the terminal: %q", r, row)
			}
		}
	}
}
