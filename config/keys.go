package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// key is a member that a mapping may have. The tables of keys ([teamKeys], [profileKeys]
// and what they hold) are the only list of what a file may say: files are read by them,
// and the JSON Schema and the reference in docs/team-file.md are made of them.
type key struct {
	name string
	kind kind
	def  any    // value without the key: of YAML, or in words (says); nil: none
	doc  string // what it means; of a key that this version lacks: what to do instead
}

// lacking says whether the key is one of the specification that this version lacks.
func (k key) lacking() bool { return k.kind.read == nil }

// later is the kind of a key that this version lacks.
var later kind

// says tells in words what holds without a key.
type says string

// required is the default of a key that must be given.
const required says = "required"

// kind is how a value is read, and the form that it has.
type kind struct {
	form form
	read func(in *input, v *yaml.Node, path string)
}

// form describes the values of a kind.
type form struct {
	typ     string   // of JSON: string, integer, number, boolean, array, object
	is      string   // in words, such as "a duration"
	words   []string // the values that there are
	lacks   []string // words of the specification that this version lacks
	fixed   any      // the only value
	pattern string   // of a string
	offers  []string // values that an editor offers, among others
	least   any      // of a number; nil: no bound
	most    any
	keys    []key  // of a mapping with known keys
	each    *form  // of the entries of a list, or the members of a mapping with free names
	names   string // pattern of the free names
	null    bool   // the value may be left out
	also    []form // other forms
	short   string // the key that a value means which stands in place of the mapping
}

// mapping is the kind of a mapping with known keys.
func mapping(keys ...key) kind {
	f := form{typ: "object", is: "a mapping", keys: keys}
	return kind{f, func(in *input, v *yaml.Node, path string) { in.mapping(v, path, f) }}
}

// meaning says which key a lone value in place of the mapping stands for.
func (k kind) meaning(short string) kind {
	f := k.form
	f.short = short
	return kind{f, func(in *input, v *yaml.Node, path string) { in.mapping(v, path, f) }}
}

// join makes a dotted path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func title(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

// pairs calls do for each member of a mapping; a second one of a name is a fault.
func (in *input) pairs(n *yaml.Node, path string, f form, do func(k, v *yaml.Node)) {
	n = real(n)
	if n.Kind != yaml.MappingNode {
		in.fault(n, "config.type", title(path)+" is a mapping of keys and values", mendMapping(n, f))
		return
	}
	here := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content) && !in.l.full(); i += 2 {
		k, v := n.Content[i], real(n.Content[i+1])
		switch {
		case isMerge(k): // told by inspect
		case k.Kind != yaml.ScalarNode:
			in.fault(k, "config.type", "a key of "+title(path)+" is no text", mendKey(k))
		case here[k.Value]:
			in.fault(k, "config.duplicate_key", fmt.Sprintf("%s has %q twice", title(path), k.Value), "keep one")
		default:
			here[k.Value] = true
			in.seen[join(path, k.Value)] = pair{k, v}
			do(k, v)
		}
	}
}

// mapping reads a mapping with known keys only.
func (in *input) mapping(n *yaml.Node, path string, f form) {
	if path == "" {
		in.table = f.keys
	}
	in.pairs(n, path, f, func(k, v *yaml.Node) {
		at := join(path, k.Value)
		for _, one := range f.keys {
			if one.name != k.Value {
				continue
			}
			switch {
			case one.lacking():
				in.absent(k, at, one.doc)
			case isNull(v) && !one.kind.form.null:
				in.fault(k, "config.type", at+" has no value", "give one, or remove the key")
			default:
				one.kind.read(in, v, at)
			}
			return
		}
		in.fault(k, "config.unknown_key", fmt.Sprintf("%s has no key %q", title(path), k.Value), in.mendUnknown(k.Value, path, f.keys))
	})
}

// absent says that this version lacks something of the specification.
func (in *input) absent(n *yaml.Node, what, mend string) {
	in.fault(n, "config.not_in_this_version", what+" is not in this version", mend)
}

// named is the kind of a mapping whose names are free. The names have a pattern, a member
// has a form and is read by one.
func named(names string, member form, one func(in *input, k, v *yaml.Node, path string)) kind {
	f := form{typ: "object", is: "a mapping by name", each: &member, names: names}
	return kind{f, func(in *input, n *yaml.Node, path string) {
		in.pairs(n, path, f, func(k, v *yaml.Node) { one(in, k, v, join(path, k.Value)) })
	}}
}

// items is the kind of a list, whose entries have a form and are read by one, by index.
func items(entry form, one func(in *input, v *yaml.Node, path string, i int)) kind {
	f := form{typ: "array", is: "a list", each: &entry}
	return kind{f, func(in *input, n *yaml.Node, path string) {
		if n = real(n); n.Kind != yaml.SequenceNode {
			in.fault(n, "config.type", path+" is a list", mendList(n, entry))
			return
		}
		for i, v := range n.Content {
			if in.l.full() {
				return
			}
			one(in, real(v), path, i)
		}
	}}
}

// list reads texts. An empty list gives an empty slice, not nil.
func list(to *[]string) kind { return listOf(to, text(new(string)).form, nil) }

// listOf reads texts of a form that accept takes; nil takes all.
func listOf(to *[]string, entry form, accept func(in *input, v *yaml.Node, path string) bool) kind {
	k := items(entry, func(in *input, v *yaml.Node, path string, _ int) {
		if s, ok := in.text(v, "an entry of "+path); ok && (accept == nil || accept(in, v, path)) {
			*to = append(*to, s)
		}
	})
	read := k.read
	k.read = func(in *input, n *yaml.Node, path string) {
		*to = []string{}
		read(in, n, path)
	}
	return k
}

// names gives the names of keys, in their order.
func names(keys []key, which func(key) bool) []string {
	var out []string
	for _, k := range keys {
		if which == nil || which(k) {
			out = append(out, k.name)
		}
	}
	return out
}

// flow writes a list of single values as YAML; false: it holds something else.
func flow(n *yaml.Node) (string, bool) {
	var out []string
	for _, v := range n.Content {
		if v = real(v); v.Kind != yaml.ScalarNode || strings.ContainsAny(v.Value, "\r\n") || len(out) == 5 {
			return "", false
		}
		out = append(out, quoted(v.Value))
	}
	return "[" + strings.Join(out, ", ") + "]", len(out) > 0
}
