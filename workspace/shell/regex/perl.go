package regex

import (
	"strings"
	"unicode/utf8"
)

// flags are Perl's inline flags.
type flags struct{ fold, dotAll, multi, space bool }

func (p *parser) parsePerl() (*node, error) {
	p.flags = flags{fold: p.o.FoldCase, multi: p.o.Multiline}
	n, err := p.perlAlternatives()
	if err == nil && p.pos < len(p.src) {
		err = syntaxError("unmatched closing parenthesis")
	}
	return n, err
}

func (p *parser) perlAlternatives() (*node, error) {
	if p.depth++; p.depth > p.maxDepth {
		return nil, syntaxError("parentheses are too deeply nested")
	}
	defer func() { p.depth-- }()
	var subs []*node
	for {
		n, err := p.perlSequence()
		if err != nil {
			return nil, err
		}
		subs = append(subs, n)
		if !p.accept("|") {
			if len(subs) == 1 {
				return subs[0], nil
			}
			return &node{op: opAlt, subs: subs}, nil
		}
	}
}

func (p *parser) perlSequence() (*node, error) {
	var subs []*node
	for p.pos < len(p.src) && !p.ahead("|") && !p.ahead(")") {
		if p.skipSpace() {
			continue
		}
		var n *node
		var err error
		if p.accept(`\Q`) {
			quoted, rest, _ := strings.Cut(p.src[p.pos:], `\E`)
			p.pos = len(p.src) - len(rest)
			n = text(quoted, p.flags.fold)
			if n.op == opCat { // what follows repeats the last character
				subs = append(subs, n.subs[:len(n.subs)-1]...)
				n = n.subs[len(n.subs)-1]
			}
		} else if n, err = p.perlAtom(); err != nil {
			return nil, err
		}
		if n, err = p.perlRepeats(n); err != nil {
			return nil, err
		}
		subs = append(subs, n)
	}
	return cat(subs...), nil
}

// skipSpace leaves out white space and remarks under the flag x.
func (p *parser) skipSpace() bool {
	if !p.flags.space {
		return false
	}
	from := p.pos
	p.pos = len(p.src) - len(strings.TrimLeft(p.src[p.pos:], " \t\n\r\f\v"))
	if p.ahead("#") {
		if i := strings.IndexByte(p.src[p.pos:], '\n'); i >= 0 {
			p.pos += i
		} else {
			p.pos = len(p.src)
		}
	}
	return p.pos > from
}

func (p *parser) perlRepeats(n *node) (*node, error) {
	for p.skipSpace() {
	}
	least, most, ok := p.perlRepeat()
	switch {
	case !ok:
		return n, nil
	case most >= 0 && least > most:
		return nil, syntaxError("numbers out of order in {} quantifier")
	case most > maxInterval || least > maxInterval:
		return nil, syntaxError("number too big in {} quantifier")
	case n.between() || n.op == opKeep:
		return nil, syntaxError("quantifier does not follow a repeatable item")
	}
	n = &node{op: opRepeat, subs: []*node{n}, min: least, max: most}
	switch {
	case p.accept("?"):
		n.lazy = true
	case p.accept("+"):
		n = &node{op: opAtomic, subs: []*node{n}}
	}
	if _, _, again := p.perlRepeat(); again {
		return nil, syntaxError("quantifier does not follow a repeatable item")
	}
	return n, nil
}

func (p *parser) perlRepeat() (least, most int, ok bool) {
	switch {
	case p.accept("*"):
		return 0, -1, true
	case p.accept("+"):
		return 1, -1, true
	case p.accept("?"):
		return 0, 1, true
	}
	from := p.pos
	if !p.accept("{") {
		return 0, 0, false
	}
	least, ok = p.number()
	most = least
	if ok && p.accept(",") {
		var has bool
		if most, has = p.number(); !has {
			most = -1
		}
	}
	if ok = ok && p.accept("}"); !ok {
		p.pos = from
	}
	return least, most, ok
}

