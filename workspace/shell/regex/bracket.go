package regex

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// bracket reads a bracket expression whose "[" was read.
func (p *parser) bracket() (*node, error) {
	negate := p.accept("^")
	var spans []span
	var raw []int
	for first := true; ; first = false {
		if p.pos >= len(p.src) {
			return nil, syntaxError(errBracket)
		}
		if !first && p.accept("]") {
			break
		}
		if p.ahead("[:") {
			s, err := p.class()
			if err != nil {
				return nil, err
			}
			if p.ahead("-") && !p.ahead("-]") {
				return nil, syntaxError("Invalid range end")
			}
			spans = append(spans, s.spans()...)
			continue
		}
		lo, isRaw, err := p.element()
		if err != nil {
			return nil, err
		}
		hi := lo
		if p.ahead("-") && !p.ahead("-]") && p.pos+1 < len(p.src) {
			p.pos++
			var hiRaw bool
			if p.ahead("[:") {
				return nil, syntaxError("Invalid range end")
			}
			if hi, hiRaw, err = p.element(); err != nil {
				return nil, err
			}
			if hi < lo || hiRaw != isRaw {
				return nil, syntaxError("Invalid range end")
			}
		}
		if !isRaw {
			spans = append(spans, span{lo, hi})
			continue
		}
		for b := lo; b <= hi; b++ {
			raw = append(raw, int(b))
		}
	}
	return p.bracketNode(spans, raw, negate), nil
}

// bracketNode makes the node of a bracket expression. A list that is negated matches no byte
// that is not a character.
func (p *parser) bracketNode(spans []span, raw []int, negate bool) *node {
	s := newSet(spans)
	if p.o.FoldCase {
		s = s.fold()
	}
	if negate {
		s = s.not()
	}
	n := &node{op: opSet, set: p.bar(s)}
	if negate || len(raw) == 0 {
		return n
	}
	alt := &node{op: opAlt, subs: []*node{n}}
	slices.Sort(raw)
	for _, b := range slices.Compact(raw) {
		alt.subs = append(alt.subs, rawByte(byte(b)))
	}
	return alt
}

// class reads [:name:].
func (p *parser) class() (*set, error) {
	name, _, ok := strings.Cut(p.src[p.pos+2:], ":]")
	if !ok {
		return nil, syntaxError(errBracket)
	}
	p.pos += len(name) + 4
	if p.o.FoldCase && (name == "upper" || name == "lower") {
		name = "alpha"
	}
	s := class(name)
	if s == nil {
		return nil, syntaxError("Invalid character class name")
	}
	return s, nil
}

// element reads one character of a list: itself, [.c.], [=c=], or an escape.
func (p *parser) element() (r rune, raw bool, err error) {
	for _, kind := range []string{".", "="} {
		if !p.accept("[" + kind) {
			continue
		}
		name, _, ok := strings.Cut(p.src[p.pos:], kind+"]")
		if !ok {
			return 0, false, syntaxError(errBracket)
		}
		p.pos += len(name) + 2
		r, n := utf8.DecodeRuneInString(name)
		if n == 0 || n != len(name) {
			return 0, false, syntaxError("Invalid collation character")
		}
		return r, false, nil
	}
	if p.o.Escapes != NoEscapes && p.ahead(`\`) && p.pos+1 < len(p.src) {
		p.pos++
		if r, ok := p.charEscape(); ok {
			return r, false, nil
		}
		if p.o.Escapes != AwkEscapes {
			return '\\', false, nil
		}
	}
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	at := p.pos
	p.pos += n
	if r == utf8.RuneError && n == 1 {
		return rune(p.src[at]), true, nil
	}
	return r, false, nil
}

// charEscape reads an escape, whose "\" was read, that stands for a character in the
// language of the caller.
func (p *parser) charEscape() (rune, bool) {
	if p.o.Escapes == NoEscapes {
		return 0, false
	}
	c := p.src[p.pos]
	if i := strings.IndexByte("ntfvar", c); i >= 0 {
		p.pos++
		return rune("\n\t\f\v\a\r"[i]), true
	}
	awk := p.o.Escapes == AwkEscapes
	switch {
	case c == 'x':
		return p.numeric(1, 2, 16)
	case awk && c >= '0' && c <= '7':
		return p.numeric(0, 3, 8)
	case awk && (c == '/' || c == '"'):
		p.pos++
		return rune(c), true
	case !awk && c == 'o':
		return p.numeric(1, 3, 8)
	case !awk && c == 'd':
		return p.numeric(1, 3, 10)
	case !awk && c == 'c' && p.pos+1 < len(p.src):
		p.pos += 2
		c = p.src[p.pos-1]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		return rune(c ^ 0x40), true
	}
	return 0, false
}

// numeric reads up to most digits of a base after skip bytes.
func (p *parser) numeric(skip, most, base int) (rune, bool) {
	value, n := 0, 0
	for at := p.pos + skip; n < most && at+n < len(p.src); n++ {
		d := digit(p.src[at+n])
		if d >= base {
			break
		}
		value = value*base + d
	}
	if n == 0 {
		return 0, false
	}
	p.pos += skip + n
	return rune(value), true
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 10
	}
	return 99
}
