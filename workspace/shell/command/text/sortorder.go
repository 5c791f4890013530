package text

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// decimal is a number as sort -n reads it, in its digits, of any length.
type decimal struct {
	negative bool
	whole    []byte // without zeros before
	fraction []byte // without zeros behind
	rest     []byte // what follows it
}

func parseDecimal(b []byte) decimal {
	b = bytes.TrimLeft(b, " \t\n")
	var d decimal
	if len(b) > 0 && b[0] == '-' {
		d.negative = true
		b = b[1:]
	}
	n := digitsOf(b)
	d.whole, b = bytes.TrimLeft(b[:n], "0"), b[n:]
	if len(b) > 0 && b[0] == '.' {
		n = digitsOf(b[1:])
		d.fraction, b = bytes.TrimRight(b[1:n+1], "0"), b[n+1:]
	}
	d.rest = b
	if len(d.whole) == 0 && len(d.fraction) == 0 {
		d.negative = false
	}
	return d
}

func digitsOf(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n
}

func (d *decimal) compare(e *decimal) int {
	if d.negative != e.negative {
		if d.negative {
			return -1
		}
		return 1
	}
	order := len(d.whole) - len(e.whole)
	if order == 0 {
		order = bytes.Compare(d.whole, e.whole)
	}
	if order == 0 {
		order = bytes.Compare(d.fraction, e.fraction)
	}
	if d.negative {
		return -order
	}
	return order
}

func compareNumbers(a, b []byte) int {
	x, y := parseDecimal(a), parseDecimal(b)
	return x.compare(&y)
}

// smallNumber gives a number of few digits, which a float64 holds in an order that is right.
func smallNumber(b []byte) (float64, bool) {
	d := parseDecimal(b)
	const most = 15 // digits that a float64 tells apart
	if len(d.whole)+len(d.fraction) > most {
		return 0, false
	}
	n, scale := 0.0, 1.0
	for _, c := range d.whole {
		n = n*10 + float64(c-'0')
	}
	for _, c := range d.fraction {
		n = n*10 + float64(c-'0')
		scale *= 10
	}
	if d.negative {
		n = -n
	}
	return n / scale, true
}

// human orders by sign, then suffix, then number.
func compareHuman(a, b []byte) int {
	x, y := parseDecimal(a), parseDecimal(b)
	if order := x.magnitude() - y.magnitude(); order != 0 {
		return order
	}
	return x.compare(&y)
}

func (d *decimal) magnitude() int {
	n := 0
	if len(d.rest) > 0 && len(d.whole)+len(d.fraction) > 0 {
		n = strings.IndexByte("?KMGTPEZY", d.rest[0])
		if d.rest[0] == 'k' {
			n = 1
		}
	}
	if n = max(n, 0); d.negative {
		return -n
	}
	return n
}

// generalNumber reads what strtold reads; what is none comes before all numbers, as minus
// infinity does not: see compareGeneral.
func generalNumber(b []byte) float64 {
	s := strings.TrimLeft(string(b), " \t\n\v\f\r")
	end := 0
	for i := 1; i <= len(s); i++ {
		if !strings.ContainsRune("0123456789+-.eExXabcdfABCDFpPinINtTyY", rune(s[i-1])) {
			break
		}
		end = i
	}
	for ; end > 0; end-- {
		text := s[:end]
		if strings.ContainsAny(text, "xX") && !strings.ContainsAny(text, "pP") {
			text += "p0"
		}
		f, err := strconv.ParseFloat(text, 64)
		if err == nil || math.IsInf(f, 0) {
			return f
		}
	}
	return notNumber
}

// notNumber stands for a text that is no number.
var notNumber = math.Float64frombits(0x7ff8_0000_0000_0bad)

// compareGeneral has what is no number first, then NaN, then the numbers.
func compareGeneral(a, b float64) int {
	rank := func(f float64) int {
		switch {
		case math.Float64bits(f) == math.Float64bits(notNumber):
			return 0
		case math.IsNaN(f):
			return 1
		}
		return 2
	}
	switch x, y := rank(a), rank(b); {
	case x != y:
		return x - y
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// month gives 1 to 12 for the English names, else 0.
func month(b []byte) int {
	b = bytes.TrimLeft(b, " \t\n")
	if len(b) < 3 {
		return 0
	}
	i := strings.Index("JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", strings.ToUpper(string(b[:3])))
	if i < 0 || i%3 != 0 {
		return 0
	}
	return i/3 + 1
}

// compareVersions orders names with numbers in them as GNU's version sort does: the empty
// name, ".", ".." and hidden names come first, a suffix such as ".tar.gz" counts last.
func compareVersions(a, b []byte) int {
	if order := versionClass(a) - versionClass(b); order != 0 {
		return order
	}
	if len(a) == 0 || len(b) == 0 {
		return len(a) - len(b)
	}
	x, y := a[:stem(a)], b[:stem(b)]
	if order := versionParts(x, y); order != 0 {
		return order
	}
	if len(x) == len(a) && len(y) == len(b) {
		return 0
	}
	return versionParts(a, b)
}

func versionClass(b []byte) int {
	switch {
	case len(b) == 0:
		return 0
	case string(b) == ".":
		return 1
	case string(b) == "..":
		return 2
	case b[0] == '.':
		return 3
	}
	return 4
}

// stem gives the length of a name without its suffixes (\.[A-Za-z~][A-Za-z0-9~]*)*.
func stem(b []byte) int {
	end := len(b)
	for i := len(b) - 1; i > 0; i-- {
		switch c := b[i]; {
		case c == '.':
			if i+1 == len(b) || !isLetter(b[i+1]) && b[i+1] != '~' {
				return end
			}
			end = i
		case !isLetter(c) && (c < '0' || c > '9') && c != '~':
			return end
		}
	}
	return end
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// versionParts compares runs of other characters and runs of digits in turn.
func versionParts(a, b []byte) int {
	for len(a) > 0 || len(b) > 0 {
		for len(a) > 0 && !isDigit(a[0]) || len(b) > 0 && !isDigit(b[0]) {
			x, y := versionRank(a), versionRank(b)
			if x != y {
				return x - y
			}
			a, b = a[min(1, len(a)):], b[min(1, len(b)):]
		}
		n, m := digitsOf(a), digitsOf(b)
		x, y := bytes.TrimLeft(a[:n], "0"), bytes.TrimLeft(b[:m], "0")
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		if order := bytes.Compare(x, y); order != 0 {
			return order
		}
		a, b = a[n:], b[m:]
	}
	return 0
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// versionRank has "~" before the end, the end and digits before letters, letters before
// everything else.
func versionRank(b []byte) int {
	switch {
	case len(b) == 0 || isDigit(b[0]):
		return 0
	case b[0] == '~':
		return -1
	case isLetter(b[0]):
		return int(b[0])
	}
	return int(b[0]) + 256
}
