package expand

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// operator is a binary operator of arithmetic. The forms that assign stand behind the
// others in the same order.
type operator uint8

const (
	opNone operator = iota
	opMul
	opQuo
	opRem
	opAdd
	opSub
	opShl
	opShr
	opBitAnd
	opXor
	opBitOr
	opPow
	opAssign // =
	opMulAssign
	opQuoAssign
	opRemAssign
	opAddAssign
	opSubAssign
	opShlAssign
	opShrAssign
	opBitAndAssign
	opXorAssign
	opBitOrAssign
	opPowAssign
	opLess
	opGreater
	opLessEqual
	opGreaterEqual
	opEqual
	opNotEqual
	opAnd
	opOr
	opQuestion
	opColon
	opComma
	// Only in texts.
	opNot
	opFlip
	opInc
	opDec
	opOpen
	opClose
	opNumber
	opName
	opEnd
	opBad
)

func opOf(op syntax.BinAritOperator) operator {
	switch op {
	case syntax.Add:
		return opAdd
	case syntax.Sub:
		return opSub
	case syntax.Mul:
		return opMul
	case syntax.Quo:
		return opQuo
	case syntax.Rem:
		return opRem
	case syntax.Pow:
		return opPow
	case syntax.Eql:
		return opEqual
	case syntax.Gtr:
		return opGreater
	case syntax.Lss:
		return opLess
	case syntax.Neq:
		return opNotEqual
	case syntax.Leq:
		return opLessEqual
	case syntax.Geq:
		return opGreaterEqual
	case syntax.And:
		return opBitAnd
	case syntax.Or:
		return opBitOr
	case syntax.Xor:
		return opXor
	case syntax.Shr:
		return opShr
	case syntax.Shl:
		return opShl
	case syntax.AndArit:
		return opAnd
	case syntax.OrArit:
		return opOr
	case syntax.Comma:
		return opComma
	case syntax.TernQuest:
		return opQuestion
	case syntax.Assgn:
		return opAssign
	case syntax.AddAssgn:
		return opAddAssign
	case syntax.SubAssgn:
		return opSubAssign
	case syntax.MulAssgn:
		return opMulAssign
	case syntax.QuoAssgn:
		return opQuoAssign
	case syntax.RemAssgn:
		return opRemAssign
	case syntax.AndAssgn:
		return opBitAndAssign
	case syntax.OrAssgn:
		return opBitOrAssign
	case syntax.XorAssgn:
		return opXorAssign
	case syntax.ShlAssgn:
		return opShlAssign
	case syntax.ShrAssgn:
		return opShrAssign
	case syntax.PowAssgn:
		return opPowAssign
	}
	return opBad
}

func (op operator) assigns() bool { return op >= opAssign && op <= opPowAssign }

// without gives the operator of one that also assigns.
func (op operator) without() operator { return op - opAssign }

var (
	errDivision = errors.New("division by 0")
	errExponent = errors.New("exponent less than 0")
	errOperator = errors.New("syntax error: invalid arithmetic operator")
)

// apply computes with 64 bits that wrap around.
func (op operator) apply(x, y int64) (int64, error) {
	switch op {
	case opMul:
		return x * y, nil
	case opQuo, opRem:
		switch {
		case y == 0:
			return 0, errDivision
		case y == -1 && op == opQuo:
			return -x, nil
		case y == -1:
			return 0, nil
		case op == opQuo:
			return x / y, nil
		}
		return x % y, nil
	case opAdd:
		return x + y, nil
	case opSub:
		return x - y, nil
	case opShl:
		return x << (uint64(y) & 63), nil
	case opShr:
		return x >> (uint64(y) & 63), nil
	case opBitAnd:
		return x & y, nil
	case opXor:
		return x ^ y, nil
	case opBitOr:
		return x | y, nil
	case opPow:
		if y < 0 {
			return 0, errExponent
		}
		n := int64(1)
		for ; y > 0; y >>= 1 {
			if y&1 != 0 {
				n *= x
			}
			x *= x
		}
		return n, nil
	case opLess:
		return truth(x < y), nil
	case opGreater:
		return truth(x > y), nil
	case opLessEqual:
		return truth(x <= y), nil
	case opGreaterEqual:
		return truth(x >= y), nil
	case opEqual:
		return truth(x == y), nil
	case opNotEqual:
		return truth(x != y), nil
	case opComma:
		return y, nil
	}
	return 0, errOperator
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// arithmError is an error inside of an expression.
type arithmError struct {
	text  string
	token string
}

func (e *arithmError) Error() string { return e.in("").Error() }

// in gives the error with the expression that it stands in.
func (e *arithmError) in(whole string) *Error {
	whole = strings.TrimSpace(whole)
	return &Error{Text: fmt.Sprintf("%s: %s (error token is \"%s\")", whole, e.text, e.token), Code: 1}
}

// number reads a constant: decimal, octal (0...), hexadecimal (0x...), or base#digits with
// a base from 2 to 64. It wraps around.
func number(s string) (int64, error) {
	base, digits := int64(10), s
	switch {
	case strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X"):
		base, digits = 16, s[2:]
	case len(s) > 1 && s[0] == '0' && strings.IndexByte(s, '#') < 0:
		base, digits = 8, s[1:]
	default:
		before, after, ok := strings.Cut(s, "#")
		if !ok {
			break
		}
		n, valid := decimal(before)
		if before == "" || !valid || n < 2 || n > 64 {
			return 0, &arithmError{text: "invalid arithmetic base", token: s}
		}
		if after == "" {
			return 0, &arithmError{text: "invalid integer constant", token: s}
		}
		base, digits = n, after
	}
	var n int64
	for i := range len(digits) {
		d := digit(digits[i], base)
		if d == bad {
			return 0, &arithmError{text: "invalid number", token: s}
		}
		if d >= base {
			return 0, &arithmError{text: "value too great for base", token: s}
		}
		n = n*base + d
	}
	return n, nil
}

const bad = math.MaxInt64

// digit gives the value of a digit; up to base 36 letters of both cases are the same.
func digit(ch byte, base int64) int64 {
	switch {
	case ch >= '0' && ch <= '9':
		return int64(ch - '0')
	case ch >= 'a' && ch <= 'z':
		return int64(ch-'a') + 10
	case ch >= 'A' && ch <= 'Z' && base <= 36:
		return int64(ch-'A') + 10
	case ch >= 'A' && ch <= 'Z':
		return int64(ch-'A') + 36
	case ch == '@':
		return 62
	case ch == '_':
		return 63
	}
	return bad
}
