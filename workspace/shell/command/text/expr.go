package text

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func exprCommand() *command.Command {
	return &command.Command{
		Name: "expr", Group: "text", Short: "compute an expression", Run: runExpr,
		Usage: `Usage: expr EXPRESSION
Write the value of EXPRESSION, whose operators and operands are separate arguments. From the
loosest to the closest:

  A | B      A when it is neither empty nor 0, else B
  A & B      A when neither is empty or 0, else 0
  A < B, <=, =, !=, >=, >   1 when true, else 0; numbers as numbers
  A + B, A - B
  A * B, A / B, A % B
  TEXT : BRE    the match at the start of TEXT: the group \(...\), or its length
  match TEXT BRE, substr TEXT POS LENGTH, index TEXT CHARS, length TEXT, + TOKEN, ( A )

Exit status: 0 the value is neither empty nor 0, 1 it is, 2 EXPRESSION is wrong.`,
	}
}

type evaluation struct {
	c     *command.Call
	args  []string
	depth int
}

// value is a text, or a number when it was computed.
type value struct {
	text string
	n    *big.Int
}

func number64(n int64) value { return value{n: big.NewInt(n)} }

func truth(b bool) value { return number64(int64(b2i(b))) }

func (v value) String() string {
	if v.n != nil {
		return v.n.String()
	}
	return v.text
}

// integer gives the value as a number when it is one.
func (v value) integer() (*big.Int, bool) {
	if v.n != nil {
		return v.n, true
	}
	digits := strings.TrimPrefix(v.text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(v.text, 10)
}

// null says that the value is empty or 0.
func (v value) null() bool {
	if v.n != nil {
		return v.n.Sign() == 0
	}
	return strings.Trim(strings.TrimPrefix(v.text, "-"), "0") == "" && v.text != "-"
}

func runExpr(_ context.Context, c *command.Call) int {
	args := c.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.UsageError(2, errors.New("missing operand"))
	}
	e := &evaluation{c: c, args: args}
	v, err := e.or(true)
	if err == nil && len(e.args) > 0 {
		err = fmt.Errorf("syntax error: unexpected argument '%s'", e.args[0])
	}
	if err != nil {
		c.Errorf("%v", err)
		return 2
	}
	c.Out.WriteString(v.String() + "\n")
	return b2i(v.null())
}

func (e *evaluation) accept(tokens ...string) (string, bool) {
	if len(e.args) > 0 {
		for _, token := range tokens {
			if e.args[0] == token {
				e.args = e.args[1:]
				return token, true
			}
		}
	}
	return "", false
}

// or and the others compute only when run is set; else they read on.
func (e *evaluation) or(run bool) (value, error) {
	limit := limits.Limits{}.OrDefault().Nesting
	if e.depth++; e.depth > limit {
		return value{}, errors.New("expression is nested too deeply")
	}
	defer func() { e.depth-- }()
	left, err := e.and(run)
	for err == nil {
		if _, ok := e.accept("|"); !ok {
			return left, nil
		}
		var right value
		if right, err = e.and(run && left.null()); left.null() {
			if left = right; right.null() {
				left = number64(0)
			}
		}
	}
	return left, err
}

func (e *evaluation) and(run bool) (value, error) {
	left, err := e.comparison(run)
	for err == nil {
		if _, ok := e.accept("&"); !ok {
			return left, nil
		}
		var right value
		if right, err = e.comparison(run && !left.null()); left.null() || right.null() {
			left = number64(0)
		}
	}
	return left, err
}

func (e *evaluation) comparison(run bool) (value, error) {
	left, err := e.sum(run)
	for err == nil {
		token, ok := e.accept("<", "<=", "=", "==", "!=", ">=", ">")
		if !ok {
			return left, nil
		}
		var right value
		if right, err = e.sum(run); err != nil {
			break
		}
		order := strings.Compare(left.String(), right.String())
		a, ok1 := left.integer()
		b, ok2 := right.integer()
		if ok1 && ok2 {
			order = a.Cmp(b)
		}
		switch token {
		case "<":
			left = truth(order < 0)
		case "<=":
			left = truth(order <= 0)
		case "=", "==":
			left = truth(order == 0)
		case "!=":
			left = truth(order != 0)
		case ">=":
			left = truth(order >= 0)
		case ">":
			left = truth(order > 0)
		}
	}
	return left, err
}

func (e *evaluation) sum(run bool) (value, error) {
	return e.arithmetic(run, e.product, "+", "-")
}

func (e *evaluation) product(run bool) (value, error) {
	return e.arithmetic(run, e.matching, "*", "/", "%")
}

func (e *evaluation) arithmetic(run bool, operand func(run bool) (value, error), tokens ...string) (value, error) {
	left, err := operand(run)
	for err == nil {
		token, ok := e.accept(tokens...)
		if !ok {
			return left, nil
		}
		var right value
		if right, err = operand(run); err != nil || !run {
			continue
		}
		left, err = compute(token, left, right)
	}
	return left, err
}

func compute(token string, left, right value) (value, error) {
	a, ok1 := left.integer()
	b, ok2 := right.integer()
	if !ok1 || !ok2 {
		return value{}, errors.New("non-integer argument")
	}
	const most = 1 << 20 // bits of a number; multiplying larger ones takes long
	if a.BitLen()+b.BitLen() > most {
		return value{}, errors.New("number too large")
	}
	n := new(big.Int)
	switch token {
	case "+":
		n.Add(a, b)
	case "-":
		n.Sub(a, b)
	case "*":
		n.Mul(a, b)
	default:
		if b.Sign() == 0 {
			return value{}, errors.New("division by zero")
		}
		if token == "/" {
			n.Quo(a, b)
		} else {
			n.Rem(a, b)
		}
	}
	return value{n: n}, nil
}
