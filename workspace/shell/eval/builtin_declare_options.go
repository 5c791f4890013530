package eval

import "github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"

// declareOptions are the letters that a declaration knows.
func declareOptions(name string) string {
	switch name {
	case "export":
		return "fnp"
	case "readonly":
		return "aAfnp"
	}
	return "aAfFgiIlnprtux"
}

// options reads the options, which stand as text before the operands.
func (d *declarer) options(operands []operand) (rest []operand, ok bool) {
	words := make([]string, 0, len(operands))
	for _, o := range operands {
		if o.assign != nil {
			break
		}
		words = append(words, o.text)
	}
	g := d.sh.options(d.b, words, declareOptions(d.name))
	g.plus = d.name != "export" && d.name != "readonly"
	for {
		switch letter := g.next(); letter {
		case 0:
			if g.bad {
				return nil, false
			}
			return operands[len(words)-len(g.args):], true
		default:
			d.given = true
			d.option(letter, g.off)
		}
	}
}

func (d *declarer) option(letter byte, off bool) {
	attr := func(a vars.Attr) {
		if off {
			d.clear |= a
		} else {
			d.set |= a
		}
	}
	kind := func(k vars.Kind) {
		if off {
			d.notKind = k
		} else {
			d.kind = k
		}
	}
	switch letter {
	case 'a':
		if d.kind != vars.Assoc {
			kind(vars.Indexed)
		}
	case 'A':
		kind(vars.Assoc)
	case 'n':
		if d.name == "export" {
			d.off = true
			return
		}
		kind(vars.NameRef)
	case 'i':
		attr(vars.Integer)
	case 'l':
		attr(vars.Lower)
	case 'u':
		attr(vars.Upper)
	case 'r':
		attr(vars.ReadOnly)
	case 't':
		d.trace = !off
	case 'x':
		attr(vars.Export)
	case 'p':
		d.print = true
	case 'f':
		d.functions = true
	case 'F':
		d.names = true
	case 'g':
		d.global = true
	case 'I':
		d.inherit = true
	}
	if has(d.set, vars.Lower|vars.Upper) {
		d.set &^= vars.Lower | vars.Upper
	}
}
