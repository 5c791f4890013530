package anthropic

import (
	"encoding/json"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// addText takes a piece of text and says whether there is anything in it.
func (a *assembly) addText(b *block, raw json.RawMessage) bool {
	if !b.text.Add(raw) || len(raw) == 2 {
		return false
	}
	if a.preview != nil {
		a.preview(model.Delta{Text: wire.Decode(raw)})
	}
	return true
}

// addThinking takes a piece of thinking. Blocks of it are told apart by a line end.
func (a *assembly) addThinking(b *block, raw json.RawMessage) bool {
	later := a.thought && len(b.text.Raw()) == 0
	if !b.text.Add(raw) || len(raw) == 2 {
		return false
	}
	a.thought = true
	if a.preview == nil {
		return true
	}
	text := wire.Decode(raw)
	if later {
		text = "\n" + text
	}
	a.preview(model.Delta{Reasoning: text})
	return true
}

// count counts arguments that came and shows those of a call.
func (a *assembly) count(b *block, raw json.RawMessage) error {
	if a.arguments += len(raw); a.arguments > maxArguments {
		return wire.TooLarge("arguments above 4 MiB")
	}
	if a.preview == nil || b.kind != kindCall || wire.None(raw) {
		return nil
	}
	text := string(raw)
	if raw[0] == '"' {
		text = wire.Decode(raw)
	}
	a.preview(model.Delta{Call: b.call, Args: text})
	return nil
}

// keep keeps for the record what is never sent back.
func (a *assembly) keep(kind string, data []byte) {
	if kind != "citations" {
		a.p.client.Notice(kind, model.Clip(string(data), 200))
	}
	if len(a.kept) >= maxKept || len(data) > maxPart || !json.Valid(data) {
		return
	}
	part, err := json.Marshal(struct {
		Provider string          `json:"provider"`
		Kind     string          `json:"kind"`
		Data     json.RawMessage `json:"data"`
	}{providerName, kind, data})
	if err == nil {
		a.kept = append(a.kept, part)
	}
}
