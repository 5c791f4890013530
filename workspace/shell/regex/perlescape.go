package regex

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// perlEscape reads what follows a "\" outside of brackets.
func (p *parser) perlEscape() (*node, error) {
	if p.pos == len(p.src) {
		return nil, syntaxError(`\ at end of pattern`)
	}
	c := p.src[p.pos]
	if c == 'N' && strings.HasPrefix(p.src[p.pos:], "N{") {
		return nil, syntaxError(`\N{name} is not supported`)
	}
	if s := perlSet(c); s != nil {
		p.pos++
		return &node{op: opSet, set: p.bar(s)}, nil
	}
	between := map[byte]op{'b': opWordBorder, 'B': opNotWordBorder, 'A': opBeginText, 'z': opEndText, 'Z': opEndTextLine, 'G': opBeginText, 'K': opKeep}
	if at, ok := between[c]; ok {
		p.pos++
		return p.edge(at), nil
	}
	switch {
	case c == 'E':
		p.pos++
		return &node{op: opEmpty}, nil
	case c == 'R':
		p.pos++
		return p.lineBreak(), nil
	case c == 'X' || c == 'C':
		return nil, syntaxError(`\%c is not supported`, c)
	case c == 'g' || c == 'k':
		return p.perlReference()
	case c >= '1' && c <= '9':
		from := p.pos
		number, _ := p.number()
		if number > 9 && number > strings.Count(p.src, "(") {
			p.pos = from
			if r, ok := p.numeric(0, 3, 8); ok { // of two digits or more: a character
				return foldChar(r, p.flags.fold), nil
			}
		}
		return p.backref(number)
	case c == 'p' || c == 'P':
		s, err := p.property()
		if err != nil {
			return nil, err
		}
		return &node{op: opSet, set: p.bar(s)}, nil
	}
	r, err := p.perlCode()
	if err != nil {
		return nil, err
	}
	return foldChar(r, p.flags.fold), nil
}

// lineBreak is \R.
func (p *parser) lineBreak() *node {
	pair := cat(char('\r'), char('\n'))
	return &node{op: opAtomic, subs: []*node{{op: opAlt, subs: []*node{pair, {op: opSet, set: p.bar(perlSet('v'))}}}}}
}

// backref may name a group that comes later; one that never comes is found when compiled.
func (p *parser) backref(number int) (*node, error) {
	if number <= 0 || number > p.first+strings.Count(p.src, "(") {
		return nil, syntaxError("reference to non-existent subpattern")
	}
	return &node{op: opBackref, group: p.first + number, fold: p.flags.fold}, nil
}

// perlReference reads \g1, \g{1}, \g{-1}, \g{name}, \k<name>, \k{name} and \k'name'.
func (p *parser) perlReference() (*node, error) {
	p.pos++
	name := ""
	if p.pos < len(p.src) {
		if i := strings.IndexByte("{<'", p.src[p.pos]); i >= 0 {
			var ok bool
			if name, _, ok = strings.Cut(p.src[p.pos+1:], "}>'"[i:i+1]); ok {
				p.pos += len(name) + 2
			}
		} else {
			from := p.pos
			p.accept("-")
			p.number()
			name = p.src[from:p.pos]
		}
	}
	number, err := strconv.Atoi(name)
	switch {
	case err != nil:
		if number = p.names[name] - p.first; p.names[name] == 0 {
			return nil, syntaxError("reference to non-existent subpattern")
		}
	case number < 0:
		number += p.groups - p.first + 1
	}
	return p.backref(number)
}

