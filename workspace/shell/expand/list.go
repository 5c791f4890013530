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
	if kind != vars.Assoc && kind != vars.Indexed {
		kind = vars.Indexed
		if c.Shell.Get(r.name).Kind == vars.Assoc {
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
	if a.Append && v.Kind == vars.Scalar {
		if kind == vars.Indexed {
			to.List = vars.ArrayOf(v.Str)
		} else {
			putKey(&to, "0", v.Str)
		}
	}
	grows, from := a.Append && v.Kind == kind, to
	if grows {
		from = v
	}
	place := c.placeInList
	if kind == vars.Assoc {
		place = c.placeInMap
	}
	if items, err = place(ctx, r, from, items); err != nil {
		return err
	}
	if grows {
		c.Shell.Update(r.name, func(v *vars.Var) { fill(v, items) })
		return nil
	}
	fill(&to, items)
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

// placeInList gives the items of an indexed array, each with its index and the value that is
// stored.
func (c *Config) placeInList(ctx context.Context, _ ref, v vars.Var, items []item) ([]item, error) {
	last := int64(v.List.Max())
	at := last + 1
	for i, it := range items {
		if it.keyed {
			if at = it.at; at < 0 {
				at += last + 1
			}
			if at < 0 {
				return nil, &Error{Text: "[" + itoa64(it.at) + "]: bad array subscript", Code: 1}
			}
		}
		s, err := c.attribute(ctx, v, "", it.value, false)
		if err != nil {
			return nil, err
		}
		items[i] = item{at: at, value: s}
		last = max(last, at)
		at++
	}
	return items, over(ctx)
}

// placeInMap gives the items of an associative array, each with its key and the value that
// is stored: [key]=value as they are, plain items as keys and values in turn.
func (c *Config) placeInMap(ctx context.Context, r ref, v vars.Var, items []item) ([]item, error) {
	placed := items[:0]
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
			return nil, &Error{Text: r.name + ": bad array subscript", Code: 1}
		}
		s, err := c.attribute(ctx, v, "", value, false)
		if err != nil {
			return nil, err
		}
		placed = append(placed, item{key: key, value: s})
	}
	return placed, over(ctx)
}

// fill sets items that have their places.
func fill(v *vars.Var, items []item) {
	if v.Kind == vars.Assoc {
		if v.Map == nil {
			v.Map = map[string]string{}
		}
		for _, it := range items {
			putKey(v, it.key, it.value)
		}
		return
	}
	if v.List.Len() == 0 {
		v.List = vars.ArrayOf(make([]string, 0, len(items))...)
	}
	for _, it := range items {
		v.List = v.List.Put(int(it.at), it.value)
	}
}
