package expand

import (
	"context"
	"strings"
)

// ArithmText evaluates a text: an argument of let, the value of an integer variable, an
// operand of [[ -eq ]], a subscript. Values of variables that are no numbers are evaluated
// in turn, to a bounded depth.
func (c *Config) ArithmText(ctx context.Context, s string) (int64, error) {
	t := strings.Trim(s, " \t\n")
	if t == "" {
		return 0, nil
	}
	if n, ok := decimal(t); ok {
		return n, nil
	}
	p := &reader{c: c, s: s}
	n, err := p.whole(ctx)
	if a, ok := err.(*arithmError); ok {
		return 0, a.in(s)
	}
	return n, err
}

// reader evaluates a text while it reads it.
type reader struct {
	c     *Config
	s     string
	pos   int // behind the token
	at    int // of the token
	tok   operator
	value int64 // of a number
	ref   ref   // of a name
	err   error // of a number that is none
	skip  int   // over 0: nothing is looked up or set
	depth int   // of parentheses and signs
}

func (p *reader) whole(ctx context.Context) (int64, error) {
	p.read()
	n, err := p.comma(ctx)
	if err == nil && p.tok != opEnd {
		err = p.fail("syntax error in expression")
		if p.tok == opBad {
			err = p.fail("syntax error: invalid arithmetic operator")
		}
	}
	return n, err
}

// fail gives an error whose token is what stands from the current one on.
func (p *reader) fail(text string) error {
	return &arithmError{text: text, token: p.s[min(p.at, len(p.s)):]}
}

func (p *reader) comma(ctx context.Context) (int64, error) {
	n, err := p.assignment(ctx)
	for err == nil && p.tok == opComma {
		p.read()
		n, err = p.assignment(ctx)
	}
	return n, err
}

func (p *reader) assignment(ctx context.Context) (int64, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > p.c.limits().Nesting {
		return 0, p.fail("expression recursion level exceeded")
	}
	if p.tok == opName {
		// A name with an operator that assigns behind it; else all is read again.
		saved, r := *p, p.ref
		p.read()
		if op := p.tok; op.assigns() {
			p.read()
			var old int64
			var err error
			if op != opAssign && p.skip == 0 {
				if old, err = p.c.variable(ctx, r); err != nil {
					return 0, err
				}
			}
			at := p.at
			n, err := p.assignment(ctx)
			if err != nil || p.skip > 0 {
				return 0, err
			}
			if op != opAssign {
				if n, err = p.apply(op.without(), old, n, at); err != nil {
					return 0, err
				}
			}
			return n, p.c.store(ctx, r, n)
		}
		*p = saved
	}
	n, err := p.condition(ctx)
	if err == nil && p.tok.assigns() {
		err = p.fail("attempted assignment to non-variable")
	}
	return n, err
}

func (p *reader) condition(ctx context.Context) (int64, error) {
	cond, err := p.binary(ctx, 0)
	if err != nil || p.tok != opQuestion {
		return cond, err
	}
	p.read()
	if p.tok == opEnd || p.tok == opColon {
		return 0, p.fail("expression expected")
	}
	yes, err := p.skipping(ctx, cond == 0, p.comma)
	if err != nil {
		return 0, err
	}
	if p.tok != opColon {
		return 0, p.fail("`:' expected for conditional expression")
	}
	p.read()
	if p.tok == opEnd {
		return 0, p.fail("expression expected")
	}
	no, err := p.skipping(ctx, cond != 0, p.condition)
	if cond != 0 {
		no = yes
	}
	return no, err
}

func (p *reader) skipping(ctx context.Context, skip bool, part func(context.Context) (int64, error)) (int64, error) {
	if skip {
		p.skip++
		defer func() { p.skip-- }()
	}
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > p.c.limits().Nesting {
		return 0, p.fail("expression recursion level exceeded")
	}
	return part(ctx)
}

// level gives how tight an operator binds; -1 for what is none.
func (op operator) level() int {
	switch op {
	case opOr:
		return 0
	case opAnd:
		return 1
	case opBitOr:
		return 2
	case opXor:
		return 3
	case opBitAnd:
		return 4
	case opEqual, opNotEqual:
		return 5
	case opLess, opGreater, opLessEqual, opGreaterEqual:
		return 6
	case opShl, opShr:
		return 7
	case opAdd, opSub:
		return 8
	case opMul, opQuo, opRem:
		return 9
	case opPow:
		return 10
	}
	return -1
}

