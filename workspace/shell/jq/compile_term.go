package jq

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

func (c *compiler) term(t *gojq.Term, at place) (node, error) {
	if len(t.SuffixList) == 0 {
		return c.plainTerm(t, at)
	}
	n, err := c.plainTerm(t, at.inside())
	steps := t.Type == gojq.TermTypeIndex // the last part is a step of a path
	for _, s := range t.SuffixList {
		if err != nil {
			return nil, err
		}
		switch {
		case s.Index != nil:
			n, err = c.index(n, s.Index, at.inside())
		case s.Iter:
			n = joined(n, iteration{})
		case s.Optional && steps:
			n = optional(n)
		default:
			n = &attempt{body: n}
		}
		steps = !s.Optional
	}
	return n, err
}

// optional drops the errors of the last step of a term: in ".a.b?" those of ".b" alone.
func optional(n node) node {
	switch n := n.(type) {
	case *indexed:
		n.optional, n.one = true, false
		return n
	case *sliced:
		n.optional, n.one = true, false
		return n
	case *pipe:
		switch n.right.(type) {
		case *field, iteration:
			return joined(n.left, &attempt{body: n.right})
		}
	}
	return &attempt{body: n}
}

func (c *compiler) plainTerm(t *gojq.Term, at place) (node, error) {
	switch t.Type {
	case gojq.TermTypeIdentity:
		return identity{}, nil
	case gojq.TermTypeRecurse:
		return descent{}, nil
	case gojq.TermTypeNull:
		return &constant{}, nil
	case gojq.TermTypeTrue:
		return &constant{value: true}, nil
	case gojq.TermTypeFalse:
		return &constant{value: false}, nil
	case gojq.TermTypeIndex:
		return c.index(identity{}, t.Index, at.inside())
	case gojq.TermTypeFunc:
		return c.function(t.Func, at)
	case gojq.TermTypeObject:
		return c.object(t.Object, at.inside())
	case gojq.TermTypeArray:
		return c.array(t.Array, at.inside())
	case gojq.TermTypeNumber:
		v, ok := number([]byte(t.Number))
		if !ok {
			return nil, fmt.Errorf("'%s' is not a valid number", t.Number)
		}
		return &constant{value: v}, nil
	case gojq.TermTypeUnary:
		return c.unary(t.Unary, at.inside())
	case gojq.TermTypeFormat:
		return c.formatted(t, at.inside())
	case gojq.TermTypeString:
		return c.text(t.Str, nil, at.inside())
	case gojq.TermTypeQuery:
		return c.query(t.Query, at)
	}
	return c.control(t, at)
}

func (c *compiler) control(t *gojq.Term, at place) (node, error) {
	switch t.Type {
	case gojq.TermTypeIf:
		return c.branches(t.If, at)
	case gojq.TermTypeTry:
		body, err := c.query(t.Try.Body, at.inside())
		if err != nil {
			return nil, err
		}
		n := &attempt{body: body}
		if t.Try.Catch != nil {
			n.handler, err = c.query(t.Try.Catch, at.inside())
		}
		return n, err
	case gojq.TermTypeReduce:
		return c.reduction(t.Reduce, at.inside())
	case gojq.TermTypeForeach:
		return c.loop(t.Foreach, at.inside())
	case gojq.TermTypeLabel:
		slot := at.slot()
		inner := at.inside().with(scope{kind: aLabel, name: t.Label.Ident, level: at.level, at: slot})
		body, err := c.query(t.Label.Body, inner)
		return &label{slot: slot, name: t.Label.Ident, body: body}, err
	case gojq.TermTypeBreak:
		s := at.names.find(t.Break, 0, string(aLabel))
		if s == nil {
			return nil, undefined("$*label-" + strings.TrimPrefix(t.Break, "$"))
		}
		return &leave{hops: at.level - s.level, slot: s.at}, nil
	}
	return nil, fmt.Errorf("a term of type %v is not supported", t.Type)
}

// index compiles ".name", "[key]" and "[from:to]" after a target.
func (c *compiler) index(target node, x *gojq.Index, at place) (node, error) {
	switch {
	case x.Name != "":
		return after(target, &field{name: x.Name}), nil
	case x.IsSlice:
		from, err := c.end(x.Start, at)
		if err != nil {
			return nil, err
		}
		to, err := c.end(x.End, at)
		return &sliced{target: target, from: from, to: to, one: target.single() && from.single() && err == nil && to.single()}, err
	}
	var key node
	var err error
	if x.Str != nil {
		key, err = c.text(x.Str, nil, at)
	} else {
		key, err = c.query(x.Start, at)
	}
	if err != nil {
		return nil, err
	}
	if k, ok := key.(*constant); ok {
		if name, ok := k.value.(string); ok {
			return after(target, &field{name: name}), nil
		}
	}
	return &indexed{target: target, key: key, one: target.single() && key.single()}, nil
}

