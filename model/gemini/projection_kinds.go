package gemini

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// types gives the types that a place names, or that its members imply, without null, and
// whether null is accepted. No type means any.
func types(m node) (kinds []string, null bool) {
	named := strs(m["type"])
	if s := text(m, "type"); s != "" {
		named = []string{s}
	}
	for _, s := range named {
		switch s {
		case "null":
			null = true
		case "string", "number", "integer", "boolean", "array", "object":
			if !slices.Contains(kinds, s) {
				kinds = append(kinds, s)
			}
		default: // not a type: nothing is known
			return nil, false
		}
	}
	if len(named) > 0 {
		return kinds, null
	}
	if values, ok := allowed(m); ok && len(values) > 0 {
		strings := 0
		for _, v := range values {
			switch v.(type) {
			case string:
				strings++
			case nil:
				null = true
			default:
				return nil, false
			}
		}
		if strings > 0 {
			return []string{"string"}, null
		}
		return nil, null
	}
	switch {
	case has(m, "properties"):
		return []string{"object"}, false
	case has(m, "items", "prefixItems"):
		return []string{"array"}, false
	}
	return nil, false
}

func has(m node, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, ok := m[name]
		return ok
	})
}

// allowed gives the values of const or enum.
func allowed(m node) ([]any, bool) {
	if v, ok := m["const"]; ok {
		return []any{v}, true
	}
	list, ok := m["enum"].([]any)
	return list, ok
}

// kinds projects a place without alternatives: several types become alternatives.
func (p *projector) kinds(m node, refs []string) node {
	names, null := types(m)
	if len(names) == 0 {
		if null {
			return oneOrMore(nil, true)
		}
		out := node{}
		if values, ok := allowed(m); ok {
			describe(out, "One of: "+show(values)+".")
		}
		return out
	}
	var branches []any
	for _, name := range names {
		branches = append(branches, p.kind(m, name, refs))
	}
	return oneOrMore(branches, null)
}

// kind projects a place of one type.
func (p *projector) kind(m node, name string, refs []string) node {
	out := node{"type": name}
	switch name {
	case "string":
		p.str(out, m)
	case "integer", "number":
		p.number(out, m)
	case "boolean":
		if values, ok := allowed(m); ok {
			describe(out, "One of: "+show(values)+".")
		}
	case "array":
		items, ok := m["items"].(node)
		if !ok || has(m, "prefixItems") { // they are told apart by place, which the subset cannot
			items = node{}
		}
		out["items"] = p.place(items, refs)
		sizes(out, m, "minItems", "maxItems")
	case "object":
		properties := p.properties(m["properties"], refs)
		if len(properties) > 0 {
			out["properties"] = properties
		}
		if names := declared(strs(m["required"]), properties); len(names) > 0 {
			out["required"] = names
		}
		sizes(out, m, "minProperties", "maxProperties")
	}
	return out
}

// properties projects the properties of an object.
func (p *projector) properties(v any, refs []string) node {
	in, _ := v.(node)
	out := node{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if in[name] != false { // one that must not be there is not declared
			out[name] = p.place(in[name], refs)
		}
	}
	return out
}

func (p *projector) str(out, m node) {
	if values, ok := allowed(m); ok {
		names := strs(values)
		if slices.Contains(names, "") || len(names) == 0 { // the subset has no empty name
			describe(out, "One of: "+show(values)+".")
		} else {
			out["enum"] = slices.Compact(slices.Sorted(slices.Values(names)))
		}
	}
	sizes(out, m, "minLength", "maxLength")
	if s := text(m, "pattern"); s != "" {
		if _, err := regexp.Compile(s); err == nil {
			out["pattern"] = s
		} else {
			p.note("the pattern " + strconv.Quote(s) + " is left out")
		}
	}
	if text(m, "format") == "date-time" {
		out["format"] = "date-time"
	}
}

func (p *projector) number(out, m node) {
	if values, ok := allowed(m); ok {
		describe(out, "One of: "+show(values)+".")
	}
	for _, r := range []struct{ name, exclusive string }{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		n, ok := m[r.name].(json.Number)
		if !ok {
			n, ok = m[r.exclusive].(json.Number)
		}
		if f, err := n.Float64(); ok && err == nil && !math.IsInf(f, 0) {
			out[r.name] = n
		}
	}
}

// sizes keeps limits that are plain whole numbers.
func sizes(out, m node, names ...string) {
	for _, name := range names {
		n, ok := m[name].(json.Number)
		if _, err := strconv.ParseUint(n.String(), 10, 31); ok && err == nil {
			out[name] = n
		}
	}
}
