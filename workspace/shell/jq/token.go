package jq

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string, whose quote is next. The bytes are good until the next read. Where
// they stand in buf as they are, it is said where; else -1.
func (d *decoder) str() ([]byte, int, error) {
	from := 1 // relative to pos, as fill moves the buffer
	plain := true
	for {
		buf := d.buf
		for i := d.pos + from; i < len(buf); i++ {
			switch c := buf[i]; {
			case c == '"':
				at := d.pos + 1
				b := buf[at:i]
				d.pos = i + 1
				if plain {
					return b, at, nil
				}
				return d.unescape(b, at)
			case c == '\\':
				plain = false
				i++
			case c >= utf8.RuneSelf:
				plain = false
			}
			from = i + 1 - d.pos
		}
		if !d.fill() {
			return nil, 0, d.fail("Unfinished string")
		}
	}
}

// unescape gives what the bytes between the quotes stand for; at is where they stand.
func (d *decoder) unescape(b []byte, at int) ([]byte, int, error) {
	if bytes.IndexByte(b, '\\') < 0 {
		if utf8.Valid(b) {
			return b, at, nil
		}
		return bytes.ToValidUTF8(b, []byte("\uFFFD")), -1, nil
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}
		i++
		if i >= len(b) {
			return nil, 0, d.fail("Invalid escape")
		}
		switch b[i] {
		case '"', '\\', '/':
			out = append(out, b[i])
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, ok := hex4(b, i+1)
			if !ok {
				return nil, 0, d.fail("Invalid escape")
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if i+2 < len(b) && b[i+1] == '\\' && b[i+2] == 'u' {
					low, ok = hex4(b, i+3)
				}
				if both := utf16.DecodeRune(r, low); ok && both != utf8.RuneError {
					r, i = both, i+6
				} else {
					r = utf8.RuneError
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			return nil, 0, d.fail("Invalid escape")
		}
	}
	if !utf8.Valid(out) {
		out = bytes.ToValidUTF8(out, []byte("\uFFFD"))
	}
	return out, -1, nil
}

func hex4(b []byte, at int) (rune, bool) {
	if at+4 > len(b) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[at:at+4]), 16, 16)
	return rune(n), err == nil
}

// word reads a literal or a number.
func (d *decoder) word() (any, error) {
	n := 0
	for {
		for d.pos+n < len(d.buf) && inWord(d.buf[d.pos+n]) {
			n++
		}
		if d.pos+n < len(d.buf) || !d.fill() {
			break
		}
	}
	b := d.buf[d.pos : d.pos+n]
	d.pos += n
	switch string(b) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	case "nan", "NaN":
		return math.NaN(), nil
	case "":
		d.pos++
		return nil, d.fail("Invalid literal")
	}
	if v, ok := number(b); ok {
		return v, nil
	}
	if c := b[0]; c == 't' || c == 'f' || c == 'n' {
		return nil, d.fail("Invalid literal")
	}
	return nil, d.fail("Invalid numeric literal")
}

func inWord(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '[', ']', '{', '}', ',', ':', '"', 0x1e:
		return false
	}
	return true
}

// number gives a number: an int or a float where it is written as one would be, else the
// literal, which is printed as it was read until something is computed with it.
func number(b []byte) (any, bool) {
	if v, ok := usual(b); ok {
		return v, true
	}
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			return nil, false
		}
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, false
	}
	if math.IsInf(f, 0) {
		return math.Copysign(math.MaxFloat64, f), true
	}
	text := string(b)
	if !json.Valid(b) || strings.ContainsAny(text, "eE") || f == 0 && b[0] == '-' {
		return f, true
	}
	return literal(text), true
}

// usual gives a number of few digits without an exponent; false for any other.
func usual(b []byte) (any, bool) {
	digits := b
	if b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '.' || digits[0] == '0' && len(digits) > 1 && digits[1] != '.' {
		return nil, false
	}
	n, point := 0, -1
	for i, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + int(c-'0')
		case c == '.' && point < 0:
			point = i
		default:
			return nil, false
		}
	}
	negative := len(digits) < len(b)
	if point < 0 {
		if negative {
			if n == 0 {
				return nil, false
			}
			n = -n
		}
		return n, true
	}
	places := len(digits) - point - 1
	if n == 0 || len(digits) > 16 || places < 1 || places > 6 || digits[len(digits)-1] == '0' || digits[0] == '0' && n*10 < tens[places-1] {
		return nil, false
	}
	f := float64(n) / float64(tens[places])
	if negative {
		f = -f
	}
	return f, true
}

var tens = [...]int{1, 10, 100, 1000, 10_000, 100_000, 1_000_000}
