package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// messages checks the order of messages and the pairing of calls and results.
func (v *messagesValidator) messages(raw json.RawMessage) {
	list := v.array(raw, "messages")
	if len(list) == 0 {
		v.fault("order.empty", "messages", "no message")
		return
	}
	var open []string // calls that the next message must answer, in order
	before := ""
	thought := false // the chain of calls under way began with thinking
	for i, raw := range list {
		place := fmt.Sprintf("messages[%d]", i)
		m := v.object(raw, place, "role", "content")
		role := v.str(m["role"], place+".role")
		content := v.array(m["content"], place+".content")
		if len(content) == 0 {
			v.fault("text.empty", place, "no content")
		}
		if role == before {
			v.fault("order.alternate", place, "two messages of the %s in a row", role)
		}
		switch role {
		case "user":
			if len(open) == 0 {
				thought = false
			}
			v.user(content, open, place)
			open = nil
		case "assistant":
			last := i == len(list)-1
			var first string
			open, first = v.assistantBlocks(content, last, place)
			thought = thought || first == "thinking" || first == "redacted_thinking"
			if i == len(list)-2 && v.thinking == "enabled" && len(open) > 0 && !thought {
				v.fault("native.missing", place, "its chain of calls does not begin with thinking")
			}
			if last && len(open) > 0 {
				v.fault("pairing.missing_result", place, "%d calls are not answered at the end", len(open))
			}
		default:
			v.fault("order.role", place, "%q", role)
		}
		if i == 0 && role != "user" {
			v.fault("order.first", place, "the first message is not the user's")
		}
		before = role
	}
}

// user checks results and texts of a message: all results first, each for its call.
func (v *messagesValidator) user(content []json.RawMessage, open []string, place string) {
	texts := false
	for i, raw := range content {
		at := fmt.Sprintf("%s.content[%d]", place, i)
		switch kind := kindOf(raw); kind {
		case "text":
			texts = true
			v.text(raw, at)
		case "image":
			texts = true
			v.picture(raw, at)
		case "tool_result":
			if texts {
				v.fault("order.results_first", at, "a result after text")
			}
			m := v.object(raw, at, "type", "tool_use_id", "content", "is_error", "cache_control")
			v.resultContent(m["content"], string(m["is_error"]) == "true", at+".content")
			if e, ok := m["is_error"]; ok && string(e) != "true" && string(e) != "false" {
				v.fault("wire.boolean", at+".is_error", "%.40s", e)
			}
			v.mark(m, at)
			id := v.str(m["tool_use_id"], at+".tool_use_id")
			if len(open) == 0 {
				v.fault("pairing.no_call", at, "answers no call: %q", id)
				break
			}
			if id != open[0] {
				v.fault("pairing.order", at, "answers %q where %q is next", id, open[0])
			}
			open = open[1:]
		default:
			v.fault("wire.block", at, "%q in a message of the user", kind)
		}
	}
	if len(open) > 0 {
		v.fault("pairing.missing_result", place, "%d calls before it are not answered", len(open))
	}
}

// assistantBlocks checks a message of the model and gives the ids of its calls and the kind
// of its first block. Only a turn that the server has paused may be the last message.
func (v *messagesValidator) assistantBlocks(content []json.RawMessage, last bool, place string) (ids []string, first string) {
	kind := ""
	for i, raw := range content {
		at := fmt.Sprintf("%s.content[%d]", place, i)
		kind = kindOf(raw)
		if i == 0 {
			first = kind
		}
		switch kind {
		case "text":
			if len(ids) > 0 {
				v.fault("order.calls_last", at, "text after a call")
			}
			v.text(raw, at)
		case "thinking":
			m := v.object(raw, at, "type", "thinking", "signature")
			v.str(m["signature"], at+".signature")
			if t := m["thinking"]; len(t) == 0 || t[0] != '"' {
				v.fault("wire.string", at+".thinking", "not a text")
			}
		case "redacted_thinking":
			v.str(v.object(raw, at, "type", "data")["data"], at+".data")
		case "tool_use":
			ids = append(ids, v.call(raw, at))
		default:
			if kind != "server_tool_use" && !strings.HasSuffix(kind, "_tool_result") {
				v.fault("wire.block", at, "%q in a message of the model", kind)
			}
			v.object(raw, at)
		}
	}
	switch kind {
	case "thinking", "redacted_thinking":
		v.fault("order.thinking_last", place, "thinking at the end")
	case "text":
		if last {
			v.fault("order.last", place, "the last message is the model's own text")
		}
	}
	return ids, first
}

// call checks a call and gives its id.
func (v *messagesValidator) call(raw json.RawMessage, at string) string {
	m := v.object(raw, at, "type", "id", "name", "input")
	id := v.str(m["id"], at+".id")
	if !wireID.MatchString(id) {
		v.fault("pairing.key", at, "%q", id)
	}
	if v.ids[id] {
		v.fault("pairing.key_twice", at, "%q", id)
	}
	v.ids[id] = true
	if name := v.str(m["name"], at+".name"); !wireName.MatchString(name) {
		v.fault("name.illegal", at, "%q", name)
	}
	v.object(m["input"], at+".input")
	return id
}

func kindOf(raw json.RawMessage) string {
	var m struct{ Type string }
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	return m.Type
}
