package jq

// yield takes a result, and with it the path where it lies when paths are followed.
type yield func(v any, p *trail) error

// node is a compiled part of a query. Results are handed on one by one; an error that the
// receiver gives ends the part with that error.
type node interface {
	// run gives all results for a value. The path is where the value lies, or nil when
	// nobody asks for paths.
	run(e *frame, v any, p *trail, out yield) error
	// eval gives the result of a part that is single.
	eval(e *frame, v any) (any, error)
	// single says that there is always one result or an error, never several or none.
	single() bool
}

// trail is how a value was reached. Its value is the one that lies there: what a query
// computes lies nowhere, and is found out by being another one.
type trail struct {
	up    *trail
	key   any
	value any
}

func (p *trail) to(key, value any) *trail { return &trail{p, key, value} }

// keys gives the path as an array does; the buffer is used again when it is large enough.
func (p *trail) keys(buf []any) []any {
	n := 0
	for q := p; q.up != nil; q = q.up {
		n++
	}
	if cap(buf) < n {
		buf = make([]any, n)
	}
	buf = buf[:n]
	for q := p; q.up != nil; q = q.up {
		n--
		buf[n] = q.key
	}
	return buf
}

// reached says whether a value lies at the path, for which it is an error not to.
func (p *trail) reached(v any) error {
	if same(v, p.value) {
		return nil
	}
	return words("Invalid path expression with result " + shown(v, roomLong))
}

// frame is one activation of a function: its variables and the closures it was given.
type frame struct {
	m    *machine
	up   *frame // of the function around it
	vars []any
	args []closure
}

func (e *frame) above(hops int) *frame {
	for ; hops > 0; hops-- {
		e = e.up
	}
	return e
}

// closure is a part of a query with the frame it belongs to.
type closure struct {
	body node
	home *frame
}

// once is what nodes with one result have in common; their run is the function give.
type once struct{}

func (once) single() bool { return true }

// many is what nodes with any number of results have in common.
type many struct{}

func (many) single() bool { return false }
func (many) eval(*frame, any) (any, error) {
	return nil, words("a part with several results was taken for one")
}

// give hands on the one result of a node.
func give(n node, e *frame, v any, p *trail, out yield) error {
	w, err := n.eval(e, v)
	if err != nil {
		return err
	}
	return out(w, p)
}

// each runs a part whose path does not matter.
func each(n node, e *frame, v any, do func(v any) error) error {
	if a, ok := n.(*argument); ok {
		c := a.closure(e)
		n, e = c.body, c.home
	}
	if n.single() {
		w, err := n.eval(e, v)
		if err != nil {
			return err
		}
		return do(w)
	}
	return n.run(e, v, nil, func(w any, _ *trail) error { return do(w) })
}

// collect gives all results.
func collect(n node, e *frame, v any) ([]any, error) {
	list := []any{}
	err := each(n, e, v, func(w any) error {
		list = append(list, w)
		return e.m.grown(len(list))
	})
	return list, err
}
