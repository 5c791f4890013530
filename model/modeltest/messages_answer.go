package modeltest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// sign gives the signature of a thinking block.
func sign(thought string) string {
	sum := sha256.Sum256([]byte(thought))
	return hex.EncodeToString(sum[:8])
}

// wholeMessage is a response that is not streamed.
func wholeMessage(a *model.Answer) any {
	content := []any{}
	if a.Reasoning != "" {
		content = append(content, map[string]any{"type": "thinking", "thinking": a.Reasoning, "signature": sign(a.Reasoning)})
	}
	if a.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": a.Text})
	}
	for i := range a.Calls {
		c := &a.Calls[i]
		input := json.RawMessage(wireArguments(c.Args))
		if !json.Valid(input) { // of an object that broke off only the text is left
			input, _ = json.Marshal(string(input))
		}
		content = append(content, map[string]any{"type": "tool_use", "id": messageCallID(i), "name": c.Name, "input": input})
	}
	head := messageHead(a)
	head["content"], head["stop_reason"] = content, messageStop(a.Finish)
	head["usage"] = messageUsage(a.Usage, true)
	return head
}

func messageHead(a *model.Answer) map[string]any {
	return map[string]any{"id": "msg_script", "type": "message", "role": "assistant", "model": a.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": messageUsage(a.Usage, false)}
}

func messageCallID(i int) string { return fmt.Sprintf("toolu_script_%d", i) }

func messageStop(f model.Finish) string {
	switch f {
	case model.FinishStop:
		return "end_turn"
	case model.FinishCalls:
		return "tool_use"
	case model.FinishLength:
		return "max_tokens"
	case model.FinishFilter:
		return "refusal"
	case model.FinishOverflow:
		return "model_context_window_exceeded"
	}
	return strings.TrimPrefix(string(f), "unknown:")
}

func messageUsage(u journal.Usage, complete bool) any {
	number := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	out := int64(1)
	if complete {
		out = number(u.Output)
	}
	return map[string]any{"input_tokens": number(u.Input), "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "output_tokens": out}
}

// streamMessage sends an answer in small pieces, one block after another.
func streamMessage(out events, a *model.Answer) {
	beginMessage(out, a)
	at := 0
	if a.Reasoning != "" {
		out.sendAs("content_block_start", map[string]any{"type": "content_block_start", "index": at, "content_block": map[string]any{"type": "thinking", "thinking": "", "signature": ""}})
		for _, s := range split(a.Reasoning) {
			sendDelta(out, at, "thinking_delta", "thinking", s)
		}
		sendDelta(out, at, "signature_delta", "signature", sign(a.Reasoning))
		endBlock(out, at)
		at++
	}
	out.sendAs("ping", map[string]any{"type": "ping"})
	if a.Text != "" {
		sendBlock(out, at, map[string]any{"type": "text", "text": ""}, "text_delta", "text", a.Text)
		endBlock(out, at)
		at++
	}
	for i := range a.Calls {
		c := &a.Calls[i]
		sendBlock(out, at, map[string]any{"type": "tool_use", "id": messageCallID(i), "name": c.Name, "input": map[string]any{}},
			"input_json_delta", "partial_json", wireArguments(c.Args))
		endBlock(out, at)
		at++
	}
	out.sendAs("message_delta", map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": messageStop(a.Finish), "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": messageUsage(a.Usage, true).(map[string]any)["output_tokens"]}})
	out.sendAs("message_stop", map[string]any{"type": "message_stop"})
}

func beginMessage(out events, a *model.Answer) {
	out.sendAs("message_start", map[string]any{"type": "message_start", "message": messageHead(a)})
}

// sendBlock begins a block and sends a text in pieces of it.
func sendBlock(out events, at int, start map[string]any, kind, member, text string) {
	out.sendAs("content_block_start", map[string]any{"type": "content_block_start", "index": at, "content_block": start})
	for _, s := range split(text) {
		sendDelta(out, at, kind, member, s)
	}
}

func sendDelta(out events, at int, kind, member, text string) {
	out.sendAs("content_block_delta", map[string]any{"type": "content_block_delta", "index": at, "delta": map[string]any{"type": kind, member: text}})
}

func endBlock(out events, at int) {
	out.sendAs("content_block_stop", map[string]any{"type": "content_block_stop", "index": at})
}

// sendAs sends an event that has a name.
func (e events) sendAs(name string, v any) {
	_, _ = fmt.Fprintf(e.w, "event: %s\n", name)
	e.send(v)
}
