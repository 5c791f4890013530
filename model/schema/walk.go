package schema

import (
	"maps"
	"slices"
)

// Keywords whose value is a schema, a list of schemas, or schemas by name.
var (
	single = []string{"items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "contains", "propertyNames", "not", "if", "then", "else"}
	lists  = []string{"anyOf", "oneOf", "allOf", "prefixItems", "items"}
	named  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

// each calls do for a place and all below it, and not for what only looks like one, such as
// a property of the name of a keyword or an example.
func each(n node, do func(node)) {
	do(n)
	below(n, func(m node) { each(m, do) })
}

// below calls do for the places right below a place, in the order of their names.
func below(n node, do func(node)) {
	for _, name := range single {
		if m, ok := n[name].(node); ok {
			do(m)
		}
	}
	for _, name := range lists {
		list, _ := n[name].([]any)
		for _, v := range list {
			if m, ok := v.(node); ok {
				do(m)
			}
		}
	}
	for _, name := range named {
		members, _ := n[name].(node)
		for _, k := range slices.Sorted(maps.Keys(members)) {
			if m, ok := members[k].(node); ok {
				do(m)
			}
		}
	}
}