// perlCode reads an escape that stands for one character.
func (p *parser) perlCode() (rune, error) {
	c := p.src[p.pos]
	if i := strings.IndexByte("ntrfae", c); i >= 0 {
		p.pos++
		return rune("\n\t\r\f\a\x1b"[i]), nil
	}
	switch {
	case c == 'x' || c == 'o':
		base := 16
		if c == 'o' {
			base = 8
		}
		if digits, _, ok := strings.Cut(strings.TrimPrefix(p.src[p.pos+1:], "{"), "}"); ok && strings.HasPrefix(p.src[p.pos+1:], "{") {
			n, err := strconv.ParseUint(digits, base, 32)
			if err != nil || n > unicode.MaxRune {
				return 0, syntaxError(`character code point value in \x{} or \o{} is too large`)
			}
			p.pos += len(digits) + 3
			return rune(n), nil
		}
		if r, ok := p.numeric(1, 2, base); ok {
			return r, nil
		}
		p.pos++
		return 0, nil
	case c == '0':
		r, _ := p.numeric(0, 3, 8)
		return r, nil
	case c == 'c' && p.pos+1 < len(p.src):
		p.pos += 2
		return unicode.ToUpper(rune(p.src[p.pos-1])) ^ 0x40, nil
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return 0, syntaxError(`unrecognized character follows \`)
	}
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	p.pos += n
	return r, nil
}

// property reads \pL, \p{Lu}, \p{^Greek} and \P{...}.
func (p *parser) property() (*set, error) {
	negate := p.src[p.pos] == 'P'
	p.pos++
	name := ""
	if p.accept("{") {
		var ok bool
		if name, _, ok = strings.Cut(p.src[p.pos:], "}"); !ok {
			return nil, syntaxError(`malformed \P or \p sequence`)
		}
		p.pos += len(name) + 1
	} else if p.pos < len(p.src) {
		name = p.src[p.pos : p.pos+1]
		p.pos++
	}
	if strings.HasPrefix(name, "^") {
		negate, name = !negate, name[1:]
	}
	table := unicode.Categories[name]
	if table == nil {
		table = unicode.Scripts[name]
	}
	s := anySet()
	switch {
	case table != nil:
		s = newSet(tableSpans(table))
	case name == "L&":
		s = newSet(tableSpans(unicode.Lu, unicode.Ll, unicode.Lt))
	case name != "Any":
		return nil, syntaxError(`unknown property name after \P or \p`)
	}
	if negate {
		s = s.not()
	}
	return s, nil
}

// perlClass reads a bracket expression of Perl's whose "[" was read.
func (p *parser) perlClass() (*node, error) {
	negate := p.accept("^")
	var spans []span
	for first := true; ; first = false {
		if p.pos >= len(p.src) {
			return nil, syntaxError("missing terminating ] for character class")
		}
		if !first && p.accept("]") {
			break
		}
		s, lo, err := p.perlElement()
		if err != nil {
			return nil, err
		}
		if s != nil {
			spans = append(spans, s.spans()...)
			continue
		}
		hi := lo
		if p.ahead("-") && !p.ahead("-]") && p.pos+1 < len(p.src) {
			p.pos++
			if s, hi, err = p.perlElement(); err != nil {
				return nil, err
			}
			if s != nil { // a "-" before a class is itself
				spans = append(append(spans, span{lo, lo}, span{'-', '-'}), s.spans()...)
				continue
			}
			if hi < lo {
				return nil, syntaxError("range out of order in character class")
			}
		}
		spans = append(spans, span{lo, hi})
	}
	s := newSet(spans)
	if p.flags.fold {
		s = s.fold()
	}
	if negate {
		s = s.not()
	}
	return &node{op: opSet, set: p.bar(s)}, nil
}

// perlElement reads one character of a list, or a set.
func (p *parser) perlElement() (*set, rune, error) {
	if name, _, ok := strings.Cut(p.src[p.pos:], ":]"); ok && strings.HasPrefix(name, "[:") {
		p.pos += len(name) + 2
		name, negate := strings.CutPrefix(name[2:], "^")
		s := class(name)
		if name == "word" {
			s = asciiWordSet()
		}
		if s == nil {
			return nil, 0, syntaxError("unknown POSIX class name")
		}
		if s = newSet(asciiSpans(s)); negate {
			s = s.not()
		}
		return s, 0, nil
	}
	if !p.accept(`\`) {
		r, n := utf8.DecodeRuneInString(p.src[p.pos:])
		p.pos += n
		return nil, r, nil
	}
	if p.pos == len(p.src) {
		return nil, 0, syntaxError(`\ at end of pattern`)
	}
	c := p.src[p.pos]
	if s := perlSet(c); s != nil {
		p.pos++
		return s, 0, nil
	}
	switch {
	case c == 'p' || c == 'P':
		s, err := p.property()
		return s, 0, err
	case c == 'b':
		p.pos++
		return nil, '\b', nil
	case c >= '1' && c <= '7':
		r, _ := p.numeric(0, 3, 8)
		return nil, r, nil
	}
	r, err := p.perlCode()
	return nil, r, err
}

func asciiSpans(s *set) []span {
	var all []span
	for _, sp := range s.spans() {
		if sp.lo < utf8.RuneSelf {
			all = append(all, span{sp.lo, min(sp.hi, utf8.RuneSelf-1)})
		}
	}
	return all
}
