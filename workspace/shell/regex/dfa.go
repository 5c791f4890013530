package regex

import (
	"encoding/binary"
	"slices"
)

// dfa is a deterministic automaton over the program that is built as the text asks for it.
//
// A state is the instructions that wait for a character, with what stands before the place.
// Assertions are settled when the next character is known, so a transition says whether a
// match ended before that character. To find the leftmost-longest match the instructions
// stand in groups by where they began, the leftmost first: what a group reached no later one
// needs, and once a group matched the later ones are dropped.
type dfa struct {
	p        *prog
	classes  *classes
	kind     dfaKind
	jumps    bool // transitions into a state in which nothing has begun are marked
	stride   int
	trans    []uint32
	states   []state
	index    map[string]uint32
	starts   [isWord << 1]uint32
	size     int // memory of the states, in words
	key      []byte
	cur, new queue
}

type dfaKind uint8

const (
	dfaEarliest dfaKind = iota // is there a match, and where does the first to end do so
	dfaLongest                 // the end of the leftmost-longest match
	dfaReverse                 // anchored, backwards: the farthest beginning
)

type state struct {
	list  []int32 // instructions, groups divided by mark
	prev  kinds
	final bool // a match was found: nothing begins any more
	wait  bool // has assertions
}

const (
	mark = -1

	// Parts of a transition beside the state, which is a multiple of the stride. A transition
	// that is 0 was not computed yet; one below atStart is only a state.
	matched uint32 = 1 << 30 // a match ended before the character
	dead    uint32 = 1 << 29 // nothing can match any more
	atStart uint32 = 1 << 28 // the state is one in which nothing has begun
	bits           = matched | dead | atStart

	maxDFA = 1 << 20 // words of memory; then it begins anew
)

// queue is a set of instructions in the order in which they were added.
type queue struct {
	list []int32
	gen  []uint32
	now  uint32
}

func (q *queue) reset(n int) {
	if len(q.gen) < n {
		q.gen = make([]uint32, n)
		q.now = 0
	}
	q.now++
	q.list = q.list[:0]
}

func (q *queue) visit(pc int32) bool {
	if q.gen[pc] == q.now {
		return false
	}
	q.gen[pc] = q.now
	return true
}

func newDFA(p *prog, c *classes, kind dfaKind) *dfa {
	d := &dfa{p: p, classes: c, kind: kind}
	d.clear()
	return d
}

// clear forgets all states; the stride follows the classes known by now.
func (d *dfa) clear() {
	d.stride = len(d.classes.member) + 4
	d.trans = make([]uint32, d.stride) // state 0 stands for "not known"
	d.states = append(d.states[:0], state{})
	d.index = map[string]uint32{}
	clear(d.starts[:])
	d.size = 0
}

// begin gives the state at a place where nothing has begun but what begins there.
func (d *dfa) begin(prev kinds) uint32 {
	prev &= d.p.needs
	if s := d.starts[prev]; s != 0 {
		return s
	}
	d.new.reset(len(d.p.insts))
	d.add(&d.new, d.p.start, false, 0, 0)
	s := d.intern(prev, false)
	d.starts[prev] = s
	return s
}

// add puts an instruction and what follows it without a character into a queue. When settle
// is set, assertions are decided by the neighbours, else they wait.
func (d *dfa) add(q *queue, pc int32, settle bool, before, after kinds) {
	for q.visit(pc) {
		in := &d.p.insts[pc]
		switch in.op {
		case iAlt, iCheck:
			d.add(q, in.out, settle, before, after)
			pc = in.alt
		case iSave, iMark:
			pc = in.out
		case iBetween:
			if !settle {
				q.list = append(q.list, pc)
				return
			}
			if !d.p.holds(op(in.arg), before, after) {
				return
			}
			pc = in.out
		default:
			q.list = append(q.list, pc)
			return
		}
	}
}

