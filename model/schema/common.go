package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// node is a place of a schema that is an object.
type node = map[string]any

// Common gives the schema of a tool's arguments in the form that every server takes: without
// $schema, $id and $comment, and with an object at its root. Alternatives at the root are
// folded: an object with all of their properties, of which those are required that each
// alternative requires, and a sentence in the description that names them. Notes say what
// was lost. One that is in that form is given back as it is.
//
// What the schema accepts is accepted, with one exception that makes common schemas useful:
// a property that only some alternatives describe keeps what those say.
func Common(schema json.RawMessage) (out json.RawMessage, notes []string) {
	doc, ok := decode(schema)
	root, isObject := doc.(node)
	if !ok || !isObject {
		return schema, []string{"the schema is no JSON object"}
	}
	changed := false
	each(root, func(n node) {
		for _, name := range []string{"$schema", "$id", "$comment"} {
			if _, ok := n[name]; ok {
				delete(n, name)
				changed = true
			}
		}
	})
	f := folder{root: root}
	if f.needed() {
		root, changed = f.fold(), true
		notes = append(notes, f.notes...)
	}
	if root["type"] != "object" {
		root["type"] = "object"
		changed = true
	}
	if !changed {
		return schema, notes
	}
	return encode(root), notes
}

func decode(schema json.RawMessage) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var doc any
	return doc, d.Decode(&doc) == nil
}

// encode writes a schema, its members sorted by name.
func encode(doc any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(doc) // what was decoded can be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// alternatives are the keywords that are folded at a root.
var alternatives = []string{"anyOf", "oneOf", "allOf"}

// Bounds of alternatives of alternatives, and of references, at the root.
const (
	maxDepth  = 8
	maxPlaces = 1000
)

// folder makes one object of a root with alternatives.
type folder struct {
	root   node
	places int // that were read
	notes  []string
}

func (f *folder) needed() bool {
	for _, name := range append([]string{"$ref"}, alternatives...) {
		if _, ok := f.root[name]; ok {
			return true
		}
	}
	return false
}

// shape is what a place says of an object.
type shape struct {
	properties node
	required   []string
	some       map[string]bool // properties of which some alternative says nothing
	open       bool            // it accepts any object: nothing of it is known
	names      []string        // what each alternative asks for, for the description
}

func (f *folder) fold() node {
	s := f.shape(f.root, 0)
	out := maps.Clone(f.root)
	for _, name := range append([]string{"$ref"}, alternatives...) {
		delete(out, name)
	}
	// What closes an object speaks of the properties beside it, not of those of alternatives.
	for _, name := range []string{"additionalProperties", "unevaluatedProperties"} {
		if out[name] == false {
			delete(out, name)
		}
	}
	delete(out, "properties")
	delete(out, "required")
	if len(s.properties) > 0 {
		out["properties"] = s.properties
	}
	if len(s.required) > 0 {
		out["required"] = s.required
	}
	if text := describe(f.root, s.names); text != "" {
		out["description"] = text
	}
	return out
}

// shape reads a place that is the root or one of its alternatives.
func (f *folder) shape(n node, depth int) shape {
	s := shape{properties: node{}, required: texts(n["required"])}
	if f.places++; depth > maxDepth || f.places > maxPlaces {
		f.note("alternatives are too many or nested too deep: the rest is left open")
		return shape{properties: node{}, open: true}
	}
	if own, ok := n["properties"].(node); ok {
		s.properties = maps.Clone(own)
	}
	if ref, ok := n["$ref"].(string); ok {
		if to := find(f.root, ref); to != nil {
			s.also(f.shape(to, depth+1))
		} else {
			f.note("the reference " + ref + " at the root is not followed")
			s.open = true
		}
	}
	all, _ := n["allOf"].([]any)
	for _, v := range all {
		if m, ok := v.(node); ok {
			s.also(f.shape(m, depth+1))
		}
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if list, _ := n[name].([]any); len(list) > 0 {
			s.also(f.either(list, depth))
		}
	}
	slices.Sort(s.required)
	s.required = slices.Compact(s.required)
	return s
}

// also takes in what must hold beside it.
func (s *shape) also(other shape) {
	for _, name := range slices.Sorted(maps.Keys(other.properties)) {
		v := other.properties[name]
		mine, both := s.properties[name]
		switch {
		case both && other.some[name]: // v need not hold
			v = mine
		case both && !reflect.DeepEqual(mine, v):
			v = node{"allOf": []any{mine, v}}
		case other.some[name]:
			if s.some == nil {
				s.some = map[string]bool{}
			}
			s.some[name] = true
		}
		s.properties[name] = v
	}
	s.required = append(s.required, other.required...)
	s.names = append(s.names, other.names...)
	s.open = s.open || other.open
}

// either makes one shape of alternatives: a property that they describe differently becomes
// a nested anyOf, and one that an open alternative may have too is left open.
func (f *folder) either(list []any, depth int) shape {
	out := shape{properties: node{}}
	byName, saying := map[string][]any{}, map[string]int{}
	n := 0
	for _, v := range list {
		m, ok := v.(node)
		if !ok || !object(m) {
			if v == true {
				out.open = true
			}
			continue
		}
		s := f.shape(m, depth+1)
		out.open = out.open || s.open
		for name, p := range s.properties { // each for itself: the order says nothing
			if !s.some[name] {
				saying[name]++
			}
			if !slices.ContainsFunc(byName[name], func(old any) bool { return reflect.DeepEqual(old, p) }) {
				byName[name] = append(byName[name], p)
			}
		}
		asks := s.required
		if len(asks) == 0 {
			asks = slices.Sorted(maps.Keys(s.properties))
		}
		out.names = append(out.names, strings.Join(asks, " and "))
		if n++; n == 1 {
			out.required = s.required
			continue
		}
		out.required = slices.DeleteFunc(slices.Clone(out.required), func(name string) bool { return !slices.Contains(s.required, name) })
	}
	if out.open {
		out.required = nil
	}
	out.some = map[string]bool{}
	for name, all := range byName { // each for itself: the order says nothing
		out.properties[name] = all[0]
		if len(all) > 1 {
			out.properties[name] = node{"anyOf": all}
		}
		out.some[name] = out.open || saying[name] < n
	}
	return out
}

func (f *folder) note(text string) {
	if !slices.Contains(f.notes, text) {
		f.notes = append(f.notes, text)
	}
}

// object says whether a place may be an object.
func object(n node) bool {
	switch t := n["type"].(type) {
	case string:
		return t == "object"
	case []any:
		return slices.Contains(t, any("object"))
	}
	return true
}

// describe gives the description of a root with a sentence on its alternatives.
func describe(root node, names []string) string {
	text, _ := root["description"].(string)
	names = slices.Compact(slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == "" }))
	if len(names) < 2 {
		return text
	}
	return strings.TrimSpace(text + " Give one of these: " + strings.Join(names, "; or ") + ".")
}

// texts gives the texts of a list.
func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
