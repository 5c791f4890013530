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

// str reads a string, whose quote is next. The bytes are good until the next read.
func (d *decoder) str() ([]byte, error) {
	from := 1 // relative to pos, as fill moves the buffer
	for {
		for i := d.pos + from; i < len(d.buf); i++ {
			switch d.buf[i] {
			case '"':
				b := d.buf[d.pos+1 : i]
				d.pos = i + 1
				return d.unescape(b)
			case '\\':
				i++
			}
			from = i + 1 - d.pos
		}
		if !d.fill() {
			return nil, d.fail("Unfinished string")
		}
	}
}

func (d *decoder) unescape(b []byte) ([]byte, error) {
	plain := true
	for _, c := range b {
		if c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return b, nil
	}
	if bytes.IndexByte(b, '\\') < 0 {
		if utf8.Valid(b) {
			return b, nil
		}
		return bytes.ToValidUTF8(b, []byte("\uFFFD")), nil
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}
		i++
		if i >= len(b) {
			return nil, d.fail("Invalid escape")
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
				return nil, d.fail("Invalid escape")
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
			return nil, d.fail("Invalid escape")
		}
	}
	if !utf8.Valid(out) {
		out = bytes.ToValidUTF8(out, []byte("\uFFFD"))
	}
	return out, nil
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

// number gives a number: an int where it fits, else the literal, which is printed as it
// was read until something is computed with it.
func number(b []byte) (any, bool) {
	negative := b[0] == '-'
	digits := b
	if negative {
		digits = b[1:]
	}
	if len(digits) > 0 && len(digits) < 19 {
		n := 0
		for _, c := range digits {
			if c < '0' || c > '9' {
				n = -1
				break
			}
			n = n*10 + int(c-'0')
		}
		if n > 0 || n == 0 && !negative {
			if negative {
				n = -n
			}
			return n, true
		}
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
	if !json.Valid(b) || strings.ContainsAny(text, "eE") || f == 0 {
		return f, true
	}
	return json.Number(text), true
}
