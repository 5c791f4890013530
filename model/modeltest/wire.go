package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/model"
)

var (
	wireName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	wireID   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)
	// half finds one half of an escaped astral character; pairs are removed before.
	half = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)
	pair = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
)

// ValidateChat checks the body of a Chat Completions request by the strictest reading of
// the service's rules and gives what is wrong, nil when nothing is. It knows the members
// that this program sends and refuses all others.
func ValidateChat(body []byte) []model.Fault {
	v := new(validator)
	v.body(body)
	return v.faults
}

type validator struct {
	faults []model.Fault
	tools  map[string]bool // names, in lower case
	ids    map[string]bool
	images int
}

func (v *validator) fault(rule, place, format string, args ...any) {
	v.faults = append(v.faults, model.Fault{Rule: rule, Place: place, Detail: fmt.Sprintf(format, args...)})
}

// members is an object whose keys are each there once.
type members map[string]json.RawMessage

// object reads an object with only the given keys.
func (v *validator) object(raw []byte, place string, known ...string) members {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		v.fault("wire.object", place, "not an object")
		return nil
	}
	m := make(members)
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			v.fault("wire.json", place, "%v", err)
			return nil
		}
		var val json.RawMessage
		if err := d.Decode(&val); err != nil {
			v.fault("wire.json", place, "%v", err)
			return nil
		}
		if _, twice := m[key]; twice {
			v.fault("wire.key_twice", place, "%s", key)
		}
		m[key] = val
		found := len(known) == 0
		for _, k := range known {
			found = found || k == key
		}
		if !found {
			v.fault("wire.unknown_key", place, "%s", key)
		}
	}
	if _, err := d.Token(); err != nil {
		v.fault("wire.json", place, "%v", err)
		return nil
	}
	if _, err := d.Token(); err != io.EOF {
		v.fault("wire.json", place, "more after the object")
	}
	return m
}

func (v *validator) array(raw json.RawMessage, place string) []json.RawMessage {
	var list []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		v.fault("wire.array", place, "not an array")
		return nil
	}
	return list
}

// str reads a text that is not empty.
func (v *validator) str(raw json.RawMessage, place string) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		v.fault("wire.string", place, "not a text: %.40s", raw)
		return ""
	}
	if s == "" {
		v.fault("text.empty", place, "empty")
	}
	if strings.IndexByte(s, 0) >= 0 {
		v.fault("text.nul", place, "has a NUL")
	}
	return s
}

// hasHalf says whether a body has one half of an escaped astral character. Most bodies have
// no such escape at all, and those with images are long.
func hasHalf(body []byte) bool {
	if !bytes.Contains(body, []byte(`\ud`)) && !bytes.Contains(body, []byte(`\uD`)) {
		return false
	}
	return half.Match(pair.ReplaceAll(bytes.ReplaceAll(body, []byte(`\\`), nil), nil))
}

func (v *validator) body(body []byte) {
	if !utf8.Valid(body) {
		v.fault("text.utf8", "body", "not UTF-8")
	}
	if hasHalf(body) {
		v.fault("text.surrogate", "body", "half of a surrogate pair")
	}
	m := v.object(body, "body", "model", "messages", "tools", "tool_choice", "stream", "stream_options",
		"max_tokens", "max_completion_tokens", "temperature", "top_p", "stop", "parallel_tool_calls")
	if m == nil {
		return
	}
	v.str(m["model"], "model")
	v.options(m)
	v.toolList(m)
	v.messages(m["messages"])
}

func (v *validator) options(m members) {
	boolean := func(name string) bool {
		raw, ok := m[name]
		if ok && string(raw) != "true" && string(raw) != "false" {
			v.fault("wire.boolean", name, "%.40s", raw)
		}
		return string(raw) == "true"
	}
	streams := boolean("stream")
	boolean("parallel_tool_calls")
	if raw, ok := m["stream_options"]; ok {
		v.object(raw, "stream_options", "include_usage")
		if !streams {
			v.fault("wire.option", "stream_options", "without stream")
		}
	}
	_, a := m["max_tokens"]
	_, b := m["max_completion_tokens"]
	if a && b {
		v.fault("wire.option", "max_tokens", "two limits")
	}
	for _, r := range []struct {
		name      string
		low, high float64
	}{{"temperature", 0, 2}, {"top_p", 0, 1}, {"max_tokens", 1, 1 << 31}, {"max_completion_tokens", 1, 1 << 31}} {
		raw, ok := m[r.name]
		if !ok {
			continue
		}
		var f float64
		if json.Unmarshal(raw, &f) != nil || f < r.low || f > r.high {
			v.fault("wire.range", r.name, "%.40s", raw)
		}
	}
	if raw, ok := m["stop"]; ok {
		list := v.array(raw, "stop")
		if len(list) < 1 || len(list) > 4 {
			v.fault("wire.range", "stop", "%d texts; 1 to 4 are legal", len(list))
		}
		for i, s := range list {
			v.str(s, fmt.Sprintf("stop[%d]", i))
		}
	}
}

