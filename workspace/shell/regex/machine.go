package regex

import (
	"bytes"
	"unicode/utf8"
)

// machine is the working memory of a [Regexp]: one user at a time.
type machine struct {
	re       *Regexp
	classes  *classes
	first    *dfa // finds that there is a match
	longest  *dfa // finds the end
	reverse  *dfa // finds the beginning
	skips    int  // how often the prefix was searched, and
	skipped  int  // how many bytes that left out
	visited  []uint32
	stack    []frame
	caps     []int
	saved    []int
	regs     []int
	steps    int64
	pikeTo   threads
	pikeFrom threads
}

func newMachine(re *Regexp) *machine { return &machine{re: re} }

// automaton makes one of the automata when it is first needed.
func (m *machine) automaton(at **dfa, kind dfaKind) *dfa {
	if *at != nil {
		return *at
	}
	p := m.re.prog
	switch {
	case kind == dfaReverse:
		// As large as the program forwards, or smaller: it cannot fail.
		p, _ = compile(m.re.root, &m.re.o, len(p.insts)+1, true)
		*at = newDFA(p, newClasses(p), kind)
	default:
		if m.classes == nil {
			m.classes = newClasses(p)
		}
		*at = newDFA(p, m.classes, kind)
		(*at).jumps = len(m.re.prefix) > 0
	}
	return *at
}

// earliest says whether there is a match at or after an offset, and where the first one that
// ends does so.
func (m *machine) earliest(b []byte, at int) (end int, ok bool) {
	return m.run(m.automaton(&m.first, dfaEarliest), b, at)
}

// span finds the leftmost-longest match at or after an offset.
func (m *machine) span(b []byte, at int) (start, end int, ok bool) {
	if end, ok = m.run(m.automaton(&m.longest, dfaLongest), b, at); !ok {
		return 0, 0, false
	}
	return m.backwards(b, at, end), end, true
}

// run runs an automaton forwards. The end that it gives is that of the last match it saw.
func (m *machine) run(d *dfa, b []byte, at int) (end int, ok bool) {
	i := at
	if d.jumps {
		if i = m.skip(b, i); i < 0 {
			return 0, false
		}
	}
	s := d.begin(d.p.before(b, i))
	trans, ascii := d.trans, &d.classes.ascii
	for {
		var t, cls uint32
		n := 1
		for i < len(b) {
			c := b[i]
			if c >= utf8.RuneSelf {
				break
			}
			cls = uint32(ascii[c])
			if t = trans[s+cls]; t-1 >= atStart-1 {
				goto special
			}
			s = t // nothing but a state
			i++
		}
		{
			var wide uint16
			wide, n = d.classes.next(b, i)
			cls, t = uint32(wide), 0
			if int(wide) < d.stride {
				t = trans[s+cls]
			}
			if t-1 < atStart-1 {
				s = t
				i += n
				continue
			}
		}
	special:
		if t == 0 {
			t = d.step(s, uint16(cls))
			trans = d.trans
		}
		if t&matched != 0 {
			end, ok = i, true
			if d.kind == dfaEarliest {
				return end, true
			}
		}
		if t&dead != 0 {
			return end, ok
		}
		s = t &^ bits
		i += n
		if t&atStart == 0 || !d.jumps {
			continue
		}
		from := i
		if i = m.skip(b, i); i < 0 {
			return end, ok
		}
		if s = d.begin(d.p.before(b, i)); m.tooShort(i - from) {
			d.jumps = false
			s = d.renew(s)
		}
		trans = d.trans
	}
}

// skip gives the next place where the prefix stands, or -1.
func (m *machine) skip(b []byte, at int) int {
	i := bytes.Index(b[at:], m.re.prefix)
	if i < 0 {
		return -1
	}
	return at + i
}

// tooShort says, after many skips, that they leave out too little to be worth it.
func (m *machine) tooShort(n int) bool {
	const enough, worth = 64, 12
	m.skips++
	m.skipped += n
	return m.skips > enough && m.skipped < worth*m.skips
}

// backwards gives the leftmost beginning, not before at, of a match that ends at end.
func (m *machine) backwards(b []byte, at, end int) (start int) {
	d := m.automaton(&m.reverse, dfaReverse)
	s := d.begin(d.p.after(b, end))
	start = end
	for i := end; ; {
		cls, n := d.classes.last(b, i)
		t := uint32(0)
		if int(cls) < d.stride {
			t = d.trans[s+uint32(cls)]
		}
		if t == 0 {
			t = d.step(s, cls)
		}
		if t&matched != 0 {
			start = i
		}
		if t&dead != 0 || i <= at {
			return start
		}
		s = t &^ bits
		i -= n
	}
}
