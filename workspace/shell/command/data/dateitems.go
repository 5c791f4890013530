package data

import (
	"strings"
	"time"
)

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
var dayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// zoneNames are the names that GNU date knows, in minutes east of Greenwich.
var zoneNames = map[string]int{
	"utc": 0, "gmt": 0, "ut": 0, "z": 0, "wet": 0, "west": 60, "bst": 60, "art": -180, "brt": -180, "brst": -120, "nst": -210, "ndt": -150,
	"ast": -240, "adt": -180, "clt": -240, "clst": -180, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360,
	"pst": -480, "pdt": -420, "akst": -540, "akdt": -480, "hst": -600, "hast": -600, "hadt": -540, "sst": -720, "wat": 60, "cet": 60, "cest": 120,
	"met": 60, "mez": 60, "mest": 120, "mesz": 120, "eet": 120, "eest": 180, "cat": 120, "sast": 120, "eat": 180, "msk": 180, "msd": 240,
	"ist": 330, "sgt": 480, "kst": 540, "jst": 540, "gst": 600, "nzst": 720, "nzdt": 780,
}

var ordinals = map[string]int{
	"last": -1, "this": 0, "next": 1, "first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
}

// item reads one item.
func (d *dateText) item() bool {
	t := d.peek(0)
	if t.number() {
		return d.numeric(t)
	}
	if t.word == "" {
		return false
	}
	if n, ok := ordinals[t.word]; ok {
		next := d.peek(1)
		d.at++
		if d.unit(next.word, n, "") {
			d.at++
			d.ago(func() { d.unit(next.word, -2*n, ""); d.shifts-- })
			return true
		}
		if day, ok := named(dayNames, next.word); ok {
			d.at++
			d.weekday, d.ordinal, d.weekdays = day, n, d.weekdays+1
			return true
		}
		return false
	}
	if day, ok := named(dayNames, t.word); ok {
		d.at++
		d.weekday, d.weekdays = day, d.weekdays+1
		return true
	}
	if month, ok := named(monthNames, t.word); ok {
		return d.monthFirst(month + 1)
	}
	switch t.word {
	case "now", "today":
		d.shifts++
	case "tomorrow":
		d.shifts++
		d.days++
		d.at++
		d.ago(func() { d.days -= 2 })
		return true
	case "yesterday":
		d.shifts++
		d.days--
	default:
		if d.unit(t.word, 1, "") {
			d.at++
			d.ago(func() { d.unit(t.word, -2, ""); d.shifts-- })
			return true
		}
		return d.zoneName(t.word)
	}
	d.at++
	return true
}

// ago undoes a shift twice when "ago" follows.
func (d *dateText) ago(undo func()) {
	if d.peek(0).word == "ago" {
		d.at++
		undo()
	}
}

// named finds a name by at least three of its letters; "tues", "wednes", "thur" and "thurs"
// and "sept" are among them.
func named(names []string, word string) (int, bool) {
	for i, name := range names {
		if word == name || word == name[:3] {
			return i, true
		}
	}
	switch word {
	case "sept":
		word = "september"
	case "tues":
		word = "tuesday"
	case "wednes":
		word = "wednesday"
	case "thur", "thurs":
		word = "thursday"
	default:
		return 0, false
	}
	for i, name := range names {
		if name == word {
			return i, true
		}
	}
	return 0, false
}

// unit shifts by n of a unit; a fraction is for seconds only.
func (d *dateText) unit(word string, n int, frac string) bool {
	name := strings.TrimSuffix(word, "s")
	if frac != "" && name != "sec" && name != "second" {
		return false
	}
	if n > 1<<40 || n < -1<<40 {
		return false
	}
	switch name {
	case "year":
		d.years += n
	case "month":
		d.months += n
	case "fortnight":
		d.days += 14 * n
	case "week":
		d.days += 7 * n
	case "day":
		d.days += n
	case "hour":
		d.shift += time.Duration(n) * time.Hour
	case "minute", "min":
		d.shift += time.Duration(n) * time.Minute
	case "second", "sec":
		nanos := time.Duration(0)
		if frac != "" {
			nanos = time.Duration(fraction(frac))
		}
		if n < 0 {
			nanos = -nanos
		}
		d.shift += time.Duration(n)*time.Second + nanos
	default:
		return false
	}
	d.shifts++
	return true
}

// numeric reads an item that begins with a number.
func (d *dateText) numeric(t dateToken) bool {
	next := d.peek(1)
	switch {
	case d.unitAhead(next.word):
		d.at += 2
		if !d.unit(next.word, t.value(), t.frac) {
			return false
		}
		d.ago(func() {
			frac := t.frac
			d.unit(next.word, -t.value(), frac)
			d.unit(next.word, -t.value(), frac)
			d.shifts -= 2
		})
		return true
	case t.sign == 0 && d.times == 0 && next.sign == '-' && next.number() && !d.unitAhead(d.peek(2).word) && (!d.peek(2).number() || d.peek(2).sign != '-'):
		return false // a date without its day
	case t.sign != 0:
		return d.lateZone(t)
	case t.frac != "":
		return false
	case next.char == ':':
		return d.clockTime(t)
	case next.char == '/':
		return d.slashes(t)
	case next.number() && next.sign == '-' && d.peek(2).number() && d.peek(2).sign == '-':
		return d.isoDate(t)
	}
	if month, ok := named(monthNames, next.word); ok {
		d.at += 2
		d.dates++
		d.day, d.month = t.value(), month+1
		if y := d.peek(0); y.number() && (y.sign == '-' || y.sign == 0 && d.peek(1).char != ':' && !d.unitAhead(d.peek(1).word)) && y.frac == "" {
			d.at++
			d.setYear(y)
		}
		return true
	}
	if day, ok := named(dayNames, next.word); ok && len(d.tokens) > d.at+1 {
		d.at += 2
		d.weekday, d.ordinal, d.weekdays = day, t.value(), d.weekdays+1
		return true
	}
	if hour, ok := meridian(t.value(), next.word); ok {
		d.at += 2
		d.times++
		d.hour, d.minute, d.second, d.nanos = hour, 0, 0, 0
		return true
	}
	d.at++
	return d.bareNumber(t)
}

func (d *dateText) unitAhead(word string) bool {
	probe := dateText{}
	return word != "" && probe.unit(word, 0, "")
}

// bareNumber reads a number that stands alone: a year after a date, a date such as
// 20240131, or a time such as 1030 or 10.
func (d *dateText) bareNumber(t dateToken) bool {
	n := t.value()
	switch {
	case d.dates > 0 && !d.hasYear && d.shifts == 0 && (d.times > 0 || len(t.digits) > 2):
		d.setYear(t)
	case len(t.digits) > 4:
		d.dates++
		d.day, d.month, d.year = n%100, n/100%100, n/10000
		d.hasYear = true
	case len(t.digits) <= 2:
		d.times++
		d.hour, d.minute, d.second, d.nanos = n, 0, 0, 0
	default:
		d.times++
		d.hour, d.minute, d.second, d.nanos = n/100, n%100, 0, 0
	}
	return true
}

func (d *dateText) setYear(t dateToken) {
	d.year = t.value()
	if t.sign == '-' {
		d.year = -d.year
	}
	if len(t.digits) == 2 {
		d.year += 1900
		if d.year < 1969 {
			d.year += 100
		}
	}
	d.hasYear = true
}

func meridian(hour int, word string) (int, bool) {
	if word != "am" && word != "pm" || hour < 1 || hour > 12 {
		return 0, false
	}
	hour %= 12
	if word == "pm" {
		hour += 12
	}
	return hour, true
}
