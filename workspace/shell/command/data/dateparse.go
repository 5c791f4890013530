package data

import (
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/strftime"
)

// dateText is a text that describes a time, as GNU date reads it: items in any order, of
// which a date, a time, a zone and a day of the week may each be given once, and shifts as
// often as wanted.
type dateText struct {
	tokens []dateToken
	at     int

	year, month, day              int
	hour, minute, second, nanos   int
	zone                          *time.Location
	weekday, ordinal              int
	months, years, days           int // shifts
	shift                         time.Duration
	dates, times, zones, weekdays int // how often each was given
	shifts                        int
	hasYear                       bool
}

// dateToken is a word in lower case, a number, or another character.
type dateToken struct {
	word   string
	digits string // of a number
	frac   string // after its point
	sign   byte   // '+', '-' or 0
	char   byte
}

func (t dateToken) number() bool { return t.digits != "" }

func (t dateToken) value() int {
	n, err := strconv.Atoi(t.digits)
	if err != nil {
		n = 1 << 60
	}
	if t.sign == '-' {
		return -n
	}
	return n
}

// parseDate gives the time that a text describes, seen from now in its zone.
func parseDate(s string, now time.Time) (time.Time, bool) {
	s = strings.TrimLeft(s, " \t\n")
	if rest, ok := strings.CutPrefix(s, `TZ="`); ok {
		if name, after, ok := strings.Cut(rest, `"`); ok {
			now, s = now.In(strftime.Zone(name)), after
		}
	}
	if seconds, ok := strings.CutPrefix(strings.TrimSpace(s), "@"); ok {
		return epoch(seconds, now.Location())
	}
	tokens, ok := dateTokens(s)
	if !ok || len(tokens) > 1000 {
		return time.Time{}, false
	}
	d := &dateText{
		tokens: tokens, zone: now.Location(), year: now.Year(), month: int(now.Month()), day: now.Day(),
		hour: now.Hour(), minute: now.Minute(), second: now.Second(), nanos: now.Nanosecond(),
	}
	for d.at < len(d.tokens) {
		if !d.item() {
			return time.Time{}, false
		}
	}
	return d.result(now)
}

func epoch(s string, zone *time.Location) (time.Time, bool) {
	s = strings.TrimSpace(s)
	whole, frac, _ := strings.Cut(strings.ReplaceAll(s, ",", "."), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.Trim(frac, "0123456789") != "" || n > 1<<55 || n < -1<<55 {
		return time.Time{}, false
	}
	nanos := int64(fraction(frac))
	if strings.HasPrefix(whole, "-") {
		nanos = -nanos
	}
	return time.Unix(n, nanos).In(zone), true
}

// fraction gives nanoseconds for the digits after a point.
func fraction(digits string) int {
	n, _ := strconv.Atoi((digits + "000000000")[:9])
	return n
}

func dateTokens(s string) ([]dateToken, bool) {
	var tokens []dateToken
	digit := func(i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',':
			i++
		case c == '(':
			depth := 0
			for ; i < len(s); i++ {
				if s[i] == '(' {
					depth++
				} else if s[i] == ')' {
					depth--
				}
				if depth == 0 {
					break
				}
			}
			if i++; depth != 0 {
				return nil, false
			}
		case digit(i) || c == '+' || c == '-':
			t := dateToken{}
			if !digit(i) {
				t.sign = c
				for i++; i < len(s) && (s[i] == ' ' || s[i] == '\t'); i++ {
				}
				if !digit(i) {
					if c == '-' { // a lone dash separates, as in 15-Jan
						continue
					}
					return nil, false
				}
			}
			from := i
			for digit(i) {
				i++
			}
			t.digits = s[from:i]
			if i < len(s) && (s[i] == '.' || s[i] == ',') && digit(i+1) {
				from = i + 1
				for i++; digit(i); i++ {
				}
				t.frac = s[from:i]
			}
			tokens = append(tokens, t)
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			from := i
			for i < len(s) && (s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || s[i] == '.') {
				i++
			}
			tokens = append(tokens, dateToken{word: strings.ReplaceAll(strings.ToLower(s[from:i]), ".", "")})
		default:
			tokens = append(tokens, dateToken{char: c})
			i++
		}
	}
	return tokens, true
}

// peek gives the token n ahead.
func (d *dateText) peek(n int) dateToken {
	if d.at+n < len(d.tokens) {
		return d.tokens[d.at+n]
	}
	return dateToken{}
}

// result puts the items together.
func (d *dateText) result(now time.Time) (time.Time, bool) {
	if d.dates > 1 || d.times > 1 || d.zones > 1 || d.weekdays > 1 {
		return time.Time{}, false
	}
	if d.times == 0 && (d.shifts == 0 || d.dates > 0 || d.weekdays > 0) {
		d.hour, d.minute, d.second, d.nanos = 0, 0, 0, 0
	}
	if d.hour > 23 || d.minute > 59 || d.second > 59 {
		return time.Time{}, false
	}
	if d.dates > 0 {
		t := time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
		if t.Year() != d.year || int(t.Month()) != d.month || t.Day() != d.day {
			return time.Time{}, false
		}
	}
	if d.weekdays > 0 && d.dates == 0 {
		today := int(time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Weekday())
		weeks := d.ordinal
		if weeks > 0 && today != d.weekday {
			weeks--
		}
		d.day += (d.weekday-today+7)%7 + 7*weeks
	}
	const most = 1 << 31
	if max(d.years, -d.years, d.months, -d.months, d.days, -d.days) > most {
		return time.Time{}, false
	}
	t := time.Date(d.year+d.years, time.Month(d.month+d.months), d.day+d.days, d.hour, d.minute, d.second, d.nanos, d.zone)
	return t.Add(d.shift).In(now.Location()), true
}
