package expand

import (
	"context"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

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
