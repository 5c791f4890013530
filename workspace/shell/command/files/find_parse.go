package files

import (
	"fmt"
	"strconv"
	"strings"
)

// findParser reads the expression of find.
type findParser struct {
	*find
	args  []string
	depth int // of parentheses
}

func (p *findParser) parse() (test, error) {
	if len(p.args) == 0 {
		return func(*node) bool { return true }, nil
	}
	t, err := p.list()
	if err == nil && len(p.args) > 0 {
		if p.args[0] == ")" {
			return nil, fmt.Errorf("you have too many ')'")
		}
		return nil, fmt.Errorf("paths must precede expression: `%s'", p.args[0])
	}
	return t, err
}

// list is expressions joined by commas: all are evaluated, the last one counts.
func (p *findParser) list() (test, error) {
	left, err := p.or()
	for err == nil && p.next(",") {
		before := left
		var right test
		if right, err = p.or(); err == nil {
			left = func(n *node) bool { before(n); return right(n) }
		}
	}
	return left, err
}

func (p *findParser) or() (test, error) {
	left, err := p.and()
	for err == nil && p.next("-o", "-or") {
		before := left
		var right test
		if right, err = p.and(); err == nil {
			left = func(n *node) bool { return before(n) || right(n) }
		}
	}
	return left, err
}

func (p *findParser) and() (test, error) {
	left, err := p.not()
	for err == nil && len(p.args) > 0 {
		switch p.args[0] {
		case "-a", "-and":
			p.args = p.args[1:]
		case "-o", "-or", ",", ")":
			return left, nil
		}
		var right test
		if right, err = p.not(); err == nil {
			left = all(left, right)
		}
	}
	return left, err
}

// maxParens bounds the nesting of an expression.
const maxParens = 1000

func (p *findParser) not() (test, error) {
	if len(p.args) == 0 {
		return nil, fmt.Errorf("expected an expression after an operator")
	}
	word := p.args[0]
	p.args = p.args[1:]
	switch word {
	case "!", "-not":
		if p.depth++; p.depth > maxParens {
			return nil, fmt.Errorf("the expression is nested too deeply")
		}
		t, err := p.not()
		p.depth--
		if err != nil {
			return nil, err
		}
		return func(n *node) bool { return !t(n) }, nil
	case "(":
		if p.depth++; p.depth > maxParens {
			return nil, fmt.Errorf("the expression is nested too deeply")
		}
		if len(p.args) > 0 && p.args[0] == ")" {
			return nil, fmt.Errorf("invalid expression; empty parentheses are not allowed")
		}
		t, err := p.list()
		if err != nil {
			return nil, err
		}
		if !p.next(")") {
			return nil, fmt.Errorf("invalid expression; I was expecting to find a ')' somewhere but did not see one")
		}
		p.depth--
		return t, nil
	case ")", "-o", "-or", "-a", "-and", ",":
		return nil, fmt.Errorf("invalid expression; you have used a binary operator '%s' with nothing before it", word)
	}
	if !strings.HasPrefix(word, "-") {
		return nil, fmt.Errorf("paths must precede expression: `%s'", word)
	}
	return p.primary(word)
}

func (p *findParser) next(words ...string) bool {
	for _, w := range words {
		if len(p.args) > 0 && p.args[0] == w {
			p.args = p.args[1:]
			return true
		}
	}
	return false
}

// value takes the argument of a primary.
func (p *findParser) value(word string) (string, error) {
	if len(p.args) == 0 {
		return "", fmt.Errorf("missing argument to `%s'", word)
	}
	v := p.args[0]
	p.args = p.args[1:]
	return v, nil
}

// primary reads an option, a test or an action.
func (p *findParser) primary(word string) (test, error) {
	yes := func(*node) bool { return true }
	switch word {
	case "-true":
		return yes, nil
	case "-false":
		return func(*node) bool { return false }, nil
	case "-depth", "-d":
		p.find.depth = true
		return yes, nil
	case "-xdev", "-mount":
		p.xdev = true
		return yes, nil
	case "-follow":
		p.walk.follow = followAll
		return yes, nil
	case "-daystart":
		p.daystart = true
		year, month, day := p.started.In(p.zone).Date()
		p.now = dayEnd(year, month, day, p.zone)
		return yes, nil
	case "-ignore_readdir_race", "-noignore_readdir_race", "-noleaf", "-warn", "-nowarn":
		return yes, nil
	}
	if t, ok, err := p.simpleTest(word); ok {
		return t, err
	}
	if t, ok, err := p.action(word); ok {
		return t, err
	}
	value, err := p.value(word)
	if err != nil && p.known(word) {
		return nil, err
	}
	switch word {
	case "-maxdepth", "-mindepth":
		depth, err := strconv.Atoi(value)
		if err != nil || depth < 0 {
			return nil, fmt.Errorf("expected a positive decimal integer argument to %s, but got ‘%s’", word, value)
		}
		if word == "-maxdepth" {
			p.maxDepth = depth
		} else {
			p.minDepth = depth
		}
		return yes, nil
	case "-regextype":
		p.regex = value
		_, err := compileName("", p.regex, false, p.Budget)
		return yes, err
	}
	if t, ok, err := p.nameTest(word, value); ok {
		return t, err
	}
	if t, ok, err := p.numberTest(word, value); ok {
		return t, err
	}
	if t, ok, err := p.fileTest(word, value); ok {
		return t, err
	}
	return nil, fmt.Errorf("unknown predicate `%s'", word)
}

// known says whether a word is a primary that takes an argument.
func (p *findParser) known(word string) bool {
	for _, known := range strings.Fields(findUsage) {
		if known == word {
			return true
		}
	}
	return false
}
