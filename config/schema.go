package config

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// TeamSchema gives the JSON Schema (draft 2020-12) of team files, for editors. It has the
// keys of this version only, and ends with a newline.
func TeamSchema() []byte {
	return document(teamKeys(blank()), "Team file of swarm", "A team of agents: who begins, which models there are, what is bounded.")
}

// AgentSchema gives the JSON Schema (draft 2020-12) of the front matter of agent files.
// Fields of other programs that are ignored with a warning are in it as deprecated.
func AgentSchema() []byte {
	return document(frontKeys(blank(), new(draft)), "Front matter of an agent file of swarm", "The keys of a profile. The body of the file is the prompt.")
}

// schema is a JSON Schema, as far as it is needed. Its properties are sorted by name.
type schema struct {
	Draft         string             `json:"$schema,omitempty"`
	Title         string             `json:"title,omitempty"`
	Description   string             `json:"description,omitempty"`
	Deprecated    bool               `json:"deprecated,omitempty"`
	Type          any                `json:"type,omitempty"` // a name, or names
	Const         any                `json:"const,omitempty"`
	Enum          []string           `json:"enum,omitempty"`
	Pattern       string             `json:"pattern,omitempty"`
	Minimum       any                `json:"minimum,omitempty"`
	Maximum       any                `json:"maximum,omitempty"`
	Default       any                `json:"default,omitempty"`
	Items         *schema            `json:"items,omitempty"`
	Properties    map[string]*schema `json:"properties,omitempty"`
	PropertyNames *schema            `json:"propertyNames,omitempty"`
	Additional    any                `json:"additionalProperties,omitempty"` // false, or a schema
	Required      []string           `json:"required,omitempty"`
	AnyOf         []*schema          `json:"anyOf,omitempty"`
}

func document(keys []key, name, about string) []byte {
	s := form{typ: "object", keys: keys}.schema()
	s.Draft, s.Title, s.Description = "https://json-schema.org/draft/2020-12/schema", name, about
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		panic(err) // it holds nothing that JSON lacks
	}
	return b.Bytes()
}

// schema gives the schema of a form.
func (f form) schema() *schema {
	if len(f.also) > 0 {
		first := f
		first.also = nil
		out := &schema{AnyOf: []*schema{first.schema()}}
		for _, a := range f.also {
			one := a.schema()
			if one.AnyOf == nil {
				one = &schema{AnyOf: []*schema{one}}
			}
			out.AnyOf = append(out.AnyOf, one.AnyOf...)
		}
		return out
	}
	if f.offers != nil {
		plain := f
		plain.offers = nil
		return &schema{AnyOf: []*schema{{Enum: f.offers}, plain.schema()}}
	}
	s := &schema{Const: f.fixed, Enum: f.words, Pattern: f.pattern, Minimum: f.least, Maximum: f.most}
	if f.typ != "" {
		s.Type = f.typ
	}
	if f.null && f.typ != "" {
		s.Type = []string{f.typ, "null"}
	}
	switch {
	case f.keys != nil:
		s.Properties, s.Additional = map[string]*schema{}, false
		for _, k := range f.keys {
			if k.lacking() {
				continue
			}
			s.Properties[k.name] = k.schema()
			if k.def == required {
				s.Required = append(s.Required, k.name)
			}
		}
	case f.each != nil && f.typ == "array":
		s.Items = f.each.schema()
	case f.each != nil:
		s.Additional = f.each.schema()
		if f.names != "" {
			s.PropertyNames = &schema{Pattern: f.names}
		}
	}
	return s
}

// schema gives the schema of the values of a key.
func (k key) schema() *schema {
	s := k.kind.form.schema()
	s.Description, s.Deprecated = k.described(), k.doc == ignoredDoc
	if _, words := k.def.(says); !words {
		s.Default = k.def
	}
	return s
}

// aside is what stands in place of a default and is none: when a value is needed, what
// holds without one, where it stands.
var aside = regexp.MustCompile("^(required|without|see) ")

var linkText = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

// described gives the description of a key, without the marks of Markdown.
func (k key) described() string {
	text := strings.ReplaceAll(k.doc, "`", "")
	if d, words := k.def.(says); words && d != required {
		said, before := strings.ReplaceAll(string(d), "`", ""), ". Default: "
		if aside.MatchString(said) {
			said, before = strings.ToUpper(said[:1])+said[1:], ". "
		}
		text = strings.TrimPrefix(text+before+said, ". ")
	}
	return linkText.ReplaceAllString(text, "$1")
}
