package jq

import (
	"strings"
	"time"
)

// timeReader reads a text by a format as the C library's strptime does.
type timeReader struct {
	text                      string // what is left
	year, month, day          int    // month 0 to 11
	hour, minute, second      int
	weekday, yearDay          int // -1 when not known
	century, short            int // of %C and %y; 0 when not given
	pm, half                  bool
	hasYear, hasMonth, hasDay bool
	moment                    *time.Time // of %s
}

var (
	monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
)

// composed are the conversions that stand for others.
var composed = map[byte]string{
	'D': "%m/%d/%y", 'x': "%m/%d/%y", 'F': "%Y-%m-%d", 'T': "%H:%M:%S", 'X': "%H:%M:%S", 'R': "%H:%M", 'r': "%I:%M:%S %p", 'c': "%a %b %e %H:%M:%S %Y",
}

// read takes the whole text; white space may be left.
func (r *timeReader) read(format string) bool {
	if !r.take(format) {
		return false
	}
	return strings.TrimLeft(r.text, " \t\n\v\f\r") == ""
}

func (r *timeReader) blank() { r.text = strings.TrimLeft(r.text, " \t\n\v\f\r") }

func (r *timeReader) take(format string) bool {
	for i := 0; i < len(format); i++ {
		c := format[i]
		switch {
		case strings.IndexByte(" \t\n\v\f\r", c) >= 0:
			r.blank()
			continue
		case c != '%' || i+1 == len(format):
			if r.text == "" || r.text[0] != c {
				return false
			}
			r.text = r.text[1:]
			continue
		}
		i++
		for i+1 < len(format) && strings.IndexByte("EO_-0^#", format[i]) >= 0 {
			i++
		}
		if !r.convert(format[i]) {
			return false
		}
	}
	return true
}

func (r *timeReader) convert(verb byte) bool {
	if format, ok := composed[verb]; ok {
		return r.take(format)
	}
	switch verb {
	case '%':
		if !strings.HasPrefix(r.text, "%") {
			return false
		}
		r.text = r.text[1:]
		return true
	case 'n', 't':
		r.blank()
		return true
	case 'a', 'A':
		n, ok := r.name(dayNames)
		r.weekday = n
		return ok
	case 'b', 'B', 'h':
		n, ok := r.name(monthNames)
		r.month, r.hasMonth = n, true
		return ok
	case 'p', 'P':
		n, ok := r.name([]string{"AM", "PM"})
		r.pm, r.half = n == 1, true
		return ok
	case 'z':
		return r.offset()
	case 'Z':
		r.text = strings.TrimLeftFunc(r.text, func(c rune) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' })
		return true
	}
	return r.number(verb)
}

// number reads the conversions that are numbers.
func (r *timeReader) number(verb byte) bool {
	field := func(to *int, least, most, digits, less int) bool {
		n, ok := r.digits(digits)
		*to = n - less
		return ok && n >= least && n <= most
	}
	switch verb {
	case 'Y':
		r.hasYear = true
		return field(&r.year, 0, 9999, 4, 0)
	case 'm':
		r.hasMonth = true
		return field(&r.month, 1, 12, 2, 1)
	case 'd', 'e':
		r.hasDay = true
		return field(&r.day, 1, 31, 2, 0)
	case 'H', 'k':
		r.half = false
		return field(&r.hour, 0, 23, 2, 0)
	case 'I', 'l':
		ok := field(&r.hour, 1, 12, 2, 0)
		r.hour %= 12
		r.half = true
		return ok
	case 'M':
		return field(&r.minute, 0, 59, 2, 0)
	case 'S':
		return field(&r.second, 0, 61, 2, 0)
	case 'j':
		return field(&r.yearDay, 1, 366, 3, 1)
	case 'u':
		ok := field(&r.weekday, 1, 7, 1, 0)
		r.weekday %= 7
		return ok
	case 'w':
		return field(&r.weekday, 0, 6, 1, 0)
	case 'y':
		ok := field(&r.short, 0, 99, 2, 0)
		r.hasYear = true
		if r.year = 1900 + r.short; r.short < 69 {
			r.year += 100
		}
		return ok
	case 'C':
		return field(&r.century, 0, 99, 2, 0)
	case 'U', 'W', 'V', 'G', 'g':
		_, ok := r.digits(4)
		return ok
	case 's':
		n, ok := r.digits(15)
		t := time.Unix(int64(n), 0).UTC()
		r.moment = &t
		return ok
	}
	return false
}

func (r *timeReader) digits(most int) (int, bool) {
	r.text = strings.TrimLeft(r.text, " ")
	n, i := 0, 0
	for i < len(r.text) && i < most && r.text[i] >= '0' && r.text[i] <= '9' {
		n = n*10 + int(r.text[i]-'0')
		i++
	}
	r.text = r.text[i:]
	return n, i > 0
}

// name reads a name in full or by its first three letters.
func (r *timeReader) name(names []string) (int, bool) {
	for i, name := range names {
		for _, form := range []string{name, name[:min(3, len(name))]} {
			if len(r.text) >= len(form) && strings.EqualFold(r.text[:len(form)], form) {
				r.text = r.text[len(form):]
				return i, true
			}
		}
	}
	return 0, false
}

// offset reads a zone as "+0100", "+01:00" or "Z"; jq takes no notice of it.
func (r *timeReader) offset() bool {
	r.blank()
	if strings.HasPrefix(r.text, "Z") {
		r.text = r.text[1:]
		return true
	}
	if r.text == "" || r.text[0] != '+' && r.text[0] != '-' {
		return false
	}
	r.text = r.text[1:]
	if _, ok := r.digits(2); !ok {
		return false
	}
	r.text = strings.TrimPrefix(r.text, ":")
	r.digits(2)
	return true
}

// parts gives what was read, with the days of week and year where the date is known.
func (r *timeReader) parts() any {
	if r.moment != nil {
		v, _ := partsOf(int(r.moment.Unix()), "", time.UTC)
		return v
	}
	if r.century > 0 {
		r.year, r.hasYear = r.century*100+r.short, true
	}
	hour := r.hour
	if r.half && r.pm {
		hour += 12
	}
	weekday, yearDay := r.weekday, r.yearDay
	switch {
	case r.day == 0 && r.yearDay >= 0 && r.hasYear:
		t := time.Date(r.year, 1, 1+r.yearDay, 0, 0, 0, 0, time.UTC)
		r.month, r.day = int(t.Month())-1, t.Day()
		weekday = int(t.Weekday())
	case r.day != 0:
		t := time.Date(r.year, time.Month(r.month+1), r.day, 0, 0, 0, 0, time.UTC)
		weekday, yearDay = int(t.Weekday()), t.YearDay()-1
	}
	if weekday < 0 {
		weekday = 8
	}
	if yearDay < 0 {
		yearDay = 367
	}
	return newArray(r.year, r.month, r.day, hour, r.minute, r.second, weekday, yearDay)
}
