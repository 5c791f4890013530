package regex

import "unicode/utf8"

// Groups of an expression that is regular: where the match begins is known, and in the
// leftmost-longest languages where it ends, so only the way between is looked for, in the
// order of preference, each instruction at each place at most once.

type frame struct {
	pc  int32
	at  int
	old int // of a slot that is to be restored; pc is -1-slot
}

// maxVisited bounds the memory of the search that goes back, in bits; beyond it the threads
// of [machine.pike] run side by side.
const maxVisited = 1 << 24

// groups gives the offsets of a match that begins at start and, unless it is -1, ends at end.
func (m *machine) groups(b []byte, start, end int) []int {
	p := m.re.prog
	last := end
	if end < 0 {
		last = len(b)
	}
	caps := make([]int, p.slots)
	for i := range caps {
		caps[i] = -1
	}
	caps[0] = start
	if width := last - start + 1; width*len(p.insts) <= maxVisited {
		m.search(b, start, end, width, caps)
	} else {
		caps = m.pike(b, start, end, caps)
	}
	return caps
}

// search goes through the ways in the order of preference and remembers where it was.
func (m *machine) search(b []byte, start, end, width int, caps []int) {
	p := m.re.prog
	words := (width*len(p.insts) + 31) / 32
	if cap(m.visited) < words {
		m.visited = make([]uint32, words)
	}
	m.visited = m.visited[:words]
	clear(m.visited)
	m.stack = append(m.stack[:0], frame{pc: p.start, at: start})
	for len(m.stack) > 0 {
		f := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if f.pc < 0 {
			caps[-1-f.pc] = f.old
			continue
		}
		if m.follow(b, f, start, end, width, caps) {
			return
		}
	}
}

// follow goes one way until it fails, or to a match.
func (m *machine) follow(b []byte, f frame, start, end, width int, caps []int) bool {
	p := m.re.prog
	for {
		bit := int(f.pc)*width + f.at - start
		if m.visited[bit/32]&(1<<(bit%32)) != 0 {
			return false
		}
		m.visited[bit/32] |= 1 << (bit % 32)
		in := &p.insts[f.pc]
		switch in.op {
		case iMatch:
			if end < 0 || f.at == end {
				caps[1] = f.at
				return true
			}
			return false
		case iSet:
			n := in.takes(p, b, f.at)
			if n == 0 || end >= 0 && f.at+n > end {
				return false
			}
			f.at += n
		case iAlt, iCheck:
			m.stack = append(m.stack, frame{pc: in.alt, at: f.at})
		case iSave:
			m.stack = append(m.stack, frame{pc: -1 - in.arg, old: caps[in.arg]})
			caps[in.arg] = f.at
		case iBetween:
			if !p.holds(op(in.arg), p.before(b, f.at), p.after(b, f.at)) {
				return false
			}
		}
		f.pc = in.out
	}
}

// takes gives the length of the character at an offset when the set has it, else 0.
func (in *inst) takes(p *prog, b []byte, at int) int {
	if at >= len(b) {
		return 0
	}
	s := p.sets[in.arg]
	if b[at] < utf8.RuneSelf {
		if s.raw < 0 && s.ascii[b[at]>>6]&(1<<(b[at]&63)) != 0 {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRune(b[at:])
	switch {
	case r == utf8.RuneError && n == 1:
		if s.raw != int(b[at]) {
			return 0
		}
	case s.raw >= 0 || !s.has(r):
		return 0
	}
	return n
}

// threads are places in the program with the groups found on the way there, by preference.
type threads struct {
	q    queue
	pcs  []int32
	caps [][]int
}

// pike runs all ways side by side.
func (m *machine) pike(b []byte, start, end int, first []int) []int {
	p := m.re.prog
	from, to := &m.pikeFrom, &m.pikeTo
	from.reset(len(p.insts))
	m.thread(from, b, p.start, start, first)
	var best []int
	for at := start; len(from.pcs) > 0; {
		to.reset(len(p.insts))
		_, n := utf8.DecodeRune(b[at:])
		for i, pc := range from.pcs {
			in := &p.insts[pc]
			if in.op == iMatch {
				if end < 0 || at == end {
					best = append([]int(nil), from.caps[i]...)
					best[1] = at
					break // what is less preferred does not count
				}
			} else if n := in.takes(p, b, at); n > 0 {
				m.thread(to, b, in.out, at+n, from.caps[i])
			}
		}
		from, to = to, from
		at += n
	}
	return best
}

func (t *threads) reset(n int) {
	t.q.reset(n)
	t.pcs, t.caps = t.pcs[:0], t.caps[:0]
}

// thread adds a thread and those that follow it without a character.
func (m *machine) thread(t *threads, b []byte, pc int32, at int, caps []int) {
	p := m.re.prog
	for t.q.visit(pc) {
		in := &p.insts[pc]
		switch in.op {
		case iAlt, iCheck:
			m.thread(t, b, in.out, at, caps)
			pc = in.alt
		case iMark:
			pc = in.out
		case iSave:
			caps = append([]int(nil), caps...)
			caps[in.arg] = at
			pc = in.out
		case iBetween:
			if !p.holds(op(in.arg), p.before(b, at), p.after(b, at)) {
				return
			}
			pc = in.out
		default:
			t.pcs = append(t.pcs, pc)
			t.caps = append(t.caps, caps)
			return
		}
	}
}
