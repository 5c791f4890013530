package modeltest

import (
	"encoding/json"
	"fmt"
)

// contents checks the conversation: roles take turns, the user begins and ends, and the
// results of all calls of an answer stand first in the content right after it, in order.
func (v *generateValidator) contents(raw json.RawMessage) {
	list := v.array(raw, "contents")
	if len(list) == 0 {
		v.fault("order.empty", "contents", "no content")
		return
	}
	var open []string // names of the calls that the next content must answer
	before := "model"
	for i, raw := range list {
		place := fmt.Sprintf("contents[%d]", i)
		c := v.object(raw, place, "role", "parts")
		role := v.str(c["role"], place+".role")
		if role != "user" && role != "model" {
			v.fault("order.role", place, "%q", role)
		}
		switch {
		case role != before:
		case i == 0:
			v.fault("order.first", place, "the first content is not the user's")
		default:
			v.fault("order.alternate", place, "two contents of %q in a row", role)
		}
		before = role
		parts := v.array(c["parts"], place+".parts")
		if len(parts) == 0 {
			v.fault("wire.range", place, "no part")
		}
		if role == "model" {
			open = v.answer(parts, place)
			continue
		}
		v.input(parts, open, place)
		open = nil
	}
	if before != "user" {
		v.fault("order.last", "contents", "the last content is of %q", before)
	}
}

// input checks a content of the user that must answer the open calls.
func (v *generateValidator) input(parts []json.RawMessage, open []string, place string) {
	answered := 0
	for i, raw := range parts {
		at := fmt.Sprintf("%s.parts[%d]", place, i)
		p := v.object(raw, at, "text", "functionResponse", "inlineData")
		if len(p) != 1 {
			v.fault("wire.part", at, "%d members; one is legal", len(p))
		}
		result, ok := p["functionResponse"]
		if data, ok := p["inlineData"]; ok {
			v.inline(data, at)
			continue
		}
		if !ok {
			v.str(p["text"], at+".text")
			continue
		}
		r := v.object(result, at+".functionResponse", "name", "response")
		name := v.name(r["name"], at)
		switch {
		case answered >= len(open):
			v.fault("pairing.no_call", at, "answers no call: %q", name)
		case answered != i:
			v.fault("pairing.late", at, "text stands before a result")
		case name != open[answered]:
			v.fault("pairing.order", at, "answers %q where %q is next", name, open[answered])
		}
		answered++
		response := v.object(r["response"], at+".response", "output", "error")
		if len(response) != 1 {
			v.fault("wire.response", at, "one of output and error is legal")
		}
		for name, raw := range response { // one of two
			v.str(raw, at+"."+name)
		}
	}
	if answered < len(open) {
		v.fault("pairing.missing_result", place, "%d results for %d calls", answered, len(open))
	}
}

// answer checks a content of the model and gives the names of its calls.
func (v *generateValidator) answer(parts []json.RawMessage, place string) []string {
	var calls []string
	for i, raw := range parts {
		at := fmt.Sprintf("%s.parts[%d]", place, i)
		p := v.object(raw, at) // a part that was kept may have any member
		signature, signed := p["thoughtSignature"]
		if signed && !wireSignature.MatchString(v.str(signature, at+".thoughtSignature")) {
			v.fault("native.signature", at, "%.40s", signature)
		}
		if call, ok := p["functionCall"]; ok {
			c := v.object(call, at+".functionCall", "name", "args")
			v.object(c["args"], at+".args")
			if calls = append(calls, v.name(c["name"], at)); len(calls) == 1 && !signed {
				v.fault("native.no_signature", at, "the first call has none")
			}
			continue
		}
		switch text, ok := p["text"]; {
		case !ok && len(p) == 0:
			v.fault("wire.part", at, "empty")
		case ok && (!signed || string(text) != `""`):
			v.str(text, at+".text")
		}
	}
	return calls
}
