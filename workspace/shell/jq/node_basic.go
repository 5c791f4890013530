package jq

// identity is ".".
type identity struct{ once }

func (identity) eval(_ *frame, v any) (any, error)              { return v, nil }
func (identity) run(_ *frame, v any, p *trail, out yield) error { return out(v, p) }

// constant is a value that the program names.
type constant struct {
	once
	value any
}

func (n *constant) eval(*frame, any) (any, error)                  { return n.value, nil }
func (n *constant) run(_ *frame, _ any, p *trail, out yield) error { return out(n.value, p) }

// variable is $name.
type variable struct {
	once
	hops, slot int
}

func (n *variable) eval(e *frame, _ any) (any, error) { return e.above(n.hops).vars[n.slot], nil }
func (n *variable) run(e *frame, _ any, p *trail, out yield) error {
	return out(e.above(n.hops).vars[n.slot], p)
}

// pipe is "left | right".
type pipe struct {
	left, right node
	one         bool
}

func (n *pipe) single() bool { return n.one }

func (n *pipe) eval(e *frame, v any) (any, error) {
	v, err := n.left.eval(e, v)
	if err != nil {
		return nil, err
	}
	return n.right.eval(e, v)
}

func (n *pipe) run(e *frame, v any, p *trail, out yield) error {
	if p == nil && n.left.single() {
		w, err := n.left.eval(e, v)
		if err != nil {
			return err
		}
		return n.right.run(e, w, nil, out)
	}
	if c, ok := n.left.(*argument); ok && p == nil {
		if c := c.closure(e); c.body.single() {
			w, err := c.body.eval(c.home, v)
			if err != nil {
				return err
			}
			return n.right.run(e, w, nil, out)
		}
	}
	return n.left.run(e, v, p, func(w any, q *trail) error {
		err := n.right.run(e, w, q, out)
		if err == errTail {
			return e.m.finish(out)
		}
		return err
	})
}

// finish makes a call that is pending where it cannot wait.
func (m *machine) finish(out yield) error {
	next := m.next
	m.next = pending{}
	return m.call(next.body, next.home, next.v, next.p, out)
}

// comma is "left, right".
type comma struct {
	many
	left, right node
}

func (n *comma) run(e *frame, v any, p *trail, out yield) error {
	if err := n.left.run(e, v, p, out); err != nil {
		return err
	}
	return n.right.run(e, v, p, out)
}

// branch is "if cond then yes else no end".
type branch struct {
	cond, yes, no node
	one           bool
}

func (n *branch) single() bool { return n.one }

func (n *branch) eval(e *frame, v any) (any, error) {
	c, err := n.cond.eval(e, v)
	if err != nil {
		return nil, err
	}
	if truthy(c) {
		return n.yes.eval(e, v)
	}
	return n.no.eval(e, v)
}

func (n *branch) run(e *frame, v any, p *trail, out yield) error {
	if n.cond.single() {
		c, err := n.cond.eval(e, v)
		if err != nil {
			return err
		}
		if truthy(c) {
			return n.yes.run(e, v, p, out)
		}
		return n.no.run(e, v, p, out)
	}
	return n.cond.run(e, v, nil, func(c any, _ *trail) error {
		way := n.no
		if truthy(c) {
			way = n.yes
		}
		err := way.run(e, v, p, out)
		if err == errTail {
			return e.m.finish(out)
		}
		return err
	})
}

// logic is "left and right" or "left or right".
type logic struct {
	left, right node
	or          bool
	one         bool
}

func (n *logic) single() bool { return n.one }

func (n *logic) eval(e *frame, v any) (any, error) {
	l, err := n.left.eval(e, v)
	if err != nil || truthy(l) == n.or {
		return n.or, err
	}
	r, err := n.right.eval(e, v)
	return truthy(r), err
}

func (n *logic) run(e *frame, v any, p *trail, out yield) error {
	if n.one {
		return give(n, e, v, p, out)
	}
	return each(n.left, e, v, func(l any) error {
		if truthy(l) == n.or {
			return out(n.or, p)
		}
		return each(n.right, e, v, func(r any) error { return out(truthy(r), p) })
	})
}

