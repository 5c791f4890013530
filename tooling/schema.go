package tooling

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Schema is a compiled input schema. It is immutable and safe for concurrent use.
type Schema struct {
	rule     *rule
	external bool // only the top level is known, nothing is rewritten
}

// rule is one level of a schema.
type rule struct {
	kind     kind // 0: any type
	integer  bool
	props    []property // in the order of the schema
	closed   bool
	items    *rule
	enum     []string // canonical values
	pattern  *regexp.Regexp
	min, max *bound
	length   size // characters of a string
	count    size // items of an array
}

type property struct {
	name     string
	rule     *rule
	required bool
}

// bound is a limit of a number with its text.
type bound struct {
	value decimal
	text  string
}

// size is a range of lengths; max below zero means no limit.
type size struct{ min, max int64 }

var anySize = size{0, -1}

// keywords is the subset of JSON Schema that built-in tools use (arguments spec §8).
const keywords = " type properties required enum items minimum maximum minLength maxLength" +
	" minItems maxItems pattern additionalProperties description default "

// CompileSchema compiles a schema of the small subset that built-ins use. Keywords
// outside the subset, unknown types and contradictions are refused with
// tool.schema_invalid, which names the place.
func CompileSchema(raw json.RawMessage) (*Schema, error) {
	canon, err := compact(string(raw))
	if err != nil {
		return nil, fault.Wrap(err, "tool.schema_invalid", "the schema is not JSON")
	}
	r, err := compileRule(canon, "")
	if err != nil {
		return nil, err
	}
	if r.kind != kindObject {
		return nil, schemaFault("", "an input schema must have type object")
	}
	return &Schema{rule: r}, nil
}

// CompileExternal compiles a schema that the runtime does not own: of its top level it
// keeps the names, what is required, types that are single, and whether it is closed.
// Everything else in it is left to its owner. Text that is not a JSON object is refused
// with tool.schema_invalid.
func CompileExternal(raw json.RawMessage) (*Schema, error) {
	canon, err := compact(string(raw))
	if err != nil {
		return nil, fault.Wrap(err, "tool.schema_invalid", "the schema is not JSON")
	}
	if kindOf(canon) != kindObject {
		return nil, schemaFault("", "the schema must be an object")
	}
	o := object(canon)
	if o.Has("type") {
		if t, _ := o.String("type"); t != "object" {
			return nil, schemaFault("", "an input schema must have type object")
		}
	}
	r := &rule{kind: kindObject}
	props, _ := o.Object("properties")
	if o.Has("properties") && props == nil {
		return nil, schemaFault("properties", "must be an object")
	}
	if props != nil {
		for _, name := range props.Names() {
			p := &rule{}
			if s, ok := props.Object(name); ok {
				if t, ok := s.String("type"); ok {
					p.kind, p.integer = typeNamed(t)
				}
			}
			r.props = append(r.props, property{name: name, rule: p})
		}
	}
	required, ok := o.Strings("required")
	if o.Has("required") && !ok {
		return nil, schemaFault("required", "must be an array of names")
	}
	for _, name := range required {
		if p := r.prop(name); p != nil {
			p.required = true
		} else {
			r.props = append(r.props, property{name: name, rule: &rule{}, required: true})
		}
	}
	if more, ok := o.Bool("additionalProperties"); ok && !more && !o.Has("patternProperties") {
		r.closed = true
	}
	return &Schema{rule: r, external: true}, nil
}

func schemaFault(place, format string, args ...any) *fault.Error {
	e := fault.New("tool.schema_invalid", format, args...)
	if place != "" {
		e.Subject = place
	}
	return e
}

func typeNamed(name string) (k kind, integer bool) {
	switch name {
	case "object":
		return kindObject, false
	case "array":
		return kindArray, false
	case "string":
		return kindString, false
	case "boolean":
		return kindBool, false
	case "number":
		return kindNumber, false
	case "integer":
		return kindNumber, true
	case "null":
		return kindNull, false
	}
	return 0, false
}

func compileRule(canon, place string) (*rule, error) {
	if kindOf(canon) != kindObject {
		return nil, schemaFault(place, "a schema must be an object")
	}
	o := object(canon)
	for _, name := range o.Names() {
		if !strings.Contains(keywords, " "+name+" ") {
			return nil, schemaFault(place, "keyword %q is outside the subset that is supported", name)
		}
	}
	r := &rule{length: anySize, count: anySize}
	if o.Has("type") {
		t, _ := o.String("type")
		if r.kind, r.integer = typeNamed(t); r.kind == 0 {
			return nil, schemaFault(place, "type must be one of object, array, string, number, integer, boolean, null")
		}
	}
	if err := r.compileObject(o, place); err != nil {
		return nil, err
	}
	if items, ok := o.Raw("items"); ok {
		var err error
		if r.items, err = compileRule(string(items), place+"[]"); err != nil {
			return nil, err
		}
	}
	return r, r.compileLimits(o, place)
}

