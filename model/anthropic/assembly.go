package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// Bounds of one answer (models spec §5, D24; the last two of this house).
const (
	maxCalls     = 128
	maxArguments = 4 << 20 // bytes, of all calls together
	maxBlocks    = 1024
	maxKept      = 16       // parts that are kept for the record only
	maxPart      = 64 << 10 // bytes of one of them
)

// stopPaused is the stop reason of a turn that goes on in a further request.
const stopPaused = "pause_turn"

// assembly puts one answer together, over all requests of a turn that was paused.
type assembly struct {
	p       *Provider
	preview func(model.Delta) // may be nil
	last    bool              // a pause now ends the answer

	blocks    []*block
	from      int // the first block of this request
	calls     int
	arguments int               // bytes
	kept      []json.RawMessage // for the record only
	spent     journal.Usage     // of the requests before this one
	usage     usage             // of this one
	id, model string
	stop      string
	done      bool // the server said that the stream is over
	thought   bool // thinking came
}

func newAssembly(p *Provider, preview func(model.Delta)) *assembly {
	return &assembly{p: p, preview: preview}
}

// goOn makes the assembly ready for the request that follows a pause.
func (a *assembly) goOn() {
	a.spent = sum(a.spent, a.usage.canonical())
	a.usage, a.stop, a.done, a.from = usage{}, "", false, len(a.blocks)
}

// paused says whether the turn goes on in a further request.
func (a *assembly) paused() bool { return a.stop == stopPaused && a.calls == 0 && !a.last }

// Event implements [wire.Assembly].
func (a *assembly) Event(ev model.Event) (bool, error) {
	data := bytes.TrimSpace(ev.Data)
	switch {
	case string(data) == "[DONE]": // of servers that speak other forms too
		return false, a.end()
	case len(data) == 0 || ev.Name == "ping":
		return false, nil
	case ev.Name == "error":
		return false, model.Classify(model.Reply{Body: data})
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		if ev.Last {
			return false, wire.Incomplete("the stream broke off inside an event", nil)
		}
		return false, wire.Invalid("an event is no JSON of the Messages form: "+model.Clip(string(data), 200), err)
	}
	if e.Type == "error" || !wire.None(e.Error) {
		return false, model.Classify(model.Reply{Body: data})
	}
	kind := string(e.Type)
	if kind == "" {
		kind = ev.Name
	}
	return a.event(kind, &e, data)
}

func (a *assembly) event(kind string, e *event, data []byte) (content bool, err error) {
	switch kind {
	case "ping", "content_block_stop": // a block ends with its answer
	case "message_start":
		if e.Message != nil {
			a.head(e.Message)
		}
	case "content_block_start":
		return true, a.open(e.Index, e.Block)
	case "content_block_delta":
		return a.delta(e.Index, e.Delta, data)
	case "message_delta":
		a.usage.merge(e.Usage)
		var d delta
		if !wire.None(e.Delta) && json.Unmarshal(e.Delta, &d) == nil && d.StopReason != "" {
			a.stop = string(d.StopReason)
			return true, nil
		}
	case "message_stop":
		return false, a.end()
	default:
		if kind == "" {
			kind = "unnamed"
		}
		a.keep("event:"+kind, data)
	}
	return false, nil
}

// end takes the server's word that the stream is over.
func (a *assembly) end() error {
	if a.stop == "" {
		return wire.Incomplete("the stream was ended without a stop reason", nil)
	}
	a.done = true
	return nil
}

func (a *assembly) head(m *message) {
	if m.ID != "" {
		a.id = string(m.ID)
	}
	if m.Model != "" {
		a.model = string(m.Model)
	}
	if m.StopReason != "" {
		a.stop = string(m.StopReason)
	}
	a.usage.merge(m.Usage)
}

// Whole implements [wire.Assembly].
func (a *assembly) Whole(data []byte) error {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return wire.Invalid("the body is no JSON of a message: "+model.Clip(string(data), 200), err)
	}
	if m.Type == "error" || !wire.None(m.Error) {
		return model.Classify(model.Reply{Body: data})
	}
	var blocks []json.RawMessage
	if wire.None(m.Content) || json.Unmarshal(m.Content, &blocks) != nil {
		return wire.Invalid("the body has no list of content: "+model.Clip(string(data), 200), nil)
	}
	a.head(&m)
	for _, raw := range blocks {
		if err := a.open(wire.Index{}, raw); err != nil {
			return err
		}
	}
	if a.stop == "" { // a body is whole by its syntax
		a.stop = "end_turn"
	}
	return nil
}

