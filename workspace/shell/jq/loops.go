package jq

import "math"

func firstResult(n *special, e *frame, v any, p *trail, out yield) error {
	return upTo(n.args[0], e, v, 1, p, out)
}

// upTo hands on at most some results, and stops the source after them.
func upTo(f node, e *frame, v any, most float64, p *trail, out yield) error {
	count, stopped := 0.0, false
	err := f.run(e, v, p, func(w any, q *trail) error {
		count++
		if err := out(w, q); err != nil {
			return err
		}
		if count >= most {
			stopped = true
			return errStop
		}
		return nil
	})
	if stopped && err == errStop {
		return nil
	}
	return err
}

func lastResult(n *special, e *frame, v any, p *trail, out yield) error {
	var last any
	var at *trail
	some := false
	err := n.args[0].run(e, v, p, func(w any, q *trail) error {
		last, at, some = w, q, true
		return nil
	})
	if err != nil {
		return err
	}
	if !some { // as a reduction over nothing
		at = p
	}
	return out(last, at)
}

func limited(n *special, e *frame, v any, p *trail, out yield) error {
	return each(n.args[0], e, v, func(most any) error {
		f, ok := float(most)
		switch {
		case !ok && compare(most, 0) > 0, f < 0:
			return n.args[1].run(e, v, p, out)
		case !ok || f == 0:
			return nil
		}
		return upTo(n.args[1], e, v, f, p, out)
	})
}

func skipped(n *special, e *frame, v any, p *trail, out yield) error {
	return each(n.args[0], e, v, func(count any) error {
		left, ok := float(count)
		if !ok || left < 0 {
			return words("skip doesn't support negative count")
		}
		return n.args[1].run(e, v, p, func(w any, q *trail) error {
			if left > 0 {
				left--
				return nil
			}
			return out(w, q)
		})
	})
}

func ranges(args []node) node {
	return generator(func(n *special, e *frame, v any, p *trail, out yield) error {
		return each(n.args[0], e, v, func(from any) error {
			return each(n.args[1], e, v, func(to any) error {
				return each(n.args[2], e, v, func(by any) error { return count(e, from, to, by, p, out) })
			})
		})
	})(args)
}

func count(e *frame, from, to, by any, p *trail, out yield) error {
	from, to, by = plain(from), plain(to), plain(by)
	i, ok := from.(int)
	n, also := to.(int)
	step, too := by.(int)
	if ok && also && too && max(absolute(i), absolute(n), absolute(step)) < math.MaxInt32 {
		for ; step > 0 && i < n || step < 0 && i > n; i += step {
			if err := out(i, p); err != nil {
				return err
			}
			if err := e.m.tick(); err != nil {
				return err
			}
		}
		return nil
	}
	a, ok := float(from)
	b, also := float(to)
	d, too := float(by)
	if !ok || !also || !too {
		return words("Range bounds must be numeric")
	}
	for ; d > 0 && a < b || d < 0 && a > b; a += d {
		if err := out(norm(a), p); err != nil {
			return err
		}
		if err := e.m.tick(); err != nil {
			return err
		}
	}
	return nil
}

// allButLast runs a part, hands all results but the last to inner and gives that one: what
// goes on from it needs no stack then.
func allButLast(f node, e *frame, v any, p *trail, inner yield) (last any, at *trail, some bool, err error) {
	if p == nil && f.single() {
		last, err = f.eval(e, v)
		return last, nil, err == nil, err
	}
	var failed error
	err = f.run(e, v, p, func(w any, q *trail) error {
		if some {
			if failed = inner(last, at); failed != nil {
				return failed
			}
		}
		last, at, some = w, q, true
		return nil
	})
	if err != nil && some && failed == nil {
		// What came before the error is seen before it.
		if failed := inner(last, at); failed != nil {
			err = failed
		}
	}
	return last, at, some, err
}

// onward runs a step again and again, each time on its results. First it hands the value
// to visit, which says whether to go on.
func onward(f node, e *frame, v any, p *trail, visit func(v any, p *trail) (bool, error)) error {
	for {
		on, err := visit(v, p)
		if err != nil || !on {
			return err
		}
		next, at, some, err := allButLast(f, e, v, p, func(w any, q *trail) error {
			if err := e.m.nest(); err != nil {
				return err
			}
			err := onward(f, e, w, q, visit)
			e.m.unnest()
			return err
		})
		if err != nil || !some {
			return err
		}
		if err := e.m.tick(); err != nil {
			return err
		}
		v, p = next, at
	}
}

func recursed(n *special, e *frame, v any, p *trail, out yield) error {
	return onward(n.args[0], e, v, p, func(v any, p *trail) (bool, error) { return true, out(v, p) })
}

func while(n *special, e *frame, v any, p *trail, out yield) error {
	if !n.args[0].single() {
		return each(n.args[0], e, v, func(ok any) error {
			if !truthy(ok) {
				return nil
			}
			if err := out(v, p); err != nil {
				return err
			}
			return n.again(1, e, v, p, func(w any, q *trail) error { return while(n, e, w, q, out) })
		})
	}
	return onward(n.args[1], e, v, p, func(v any, p *trail) (bool, error) {
		ok, err := n.args[0].eval(e, v)
		if err != nil || !truthy(ok) {
			return false, err
		}
		return true, out(v, p)
	})
}

func until(n *special, e *frame, v any, p *trail, out yield) error {
	if !n.args[0].single() {
		return each(n.args[0], e, v, func(ok any) error {
			if truthy(ok) {
				return out(v, p)
			}
			return n.again(1, e, v, p, func(w any, q *trail) error { return until(n, e, w, q, out) })
		})
	}
	return onward(n.args[1], e, v, p, func(v any, p *trail) (bool, error) {
		ok, err := n.args[0].eval(e, v)
		if err != nil || !truthy(ok) {
			return true, err
		}
		return false, out(v, p)
	})
}

// again runs an argument one level deeper.
func (n *special) again(arg int, e *frame, v any, p *trail, out yield) error {
	if err := e.m.nest(); err != nil {
		return err
	}
	defer e.m.unnest()
	return n.args[arg].run(e, v, p, out)
}

// repeat gives the results again and again, until there is an error.
func repeat(n *special, e *frame, v any, p *trail, out yield) error {
	for {
		if err := n.args[0].run(e, v, p, out); err != nil {
			return err
		}
		if err := e.m.tick(); err != nil {
			return err
		}
	}
}
