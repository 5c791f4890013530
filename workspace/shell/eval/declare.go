package eval

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

const exported = vars.Export

// declClause executes declare, typeset, local, export, readonly and nameref as the parser
// knows them: assignments are not split, and may be of arrays.
func (sh *Shell) declClause(ctx context.Context, d *syntax.DeclClause) int {
	if !sh.begin(ctx, &syntax.Stmt{Cmd: d, Position: d.Pos()}, d.Pos()) {
		return sh.status
	}
	sh.substitution = -1
	name := d.Variant.Value
	operands := make([]operand, 1, len(d.Args)+1)
	operands[0].text = name
	if name == "nameref" {
		operands = append(operands[:0], operand{text: "declare"}, operand{text: "-n"})
	}
	for _, a := range d.Args {
		switch {
		case a.Naked && a.Value != nil:
			fields, err := sh.exp.Fields(ctx, a.Value)
			if err != nil || sh.flow != flowNone {
				return sh.expansionFailed(ctx, err)
			}
			for _, f := range fields {
				operands = append(operands, operand{text: f})
			}
		case a.Naked && a.Index == nil:
			operands = append(operands, operand{text: a.Name.Value})
		default:
			operands = append(operands, operand{text: a.Name.Value, assign: a})
		}
	}
	if f := sh.funcs[name]; f != nil || sh.disabled[name] {
		return sh.run(ctx, declWords(operands))
	}
	if sh.opts.set[optXTrace] {
		d := declarer{sh: sh}
		if err := d.expand(ctx, operands); err != nil || sh.flow != flowNone {
			return sh.expansionFailed(ctx, err)
		}
		sh.traceDeclaration(ctx, operands)
	}
	io := sh.stdio(ctx)
	status := sh.declaration(ctx, &io.streams, operands)
	if io.out.broken() {
		return sh.exit(128 + int(sigPIPE))
	}
	return status
}

// traceDeclaration writes a declaration for set -x; of export and readonly the assignments,
// too.
func (sh *Shell) traceDeclaration(ctx context.Context, operands []operand) {
	words := declWords(operands)
	sh.trace(ctx, words)
	if words[0] != "export" && words[0] != "readonly" {
		return
	}
	for _, o := range operands {
		if name, value, ok := strings.Cut(o.text, "="); ok && o.plain {
			sh.traceText(ctx, name+"="+traceQuote(value))
		}
	}
}

// declWords gives the operands as words, for a function that has the name of the builtin,
// and for set -x.
func declWords(operands []operand) []string {
	words := make([]string, len(operands))
	for i, o := range operands {
		words[i] = o.text
		if o.assign != nil && o.assign.Value != nil {
			words[i] += "=" + sourceOf(o.assign.Value)
		}
	}
	return words
}
