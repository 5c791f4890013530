package jq

import "strings"

// function is a definition: "def name(params): body;".
type function struct {
	name   string
	params []string // with "$" for one that is a variable, too
	slots  int      // of its variables; the first are those of params, in their order
	body   node
}

// call is the use of a function of the program or of the prelude.
type call struct {
	f    *function
	hops int    // to the frame in which it was defined; -1 when it needs none
	args []node // the bodies of closures
	last bool   // nothing is left to do after it in the function it stands in
	one  bool
}

func (n *call) single() bool { return n.one }

// enter makes the frame of an activation, without the values of "$" parameters.
func (n *call) enter(e *frame) *frame {
	inner := &frame{m: e.m}
	if n.hops >= 0 {
		inner.up = e.above(n.hops)
	}
	if n.f.slots > 0 {
		inner.vars = make([]any, n.f.slots)
	}
	if len(n.args) > 0 {
		inner.args = make([]closure, len(n.args))
		for i, arg := range n.args {
			if a, ok := arg.(*argument); ok {
				inner.args[i] = a.closure(e)
				continue
			}
			inner.args[i] = closure{arg, e}
		}
	}
	return inner
}

func (n *call) eval(e *frame, v any) (any, error) {
	inner := n.enter(e)
	slot := 0
	for i, param := range n.f.params {
		if strings.HasPrefix(param, "$") {
			w, err := n.args[i].eval(e, v)
			if err != nil {
				return nil, err
			}
			inner.vars[slot] = w
			slot++
		}
	}
	return n.f.body.eval(inner, v)
}

func (n *call) run(e *frame, v any, p *trail, out yield) error {
	if n.one && p == nil {
		return give(n, e, v, nil, out)
	}
	inner := n.enter(e)
	slot := 0
	for i, param := range n.f.params {
		if !strings.HasPrefix(param, "$") {
			continue
		}
		c := inner.args[i]
		if !c.body.single() {
			return n.values(e, 0, 0, nil, v, p, out)
		}
		w, err := c.body.eval(c.home, v)
		if err != nil {
			return err
		}
		inner.vars[slot] = w
		slot++
	}
	if n.last {
		e.m.next = pending{n.f.body, inner, v, p}
		return errTail
	}
	return e.m.call(n.f.body, inner, v, p, out)
}

// values runs the body for all values of the "$" parameters from one on.
func (n *call) values(e *frame, i, slot int, set []any, v any, p *trail, out yield) error {
	for i < len(n.args) && !strings.HasPrefix(n.f.params[i], "$") {
		i++
	}
	if i == len(n.args) {
		inner := n.enter(e)
		copy(inner.vars, set)
		return e.m.call(n.f.body, inner, v, p, out)
	}
	return each(n.args[i], e, v, func(w any) error {
		return n.values(e, i+1, slot+1, append(set[:slot:slot], w), v, p, out)
	})
}

// argument is the use of a parameter that is a closure.
type argument struct {
	many
	hops, at int
}

func (n *argument) closure(e *frame) closure { return e.above(n.hops).args[n.at] }

func (n *argument) run(e *frame, v any, p *trail, out yield) error {
	c := n.closure(e)
	if p == nil && c.body.single() {
		return give(c.body, c.home, v, nil, out)
	}
	if err := e.m.nest(); err != nil {
		return err
	}
	err := c.body.run(c.home, v, p, out)
	e.m.unnest()
	return err
}

// builtin computes one result from a value and the values of its arguments.
type builtin func(m *machine, v any, args []any) (any, error)

// plainCall is the use of a builtin.
type plainCall struct {
	do   builtin
	args []node
	one  bool
}

func (n *plainCall) single() bool { return n.one }

func (n *plainCall) eval(e *frame, v any) (any, error) {
	if len(n.args) == 0 {
		return n.do(e.m, v, nil)
	}
	var room [3]any
	args := room[:len(n.args)]
	for i := len(n.args) - 1; i >= 0; i-- {
		var err error
		if args[i], err = n.args[i].eval(e, v); err != nil {
			return nil, err
		}
	}
	return n.do(e.m, v, args)
}

func (n *plainCall) run(e *frame, v any, p *trail, out yield) error {
	if n.one {
		return give(n, e, v, p, out)
	}
	return n.from(e, len(n.args)-1, make([]any, len(n.args)), v, p, out)
}

// from runs over the values of an argument and those before it: the last varies slowest.
func (n *plainCall) from(e *frame, i int, args []any, v any, p *trail, out yield) error {
	if i < 0 {
		w, err := n.do(e.m, v, args)
		if err != nil {
			return err
		}
		return out(w, p)
	}
	return each(n.args[i], e, v, func(w any) error {
		args[i] = w
		return n.from(e, i-1, args, v, p, out)
	})
}

// operation is an operator of two values: the right one varies slower.
type operation struct {
	left, right node
	do          func(a, b any) (any, error)
	one         bool
}

func (n *operation) single() bool { return n.one }

func (n *operation) eval(e *frame, v any) (any, error) {
	r, err := n.right.eval(e, v)
	if err != nil {
		return nil, err
	}
	l, err := n.left.eval(e, v)
	if err != nil {
		return nil, err
	}
	return n.do(l, r)
}

func (n *operation) run(e *frame, v any, p *trail, out yield) error {
	if n.one {
		return give(n, e, v, p, out)
	}
	return each(n.right, e, v, func(r any) error {
		return each(n.left, e, v, func(l any) error {
			w, err := n.do(l, r)
			if err != nil {
				return err
			}
			return out(w, p)
		})
	})
}

// special is a builtin that runs its arguments itself.
type special struct {
	many
	args []node
	do   func(n *special, e *frame, v any, p *trail, out yield) error
}

func (n *special) run(e *frame, v any, p *trail, out yield) error { return n.do(n, e, v, p, out) }

// gathering is a builtin that runs its arguments itself and has one result.
type gathering struct {
	once
	args []node
	do   func(n *gathering, e *frame, v any) (any, error)
}

func (n *gathering) eval(e *frame, v any) (any, error) { return n.do(n, e, v) }
func (n *gathering) run(e *frame, v any, p *trail, out yield) error {
	return give(n, e, v, p, out)
}
