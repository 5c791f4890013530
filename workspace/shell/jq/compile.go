package jq

import (
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// compiler turns the syntax tree of a program into nodes.
type compiler struct {
	loader  *loader
	environ func() any // the variables of the environment
	extra   func(name string) (any, bool)
	prelude map[string]*function // by name and arity, those that are compiled
	loading map[string]bool      // modules that are being loaded
}

// undefined is a name that is not known: as jq says it.
func undefined(name string) error { return fmt.Errorf("%s is not defined", name) }

// program compiles a whole program.
func (c *compiler) program(q *gojq.Query, at place) (node, error) {
	at, err := c.imports(q, at)
	if err != nil {
		return nil, err
	}
	at.last = true
	return c.query(q, at)
}

func (c *compiler) query(q *gojq.Query, at place) (node, error) {
	for _, def := range q.FuncDefs {
		var err error
		if at, err = c.define(def, at); err != nil {
			return nil, err
		}
	}
	switch {
	case q.Term != nil:
		return c.term(q.Term, at)
	case q.Right == nil:
		return identity{}, nil
	case q.Op == gojq.OpPipe && q.Patterns != nil:
		return c.binding(q, at)
	case q.Op == gojq.OpPipe:
		return c.pipe(q, at)
	case q.Op == gojq.OpComma:
		left, err := c.query(q.Left, at.inside())
		if err != nil {
			return nil, err
		}
		right, err := c.query(q.Right, at)
		return &comma{left: left, right: right}, err
	}
	return c.operator(q, at)
}

// define compiles a function and gives the place in which it is known.
func (c *compiler) define(def *gojq.FuncDef, at place) (place, error) {
	f := &function{name: def.Name, params: def.Args}
	at = at.with(scope{kind: aFunction, name: def.Name, arity: len(def.Args), level: at.level, f: f})
	return at, c.body(f, def.Body, at)
}

func (c *compiler) body(f *function, q *gojq.Query, at place) error {
	inner := place{names: at.names, level: at.level + 1, slots: &f.slots, last: true}
	for i, param := range f.params {
		name, isValue := strings.CutPrefix(param, "$")
		inner = inner.with(scope{kind: aClosure, name: name, level: inner.level, at: i})
		if isValue {
			inner, _ = inner.variable(param)
		}
	}
	body, err := c.query(q, inner)
	f.body = body
	return err
}

func (c *compiler) pipe(q *gojq.Query, at place) (node, error) {
	left, err := c.query(q.Left, at.inside())
	if err != nil {
		return nil, err
	}
	right, err := c.query(q.Right, at)
	if err != nil {
		return nil, err
	}
	return joined(left, right), nil
}

func joined(left, right node) node {
	return &pipe{left: left, right: right, one: left.single() && right.single()}
}

// two compiles the sides of an operator.
func (c *compiler) two(q *gojq.Query, at place) (left, right node, err error) {
	if left, err = c.query(q.Left, at.inside()); err == nil {
		right, err = c.query(q.Right, at.inside())
	}
	return left, right, err
}

var operators = map[gojq.Operator]func(a, b any) (any, error){
	gojq.OpAdd: add, gojq.OpSub: subtract, gojq.OpMul: multiply, gojq.OpDiv: divide, gojq.OpMod: modulo,
	gojq.OpEq: isEqual, gojq.OpNe: isUnequal, gojq.OpLt: isLess, gojq.OpGt: isGreater, gojq.OpLe: isAtMost, gojq.OpGe: isAtLeast,
}

var updates = map[gojq.Operator]func(a, b any) (any, error){
	gojq.OpUpdateAdd: add, gojq.OpUpdateSub: subtract, gojq.OpUpdateMul: multiply, gojq.OpUpdateDiv: divide,
	gojq.OpUpdateMod: modulo, gojq.OpUpdateAlt: alternative,
}

func (c *compiler) operator(q *gojq.Query, at place) (node, error) {
	left, right, err := c.two(q, at)
	if err != nil {
		return nil, err
	}
	both := left.single() && right.single()
	switch q.Op {
	case gojq.OpAnd, gojq.OpOr:
		return &logic{left: left, right: right, or: q.Op == gojq.OpOr, one: both}, nil
	case gojq.OpAlt:
		return &otherwise{left: left, right: right, one: both}, nil
	case gojq.OpAssign:
		return &assignment{target: left, value: right, one: right.single()}, nil
	case gojq.OpModify:
		return &update{target: left, body: right}, nil
	}
	if do := updates[q.Op]; do != nil {
		return &computed{assignment{target: left, value: right, one: right.single()}, do}, nil
	}
	do := operators[q.Op]
	if do == nil {
		return nil, fmt.Errorf("operator %v is not supported", q.Op)
	}
	return &operation{left: left, right: right, do: do, one: both}, nil
}

func (c *compiler) binding(q *gojq.Query, at place) (node, error) {
	source, err := c.query(q.Left, at.inside())
	if err != nil {
		return nil, err
	}
	ps, inner, err := c.patterns(q.Patterns, at)
	if err != nil {
		return nil, err
	}
	ps.last = at.last && source.single() && len(ps.list) == 1
	inner.last = ps.last
	body, err := c.query(q.Right, inner)
	if err != nil {
		return nil, err
	}
	plain := len(ps.list) == 1 && ps.list[0].slot >= 0
	return &binding{source: source, body: body, patterns: ps, one: plain && source.single() && body.single()}, nil
}

// patterns compiles the alternatives of a binding: each variable of any of them is known
// after it.
func (c *compiler) patterns(list []*gojq.Pattern, at place) (*patterns, place, error) {
	ps := &patterns{}
	bound := map[string]int{}
	variable := func(name string) int {
		slot, ok := bound[name]
		if !ok {
			at, slot = at.variable(name)
			bound[name] = slot
			ps.slots = append(ps.slots, slot)
		}
		return slot
	}
	for _, p := range list {
		compiled, err := c.pattern(p, variable, func() place { return at.inside() })
		if err != nil {
			return nil, at, err
		}
		ps.list = append(ps.list, compiled)
	}
	return ps, at, nil
}

func (c *compiler) pattern(p *gojq.Pattern, variable func(string) int, at func() place) (*pattern, error) {
	if p.Name != "" {
		return &pattern{slot: variable(p.Name)}, nil
	}
	n := &pattern{slot: -1}
	for _, item := range p.Array {
		inner, err := c.pattern(item, variable, at)
		if err != nil {
			return nil, err
		}
		n.array = append(n.array, inner)
	}
	for _, item := range p.Object {
		x := entry{slot: -1}
		var err error
		switch {
		case item.KeyQuery != nil:
			x.key, err = c.query(item.KeyQuery, at())
		case item.KeyString != nil:
			x.key, err = c.text(item.KeyString, nil, at())
		case strings.HasPrefix(item.Key, "$"):
			x.key, x.slot = &constant{value: item.Key[1:]}, variable(item.Key)
		default:
			x.key = &constant{value: item.Key}
		}
		if err == nil && item.Val != nil {
			x.value, err = c.pattern(item.Val, variable, at)
		}
		if err != nil {
			return nil, err
		}
		n.object = append(n.object, x)
	}
	return n, nil
}
