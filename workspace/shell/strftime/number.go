package strftime

import (
	"strconv"
	"strings"
	"time"
)

// numeric appends the plain numbers.
func (d directive) numeric(dst []byte, t time.Time, date bool) ([]byte, bool) {
	_, week := t.ISOWeek()
	switch d.verb {
	case 'd':
		return d.number(dst, t.Day(), 2, '0'), true
	case 'e':
		return d.number(dst, t.Day(), 2, '_'), true
	case 'H':
		return d.number(dst, t.Hour(), 2, '0'), true
	case 'k':
		return d.number(dst, t.Hour(), 2, '_'), true
	case 'I':
		return d.number(dst, (t.Hour()+11)%12+1, 2, '0'), true
	case 'l':
		return d.number(dst, (t.Hour()+11)%12+1, 2, '_'), true
	case 'j':
		return d.number(dst, t.YearDay(), 3, '0'), true
	case 'm':
		return d.number(dst, int(t.Month()), 2, '0'), true
	case 'M':
		return d.number(dst, t.Minute(), 2, '0'), true
	case 'S':
		return d.number(dst, t.Second(), 2, '0'), true
	case 's':
		return d.number(dst, int(t.Unix()), 1, '0'), true
	case 'u':
		return d.number(dst, (int(t.Weekday())+6)%7+1, 1, '0'), true
	case 'w':
		return d.number(dst, int(t.Weekday()), 1, '0'), true
	case 'U':
		return d.number(dst, (t.YearDay()-1-int(t.Weekday())+7)/7, 2, '0'), true
	case 'W':
		return d.number(dst, (t.YearDay()-1-(int(t.Weekday())+6)%7+7)/7, 2, '0'), true
	case 'V':
		return d.number(dst, week, 2, '0'), true
	case 'q':
		if date {
			return d.number(dst, (int(t.Month())-1)/3+1, 1, '0'), true
		}
	}
	return dst, false
}

// number appends a number of at least some digits, with a padding that a flag overrides.
func (d directive) number(dst []byte, v, width int, padding byte) []byte {
	if d.modified {
		from := len(dst)
		return d.padText(directive{width: -1}.number(dst, v, width, padding), from)
	}
	switch d.pad {
	case 0:
	case '+':
		padding = '0'
	default:
		padding = d.pad
	}
	if d.width >= 0 {
		width = d.width
	}
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	text := strconv.Itoa(v)
	missing := width - len(text) - len(sign)
	switch padding {
	case '-':
		missing = 0
	case '_':
		dst = repeat(dst, ' ', missing)
		missing = 0
	}
	return append(repeat(append(dst, sign...), '0', missing), text...)
}

// years appends a year, a century or a year of one; with the flag + a long one has a sign.
func (d directive) years(dst []byte, t time.Time) []byte {
	v, width := t.Year(), 4
	if d.verb|0x20 == 'g' {
		v, _ = t.ISOWeek()
	}
	switch d.verb {
	case 'C':
		v, width = floorDiv(v, 100), 2
	case 'g', 'y':
		v, width = (v%100+100)%100, 2
	}
	if d.pad == '+' && !d.modified && v >= 0 && (len(strconv.Itoa(v)) > width || d.width > width) {
		dst = append(dst, '+')
		d.width--
	}
	return d.number(dst, v, width, '0')
}

func floorDiv(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// isoDate appends %F, whose width is spent on the year.
func (d directive) isoDate(dst []byte, t time.Time) []byte {
	year := directive{verb: 'Y', pad: d.pad, width: -1}
	if d.width >= 0 {
		year.width = max(d.width-6, 0)
	}
	return form(year.years(dst, t), "-%m-%d", t, false)
}

// nanoseconds appends %N, whose width is the number of digits.
func (d directive) nanoseconds(dst []byte, t time.Time) []byte {
	text := strconv.Itoa(1_000_000_000 + t.Nanosecond())[1:]
	width := d.width
	if width <= 0 {
		width = 9
		if d.pad == '-' {
			return append(dst, text...)
		}
	}
	text = text[:min(width, 9)]
	if d.pad == '-' || d.pad == '_' {
		text = text[:1] + strings.TrimRight(text[1:], "0")
	}
	dst = append(dst, text...)
	switch d.pad {
	case '-':
		return dst
	case '_':
		return repeat(dst, ' ', width-len(text))
	}
	return repeat(dst, '0', width-len(text))
}

// offset appends %z, %:z, %::z or %:::z.
func (d directive) offset(dst []byte, t time.Time) []byte {
	_, seconds := t.Zone()
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	h, m, s := seconds/3600, seconds/60%60, seconds%60
	two := func(n int) string { return strconv.Itoa(100 + n)[1:] }
	colons := d.colons
	if colons == 3 {
		switch {
		case s != 0:
			colons = 2
		case m != 0:
			colons = 1
		}
	}
	head, tail := h, ""
	switch colons {
	case 0:
		head = h*100 + m
	case 1:
		tail = ":" + two(m)
	case 2:
		tail = ":" + two(m) + ":" + two(s)
	}
	width := 3
	if colons == 0 {
		width = 5
	}
	if d.width >= 0 {
		width = max(d.width-len(tail), 0)
	}
	digits := strconv.Itoa(head)
	missing := width - 1 - len(digits)
	switch d.pad {
	case '-':
		dst = append(dst, sign)
	case '_':
		dst = append(repeat(dst, ' ', missing), sign)
	default:
		dst = repeat(append(dst, sign), '0', missing)
	}
	return append(append(dst, digits...), tail...)
}
