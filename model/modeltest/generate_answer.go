package modeltest

import (
	"encoding/json"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// wholeGenerate is a response that is not streamed.
func wholeGenerate(a *model.Answer, signature string) any {
	var parts []any
	if a.Reasoning != "" {
		parts = append(parts, map[string]any{"text": a.Reasoning, "thought": true})
	}
	if a.Text != "" {
		text := map[string]any{"text": a.Text}
		if len(a.Calls) == 0 {
			text["thoughtSignature"] = signature
		}
		parts = append(parts, text)
	}
	for i := range a.Calls {
		parts = append(parts, generateCall(a, i, signature))
	}
	return generatePiece(parts, generateFinish(a.Finish), generateUsage(a))
}

// streamGenerate sends an answer in small pieces, its calls whole as the service does. The
// signature of a text comes last, with an empty one.
func streamGenerate(out events, a *model.Answer, signature string) {
	for _, s := range split(a.Reasoning) {
		out.send(generatePiece([]any{map[string]any{"text": s, "thought": true}}, "", nil))
	}
	for _, s := range split(a.Text) {
		out.send(generatePiece([]any{map[string]any{"text": s}}, "", nil))
	}
	for i := range a.Calls {
		out.send(generatePiece([]any{generateCall(a, i, signature)}, "", nil))
	}
	last := map[string]any{"text": ""}
	if len(a.Calls) == 0 && a.Text != "" {
		last["thoughtSignature"] = signature
	}
	out.send(generatePiece([]any{last}, generateFinish(a.Finish), generateUsage(a)))
}

// generateCall is the part of a call; the first one of an answer is signed.
func generateCall(a *model.Answer, i int, signature string) any {
	call := map[string]any{"name": a.Calls[i].Name}
	if args := a.Calls[i].Args; args != nil {
		var text string
		if json.Unmarshal(args, &text) == nil && json.Valid([]byte(text)) { // whole fragments: this wire has objects
			args = json.RawMessage(text)
		}
		call["args"] = args
	}
	part := map[string]any{"functionCall": call}
	if i == 0 {
		part["thoughtSignature"] = signature
	}
	return part
}

func generatePiece(parts []any, finish string, usage any) any {
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	out := map[string]any{"candidates": []any{candidate}, "modelVersion": "script", "responseId": "generate-script"}
	if usage != nil {
		out["usageMetadata"] = usage
	}
	return out
}

// generateFinish gives the word of this wire for a canonical reason.
func generateFinish(f model.Finish) string {
	switch f {
	case model.FinishStop, model.FinishCalls:
		return "STOP"
	case model.FinishLength:
		return "MAX_TOKENS"
	case model.FinishFilter:
		return "SAFETY"
	case model.FinishBadCall:
		return "MALFORMED_FUNCTION_CALL"
	}
	return strings.TrimPrefix(string(f), "unknown:")
}

func generateUsage(a *model.Answer) any {
	u := map[string]any{}
	total := int64(0)
	for name, n := range map[string]*int64{"promptTokenCount": a.Usage.Input, "candidatesTokenCount": a.Usage.Output} {
		if n != nil {
			u[name] = *n
			total += *n
		}
	}
	u["totalTokenCount"] = total
	return u
}
