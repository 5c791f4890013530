package openai

import (
	"encoding/json"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// kindReasoning is the kind of the native part that holds plain reasoning which is sent back.
const kindReasoning = "reasoning"

// nativePart is a native part of this provider.
type nativePart struct {
	Provider string          `json:"provider"`
	Kind     string          `json:"kind"`
	Data     json.RawMessage `json:"data"`
}

// reasoningPart makes the native part of reasoning.
func reasoningPart(text string) json.RawMessage {
	data, _ := json.Marshal(text)                                          // no text fails
	part, _ := json.Marshal(nativePart{providerName, kindReasoning, data}) // nor does this
	return part
}

// appendReasoning writes the reasoning of an answer as a member of its message.
func appendReasoning(b []byte, m *model.Message) []byte {
	for _, raw := range m.Native {
		var p nativePart
		if json.Unmarshal(raw, &p) != nil || p.Provider != providerName || p.Kind != kindReasoning {
			continue
		}
		if text := wire.Decode(p.Data); text != "" {
			b = append(b, `,"reasoning_content":`...)
			return wire.AppendString(b, text)
		}
	}
	return b
}
