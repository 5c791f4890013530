package printf

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// extended is a number as the long double of the C library on this family of machines: 64
// bits of mantissa.
type extended struct {
	big.Float
	nan, negative bool // of a NaN
}

// The largest exponent of two of an extended number, and the decimal places beyond which a
// text is out of its range for certain.
const (
	maxExponent = 16384
	minExponent = -16444
	maxDecimal  = 4933
	minDecimal  = -4970
	// Digits of a text beyond this number cannot change the nearest extended number by more
	// than being there, which one more digit says.
	maxDigits = 12000
)

// float reads an argument as an extended number and reports what is wrong.
func (p *Printer) float(arg string) *extended {
	if v, ok := p.character(arg); ok {
		x := &extended{}
		x.SetPrec(64).SetInt64(v)
		return x
	}
	x, n, over := floatPrefix(arg)
	if p.whole(arg, n) {
		p.range64(arg, over)
	}
	return x
}

// AppendFloat appends a number by one of the verbs e f g a and their capitals.
func (s *Spec) AppendFloat(dst []byte, f float64) []byte {
	x := &extended{}
	x.SetPrec(53)
	if math.IsNaN(f) {
		x.nan, x.negative = true, math.Signbit(f)
	} else {
		x.SetFloat64(f)
	}
	return s.appendExtended(dst, x)
}

func (s *Spec) appendExtended(dst []byte, x *extended) []byte {
	negative := x.Signbit()
	if x.nan {
		negative = x.negative
	}
	sign := ""
	switch {
	case negative:
		sign = "-"
	case s.Plus:
		sign = "+"
	case s.Space:
		sign = " "
	}
	digits := make([]byte, 0, 40)
	padding := Spec{Minus: s.Minus, Zero: s.Zero, Width: s.Width, Precision: -1}
	if x.nan || x.IsInf() {
		padding.Zero = false
		text := "inf"
		if x.nan {
			text = "nan"
		}
		digits = append(digits, text...)
	} else {
		abs := new(big.Float).Abs(&x.Float)
		switch s.Verb | 0x20 {
		case 'e', 'f':
			digits = s.fixed(digits, abs, s.Verb|0x20, s.places())
		case 'g':
			digits = s.general(digits, abs)
		default:
			sign += "0x"
			digits = s.hexadecimal(digits, abs)
		}
	}
	if s.isUpper() {
		upper(digits)
		sign = strings.ToUpper(sign)
	}
	return padding.number(dst, sign, digits, false)
}

// places gives the precision, 6 when there is none.
func (s *Spec) places() int {
	if s.Precision < 0 {
		return 6
	}
	return s.Precision
}

// fixed appends the forms e and f, with a point that # asks for.
func (s *Spec) fixed(dst []byte, abs *big.Float, form byte, places int) []byte {
	dst = abs.Append(dst, form, places)
	if s.Alt && places == 0 {
		if e := bytes.IndexByte(dst, 'e'); e >= 0 {
			return append(append(dst[:e:e], '.'), dst[e:]...)
		}
		dst = append(dst, '.')
	}
	return dst
}

// general appends the form g: e for very small and large numbers, else f, without the zeros
// at the end unless # asks for them.
func (s *Spec) general(dst []byte, abs *big.Float) []byte {
	places := max(s.places(), 1)
	dst = abs.Append(dst, 'e', places-1)
	e := bytes.IndexByte(dst, 'e')
	exponent, _ := strconv.Atoi(string(dst[e+1:]))
	if exponent >= -4 && exponent < places {
		dst = s.fixed(dst[:0], abs, 'f', places-1-exponent)
		e = len(dst)
	} else if s.Alt {
		dst = s.fixed(dst[:0], abs, 'e', places-1)
	}
	if s.Alt {
		return dst
	}
	end := e
	if bytes.IndexByte(dst[:e], '.') >= 0 {
		for dst[end-1] == '0' {
			end--
		}
		if dst[end-1] == '.' {
			end--
		}
	}
	return append(dst[:end], dst[e:]...)
}
