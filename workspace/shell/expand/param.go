package expand

import (
	"context"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// param adds a parameter expansion.
func (b *builder) param(ctx context.Context, pe *syntax.ParamExp, q quoting) error {
	c := b.c
	if s, ok := c.scalar(pe); ok {
		b.add(s, q != bare)
		return nil
	}
	if pe.Param == nil || pe.Width || pe.Flags != nil || pe.NestedParam != nil || pe.Modifiers != nil || pe.IsSet {
		return badSubstitution(pe)
	}
	name := pe.Param.Value
	if pe.Names != 0 {
		b.list(value{list: true, star: pe.Names == syntax.NamesPrefix, items: c.Shell.Names(name)}, q != bare)
		return nil
	}
	r := ref{name: name, sub: subscriptOf(pe.Index)}
	if pe.Excl && (r.sub.kind == all || r.sub.kind == joined) && pe.Exp == nil && pe.Repl == nil && pe.Slice == nil {
		_, v, err := c.follow(ctx, ref{name: name})
		b.list(value{list: true, star: r.sub.kind == joined, items: Keys(v)}, q != bare)
		return err
	}
	if pe.Excl {
		var done bool
		var err error
		if r, done, err = b.indirect(ctx, pe, r, q); done || err != nil {
			return err
		}
	}
	if name == "" {
		return badSubstitution(pe)
	}
	return b.reference(ctx, pe, r, q)
}

func badSubstitution(pe *syntax.ParamExp) error {
	return &Error{Text: partSource(pe) + ": bad substitution", Code: 1}
}

// indirect gives what ${!name} stands for. done: it was added already, as the name that a
// reference stands for.
func (b *builder) indirect(ctx context.Context, pe *syntax.ParamExp, r ref, q quoting) (ref, bool, error) {
	c := b.c
	if r.sub.kind == noSub {
		if v := c.Shell.Get(r.name); v.Kind == vars.NameRef {
			if pe.Exp == nil && pe.Repl == nil && pe.Slice == nil {
				base, sub, err := c.Resolve(ctx, r.name)
				if sub != "" {
					base += "[" + sub + "]"
				}
				b.add(base, q != bare)
				return r, true, err
			}
		}
	}
	target, set, err := c.lookup(ctx, r)
	switch {
	case err != nil:
		return r, false, err
	case !set:
		if op := pe.Exp; op != nil {
			switch op.Op {
			case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
				return r, true, nil
			}
		}
		if c.NoUnset {
			return r, false, unbound(r)
		}
		return r, false, &Error{Text: r.name + r.sub.show() + ": invalid indirect expansion", Code: 1}
	}
	to, ok := parseTarget(target)
	if !ok {
		if !special(target) {
			return r, false, &Error{Text: target + ": invalid variable name", Code: 1}
		}
		to = ref{name: target}
	}
	return to, false, nil
}

// special says whether a text names a positional or special parameter.
func special(s string) bool {
	if len(s) == 1 && strings.Contains("@*#?-$!_", s) {
		return true
	}
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// reference adds a parameter with the operator of its expansion.
func (b *builder) reference(ctx context.Context, pe *syntax.ParamExp, r ref, q quoting) error {
	c := b.c
	r, v, err := c.follow(ctx, r)
	if err != nil {
		if e, ok := err.(*Error); ok {
			c.warn(ctx, "warning: "+e.Text)
			v = vars.Var{}
		} else {
			return err
		}
	}
	val, err := c.fetch(ctx, r, v)
	if err != nil {
		return err
	}
	if pe.Exp != nil {
		switch pe.Exp.Op {
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
			syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			return b.fallback(ctx, pe.Exp, r, val, q)
		}
	}
	switch {
	case val.set || !c.NoUnset:
	case pe.Length && r.sub.kind != noSub:
		if !v.Set() {
			return &Error{Text: r.name + ": unbound variable", Code: 1, Exit: true, Exact: true}
		}
	case !val.list:
		return unbound(r)
	}
	switch {
	case pe.Length:
		n := len(val.items)
		if !val.list {
			n = utf8.RuneCountInString(val.str)
		}
		b.number(int64(n), q != bare)
		return nil
	case pe.Slice != nil:
		val, err = c.slice(ctx, pe, r, v, val)
	case pe.Repl != nil:
		val, err = c.replace(ctx, pe, val)
	case pe.Exp != nil && pe.Exp.Op == syntax.OtherParamOps:
		val, err = c.transform(ctx, pe, r, v, val)
	case pe.Exp != nil:
		val, err = c.modify(ctx, pe.Exp, val)
	}
	if err != nil {
		return err
	}
	if q == document && val.star && !joinsInDocument(pe, r) {
		val.star = false
	}
	if val.list && (pe.Slice != nil || pe.Repl != nil || pe.Exp != nil) {
		val.slice = true
	}
	b.value(val, q != bare)
	return nil
}

// joinsInDocument says whether bash puts the first character of IFS between the elements of
// a * in a here-document; else it is a blank.
func joinsInDocument(pe *syntax.ParamExp, r ref) bool {
	return r.name != "*" && pe.Slice == nil && pe.Repl == nil && pe.Exp == nil
}

// value adds a value.
func (b *builder) value(v value, quoted bool) {
	if v.list {
		b.list(v, quoted)
		return
	}
	b.add(v.str, quoted)
}

// list adds a list: as fields of their own, or as one string where that is not possible.
func (b *builder) list(v value, quoted bool) {
	if b.mode != fields || quoted && v.star {
		sep := " "
		if v.star || v.slice && quoted && b.colon && b.separators().join != "" {
			sep = b.separators().join
		}
		for i, item := range v.items {
			if i > 0 {
				b.add(sep, quoted)
			}
			b.add(item, quoted)
		}
		return
	}
	if quoted {
		b.sawList = true
	}
	for i, item := range v.items {
		if b.err != nil {
			return
		}
		switch {
		case quoted:
			if i > 0 {
				b.cut()
			}
			b.open = true
			b.quoted(item)
		default:
			if i > 0 {
				b.next()
			}
			b.splitted(item)
		}
	}
}
