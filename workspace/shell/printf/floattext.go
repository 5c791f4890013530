package printf

import (
	"math/big"
	"strconv"
	"strings"
)

// floatPrefix reads what strtold would read and gives how many bytes that was.
func floatPrefix(s string) (x *extended, n int, over bool) {
	x = &extended{}
	x.SetPrec(64)
	at := blanks(s)
	if at < len(s) && (s[at] == '-' || s[at] == '+') {
		x.negative = s[at] == '-'
		at++
	}
	rest := s[at:]
	switch {
	case foldPrefix(rest, "infinity"):
		x.SetInf(x.negative)
		return x, at + len("infinity"), false
	case foldPrefix(rest, "inf"):
		x.SetInf(x.negative)
		return x, at + len("inf"), false
	case foldPrefix(rest, "nan"):
		x.nan = true
		n = at + len("nan")
		if n < len(s) && s[n] == '(' {
			if end := strings.IndexByte(s[n:], ')'); end > 0 {
				n += end + 1
			}
		}
		return x, n, false
	}
	hex := len(rest) > 2 && rest[0] == '0' && rest[1]|0x20 == 'x' && (digit(rest[2]) < 16 || rest[2] == '.' && len(rest) > 3 && digit(rest[3]) < 16)
	if hex {
		n, over = x.hexadecimal(rest)
	} else {
		n, over = x.decimal(rest)
	}
	if n == 0 {
		return x, 0, false
	}
	if x.negative {
		x.Neg(&x.Float)
	}
	return x, at + n, over
}

func foldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// mantissa is the digits of a number without its point: leading zeros left out, places after
// the point counted.
func mantissa(s string, from int, base uint32) (kept []byte, places, at int, any bool) {
	point := false
	for at = from; at < len(s); at++ {
		c := s[at]
		if c == '.' && !point {
			point = true
			continue
		}
		if digit(c) >= base {
			break
		}
		any = true
		if point {
			places++
		}
		switch {
		case len(kept) == 0 && c == '0':
		case len(kept) < maxDigits:
			kept = append(kept, c)
		default:
			places--
			if c != '0' {
				kept[maxDigits-1] |= 1 // sticky
			}
		}
	}
	return kept, places, at, any
}

// exponent reads an exponent after its letter; what is no exponent is left alone.
func exponent(s string, at int, letter byte) (value, end int) {
	if at >= len(s) || s[at]|0x20 != letter {
		return 0, at
	}
	from := at + 1
	negative := false
	if from < len(s) && (s[from] == '-' || s[from] == '+') {
		negative = s[from] == '-'
		from++
	}
	end = from
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		value = min(value*10+int(s[end]-'0'), 1<<30)
		end++
	}
	if end == from {
		return 0, at
	}
	if negative {
		value = -value
	}
	return value, end
}

func (x *extended) decimal(s string) (n int, over bool) {
	kept, places, at, any := mantissa(s, 0, 10)
	if !any {
		return 0, false
	}
	e, n := exponent(s, at, 'e')
	if len(kept) == 0 {
		return n, false
	}
	e -= places
	switch highest := e + len(kept); {
	case highest > maxDecimal:
		x.SetInf(false)
		return n, true
	case highest < minDecimal:
		return n, true
	}
	if len(kept) <= 18 && e <= 0 && e >= -18 {
		// Both sides are exact in 64 bits: one division rounds once.
		v, _ := strconv.ParseUint(string(kept), 10, 64)
		x.SetUint64(v)
		if e < 0 {
			x.Quo(&x.Float, new(big.Float).SetPrec(64).SetUint64(powersOfTen[-e]))
		}
		return n, false
	}
	// A whole number of any size, multiplied or divided by an exact power: one rounding.
	whole, _ := new(big.Int).SetString(string(kept), 10)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
	if e >= 0 {
		x.SetInt(whole.Mul(whole, power))
	} else {
		wide := uint(max(whole.BitLen(), power.BitLen()) + 64)
		x.Quo(new(big.Float).SetPrec(wide).SetInt(whole), new(big.Float).SetPrec(wide).SetInt(power))
	}
	return n, x.clamp()
}

var powersOfTen = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

func (x *extended) hexadecimal(s string) (n int, over bool) {
	kept, places, at, _ := mantissa(s, 2, 16)
	e, n := exponent(s, at, 'p')
	if len(kept) == 0 {
		return n, false
	}
	whole, _ := new(big.Int).SetString(string(kept), 16)
	x.SetInt(whole)
	x.SetMantExp(&x.Float, e-4*places)
	return n, x.clamp()
}

// clamp brings a number that is out of range to infinity or zero.
func (x *extended) clamp() bool {
	switch e := x.MantExp(nil); {
	case x.Sign() == 0 || x.IsInf():
		return false
	case e > maxExponent:
		x.SetInf(x.Signbit())
		return true
	case e < minExponent:
		x.SetInt64(0)
		return true
	}
	return false
}
