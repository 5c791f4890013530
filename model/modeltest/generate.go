package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// wireSignature is a signature of thoughts: base64 in one of its alphabets.
var wireSignature = regexp.MustCompile(`^[A-Za-z0-9+/_-]+={0,2}$`)

// ValidateGenerate checks the body of a generateContent request by the strictest reading of
// the service's rules and gives what is wrong, nil when nothing is. It knows the members
// that this program sends and refuses all others. The first call of each answer in the
// history must have a signature.
func ValidateGenerate(body []byte) []model.Fault {
	v := &generateValidator{validator: validator{tools: map[string]bool{}}, exact: map[string]bool{}}
	v.body(body)
	return v.faults
}

type generateValidator struct {
	validator
	exact map[string]bool // names of tools as they are written
}

func (v *generateValidator) body(body []byte) {
	if !utf8.Valid(body) {
		v.fault("text.utf8", "body", "not UTF-8")
	}
	if hasHalf(body) {
		v.fault("text.surrogate", "body", "half of a surrogate pair")
	}
	m := v.object(body, "body", "systemInstruction", "tools", "toolConfig", "generationConfig", "contents")
	if m == nil {
		return
	}
	if raw, ok := m["systemInstruction"]; ok {
		s := v.object(raw, "systemInstruction", "parts")
		for i, part := range v.array(s["parts"], "systemInstruction.parts") {
			place := fmt.Sprintf("systemInstruction.parts[%d]", i)
			v.str(v.object(part, place, "text")["text"], place)
		}
	}
	v.toolList(m)
	v.config(m["generationConfig"])
	v.contents(m["contents"])
}

func (v *generateValidator) toolList(m members) {
	raw, ok := m["tools"]
	if !ok {
		if _, there := m["toolConfig"]; there {
			v.fault("wire.option", "toolConfig", "without tools")
		}
		return
	}
	list := v.array(raw, "tools")
	if len(list) != 1 {
		v.fault("wire.range", "tools", "%d lists of functions; 1 is legal", len(list))
	}
	for i, raw := range list {
		place := fmt.Sprintf("tools[%d]", i)
		t := v.object(raw, place, "functionDeclarations")
		declarations := v.array(t["functionDeclarations"], place)
		if len(declarations) == 0 {
			v.fault("wire.range", place, "no function")
		}
		for j, raw := range declarations {
			v.declaration(raw, fmt.Sprintf("%s.functionDeclarations[%d]", place, j))
		}
	}
	if raw, ok := m["toolConfig"]; ok {
		v.choice(raw)
	}
}

func (v *generateValidator) declaration(raw json.RawMessage, place string) {
	d := v.object(raw, place, "name", "description", "parametersJsonSchema", "parameters")
	name := v.name(d["name"], place)
	if v.tools[strings.ToLower(name)] {
		v.fault("name.duplicate", place, "%q", name)
	}
	v.tools[strings.ToLower(name)], v.exact[name] = true, true
	if raw, ok := d["description"]; ok {
		v.str(raw, place+".description")
	}
	full, isFull := d["parametersJsonSchema"]
	subset, isSubset := d["parameters"]
	switch {
	case isFull && isSubset:
		v.fault("wire.option", place, "two schemas")
	case isFull:
		if string(v.object(full, place+".parametersJsonSchema")["type"]) != `"object"` {
			v.fault("schema.root", place, "the root is no object")
		}
	case isSubset:
		if s := v.subset(subset, place+".parameters"); string(s["type"]) != `"object"` || len(s["properties"]) == 0 {
			v.fault("schema.root", place, "the root is no object with properties")
		}
	}
}

func (v *generateValidator) name(raw json.RawMessage, place string) string {
	name := v.str(raw, place+".name")
	if !wireName.MatchString(name) {
		v.fault("name.illegal", place, "%q", name)
	}
	return name
}

// subsetOf says which keywords go with which type in the subset of OpenAPI.
var subsetOf = map[string]string{
	"string":  " enum minLength maxLength pattern format ",
	"number":  " minimum maximum format ",
	"integer": " minimum maximum format ",
	"boolean": "",
	"array":   " items minItems maxItems ",
	"object":  " properties required minProperties maxProperties ",
	"":        "",
}

