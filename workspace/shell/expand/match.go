package expand

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Match says whether the whole string matches.
func (p *Pattern) Match(s string) bool {
	switch p.shape {
	case justLiteral:
		return s == p.literal
	case starBefore:
		return strings.HasSuffix(s, p.literal)
	case starBehind:
		return strings.HasPrefix(s, p.literal)
	case starAround:
		return strings.Contains(s, p.literal)
	}
	if !p.groups {
		return p.greedy(s)
	}
	if !p.negated && !p.odd && utf8.ValidString(s) {
		if p.whole == nil {
			p.whole = p.regexp(`\A`, `\z`)
		}
		if p.whole != nil {
			return p.whole.MatchString(s)
		}
	}
	runes, _ := split(s)
	return slices.Contains(p.ends(p.elems, runes, []int{0}), len(runes))
}

// greedy matches a pattern without groups: only the last star ever has to take more.
func (p *Pattern) greedy(s string) bool {
	elems := p.elems
	e, i := 0, 0
	star, from := -1, 0
	for i < len(s) {
		r, size := decode(s[i:])
		switch {
		case e < len(elems) && elems[e].kind == anyText:
			star, from = e, i
			e++
		case e < len(elems) && p.is(&elems[e], r):
			e++
			i += size
		case star >= 0:
			_, size := decode(s[from:])
			from += size
			e, i = star+1, from
		default:
			return false
		}
	}
	for e < len(elems) && elems[e].kind == anyText {
		e++
	}
	return e == len(elems)
}

// prefix gives the length of the shortest or longest beginning that matches, -1 for none.
func (p *Pattern) prefix(s string, longest bool) int {
	switch p.shape {
	case justLiteral, starBehind:
		switch {
		case !strings.HasPrefix(s, p.literal):
			return -1
		case p.shape == starBehind && longest:
			return len(s)
		}
		return len(p.literal)
	case starBefore:
		i := strings.Index(s, p.literal)
		if longest {
			i = strings.LastIndex(s, p.literal)
		}
		if i < 0 {
			return -1
		}
		return i + len(p.literal)
	case starAround:
		i := strings.Index(s, p.literal)
		switch {
		case i < 0:
			return -1
		case longest:
			return len(s)
		}
		return i + len(p.literal)
	}
	runes, offsets := split(s)
	ends := p.ends(p.elems, runes, []int{0})
	if len(ends) == 0 {
		return -1
	}
	if longest {
		return offsets[slices.Max(ends)]
	}
	return offsets[slices.Min(ends)]
}

// suffix gives the offset of the shortest or longest end that matches, -1 for none.
func (p *Pattern) suffix(s string, longest bool) int {
	switch p.shape {
	case justLiteral, starBefore:
		switch {
		case !strings.HasSuffix(s, p.literal):
			return -1
		case p.shape == starBefore && longest:
			return 0
		}
		return len(s) - len(p.literal)
	case starBehind:
		if longest {
			return strings.Index(s, p.literal)
		}
		return strings.LastIndex(s, p.literal)
	case starAround:
		i := strings.LastIndex(s, p.literal)
		if i >= 0 && longest {
			return 0
		}
		return i
	}
	runes, offsets := split(s)
	slices.Reverse(runes)
	ends := p.ends(reversed(p.elems), runes, []int{0})
	if len(ends) == 0 {
		return -1
	}
	n := slices.Min(ends)
	if longest {
		n = slices.Max(ends)
	}
	return offsets[len(runes)-n]
}