// intern gives the number of the state with the new queue as its list.
func (d *dfa) intern(prev kinds, final bool) uint32 {
	d.sortGroups()
	d.key = append(d.key[:0], byte(prev))
	if final {
		d.key[0] |= 0x80
	}
	for _, pc := range d.new.list {
		d.key = binary.AppendUvarint(d.key, uint64(pc+1))
	}
	if s, ok := d.index[string(d.key)]; ok {
		return s
	}
	s := state{list: slices.Clone(d.new.list), prev: prev, final: final}
	for _, pc := range s.list {
		s.wait = s.wait || pc != mark && d.p.insts[pc].op == iBetween
	}
	number := uint32(len(d.states) * d.stride)
	d.states = append(d.states, s)
	d.trans = append(d.trans, make([]uint32, d.stride)...)
	d.index[string(d.key)] = number
	d.size += d.stride + 2*len(s.list) + 16
	return number
}

// sortGroups orders each group, in which order means nothing, and drops what is empty.
func (d *dfa) sortGroups() {
	list := d.new.list
	for len(list) > 0 && list[len(list)-1] == mark {
		list = list[:len(list)-1]
	}
	d.new.list = list
	for len(list) > 0 {
		n := slices.Index(list, mark)
		if n < 0 {
			n = len(list)
		}
		slices.Sort(list[:n])
		list = list[min(n+1, len(list)):]
	}
}

// step computes a transition. It may forget all other states; the caller takes trans anew.
func (d *dfa) step(from uint32, cls uint16) uint32 {
	if d.size > maxDFA || int(cls) >= d.stride {
		from = d.renew(from)
	}
	s := &d.states[from/uint32(d.stride)]
	list, found := d.settle(s, d.classes.kind[cls])
	to := uint32(0)
	if found {
		to = matched
	}
	if cls == classEnd || found && d.kind == dfaEarliest {
		to |= dead
	} else {
		to |= d.advance(s, list, cls, found)
	}
	d.trans[from+uint32(cls)] = to
	return to
}

// renew forgets all states but one, and gives its new number.
func (d *dfa) renew(from uint32) uint32 {
	old := d.states[from/uint32(d.stride)]
	d.clear()
	d.new.reset(len(d.p.insts))
	d.new.list = append(d.new.list, old.list...)
	return d.intern(old.prev, old.final)
}

// settle decides the assertions of a state and looks for a match, behind whose group the
// list is cut.
func (d *dfa) settle(s *state, after kinds) (list []int32, found bool) {
	list = s.list
	if s.wait {
		d.cur.reset(len(d.p.insts))
		for _, pc := range s.list {
			if pc == mark {
				d.cur.list = append(d.cur.list, mark)
			} else if before, next := s.prev, after; d.kind == dfaReverse {
				d.add(&d.cur, pc, true, next, before)
			} else {
				d.add(&d.cur, pc, true, before, next)
			}
		}
		list = d.cur.list
	}
	for i, pc := range list {
		if found && pc == mark {
			return list[:i], true
		}
		found = found || pc != mark && d.p.insts[pc].op == iMatch
	}
	return list, found
}

// advance takes the list over a character and gives the state that follows.
func (d *dfa) advance(s *state, list []int32, cls uint16, found bool) uint32 {
	member := d.classes.member[cls]
	d.new.reset(len(d.p.insts))
	for _, pc := range list {
		if pc == mark {
			d.divide()
		} else if in := &d.p.insts[pc]; in.op == iSet && member[in.arg] {
			d.add(&d.new, in.out, false, 0, 0)
		}
	}
	final := s.final || found && d.kind == dfaLongest
	fresh := len(d.new.list) == 0
	if !final && d.kind != dfaReverse {
		d.divide()
		d.add(&d.new, d.p.start, false, 0, 0)
	} else if fresh {
		return dead
	}
	to := d.intern(d.classes.kind[cls]&d.p.needs, final)
	if fresh && !final && d.jumps {
		to |= atStart
	}
	return to
}

func (d *dfa) divide() {
	if n := len(d.new.list); d.kind == dfaLongest && n > 0 && d.new.list[n-1] != mark {
		d.new.list = append(d.new.list, mark)
	}
}
