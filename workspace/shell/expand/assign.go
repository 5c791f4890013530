package expand

import (
	"context"
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

// SetLoop sets the variable of a for loop. One that is a name reference gets a new target.
func (c *Config) SetLoop(ctx context.Context, name, value string) error {
	if v := c.Shell.Get(name); v.Kind == vars.NameRef {
		return c.setReference(name, value, false)
	}
	return c.SetString(ctx, name, value, false)
}

// longText is the length in bytes from which a text gets room to grow in place.
const longText = 512

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
	if add && len(v.Str) >= longText && v.Attr&(vars.Integer|vars.Lower|vars.Upper) == 0 {
		if err := c.checkLength(len(v.Str) + len(s)); err != nil {
			return err
		}
		c.Shell.Update(r.name, func(v *vars.Var) { v.Append(s) })
		return nil
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
