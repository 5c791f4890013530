package expand

import (
	"strings"
	"unicode"
)

// compile reads the text of a pattern, in which a backslash protects a character.
func compile(text string, nocase, ext bool) *Pattern {
	p := &Pattern{nocase: nocase}
	if !nocase && p.obvious(text) {
		return p
	}
	c := compiler{text: text, pattern: p, lastClose: lastClose(text)}
	if ext && strings.Contains(text, "(") {
		c.pair()
	}
	p.elems = c.sequence(0, len(text))
	p.recognise()
	return p
}

// obvious takes the short cuts that a text shows without being read: a literal, with a
// star before or behind it.
func (p *Pattern) obvious(text string) bool {
	literal := strings.TrimPrefix(text, "*")
	before := len(literal) < len(text)
	behind := strings.HasSuffix(literal, "*")
	if behind {
		literal = literal[:len(literal)-1]
	}
	if literal == "" && (before || behind) || strings.ContainsAny(literal, `*?[\(`) {
		return false
	}
	p.take(literal, before, behind)
	return true
}

type compiler struct {
	text    string
	pattern *Pattern
	closing map[int]int // of the ( of a group; its )
	bars    map[int][]int

	lastClose int // offset of the last ] that nothing protects: no set begins behind it
}

// lastClose gives the offset of the last ] that no backslash protects, -1 for none.
func lastClose(text string) int {
	last := -1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ']':
			last = i
		}
	}
	return last
}

// set gives the offset of the ] that closes the [ at an offset, 0 for none before to.
func (c *compiler) set(at, to int) int {
	if at > c.lastClose {
		return 0
	}
	return bracketEnd(c.text[:to], at)
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
			if end := c.set(i, len(c.text)); end > 0 {
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
			if end := c.set(i, to); end > 0 {
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
	p.take(b.String(), before, behind)
}

func (p *Pattern) take(literal string, before, behind bool) {
	p.literal = literal
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
