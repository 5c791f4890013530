package eval

import (
	"context"
	"fmt"
)

// testBuiltin executes test and [.
func testBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	words := args[1:]
	if args[0] == "[" {
		if len(words) == 0 || words[len(words)-1] != "]" {
			sh.errorf(b, "[: missing `]'")
			return 2
		}
		words = words[:len(words)-1]
	}
	t := test{ctx: ctx, sh: sh, words: words}
	yes := t.posix()
	switch {
	case t.err != nil:
		return sh.fail(ctx, t.err)
	case t.wrong != "":
		sh.errorf(b, "%s: %s", args[0], t.wrong)
		return 2
	case yes:
		return 0
	}
	return 1
}

// test is one expression of test while it is evaluated.
type test struct {
	ctx   context.Context
	sh    *Shell
	words []string
	at    int
	wrong string // what is wrong with the expression
	err   error  // of an expansion
}

// posix follows the rules of POSIX for up to four words, and the grammar for more.
func (t *test) posix() bool {
	switch w := t.words; len(w) {
	case 0:
		return false
	case 1:
		return w[0] != ""
	case 2:
		return t.two(w)
	case 3:
		return t.three(w)
	case 4:
		switch {
		case w[0] == "!":
			return !t.three(w[1:])
		case w[0] == "(" && w[3] == ")":
			return t.two(w[1:3])
		}
	}
	yes := t.or()
	if t.wrong == "" && t.at < len(t.words) {
		t.fail("too many arguments")
	}
	return yes
}

func (t *test) two(w []string) bool {
	switch {
	case w[0] == "!":
		return w[1] == ""
	case isUnaryTest(w[0]):
		return t.unary(w[0], w[1])
	}
	t.fail("%s: unary operator expected", w[0])
	return false
}

func (t *test) three(w []string) bool {
	switch {
	case isBinaryTest(w[1]):
		return t.binary(w[0], w[1], w[2])
	case w[1] == "-a":
		return w[0] != "" && w[2] != ""
	case w[1] == "-o":
		return w[0] != "" || w[2] != ""
	case w[0] == "!":
		return !t.two(w[1:])
	case w[0] == "(" && w[2] == ")":
		return w[1] != ""
	}
	t.fail("%s: binary operator expected", w[1])
	return false
}

// or, and, term are the grammar: -o binds less than -a, that less than "!".
func (t *test) or() bool {
	yes := t.and()
	for t.wrong == "" && t.at < len(t.words) && t.words[t.at] == "-o" {
		t.at++
		also := t.and()
		yes = yes || also
	}
	return yes
}

func (t *test) and() bool {
	yes := t.term()
	for t.wrong == "" && t.at < len(t.words) && t.words[t.at] == "-a" {
		t.at++
		also := t.term()
		yes = yes && also
	}
	return yes
}

func (t *test) term() bool {
	negated := false
	for t.at < len(t.words) && t.words[t.at] == "!" {
		negated = !negated
		t.at++
	}
	if t.at >= len(t.words) {
		t.fail("argument expected")
		return false
	}
	return t.primary() != negated
}

func (t *test) primary() bool {
	w := t.words[t.at:]
	switch {
	case w[0] == "(":
		t.at++
		yes := t.or()
		switch {
		case t.wrong != "":
		case t.at >= len(t.words):
			t.fail("`)' expected")
		case t.words[t.at] != ")":
			t.fail("`)' expected, found %s", t.words[t.at])
		}
		t.at++
		return yes
	case len(w) >= 3 && isBinaryTest(w[1]):
		t.at += 3
		return t.binary(w[0], w[1], w[2])
	case len(w) >= 2 && isUnaryTest(w[0]):
		t.at += 2
		if _, ok := wholeNumber(w[1]); w[0] == "-t" && !ok {
			t.at-- // what is no descriptor is left where it stands
		}
		return t.unary(w[0], w[1])
	}
	t.at++
	return w[0] != ""
}

func (t *test) unary(op, arg string) bool {
	yes, err := t.sh.unaryTest(t.ctx, op, arg)
	if err != nil {
		t.err = err
	}
	return yes
}

func (t *test) binary(x, op, y string) bool {
	switch op {
	case "=", "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case ">":
		return x > y
	}
	if !isNumberTest(op) {
		return t.sh.compareFiles(op, x, y)
	}
	one, ok := wholeNumber(x)
	if !ok {
		t.fail("%s: integer expression expected", x)
		return false
	}
	two, ok := wholeNumber(y)
	if !ok {
		t.fail("%s: integer expression expected", y)
		return false
	}
	return compareNumbers(op, one, two)
}

// fail says what is wrong; the first fault counts.
func (t *test) fail(format string, args ...any) {
	if t.wrong == "" {
		t.wrong = fmt.Sprintf(format, args...)
	}
}
