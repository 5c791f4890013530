package eval

import (
	"context"
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// declarer is one declare, typeset, local, export or readonly while it is executed.
type declarer struct {
	sh      *Shell
	b       *streams
	name    string
	set     vars.Attr
	clear   vars.Attr
	kind    vars.Kind // of -a, -A and -n
	notKind vars.Kind // of +a, +A and +n

	print, functions, names bool // -p, -f, -F
	trace                   bool // -t, which only functions have
	global, local, inherit  bool // -g; a variable of the function; -I
	off                     bool // export -n
	given                   bool // an option was given
	compound                bool // the value is that of an array
	status                  int
}

// declaration executes declare, typeset, local, export or readonly; operands[0] is its name.
func (sh *Shell) declaration(ctx context.Context, b *streams, operands []operand) int {
	d := declarer{sh: sh, b: b, name: operands[0].text}
	rest, ok := d.options(operands)
	if !ok {
		return 2
	}
	switch d.name {
	case "local":
		if !sh.inFunction() {
			sh.errorf(b, "local: can only be used in a function")
			return 1
		}
		d.local = true
	case "declare", "typeset":
		d.local = sh.inFunction() && !d.global
	case "export":
		if d.off {
			d.clear |= vars.Export
		} else {
			d.set |= vars.Export
		}
	case "readonly":
		d.set |= vars.ReadOnly
	}
	switch {
	case d.functions || d.names:
		return d.declareFunctions(rest)
	case len(rest) == 0:
		return d.list()
	case d.print && d.name != "export" && d.name != "readonly":
		return d.printNames(rest)
	}
	if err := d.expand(ctx, rest); err != nil || sh.flow != flowNone {
		return sh.expansionFailed(ctx, err)
	}
	for _, o := range rest {
		if d.one(ctx, o); sh.flow != flowNone {
			return sh.status
		}
	}
	return d.status
}

// expand expands the plain values before the first variable is declared: they see what was
// there before (local a=1 b=$a). What is left as a tree is arrays and elements.
func (d *declarer) expand(ctx context.Context, operands []operand) error {
	for i := range operands {
		o := &operands[i]
		if o.assign == nil || o.assign.Array != nil || o.assign.Index != nil {
			continue
		}
		value := ""
		if o.assign.Value != nil {
			var err error
			if value, err = d.sh.exp.Value(ctx, o.assign.Value); err != nil {
				return err
			}
		}
		sign := "="
		if o.assign.Append {
			sign = "+="
		}
		o.text, o.assign, o.plain = o.assign.Name.Value+sign+value, nil, true
	}
	return nil
}

// one declares one operand.
func (d *declarer) one(ctx context.Context, o operand) {
	a, text := o.assign, o.text
	if a == nil {
		name, value, add, ok := cutAssign(text)
		if !ok {
			if text == "-" && d.name == "local" {
				d.sh.keepOptions()
				return
			}
			d.bare(text)
			return
		}
		d.value(ctx, o, name, value, add)
		return
	}
	target := a.Name.Value
	if !d.mayDeclare(target) {
		return
	}
	restore := func() {}
	d.compound = a.Array != nil
	defer func() { d.compound = false }()
	declared := func(name string) error {
		restore = d.scope()
		return d.declare(name, true)
	}
	err := d.sh.exp.Assign(ctx, a, expand.AssignOptions{Kind: d.kind, Declare: declared})
	if wrong, ok := errors.AsType[declareError](err); ok && a.Array != nil {
		// What stands in the way of a whole array gives up the rest of the line.
		err = d.giveUp(ctx, string(wrong))
	}
	if d.sh.flow == flowNone {
		d.finish(ctx, target, err)
	}
	restore()
}

// giveUp reports an error and gives up what is left of the line.
func (d *declarer) giveUp(ctx context.Context, text string) error {
	d.sh.fail(ctx, &expand.Error{Text: d.name + ": " + text, Code: 1})
	return nil
}

// scope hides the variables of functions from a declaration of global ones (-g), until
// restore is called.
func (d *declarer) scope() (restore func()) {
	if d.global {
		return d.sh.vars.Global()
	}
	return func() {}
}

func has(attr, all vars.Attr) bool { return attr&all == all }

// value declares a variable with a value that is expanded. One that came as a whole word
// may be the text of an array.
func (d *declarer) value(ctx context.Context, o operand, target, value string, add bool) {
	name, _, ok := splitTarget(target)
	if !ok {
		d.status = d.sh.badName(d.b, d.name, o.text)
		return
	}
	if !d.mayDeclare(name) {
		return
	}
	switch v := d.sh.vars.Get(name); {
	case d.kind == vars.NameRef:
		d.reference(name, value)
		return
	case !o.plain && strings.HasPrefix(value, "(") && strings.HasSuffix(value, ")") && (d.kind != vars.Unset || v.Kind == vars.Indexed || v.Kind == vars.Assoc):
		if a := parsedArray(target, value, add); a != nil {
			d.one(ctx, operand{assign: a})
			return
		}
	}
	defer d.scope()()
	if err := d.declare(d.target(name), true); err != nil {
		d.failed(ctx, err)
		return
	}
	d.finish(ctx, name, d.sh.exp.SetString(ctx, target, value, add))
}

// parsedArray reads name=(...) that came out of an expansion.
func parsedArray(target, value string, add bool) *syntax.Assign {
	sign := "="
	if add {
		sign = "+="
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(target+sign+value), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil
	}
	if call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Assigns) == 1 && len(call.Args) == 0 {
		return call.Assigns[0]
	}
	return nil
}

