package jq

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// plain gives the number that a literal stands for: an integer exactly, or else a float.
func plain(v any) any {
	l, ok := v.(literal)
	if !ok {
		return v
	}
	if !strings.ContainsAny(string(l), ".eE") {
		if i, ok := new(big.Int).SetString(string(l), 10); ok {
			return small(i)
		}
	}
	f, _ := strconv.ParseFloat(string(l), 64)
	return f
}

// small gives an int when the number fits.
func small(i *big.Int) any {
	if i.IsInt64() {
		return int(i.Int64())
	}
	return i
}

// float gives a number as a float; false when it is none.
func float(v any) (float64, bool) {
	switch n := plain(v).(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	case *big.Int:
		f, _ := new(big.Float).SetInt(n).Float64()
		return f, true
	}
	return 0, false
}

// whole gives a number cut to an int; too large ones become the largest.
func whole(v any) (int, bool) {
	switch n := plain(v).(type) {
	case int:
		return n, true
	case *big.Int:
		if n.Sign() < 0 {
			return math.MinInt, true
		}
		return math.MaxInt, true
	case float64:
		switch {
		case math.IsNaN(n):
			return 0, true
		case n >= math.MaxInt:
			return math.MaxInt, true
		case n <= math.MinInt:
			return math.MinInt, true
		}
		return int(n), true
	}
	return 0, false
}

func bigOf(v any) *big.Int {
	if n, ok := v.(int); ok {
		return big.NewInt(int64(n))
	}
	return v.(*big.Int)
}

// sizable is how many bits an exact product may have.
const sizable = 1 << 20

// arithmetic computes with two numbers: exactly with integers, else with floats. The
// operators are + - and *.
func arithmetic(op byte, a, b any) any {
	a, b = plain(a), plain(b)
	if x, ok := a.(int); ok {
		if y, ok := b.(int); ok {
			if v, ok := exact(op, x, y); ok {
				return v
			}
			if x == 0 || y == 0 {
				return math.Copysign(0, -1)
			}
		}
	}
	x, isFloat := a.(float64)
	y, alsoFloat := b.(float64)
	if !isFloat && !alsoFloat {
		p, q := bigOf(a), bigOf(b)
		switch {
		case op == '+':
			return small(new(big.Int).Add(p, q))
		case op == '-':
			return small(new(big.Int).Sub(p, q))
		case p.BitLen()+q.BitLen() < sizable:
			return small(new(big.Int).Mul(p, q))
		}
	}
	if !isFloat {
		x, _ = float(a)
	}
	if !alsoFloat {
		y, _ = float(b)
	}
	switch op {
	case '+':
		return x + y
	case '-':
		return x - y
	}
	return x * y
}

// exact computes with ints; false when the result is none.
func exact(op byte, x, y int) (int, bool) {
	switch op {
	case '+':
		s := x + y
		return s, (s > x) == (y > 0)
	case '-':
		s := x - y
		return s, (s < x) == (y > 0)
	}
	if x == 0 || y == 0 {
		return 0, x >= 0 && y >= 0 // a zero has a sign in floats only
	}
	high, low := bits.Mul64(absolute(x), absolute(y))
	if high != 0 || low > math.MaxInt64 {
		return 0, false
	}
	return x * y, true
}

func absolute(x int) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// quotient divides; b is not zero.
func quotient(a, b any) any {
	a, b = plain(a), plain(b)
	if x, ok := a.(int); ok {
		if y, ok := b.(int); ok && y != 0 && y != -1 && x%y == 0 && x != 0 {
			return x / y
		}
	}
	if x, ok := a.(*big.Int); ok {
		if y, ok := b.(float64); !ok || y == math.Trunc(y) && math.Abs(y) < 1<<53 {
			d := big.NewInt(int64(y))
			if !ok {
				d = bigOf(b)
			}
			if q, r := new(big.Int).QuoRem(x, d, new(big.Int)); r.Sign() == 0 {
				return small(q)
			}
		}
	}
	x, _ := float(a)
	y, _ := float(b)
	return x / y
}

// remainder gives what is left of a after division by b, both cut to integers; false when
// b is zero.
func remainder(a, b any) (any, bool) {
	a, b = plain(a), plain(b)
	if f, ok := a.(float64); ok && math.IsNaN(f) {
		return f, true
	}
	if f, ok := b.(float64); ok && math.IsNaN(f) {
		return f, true
	}
	p, isBig := a.(*big.Int)
	q, alsoBig := b.(*big.Int)
	if isBig && !alsoBig {
		n, _ := whole(b)
		q = big.NewInt(int64(n))
	}
	if isBig || alsoBig {
		if !isBig {
			n, _ := whole(a)
			p = big.NewInt(int64(n))
		}
		if q.Sign() == 0 {
			return nil, false
		}
		return small(new(big.Int).Rem(p, q)), true
	}
	x, _ := whole(a)
	y, _ := whole(b)
	switch y {
	case 0:
		return nil, false
	case -1:
		return 0, true
	}
	return x % y, true
}

func negative(v any) any {
	switch n := plain(v).(type) {
	case int:
		if n != math.MinInt && n != 0 {
			return -n
		}
		if n == 0 {
			return math.Copysign(0, -1)
		}
		return new(big.Int).Neg(big.NewInt(int64(n)))
	case *big.Int:
		return small(new(big.Int).Neg(n))
	case float64:
		return -n
	}
	return nil
}

// norm gives a float that is an integer as one, where nothing is lost: positions and such.
func norm(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 && (f != 0 || !math.Signbit(f)) {
		return int(f)
	}
	return f
}
