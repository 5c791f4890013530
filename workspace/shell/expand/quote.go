package expand

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote quotes a text so that the shell reads it as one word, as printf %q does: with
// backslashes, or as $'...' when it has characters that cannot be printed.
func Quote(s string) string {
	switch {
	case s == "":
		return "''"
	case unprintable(s):
		return ansiQuote(s)
	}
	var b strings.Builder
	for i := range len(s) {
		switch ch := s[i]; {
		case strings.IndexByte(" !\"$&'()*,;<>?[\\]^`{|}", ch) >= 0,
			ch == '#' && i == 0,
			ch == '~' && (i == 0 || s[i-1] == ':' || s[i-1] == '='):
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// QuoteValue quotes a text as ${name@Q} does: in single quotes, or as $'...'.
func QuoteValue(s string) string {
	if unprintable(s) {
		return ansiQuote(s)
	}
	if s == "'" {
		return `\'`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// doubleQuote quotes a text as declare -p does: in double quotes, or as $'...'.
func doubleQuote(s string) string {
	if unprintable(s) {
		return ansiQuote(s)
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if strings.IndexByte("\"$`\\", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
	return b.String()
}

// quoteKey quotes the key of an associative array as declare -p does.
func quoteKey(s string) string {
	if unprintable(s) {
		return ansiQuote(s)
	}
	if s == "" || s == "@" || s == "*" || strings.ContainsAny(s, " '\"\\|&;()<>!{}*[?]^$`") || s[0] == '#' ||
		s[0] == '~' || strings.Contains(s, ":~") || strings.Contains(s, "=~") {
		return doubleQuote(s)
	}
	return s
}

// unprintable says whether a text has control characters or is no UTF-8.
func unprintable(s string) bool {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			if s[i] < ' ' || s[i] == 0x7f {
				return true
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if badRune(r, size) {
			return true
		}
		i += size
	}
	return false
}

func badRune(r rune, size int) bool {
	return r == utf8.RuneError && size == 1 || unicode.IsControl(r) || r == 0x2028 || r == 0x2029
}

// ansiQuote gives $'...'.
func ansiQuote(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\\' || r == '\'':
			b.WriteByte('\\')
			b.WriteByte(s[i])
		case r == 0x1b:
			b.WriteString(`\E`)
		case r >= 7 && r <= 13:
			b.WriteByte('\\')
			b.WriteByte("abtnvfr"[r-7])
		case r < ' ' || r == 0x7f || badRune(r, size):
			for _, ch := range []byte(s[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, ch)
			}
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	b.WriteByte('\'')
	return b.String()
}

// unescape decodes the text of $'...'. A zero byte ends it.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch ch := s[i]; ch {
		case 'a', 'b', 't', 'n', 'v', 'f', 'r':
			b.WriteByte(byte(strings.IndexByte("abtnvfr", ch)) + 7)
		case 'e', 'E':
			b.WriteByte(0x1b)
		case '\\', '\'', '"', '?':
			b.WriteByte(ch)
		case 'c':
			if i+1 < len(s) {
				i++
				if s[i] == '\\' && i+1 < len(s) && s[i+1] == '\\' {
					i++
				}
				b.WriteByte(control(s[i]))
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, used := digits(s[i:], 3, 8)
			i += used - 1
			if byte(n) == 0 {
				return b.String()
			}
			b.WriteByte(byte(n))
		case 'x', 'u', 'U':
			most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[ch]
			rest := s[i+1:]
			braced := ch == 'x' && strings.HasPrefix(rest, "{")
			if braced {
				rest, most = rest[1:], len(rest)
			}
			n, used := digits(rest, most, 16)
			if used == 0 {
				b.WriteByte('\\')
				b.WriteByte(ch)
				continue
			}
			i += used
			if braced {
				i++
				if strings.HasPrefix(rest[used:], "}") {
					i++
				}
			}
			switch {
			case n == 0:
				return b.String()
			case ch == 'x':
				b.WriteByte(byte(n))
			default:
				b.WriteString(encode(n))
			}
		default:
			b.WriteByte('\\')
			b.WriteByte(ch)
		}
	}
	return b.String()
}

func control(ch byte) byte {
	if ch == '?' {
		return 0x7f
	}
	if ch >= 'a' && ch <= 'z' {
		ch -= 'a' - 'A'
	}
	return ch & 0x1f
}

// encode gives a code point in UTF-8; one beyond Unicode in the longer forms of old.
func encode(n uint32) string {
	if n <= unicode.MaxRune {
		if n >= 0xd800 && n < 0xe000 {
			return string([]byte{0xed, byte(0x80 | n>>6&0x3f), byte(0x80 | n&0x3f)})
		}
		return string(rune(n))
	}
	return "\ufffd"
}

// digits reads at most so many digits of a base.
func digits(s string, most int, base int64) (n uint32, used int) {
	for used < len(s) && used < most {
		d := digit(s[used], base)
		if d >= base {
			break
		}
		n = n*uint32(base) + uint32(d)
		used++
	}
	return n, used
}
