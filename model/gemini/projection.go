package gemini

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Bounds of a projection (models spec §8).
const (
	maxRefs  = 8    // references that are followed below one another
	maxNodes = 2000 // of the result; what is beyond is free
)

// project gives the schema of a tool's arguments in the subset of OpenAPI that the wire
// reads under the quirk, and notes on what was lost; nil when there are no parameters.
//
// It is pure, and what the schema accepts the projection accepts, with two exceptions that
// make common schemas useful: a place without a type that has properties or items counts
// as an object or an array, and where the root has alternatives, a property that only one
// of them declares keeps what that one says.
func project(schema json.RawMessage) (json.RawMessage, []string) {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var doc any
	if d.Decode(&doc) != nil {
		return nil, []string{"the schema is no JSON"}
	}
	p := &projector{doc: doc}
	root := p.fold(doc, nil)
	properties := p.properties(root.properties, root.refs)
	if len(properties) == 0 {
		return nil, p.notes
	}
	out := map[string]any{"type": "object", "properties": properties}
	if names := declared(root.required, properties); len(names) > 0 {
		out["required"] = names
	}
	if text := root.describe(); text != "" {
		out["description"] = text
	}
	b, err := json.Marshal(out) // sorted by name
	if err != nil {
		return nil, append(p.notes, err.Error())
	}
	return b, p.notes
}

type projector struct {
	doc   any // that references point into
	nodes int
	notes []string
}

func (p *projector) note(text string) {
	if !slices.Contains(p.notes, text) {
		p.notes = append(p.notes, text)
	}
}

// node is one place of a schema.
type node = map[string]any

// place projects the schema of one place. The references that lead to it are refs.
func (p *projector) place(v any, refs []string) node {
	if p.nodes++; p.nodes > maxNodes {
		p.note("it is too large: what is deep inside is left open")
		return node{}
	}
	in, ok := v.(node)
	if !ok { // true, false, or no schema
		return node{}
	}
	m, refs := p.open(in, refs)
	out := p.alternatives(m, refs)
	if out == nil {
		out = p.kinds(m, refs)
	}
	if m["nullable"] == true {
		nullable(out)
	}
	describe(out, text(m, "description"))
	return out
}

// alternatives projects a place with anyOf or oneOf; nil when it has none that say
// anything. Nothing may stand beside anyOf in the subset, so what does is put into each
// alternative.
func (p *projector) alternatives(m node, refs []string) node {
	list, beside := choices(m)
	if list == nil {
		return nil
	}
	var branches []any
	null := false
	for _, alt := range list {
		branch, ok := alt.(node)
		switch {
		case alt == false:
			continue
		case !ok || len(branch) == 0: // everything is accepted
			return p.kinds(beside, refs)
		}
		opened, _ := p.open(branch, refs)
		if isNull(opened) {
			null = true
			continue
		}
		branches = append(branches, p.place(node{"allOf": []any{branch, beside}}, refs))
	}
	return oneOrMore(branches, null)
}

// choices gives the alternatives of a place, and what stands beside them.
func choices(m node) (list []any, beside node) {
	for _, name := range []string{"anyOf", "oneOf"} {
		if list, _ = m[name].([]any); len(list) > 0 {
			break
		}
	}
	if len(list) == 0 {
		return nil, m
	}
	beside = maps.Clone(m)
	for _, name := range []string{"anyOf", "oneOf", "description"} {
		delete(beside, name)
	}
	return list, beside
}

// oneOrMore makes one place of alternatives, null perhaps among them. Alternatives of an
// alternative are some of their own.
func oneOrMore(branches []any, null bool) node {
	var flat []any
	for _, b := range branches {
		if inner, ok := b.(node)["anyOf"].([]any); ok {
			flat = append(flat, inner...)
		} else {
			flat = append(flat, b)
		}
	}
	var out node
	switch len(flat) {
	case 0:
		out = node{"type": "string"} // the subset has no type of null alone
	case 1:
		out = flat[0].(node)
	default:
		out = node{"anyOf": flat}
	}
	if null {
		nullable(out)
	}
	return out
}

// nullable makes a place accept null, too.
func nullable(n node) {
	if branches, ok := n["anyOf"].([]any); ok {
		n = branches[0].(node)
	}
	n["nullable"] = true
}

// describe gives a place a text, or its alternatives that have none.
func describe(n node, s string) {
	if s == "" {
		return
	}
	branches, ok := n["anyOf"].([]any)
	if !ok {
		if old := text(n, "description"); old != "" {
			s += " " + old
		}
		n["description"] = s
		return
	}
	for _, b := range branches {
		if b := b.(node); text(b, "description") == "" {
			describe(b, s)
		}
	}
}

func text(m node, name string) string {
	s, _ := m[name].(string)
	return s
}

// declared gives the names that are properties, sorted and each once.
func declared(required []string, properties node) []string {
	var names []string
	for _, name := range required {
		if _, ok := properties[name]; ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isNull says whether an opened place accepts null alone.
func isNull(m node) bool {
	kinds, null := types(m)
	return len(kinds) == 0 && null
}

// strs gives the texts of a list.
func strs(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// show gives values as a text for a description.
func show(values []any) string {
	var parts []string
	for _, v := range values {
		b, err := json.Marshal(v)
		if err == nil {
			parts = append(parts, string(b))
		}
	}
	return strings.Join(parts, ", ")
}
