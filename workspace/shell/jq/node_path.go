package jq

// field is ".name".
type field struct {
	once
	name string
	at   int // where the name was last found
}

func (n *field) eval(_ *frame, v any) (any, error) {
	switch v := v.(type) {
	case *object:
		v.own()
		if n.at < len(v.keys) && v.keys[n.at] == n.name {
			return v.vals[n.at], nil
		}
		if i := v.find(n.name); i >= 0 {
			n.at = i
			return v.vals[i], nil
		}
		return nil, nil
	case nil:
		return nil, nil
	}
	return nil, notIndexed(v, n.name)
}

func (n *field) run(e *frame, v any, p *trail, out yield) error {
	w, err := n.eval(e, v)
	if p == nil {
		if err != nil {
			return err
		}
		return out(w, nil)
	}
	if err := accessible(v, n.name, p); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	return out(w, p.to(n.name, w))
}

// accessible says whether a value still lies at the path, so that a key can be added to it.
func accessible(v, key any, p *trail) error {
	if same(v, p.value) {
		return nil
	}
	return worded("Invalid path expression near attempt to access element %s of %s", shown(key, roomShort), shown(v, roomLong))
}

// step goes from a value to what a key stands for.
func step(v, key any, p *trail, optional bool, out yield) error {
	if p != nil {
		if err := accessible(v, key, p); err != nil {
			return err
		}
	}
	w, err := access(v, key)
	switch {
	case err != nil && optional:
		return nil
	case err != nil:
		return err
	case p == nil:
		return out(w, nil)
	}
	return out(w, p.to(key, w))
}

// indexed is "target[key]".
type indexed struct {
	target, key node
	optional    bool // without a result instead of an error
	one         bool
}

func (n *indexed) single() bool { return n.one }

func (n *indexed) eval(e *frame, v any) (any, error) {
	key, err := n.key.eval(e, v)
	if err != nil {
		return nil, err
	}
	w, err := n.target.eval(e, v)
	if err != nil {
		return nil, err
	}
	return access(w, key)
}

func (n *indexed) run(e *frame, v any, p *trail, out yield) error {
	return each(n.key, e, v, func(key any) error {
		return n.target.run(e, v, p, func(w any, q *trail) error { return step(w, key, q, n.optional, out) })
	})
}

// sliced is "target[from:to]"; an end that is not given is null.
type sliced struct {
	target, from, to node
	optional         bool
	one              bool
}

func (n *sliced) single() bool { return n.one }

func (n *sliced) eval(e *frame, v any) (any, error) {
	from, err := n.from.eval(e, v)
	if err != nil {
		return nil, err
	}
	to, err := n.to.eval(e, v)
	if err != nil {
		return nil, err
	}
	w, err := n.target.eval(e, v)
	if err != nil {
		return nil, err
	}
	return access(w, newObject("start", from, "end", to))
}

func (n *sliced) run(e *frame, v any, p *trail, out yield) error {
	return each(n.from, e, v, func(from any) error {
		return each(n.to, e, v, func(to any) error {
			key := newObject("start", from, "end", to)
			return n.target.run(e, v, p, func(w any, q *trail) error { return step(w, key, q, n.optional, out) })
		})
	})
}

// iteration is ".[]".
type iteration struct{ many }

func (iteration) run(e *frame, v any, p *trail, out yield) error {
	if p != nil && !same(v, p.value) {
		return worded("Invalid path expression near attempt to iterate through %s", shown(v, roomLong))
	}
	return spread(e, v, p, out)
}

// spread gives the elements of an array or the values of an object.
func spread(e *frame, v any, p *trail, out yield) error {
	var q *trail
	switch v := v.(type) {
	case *array:
		for i := range v.len() {
			w := v.list()[i]
			if p != nil {
				q = p.to(i, w)
			}
			if err := out(w, q); err != nil {
				return err
			}
			if err := e.m.tick(); err != nil {
				return err
			}
		}
		return nil
	case *object:
		for i := range v.len() {
			key, w := v.each(i)
			if p != nil {
				q = p.to(key, w)
			}
			if err := out(w, q); err != nil {
				return err
			}
			if err := e.m.tick(); err != nil {
				return err
			}
		}
		return nil
	}
	return words("Cannot iterate over " + described(v))
}

// descent is "..": the value and all that is in it.
type descent struct{ many }

func (n descent) run(e *frame, v any, p *trail, out yield) error {
	if err := out(v, p); err != nil {
		return err
	}
	switch v.(type) {
	case *array, *object:
	default:
		return nil
	}
	if err := e.m.nest(); err != nil {
		return err
	}
	defer e.m.unnest()
	return spread(e, v, p, func(w any, q *trail) error { return n.run(e, w, q, out) })
}

// getpath is getpath(path).
type getpath struct {
	key node
	one bool
}

func (n *getpath) single() bool { return n.one }

func (n *getpath) eval(e *frame, v any) (any, error) {
	key, err := n.key.eval(e, v)
	if err != nil {
		return nil, err
	}
	keys, ok := key.(*array)
	if !ok {
		return nil, words("Path must be specified as an array")
	}
	return getPath(v, keys.list())
}

func (n *getpath) run(e *frame, v any, p *trail, out yield) error {
	return each(n.key, e, v, func(key any) error {
		keys, ok := key.(*array)
		if !ok {
			return words("Path must be specified as an array")
		}
		w, q := v, p
		for _, key := range keys.list() {
			if q != nil {
				if err := accessible(w, key, q); err != nil {
					return err
				}
			}
			var err error
			if w, err = access(w, key); err != nil {
				return err
			}
			if q != nil {
				q = q.to(key, w)
			}
		}
		return out(w, q)
	})
}

// pathsOf gives the places of a part, each with the value there.
func pathsOf(n node, e *frame, v any, do func(w any, q *trail) error) error {
	return n.run(e, v, &trail{value: v}, func(w any, q *trail) error {
		if err := q.reached(w); err != nil {
			return err
		}
		return do(w, q)
	})
}

// pathOf is path(body).
type pathOf struct {
	many
	body node
}

func (n *pathOf) run(e *frame, v any, p *trail, out yield) error {
	return pathsOf(n.body, e, v, func(_ any, q *trail) error {
		return out(&array{items: q.keys(nil)}, p)
	})
}
