package jq

// attempt is "try body catch handler" and "body?".
type attempt struct {
	many
	body, handler node // the handler is nil when errors are just dropped
}

func (n *attempt) run(e *frame, v any, p *trail, out yield) error {
	var outside error // what the receiver of a result said: not for this handler
	err := n.body.run(e, v, p, func(w any, q *trail) error {
		if err := out(w, q); err != nil {
			outside = err
			return err
		}
		return nil
	})
	if err == nil || outside != nil {
		return err
	}
	what, ok := caught(err)
	if !ok {
		return err
	}
	if n.handler == nil {
		return nil
	}
	return n.handler.run(e, what, p, out)
}

// label is "label $name | body".
type label struct {
	many
	slot int
	name string
	body node
}

func (n *label) run(e *frame, v any, p *trail, out yield) error {
	mark := &broken{n.name}
	old := e.vars[n.slot]
	e.vars[n.slot] = mark
	err := n.body.run(e, v, p, out)
	e.vars[n.slot] = old
	if b, ok := err.(*broken); ok && b == mark {
		return nil
	}
	return err
}

// leave is "break $name".
type leave struct {
	many
	hops, slot int
}

func (n *leave) run(e *frame, _ any, _ *trail, _ yield) error {
	return e.above(n.hops).vars[n.slot].(*broken)
}

// reduction is "reduce source as pattern (start; update)".
type reduction struct {
	source, start, update node
	patterns              *patterns
	one                   bool
}

func (n *reduction) single() bool { return n.one }

func (n *reduction) eval(e *frame, v any) (any, error) {
	state, err := n.start.eval(e, v)
	if err != nil {
		return nil, err
	}
	return n.from(e, state, v, nil)
}

// from runs over the source. Without a result of the update the state is null.
func (n *reduction) from(e *frame, state, v any, p *trail) (any, error) {
	err := n.source.run(e, v, p, func(w any, q *trail) error {
		if err := e.m.tick(); err != nil {
			return err
		}
		return n.patterns.bind(e, w, func() error {
			s := state
			if n.update.single() && q == nil {
				var err error
				state, err = n.update.eval(e, s)
				return err
			}
			state = nil
			return n.update.run(e, s, q, func(w any, _ *trail) error {
				state = w
				return nil
			})
		})
	})
	return state, err
}

func (n *reduction) run(e *frame, v any, p *trail, out yield) error {
	return each(n.start, e, v, func(state any) error {
		w, err := n.from(e, state, v, p)
		if err != nil {
			return err
		}
		return out(w, p)
	})
}

// loop is "foreach source as pattern (start; update; extract)".
type loop struct {
	many
	source, start, update, extract node
	patterns                       *patterns
}

func (n *loop) run(e *frame, v any, p *trail, out yield) error {
	return each(n.start, e, v, func(state any) error {
		return n.source.run(e, v, p, func(w any, q *trail) error {
			if err := e.m.tick(); err != nil {
				return err
			}
			return n.patterns.bind(e, w, func() error {
				s := state
				state = nil
				return n.update.run(e, s, q, func(w any, q *trail) error {
					state = w
					return n.extract.run(e, w, q, out)
				})
			})
		})
	})
}

// binding is "source as pattern | body".
type binding struct {
	source, body node
	patterns     *patterns
	one          bool
}

func (n *binding) single() bool { return n.one }

func (n *binding) eval(e *frame, v any) (any, error) {
	w, err := n.source.eval(e, v)
	if err != nil {
		return nil, err
	}
	slot := n.patterns.list[0].slot // a single binding has a plain variable
	old := e.vars[slot]
	e.vars[slot] = w
	w, err = n.body.eval(e, v)
	e.vars[slot] = old
	return w, err
}

func (n *binding) run(e *frame, v any, p *trail, out yield) error {
	return each(n.source, e, v, func(w any) error {
		return n.patterns.bind(e, w, func() error {
			err := n.body.run(e, v, p, out)
			if err == errTail && !n.patterns.last {
				return e.m.finish(out)
			}
			return err
		})
	})
}

// patterns are the alternatives of a binding.
type patterns struct {
	list  []*pattern
	slots []int // of all variables in them
	last  bool  // the body is the last thing of a function, which leaves its variables
}

// pattern takes a value apart.
type pattern struct {
	slot   int        // of the variable, or -1
	array  []*pattern // of the elements
	object []entry
}

// entry is one key of an object in a pattern.
type entry struct {
	key   node
	slot  int      // of a variable that has the key's name, or -1
	value *pattern // may be nil
}

// bind calls do with the variables set, once for each way to take the value apart.
func (ps *patterns) bind(e *frame, v any, do func() error) error {
	if len(ps.list) == 1 && ps.list[0].slot >= 0 {
		slot := ps.list[0].slot
		old := e.vars[slot]
		e.vars[slot] = v
		err := do()
		if err != errTail {
			e.vars[slot] = old
		}
		return err
	}
	var room [8]any
	old := room[:0]
	for _, slot := range ps.slots {
		old = append(old, e.vars[slot])
		e.vars[slot] = nil
	}
	err := ps.alternatives(e, v, do)
	if err != errTail {
		for i, slot := range ps.slots {
			e.vars[slot] = old[i]
		}
	}
	return err
}

// alternatives tries the patterns in turn: after an error comes the next one.
func (ps *patterns) alternatives(e *frame, v any, do func() error) error {
	for i, p := range ps.list {
		err := p.take(e, v, do)
		if err == nil || i == len(ps.list)-1 {
			return err
		}
		if _, ok := caught(err); !ok {
			return err
		}
		for _, slot := range ps.slots {
			e.vars[slot] = nil
		}
	}
	return nil
}

// take sets the variables of a pattern. Keys are computed from the value that has them.
func (p *pattern) take(e *frame, v any, do func() error) error {
	switch {
	case p.slot >= 0:
		e.vars[p.slot] = v
		return do()
	case p.array != nil:
		return p.elements(e, 0, v, do)
	}
	return p.entries(e, 0, v, do)
}

func (p *pattern) elements(e *frame, i int, v any, do func() error) error {
	if i == len(p.array) {
		return do()
	}
	w, err := access(v, i)
	if err != nil {
		return err
	}
	return p.array[i].take(e, w, func() error { return p.elements(e, i+1, v, do) })
}

func (p *pattern) entries(e *frame, i int, v any, do func() error) error {
	if i == len(p.object) {
		return do()
	}
	x := p.object[i]
	return each(x.key, e, v, func(key any) error {
		if _, ok := key.(string); !ok {
			return worded("Cannot index %s with %s", typeOf(v), typeOf(key))
		}
		w, err := access(v, key)
		if err != nil {
			return err
		}
		if x.slot >= 0 {
			e.vars[x.slot] = w
		}
		if x.value == nil {
			return p.entries(e, i+1, v, do)
		}
		return x.value.take(e, w, func() error { return p.entries(e, i+1, v, do) })
	})
}
