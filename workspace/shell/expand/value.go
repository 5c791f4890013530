package expand

import (
	"context"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// value is what a parameter gives: one string, or a list.
type value struct {
	set   bool
	list  bool // items count, not str
	star  bool // in quotes the items are joined by IFS
	slice bool // of the positional parameters: as star where there are no fields
	str   string
	items []string
}

func one(s string) value { return value{set: true, str: s} }

// joined gives the value as one string.
func (v value) joined(sep string) string {
	if v.list {
		return strings.Join(v.items, sep)
	}
	return v.str
}

func itoa(n int) string { return strconv.Itoa(n) }

// scalar gives $name or ${name} where that is one string that is set; ok is false for all
// that takes more.
func (c *Config) scalar(pe *syntax.ParamExp) (string, bool) {
	if pe.Param == nil || pe.Excl || pe.Length || pe.Width || pe.Index != nil || pe.Slice != nil || pe.Repl != nil ||
		pe.Names != 0 || pe.Exp != nil || pe.Flags != nil || pe.NestedParam != nil || pe.Modifiers != nil {
		return "", false
	}
	name := pe.Param.Value
	if name == "@" || name == "*" {
		return "", false
	}
	v := c.Shell.Get(name)
	if v.Kind != vars.Scalar {
		return "", false
	}
	return v.Str, true
}

// fetch gives the value of a parameter whose name references are followed already.
func (c *Config) fetch(ctx context.Context, r ref, v vars.Var) (value, error) {
	if r.name == "@" || r.name == "*" {
		items := v.List.Values()
		return value{set: len(items) > 0, list: true, star: r.name == "*", items: items}, nil
	}
	switch r.sub.kind {
	case all, joined:
		items := elements(v)
		return value{set: len(items) > 0, list: true, star: r.sub.kind == joined, items: items}, nil
	case noSub:
		switch v.Kind {
		case vars.Indexed:
			s, ok := v.List.Get(0)
			return value{set: ok, str: s}, nil
		case vars.Assoc:
			s, ok := v.Map["0"]
			return value{set: ok, str: s}, nil
		}
		return value{set: v.Set(), str: v.Str}, nil
	}
	return c.element(ctx, r, v)
}

// elements gives the elements of a variable in order.
func elements(v vars.Var) []string {
	switch v.Kind {
	case vars.Scalar:
		return []string{v.Str}
	case vars.Indexed:
		return v.List.Values()
	case vars.Assoc:
		items := Keys(v)
		for i, key := range items {
			items[i] = v.Map[key]
		}
		return items
	}
	return nil
}

func (c *Config) element(ctx context.Context, r ref, v vars.Var) (value, error) {
	if v.Kind == vars.Assoc {
		key, err := c.key(ctx, r.sub)
		if err != nil {
			return value{}, err
		}
		s, ok := v.Map[key]
		return value{set: ok, str: s}, nil
	}
	last := v.List.Max()
	if v.Kind == vars.Scalar {
		last = -1 // A scalar has no end to count from.
	}
	at, ok, err := c.index(ctx, r.sub, last)
	if err != nil {
		return value{}, err
	}
	if _, simple := r.sub.expr.(*syntax.Word); !simple {
		v = c.Shell.Get(r.name) // The subscript may have changed it.
	}
	switch {
	case !ok:
		c.warn(ctx, r.name+": bad array subscript")
		return value{}, nil
	case v.Kind == vars.Scalar:
		if at == 0 {
			return one(v.Str), nil
		}
		return value{}, nil
	}
	s, ok := v.List.Get(at)
	return value{set: ok, str: s}, nil
}

func (c *Config) warn(ctx context.Context, text string) {
	if c.Warn != nil {
		c.Warn(ctx, text)
	}
}

// lookup gives what a ref means where one string is wanted.
func (c *Config) lookup(ctx context.Context, r ref) (string, bool, error) {
	if r.sub.kind == noSub {
		if v := c.Shell.Get(r.name); v.Kind == vars.Scalar {
			return v.Str, true, nil
		}
	}
	r, v, err := c.follow(ctx, r)
	if err != nil {
		return "", false, err
	}
	val, err := c.fetch(ctx, r, v)
	if err != nil {
		return "", false, err
	}
	return val.joined(" "), val.set, nil
}

// IsSet answers test -v for a name or a name[subscript].
func (c *Config) IsSet(ctx context.Context, target string) (bool, error) {
	r, ok := parseTarget(target)
	if !ok {
		if target != "" && strings.Trim(target, "0123456789") == "" {
			return c.Shell.Get(target).Set(), nil
		}
		return false, nil
	}
	r, v, err := c.follow(ctx, r)
	if err != nil {
		return false, err
	}
	val, err := c.fetch(ctx, r, v)
	if r.sub.kind != noSub && r.sub.kind != element && v.Kind == vars.Assoc {
		// Since bash 5.2 the keys @ and * are meant.
		_, set := v.Map[map[subKind]string{all: "@", joined: "*"}[r.sub.kind]]
		return set, nil
	}
	return val.set, err
}

// unbound is the error of set -u.
func unbound(r ref) error {
	name := r.name
	if name != "" && name[0] >= '0' && name[0] <= '9' || len(name) == 1 && !isWordByte(name[0]) {
		name = "$" + name
	}
	return &Error{Text: name + r.sub.show() + ": unbound variable", Code: 1, Exit: true}
}
