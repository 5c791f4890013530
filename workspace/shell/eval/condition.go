package eval

import (
	"context"
	"regexp"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// condition executes statements whose failure is an answer.
func (sh *Shell) condition(ctx context.Context, list []*syntax.Stmt) int {
	sh.tolerant++
	defer func() { sh.tolerant-- }()
	return sh.stmts(ctx, list)
}

// ifClause executes if; the chain of elif may be as long as the text, so it is a loop.
func (sh *Shell) ifClause(ctx context.Context, c *syntax.IfClause) int {
	for ; c != nil; c = c.Else {
		if len(c.Cond) > 0 {
			status := sh.condition(ctx, c.Cond)
			if sh.flow != flowNone {
				return sh.status
			}
			if status != 0 {
				continue
			}
		}
		return sh.stmts(ctx, c.Then)
	}
	return 0
}

func (sh *Shell) caseClause(ctx context.Context, c *syntax.CaseClause) int {
	if !sh.begin(ctx, &syntax.Stmt{Cmd: c, Position: c.Case}, c.Case) {
		return sh.status
	}
	word, err := sh.exp.Literal(ctx, c.Word)
	if err != nil || sh.flow != flowNone {
		return sh.expansionFailed(ctx, err)
	}
	if sh.opts.set[optXTrace] {
		sh.traceText(ctx, "case "+sourceOf(c.Word)+" in")
	}
	status := 0
	through := false
	for _, item := range c.Items {
		matched := through
		for _, w := range item.Patterns {
			if matched {
				break
			}
			p, err := sh.exp.Pattern(ctx, w)
			if err != nil || sh.flow != flowNone {
				return sh.expansionFailed(ctx, err)
			}
			matched = p.Match(word)
		}
		if !matched {
			continue
		}
		status = sh.stmts(ctx, item.Stmts)
		if sh.flow != flowNone || item.Op == syntax.Break {
			return status
		}
		through = item.Op == syntax.Fallthrough
	}
	return status
}

func (sh *Shell) arithmCmd(ctx context.Context, c *syntax.ArithmCmd) int {
	if !sh.begin(ctx, &syntax.Stmt{Cmd: c, Position: c.Left}, c.Left) {
		return sh.status
	}
	n, err := sh.exp.Arithm(ctx, c.X)
	if err != nil || sh.flow != flowNone {
		return sh.arithmFailed(ctx, err, "((")
	}
	if sh.opts.set[optXTrace] {
		sh.traceText(ctx, "(( "+arithmText(c.X)+" ))")
	}
	if n == 0 {
		return 1
	}
	return 0
}

// arithmFailed reports an error in (( )) or let, after which the next command is executed.
func (sh *Shell) arithmFailed(ctx context.Context, err error, name string) int {
	if e, ok := err.(*expand.Error); ok && !e.Exit && sh.flow == flowNone {
		sh.complain(ctx, "%s: %s", name, e)
		return 1
	}
	return sh.expansionFailed(ctx, err)
}

func (sh *Shell) letClause(ctx context.Context, c *syntax.LetClause) int {
	if !sh.begin(ctx, &syntax.Stmt{Cmd: c, Position: c.Let}, c.Let) {
		return sh.status
	}
	var n int64
	for _, x := range c.Exprs {
		var err error
		if n, err = sh.exp.Arithm(ctx, x); err != nil || sh.flow != flowNone {
			return sh.arithmFailed(ctx, err, "let")
		}
	}
	if n == 0 {
		return 1
	}
	return 0
}

// testClause executes [[ ]].
func (sh *Shell) testClause(ctx context.Context, c *syntax.TestClause) int {
	if !sh.begin(ctx, &syntax.Stmt{Cmd: c, Position: c.Left}, c.Left) {
		return sh.status
	}
	sh.substitution = -1
	if len(sh.passing) > 0 {
		defer sh.closePassing(ctx, len(sh.passing))
	}
	t := tester{sh: sh, ctx: ctx}
	ok := t.holds(c.X)
	switch {
	case t.err != nil:
		return sh.fail(ctx, t.err)
	case sh.flow != flowNone:
		return sh.status
	case t.status != 0:
		return t.status
	case ok:
		return 0
	}
	return 1
}

// tester evaluates one [[ ]]. After an error everything is false.
type tester struct {
	sh     *Shell
	ctx    context.Context
	err    error
	status int // 2: an operand is not what the operator needs
}

func (t *tester) holds(x syntax.TestExpr) bool {
	if t.err != nil || t.status != 0 || t.sh.flow != flowNone {
		return false
	}
	switch x := x.(type) {
	case *syntax.Word:
		s := t.word(x)
		t.trace("-n", s)
		return s != ""
	case *syntax.ParenTest:
		return t.holds(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return !t.holds(x.X) && t.fine()
		}
		w, ok := x.X.(*syntax.Word)
		if !ok {
			return false
		}
		s := t.word(w)
		t.trace(x.Op.String(), s)
		return t.fine() && t.unary(x.Op.String(), s)
	case *syntax.BinaryTest:
		return t.binary(x)
	}
	return false
}

func (t *tester) fine() bool { return t.err == nil && t.status == 0 && t.sh.flow == flowNone }

func (t *tester) word(w *syntax.Word) string {
	s, err := t.sh.exp.Literal(t.ctx, w)
	if err != nil && t.err == nil {
		t.err = err
	}
	return s
}

func (t *tester) trace(parts ...string) {
	if t.sh.opts.set[optXTrace] && t.fine() {
		text := "[["
		for _, p := range parts {
			text += " " + traceQuote(p)
		}
		t.sh.traceText(t.ctx, text+" ]]")
	}
}

func (t *tester) unary(op, operand string) bool {
	ok, err := t.sh.unaryTest(t.ctx, op, operand)
	if err != nil {
		t.err = err
	}
	return ok
}

// number evaluates an operand of -eq and the like, which is an arithmetic expression.
func (t *tester) number(s string) int64 {
	n, err := t.sh.exp.ArithmText(t.ctx, s)
	if e, ok := err.(*expand.Error); ok && !e.Exit && t.fine() {
		t.sh.complain(t.ctx, "[[: %s", e)
		t.status = 1
	} else if err != nil && t.err == nil {
		t.err = err
	}
	return n
}

func (t *tester) binary(x *syntax.BinaryTest) bool {
	switch x.Op {
	case syntax.AndTest:
		return t.holds(x.X) && t.holds(x.Y)
	case syntax.OrTest:
		return t.holds(x.X) || t.fine() && t.holds(x.Y)
	}
	left, ok1 := x.X.(*syntax.Word)
	right, ok2 := x.Y.(*syntax.Word)
	if !ok1 || !ok2 {
		return false
	}
	a := t.word(left)
	if !t.fine() {
		return false
	}
	switch x.Op {
	case syntax.TsReMatch:
		return t.regexp(a, right)
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		p, err := t.sh.exp.Pattern(t.ctx, right)
		if err != nil {
			t.err = err
			return false
		}
		t.trace(a, x.Op.String(), sourceOf(right))
		return p.Match(a) == (x.Op != syntax.TsNoMatch)
	}
	b := t.word(right)
	t.trace(a, x.Op.String(), b)
	if !t.fine() {
		return false
	}
	switch op := x.Op.String(); {
	case op == "<":
		return a < b
	case op == ">":
		return a > b
	case !isNumberTest(op):
		return t.sh.compareFiles(op, a, b)
	default:
		m, n := t.number(a), t.number(b)
		return t.fine() && compareNumbers(op, m, n)
	}
}

// regexp matches =~ and sets BASH_REMATCH.
func (t *tester) regexp(s string, w *syntax.Word) bool {
	text, err := t.sh.exp.Regexp(t.ctx, w)
	if err != nil {
		t.err = err
		return false
	}
	t.trace(s, "=~", text)
	re, err := regexp.Compile(text)
	if err != nil {
		t.status = 2
		return false
	}
	re.Longest()
	found := re.FindStringSubmatch(s)
	t.sh.vars.Put("BASH_REMATCH", vars.Var{Kind: vars.Indexed, List: vars.ArrayOf(found...)})
	return found != nil
}
