package expand

import (
	"slices"
)

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
