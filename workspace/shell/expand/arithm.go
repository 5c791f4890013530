package expand

import (
	"context"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Arithm evaluates a parsed expression; nil is 0. As in bash, the expansions in it are
// carried out first, and where one gives more than a number or a name the text that results
// is evaluated.
func (c *Config) Arithm(ctx context.Context, e syntax.ArithmExpr) (int64, error) {
	if e == nil {
		return 0, nil
	}
	t := tree{c: c}
	if expands(e) {
		whole := true
		err := t.prepare(ctx, e, &whole)
		if err != nil {
			return 0, err
		}
		if !whole {
			return c.ArithmText(ctx, t.text(e))
		}
	}
	n, err := t.eval(ctx, e, false)
	if a, ok := err.(*arithmError); ok {
		t.next = 0
		return 0, a.in(t.text(e))
	}
	return n, err
}

// expands says whether an expression has expansions outside of subscripts.
func expands(e syntax.ArithmExpr) bool {
	switch e := e.(type) {
	case *syntax.BinaryArithm:
		return expands(e.X) || expands(e.Y)
	case *syntax.UnaryArithm:
		return expands(e.X)
	case *syntax.ParenArithm:
		return expands(e.X)
	case *syntax.Word:
		_, _, ok := named(e)
		return !ok
	}
	return false
}

// named gives what a word of an expression names: a literal, a number or a name, and the
// subscript of an element.
func named(w *syntax.Word) (string, syntax.ArithmExpr, bool) {
	if w == nil || len(w.Parts) != 1 {
		return "", nil, false
	}
	switch part := w.Parts[0].(type) {
	case *syntax.Lit:
		return part.Value, nil, true
	case *syntax.ParamExp:
		if !part.Dollar.IsValid() && part.Short && part.Param != nil {
			return part.Param.Value, part.Index, true
		}
	}
	return "", nil, false
}

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

// operandText says whether a text is one operand: a number with or without a sign, or a name.
func operandText(s string) bool {
	s = strings.TrimSpace(s)
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	for i := range len(s) {
		if ch := s[i]; !isWordByte(ch) && ch != '#' && ch != '@' {
			return false
		}
	}
	return s != ""
}

func isWordByte(ch byte) bool {
	return ch == '_' || ch >= '0' && ch <= '9' || ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z'
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

// variable gives the number that a variable or an element holds; a value that is no
// number is evaluated as an expression.
func (c *Config) variable(ctx context.Context, r ref) (int64, error) {
	value, set, err := c.lookup(ctx, r)
	switch {
	case err != nil:
		return 0, err
	case !set && c.NoUnset:
		return 0, unbound(r)
	case value == "":
		return 0, nil
	}
	if n, ok := decimal(value); ok {
		return n, nil
	}
	deeper, err := c.deeper()
	if err != nil {
		return 0, err
	}
	return deeper.ArithmText(ctx, value)
}

// decimal reads the numbers that need no further look: no sign but -, no leading zero.
func decimal(s string) (int64, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > 18 || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	var n int64
	for i := range len(digits) {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int64(d)
	}
	if len(digits) != len(s) {
		n = -n
	}
	return n, true
}

// store sets a variable or an element to a number.
func (c *Config) store(ctx context.Context, r ref, n int64) error {
	return c.set(ctx, r, strconv.FormatInt(n, 10), false)
}

// deeper is the configuration for the evaluation of a value as a text. Values that name
// each other end here.
func (c *Config) deeper() (*Config, error) {
	if c.depth >= 256 {
		return nil, &Error{Text: "expression recursion level exceeded", Code: 1}
	}
	d := *c
	d.depth++
	return &d, nil
}