func (c *compiler) end(q *gojq.Query, at place) (node, error) {
	if q == nil {
		return &constant{}, nil
	}
	return c.query(q, at)
}

func after(target, n node) node {
	if _, ok := target.(identity); ok {
		return n
	}
	return joined(target, n)
}

func (c *compiler) array(a *gojq.Array, at place) (node, error) {
	if a.Query == nil {
		return &list{}, nil
	}
	body, err := c.query(a.Query, at)
	return &list{body: body}, err
}

func (c *compiler) object(o *gojq.Object, at place) (node, error) {
	n := &construction{one: true}
	for _, kv := range o.KeyVals {
		p, err := c.pair(kv, at)
		if err != nil {
			return nil, err
		}
		n.pairs = append(n.pairs, p)
		n.one = n.one && p.key.single() && p.value.single()
	}
	return n, nil
}

func (c *compiler) pair(kv *gojq.ObjectKeyVal, at place) (p pair, err error) {
	name := kv.Key
	switch {
	case kv.KeyQuery != nil:
		p.key, err = c.query(kv.KeyQuery, at)
	case kv.KeyString != nil:
		p.key, err = c.text(kv.KeyString, nil, at)
	case strings.HasPrefix(name, locationPrefix):
		p.key = &constant{value: "__loc__"}
	case strings.HasPrefix(name, "$") && kv.Val == nil:
		p.key = &constant{value: name[1:]}
	case strings.HasPrefix(name, "$"):
		p.key, err = c.variable(name, at)
	default:
		p.key = &constant{value: name}
	}
	switch {
	case err != nil:
	case kv.Val != nil:
		p.value, err = c.query(kv.Val, at)
	case strings.HasPrefix(name, "$"):
		p.value, err = c.variable(name, at)
	case kv.KeyString != nil:
		p.value = &indexed{target: identity{}, key: p.key, one: p.key.single()}
	default:
		p.value = &field{name: name}
	}
	return p, err
}

func (c *compiler) unary(u *gojq.Unary, at place) (node, error) {
	n, err := c.term(u.Term, at)
	if err != nil || u.Op == gojq.OpAdd {
		return n, err
	}
	if k, ok := n.(*constant); ok && isNumber(k.value) {
		if l, ok := k.value.(literal); ok && l[0] != '-' {
			return &constant{value: "-" + l}, nil
		}
		return &constant{value: negative(k.value)}, nil
	}
	return joined(n, &plainCall{do: func(_ *machine, v any, _ []any) (any, error) { return negate(v) }, one: true}), nil
}

// formatted compiles "@name" and "@name \"…\"".
func (c *compiler) formatted(t *gojq.Term, at place) (node, error) {
	name := strings.TrimPrefix(t.Format, "@")
	if t.Str != nil {
		return c.text(t.Str, func(v any) (string, error) { return format(name, v) }, at)
	}
	return &plainCall{one: true, do: func(_ *machine, v any, _ []any) (any, error) {
		text, err := format(name, v)
		return text, err
	}}, nil
}

// text compiles a string; as says how queries in it are written, nil as tostring does.
func (c *compiler) text(s *gojq.String, as func(any) (string, error), at place) (node, error) {
	if s.Queries == nil {
		return &constant{value: s.Str}, nil
	}
	if as == nil {
		as = func(v any) (string, error) { return textOf(v), nil }
	}
	n := &interpolation{format: as, one: true}
	for _, q := range s.Queries {
		if q.Term != nil && q.Term.Type == gojq.TermTypeString && q.Term.Str.Queries == nil {
			n.parts = append(n.parts, &verbatim{constant{value: q.Term.Str.Str}, q.Term.Str.Str})
			continue
		}
		part, err := c.query(q, at)
		if err != nil {
			return nil, err
		}
		n.parts = append(n.parts, part)
		n.one = n.one && part.single()
	}
	return n, nil
}

// locationPrefix begins the names that stand for $__loc__, each with its line.
const locationPrefix = "$__loc_"

func (c *compiler) variable(name string, at place) (node, error) {
	if line, err := strconv.Atoi(strings.TrimPrefix(name, locationPrefix)); err == nil && strings.HasPrefix(name, locationPrefix) {
		return &constant{value: newObject("file", "<top-level>", "line", line)}, nil
	}
	s := at.names.find(name, 0, string(aVariable)+string(aConstant))
	switch {
	case s == nil && name == "$ENV":
		return &constant{value: c.environ()}, nil
	case s == nil:
		return nil, undefined(name)
	case s.kind == aConstant:
		return &constant{value: s.value}, nil
	}
	return &variable{hops: at.level - s.level, slot: s.at}, nil
}
