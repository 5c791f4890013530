package config

import (
	"fmt"
	"strings"
)

// KeyDoc says what one key means.
type KeyDoc struct {
	Key     string // dotted path; NAME or ID stands for a name of the user's choice
	Value   string // what it takes, in words
	Default string // "" when there is none
	Meaning string
}

// TeamKeys lists the keys of a team file that this version knows, in the order of the
// reference. The keys of an agent, which stand below agents.ID too, are [AgentKeys].
func TeamKeys() []KeyDoc { return docs(nil, "", teamKeys(blank())) }

// AgentKeys lists the keys of an agent, as they stand in front matter or below agents.ID.
func AgentKeys() []KeyDoc {
	for _, k := range teamKeys(blank()) {
		if k.name == "agents" {
			return docs(nil, "", k.kind.form.each.keys)
		}
	}
	return nil
}

func docs(out []KeyDoc, path string, keys []key) []KeyDoc {
	for _, k := range keys {
		at, f := join(path, k.name), k.kind.form
		switch {
		case k.lacking():
		case f.keys != nil:
			out = docs(out, at, f.keys)
		case f.each != nil && f.each.keys != nil && f.typ == "object" && at == "agents":
			out = append(out, KeyDoc{at + ".ID", "the keys of an agent", defaultText(k.def), k.doc})
		case f.each != nil && f.each.keys != nil && f.typ == "object":
			out = docs(append(out, KeyDoc{at, "a mapping by name", defaultText(k.def), k.doc}), at+".NAME", f.each.keys)
		case f.each != nil && f.each.keys != nil:
			out = docs(append(out, KeyDoc{at, "a list of mappings", defaultText(k.def), k.doc}), at+"[]", f.each.keys)
		default:
			out = append(out, KeyDoc{at, valueText(f), defaultText(k.def), k.doc})
		}
	}
	return out
}

func valueText(f form) string {
	switch {
	case f.fixed != nil:
		return fmt.Sprint(f.fixed)
	case f.words != nil:
		return strings.Join(f.words, ", ")
	case f.each != nil && f.typ == "array" && f.is == "a list":
		return "list: " + f.each.is
	}
	is := f.is
	for _, a := range f.also {
		is += ", or " + a.is
	}
	return is
}

func defaultText(def any) string {
	if def == nil {
		return ""
	}
	return fmt.Sprint(def)
}