// subset checks a schema of the older form.
func (v *generateValidator) subset(raw json.RawMessage, place string) members {
	s := v.object(raw, place)
	if alternatives, ok := s["anyOf"]; ok {
		if len(s) > 1 {
			v.fault("schema.beside", place, "something stands beside anyOf")
		}
		list := v.array(alternatives, place+".anyOf")
		if len(list) < 2 {
			v.fault("schema.any_of", place, "%d alternatives", len(list))
		}
		for i, raw := range list {
			v.subset(raw, fmt.Sprintf("%s.anyOf[%d]", place, i))
		}
		return s
	}
	var kind string
	_ = json.Unmarshal(s["type"], &kind) // what is no text is no type
	keywords, ok := subsetOf[kind]
	if !ok || kind == "" && s["type"] != nil {
		v.fault("schema.type", place, "%.40s", s["type"])
	}
	for name := range s { // faults are a set
		if !strings.Contains(" type description nullable"+keywords+" ", " "+name+" ") {
			v.fault("schema.keyword", place, "%s beside type %q", name, kind)
		}
	}
	properties := v.schemaMembers(s, place)
	if raw, ok := s["required"]; ok {
		for i, name := range v.array(raw, place+".required") {
			if _, ok := properties[v.str(name, fmt.Sprintf("%s.required[%d]", place, i))]; !ok {
				v.fault("schema.required", place, "%s is no property", name)
			}
		}
	}
	if raw, ok := s["enum"]; ok {
		for i, value := range v.array(raw, place+".enum") {
			v.str(value, fmt.Sprintf("%s.enum[%d]", place, i))
		}
	}
	return s
}

// schemaMembers checks what is below an array or an object, and gives the properties.
func (v *generateValidator) schemaMembers(s members, place string) members {
	if string(s["type"]) == `"array"` {
		v.subset(s["items"], place+".items")
	}
	raw, ok := s["properties"]
	if !ok {
		return nil
	}
	properties := v.object(raw, place+".properties")
	for name, raw := range properties { // faults are a set
		v.subset(raw, place+".properties."+name)
	}
	return properties
}

func (v *generateValidator) choice(raw json.RawMessage) {
	m := v.object(raw, "toolConfig", "functionCallingConfig")
	c := v.object(m["functionCallingConfig"], "toolConfig.functionCallingConfig", "mode", "allowedFunctionNames")
	mode := v.str(c["mode"], "toolConfig.mode")
	if mode != "AUTO" && mode != "ANY" && mode != "NONE" {
		v.fault("wire.choice", "toolConfig", "%q", mode)
	}
	names, ok := c["allowedFunctionNames"]
	if !ok {
		return
	}
	if mode != "ANY" {
		v.fault("wire.option", "toolConfig", "allowedFunctionNames with mode %q", mode)
	}
	for i, raw := range v.array(names, "toolConfig.allowedFunctionNames") {
		if name := v.str(raw, fmt.Sprintf("toolConfig.allowedFunctionNames[%d]", i)); !v.exact[name] {
			v.fault("choice.unknown_tool", "toolConfig", "%q is not in the tool list", name)
		}
	}
}

func (v *generateValidator) config(raw json.RawMessage) {
	if raw == nil {
		return
	}
	m := v.object(raw, "generationConfig", "maxOutputTokens", "temperature", "topP", "stopSequences", "thinkingConfig")
	v.ranges(m, "generationConfig", []numberRange{{"temperature", 0, 2}, {"topP", 0, 1}, {"maxOutputTokens", 1, 1 << 31}})
	if raw, ok := m["stopSequences"]; ok {
		list := v.array(raw, "generationConfig.stopSequences")
		if len(list) < 1 || len(list) > 5 {
			v.fault("wire.range", "generationConfig.stopSequences", "%d texts; 1 to 5 are legal", len(list))
		}
		for i, s := range list {
			v.str(s, fmt.Sprintf("generationConfig.stopSequences[%d]", i))
		}
	}
	raw, ok := m["thinkingConfig"]
	if !ok {
		return
	}
	t := v.object(raw, "thinkingConfig", "includeThoughts", "thinkingLevel", "thinkingBudget")
	level, hasLevel := t["thinkingLevel"]
	if _, hasBudget := t["thinkingBudget"]; hasBudget == hasLevel {
		v.fault("wire.option", "thinkingConfig", "one of level and budget is legal")
	}
	v.ranges(t, "thinkingConfig", []numberRange{{"thinkingBudget", 0, 1 << 31}})
	if s := string(level); hasLevel && s != `"LOW"` && s != `"MEDIUM"` && s != `"HIGH"` {
		v.fault("wire.option", "thinkingConfig", "level %.40s", s)
	}
}

type numberRange struct {
	name      string
	low, high float64
}

func (v *generateValidator) ranges(m members, place string, list []numberRange) {
	for _, r := range list {
		raw, ok := m[r.name]
		if !ok {
			continue
		}
		var f float64
		if json.Unmarshal(raw, &f) != nil || f < r.low || f > r.high {
			v.fault("wire.range", place+"."+r.name, "%.40s", raw)
		}
	}
}