// open begins a block, with what it brings already.
func (a *assembly) open(index wire.Index, raw json.RawMessage) error {
	var c content
	if json.Unmarshal(raw, &c) != nil || c.Type == "" {
		return wire.Invalid("a block of content has no type: "+model.Clip(string(raw), 200), nil)
	}
	if len(a.blocks) == maxBlocks {
		return wire.TooLarge("more than 1024 blocks")
	}
	b := &block{index: index, kind: string(c.Type), start: raw, call: a.calls}
	a.blocks = append(a.blocks, b)
	switch b.kind {
	case kindText:
		a.addText(b, c.Text)
		if !wire.None(c.Citations) && len(c.Citations) > 2 {
			a.keep("citations", c.Citations)
		}
	case kindThinking:
		a.addThinking(b, c.Thinking)
		b.signature.Add(c.Signature)
	case kindRedacted:
	case kindCall:
		if a.calls++; a.calls > maxCalls {
			return wire.TooLarge("more than 128 calls")
		}
		b.id, b.name = string(c.ID), string(c.Name)
		if !wire.None(c.Input) {
			b.input = c.Input
		}
		if string(c.Input) != "{}" { // which stands for the pieces that follow
			return a.count(b, c.Input)
		}
	default:
		a.p.client.Notice("block:"+b.kind, model.Clip(string(raw), 200))
	}
	return nil
}

// delta takes a piece of a block.
func (a *assembly) delta(index wire.Index, raw json.RawMessage, whole []byte) (bool, error) {
	var d delta
	if json.Unmarshal(raw, &d) != nil {
		return false, wire.Invalid("a delta is no object: "+model.Clip(string(raw), 200), nil)
	}
	b := a.find(index, string(d.Type))
	if b == nil {
		switch d.Type {
		case "text_delta", "citations_delta":
			b = &block{index: index, kind: kindText, call: a.calls, start: json.RawMessage(`{"type":"text"}`)}
		case "thinking_delta", "signature_delta":
			b = &block{index: index, kind: kindThinking, call: a.calls, start: json.RawMessage(`{"type":"thinking"}`)}
		case "input_json_delta":
			return false, wire.Invalid("arguments of a call that did not begin", nil)
		default:
			a.keep("delta:"+string(d.Type), whole)
			return false, nil
		}
		a.p.client.Notice("block_without_start", "a block came without its beginning")
		if len(a.blocks) == maxBlocks {
			return false, wire.TooLarge("more than 1024 blocks")
		}
		a.blocks = append(a.blocks, b)
	}
	switch d.Type {
	case "text_delta":
		return a.addText(b, d.Text), nil
	case "thinking_delta":
		return a.addThinking(b, d.Thinking), nil
	case "signature_delta":
		return b.signature.Add(d.Signature), nil
	case "input_json_delta":
		b.addInput(d.PartialJSON)
		return true, a.count(b, d.PartialJSON)
	case "citations_delta":
		a.keep("citations", d.Citation)
	default:
		b.strange = true
		a.keep("delta:"+string(d.Type), whole)
	}
	return false, nil
}

// find gives the block that a delta belongs to, nil for none: the last one of its index, or
// without an index the last one, that takes such a delta.
func (a *assembly) find(index wire.Index, deltaType string) *block {
	for i := len(a.blocks) - 1; i >= a.from; i-- {
		if b := a.blocks[i]; (!index.Set || b.index == index) && b.takes(deltaType) {
			return b
		}
	}
	return nil
}

// Spent implements [wire.Assembly]: of all requests of the turn.
func (a *assembly) Spent() journal.Usage {
	if a.usage.Input.N == nil && a.usage.Output.N == nil {
		return a.spent
	}
	return sum(a.spent, a.usage.canonical())
}

// Over implements [wire.Assembly].
func (a *assembly) Over() bool { return a.done }

// Complete implements [wire.Assembly].
func (a *assembly) Complete() bool { return a.stop != "" }
