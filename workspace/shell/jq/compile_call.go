package jq

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

func signature(name string, arity int) string { return name + "/" + strconv.Itoa(arity) }

// function compiles the use of a name: a variable, a parameter, a function of the program
// or of jq.
func (c *compiler) function(f *gojq.Func, at place) (node, error) {
	if strings.HasPrefix(f.Name, "$") {
		return c.variable(f.Name, at)
	}
	if s := at.names.find(f.Name, len(f.Args), string(aFunction)+string(aClosure)); s != nil {
		if s.kind == aClosure {
			return &argument{hops: at.level - s.level, at: s.at}, nil
		}
		return c.call(s.f, at.level-s.level, f, at)
	}
	if strings.Contains(f.Name, "::") {
		return nil, undefined(signature(f.Name, len(f.Args)))
	}
	return c.builtin(f, at)
}

func (c *compiler) arguments(f *gojq.Func, at place) ([]node, bool, error) {
	args := make([]node, len(f.Args))
	one := true
	for i, q := range f.Args {
		var err error
		if args[i], err = c.query(q, at.inside()); err != nil {
			return nil, false, err
		}
		one = one && args[i].single()
	}
	return args, one, nil
}

func (c *compiler) call(f *function, hops int, use *gojq.Func, at place) (node, error) {
	args, _, err := c.arguments(use, at)
	if err != nil {
		return nil, err
	}
	n := &call{f: f, hops: hops, args: args, last: at.last, one: f.body != nil && f.body.single()}
	for i, param := range f.params {
		if strings.HasPrefix(param, "$") && !args[i].single() {
			n.one = false
		}
	}
	return n, nil
}

// builtin compiles the use of a function of jq.
func (c *compiler) builtin(f *gojq.Func, at place) (node, error) {
	name := signature(f.Name, len(f.Args))
	if name == "builtins/0" {
		return &constant{value: signatures()}, nil
	}
	if v, ok := c.fromEnvironment(f); ok {
		return &constant{value: v}, nil
	}
	if text, ok := prelude[name]; ok {
		def, err := c.defined(name, text)
		if err != nil {
			return nil, err
		}
		return c.call(def, -1, f, at)
	}
	make, do := specials[name], builtins[name]
	if make == nil && do == nil || f.Name[0] == '_' {
		return nil, undefined(name)
	}
	args, one, err := c.arguments(f, at)
	if err != nil {
		return nil, err
	}
	if make != nil {
		return make(args), nil
	}
	return &plainCall{do: do, args: args, one: one}, nil
}

// fromEnvironment gives what env(NAME) of yq stands for; false when it is something else.
func (c *compiler) fromEnvironment(f *gojq.Func) (any, bool) {
	if c.extra == nil || f.Name != "env" && f.Name != "strenv" || len(f.Args) != 1 {
		return nil, false
	}
	t := f.Args[0].Term
	if t == nil || t.Type != gojq.TermTypeFunc || len(t.Func.Args) != 0 {
		return nil, false
	}
	return c.extra(t.Func.Name)
}

// defined gives a function of the prelude, compiled when it is first used.
func (c *compiler) defined(name, text string) (*function, error) {
	if f := c.prelude[name]; f != nil {
		return f, nil
	}
	q, err := gojq.Parse(text + " .")
	if err != nil {
		return nil, fmt.Errorf("the definition of %s: %w", name, err)
	}
	def := q.FuncDefs[0]
	f := &function{name: def.Name, params: def.Args}
	c.prelude[name] = f
	top := place{level: -1}.with(scope{kind: aFunction, name: def.Name, arity: len(def.Args), level: -1, f: f})
	return f, c.body(f, def.Body, top)
}

// imports makes known what the modules of a program define.
func (c *compiler) imports(q *gojq.Query, at place) (place, error) {
	for _, i := range q.Imports {
		meta := values(i.Meta)
		name, prefix := i.IncludePath, ""
		if i.ImportPath != "" {
			name, prefix = i.ImportPath, i.ImportAlias+"::"
		}
		if strings.HasPrefix(i.ImportAlias, "$") {
			data, err := c.loader.data(name, meta)
			if err != nil {
				return at, err
			}
			at = at.with(scope{kind: aConstant, name: i.ImportAlias, value: data})
			at = at.with(scope{kind: aConstant, name: i.ImportAlias + "::" + i.ImportAlias[1:], value: data})
			continue
		}
		module, file, err := c.loader.module(name, meta)
		if err != nil {
			return at, err
		}
		if at, err = c.module(module, file, prefix, at); err != nil {
			return at, err
		}
	}
	return at, nil
}

// module compiles the functions of a module for a place on the outermost level.
func (c *compiler) module(q *gojq.Query, file, prefix string, at place) (place, error) {
	if c.loading[file] {
		return at, fmt.Errorf("module %s imports itself", file)
	}
	c.loading[file] = true
	defer delete(c.loading, file)
	own, err := c.imports(q, place{slots: at.slots})
	if err != nil {
		return at, err
	}
	for _, def := range q.FuncDefs {
		if own, err = c.define(def, own); err != nil {
			return at, fmt.Errorf("%w in %s", err, file)
		}
		known := *own.names
		known.name = prefix + known.name
		at = at.with(known)
	}
	return at, nil
}

// values gives the value of a constant object.
func values(o *gojq.ConstObject) *object {
	v := &object{}
	if o == nil {
		return v
	}
	for _, kv := range o.KeyVals {
		key := kv.Key
		if key == "" {
			key = kv.KeyString
		}
		v.put(key, constantOf(kv.Val))
	}
	return v
}

func constantOf(t *gojq.ConstTerm) any {
	switch {
	case t.Object != nil:
		return values(t.Object)
	case t.Array != nil:
		list := &array{}
		for _, item := range t.Array.Elems {
			list.items = append(list.items, constantOf(item))
		}
		return list
	case t.Number != "":
		v, _ := number([]byte(t.Number))
		return v
	case t.Null:
		return nil
	case t.True, t.False:
		return t.True
	}
	return t.Str
}
