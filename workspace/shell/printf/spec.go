package printf

import (
	"strconv"
	"strings"
)

// Spec is one directive: flags, width, precision and verb.
type Spec struct {
	Minus, Plus, Space, Zero, Alt bool
	Width                         int // bytes; 0 none
	Precision                     int // -1 none
	Verb                          byte
}

// flags reads the flags at a place of the format and gives the place after them.
func (s *Spec) flags(format string, at int) int {
	for ; at < len(format); at++ {
		switch format[at] {
		case '-':
			s.Minus = true
		case '+':
			s.Plus = true
		case ' ':
			s.Space = true
		case '0':
			s.Zero = true
		case '#':
			s.Alt = true
		case '\'': // no separator of thousands in the locale C
		default:
			return at
		}
	}
	return at
}

// AppendString appends text, cut to the precision and padded to the width, in bytes.
func (s *Spec) AppendString(dst []byte, text string) []byte {
	if s.Precision >= 0 && s.Precision < len(text) {
		text = text[:s.Precision]
	}
	if s.Width <= len(text) {
		return append(dst, text...)
	}
	if s.Minus {
		return pad(append(dst, text...), s.Width-len(text), ' ')
	}
	return append(pad(dst, s.Width-len(text), ' '), text...)
}

// AppendInt appends a signed number in decimal.
func (s *Spec) AppendInt(dst []byte, v int64) []byte {
	if s.Width == 0 && s.Precision < 0 && !s.Plus && !s.Space {
		return strconv.AppendInt(dst, v, 10)
	}
	sign, abs := "", uint64(v)
	switch {
	case v < 0:
		sign, abs = "-", -abs
	case s.Plus:
		sign = "+"
	case s.Space:
		sign = " "
	}
	var digits [20]byte
	return s.number(dst, sign, strconv.AppendUint(digits[:0], abs, 10), abs == 0)
}

// AppendUint appends an unsigned number in the base of the verb: o, x, X, else decimal.
func (s *Spec) AppendUint(dst []byte, v uint64) []byte {
	var digits [24]byte
	switch s.Verb {
	case 'x', 'X':
		prefix := ""
		if s.Alt && v != 0 {
			prefix = "0" + string(s.Verb)
		}
		hex := strconv.AppendUint(digits[:0], v, 16)
		if s.Verb == 'X' {
			upper(hex)
		}
		return s.number(dst, prefix, hex, v == 0)
	case 'o':
		octal := strconv.AppendUint(digits[:0], v, 8)
		if s.Alt && v != 0 && s.Precision <= len(octal) {
			octal = append(append(digits[:0], '0'), strconv.FormatUint(v, 8)...)
		}
		return s.number(dst, "", octal, v == 0 && !s.Alt)
	}
	return s.number(dst, "", strconv.AppendUint(digits[:0], v, 10), v == 0)
}

// number appends digits with their sign or prefix; a zero of precision 0 has no digits.
func (s *Spec) number(dst []byte, sign string, digits []byte, zero bool) []byte {
	if zero && s.Precision == 0 {
		digits = digits[:0]
	}
	zeros := max(s.Precision-len(digits), 0)
	blanks := max(s.Width-len(sign)-zeros-len(digits), 0)
	if s.Zero && !s.Minus && s.Precision < 0 {
		zeros, blanks = blanks, 0
	}
	if !s.Minus {
		dst = pad(dst, blanks, ' ')
	}
	dst = append(dst, sign...)
	dst = append(pad(dst, zeros, '0'), digits...)
	if s.Minus {
		dst = pad(dst, blanks, ' ')
	}
	return dst
}

const (
	blankRun = "                                                                "
	zeroRun  = "0000000000000000000000000000000000000000000000000000000000000000"
)

// pad appends n bytes that are all a blank or all a zero.
func pad(dst []byte, n int, with byte) []byte {
	run := blankRun
	if with == '0' {
		run = zeroRun
	}
	for n > len(run) {
		dst = append(dst, run...)
		n -= len(run)
	}
	return append(dst, run[:max(n, 0)]...)
}

func upper(b []byte) {
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
}

// isUpper says whether the verb asks for capital letters.
func (s *Spec) isUpper() bool { return strings.IndexByte("EFGAX", s.Verb) >= 0 }
