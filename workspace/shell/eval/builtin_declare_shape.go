package eval

import (
	"context"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// declare makes the variable local when it should be, and gives it its kind and its
// attributes but read-only. With assigned a value follows.
func (d *declarer) declare(name string, assigned bool) error {
	sh := d.sh
	if d.local && !sh.vars.LocalTo(name) {
		old := sh.vars.Get(name)
		v := vars.Var{Attr: vars.Local | old.Attr&vars.Export}
		if d.inherit || sh.opt(shoptLocalVarInherit) {
			v = old
			v.Attr |= vars.Local
		}
		sh.vars.PutLocal(name, v)
	}
	v := sh.vars.Get(name)
	switch {
	case has(d.clear, vars.ReadOnly) && v.Has(vars.ReadOnly):
		return declareError(name + ": readonly variable")
	case !d.compound && d.notKind != vars.Unset && d.notKind != vars.NameRef && d.notKind == v.Kind:
		return declareError(name + ": cannot destroy array variables in this way")
	case d.kind == vars.Assoc && v.Kind == vars.Indexed:
		return declareError(name + ": cannot convert indexed to associative array")
	case d.kind == vars.Indexed && v.Kind == vars.Assoc:
		return declareError(name + ": cannot convert associative to indexed array")
	case v.Has(vars.ReadOnly) && assigned:
		if d.name == "export" { // it is exported all the same
			sh.vars.Update(name, d.shape)
		}
		return declareError(name + ": readonly variable")
	}
	sh.vars.Update(name, d.shape)
	return nil
}

// shape gives a variable its kind and attributes.
func (d *declarer) shape(v *vars.Var) {
	const letters = vars.Lower | vars.Upper
	if d.set&letters != 0 {
		v.Attr &^= letters
	}
	v.Attr = (v.Attr | d.set&^vars.ReadOnly) &^ d.clear
	switch {
	case d.kind == vars.Indexed && v.Kind == vars.Scalar:
		v.Kind, v.List, v.Str = vars.Indexed, vars.ArrayOf(v.Str), ""
	case d.kind == vars.Assoc && v.Kind == vars.Scalar:
		v.Kind, v.Map, v.Keys, v.Str = vars.Assoc, map[string]string{"0": v.Str}, []string{"0"}, ""
	case d.kind == vars.Indexed && v.Kind == vars.Unset:
		v.Kind = vars.Indexed
	case d.kind == vars.Assoc && v.Kind == vars.Unset:
		v.Kind = vars.Assoc
	case d.kind == vars.NameRef && (v.Kind == vars.Unset || v.Kind == vars.Scalar):
		v.Kind = vars.NameRef
	case d.notKind == vars.NameRef && v.Kind == vars.NameRef:
		v.Kind = vars.Scalar
	}
}

// reference makes a name reference to target.
func (d *declarer) reference(name, target string) {
	switch {
	case target != "" && !isTarget(target):
		d.status = 1
		d.sh.errorf(d.b, "%s: `%s': invalid variable name for name reference", d.name, target)
		return
	case target == name && !d.local:
		d.status = 1
		d.sh.errorf(d.b, "%s: %s: nameref variable self references not allowed", d.name, name)
		return
	case target == name:
		d.sh.errorf(d.b, "%s: warning: %s: circular name reference", d.name, name)
	}
	defer d.scope()()
	if err := d.declare(name, true); err != nil {
		d.failed(context.Background(), err)
		return
	}
	d.sh.vars.Update(name, func(v *vars.Var) {
		*v = vars.Var{Kind: vars.NameRef, Str: target, Attr: v.Attr | d.set&vars.ReadOnly}
	})
}

// target gives the variable that a name means: what a reference stands for, unless the
// reference itself is declared.
func (d *declarer) target(name string) string {
	if d.kind == vars.NameRef || d.notKind == vars.NameRef || d.local && !d.sh.vars.LocalTo(name) {
		return name
	}
	if d.sh.vars.Get(name).Kind != vars.NameRef {
		return name
	}
	base, _, err := d.sh.exp.Resolve(context.Background(), name)
	if err != nil || base == "" {
		return name
	}
	return base
}

// mayDeclare reports a read-only variable that would be hidden by one of a function.
func (d *declarer) mayDeclare(name string) bool {
	if d.local && !d.sh.vars.LocalTo(name) && d.sh.vars.Get(name).Has(vars.ReadOnly) && !d.sh.vars.Get(name).Has(vars.Local) {
		d.status = 1
		d.sh.errorf(d.b, "%s: %s: readonly variable", d.name, name)
		return false
	}
	return true
}

// declareError is what is wrong with a declaration.
type declareError string

func (e declareError) Error() string { return string(e) }
