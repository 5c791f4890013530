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
