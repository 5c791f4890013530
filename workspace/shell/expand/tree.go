package expand

import (
	"context"

	"mvdan.cc/sh/v3/syntax"
)

// tree evaluates an expression on its tree.
type tree struct {
	c      *Config
	values []string // of the words with expansions, in order
	next   int
}

// prepare carries out the expansions; whole stays true when each gives one operand.
func (t *tree) prepare(ctx context.Context, e syntax.ArithmExpr, whole *bool) error {
	switch e := e.(type) {
	case *syntax.BinaryArithm:
		if err := t.prepare(ctx, e.X, whole); err != nil {
			return err
		}
		return t.prepare(ctx, e.Y, whole)
	case *syntax.UnaryArithm:
		return t.prepare(ctx, e.X, whole)
	case *syntax.ParenArithm:
		return t.prepare(ctx, e.X, whole)
	case *syntax.Word:
		if _, _, ok := named(e); ok {
			return nil
		}
		value, err := t.c.one(ctx, e, text, bare, false)
		if err != nil {
			return err
		}
		t.values = append(t.values, value)
		*whole = *whole && operandText(value)
	}
	return nil
}

// text gives the expression with the values of its expansions.
func (t *tree) text(e syntax.ArithmExpr) string {
	s := source{expanded: func() string {
		t.next++
		if t.next > len(t.values) {
			return ""
		}
		return t.values[t.next-1]
	}}
	t.next = 0
	s.expr(e)
	return s.String()
}

// eval evaluates; with skip nothing is set or looked up, the expansions are only passed.
func (t *tree) eval(ctx context.Context, e syntax.ArithmExpr, skip bool) (int64, error) {
	switch e := e.(type) {
	case *syntax.Word:
		return t.word(ctx, e, skip)
	case *syntax.ParenArithm:
		return t.eval(ctx, e.X, skip)
	case *syntax.UnaryArithm:
		return t.unary(ctx, e, skip)
	case *syntax.BinaryArithm:
		return t.binary(ctx, e, skip)
	}
	return 0, nil
}

func (t *tree) word(ctx context.Context, w *syntax.Word, skip bool) (int64, error) {
	name, sub, ok := named(w)
	switch {
	case !ok:
		value := ""
		if t.next < len(t.values) {
			value = t.values[t.next]
		}
		if t.next++; skip {
			return 0, nil
		}
		return t.c.ArithmText(ctx, value)
	case skip:
		return 0, nil
	case sub == nil && (name == "" || name[0] < 'A'):
		return number(name)
	}
	return t.c.variable(ctx, ref{name: name, sub: subscriptOf(sub)})
}

func (t *tree) unary(ctx context.Context, e *syntax.UnaryArithm, skip bool) (int64, error) {
	if e.Op == syntax.Inc || e.Op == syntax.Dec {
		if skip {
			return t.eval(ctx, e.X, true)
		}
		r, err := t.target(e.X)
		if err != nil && !e.Post {
			return t.eval(ctx, e.X, false) // Two signs, one after the other.
		}
		if err != nil {
			return 0, err
		}
		old, err := t.c.variable(ctx, r)
		if err != nil {
			return 0, err
		}
		now := old + 1
		if e.Op == syntax.Dec {
			now = old - 1
		}
		if err := t.c.store(ctx, r, now); err != nil {
			return 0, err
		}
		if e.Post {
			return old, nil
		}
		return now, nil
	}
	n, err := t.eval(ctx, e.X, skip)
	switch e.Op {
	case syntax.Not:
		n = truth(n == 0)
	case syntax.BitNegation:
		n = ^n
	case syntax.Minus:
		n = -n
	}
	return n, err
}

// target gives the variable that an expression sets.
func (t *tree) target(e syntax.ArithmExpr) (ref, error) {
	if w, ok := e.(*syntax.Word); ok {
		if name, sub, ok := named(w); ok && syntax.ValidName(name) {
			return ref{name: name, sub: subscriptOf(sub)}, nil
		}
	}
	return ref{}, &arithmError{text: "attempted assignment to non-variable", token: sourceOf(e)}
}

func (t *tree) binary(ctx context.Context, e *syntax.BinaryArithm, skip bool) (int64, error) {
	op := opOf(e.Op)
	if op.assigns() {
		return t.assign(ctx, e, op, skip)
	}
	x, err := t.eval(ctx, e.X, skip)
	if err != nil {
		return 0, err
	}
	switch op {
	case opAnd, opOr:
		decided := (x != 0) == (op == opOr)
		if decided && len(t.values) == 0 {
			return truth(x != 0), nil
		}
		y, err := t.eval(ctx, e.Y, skip || decided)
		if decided {
			y = x
		}
		return truth(y != 0), err
	case opQuestion:
		branches, ok := e.Y.(*syntax.BinaryArithm)
		if !ok {
			return 0, nil
		}
		yes, err := t.eval(ctx, branches.X, skip || x == 0)
		if err != nil {
			return 0, err
		}
		no, err := t.eval(ctx, branches.Y, skip || x != 0)
		if x == 0 {
			yes = no
		}
		return yes, err
	}
	y, err := t.eval(ctx, e.Y, skip)
	if err != nil || skip {
		return 0, err
	}
	return t.apply(op, x, y, e.Y)
}

func (t *tree) apply(op operator, x, y int64, right syntax.ArithmExpr) (int64, error) {
	n, err := op.apply(x, y)
	if err != nil {
		return 0, &arithmError{text: err.Error(), token: sourceOf(right)}
	}
	return n, nil
}

func (t *tree) assign(ctx context.Context, e *syntax.BinaryArithm, op operator, skip bool) (int64, error) {
	if skip {
		return t.eval(ctx, e.Y, true)
	}
	r, err := t.target(e.X)
	if err != nil {
		return 0, err
	}
	var old int64
	if op != opAssign {
		if old, err = t.c.variable(ctx, r); err != nil {
			return 0, err
		}
	}
	n, err := t.eval(ctx, e.Y, false)
	if err != nil {
		return 0, err
	}
	if op != opAssign {
		if n, err = t.apply(op.without(), old, n, e.Y); err != nil {
			return 0, err
		}
	}
	return n, t.c.store(ctx, r, n)
}
