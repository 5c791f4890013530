package workspace

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		in    string
		words int
	}{
		"empty":          {"", 0},
		"plain":          {"one two, three", 3},
		"digits":         {"v2 3.14", 3},
		"han one each":   {"漢字 abc", 3},
		"kana hangul":    {"かな한글", 4},
		"mixed no space": {"abc漢def", 3},
		"marks join":     {"cafe\u0301 x", 2},
		"only marks":     {"-- !", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Words(row.in); got != row.words {
				t.Errorf("Words(%q) = %d, want %d", row.in, got, row.words)
			}
		})
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		in   string
		n    int
		head string
		left int
	}{
		"shorter":         {"abc", 5, "abc", 0},
		"exact":           {"abc", 3, "abc", 0},
		"cut":             {"abc", 2, "ab", 1},
		"zero":            {"abc", 0, "", 3},
		"negative":        {"abc", -1, "", 3},
		"astral":          {"a😀b", 2, "a😀", 1},
		"not inside crlf": {"a\r\nb", 2, "a", 3},
		"after crlf":      {"a\r\nb", 3, "a\r\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			head, left := Head(row.in, row.n)
			if head != row.head || left != row.left {
				t.Errorf("Head(%q, %d) = %q, %d, want %q, %d", row.in, row.n, head, left, row.head, row.left)
			}
		})
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ in, out string }{
		"plain":       {"a\tb\nc", "a\tb\nc"},
		"escape":      {"\x1b[1m", `\x1b[1m`},
		"nul":         {"a\x00b", `a\x00b`},
		"c1":          {"a\u0085b", `a\x85b`},
		"not c1":      {"a£b", "a£b"},
		"crlf":        {"a\r\nb", "a\r\nb"},
		"lone cr":     {"a\rb\r", `a\x0db\x0d`},
		"delete":      {"\x7f", `\x7f`},
		"bad bytes":   {"a\xffb", "a\ufffdb"},
		"cr at split": {"\r\r\n", "\\x0d\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Visible(row.in); got != row.out {
				t.Errorf("Visible(%q) = %q, want %q", row.in, got, row.out)
			}
		})
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 5312: "5,312"} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %q, want %q", n, got, want)
		}
	}
	if got := Count(1, "line") + " " + Count(2000, "line"); got != "1 line 2,000 lines" {
		t.Errorf("Count = %q", got)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\r\nb", "\x1b[0m", "\xff\xfe", "漢\u0301", "\u0085"} {
		f.Add(s, 2)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		shown := Visible(s)
		if !utf8.ValidString(shown) {
			t.Fatalf("Visible(%q) is not UTF-8", s)
		}
		if strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' }) {
			t.Fatalf("Visible(%q) = %q shows a control character", s, shown)
		}
		head, left := Head(s, n)
		if Chars(head)+left != Chars(s) && utf8.ValidString(s) || !strings.HasPrefix(s, head) || Chars(head) > max(n, 0) {
			t.Fatalf("Head(%q, %d) = %q, %d", s, n, head, left)
		}
	})
}