// binary reads operators that bind at least as tight as a level.
func (p *reader) binary(ctx context.Context, level int) (int64, error) {
	x, err := p.sign(ctx)
	for err == nil && p.tok.level() >= level {
		op := p.tok
		p.read()
		at := p.at
		next := op.level() + 1
		if op == opPow {
			next-- // from the right
		}
		decided := op == opOr && x != 0 || op == opAnd && x == 0
		var y int64
		y, err = p.skipping(ctx, decided, func(ctx context.Context) (int64, error) { return p.binary(ctx, next) })
		switch {
		case err != nil:
		case decided:
			x = truth(x != 0)
		case op == opOr || op == opAnd:
			x = truth(y != 0)
		default:
			x, err = p.apply(op, x, y, at)
		}
	}
	return x, err
}

func (p *reader) apply(op operator, x, y int64, at int) (int64, error) {
	n, err := op.apply(x, y)
	switch {
	case err == nil:
		return n, nil
	case p.skip > 0:
		return 0, nil
	}
	return 0, &arithmError{text: err.Error(), token: p.s[min(at, len(p.s)):]}
}

func (p *reader) sign(ctx context.Context) (int64, error) {
	op := p.tok
	switch op {
	case opNot, opFlip, opAdd, opSub:
		p.read()
		n, err := p.skipping(ctx, false, p.sign)
		switch op {
		case opNot:
			n = truth(n == 0)
		case opFlip:
			n = ^n
		case opSub:
			n = -n
		}
		return n, err
	case opInc, opDec:
		start := p.at
		p.read()
		if p.tok != opName {
			// Two signs, one after the other.
			p.pos = start + 1
			p.read()
			n, err := p.skipping(ctx, false, p.sign)
			if op == opDec {
				n = -n
			}
			return n, err
		}
		r := p.ref
		p.read()
		return p.step(ctx, r, op, true)
	}
	return p.primary(ctx)
}

// step carries out ++ and --.
func (p *reader) step(ctx context.Context, r ref, op operator, before bool) (int64, error) {
	if p.skip > 0 {
		return 0, nil
	}
	old, err := p.c.variable(ctx, r)
	if err != nil {
		return 0, err
	}
	now := old + 1
	if op == opDec {
		now = old - 1
	}
	if err := p.c.store(ctx, r, now); err != nil {
		return 0, err
	}
	if before {
		return now, nil
	}
	return old, nil
}

func (p *reader) primary(ctx context.Context) (int64, error) {
	switch p.tok {
	case opNumber:
		n, err := p.value, p.err
		p.read()
		if rest := strings.TrimLeft(p.s[p.pos:], " \t\n"); err == nil && (p.tok == opInc || p.tok == opDec) && (rest == "" || !isWordByte(rest[0]) || rest[0] <= '9') {
			// An operator and a sign; before a name it is an operator of the name, and wrong.
			p.pos, p.tok = p.at+1, signOf(p.tok)
		}
		return n, err
	case opName:
		r := p.ref
		p.read()
		if p.tok == opInc || p.tok == opDec {
			op := p.tok
			p.read()
			return p.step(ctx, r, op, false)
		}
		if p.skip > 0 {
			return 0, nil
		}
		return p.c.variable(ctx, r)
	case opOpen:
		p.read()
		n, err := p.skipping(ctx, false, p.comma)
		if err == nil && p.tok != opClose {
			err = p.fail("missing `)'")
			if p.tok == opBad {
				err = p.fail("syntax error: invalid arithmetic operator")
			}
		}
		p.read()
		return n, err
	case opEnd:
		// The token is the operator before.
		at := strings.LastIndexAny(strings.TrimRight(p.s, " \t\n"), "+-*/%<>=&|^!~?:,(")
		p.at = max(at, 0)
	}
	return 0, p.fail("syntax error: operand expected")
}

func signOf(op operator) operator {
	if op == opInc {
		return opAdd
	}
	return opSub
}
