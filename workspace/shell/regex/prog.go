package regex

// instBytes is what an instruction counts for the limit of a program's size.
const instBytes = 16

type instOp uint8

const (
	iMatch   instOp = iota
	iSet            // a character of sets[arg]
	iAlt            // out, or else alt
	iSave           // the offset into slot arg
	iBetween        // op arg holds here
	iMark           // begin of an iteration that may match nothing: the offset into register arg
	iCheck          // end of one: on with out, or with alt when it matched nothing
	iBackref        // the text of group arg
	iLook           // sub-program alt, then out
	iBack           // arg characters back
	iAtomic         // sub-program alt, on from where it ends with out
	iKeep           // the match begins here
)

type inst struct {
	op     instOp
	negate bool // of a look-around
	fold   bool // of a back-reference
	arg    int32
	out    int32
	alt    int32
}

// prog is a compiled expression.
type prog struct {
	insts     []inst
	start     int32
	sets      []*set
	regular   bool  // no back-references and nothing of Perl's that needs going back
	exhaust   bool  // to find the longest match all ways are to be tried
	registers int   // for iMark
	slots     int   // offsets of the match and its groups
	needs     kinds // what of the neighbours of a place matters
	maxSteps  int64
	o         *Options
}

type compiler struct {
	*prog
	setIndex map[string]int32
	max      int
	full     bool
	reverse  bool
	marks    bool
	alts     bool
	highest  int
	highRef  int
}

// compile translates a node; reverse makes the program that reads backwards. It fails when
// the program has more than max instructions.
func compile(n *node, o *Options, maxInsts int, reverse bool) (*prog, error) {
	c := &compiler{prog: &prog{regular: true, o: o}, setIndex: map[string]int32{}, max: maxInsts, reverse: reverse, marks: o.Syntax == Perl || hasBackref(n)}
	end := c.emit(inst{op: iMatch})
	c.start = c.node(n, end)
	switch {
	case c.full:
		return nil, syntaxError(errBig)
	case c.highRef > c.highest:
		return nil, syntaxError("reference to non-existent subpattern")
	}
	c.slots = 2 * (c.highest + 1)
	c.exhaust = !c.regular && c.alts && o.Syntax != Perl
	return c.prog, nil
}

func hasBackref(n *node) bool {
	if n.op == opBackref {
		return true
	}
	for _, sub := range n.subs {
		if hasBackref(sub) {
			return true
		}
	}
	return false
}

func (c *compiler) emit(i inst) int32 {
	if len(c.insts) >= c.max {
		c.full = true
		return 0
	}
	c.insts = append(c.insts, i)
	return int32(len(c.insts) - 1)
}

// node compiles n so that next follows, and gives where it begins.
func (c *compiler) node(n *node, next int32) int32 {
	if c.full {
		return 0
	}
	switch n.op {
	case opEmpty:
		return next
	case opSet:
		return c.emit(inst{op: iSet, arg: c.setOf(n.set), out: next})
	case opCat:
		for i := range n.subs {
			if !c.reverse {
				i = len(n.subs) - 1 - i
			}
			next = c.node(n.subs[i], next)
		}
		return next
	case opAlt:
		c.alts = true
		at := c.node(n.subs[len(n.subs)-1], next)
		for i := len(n.subs) - 2; i >= 0; i-- {
			at = c.emit(inst{op: iAlt, out: c.node(n.subs[i], next), alt: at})
		}
		return at
	case opRepeat:
		return c.repeat(n, next)
	case opGroup:
		c.highest = max(c.highest, n.group)
		if c.reverse {
			return c.node(n.subs[0], next)
		}
		closing := c.emit(inst{op: iSave, arg: int32(2*n.group + 1), out: next})
		return c.emit(inst{op: iSave, arg: int32(2 * n.group), out: c.node(n.subs[0], closing)})
	case opBackref:
		c.regular = false
		c.highRef = max(c.highRef, n.group)
		return c.emit(inst{op: iBackref, arg: int32(n.group), fold: n.fold, out: next})
	case opLook:
		c.regular = false
		return c.emit(inst{op: iLook, negate: n.negate, out: next, alt: c.look(n)})
	case opAtomic:
		c.regular = false
		return c.emit(inst{op: iAtomic, out: next, alt: c.node(n.subs[0], c.emit(inst{op: iMatch}))})
	case opKeep:
		c.regular = false
		return c.emit(inst{op: iKeep, out: next})
	}
	if n.op == opEndTextLine { // needs to see two characters ahead
		c.regular = false
	}
	c.needs |= needs(n.op, c.o)
	return c.emit(inst{op: iBetween, arg: int32(n.op), out: next})
}

func (c *compiler) look(n *node) int32 {
	end := c.emit(inst{op: iMatch})
	if !n.behind {
		return c.node(n.subs[0], end)
	}
	at := int32(-1)
	for _, part := range branches(n.subs[0]) {
		back := c.emit(inst{op: iBack, arg: int32(part.width()), out: c.node(part, end)})
		if at < 0 {
			at = back
		} else {
			at = c.emit(inst{op: iAlt, out: at, alt: back})
		}
	}
	return at
}

func (c *compiler) repeat(n *node, next int32) int32 {
	sub := n.subs[0]
	if n.max < 0 {
		next = c.loop(n, next)
	} else {
		end := next
		for range n.max - n.min {
			if c.full {
				return 0
			}
			next = c.choice(n.lazy, c.node(sub, next), end)
		}
	}
	for range n.min {
		if c.full {
			return 0
		}
		next = c.node(sub, next)
	}
	return next
}

// loop compiles sub*.
func (c *compiler) loop(n *node, next int32) int32 {
	at := c.emit(inst{op: iAlt})
	back := at
	marked := c.marks && n.subs[0].nullable()
	register := int32(c.registers)
	if marked {
		c.registers++
		back = c.emit(inst{op: iCheck, arg: register, out: at, alt: next})
	}
	body := c.node(n.subs[0], back)
	if marked {
		body = c.emit(inst{op: iMark, arg: register, out: body})
	}
	if c.full {
		return 0
	}
	c.insts[at].out, c.insts[at].alt = body, next
	if n.lazy {
		c.insts[at].out, c.insts[at].alt = next, body
	}
	return at
}

func (c *compiler) choice(lazy bool, body, end int32) int32 {
	if lazy {
		return c.emit(inst{op: iAlt, out: end, alt: body})
	}
	return c.emit(inst{op: iAlt, out: body, alt: end})
}

func (c *compiler) setOf(s *set) int32 {
	key := s.key()
	at, ok := c.setIndex[key]
	if !ok {
		at = int32(len(c.sets))
		c.sets = append(c.sets, s)
		c.setIndex[key] = at
	}
	return at
}
