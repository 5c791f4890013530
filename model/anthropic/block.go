package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// Kinds of blocks. All others are kept as they are and sent back.
const (
	kindText     = "text"
	kindThinking = "thinking"
	kindRedacted = "redacted_thinking"
	kindCall     = "tool_use"
)

// block is a block of an answer that is coming in pieces. Its beginning always opens a new
// one, whatever index or id it has.
type block struct {
	index wire.Index
	kind  string
	start json.RawMessage // the block as it began

	text      wire.Joined // of text and of thinking
	signature wire.Joined

	id, name string
	call     int             // position among the calls
	input    json.RawMessage // that came as one value; nil: none
	args     wire.Joined     // pieces that came as text
	texted   bool            // a piece of text came, even an empty one
	strange  bool            // a piece came that nobody here understands
}

// takes says whether a delta of a type belongs to a block of this kind.
func (b *block) takes(deltaType string) bool {
	switch deltaType {
	case "text_delta", "citations_delta":
		return b.kind == kindText
	case "thinking_delta", "signature_delta":
		return b.kind == kindThinking
	case "input_json_delta":
		return b.kind != kindText && b.kind != kindThinking && b.kind != kindRedacted
	}
	return true
}

// addInput takes a piece of the input of a call.
func (b *block) addInput(raw json.RawMessage) {
	switch {
	case wire.None(raw):
	case raw[0] == '"':
		b.args.Add(raw)
		b.texted = true
	case b.input == nil && len(b.args.Raw()) == 0:
		b.input = raw
	default: // a second value: all of it is kept, as a text that is no JSON
		text, _ := json.Marshal(string(raw))
		b.args.Add(text)
		b.texted = true
	}
}

// arguments gives the input as it arrived: the pieces, else the value of the beginning,
// which is an empty object where pieces follow. Both together are kept as a text that is
// no JSON.
func (b *block) arguments() json.RawMessage {
	switch {
	case len(b.args.Raw()) == 0 && b.input != nil:
		return b.input
	case !b.texted:
		return nil
	case b.input == nil || string(b.input) == "{}" || string(b.input) == `""`:
		return b.args.JSON()
	}
	whole := b.args
	if b.input[0] == '"' {
		whole.Prepend(b.input)
	} else {
		text, _ := json.Marshal(string(b.input))
		whole.Prepend(text)
	}
	return whole.JSON()
}

// answer gives the call as it arrived.
func (b *block) answer() model.AnswerCall {
	return model.AnswerCall{ProviderID: b.id, Name: b.name, Args: b.arguments()}
}

// data gives the whole block as it is sent back, nil when it cannot be.
func (b *block) data() json.RawMessage {
	var whole map[string]any
	d := json.NewDecoder(bytes.NewReader(b.start))
	d.UseNumber()
	if b.strange || d.Decode(&whole) != nil || whole == nil {
		return nil
	}
	whole["type"] = b.kind
	switch b.kind {
	case kindRedacted:
		if s, ok := whole["data"].(string); !ok || s == "" {
			return nil
		}
	case kindThinking:
		signature := b.signature.Text()
		if signature == "" { // it was cut, or the server does not sign: it is never replayed
			return nil
		}
		whole["thinking"], whole["signature"] = b.text.Text(), signature
	}
	if len(b.args.Raw()) > 0 {
		whole["input"] = json.RawMessage(wire.Decode(b.arguments()))
	}
	out, err := json.Marshal(whole)
	if err != nil { // the input is no JSON
		return nil
	}
	return out
}