// otherwise is "left // right".
type otherwise struct {
	left, right node
	one         bool
}

func (n *otherwise) single() bool { return n.one }

func (n *otherwise) eval(e *frame, v any) (any, error) {
	l, err := n.left.eval(e, v)
	if err != nil || truthy(l) {
		return l, err
	}
	return n.right.eval(e, v)
}

func (n *otherwise) run(e *frame, v any, p *trail, out yield) error {
	some := false
	err := n.left.run(e, v, p, func(w any, q *trail) error {
		if !truthy(w) {
			return nil
		}
		some = true
		return out(w, q)
	})
	if err != nil || some {
		return err
	}
	return n.right.run(e, v, p, out)
}

// list is "[body]".
type list struct {
	once
	body node // nil: the empty array
}

func (n *list) eval(e *frame, v any) (any, error) {
	if n.body == nil {
		return &array{}, nil
	}
	items, err := collect(n.body, e, v)
	if err != nil {
		return nil, err
	}
	return &array{items: items}, nil
}

func (n *list) run(e *frame, v any, p *trail, out yield) error { return give(n, e, v, p, out) }

// pair is a key with its value in "{…}".
type pair struct{ key, value node }

// construction is "{…}".
type construction struct {
	pairs []pair
	one   bool
}

func (n *construction) single() bool { return n.one }

func (n *construction) eval(e *frame, v any) (any, error) {
	o := &object{keys: make([]string, 0, len(n.pairs)), vals: make([]any, 0, len(n.pairs))}
	for _, p := range n.pairs {
		k, err := p.key.eval(e, v)
		if err != nil {
			return nil, err
		}
		w, err := p.value.eval(e, v)
		if err != nil {
			return nil, err
		}
		key, err := keyOf(k)
		if err != nil {
			return nil, err
		}
		o.put(key, w)
	}
	return o, nil
}

func (n *construction) run(e *frame, v any, p *trail, out yield) error {
	if n.one {
		return give(n, e, v, p, out)
	}
	return n.from(e, 0, &object{}, v, p, out)
}

// from adds the pairs from one on to an object, in all ways.
func (n *construction) from(e *frame, i int, o *object, v any, p *trail, out yield) error {
	if i == len(n.pairs) {
		return out(o, p)
	}
	return each(n.pairs[i].key, e, v, func(k any) error {
		return each(n.pairs[i].value, e, v, func(w any) error {
			key, err := keyOf(k)
			if err != nil {
				return err
			}
			return n.from(e, i+1, o.with(key, w), v, p, out)
		})
	})
}

func keyOf(k any) (string, error) {
	if key, ok := k.(string); ok {
		return key, nil
	}
	return "", worded("Cannot use %s as object key", described(k))
}

// interpolation is a string with queries in it, each written as a format says.
type interpolation struct {
	parts  []node
	format func(any) (string, error)
	one    bool
}

func (n *interpolation) single() bool { return n.one }

func (n *interpolation) eval(e *frame, v any) (any, error) {
	var b []byte
	for _, part := range n.parts {
		w, err := part.eval(e, v)
		if err != nil {
			return nil, err
		}
		if b, err = n.append(b, part, w); err != nil {
			return nil, err
		}
	}
	return string(b), nil
}

func (n *interpolation) append(b []byte, part node, v any) ([]byte, error) {
	if c, ok := part.(*verbatim); ok {
		return append(b, c.text...), nil
	}
	text, err := n.format(v)
	return append(b, text...), err
}

func (n *interpolation) run(e *frame, v any, p *trail, out yield) error {
	if n.one {
		return give(n, e, v, p, out)
	}
	return n.before(e, len(n.parts), "", v, p, out)
}

// before puts the parts before the last ones: those further right vary slower.
func (n *interpolation) before(e *frame, i int, rest string, v any, p *trail, out yield) error {
	if i == 0 {
		return out(rest, p)
	}
	return each(n.parts[i-1], e, v, func(w any) error {
		b, err := n.append(nil, n.parts[i-1], w)
		if err != nil {
			return err
		}
		return n.before(e, i-1, string(b)+rest, v, p, out)
	})
}

// verbatim is the plain text of an interpolation.
type verbatim struct {
	constant
	text string
}
