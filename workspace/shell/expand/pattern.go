package expand

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is a compiled pattern of the shell. It is not safe for concurrent use.
type Pattern struct {
	elems   []elem
	nocase  bool
	groups  bool // it has extended patterns
	negated bool // !(...) among them
	odd     bool // it has bytes that are no UTF-8
	literal string
	shape   shape

	search *regexp.Regexp // for finders, made when needed
	whole  *regexp.Regexp // for Match of groups
}

// shape says which short cut a pattern allows: its literal with a star before or behind.
type shape uint8

const (
	general     shape = iota
	justLiteral       // abc
	starBefore        // *abc
	starBehind        // abc*
	starAround        // *abc*
)

type elemKind uint8

const (
	aChar elemKind = iota
	anyChar
	anyText
	aSet
	aGroup
)

// elem is one element of a pattern.
type elem struct {
	kind elemKind
	op   byte // of a group: one of ?*+@!
	char rune
	set  *set
	alts [][]elem
}

// oddRune stands for a byte that is no UTF-8, so that it only equals itself.
const oddRune = unicode.MaxRune + 1

// decode gives the first character of s and its size; s is not empty.
func decode(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size <= 1 {
		return oddRune + rune(s[0]), 1
	}
	return r, size
}

// Match says whether a string matches a pattern, extended patterns too.
func Match(pattern, s string, nocase bool) bool {
	return compile(pattern, nocase, true).Match(s)
}

// compile reads the text of a pattern, in which a backslash protects a character.
func compile(text string, nocase, ext bool) *Pattern {
	p := &Pattern{nocase: nocase}
	if !strings.ContainsAny(text, `*?[\(`) && !nocase {
		p.literal, p.shape = text, justLiteral
		return p
	}
	c := compiler{text: text, pattern: p}
	if ext && strings.Contains(text, "(") {
		c.pair()
	}
	p.elems = c.sequence(0, len(text))
	p.recognise()
	return p
}

type compiler struct {
	text    string
	pattern *Pattern
	closing map[int]int // of the ( of a group; its )
	bars    map[int][]int
}

// pair finds the groups of the text and the bars that part their alternatives.
func (c *compiler) pair() {
	c.closing, c.bars = map[int]int{}, map[int][]int{}
	type opening struct {
		at    int
		group bool
	}
	var open []opening
	for i := 0; i < len(c.text); i++ {
		switch c.text[i] {
		case '\\':
			i++
		case '[':
			if end := bracketEnd(c.text, i); end > 0 {
				i = end
			}
		case '(':
			group := i > 0 && strings.IndexByte("?*+@!", c.text[i-1]) >= 0
			if group || len(open) > 0 {
				open = append(open, opening{i, group})
			}
		case '|':
			if len(open) > 0 {
				at := open[len(open)-1].at
				c.bars[at] = append(c.bars[at], i)
			}
		case ')':
			if len(open) > 0 {
				if last := open[len(open)-1]; last.group && len(open) <= 500 {
					c.closing[last.at] = i
				}
				open = open[:len(open)-1]
			}
		}
	}
}

// sequence reads the elements between two offsets.
func (c *compiler) sequence(from, to int) []elem {
	elems := make([]elem, 0, to-from)
	for i := from; i < to; {
		ch := c.text[i]
		if i+1 < to && c.text[i+1] == '(' && strings.IndexByte("?*+@!", ch) >= 0 {
			if end, ok := c.closing[i+1]; ok && end < to {
				elems = append(elems, c.group(ch, i+1, end))
				i = end + 1
				continue
			}
		}
		switch ch {
		case '*':
			if len(elems) == 0 || elems[len(elems)-1].kind != anyText {
				elems = append(elems, elem{kind: anyText})
			}
			i++
			continue
		case '?':
			elems = append(elems, elem{kind: anyChar})
			i++
			continue
		case '[':
			if end := bracketEnd(c.text[:to], i); end > 0 {
				elems = append(elems, elem{kind: aSet, set: parseSet(c.text[i+1 : end])})
				i = end + 1
				continue
			}
		case '\\':
			if i+1 < to {
				i++
			}
		}
		r, size := decode(c.text[i:to])
		c.pattern.odd = c.pattern.odd || r > unicode.MaxRune
		elems = append(elems, elem{kind: aChar, char: r})
		i += size
	}
	return elems
}

func (c *compiler) group(op byte, open, end int) elem {
	c.pattern.groups = true
	c.pattern.negated = c.pattern.negated || op == '!'
	e := elem{kind: aGroup, op: op}
	from := open + 1
	for _, bar := range c.bars[open] {
		if bar < end {
			e.alts = append(e.alts, c.sequence(from, bar))
			from = bar + 1
		}
	}
	e.alts = append(e.alts, c.sequence(from, end))
	return e
}

// recognise looks for a short cut.
func (p *Pattern) recognise() {
	if p.nocase {
		return
	}
	elems := p.elems
	before := len(elems) > 0 && elems[0].kind == anyText
	if before {
		elems = elems[1:]
	}
	behind := len(elems) > 0 && elems[len(elems)-1].kind == anyText
	if behind {
		elems = elems[:len(elems)-1]
	}
	var b strings.Builder
	for _, e := range elems {
		if e.kind != aChar {
			return
		}
		if e.char >= oddRune {
			b.WriteByte(byte(e.char - oddRune))
		} else {
			b.WriteRune(e.char)
		}
	}
	p.literal = b.String()
	switch {
	case before && behind:
		p.shape = starAround
	case before:
		p.shape = starBefore
	case behind:
		p.shape = starBehind
	default:
		p.shape = justLiteral
	}
}

// is says whether an element that stands for one character stands for r.
func (p *Pattern) is(e *elem, r rune) bool {
	switch e.kind {
	case aChar:
		return e.char == r || p.nocase && fold(e.char) == fold(r)
	case anyChar:
		return true
	case aSet:
		has := e.set.has(r)
		if p.nocase && r <= unicode.MaxRune && has == e.set.negated {
			// One case that is in the set is enough, or that is left out.
			has = e.set.has(unicode.ToLower(r)) && e.set.has(unicode.ToUpper(r))
			if !e.set.negated {
				has = e.set.has(unicode.ToLower(r)) || e.set.has(unicode.ToUpper(r))
			}
		}
		return has
	}
	return false
}

func fold(r rune) rune {
	if r > unicode.MaxRune {
		return r
	}
	return unicode.ToLower(r)
}

// unescapePattern removes the backslashes of a pattern without special characters.
func unescapePattern(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}

// appendEscaped adds text of which every character stands for itself in a pattern.
func appendEscaped(b []byte, s string) []byte {
	for i := range len(s) {
		ch := s[i]
		if ch < utf8.RuneSelf && !isWordByte(ch) && ch != '/' && ch != '.' && ch != ' ' {
			b = append(b, '\\')
		}
		b = append(b, ch)
	}
	return b
}

// isGlob says whether a text has a character of patterns that no backslash protects.
func isGlob[T string | []byte](s T, ext bool) bool {
	bracket := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			bracket = true
		case ']':
			if bracket {
				return true
			}
		case '+', '@', '!':
			if ext && i+1 < len(s) && s[i+1] == '(' {
				return true
			}
		}
	}
	return false
}
