package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// list prints the variables that have the attributes asked for.
func (d *declarer) list() int {
	out := &strings.Builder{}
	want, kind := d.set, d.kind
	plain := !d.print && !d.given && (d.name == "declare" || d.name == "typeset")
	for _, name := range d.sh.Names("") {
		v := d.sh.Get(name)
		switch {
		case !v.Has(want), kind != vars.Unset && v.Kind != kind:
			continue
		case d.name == "local" && !d.sh.vars.LocalTo(name):
			continue
		case plain && !v.Set():
			continue
		case plain:
			out.WriteString(listing(name, v, d.sh))
		default:
			out.WriteString(d.sh.exp.Declaration(name))
		}
		out.WriteByte('\n')
	}
	if plain {
		d.sh.listFunctions(out)
	}
	d.b.out.WriteString(out.String())
	return 0
}

// listing gives a variable as set prints it, without a newline.
func listing(name string, v vars.Var, sh *Shell) string {
	if v.Kind == vars.Indexed || v.Kind == vars.Assoc {
		_, value, _ := strings.Cut(sh.exp.Declaration(name), "=")
		return name + "=" + value
	}
	return name + "=" + quoteListed(v.String())
}

// quoteListed quotes a value as set does: only where it has to be.
func quoteListed(s string) string {
	if s == "" {
		return ""
	}
	plain := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == 0x7f {
			return expand.QuoteValue(s)
		}
		if strings.IndexByte(" !\"#$&'()*;<>?[\\]^`{|}~", c) >= 0 && !(c == '#' && i > 0) && !(c == '~' && i > 0) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// printNames prints the declarations of the names.
func (d *declarer) printNames(operands []operand) int {
	for _, o := range operands {
		name := o.text
		if o.assign != nil {
			name = o.assign.Name.Value
		}
		if !d.sh.vars.Known(name) && !d.sh.Get(name).Set() {
			d.sh.errorf(d.b, "%s: %s: not found", d.name, name)
			d.status = 1
			continue
		}
		d.b.out.WriteString(d.sh.exp.Declaration(name) + "\n")
	}
	return d.status
}

// declareFunctions executes the options -f and -F.
func (d *declarer) declareFunctions(operands []operand) int {
	out := &strings.Builder{}
	changes := d.set != 0 || d.clear != 0 || d.trace
	if len(operands) == 0 {
		for _, name := range d.sh.functionNames() {
			f := d.sh.funcs[name]
			if has(d.set, vars.Export) && !f.export || has(d.set, vars.ReadOnly) && !f.readonly || d.trace && !f.traced {
				continue
			}
			if !d.names {
				out.WriteString(functionText(name, f) + "\n")
			}
			if d.names || f.letters() != "" {
				out.WriteString("declare -f" + f.letters() + " " + name + "\n")
			}
		}
	}
	for _, o := range operands {
		name := o.text
		f := d.sh.funcs[name]
		switch {
		case f == nil && (d.name == "export" || d.name == "readonly"):
			d.sh.errorf(d.b, "%s: %s: not a function", d.name, name)
			d.status = 1
		case f == nil:
			d.status = 1
		case d.names && !d.print:
			out.WriteString(name + "\n")
		case !changes && d.names:
			out.WriteString("declare -f" + f.letters() + " " + name + "\n")
		case !changes:
			out.WriteString(functionText(name, f) + "\n")
			if d.print && f.letters() != "" {
				out.WriteString("declare -f" + f.letters() + " " + name + "\n")
			}
		default:
			changed := *f
			changed.export = (f.export || has(d.set, vars.Export)) && !has(d.clear, vars.Export)
			changed.readonly = f.readonly || has(d.set, vars.ReadOnly)
			changed.traced = f.traced || d.trace
			ownMap(&d.sh.funcs, &d.sh.owned.funcs)[name] = &changed
		}
	}
	d.b.out.WriteString(out.String())
	return d.status
}

// letters gives the attributes of a function beyond f.
func (f *function) letters() string {
	letters := ""
	for _, l := range []struct {
		on     bool
		letter string
	}{{f.readonly, "r"}, {f.traced, "t"}, {f.export, "x"}} {
		if l.on {
			letters += l.letter
		}
	}
	return letters
}

// functionNames gives the names of the functions, sorted.
func (sh *Shell) functionNames() []string {
	names := make([]string, 0, len(sh.funcs))
	for name := range sh.funcs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// listFunctions appends the functions as set and declare print them.
func (sh *Shell) listFunctions(out *strings.Builder) {
	for _, name := range sh.functionNames() {
		fmt.Fprintln(out, functionText(name, sh.funcs[name]))
	}
}
