package workspace

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNULShare is the share of NUL bytes above which bytes count as binary.
const maxNULShare = 0.3

// bom is the UTF-8 byte order mark. It is kept in files and never shown or counted.
const bom = "\ufeff"

// Chars counts the Unicode characters of s.
func Chars(s string) int { return utf8.RuneCountInString(s) }

// Words counts words: each Han, Kana or Hangul character is one, and so is every other
// run of letters and digits.
func Words(s string) int {
	n, in := 0, false
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n, in = n+1, false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !in {
				n, in = n+1, true
			}
		case unicode.IsMark(r): // belongs to the letter before it
		default:
			in = false
		}
	}
	return n
}

// Head gives the first n characters of s and how many were left out. It never cuts
// between a carriage return and its line feed.
func Head(s string, n int) (head string, left int) {
	at := byteAt(s, max(n, 0))
	if at == len(s) {
		return s, 0
	}
	if at > 0 && s[at-1] == '\r' && s[at] == '\n' {
		at--
	}
	return s[:at], Chars(s[at:])
}

// byteAt gives the byte offset of character n of s, len(s) when there are fewer.
func byteAt(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// Visible shows NUL and control characters other than tab and line ends as escapes such
// as \x1b. A carriage return is a line end only before a line feed. Bytes that are no
// UTF-8 become U+FFFD.
func Visible(s string) string {
	clean := utf8.ValidString(s)
	for i := 0; clean && i < len(s); i++ {
		c := s[i]
		// 0xC2 leads the encodings of U+0080 to U+009F, among others.
		clean = c >= 0x20 && c != 0x7f && c != 0xc2 || c == '\t' || c == '\n'
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\t' || r == '\n' || r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			b.WriteRune(r)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// IsText says whether bytes are a text: valid UTF-8, and not mostly NUL.
func IsText(b []byte) bool {
	return utf8.Valid(b) && float64(bytes.Count(b, []byte{0})) <= maxNULShare*float64(len(b))
}

// Kind guesses the media type of bytes by their content.
func Kind(b []byte) string { return http.DetectContentType(b) }

// Grouped writes a number with commas between thousands.
func Grouped[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	head, digits := "", s
	if n < 0 {
		head, digits = "-", s[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return head + digits
}

// Count writes a number and a noun: "1 line", "1,200 lines".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Grouped(n) + " " + noun + "s"
}

// Short gives the part of a hash that is shown to models and people.
func Short(hash string) string { return hash[:min(len(hash), 12)] }

// splitBOM gives a text without its byte order mark, and the mark when it has one.
func splitBOM(s string) (mark, body string) {
	if body, ok := strings.CutPrefix(s, bom); ok {
		return bom, body
	}
	return "", s
}

// nextLine gives the first line of s without its line end, and the bytes it takes with it.
func nextLine(s string) (line string, size int) {
	i := strings.IndexByte(s, '\n')
	if i < 0 {
		return s, len(s)
	}
	return strings.TrimSuffix(s[:i], "\r"), i + 1
}
