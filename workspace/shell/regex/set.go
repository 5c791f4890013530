package regex

import (
	"encoding/binary"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// set is a set of characters, or one byte that is not UTF-8. It is never changed once made.
type set struct {
	ascii [2]uint64
	wide  []span // sorted, apart, all beyond ASCII
	raw   int    // a byte that is no character, or -1
}

type span struct{ lo, hi rune }

// newSet makes a set of spans in any order.
func newSet(spans []span) *set {
	s := &set{raw: -1}
	wide := make([]span, 0, len(spans))
	for _, sp := range spans {
		for r := sp.lo; r <= min(sp.hi, utf8.RuneSelf-1); r++ {
			s.ascii[r>>6] |= 1 << (r & 63)
		}
		if sp.hi >= utf8.RuneSelf {
			wide = append(wide, span{max(sp.lo, utf8.RuneSelf), sp.hi})
		}
	}
	slices.SortFunc(wide, func(a, b span) int { return int(a.lo - b.lo) })
	for _, sp := range wide {
		if n := len(s.wide); n > 0 && sp.lo <= s.wide[n-1].hi+1 {
			s.wide[n-1].hi = max(s.wide[n-1].hi, sp.hi)
		} else {
			s.wide = append(s.wide, sp)
		}
	}
	return s
}

func runeSet(r rune) *set { return newSet([]span{{r, r}}) }

func (s *set) has(r rune) bool {
	if r < utf8.RuneSelf {
		return s.ascii[r>>6]&(1<<(r&63)) != 0
	}
	_, found := slices.BinarySearchFunc(s.wide, r, func(sp span, r rune) int {
		switch {
		case sp.hi < r:
			return -1
		case sp.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// spans gives the set as spans, ASCII first.
func (s *set) spans() []span {
	var all []span
	for r := rune(0); r < utf8.RuneSelf; r++ {
		if !s.has(r) {
			continue
		}
		if n := len(all); n > 0 && all[n-1].hi == r-1 {
			all[n-1].hi = r
		} else {
			all = append(all, span{r, r})
		}
	}
	return append(all, s.wide...)
}

// not gives every other character.
func (s *set) not() *set {
	var all []span
	next := rune(0)
	for _, sp := range s.spans() {
		if sp.lo > next {
			all = append(all, span{next, sp.lo - 1})
		}
		next = sp.hi + 1
	}
	if next <= unicode.MaxRune {
		all = append(all, span{next, unicode.MaxRune})
	}
	return newSet(all)
}

func (s *set) without(r rune) *set {
	if !s.has(r) {
		return s
	}
	return newSet(append(s.not().spans(), span{r, r})).not()
}

// fold adds the other cases of what is in the set.
func (s *set) fold() *set {
	if s.raw >= 0 {
		return s
	}
	all := s.spans()
	const wide = 0x3000 // above it nothing that folds stands in spans as large
	for _, sp := range all {
		if sp.hi-sp.lo > wide {
			all = append(all, foldAll(sp)...)
			continue
		}
		for r := sp.lo; r <= sp.hi; r++ {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				all = append(all, span{f, f})
			}
		}
	}
	return newSet(all)
}

// foldAll gives the other cases of a large span: those of each letter with cases that is in it.
func foldAll(sp span) []span {
	var all []span
	for _, cased := range [][]span{upperSet().spans(), lowerSet().spans()} {
		for _, c := range cased {
			for r := max(c.lo, sp.lo); r <= min(c.hi, sp.hi); r++ {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					all = append(all, span{f, f})
				}
			}
		}
	}
	return all
}

// single gives the character of a set that has only one.
func (s *set) single() (rune, bool) {
	sp := s.spans()
	if s.raw < 0 && len(sp) == 1 && sp[0].lo == sp[0].hi {
		return sp[0].lo, true
	}
	return 0, false
}

func tableSpans(tables ...*unicode.RangeTable) []span {
	var all []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			all = append(all, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			all = append(all, span{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return all
}

// The classes are those of the C.UTF-8 locale: the whole of Unicode, but only ASCII digits.
var (
	upperSet = sync.OnceValue(func() *set { return newSet(tableSpans(unicode.Upper, unicode.Title)) })
	lowerSet = sync.OnceValue(func() *set { return newSet(tableSpans(unicode.Lower, unicode.Other_Lowercase)) })
	alphaSet = sync.OnceValue(func() *set {
		return newSet(slices.DeleteFunc(tableSpans(unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.Nd), func(sp span) bool { return sp.lo == '0' }))
	})
	alnumSet = sync.OnceValue(func() *set { return newSet(append(alphaSet().spans(), span{'0', '9'})) })
	wordSet  = sync.OnceValue(func() *set { return newSet(append(alnumSet().spans(), span{'_', '_'})) })
	spaceSet = sync.OnceValue(func() *set {
		spans := append(tableSpans(unicode.Z), span{'\t', '\r'})
		return newSet(spans).without(0xa0).without(0x2007).without(0x202f)
	})
	blankSet = sync.OnceValue(func() *set {
		return newSet(append(tableSpans(unicode.Zs), span{'\t', '\t'})).without(0xa0).without(0x2007).without(0x202f)
	})
	cntrlSet = sync.OnceValue(func() *set { return newSet(append(tableSpans(unicode.Cc), span{0x2028, 0x2029})) })
	printSet = sync.OnceValue(func() *set {
		return newSet(tableSpans(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Cf, unicode.Co))
	})
	graphSet = sync.OnceValue(func() *set {
		return newSet(append(printSet().not().spans(), spaceSet().spans()...)).not()
	})
	punctSet = sync.OnceValue(func() *set {
		return newSet(append(graphSet().not().spans(), alnumSet().spans()...)).not()
	})
	anySet = sync.OnceValue(func() *set { return newSet([]span{{0, unicode.MaxRune}}) })
)

// class gives a POSIX class by its name, or nil.
func class(name string) *set {
	switch name {
	case "alpha":
		return alphaSet()
	case "digit":
		return newSet([]span{{'0', '9'}})
	case "alnum":
		return alnumSet()
	case "upper":
		return upperSet()
	case "lower":
		return lowerSet()
	case "space":
		return spaceSet()
	case "blank":
		return blankSet()
	case "punct":
		return punctSet()
	case "print":
		return printSet()
	case "graph":
		return graphSet()
	case "cntrl":
		return cntrlSet()
	case "xdigit":
		return newSet([]span{{'0', '9'}, {'a', 'f'}, {'A', 'F'}})
	}
	return nil
}

// key tells equal sets.
func (s *set) key() string {
	if s.raw >= 0 {
		return string([]byte{'r', byte(s.raw)})
	}
	key := make([]byte, 0, 16+8*len(s.wide))
	for _, w := range s.ascii {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	for _, sp := range s.wide {
		key = binary.LittleEndian.AppendUint32(key, uint32(sp.lo))
		key = binary.LittleEndian.AppendUint32(key, uint32(sp.hi))
	}
	return string(key)
}
