package regex

import "unicode/utf8"

// classes sorts characters into those that the program tells apart. Classes of ASCII are
// known at the start; others are found as the text has them.
type classes struct {
	p      *prog
	ascii  [utf8.RuneSelf]uint16
	member [][]bool // of a class: which sets have it
	kind   []kinds
	index  map[string]uint16
	recent [256]struct {
		r   rune
		cls uint16
	}
	raw [256]uint16 // class of a byte that is no character, 0 unknown
}

// classEnd is the class of the end of the text.
const classEnd = 0

func newClasses(p *prog) *classes {
	c := &classes{p: p, index: map[string]uint16{}, member: [][]bool{make([]bool, len(p.sets))}, kind: []kinds{isEdge}}
	signature := make([]byte, len(p.sets)+1)
	for r := range rune(utf8.RuneSelf) {
		c.ascii[r] = c.find(signature, r, -1)
	}
	for i := range c.recent {
		c.recent[i].r = -1
	}
	return c
}

func (c *classes) find(signature []byte, r rune, raw int) uint16 {
	for i, s := range c.p.sets {
		signature[i] = 0
		if raw >= 0 && s.raw == raw || raw < 0 && s.raw < 0 && s.has(r) {
			signature[i] = 1
		}
	}
	k := kinds(0)
	if raw < 0 {
		k = c.p.kindOf(r) & c.p.needs
	}
	signature[len(c.p.sets)] = byte(k)
	if cls, ok := c.index[string(signature)]; ok {
		return cls
	}
	cls := uint16(len(c.member))
	c.index[string(signature)] = cls
	member := make([]bool, len(c.p.sets))
	for i := range member {
		member[i] = signature[i] == 1
	}
	c.member = append(c.member, member)
	c.kind = append(c.kind, k)
	return cls
}

// wide gives the class of a character beyond ASCII.
func (c *classes) wide(r rune) uint16 {
	slot := &c.recent[r&255]
	if slot.r != r {
		slot.r, slot.cls = r, c.find(make([]byte, len(c.p.sets)+1), r, -1)
	}
	return slot.cls
}

// next gives the class and the length of what stands at an offset.
func (c *classes) next(b []byte, at int) (cls uint16, n int) {
	if at >= len(b) {
		return classEnd, 0
	}
	if b[at] < utf8.RuneSelf {
		return c.ascii[b[at]], 1
	}
	r, n := utf8.DecodeRune(b[at:])
	return c.wideOrRaw(r, n, b[at]), n
}

// last gives the class and the length of what stands before an offset.
func (c *classes) last(b []byte, at int) (cls uint16, n int) {
	if at <= 0 {
		return classEnd, 0
	}
	if b[at-1] < utf8.RuneSelf {
		return c.ascii[b[at-1]], 1
	}
	r, n := utf8.DecodeLastRune(b[:at])
	return c.wideOrRaw(r, n, b[at-1]), n
}

func (c *classes) wideOrRaw(r rune, n int, b byte) uint16 {
	if r != utf8.RuneError || n != 1 {
		return c.wide(r)
	}
	if c.raw[b] == 0 {
		c.raw[b] = c.find(make([]byte, len(c.p.sets)+1), 0, int(b))
	}
	return c.raw[b]
}
