package gemini

import (
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// open gives a place with its reference and allOf merged into it, and the references that
// lead below it. Where two members say the same keyword, the first one counts: the result
// never says more than the place.
func (p *projector) open(in node, refs []string) (node, []string) {
	out := node{}
	for name, v := range in { // a copy: its order says nothing
		if name != "$ref" && name != "allOf" {
			out[name] = v
		}
	}
	if ref, ok := in["$ref"].(string); ok {
		refs = p.follow(out, ref, refs)
	}
	list, _ := in["allOf"].([]any)
	for _, v := range list {
		if sub, ok := v.(node); ok {
			var opened node
			opened, refs = p.open(sub, refs)
			merge(out, opened)
		}
	}
	return out, refs
}

// follow merges what a reference points at.
func (p *projector) follow(out node, ref string, refs []string) []string {
	target, ok := p.find(ref)
	switch {
	case !ok:
		p.note("the reference " + ref + " is not followed")
	case slices.Contains(refs, ref) || len(refs) >= maxRefs:
		p.note("the reference " + ref + " leads too deep and is left open")
		if kinds, null := types(target); len(kinds) == 1 && !null {
			merge(out, node{"type": kinds[0]})
		}
	default:
		var opened node
		opened, refs = p.open(target, append(slices.Clip(refs), ref))
		merge(out, opened)
	}
	return refs
}

// find gives the place of the document that a local reference names.
func (p *projector) find(ref string) (node, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	at := p.doc
	for _, step := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		if s, err := url.PathUnescape(step); err == nil {
			step = s
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch v := at.(type) {
		case node:
			at = v[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(v) {
				return nil, false
			}
			at = v[n]
		default:
			return nil, false
		}
	}
	m, ok := at.(node)
	return m, ok
}

// merge adds to dst what src says beside it: both must hold.
func merge(dst, src node) {
	for name, v := range src { // each name for itself: the order says nothing
		old, both := dst[name]
		if !both {
			dst[name] = v
			continue
		}
		switch name {
		case "required":
			list, _ := old.([]any)
			more, _ := v.([]any)
			dst[name] = append(slices.Clip(list), more...)
		case "properties":
			dst[name] = bothProperties(old, v)
		case "items":
			dst[name] = conjoin(old, v)
		}
	}
}

func bothProperties(a, b any) any {
	first, ok := a.(node)
	second, ok2 := b.(node)
	if !ok || !ok2 {
		return a
	}
	out := maps.Clone(first)
	for name, v := range second { // each name for itself: the order says nothing
		if old, there := out[name]; there {
			v = conjoin(old, v)
		}
		out[name] = v
	}
	return out
}

// conjoin is the place that two schemas describe.
func conjoin(a, b any) any {
	switch {
	case a == false || b == false:
		return false
	case a == true || reflect.DeepEqual(a, b):
		return b
	case b == true:
		return a
	}
	return node{"allOf": []any{a, b}}
}

// folded is what all alternatives of a root come to.
type folded struct {
	properties node // each as in the schema
	required   []string
	refs       []string
	text       string
	names      []string // the properties of each alternative, for the description
	closed     bool     // no object is accepted
}

// fold makes one object of a root and its alternatives: all of their properties, of which
// those are required that each alternative requires (models spec §8).
func (p *projector) fold(v any, refs []string) folded {
	in, ok := v.(node)
	if !ok {
		return folded{refs: refs, closed: v == false}
	}
	m, refs := p.open(in, refs)
	f := folded{properties: node{}, required: strs(m["required"]), refs: refs, text: text(m, "description")}
	if kinds, null := types(m); (len(kinds) > 0 || null) && !slices.Contains(kinds, "object") {
		f.closed = true
	}
	if own, ok := m["properties"].(node); ok {
		f.properties = maps.Clone(own)
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if list, _ := m[name].([]any); len(list) > 0 {
			p.foldList(&f, list)
		}
	}
	return f
}

func (p *projector) foldList(f *folded, list []any) {
	byName := map[string][]any{}
	declaring := map[string]int{}
	var required []string
	alternatives := 0
	for _, alt := range list {
		if p.nodes++; p.nodes > maxNodes {
			required = nil
			p.note("it has too many alternatives: not all are sent")
			break
		}
		b := p.fold(alt, f.refs)
		if b.closed {
			continue
		}
		for name, v := range b.properties { // each name for itself: the order says nothing
			declaring[name]++
			if !slices.ContainsFunc(byName[name], func(old any) bool { return reflect.DeepEqual(old, v) }) {
				byName[name] = append(byName[name], v)
			}
		}
		if alternatives == 0 {
			required = b.required
		} else {
			required = slices.DeleteFunc(slices.Clone(required), func(name string) bool { return !slices.Contains(b.required, name) })
		}
		alternatives++
		names := b.required
		if len(names) == 0 {
			names = slices.Sorted(maps.Keys(b.properties))
		}
		f.names = append(f.names, strings.Join(names, " and "))
		f.refs = append(slices.Clip(f.refs), missing(b.refs, f.refs)...)
	}
	f.required = append(slices.Clip(f.required), required...)
	for name, all := range byName { // each name for itself: the order says nothing
		v := all[0]
		if len(all) > 1 {
			v = node{"anyOf": all}
		}
		if own, ok := f.properties[name]; ok {
			if declaring[name] < alternatives { // the others say nothing of it
				continue
			}
			v = conjoin(own, v)
		}
		f.properties[name] = v
	}
}

// missing gives what is in a and not in b.
func missing(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// describe gives the description of the root with a sentence on its alternatives.
func (f *folded) describe() string {
	names := slices.DeleteFunc(slices.Clone(f.names), func(s string) bool { return s == "" })
	names = slices.Compact(names)
	if len(names) < 2 {
		return f.text
	}
	return strings.TrimSpace(f.text + " Give one of these: " + strings.Join(names, "; or ") + ".")
}