func (r *rule) compileObject(o *Object, place string) error {
	props, ok := o.Object("properties")
	if o.Has("properties") && !ok {
		return schemaFault(place, "properties must be an object")
	}
	if ok {
		for _, name := range props.Names() {
			raw, _ := props.Raw(name)
			p, err := compileRule(string(raw), joinPlace(place, name))
			if err != nil {
				return err
			}
			r.props = append(r.props, property{name: name, rule: p})
		}
	}
	required, ok := o.Strings("required")
	if o.Has("required") && !ok {
		return schemaFault(place, "required must be an array of names")
	}
	for _, name := range required {
		p := r.prop(name)
		if p == nil {
			return schemaFault(place, "required names %q, which is no property", name)
		}
		p.required = true
	}
	if o.Has("additionalProperties") {
		if more, ok := o.Bool("additionalProperties"); ok {
			r.closed = !more
		} else if _, ok := o.Object("additionalProperties"); !ok {
			return schemaFault(place, "additionalProperties must be a boolean or a schema")
		}
	}
	return nil
}

func (r *rule) compileLimits(o *Object, place string) error {
	if enum, ok := o.of("enum", kindArray); ok {
		c := walk(enum)
		for v, more := c.element(); more; v, more = c.element() {
			r.enum = append(r.enum, v)
		}
	}
	if o.Has("enum") && len(r.enum) == 0 {
		return schemaFault(place, "enum must be an array with at least one value")
	}
	if text, ok := o.String("pattern"); ok {
		re, err := regexp.Compile(text)
		if err != nil {
			return fault.Wrap(err, "tool.schema_invalid", "the pattern does not compile").With("", place)
		}
		r.pattern = re
	} else if o.Has("pattern") {
		return schemaFault(place, "pattern must be a string")
	}
	for _, b := range []struct {
		name string
		to   **bound
	}{{"minimum", &r.min}, {"maximum", &r.max}} {
		if v, ok := o.of(b.name, kindNumber); ok {
			*b.to = &bound{parseDecimal(v), v}
		} else if o.Has(b.name) {
			return schemaFault(place, "%s must be a number", b.name)
		}
	}
	for _, b := range []struct {
		name string
		to   *int64
	}{
		{"minLength", &r.length.min},
		{"maxLength", &r.length.max},
		{"minItems", &r.count.min},
		{"maxItems", &r.count.max},
	} {
		if !o.Has(b.name) {
			continue
		}
		n, ok := o.Int(b.name)
		if !ok || n < 0 {
			return schemaFault(place, "%s must be a non-negative integer", b.name)
		}
		*b.to = n
	}
	return nil
}

func (r *rule) prop(name string) *property {
	i := slices.IndexFunc(r.props, func(p property) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return &r.props[i]
}

// names gives the accepted names, in the order of the schema.
func (r *rule) names() []string {
	names := make([]string, len(r.props))
	for i := range r.props {
		names[i] = r.props[i].name
	}
	return names
}

// String says in words what a value must be, with its limits.
func (r *rule) String() string {
	if len(r.enum) > 0 {
		shown := make([]string, len(r.enum))
		for i, v := range r.enum {
			shown[i] = v
			if kindOf(v) == kindString {
				shown[i] = unquoted(v)
			}
		}
		return "one of " + strings.Join(shown, ", ")
	}
	s := "a value"
	if r.kind != 0 {
		s = r.kind.String()
	}
	if r.integer {
		s = "an integer"
	}
	switch r.kind {
	case kindNumber:
		switch {
		case r.min != nil && r.max != nil:
			s += " from " + r.min.text + " to " + r.max.text
		case r.min != nil:
			s += " of at least " + r.min.text
		case r.max != nil:
			s += " of at most " + r.max.text
		}
	case kindString:
		s += r.length.of("character")
		if r.pattern != nil {
			s += " that matches " + r.pattern.String()
		}
	case kindArray:
		s += r.count.of("item")
	}
	return s
}

func (s size) of(noun string) string {
	plural := func(n int64) string {
		if n == 1 {
			return thousands(1) + " " + noun
		}
		return thousands(int(n)) + " " + noun + "s"
	}
	switch {
	case s.max >= 0 && s.min == s.max:
		return " of " + plural(s.max)
	case s.max >= 0 && s.min > 0:
		return " of " + thousands(int(s.min)) + " to " + plural(s.max)
	case s.max >= 0:
		return " of at most " + plural(s.max)
	case s.min > 0:
		return " of at least " + plural(s.min)
	}
	return ""
}

func (s size) holds(n int) bool { return int64(n) >= s.min && (s.max < 0 || int64(n) <= s.max) }

// step is the place of an array element.
func step(i int) string { return "[" + strconv.Itoa(i) + "]" }
