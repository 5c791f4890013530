package expand

import (
	"context"
	"slices"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

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
