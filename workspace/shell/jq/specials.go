package jq

// specials are the functions of jq that run their arguments themselves, by name and arity.
var specials = specialTable()

func generator(do func(n *special, e *frame, v any, p *trail, out yield) error) func([]node) node {
	return func(args []node) node { return &special{args: args, do: do} }
}

func gatherer(do func(n *gathering, e *frame, v any) (any, error)) func([]node) node {
	return func(args []node) node { return &gathering{args: args, do: do} }
}

func specialTable() map[string]func([]node) node {
	specials := map[string]func([]node) node{
		"empty/0":      generator(func(*special, *frame, any, *trail, yield) error { return nil }),
		"select/1":     generator(selected),
		"map/1":        func(args []node) node { return &mapping{f: args[0]} },
		"map_values/1": func(args []node) node { return &update{target: iteration{}, body: args[0]} },
		"recurse/0":    func([]node) node { return descent{} },
		"recurse/1":    generator(recursed),
		"path/1":       func(args []node) node { return &pathOf{body: args[0]} },
		"paths/0":      generator(allPaths),
		"del/1":        gatherer(deleted),
		"getpath/1":    func(args []node) node { return &getpath{key: args[0], one: args[0].single()} },
		"first/0":      func([]node) node { return &indexed{target: identity{}, key: &constant{value: 0}, one: true} },
		"last/0":       func([]node) node { return &indexed{target: identity{}, key: &constant{value: -1}, one: true} },
		"nth/1":        func(args []node) node { return &indexed{target: identity{}, key: args[0], one: args[0].single()} },
		"first/1":      generator(firstResult),
		"last/1":       generator(lastResult),
		"limit/2":      generator(limited),
		"skip/2":       generator(skipped),
		"until/2":      generator(until),
		"while/2":      generator(while),
		"repeat/1":     generator(repeat),
		"range/1":      func(args []node) node { return ranges([]node{&constant{value: 0}, args[0], &constant{value: 1}}) },
		"range/2":      func(args []node) node { return ranges([]node{args[0], args[1], &constant{value: 1}}) },
		"range/3":      ranges,
		"isempty/1":    gatherer(isEmpty),
		"add/1":        gatherer(sumOf),
		"inputs/0":     generator(inputsLeft),
		"walk/1":       generator(walk),
		"tostream/0":   generator(toStream),
		"fromstream/1": generator(fromStream),
		"sort_by/1":    gatherer(func(n *gathering, e *frame, v any) (any, error) { return byKey(n.args[0], e, v, sortedBy) }),
		"group_by/1":   gatherer(func(n *gathering, e *frame, v any) (any, error) { return byKey(n.args[0], e, v, groupedBy) }),
		"unique_by/1":  gatherer(func(n *gathering, e *frame, v any) (any, error) { return byKey(n.args[0], e, v, uniqueBy) }),
		"unique/0":     gatherer(func(_ *gathering, e *frame, v any) (any, error) { return byKey(identity{}, e, v, uniqueBy) }),
		"min_by/1":     gatherer(func(n *gathering, e *frame, v any) (any, error) { return extremeBy(n.args[0], e, v, true) }),
		"max_by/1":     gatherer(func(n *gathering, e *frame, v any) (any, error) { return extremeBy(n.args[0], e, v, false) }),
		"sub/2":        generator(func(n *special, e *frame, v any, p *trail, out yield) error { return n.substitute(e, v, "", p, out) }),
		"sub/3":        generator(func(n *special, e *frame, v any, p *trail, out yield) error { return n.substitute(e, v, "", p, out) }),
		"gsub/2":       generator(func(n *special, e *frame, v any, p *trail, out yield) error { return n.substitute(e, v, "g", p, out) }),
		"gsub/3":       generator(func(n *special, e *frame, v any, p *trail, out yield) error { return n.substitute(e, v, "g", p, out) }),
	}
	for arity, suffix := range []string{"/0", "/1", "/2"} {
		specials["any"+suffix] = quantifier(arity, true)
		specials["all"+suffix] = quantifier(arity, false)
	}
	for _, name := range []string{"match/1", "match/2", "capture/1", "capture/2", "scan/1", "scan/2", "splits/1", "splits/2"} {
		specials[name] = func(args []node) node {
			one := true
			for _, arg := range args {
				one = one && arg.single()
			}
			return joined(&plainCall{do: builtins["_"+name], args: args, one: one}, iteration{})
		}
	}
	for name, types := range map[string][]string{
		"arrays/0": {"array"}, "objects/0": {"object"}, "iterables/0": {"array", "object"}, "booleans/0": {"boolean"},
		"numbers/0": {"number"}, "strings/0": {"string"}, "nulls/0": {"null"}, "values/0": {"boolean", "number", "string", "array", "object"},
		"scalars/0": {"null", "boolean", "number", "string"},
	} {
		specials[name] = ofType(types)
	}
	return specials
}

func ofType(types []string) func([]node) node {
	return generator(func(_ *special, _ *frame, v any, p *trail, out yield) error {
		name := typeOf(v)
		for _, t := range types {
			if t == name {
				return out(v, p)
			}
		}
		return nil
	})
}

func selected(n *special, e *frame, v any, p *trail, out yield) error {
	return each(n.args[0], e, v, func(ok any) error {
		if truthy(ok) {
			return out(v, p)
		}
		return nil
	})
}

// mapping is map(f).
type mapping struct {
	once
	f node
}

func (n *mapping) run(e *frame, v any, p *trail, out yield) error { return give(n, e, v, p, out) }

func (n *mapping) eval(e *frame, v any) (any, error) {
	list := &array{}
	if a, ok := v.(*array); ok {
		list.items = make([]any, 0, a.len())
	}
	err := spread(e, v, nil, func(w any, _ *trail) error {
		if n.f.single() {
			w, err := n.f.eval(e, w)
			list.items = append(list.items, w)
			return err
		}
		return each(n.f, e, w, func(w any) error {
			list.items = append(list.items, w)
			return e.m.grown(len(list.items))
		})
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func allPaths(_ *special, e *frame, v any, p *trail, out yield) error {
	return pathsOf(descent{}, e, v, func(_ any, q *trail) error {
		if q.up == nil {
			return nil
		}
		return out(&array{items: q.keys(nil)}, p)
	})
}

func deleted(n *gathering, e *frame, v any) (any, error) {
	var gone []any
	err := pathsOf(n.args[0], e, v, func(_ any, q *trail) error {
		gone = append(gone, &array{items: q.keys(nil)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return deletePaths(v, gone)
}

func isEmpty(n *gathering, e *frame, v any) (any, error) {
	_, some, err := firstOf(n.args[0], e, v)
	return !some, err
}

func sumOf(n *gathering, e *frame, v any) (any, error) {
	s := &sum{}
	if err := each(n.args[0], e, v, s.add); err != nil {
		return nil, err
	}
	return s.value(), nil
}

// quantifier gives any and all: of the elements, of what f says about them, or of what f
// says about what a generator gives.
func quantifier(arity int, want bool) func([]node) node {
	return gatherer(func(n *gathering, e *frame, v any) (any, error) {
		var source, cond node = iteration{}, identity{}
		switch arity {
		case 1:
			cond = n.args[0]
		case 2:
			source, cond = n.args[0], n.args[1]
		}
		found := false
		err := each(source, e, v, func(w any) error {
			return each(cond, e, w, func(ok any) error {
				if truthy(ok) == want {
					found = true
					return errStop
				}
				return nil
			})
		})
		if found {
			err = nil
		}
		return found == want, err
	})
}
