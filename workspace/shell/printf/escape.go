package printf

import (
	"fmt"
	"unicode/utf8"
)

// escape prints the escape at the start of the format and gives its length.
func (p *Printer) escape(s string) int {
	out, n, bad := AppendEscape(p.Out, s, false)
	p.Out = out
	if bad != "" {
		p.escapeError(bad)
	}
	switch {
	case n == 0 && p.Command && len(s) > 1 && s[1] == 'c':
		p.ended = true
		return 2
	case n == 0:
		p.Out = append(p.Out, '\\')
		return 1
	}
	return n
}

// argumentEscape does the same in the argument of %b, where \c ends everything and \0 begins
// up to three octal digits.
func (p *Printer) argumentEscape(s string) int {
	if len(s) > 1 && s[1] == 'c' {
		p.ended = true
		return 2
	}
	out, n, bad := AppendEscape(p.Out, s, true)
	p.Out = out
	if bad != "" {
		p.escapeError(bad)
	}
	if n == 0 {
		p.Out = append(p.Out, '\\')
		return 1
	}
	return n
}

func (p *Printer) escapeError(bad string) {
	if p.Command {
		p.wrong("missing hexadecimal number in escape")
		return
	}
	p.Error(bad)
}

// AppendEscape appends what the escape at the start of s stands for and gives its length; 0
// when it is none, so that the backslash stands for itself. In an argument (of %b or echo
// -e) "\0" takes three more digits, and quotes are not escapes. bad says what is missing
// after \x, \u or \U.
func AppendEscape(dst []byte, s string, argument bool) (out []byte, n int, bad string) {
	if len(s) < 2 {
		return dst, 0, ""
	}
	switch c := s[1]; c {
	case 'a':
		return append(dst, '\a'), 2, ""
	case 'b':
		return append(dst, '\b'), 2, ""
	case 'e', 'E':
		return append(dst, 0x1b), 2, ""
	case 'f':
		return append(dst, '\f'), 2, ""
	case 'n':
		return append(dst, '\n'), 2, ""
	case 'r':
		return append(dst, '\r'), 2, ""
	case 't':
		return append(dst, '\t'), 2, ""
	case 'v':
		return append(dst, '\v'), 2, ""
	case '\\':
		return append(dst, '\\'), 2, ""
	case '\'', '"', '?':
		if !argument {
			return append(dst, c), 2, ""
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		most := 4
		if argument && c == '0' {
			most = 5
		}
		v, n := digits(s, 1, most, 8)
		return append(dst, byte(v)), n, ""
	case 'x':
		v, n := digits(s, 2, 4, 16)
		if n == 2 {
			return dst, 0, `missing hex digit for \x`
		}
		return append(dst, byte(v)), n, ""
	case 'u', 'U':
		most := 6
		if c == 'U' {
			most = 10
		}
		v, n := digits(s, 2, most, 16)
		if n == 2 {
			return dst, 0, fmt.Sprintf(`missing unicode digit for \%c`, c)
		}
		return AppendRune(dst, v), n, ""
	}
	return dst, 0, ""
}

// digits reads a number from s[from:most] and gives the place after it.
func digits(s string, from, most int, base uint32) (v uint32, at int) {
	for at = from; at < len(s) && at < most; at++ {
		d := digit(s[at])
		if d >= base {
			break
		}
		v = v*base + d
	}
	return v, at
}

func digit(c byte) uint32 {
	switch {
	case c >= '0' && c <= '9':
		return uint32(c - '0')
	case c >= 'a' && c <= 'f':
		return uint32(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return uint32(c-'A') + 10
	}
	return 99
}

// AppendRune appends the UTF-8 form of a number, also of one beyond Unicode, as the shell
// does; a surrogate gives its three bytes.
func AppendRune(dst []byte, v uint32) []byte {
	switch {
	case v < 0x10000 && v >= 0xd800 && v < 0xe000:
		return append(dst, 0xe0|byte(v>>12), 0x80|byte(v>>6)&0xbf, 0x80|byte(v)&0x3f)
	case v <= utf8.MaxRune:
		return utf8.AppendRune(dst, rune(v))
	case v < 1<<21:
		return append(dst, 0xf0|byte(v>>18), 0x80|byte(v>>12)&0x3f, 0x80|byte(v>>6)&0x3f, 0x80|byte(v)&0x3f)
	case v < 1<<26:
		return append(dst, 0xf8|byte(v>>24), 0x80|byte(v>>18)&0x3f, 0x80|byte(v>>12)&0x3f, 0x80|byte(v>>6)&0x3f, 0x80|byte(v)&0x3f)
	case v < 1<<31:
		return append(dst, 0xfc|byte(v>>30), 0x80|byte(v>>24)&0x3f, 0x80|byte(v>>18)&0x3f, 0x80|byte(v>>12)&0x3f, 0x80|byte(v>>6)&0x3f, 0x80|byte(v)&0x3f)
	}
	return dst
}
