package regex

import (
	"strings"
	"unicode/utf8"
)

// parser reads one expression.
type parser struct {
	src      string
	pos      int
	o        *Options
	first    int // number of groups of the expressions before
	groups   int
	names    map[string]int
	named    map[int]string
	closed   uint16 // the groups 1 to 9, as bits, that a back-reference may name here
	depth    int
	maxDepth int
	warnings []string
	flags    flags // of Perl
}

const (
	errBracket  = "Unmatched [, [^, [:, [., or [="
	errOpen     = `Unmatched ( or \(`
	errClose    = `Unmatched ) or \)`
	errInterval = `Invalid content of \{\}`
	errBig      = "Regular expression too big"
	errBackref  = "Invalid back reference"
	maxInterval = 0x7fff // RE_DUP_MAX of GNU
)

func (p *parser) parse() (*node, error) {
	switch p.o.Syntax {
	case Fixed:
		return text(p.src, p.o.FoldCase), nil
	case Perl:
		return p.parsePerl()
	}
	if strings.HasPrefix(p.src, "[:") && strings.HasSuffix(p.src, ":]") && len(p.src) > 3 {
		return nil, syntaxError("character class syntax is [[:space:]], not [:space:]")
	}
	n, err := p.alternatives()
	if err == nil && p.pos < len(p.src) { // a ")" of a basic expression
		err = syntaxError(errClose)
	}
	return n, err
}

func (p *parser) extended() bool { return p.o.Syntax == Extended }

// ahead says whether s follows.
func (p *parser) ahead(s string) bool { return strings.HasPrefix(p.src[p.pos:], s) }

func (p *parser) accept(s string) bool {
	if !p.ahead(s) {
		return false
	}
	p.pos += len(s)
	return true
}

// operator says whether an operator follows that a basic expression writes with "\".
func (p *parser) operator(s string) bool {
	if p.extended() {
		return p.ahead(s)
	}
	return p.ahead(`\` + s)
}

func (p *parser) acceptOperator(s string) bool {
	if !p.operator(s) {
		return false
	}
	p.pos += len(s)
	if !p.extended() {
		p.pos++
	}
	return true
}

func (p *parser) alternatives() (*node, error) {
	if p.depth++; p.depth > p.maxDepth {
		return nil, syntaxError(errBig)
	}
	defer func() { p.depth-- }()
	var subs []*node
	before, all := p.closed, p.closed
	for {
		p.closed = before // a group of another alternative is not there
		n, err := p.sequence()
		if err != nil {
			return nil, err
		}
		subs = append(subs, n)
		all |= p.closed
		if !p.acceptOperator("|") {
			p.closed = all
			return alternate(subs), nil
		}
	}
}

func (p *parser) sequence() (*node, error) {
	var subs []*node
	begin := true // nothing stands before that could be repeated
	for p.pos < len(p.src) && !p.operator("|") {
		if p.operator(")") && (!p.extended() || p.depth > 1) {
			break
		}
		n, err := p.atom(begin)
		if err != nil {
			return nil, err
		}
		if n == nil { // an operator with nothing to repeat
			continue
		}
		// Nothing between characters is repeated: what follows an anchor is as at the start.
		if begin = n.between(); !begin {
			if n, err = p.repeats(n); err != nil {
				return nil, err
			}
		}
		subs = append(subs, n)
	}
	return cat(subs...), nil
}

// atom reads what can be repeated; begin says that nothing that can be stands before it. It
// is nil when a repetition of nothing was left out.
func (p *parser) atom(begin bool) (*node, error) {
	if begin {
		if p.extended() {
			if skipped, err := p.skipRepeat(); skipped || err != nil {
				return nil, err
			}
		} else if p.accept("*") {
			return char('*'), nil
		}
	}
	from := p.pos
	switch {
	case p.acceptOperator("("):
		return p.group()
	case p.accept("^"):
		if p.extended() || p.anchorsBefore(from) {
			return &node{op: opBeginLine}, nil
		}
		return char('^'), nil
	case p.accept("$"):
		if p.extended() || p.pos == len(p.src) || p.operator(")") || p.operator("|") {
			return &node{op: opEndLine}, nil
		}
		return char('$'), nil
	case p.accept("["):
		return p.bracket()
	case p.accept("."):
		return p.dot(), nil
	case p.accept(`\`):
		return p.escape()
	}
	return p.character(), nil
}

// anchorsBefore says whether a "^" of a basic expression is an anchor where it stands.
func (p *parser) anchorsBefore(at int) bool {
	return at == 0 || strings.HasSuffix(p.src[:at], `\(`) || strings.HasSuffix(p.src[:at], `\|`) || p.src[at-1] == '\n'
}

func (p *parser) group() (*node, error) {
	p.groups++
	number := p.groups
	sub, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.acceptOperator(")") {
		return nil, syntaxError(errOpen)
	}
	if n := number - p.first; n <= 9 {
		p.closed |= 1 << n
	}
	return &node{op: opGroup, group: number, subs: []*node{sub}}, nil
}

func (p *parser) dot() *node { return &node{op: opSet, set: p.bar(anySet())} }

// bar takes out of a set what no record can hold.
func (p *parser) bar(s *set) *set {
	if p.o.Records {
		return s.without(rune(p.o.Terminator))
	}
	return s
}

// edge gives the anchor for an end of the text; of several records each is a text.
func (p *parser) edge(at op) *node {
	switch {
	case p.o.Records && at == opBeginText:
		at = opBeginLine
	case p.o.Records && (at == opEndText || at == opEndTextLine):
		at = opEndLine
	}
	return &node{op: at}
}

// character reads one character that stands for itself.
func (p *parser) character() *node {
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	at := p.pos
	p.pos += n
	if r == utf8.RuneError && n == 1 {
		return rawByte(p.src[at])
	}
	return foldChar(r, p.o.FoldCase)
}

// escape reads what follows a "\".
func (p *parser) escape() (*node, error) {
	if p.pos == len(p.src) {
		return nil, syntaxError("Trailing backslash")
	}
	if r, ok := p.charEscape(); ok {
		return foldChar(r, p.o.FoldCase), nil
	}
	c := p.src[p.pos]
	p.pos++
	switch c {
	case 'w':
		return &node{op: opSet, set: wordSet()}, nil
	case 'W':
		return &node{op: opSet, set: p.bar(wordSet().not())}, nil
	case 's':
		return &node{op: opSet, set: p.bar(spaceSet())}, nil
	case 'S':
		return &node{op: opSet, set: p.bar(spaceSet().not())}, nil
	case '<':
		return &node{op: opWordStart}, nil
	case '>':
		return &node{op: opWordEnd}, nil
	case 'b':
		return &node{op: opWordBorder}, nil
	case 'B':
		return &node{op: opNotWordBorder}, nil
	case '`':
		return p.edge(opBeginText), nil
	case '\'':
		return p.edge(opEndText), nil
	}
	if c >= '1' && c <= '9' && p.o.Escapes != AwkEscapes {
		number := int(c - '0')
		if p.closed&(1<<number) == 0 {
			return nil, syntaxError(errBackref)
		}
		return &node{op: opBackref, group: p.first + number, fold: p.o.FoldCase}, nil
	}
	p.pos--
	return p.character(), nil
}
