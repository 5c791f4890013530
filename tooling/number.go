package tooling

import (
	"math"
	"strconv"
	"strings"
)

// decimal is the exact value of a JSON number: ±0.digits × 10^exp, without outer zeros
// in digits. Zero has no digits. Exponents out of range saturate, no power is computed.
type decimal struct {
	neg    bool
	digits string
	exp    int64
}

const maxExponent = 1 << 40 // beyond every limit a number is compared with

func parseDecimal(lit string) decimal {
	var d decimal
	if lit[0] == '-' {
		d.neg = true
		lit = lit[1:]
	}
	if i := strings.IndexAny(lit, "eE"); i >= 0 {
		e, err := strconv.ParseInt(lit[i+1:], 10, 64)
		if err != nil && lit[i+1] == '-' {
			e = -maxExponent
		} else if err != nil {
			e = maxExponent
		}
		d.exp = min(max(e, -maxExponent), maxExponent)
		lit = lit[:i]
	}
	whole, fraction, _ := strings.Cut(lit, ".")
	d.exp += int64(len(whole))
	d.digits = whole
	if fraction != "" {
		d.digits += fraction
	}
	n := len(d.digits)
	d.digits = strings.TrimLeft(d.digits, "0")
	d.exp -= int64(n - len(d.digits))
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// integral says whether the value is a whole number.
func (d decimal) integral() bool { return int64(len(d.digits)) <= d.exp || d.digits == "" }

// compare orders two values.
func (d decimal) compare(e decimal) int {
	if d.neg != e.neg {
		if d.neg {
			return -1
		}
		return 1
	}
	c := 0
	switch {
	case d.digits == "" || e.digits == "":
		c = len(d.digits) - len(e.digits)
	case d.exp != e.exp:
		c = -1
		if d.exp > e.exp {
			c = 1
		}
	default:
		c = strings.Compare(d.digits, e.digits)
	}
	if d.neg {
		return -c
	}
	return c
}

// floatBound is the smallest magnitude that a 64-bit float rounds to infinity:
// half a unit of the last place above [math.MaxFloat64].
const floatBound = "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792"

// finite says whether a 64-bit float can hold the value.
func (d decimal) finite() bool {
	d.neg = false
	if d.exp < 309 {
		return true
	}
	return d.compare(parseDecimal(floatBound)) < 0
}

// int64 gives the value of an integral number that fits in 64 bits.
func (d decimal) int64() (int64, bool) {
	if d.digits == "" {
		return 0, true
	}
	if !d.integral() || d.exp > 19 {
		return 0, false
	}
	u, err := strconv.ParseUint(d.digits+strings.Repeat("0", int(d.exp)-len(d.digits)), 10, 64)
	switch {
	case err != nil || u > math.MaxInt64+1 || u == math.MaxInt64+1 && !d.neg:
		return 0, false
	case d.neg:
		return -int64(u), true
	}
	return int64(u), true
}

// parseInt reads a JSON number as an integer, whatever its spelling.
func parseInt(lit string) (int64, bool) {
	if n, err := strconv.ParseInt(lit, 10, 64); err == nil {
		return n, true
	}
	return parseDecimal(lit).int64()
}
