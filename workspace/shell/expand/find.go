package expand

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// finder gives a function that finds the first and there the longest match from an offset on.
func (p *Pattern) finder(s string) func(at int) (from, to int, ok bool) {
	switch p.shape {
	case justLiteral, starBehind:
		return func(at int) (int, int, bool) {
			i := at + strings.Index(s[at:], p.literal)
			if p.shape == starBehind {
				return i, len(s), i >= at
			}
			return i, i + len(p.literal), i >= at
		}
	case starBefore, starAround:
		return func(at int) (int, int, bool) {
			i := at + strings.LastIndex(s[at:], p.literal)
			if p.shape == starAround {
				return at, len(s), i >= at
			}
			return at, i + len(p.literal), i >= at
		}
	}
	if p.fixed() {
		return func(at int) (int, int, bool) { return p.scan(s, at) }
	}
	if !p.negated && !p.odd && utf8.ValidString(s) {
		if p.search == nil {
			p.search = p.regexp("", "")
		}
		if re := p.search; re != nil {
			return func(at int) (int, int, bool) {
				m := re.FindStringIndex(s[at:])
				if m == nil {
					return 0, 0, false
				}
				return at + m[0], at + m[1], true
			}
		}
	}
	runes, offsets := split(s)
	return func(at int) (int, int, bool) {
		first, _ := slices.BinarySearch(offsets, at)
		for i := first; i <= len(runes); i++ {
			if ends := p.ends(p.elems, runes, []int{i}); len(ends) > 0 {
				return offsets[i], offsets[ends[len(ends)-1]], true
			}
		}
		return 0, 0, false
	}
}

// fixed says whether each element stands for one character.
func (p *Pattern) fixed() bool {
	for i := range p.elems {
		if kind := p.elems[i].kind; kind == anyText || kind == aGroup {
			return false
		}
	}
	return len(p.elems) > 0
}

// scan finds the first match of a fixed pattern from an offset on.
func (p *Pattern) scan(s string, at int) (from, to int, ok bool) {
	for at < len(s) {
		end, i := at, 0
		for ; i < len(p.elems) && end < len(s); i++ {
			r, size := decode(s[end:])
			if !p.is(&p.elems[i], r) {
				break
			}
			end += size
		}
		if i == len(p.elems) {
			return at, end, true
		}
		_, size := decode(s[at:])
		at += size
	}
	return 0, 0, false
}

// regexp gives the pattern as a regular expression, nil where that cannot be.
func (p *Pattern) regexp(before, behind string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("(?s")
	if p.nocase {
		b.WriteByte('i')
	}
	b.WriteString(")" + before + "(?:")
	appendRegexp(&b, p.elems)
	b.WriteString(")" + behind)
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil
	}
	re.Longest()
	return re
}

func appendRegexp(b *strings.Builder, elems []elem) {
	for i := range elems {
		switch e := &elems[i]; e.kind {
		case aChar:
			b.WriteString(regexp.QuoteMeta(string(e.char)))
		case anyChar:
			b.WriteByte('.')
		case anyText:
			b.WriteString(".*")
		case aSet:
			e.set.appendRegexp(b)
		case aGroup:
			b.WriteString("(?:")
			for j, alt := range e.alts {
				if j > 0 {
					b.WriteByte('|')
				}
				appendRegexp(b, alt)
			}
			b.WriteByte(')')
			if e.op != '@' {
				b.WriteByte(e.op)
			}
		}
	}
}
