package printf

import (
	"math/big"
	"strconv"
)

// hexadecimal appends the form a without "0x". An extended number has its first four bits
// before the point, a double one.
func (s *Spec) hexadecimal(dst []byte, abs *big.Float) []byte {
	first := 4
	if abs.Prec() == 53 {
		first = 1
	}
	exponent := 0
	mantissa := new(big.Float)
	var bits uint64 // 60 of them after the first digit
	if abs.Sign() != 0 {
		exponent = abs.MantExp(mantissa) - first
		bits, _ = mantissa.SetMantExp(mantissa, 64).Uint64()
	}
	// The digits after the point stand in the upper bits of fraction.
	lead, fraction := bits>>(64-first), bits<<first
	if s.Precision >= 0 && s.Precision < 16 {
		lead, fraction = roundHex(lead, fraction, s.Precision)
	}
	if lead > 15 {
		lead, exponent = 1, exponent+4
	}
	dst = append(dst, "0123456789abcdef"[lead])
	places := s.Precision
	if places < 0 {
		for places = 0; fraction<<(4*places) != 0 && places < 16; places++ {
		}
	}
	if places > 0 || s.Alt {
		dst = append(dst, '.')
	}
	for i := range places {
		d := byte(0)
		if i < 16 {
			d = byte(fraction << (4 * i) >> 60)
		}
		dst = append(dst, "0123456789abcdef"[d])
	}
	dst = append(dst, 'p')
	if exponent >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(exponent), 10)
}

// roundHex rounds to a number of digits after the point, to even at the half.
func roundHex(lead, fraction uint64, places int) (uint64, uint64) {
	shift := 64 - 4*places
	if shift >= 64 {
		if fraction > 1<<63 || fraction == 1<<63 && lead&1 == 1 {
			lead++
		}
		return lead, 0
	}
	kept, rest, half := fraction>>shift, fraction&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && kept&1 == 1 {
		kept++
	}
	if places > 0 && kept == 1<<(4*places) {
		return lead + 1, 0
	}
	return lead, kept << shift
}
