package expand

import (
	"regexp"
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

// split gives the characters of a string and their offsets, with the length at the end.
func split(s string) (runes []rune, offsets []int) {
	runes, offsets = make([]rune, 0, len(s)), make([]int, 0, len(s)+1)
	for i := 0; i < len(s); {
		r, size := decode(s[i:])
		runes, offsets = append(runes, r), append(offsets, i)
		i += size
	}
	return runes, append(offsets, len(s))
}

// reversed gives the elements that match a reversed string.
func reversed(elems []elem) []elem {
	out := slices.Clone(elems)
	slices.Reverse(out)
	for i := range out {
		if out[i].kind == aGroup {
			alts := make([][]elem, len(out[i].alts))
			for j, alt := range out[i].alts {
				alts[j] = reversed(alt)
			}
			out[i].alts = alts
		}
	}
	return out
}

// ends gives the positions, rising, at which the elements can end that begin at one of
// some positions. All positions are followed at once, so nothing is tried twice.
func (p *Pattern) ends(elems []elem, s []rune, from []int) []int {
	for i := range elems {
		if len(from) == 0 {
			return nil
		}
		switch e := &elems[i]; e.kind {
		case anyText:
			to := make([]int, 0, len(s)+1-from[0])
			for at := from[0]; at <= len(s); at++ {
				to = append(to, at)
			}
			from = to
		case aGroup:
			from = p.group(e, s, from)
		default:
			to := make([]int, 0, len(from))
			for _, at := range from {
				if at < len(s) && p.is(e, s[at]) {
					to = append(to, at+1)
				}
			}
			from = to
		}
	}
	return from
}

func (p *Pattern) group(e *elem, s []rune, from []int) []int {
	once := func(from []int) []int {
		var to []int
		for _, alt := range e.alts {
			to = union(to, p.ends(alt, s, from))
		}
		return to
	}
	switch e.op {
	case '@':
		return once(from)
	case '?':
		return union(from, once(from))
	case '!':
		var to []int
		for _, at := range from {
			not := once([]int{at})
			var rest []int
			for end := at; end <= len(s); end++ {
				if _, found := slices.BinarySearch(not, end); !found {
					rest = append(rest, end)
				}
			}
			to = union(to, rest)
		}
		return to
	}
	reached := from
	if e.op == '+' {
		reached = once(from)
	}
	for fresh := reached; len(fresh) > 0; {
		var found []int
		for _, at := range once(fresh) {
			if _, known := slices.BinarySearch(reached, at); !known {
				found = append(found, at)
			}
		}
		reached, fresh = union(reached, found), found
	}
	return reached
}

// union merges two rising lists.
func union(a, b []int) []int {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// finder gives a function that finds the first and there the longest match from an offset on.
func (p *Pattern) finder(s string) func(at int) (from, to int, ok bool) {
	if p.shape == justLiteral && p.literal != "" {
		return func(at int) (int, int, bool) {
			i := strings.Index(s[at:], p.literal)
			return at + i, at + i + len(p.literal), i >= 0
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
