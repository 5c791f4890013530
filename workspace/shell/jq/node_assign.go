package jq

// assignment is "target = value".
type assignment struct {
	target, value node
	one           bool
}

func (n *assignment) single() bool { return n.one }

func (n *assignment) eval(e *frame, v any) (any, error) {
	w, err := n.value.eval(e, v)
	if err != nil {
		return nil, err
	}
	return n.set(e, v, func(any) (any, error) { return w, nil })
}

func (n *assignment) run(e *frame, v any, p *trail, out yield) error {
	return each(n.value, e, v, func(w any) error {
		set, err := n.set(e, v, func(any) (any, error) { return w, nil })
		if err != nil {
			return err
		}
		return out(set, p)
	})
}

// set gives a value with something else in all places of the target.
func (n *assignment) set(e *frame, v any, with func(old any) (any, error)) (any, error) {
	result := v
	var room [8]any
	err := pathsOf(n.target, e, v, func(_ any, q *trail) error {
		keys := q.keys(room[:0])
		old, err := getPath(result, keys)
		if err != nil {
			return err
		}
		fresh, err := with(old)
		if err != nil {
			return err
		}
		result, err = setPath(result, keys, fresh)
		return err
	})
	return result, err
}

// computed is "target += value" and its like.
type computed struct {
	assignment
	compute func(a, b any) (any, error)
}

func (n *computed) eval(e *frame, v any) (any, error) {
	w, err := n.value.eval(e, v)
	if err != nil {
		return nil, err
	}
	return n.set(e, v, func(old any) (any, error) { return n.compute(old, w) })
}

func (n *computed) run(e *frame, v any, p *trail, out yield) error {
	return each(n.value, e, v, func(w any) error {
		set, err := n.set(e, v, func(old any) (any, error) { return n.compute(old, w) })
		if err != nil {
			return err
		}
		return out(set, p)
	})
}

// update is "target |= body": the first result is the new value, none takes the place away.
type update struct {
	once
	target, body node
}

func (n *update) run(e *frame, v any, p *trail, out yield) error { return give(n, e, v, p, out) }

func (n *update) eval(e *frame, v any) (any, error) {
	result := v
	var gone []any
	var room [8]any
	err := pathsOf(n.target, e, v, func(_ any, q *trail) error {
		keys := q.keys(room[:0])
		old, err := getPath(result, keys)
		if err != nil {
			return err
		}
		fresh, some, err := firstOf(n.body, e, old)
		if err != nil {
			return err
		}
		if !some {
			gone = append(gone, &array{items: q.keys(nil)})
			return nil
		}
		result, err = setPath(result, keys, fresh)
		return err
	})
	if err != nil || gone == nil {
		return result, err
	}
	return deletePaths(result, gone)
}

// firstOf gives the first result; false when there is none.
func firstOf(n node, e *frame, v any) (first any, some bool, err error) {
	if n.single() {
		first, err = n.eval(e, v)
		return first, err == nil, err
	}
	err = n.run(e, v, nil, func(w any, _ *trail) error {
		first, some = w, true
		return errStop
	})
	if some {
		err = nil
	}
	return first, some, err
}
