package schema

import (
	"encoding/json"
	"slices"
	"strconv"
)

// What of bounds a grammar of llama.cpp or vLLM takes: each repetition becomes a rule of its
// own, and each digit of a number does.
const (
	mostRepeated = 1000
	mostDigits   = 9
)

// Grammar gives a schema without what grammars of llama.cpp and vLLM cannot express:
// patterns, formats, large bounds, and recursion, whose inner place is left open. It accepts
// what the schema accepts.
func Grammar(schema json.RawMessage) (out json.RawMessage, notes []string) {
	doc, ok := decode(schema)
	root, isObject := doc.(node)
	if !ok || !isObject {
		return schema, []string{"the schema is no JSON object"}
	}
	g := grammar{root: root, seen: map[string]bool{}}
	each(root, g.simplify)
	g.cut(root, []string{"#"})
	if len(g.notes) == 0 {
		return schema, nil
	}
	return encode(root), g.notes
}

type grammar struct {
	root  node
	seen  map[string]bool // references whose targets were gone through
	notes []string
}

func (g *grammar) note(text string) {
	if !slices.Contains(g.notes, text) {
		g.notes = append(g.notes, text)
	}
}

// simplify takes keywords away from a place.
func (g *grammar) simplify(n node) {
	for _, name := range []string{"pattern", "format"} {
		if _, ok := n[name].(string); ok {
			delete(n, name)
			g.note(name + " is left out")
		}
	}
	for _, name := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"} {
		if v, ok := n[name].(json.Number); ok {
			if i, err := strconv.ParseInt(v.String(), 10, 64); err != nil || i > mostRepeated {
				delete(n, name)
				g.note(name + " of " + v.String() + " is left out")
			}
		}
	}
	for _, name := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		if v, ok := n[name].(json.Number); ok && digits(v.String()) > mostDigits {
			delete(n, name)
			g.note(name + " of " + v.String() + " is left out")
		}
	}
}

// digits gives how many digits a number is written with; with an exponent it is any number.
func digits(s string) int {
	n := 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			n++
		case c == 'e' || c == 'E':
			return mostDigits + 1
		}
	}
	return n
}

// cut takes references away that lead back to where they come from; above are those that
// lead to the place.
func (g *grammar) cut(n node, above []string) {
	if ref, ok := n["$ref"].(string); ok {
		switch to := find(g.root, ref); {
		case slices.Contains(above, ref):
			clear(n)
			g.note("the recursion of " + ref + " is cut")
			return
		case to != nil && !g.seen[ref]:
			g.seen[ref] = true
			g.cut(to, append(slices.Clip(above), ref))
		}
	}
	below(n, func(m node) { g.cut(m, above) })
}
