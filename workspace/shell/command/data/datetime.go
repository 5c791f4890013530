package data

import "time"

// clockTime reads HH:MM[:SS[.N]], am or pm, and an offset.
func (d *dateText) clockTime(t dateToken) bool {
	minute := d.peek(2)
	if !minute.number() || minute.sign != 0 || minute.frac != "" {
		return false
	}
	d.times++
	d.hour, d.minute, d.second, d.nanos = t.value(), minute.value(), 0, 0
	d.at += 3
	if d.peek(0).char == ':' {
		second := d.peek(1)
		if !second.number() || second.sign != 0 {
			return false
		}
		d.second = second.value()
		if second.frac != "" {
			d.nanos = fraction(second.frac)
		}
		d.at += 2
	}
	if word := d.peek(0).word; word == "am" || word == "pm" {
		hour, ok := meridian(d.hour, word)
		if !ok {
			return false
		}
		d.hour = hour
		d.at++
		return true
	}
	if next := d.peek(0); next.sign != 0 && next.frac == "" {
		d.at++
		return d.offset(next)
	}
	return true
}

// offset reads a number such as +0530 or +5, with :30 after it, as a zone.
func (d *dateText) offset(t dateToken) bool {
	n := t.value()
	if n < 0 {
		n = -n
	}
	minutes := n * 60
	if d.peek(0).char == ':' && d.peek(1).number() {
		minutes += d.peek(1).value()
		d.at += 2
	} else if len(t.digits) > 2 {
		minutes = n/100*60 + n%100
	}
	if minutes > 24*60 {
		return false
	}
	if t.sign == '-' {
		minutes = -minutes
	}
	d.zones++
	d.zone = time.FixedZone("", minutes*60)
	return true
}

// lateZone reads a signed number that stands alone: an offset after a time.
func (d *dateText) lateZone(t dateToken) bool {
	if d.times == 0 || t.frac != "" {
		return false
	}
	d.at++
	return d.offset(t)
}

func (d *dateText) zoneName(word string) bool {
	if word == "t" && d.dates > 0 && d.peek(1).number() && d.peek(2).char == ':' {
		d.at++
		return true
	}
	minutes, ok := zoneNames[word]
	if !ok && len(word) == 1 {
		minutes, ok = military(word[0])
	}
	if !ok {
		return false
	}
	d.at++
	if next := d.peek(0); next.sign != 0 && next.frac == "" && !d.unitAhead(d.peek(1).word) {
		d.at++
		if !d.offset(next) {
			return false
		}
		_, east := time.Unix(0, 0).In(d.zone).Zone()
		d.zone = time.FixedZone("", east+minutes*60)
		return true
	}
	d.zones++
	d.zone = time.FixedZone("", minutes*60)
	return true
}

// military gives the zones of one letter.
func military(c byte) (int, bool) {
	switch {
	case c >= 'a' && c <= 'i':
		return int(c-'a'+1) * 60, true
	case c >= 'k' && c <= 'm':
		return int(c-'k'+10) * 60, true
	case c >= 'n' && c <= 'y' && c != 't':
		return -int(c-'n'+1) * 60, true
	}
	return 0, false
}

func (d *dateText) isoDate(t dateToken) bool {
	d.dates++
	d.setYear(t)
	d.month, d.day = -d.peek(1).value(), -d.peek(2).value()
	d.at += 3
	return true
}

// slashes reads M/D, M/D/Y and Y/M/D.
func (d *dateText) slashes(t dateToken) bool {
	second := d.peek(2)
	if !second.number() || second.sign != 0 {
		return false
	}
	d.dates++
	d.at += 3
	if d.peek(0).char != '/' {
		d.month, d.day = t.value(), second.value()
		return true
	}
	third := d.peek(1)
	if !third.number() || third.sign != 0 {
		return false
	}
	d.at += 2
	if len(t.digits) >= 4 {
		d.setYear(t)
		d.month, d.day = second.value(), third.value()
		return true
	}
	d.month, d.day = t.value(), second.value()
	d.setYear(third)
	return true
}

// monthFirst reads Jan 31, Jan 31 2024, and Jan-31-2024.
func (d *dateText) monthFirst(month int) bool {
	day := d.peek(1)
	if !day.number() || day.frac != "" {
		return false
	}
	d.dates++
	d.month, d.day = month, day.value()
	if day.sign == '-' {
		d.day = -d.day
	}
	d.at += 2
	if y := d.peek(0); y.number() && y.frac == "" && d.peek(1).char != ':' && !d.unitAhead(d.peek(1).word) &&
		(y.sign == '-' && day.sign == '-' || y.sign == 0 && (len(y.digits) > 2)) {
		d.at++
		d.setYear(y)
	}
	return true
}