func (v *validator) toolList(m members) {
	v.tools = make(map[string]bool)
	raw, ok := m["tools"]
	if !ok {
		for _, name := range []string{"tool_choice", "parallel_tool_calls"} {
			if _, there := m[name]; there {
				v.fault("wire.option", name, "without tools")
			}
		}
		return
	}
	list := v.array(raw, "tools")
	if len(list) < 1 || len(list) > 128 {
		v.fault("wire.range", "tools", "%d tools; 1 to 128 are legal", len(list))
	}
	exact := make(map[string]bool)
	for i, raw := range list {
		place := fmt.Sprintf("tools[%d]", i)
		t := v.object(raw, place, "type", "function")
		if v.str(t["type"], place+".type") != "function" {
			v.fault("wire.type", place, "type is not function")
		}
		f := v.object(t["function"], place+".function", "name", "description", "parameters", "strict")
		name := v.str(f["name"], place+".name")
		if !wireName.MatchString(name) {
			v.fault("name.illegal", place, "%q", name)
		}
		if v.tools[strings.ToLower(name)] {
			v.fault("name.duplicate", place, "%q", name)
		}
		v.tools[strings.ToLower(name)], exact[name] = true, true
		if d, ok := f["description"]; ok {
			v.str(d, place+".description")
		}
		schema := v.object(f["parameters"], place+".parameters")
		if string(schema["type"]) != `"object"` {
			v.fault("schema.root", place, "the root is no object")
		}
	}
	choice, ok := m["tool_choice"]
	switch {
	case !ok:
	case len(choice) > 0 && choice[0] == '"':
		if s := v.str(choice, "tool_choice"); s != "none" && s != "auto" && s != "required" {
			v.fault("wire.choice", "tool_choice", "%q", s)
		}
	default:
		c := v.object(choice, "tool_choice", "type", "function")
		f := v.object(c["function"], "tool_choice.function", "name")
		if name := v.str(f["name"], "tool_choice.function.name"); !exact[name] {
			v.fault("choice.unknown_tool", "tool_choice", "%q is not in the tool list", name)
		}
	}
}

func (v *validator) messages(raw json.RawMessage) {
	v.ids = make(map[string]bool)
	list := v.array(raw, "messages")
	if len(list) == 0 {
		v.fault("order.empty", "messages", "no message")
		return
	}
	var open []string // calls that the next messages must answer, in order
	before, first := "", true
	for i, raw := range list {
		place := fmt.Sprintf("messages[%d]", i)
		var peek struct{ Role string }
		if json.Unmarshal(raw, &peek) != nil {
			v.fault("wire.json", place, "not a message")
			continue
		}
		if len(open) > 0 && peek.Role != "tool" {
			v.fault("pairing.missing_result", place, "%d calls before it are not answered", len(open))
			open = nil
		}
		switch peek.Role {
		case "system", "developer":
			if i != 0 {
				v.fault("order.system", place, "not at the front")
			}
			m := v.object(raw, place, "role", "content")
			v.str(m["content"], place+".content")
			continue
		case "user":
			m := v.object(raw, place, "role", "content")
			v.userContent(m["content"], place+".content")
		case "assistant":
			if before == "assistant" {
				v.fault("order.alternate", place, "two messages of the model in a row")
			}
			open = v.assistant(raw, place)
		case "tool":
			m := v.object(raw, place, "role", "tool_call_id", "content")
			v.str(m["content"], place+".content")
			id := v.str(m["tool_call_id"], place+".tool_call_id")
			if len(open) == 0 {
				v.fault("pairing.no_call", place, "answers no call: %q", id)
				break
			}
			if id != open[0] {
				v.fault("pairing.order", place, "answers %q where %q is next", id, open[0])
			}
			open = open[1:]
		default:
			v.fault("order.role", place, "%q", peek.Role)
		}
		if first && peek.Role != "user" {
			v.fault("order.first", place, "the first message is not the user's")
		}
		before, first = peek.Role, false
	}
	if len(open) > 0 {
		v.fault("pairing.missing_result", "messages", "%d calls are not answered at the end", len(open))
	}
	if before != "user" && before != "tool" {
		v.fault("order.last", "messages", "the last message is of %q", before)
	}
}

// assistant checks a message of the model and gives the ids of its calls.
func (v *validator) assistant(raw json.RawMessage, place string) []string {
	m := v.object(raw, place, "role", "content", "tool_calls")
	calls, has := m["tool_calls"]
	if content, ok := m["content"]; !ok {
		v.fault("wire.content", place, "no content")
	} else if string(content) != "null" || !has {
		v.str(content, place+".content")
	}
	if !has {
		return nil
	}
	list := v.array(calls, place+".tool_calls")
	if len(list) == 0 {
		v.fault("wire.range", place, "tool_calls is empty")
	}
	var ids []string
	for i, raw := range list {
		at := fmt.Sprintf("%s.tool_calls[%d]", place, i)
		c := v.object(raw, at, "id", "type", "function")
		id := v.str(c["id"], at+".id")
		if !wireID.MatchString(id) {
			v.fault("pairing.key", at, "%q", id)
		}
		if v.ids[id] {
			v.fault("pairing.key_twice", at, "%q", id)
		}
		v.ids[id] = true
		ids = append(ids, id)
		if v.str(c["type"], at+".type") != "function" {
			v.fault("wire.type", at, "type is not function")
		}
		f := v.object(c["function"], at+".function", "name", "arguments")
		if name := v.str(f["name"], at+".name"); !wireName.MatchString(name) {
			v.fault("name.illegal", at, "%q", name)
		}
		v.object([]byte(v.str(f["arguments"], at+".arguments")), at+".arguments")
	}
	return ids
}
