package modeltest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// maxMarks is how many cache marks the service takes.
const maxMarks = 4

// ValidateMessages checks the body of a request of the Messages form by the strictest
// reading of the service's rules and gives what is wrong, nil when nothing is. It knows the
// members that this program sends and refuses all others.
func ValidateMessages(body []byte) []model.Fault {
	v := &messagesValidator{validator: validator{tools: make(map[string]bool), ids: make(map[string]bool)}}
	v.body(body)
	return v.faults
}

type messagesValidator struct {
	validator
	marks    int
	short    bool   // a mark of five minutes was seen
	thinking string // type of thinking; "": off
}

func (v *messagesValidator) body(body []byte) {
	if !utf8.Valid(body) {
		v.fault("text.utf8", "body", "not UTF-8")
	}
	if hasHalf(body) {
		v.fault("text.surrogate", "body", "half of a surrogate pair")
	}
	m := v.object(body, "body", "model", "max_tokens", "stream", "thinking", "output_config", "temperature", "top_p",
		"stop_sequences", "tools", "tool_choice", "system", "messages")
	if m == nil {
		return
	}
	v.str(m["model"], "model")
	v.numbers(m)
	v.toolList(m)
	if raw, ok := m["system"]; ok {
		list := v.array(raw, "system")
		if len(list) == 0 {
			v.fault("wire.range", "system", "empty")
		}
		for i, raw := range list {
			v.text(raw, fmt.Sprintf("system[%d]", i))
		}
	}
	v.messages(m["messages"])
	if v.marks > maxMarks {
		v.fault("cache.marks", "body", "%d marks; at most %d are legal", v.marks, maxMarks)
	}
}

// numbers checks what is not content: limits, thinking, sampling.
func (v *messagesValidator) numbers(m members) {
	number := func(name string, low, high float64) float64 {
		raw, ok := m[name]
		var f float64
		if ok && (json.Unmarshal(raw, &f) != nil || f < low || f > high) {
			v.fault("wire.range", name, "%.40s", raw)
		}
		return f
	}
	limit := number("max_tokens", 1, 1<<31)
	if _, ok := m["max_tokens"]; !ok {
		v.fault("wire.missing", "max_tokens", "is mandatory")
	}
	number("temperature", 0, 1)
	topP := number("top_p", 0, 1)
	if raw, ok := m["stream"]; ok && string(raw) != "true" && string(raw) != "false" {
		v.fault("wire.boolean", "stream", "%.40s", raw)
	}
	if raw, ok := m["stop_sequences"]; ok {
		for i, s := range v.array(raw, "stop_sequences") {
			v.words(s, fmt.Sprintf("stop_sequences[%d]", i))
		}
	}
	if raw, ok := m["output_config"]; ok {
		effort := v.str(v.object(raw, "output_config", "effort")["effort"], "output_config.effort")
		if !slices.Contains([]string{"low", "medium", "high"}, effort) {
			v.fault("wire.range", "output_config.effort", "%q", effort)
		}
	}
	raw, ok := m["thinking"]
	if !ok {
		return
	}
	t := v.object(raw, "thinking", "type", "budget_tokens")
	v.thinking = v.str(t["type"], "thinking.type")
	budget, has := t["budget_tokens"]
	var n float64
	switch {
	case v.thinking == "adaptive" && !has:
	case v.thinking == "enabled" && has:
		if json.Unmarshal(budget, &n) != nil || n < 1024 || n >= limit {
			v.fault("wire.range", "thinking.budget_tokens", "%.40s with a limit of %v", budget, limit)
		}
	default:
		v.fault("wire.option", "thinking", "%.60s", raw)
	}
	if _, ok := m["temperature"]; ok {
		v.fault("thinking.temperature", "temperature", "beside thinking")
	}
	if _, ok := m["top_p"]; ok && topP < 0.95 {
		v.fault("thinking.top_p", "top_p", "%v beside thinking", topP)
	}
}

func (v *messagesValidator) toolList(m members) {
	choice, chosen := m["tool_choice"]
	raw, ok := m["tools"]
	if !ok {
		if chosen {
			v.fault("wire.option", "tool_choice", "without tools")
		}
		return
	}
	list := v.array(raw, "tools")
	if len(list) == 0 {
		v.fault("wire.range", "tools", "empty")
	}
	exact := make(map[string]bool)
	for i, raw := range list {
		place := fmt.Sprintf("tools[%d]", i)
		t := v.object(raw, place, "name", "description", "input_schema", "cache_control")
		name := v.str(t["name"], place+".name")
		if !wireName.MatchString(name) {
			v.fault("name.illegal", place, "%q", name)
		}
		if v.tools[strings.ToLower(name)] {
			v.fault("name.duplicate", place, "%q", name)
		}
		v.tools[strings.ToLower(name)], exact[name] = true, true
		if d, ok := t["description"]; ok {
			v.words(d, place+".description")
		}
		schema := v.object(t["input_schema"], place+".input_schema")
		if string(schema["type"]) != `"object"` {
			v.fault("schema.root", place, "the root is no object")
		}
		v.mark(t, place)
	}
	if !chosen {
		return
	}
	c := v.object(choice, "tool_choice", "type", "name", "disable_parallel_tool_use")
	kind := v.str(c["type"], "tool_choice.type")
	_, named := c["name"]
	if named != (kind == "tool") || !slices.Contains([]string{"auto", "none", "any", "tool"}, kind) {
		v.fault("wire.choice", "tool_choice", "%.60s", choice)
	}
	if named && !exact[v.str(c["name"], "tool_choice.name")] {
		v.fault("choice.unknown_tool", "tool_choice", "%s is not in the tool list", c["name"])
	}
	if v.thinking != "" && kind != "auto" && kind != "none" {
		v.fault("thinking.choice", "tool_choice", "%q beside thinking", kind)
	}
}

// words reads a text that has more than white space.
func (v *messagesValidator) words(raw json.RawMessage, place string) string {
	s := v.str(raw, place)
	if s != "" && strings.TrimSpace(s) == "" {
		v.fault("text.blank", place, "only white space")
	}
	return s
}

// text reads a block of text.
func (v *messagesValidator) text(raw json.RawMessage, place string) {
	m := v.object(raw, place, "type", "text", "cache_control")
	if v.str(m["type"], place+".type") != "text" {
		v.fault("wire.type", place, "type is not text")
	}
	v.words(m["text"], place+".text")
	v.mark(m, place)
}

// mark checks the cache mark of a block; those of an hour stand before the others.
func (v *messagesValidator) mark(m members, place string) {
	raw, ok := m["cache_control"]
	if !ok {
		return
	}
	v.marks++
	c := v.object(raw, place+".cache_control", "type", "ttl")
	if v.str(c["type"], place+".cache_control.type") != "ephemeral" {
		v.fault("cache.type", place, "%.60s", raw)
	}
	switch ttl := string(c["ttl"]); ttl {
	case `"1h"`:
		if v.short {
			v.fault("cache.order", place, "an hour after five minutes")
		}
	case "", `"5m"`:
		v.short = true
	default:
		v.fault("cache.ttl", place, "%s", ttl)
	}
}
