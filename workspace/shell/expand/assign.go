package expand

import (
	"context"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// Assign carries out an assignment: name=, name+=, name[i]=, name=(...). Its values are
// expanded first. A naked one (declare name) only makes the variable.
func (c *Config) Assign(ctx context.Context, a *syntax.Assign, opt AssignOptions) error {
	if a == nil || a.Name == nil {
		return nil
	}
	r := ref{name: a.Name.Value, sub: subscriptOf(a.Index)}
	if opt.Kind != vars.NameRef {
		var err error
		if r, _, err = c.follow(ctx, r); err != nil {
			return err
		}
	}
	if a.Array != nil {
		return c.assignArray(ctx, r, a, opt)
	}
	s, err := c.Value(ctx, a.Value)
	if err != nil {
		return err
	}
	if opt.Declare != nil {
		if err := opt.Declare(r.name); err != nil {
			return err
		}
	}
	switch {
	case opt.Kind == vars.NameRef:
		return c.setReference(r.name, s, a.Naked)
	case opt.Kind == vars.Indexed || opt.Kind == vars.Assoc:
		if err := c.becomes(r.name, opt.Kind); err != nil || a.Naked {
			return err
		}
	case a.Naked:
		return nil
	}
	return c.set(ctx, r, s, a.Append)
}

// setReference makes a variable a name reference.
func (c *Config) setReference(name, target string, naked bool) error {
	v := c.Shell.Get(name)
	switch {
	case v.Has(vars.ReadOnly):
		return readOnly(name)
	case naked:
		if v.Kind == vars.Scalar {
			target = v.Str
		}
	case target == name:
		return &Error{Text: name + ": nameref variable self references not allowed", Code: 1}
	}
	if _, ok := parseTarget(target); !ok && target != "" {
		return &Error{Text: "`" + target + "': invalid variable name for name reference", Code: 1}
	}
	c.Shell.Put(name, vars.Var{Kind: vars.NameRef, Attr: v.Attr, Str: target})
	return nil
}

// becomes makes a variable an array of a kind, its value kept as the first element.
func (c *Config) becomes(name string, kind vars.Kind) error {
	v := c.Shell.Get(name)
	switch {
	case v.Kind == kind:
		return nil
	case v.Kind == vars.Assoc:
		return &Error{Text: name + ": cannot convert associative to indexed array", Code: 1}
	case v.Kind == vars.Indexed:
		return &Error{Text: name + ": cannot convert indexed to associative array", Code: 1}
	case v.Has(vars.ReadOnly):
		return readOnly(name)
	}
	to := vars.Var{Kind: kind, Attr: v.Attr}
	if v.Kind == vars.Scalar {
		if kind == vars.Indexed {
			to.List = vars.ArrayOf(v.Str)
		} else {
			to.Map, to.Keys = map[string]string{"0": v.Str}, []string{"0"}
		}
	}
	c.Shell.Put(name, to)
	return nil
}

func readOnly(name string) error {
	return &Error{Text: name + ": readonly variable", Code: 1}
}

// SetString sets a variable or an element, given as name or name[subscript]: for read,
// printf -v, mapfile, getopts, for. Name references are followed, attributes count.
func (c *Config) SetString(ctx context.Context, target, value string, add bool) error {
	r, ok := parseTarget(target)
	if !ok {
		return &Error{Text: "`" + target + "': not a valid identifier", Code: 1}
	}
	return c.set(ctx, r, value, add)
}

// set sets what a ref means.
func (c *Config) set(ctx context.Context, r ref, s string, add bool) error {
	asked := r
	r, v, err := c.follow(ctx, r)
	switch {
	case err != nil:
		return err
	case v.Has(vars.ReadOnly):
		return readOnly(r.name)
	}
	if raw := c.Shell.Get(r.name); raw.Kind == vars.NameRef {
		return c.pointReference(asked, r, raw, s)
	}
	if err := c.checkLength(len(s)); err != nil {
		return err
	}
	if r.sub.kind != noSub || v.Kind == vars.Indexed || v.Kind == vars.Assoc {
		return c.setElement(ctx, r, v, s, add)
	}
	if s, err = c.attribute(ctx, v, v.Str, s, add); err != nil {
		return err
	}
	c.Shell.Put(r.name, vars.Var{Kind: vars.Scalar, Attr: v.Attr, Str: s})
	return nil
}

// pointReference gives a reference without a target its target.
func (c *Config) pointReference(asked, r ref, raw vars.Var, s string) error {
	if _, ok := parseTarget(s); !ok {
		return &Error{Text: "`" + s + "': not a valid identifier", Code: 1}
	}
	if asked.sub.kind != noSub {
		return &Error{Text: "`" + r.name + asked.sub.show() + "': not a valid identifier", Code: 1}
	}
	raw.Str = s
	c.Shell.Put(r.name, raw)
	return nil
}

// attribute gives the value that an assignment stores: appended, computed, its case changed.
func (c *Config) attribute(ctx context.Context, v vars.Var, old, s string, add bool) (string, error) {
	switch {
	case v.Has(vars.Integer):
		n, err := c.ArithmText(ctx, s)
		if err != nil {
			return "", err
		}
		if add && old != "" {
			before, err := c.ArithmText(ctx, old)
			if err != nil {
				return "", err
			}
			n += before
		}
		return itoa64(n), nil
	case add:
		if err := c.checkLength(len(old) + len(s)); err != nil {
			return "", err
		}
		s = old + s
	}
	switch {
	case v.Has(vars.Lower):
		s = strings.ToLower(s)
	case v.Has(vars.Upper):
		s = strings.ToUpper(s)
	}
	return s, c.checkLength(len(s))
}

// setElement sets one element. A variable that is no array becomes an indexed one.
func (c *Config) setElement(ctx context.Context, r ref, v vars.Var, s string, add bool) error {
	if v.Kind == vars.Assoc {
		key, err := "0", error(nil)
		if r.sub.kind != noSub {
			if key, err = c.key(ctx, r.sub); err != nil {
				return err
			}
			if key == "" {
				return badSubscript(r)
			}
		}
		if s, err = c.attribute(ctx, v, v.Map[key], s, add); err != nil {
			return err
		}
		c.Shell.Update(r.name, func(v *vars.Var) { putKey(v, key, s) })
		return nil
	}
	at := 0
	switch {
	case r.sub.kind == all || r.sub.kind == joined:
		return badSubscript(r)
	case r.sub.kind == element:
		last := v.List.Max()
		if v.Kind == vars.Scalar {
			last = 0
		}
		n, ok, err := c.index(ctx, r.sub, last)
		if err != nil {
			return err
		}
		if !ok {
			return badSubscript(r)
		}
		at = n
	}
	old, _ := v.List.Get(at)
	if v.Kind == vars.Scalar && at == 0 {
		old = v.Str
	}
	s, err := c.attribute(ctx, v, old, s, add)
	if err != nil {
		return err
	}
	c.Shell.Update(r.name, func(v *vars.Var) {
		toList(v)
		v.List = v.List.Put(at, s)
	})
	return nil
}

func badSubscript(r ref) error {
	return &Error{Text: r.name + r.sub.show() + ": bad array subscript", Code: 1}
}

// toList makes a variable an indexed array.
func toList(v *vars.Var) {
	if v.Kind == vars.Scalar {
		v.List = vars.ArrayOf(v.Str)
	}
	v.Kind, v.Str = vars.Indexed, ""
}

// putKey sets an element of an associative array.
func putKey(v *vars.Var, key, s string) {
	if v.Map == nil {
		v.Map = map[string]string{}
	}
	if _, known := v.Map[key]; !known {
		v.Keys = append(v.Keys, key)
	}
	v.Kind = vars.Assoc
	v.Map[key] = s
}

// item is an element of name=(...): with a subscript, or behind the one before.
type item struct {
	key   string // of an associative array
	at    int64  // of an indexed one
	keyed bool
	value string
}

// assignArray carries out name=(...) and name+=(...).
func (c *Config) assignArray(ctx context.Context, r ref, a *syntax.Assign, opt AssignOptions) error {
	if r.sub.kind != noSub {
		return &Error{Text: r.name + r.sub.show() + ": cannot assign list to array member", Code: 1}
	}
	kind := opt.Kind
	before := c.Shell.Get(r.name)
	if kind != vars.Assoc && kind != vars.Indexed {
		kind = vars.Indexed
		if before.Kind == vars.Assoc {
			kind = vars.Assoc
		}
	}
	items, err := c.items(ctx, r, a.Array.Elems, kind)
	if err != nil {
		return err
	}
	if opt.Declare != nil {
		if err := opt.Declare(r.name); err != nil {
			return err
		}
	}
	v := c.Shell.Get(r.name)
	switch {
	case v.Has(vars.ReadOnly):
		return readOnly(r.name)
	case v.Kind != kind && (v.Kind == vars.Indexed || v.Kind == vars.Assoc):
		return c.becomes(r.name, kind)
	}
	to := vars.Var{Kind: kind, Attr: v.Attr}
	if kind == vars.Assoc {
		to.Map = map[string]string{}
	}
	if a.Append {
		switch v.Kind {
		case vars.Scalar:
			to.Str = v.Str
			if kind == vars.Indexed {
				toList(&to)
				to.List = vars.ArrayOf(v.Str)
			} else {
				to.Str = ""
				putKey(&to, "0", v.Str)
			}
		case vars.Indexed:
			to.List = v.List.Clone()
		case vars.Assoc:
			for _, key := range v.Keys {
				putKey(&to, key, v.Map[key])
			}
		}
	}
	if kind == vars.Assoc {
		err = c.fillMap(ctx, r, &to, items)
	} else {
		err = c.fillList(ctx, r, &to, items)
	}
	if err != nil {
		return err
	}
	c.Shell.Put(r.name, to)
	return nil
}

// items expands the elements of a list.
func (c *Config) items(ctx context.Context, r ref, elems []*syntax.ArrayElem, kind vars.Kind) ([]item, error) {
	var items []item
	for _, e := range elems {
		if e.Index == nil {
			if e.Value == nil {
				continue
			}
			words, err := c.Fields(ctx, e.Value)
			if err != nil {
				return nil, err
			}
			for _, s := range words {
				items = append(items, item{value: s})
			}
			if err := c.wordLimit(len(items)); err != nil {
				return nil, err
			}
			continue
		}
		it := item{keyed: true}
		sub := subscriptOf(e.Index)
		var err error
		if kind == vars.Assoc {
			it.key, err = c.key(ctx, sub)
		} else if sub.kind != element {
			err = badSubscript(ref{r.name, sub})
		} else {
			it.at, err = c.subscriptNumber(ctx, sub)
		}
		if err != nil {
			return nil, err
		}
		if it.value, err = c.Value(ctx, e.Value); err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

func (c *Config) fillList(ctx context.Context, r ref, v *vars.Var, items []item) error {
	at := int64(v.List.Max()) + 1
	if v.List.Len() == 0 {
		v.List = vars.ArrayOf(make([]string, 0, len(items))...)
	}
	for _, it := range items {
		if it.keyed {
			if at = it.at; at < 0 {
				at += int64(v.List.Max()) + 1
			}
			if at < 0 {
				return &Error{Text: "[" + itoa64(it.at) + "]: bad array subscript", Code: 1}
			}
		}
		old, _ := v.List.Get(int(at))
		s, err := c.attribute(ctx, *v, old, it.value, false)
		if err != nil {
			return err
		}
		v.List = v.List.Put(int(at), s)
		at++
	}
	return over(ctx)
}

// fillMap sets [key]=value items; plain items are keys and values in turn.
func (c *Config) fillMap(ctx context.Context, r ref, v *vars.Var, items []item) error {
	for i := 0; i < len(items); i++ {
		key, value := items[i].key, items[i].value
		if !items[i].keyed {
			key, value = value, ""
			if i+1 < len(items) && !items[i+1].keyed {
				i++
				value = items[i].value
			}
		}
		if key == "" {
			return &Error{Text: r.name + ": bad array subscript", Code: 1}
		}
		s, err := c.attribute(ctx, *v, v.Map[key], value, false)
		if err != nil {
			return err
		}
		putKey(v, key, s)
	}
	return over(ctx)
}

// Unset removes an element, given as name[subscript]; with * or @ all elements of an
// indexed array, or those keys of an associative one.
func (c *Config) Unset(ctx context.Context, target string) error {
	r, ok := parseTarget(target)
	if !ok || r.sub.kind == noSub {
		return &Error{Text: "`" + target + "': not a valid identifier", Code: 1}
	}
	r, v, err := c.follow(ctx, r)
	switch {
	case err != nil:
		return err
	case v.Has(vars.ReadOnly):
		return &Error{Text: r.name + ": cannot unset: readonly variable", Code: 1}
	case v.Kind == vars.Assoc:
		key, err := c.key(ctx, r.sub)
		if err != nil {
			return err
		}
		c.Shell.Update(r.name, func(v *vars.Var) {
			if _, ok := v.Map[key]; ok {
				delete(v.Map, key)
				v.Keys = slices.DeleteFunc(v.Keys, func(k string) bool { return k == key })
			}
		})
		return nil
	case v.Kind == vars.Indexed && r.sub.kind != element:
		c.Shell.Update(r.name, func(v *vars.Var) { v.List = vars.Array{} })
		return nil
	case v.Kind == vars.Unset:
		return nil
	}
	last := v.List.Max()
	if v.Kind == vars.Scalar {
		last = 0
	}
	at, ok, err := 0, true, error(nil)
	if r.sub.kind == element {
		at, ok, err = c.index(ctx, r.sub, last)
	}
	switch {
	case err != nil:
		return err
	case !ok:
		return &Error{Text: r.sub.show() + ": bad array subscript", Code: 1}
	case v.Kind == vars.Scalar && at != 0:
		return &Error{Text: r.name + ": not an array variable", Code: 1}
	case v.Kind == vars.Scalar:
		c.Shell.Update(r.name, func(v *vars.Var) { v.Kind, v.Str = vars.Unset, "" })
	default:
		c.Shell.Update(r.name, func(v *vars.Var) { v.List = v.List.Drop(at) })
	}
	return nil
}
