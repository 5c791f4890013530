// Package strftime owns the formats of times as date, awk and printf print them, and the
// time zones that a TZ names. It reads nothing of the host: the zone data is part of the
// program.
package strftime

import (
	"strings"
	"time"
)

// Date appends a time by a format of GNU date, which has %N, %q and %:z beyond the C library.
func Date(dst []byte, format string, t time.Time) []byte { return form(dst, format, t, true) }

// Library appends a time by a format of the C library, for awk and for printf's %(fmt)T.
func Library(dst []byte, format string, t time.Time) []byte { return form(dst, format, t, false) }

func form(dst []byte, format string, t time.Time, date bool) []byte {
	for {
		plain := strings.IndexByte(format, '%')
		if plain < 0 {
			return append(dst, format...)
		}
		dst = append(dst, format[:plain]...)
		format = format[plain:]
		d, n := parse(format, date)
		before := len(dst)
		var ok bool
		if d.verb != 0 {
			dst, ok = d.append(dst, t, date)
		}
		if !ok {
			// What is no directive stands for itself, as a text does.
			dst = d.text(dst[:before], format[:n], func(s string) string { return s })
		}
		format = format[n:]
	}
}

// directive is one conversion: a flag for padding ('-' none, '_' blanks, '0' zeros, '+' zeros
// and a sign for long years), a change of case, a width (-1 none) and colons before z.
type directive struct {
	pad         byte
	upper, swap bool
	modified    bool // by E or O, which mean nothing in the locale C but for how it is padded
	width       int
	colons      int
	verb        byte
}

// maxWidth bounds a width: no one prints a time that wide, and a text that is would be a
// way to take memory.
const maxWidth = 1 << 16

func parse(s string, date bool) (d directive, n int) {
	d.width = -1
	at := 1
flags:
	for ; at < len(s); at++ {
		switch s[at] {
		case '-', '_', '0', '+':
			d.pad = s[at]
		case '^':
			d.upper = true
		case '#':
			d.swap = true
		default:
			break flags
		}
	}
	for ; at < len(s) && s[at] >= '0' && s[at] <= '9'; at++ {
		d.width = min(max(d.width, 0)*10+int(s[at]-'0'), maxWidth)
	}
	if at < len(s) && (s[at] == 'E' || s[at] == 'O') {
		d.modified = true
		at++
	}
	from := at
	for date && at < len(s) && at-from < 3 && s[at] == ':' {
		at++
	}
	if d.colons = at - from; d.colons > 0 && (at == len(s) || s[at] != 'z') {
		return d, min(at+1, len(s))
	}
	if at == len(s) {
		return d, at
	}
	d.verb = s[at]
	if d.verb == '%' && at > 1 {
		d.verb = 0
	}
	return d, at + 1
}

// append appends the conversion; false when it is not known.
func (d directive) append(dst []byte, t time.Time, date bool) ([]byte, bool) {
	from := len(dst)
	switch d.verb {
	case '%':
		return append(dst, '%'), true
	case 'n':
		return d.padText(append(dst, '\n'), from), true
	case 't':
		return d.padText(append(dst, '\t'), from), true
	case 'a':
		return d.text(dst, t.Weekday().String()[:3], strings.ToUpper), true
	case 'A':
		return d.text(dst, t.Weekday().String(), strings.ToUpper), true
	case 'b', 'h':
		return d.text(dst, t.Month().String()[:3], strings.ToUpper), true
	case 'B':
		return d.text(dst, t.Month().String(), strings.ToUpper), true
	case 'p':
		return d.text(dst, halfDay(t), strings.ToLower), true
	case 'P':
		d.upper = false
		return d.text(dst, strings.ToLower(halfDay(t)), strings.ToLower), true
	case 'Z':
		name, _ := t.Zone()
		return d.text(dst, name, strings.ToLower), true
	case 'c':
		return d.composed(dst, "%a %b %e %H:%M:%S %-Y", t), true
	case 'D':
		if d.pad == '-' || d.pad == '_' { // reaches the year, as in the original
			return d.composed(dst, "%m/%d/%"+string(d.pad)+"y", t), true
		}
		fallthrough
	case 'x':
		return d.composed(dst, "%m/%d/%y", t), true
	case 'r':
		return d.composed(dst, "%I:%M:%S %p", t), true
	case 'R':
		return d.composed(dst, "%H:%M", t), true
	case 'T', 'X':
		return d.composed(dst, "%H:%M:%S", t), true
	case 'F':
		return d.isoDate(dst, t), true
	case 'N':
		if date {
			return d.nanoseconds(dst, t), true
		}
	case 'z':
		return d.offset(dst, t), true
	case 'C', 'G', 'Y', 'g', 'y':
		return d.years(dst, t), true
	default:
		return d.numeric(dst, t, date)
	}
	return dst, false
}

func halfDay(t time.Time) string {
	if t.Hour() < 12 {
		return "AM"
	}
	return "PM"
}

// text appends a name; other is what the flag # does to it.
func (d directive) text(dst []byte, text string, other func(string) string) []byte {
	switch {
	case d.swap:
		text = other(text)
	case d.upper:
		text = strings.ToUpper(text)
	}
	return d.padText(append(dst, text...), len(dst))
}

// composed appends what another format gives.
func (d directive) composed(dst []byte, format string, t time.Time) []byte {
	from := len(dst)
	dst = form(dst, format, t, false)
	if d.upper {
		copy(dst[from:], strings.ToUpper(string(dst[from:])))
	}
	return d.padText(dst, from)
}

// padText pads what stands in dst since a place, on the left.
func (d directive) padText(dst []byte, from int) []byte {
	missing := d.width - (len(dst) - from)
	if missing <= 0 || d.pad == '-' {
		return dst
	}
	text := string(dst[from:])
	with := byte(' ')
	if d.pad == '0' || d.pad == '+' {
		with = '0'
	}
	return append(repeat(dst[:from], with, missing), text...)
}

func repeat(dst []byte, b byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, b)
	}
	return dst
}
