package regex

import (
	"bytes"
	"unicode/utf8"
)

// backtrack finds the first match at or after an offset with what is not regular. It counts
// its steps and gives [ErrSteps] when there were too many.
func (m *machine) backtrack(b []byte, at, end int) (loc []int, err error) {
	p := m.re.prog
	m.steps = 0
	if len(m.caps) != p.slots {
		m.caps, m.regs = make([]int, p.slots), make([]int, p.registers)
	}
	for at <= end {
		if len(m.re.prefix) > 0 {
			i := bytes.Index(b[at:end], m.re.prefix)
			if i < 0 {
				return nil, nil
			}
			at += i
		}
		for i := range m.caps {
			m.caps[i] = -1
		}
		m.caps[0] = at
		m.saved = m.saved[:0]
		found, err := m.try(b, p.start, at, p.exhaust)
		if err != nil {
			return nil, err
		}
		if found >= 0 {
			if p.exhaust {
				return append([]int(nil), m.saved...), nil
			}
			m.caps[1] = found
			return append([]int(nil), m.caps...), nil
		}
		if at == end {
			break
		}
		_, n := utf8.DecodeRune(b[at:end])
		at += n
	}
	return nil, nil
}

// Frames that restore: groups have pc -1-slot, registers lie below all of them.
const registerBase = -1 << 20

// try runs the program from pc at an offset and gives where its match ends, or -1. To
// exhaust is to try all ways and keep the groups of the longest in m.saved.
func (m *machine) try(b []byte, pc int32, at int, exhaust bool) (end int, err error) {
	base := len(m.stack)
	defer func() { m.stack = m.stack[:base] }()
	m.stack = append(m.stack, frame{pc: pc, at: at})
	longest := -1
	for len(m.stack) > base {
		f := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		switch {
		case f.pc <= registerBase:
			m.regs[registerBase-f.pc] = f.old
			continue
		case f.pc < 0:
			m.caps[-1-f.pc] = f.old
			continue
		}
		end, err := m.way(b, f)
		if err != nil {
			return -1, err
		}
		if end < 0 {
			continue
		}
		if !exhaust {
			return end, nil
		}
		if end > longest {
			longest = end
			m.saved = append(m.saved[:0], m.caps...)
			m.saved[1] = end
		}
	}
	return longest, nil
}

// maxStack bounds the places to go back to; more count as too many steps.
const maxStack = 4 << 20

// way goes one way until it fails (-1) or matches.
func (m *machine) way(b []byte, f frame) (end int, err error) {
	p := m.re.prog
	pc, at := f.pc, f.at
	for {
		if m.steps++; m.steps > p.maxSteps || len(m.stack) > maxStack {
			return -1, ErrSteps
		}
		in := &p.insts[pc]
		pc = in.out
		switch in.op {
		case iMatch:
			return at, nil
		case iSet:
			n := in.takes(p, b, at)
			if n == 0 {
				return -1, nil
			}
			at += n
		case iAlt:
			m.stack = append(m.stack, frame{pc: in.alt, at: at})
		case iSave:
			m.setCap(int(in.arg), at)
		case iKeep:
			m.setCap(0, at)
		case iMark:
			m.stack = append(m.stack, frame{pc: registerBase - in.arg, old: m.regs[in.arg]})
			m.regs[in.arg] = at
		case iCheck:
			if m.regs[in.arg] == at {
				pc = in.alt
			}
		case iBetween:
			if !p.holds(op(in.arg), p.before(b, at), p.after(b, at)) {
				return -1, nil
			}
		case iBack:
			for range in.arg {
				if at == 0 {
					return -1, nil
				}
				_, n := utf8.DecodeLastRune(b[:at])
				at -= n
			}
		case iBackref:
			n := m.backref(b, at, in)
			if n < 0 {
				return -1, nil
			}
			at += n
		case iLook, iAtomic:
			to, err := m.inner(b, in, at)
			if err != nil || to < 0 {
				return -1, err
			}
			at = to
		}
	}
}

func (m *machine) setCap(slot, at int) {
	m.stack = append(m.stack, frame{pc: int32(-1 - slot), old: m.caps[slot]})
	m.caps[slot] = at
}

// inner runs a sub-program. It gives where to go on, or -1. Groups that the sub-program set
// stay set, and are restored when the way is gone back.
func (m *machine) inner(b []byte, in *inst, at int) (int, error) {
	before := append([]int(nil), m.caps...)
	to, err := m.try(b, in.alt, at, false)
	if err != nil {
		return -1, err
	}
	if in.negate || to < 0 {
		copy(m.caps, before)
	}
	if in.op == iLook {
		if (to >= 0) == in.negate {
			return -1, nil
		}
		to = at
	}
	for slot, old := range before {
		if m.caps[slot] != old {
			m.stack = append(m.stack, frame{pc: int32(-1 - slot), old: old})
		}
	}
	return to, nil
}

// backref gives the length of the text of a group when it stands at an offset, else -1.
func (m *machine) backref(b []byte, at int, in *inst) int {
	from, to := m.caps[2*in.arg], m.caps[2*in.arg+1]
	if from < 0 || to < 0 {
		return -1
	}
	want := b[from:to]
	if !in.fold {
		if !bytes.HasPrefix(b[at:], want) {
			return -1
		}
		return len(want)
	}
	have := at
	for len(want) > 0 {
		_, n := utf8.DecodeRune(want)
		_, k := utf8.DecodeRune(b[have:])
		if k == 0 || !bytes.EqualFold(want[:n], b[have:have+k]) {
			return -1
		}
		want = want[n:]
		have += k
	}
	return have - at
}