func (p *parser) perlAtom() (*node, error) {
	switch {
	case p.accept("("):
		return p.perlGroup()
	case p.accept("["):
		return p.perlClass()
	case p.accept("."):
		if p.flags.dotAll {
			return p.dot(), nil
		}
		return &node{op: opSet, set: p.bar(anySet().without('\n'))}, nil
	case p.accept("^"):
		if p.flags.multi {
			return &node{op: opBeginLine}, nil
		}
		return p.edge(opBeginText), nil
	case p.accept("$"):
		if p.flags.multi {
			return &node{op: opEndLine}, nil
		}
		return p.edge(opEndTextLine), nil
	case p.accept(`\`):
		return p.perlEscape()
	case p.ahead("*"), p.ahead("+"), p.ahead("?"):
		return nil, syntaxError("quantifier does not follow a repeatable item")
	}
	return p.perlChar(), nil
}

func (p *parser) perlChar() *node {
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	at := p.pos
	p.pos += n
	if r == utf8.RuneError && n == 1 {
		return rawByte(p.src[at])
	}
	return foldChar(r, p.flags.fold)
}

// perlGroup reads what follows "(".
func (p *parser) perlGroup() (*node, error) {
	before := p.flags
	n := &node{op: opCat} // that is (?:
	switch {
	case p.accept("*"):
		return nil, syntaxError("(*VERB) not supported")
	case !p.accept("?"):
		p.groups++
		n.op, n.group = opGroup, p.groups
	case p.accept("#"):
		i := strings.IndexByte(p.src[p.pos:], ')')
		if i < 0 {
			return nil, syntaxError("missing ) after (?# comment")
		}
		p.pos += i + 1
		return &node{op: opEmpty}, nil
	case p.accept("="):
		n.op = opLook
	case p.accept("!"):
		n.op, n.negate = opLook, true
	case p.accept("<="):
		n.op, n.behind = opLook, true
	case p.accept("<!"):
		n.op, n.behind, n.negate = opLook, true, true
	case p.accept(">"):
		n.op = opAtomic
	case p.ahead("P<"), p.ahead("<"), p.ahead("'"):
		name, err := p.groupName()
		if err != nil {
			return nil, err
		}
		p.groups++
		n.op, n.group = opGroup, p.groups
		p.names[name], p.named[p.groups] = p.groups, name
	case p.accept("P="):
		name, rest, ok := strings.Cut(p.src[p.pos:], ")")
		if !ok || p.names[name] == 0 {
			return nil, syntaxError("reference to non-existent subpattern")
		}
		p.pos = len(p.src) - len(rest)
		return &node{op: opBackref, group: p.names[name], fold: p.flags.fold}, nil
	default:
		closed, err := p.inlineFlags()
		if closed || err != nil {
			return &node{op: opEmpty}, err
		}
	}
	sub, err := p.perlAlternatives()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, syntaxError("missing closing parenthesis")
	}
	p.flags = before
	n.subs = []*node{sub}
	return n, p.checkBehind(n)
}

// checkBehind refuses a look-behind whose parts have no fixed width.
func (p *parser) checkBehind(n *node) error {
	if !n.behind {
		return nil
	}
	for _, part := range branches(n.subs[0]) {
		if part.width() < 0 {
			return syntaxError("lookbehind assertion is not fixed length")
		}
	}
	return nil
}

// branches gives the alternatives of a node, or the node alone.
func branches(n *node) []*node {
	for n.op == opCat && len(n.subs) == 1 {
		n = n.subs[0]
	}
	if n.op == opAlt {
		return n.subs
	}
	return []*node{n}
}

func (p *parser) groupName() (string, error) {
	p.accept("P")
	end := ">"
	if p.src[p.pos] == '\'' {
		end = "'"
	}
	name, _, ok := strings.Cut(p.src[p.pos+1:], end)
	if !ok || name == "" {
		return "", syntaxError("subpattern name expected")
	}
	p.pos += len(name) + 2
	return name, nil
}

// inlineFlags reads (?flags) and the start of (?flags:. closed says that it was the former.
func (p *parser) inlineFlags() (closed bool, err error) {
	on := true
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		p.pos++
		switch c {
		case '-':
			on = false
		case '^':
			p.flags = flags{}
		case 'i':
			p.flags.fold = on
		case 's':
			p.flags.dotAll = on
		case 'm':
			p.flags.multi = on
		case 'x':
			p.flags.space = on
		case ':':
			return false, nil
		case ')':
			return true, nil
		case 'R', '|', '(', '&', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+':
			return false, syntaxError("recursion, conditions and branch reset are not supported; write the pattern without (?%c", c)
		default:
			return false, syntaxError("unrecognized character after (? or (?-")
		}
	}
	return false, syntaxError("missing closing parenthesis")
}
