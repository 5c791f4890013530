package limit

// queue holds who waits: round robin over runs, within a run over invocations, within an
// invocation first come first served.
type queue struct {
	ring[*runQueue]
	n int
}

type runQueue struct {
	id string
	ring[*pathQueue]
}

type pathQueue struct {
	path  string
	items []*ticket
}

// ring is what is served in turn.
type ring[T interface{ name() string }] struct {
	order []T
	by    map[string]T
}

func (r *runQueue) name() string  { return r.id }
func (p *pathQueue) name() string { return p.path }

// get gives the member of a name, a new one at the end of the order when there is none.
func (r *ring[T]) get(name string, fresh func() T) T {
	m, ok := r.by[name]
	if !ok {
		m = fresh()
		if r.by == nil {
			r.by = make(map[string]T)
		}
		r.by[name] = m
		r.order = append(r.order, m)
	}
	return m
}

// turn moves the first member to the end, or drops it.
func (r *ring[T]) turn(stays bool) {
	first := r.order[0]
	r.order = r.order[1:]
	if stays {
		r.order = append(r.order, first)
		return
	}
	delete(r.by, first.name())
}

func (r *ring[T]) drop(at int) {
	delete(r.by, r.order[at].name())
	r.order = append(r.order[:at:at], r.order[at+1:]...)
}

func (q *queue) push(t *ticket) {
	run := q.get(t.Run, func() *runQueue { return &runQueue{id: t.Run} })
	path := run.get(t.Path, func() *pathQueue { return &pathQueue{path: t.Path} })
	path.items = append(path.items, t)
	q.n++
}

// first gives who is next; nil: nobody waits.
func (q *queue) first() *ticket {
	if q.n == 0 {
		return nil
	}
	return q.order[0].order[0].items[0]
}

// pop takes who is next; the next one is of another run, if there is one.
func (q *queue) pop() *ticket {
	run := q.order[0]
	path := run.order[0]
	t := path.items[0]
	path.items = path.items[1:]
	run.turn(len(path.items) > 0)
	q.turn(len(run.order) > 0)
	q.n--
	return t
}

// each calls do for everybody who waits; the order within a run and an invocation is that
// in which they are served.
func (q *queue) each(do func(*ticket)) {
	for _, run := range q.order {
		for _, path := range run.order {
			for _, t := range path.items {
				do(t)
			}
		}
	}
}

// inOrder gives everybody who waits in the order in which they are served.
func (q *queue) inOrder() []*ticket {
	runs := make([][]*ticket, len(q.order))
	for i, run := range q.order {
		paths := make([][]*ticket, len(run.order))
		for j, path := range run.order {
			paths[j] = path.items
		}
		runs[i] = inTurn(paths)
	}
	return inTurn(runs)
}

// inTurn takes one of each line after the other until all are empty.
func inTurn(lines [][]*ticket) []*ticket {
	var out []*ticket
	for at := 0; len(lines) > 0; at++ {
		more := lines[:0:0]
		for _, line := range lines {
			if at < len(line) {
				out = append(out, line[at])
				more = append(more, line)
			}
		}
		lines = more
	}
	return out
}

// remove takes out the tickets that match and gives them.
func (q *queue) remove(match func(*ticket) bool) []*ticket {
	var out []*ticket
	for i := 0; i < len(q.order); i++ {
		run := q.order[i]
		for j := 0; j < len(run.order); j++ {
			path := run.order[j]
			kept := path.items[:0:0]
			for _, t := range path.items {
				if match(t) {
					out = append(out, t)
				} else {
					kept = append(kept, t)
				}
			}
			if path.items = kept; len(kept) == 0 {
				run.drop(j)
				j--
			}
		}
		if len(run.order) == 0 {
			q.drop(i)
			i--
		}
	}
	q.n -= len(out)
	return out
}