// finish looks how an assignment went and makes the variable read-only, which would have
// stood in its way.
func (d *declarer) finish(ctx context.Context, name string, err error) {
	if err != nil {
		d.failed(ctx, err)
		return
	}
	if has(d.set, vars.ReadOnly) {
		d.sh.vars.Update(d.target(name), func(v *vars.Var) { v.Attr |= vars.ReadOnly })
	}
}

// failed reports an error: of a declaration it is the status, of an expansion it is more.
func (d *declarer) failed(ctx context.Context, err error) {
	d.status = 1
	if e, ok := errors.AsType[*expand.Error](err); ok && !e.Exit {
		d.sh.errorf(d.b, "%s: %s", d.name, e.Text)
		return
	}
	if e, ok := errors.AsType[declareError](err); ok {
		d.sh.errorf(d.b, "%s: %s", d.name, string(e))
		return
	}
	d.sh.fail(ctx, err)
}

// bare declares a name without a value.
func (d *declarer) bare(word string) {
	name, subscript, ok := splitTarget(word)
	switch {
	case !ok:
		d.status = d.sh.badName(d.b, d.name, word)
		return
	case !d.mayDeclare(name), d.off && !d.sh.vars.Known(name):
		return
	}
	defer d.scope()()
	kind := d.kind
	if subscript != "" && d.kind == vars.Unset {
		d.kind = vars.Indexed
	}
	err := d.declare(d.target(name), false)
	d.kind = kind
	if err == nil && has(d.set, vars.ReadOnly) {
		d.sh.vars.Update(d.target(name), func(v *vars.Var) { v.Attr |= vars.ReadOnly })
	}
	if err != nil {
		d.failed(context.Background(), err)
	}
}

// cutAssign parts name=value, name+=value and name[subscript]=value.
func cutAssign(word string) (target, value string, add, ok bool) {
	from := 0
	if open := strings.IndexByte(word, '['); open >= 0 && isName(word[:open]) {
		if end := strings.Index(word[open:], "]=") + 1; end > 0 {
			from = open + end
		} else if end := strings.Index(word[open:], "]+="); end > 0 {
			from = open + end + 1
		}
	}
	at := strings.IndexByte(word[from:], '=')
	if at < 0 {
		return word, "", false, false
	}
	at += from
	target, value = word[:at], word[at+1:]
	if t, plus := strings.CutSuffix(target, "+"); plus {
		return t, value, true, true
	}
	return target, value, false, true
}
