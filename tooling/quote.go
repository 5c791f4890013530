package tooling

import (
	"strings"
	"unicode/utf8"
)

func hexDigit(c byte) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0'), true
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

func isHigh(r rune) bool { return r >= 0xD800 && r < 0xDC00 }
func isLow(r rune) bool  { return r >= 0xDC00 && r < 0xE000 }

// appendRune writes a decoded character of a string in canonical form. A lone half
// becomes U+FFFD.
func appendRune(dst []byte, r rune) []byte {
	switch r {
	case '"':
		return append(dst, '\\', '"')
	case '\\':
		return append(dst, '\\', '\\')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if r < 0x20 {
		const digits = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
	}
	return utf8.AppendRune(dst, r)
}

// appendQuoted writes a string as a canonical JSON string.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		dst = appendRune(dst, r)
	}
	return append(dst, '"')
}

// unquoted decodes a canonical JSON string, quotes included.
func unquoted(lit string) string {
	inner := lit[1 : len(lit)-1]
	if strings.IndexByte(inner, '\\') < 0 {
		return inner
	}
	s, _ := unescape(inner)
	return s
}

// unescape decodes the inside of a JSON string; false when it is none. Bytes that are
// not UTF-8 are kept, lone halves of a pair become U+FFFD.
func unescape(inner string) (string, bool) {
	var b strings.Builder
	b.Grow(len(inner))
	for i := 0; i < len(inner); {
		c := inner[i]
		if c == '"' || c < 0x20 {
			return "", false
		}
		if c != '\\' {
			b.WriteByte(c)
			i++
			continue
		}
		i++
		if i >= len(inner) {
			return "", false
		}
		switch inner[i] {
		case '"', '\\', '/':
			b.WriteByte(inner[i])
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, ok := hexAt(inner, i+1)
			if !ok {
				return "", false
			}
			i += 4
			if isHigh(r) && strings.HasPrefix(inner[i+1:], `\u`) {
				if low, ok := hexAt(inner, i+3); ok && isLow(low) {
					r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
					i += 6
				}
			}
			b.WriteRune(r)
		default:
			return "", false
		}
		i++
	}
	return b.String(), true
}

func hexAt(s string, i int) (rune, bool) {
	if i+4 > len(s) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[i : i+4]) {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | d
	}
	return r, true
}
