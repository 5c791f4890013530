package gemini

import (
	"bytes"
	"encoding/json"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// Bounds of one answer (models spec §5, D24).
const (
	maxCalls     = 128
	maxArguments = 4 << 20  // bytes, of all calls together
	maxKept      = 16       // parts and events that nobody understands
	maxKeptBytes = 64 << 10 // of one of them
)

// assembly puts one answer together.
type assembly struct {
	p         *Provider
	preview   func(model.Delta) // may be nil
	segments  []*segment        // in order of the answer
	reasoning wire.Joined
	calls     int
	arguments int // bytes
	kept      int
	usage     *usage
	id, model string
	finish    string
	why       string // what the server says of the finish
	done      bool   // the server said that the stream is over
}

// segment is a part of the answer: neighbouring texts without signatures are one.
type segment struct {
	kind      string // of a native part
	text      wire.Joined
	signature json.RawMessage // a JSON string; nil: none
	call      model.AnswerCall
	data      json.RawMessage // of parts and events that nobody understands
}

func newAssembly(p *Provider, preview func(model.Delta)) *assembly {
	return &assembly{p: p, preview: preview}
}

// Event implements [wire.Assembly].
func (a *assembly) Event(ev model.Event) (bool, error) {
	data := bytes.TrimSpace(ev.Data)
	switch {
	case string(data) == "[DONE]":
		if a.finish == "" {
			return false, wire.Incomplete("the stream was ended without a finish reason", nil)
		}
		a.done = true
		return false, nil
	case len(data) == 0 || ev.Name == "ping":
		return false, nil
	case ev.Name == "error":
		return false, model.Classify(model.Reply{Body: data})
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		if ev.Last {
			return false, wire.Incomplete("the stream broke off inside an event", nil)
		}
		return false, wire.Invalid("an event is no JSON of an answer: "+model.Clip(string(data), 200), err)
	}
	return a.chunk(&c, data, ev.Name)
}

// Whole implements [wire.Assembly]. A list holds the pieces of a stream that was not sent
// as events.
func (a *assembly) Whole(data []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		for _, piece := range list {
			if _, err := a.Event(model.Event{Data: piece}); err != nil {
				return err
			}
		}
		return nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return wire.Invalid("the body is no JSON of an answer: "+model.Clip(string(data), 200), err)
	}
	if _, err := a.chunk(&c, data, ""); err != nil {
		return err
	}
	if len(c.Candidates) == 0 {
		return wire.Invalid("the body has no candidate: "+model.Clip(string(data), 200), nil)
	}
	if a.finish == "" { // a body is whole by its syntax
		a.finish = "STOP"
	}
	return nil
}

// chunk takes a piece of the stream, or all of it.
func (a *assembly) chunk(c *chunk, data []byte, event string) (content bool, err error) {
	if !wire.None(c.Error) {
		return false, model.Classify(model.Reply{Body: data})
	}
	if c.empty() {
		if event == "" {
			event = "chunk"
		}
		a.keep(kindEvent, "event:"+event, data)
		return false, nil
	}
	if c.ID != "" {
		a.id = string(c.ID)
	}
	if c.Model != "" {
		a.model = string(c.Model)
	}
	if c.Usage != nil {
		a.usage = c.Usage
	}
	if c.Feedback != nil && c.Feedback.Reason != "" && len(c.Candidates) == 0 && len(a.segments) == 0 {
		return false, filtered("the server refuses the request", string(c.Feedback.Reason), string(c.Feedback.Message))
	}
	for i := range c.Candidates {
		ch := &c.Candidates[i]
		if n := ch.Index.N; n != 0 || !ch.Index.Set && i > 0 {
			a.p.client.Notice("candidate", "the server sent more than one candidate; the first one counts")
			continue
		}
		if ch.Content != nil {
			for _, raw := range ch.Content.Parts {
				some, err := a.part(raw)
				if err != nil {
					return false, err
				}
				content = content || some
			}
		}
		if ch.Finish != "" {
			a.finish, a.why = string(ch.Finish), string(ch.Message)
			content = true
		}
	}
	return content, nil
}

// part takes one part and says whether it brought anything.
func (a *assembly) part(raw json.RawMessage) (bool, error) {
	var in part
	if err := json.Unmarshal(raw, &in); err != nil {
		return false, wire.Invalid("a part of the answer is none: "+model.Clip(string(raw), 200), err)
	}
	in.Signature = signature(in.Signature)
	isText := len(in.Text) > 0 && in.Text[0] == '"'
	switch {
	case in.Call != nil:
		return true, a.call(&in)
	case string(in.Thought) == "true" && isText:
		if len(in.Text) > 2 {
			a.reasoning.Add(in.Text)
			if a.preview != nil {
				a.preview(model.Delta{Reasoning: wire.Decode(in.Text)})
			}
		}
		if in.Signature != nil {
			a.keep(kindOpaque, "", raw)
		}
		return len(in.Text) > 2, nil
	case isText, in.Signature != nil && kindOf(raw) == "part":
		a.text(in.Text, in.Signature)
		return len(in.Text) > 2, nil
	}
	a.keep(kindOpaque, kindOf(raw), raw)
	return false, nil
}

// signature gives a signature in the form that a journal gives back; nil when it is none.
func signature(raw json.RawMessage) json.RawMessage {
	if len(raw) <= 2 || raw[0] != '"' {
		return nil
	}
	out, err := json.Marshal(raw)
	if err != nil {
		return nil
	}
	return out
}

// text takes a piece of text. One with a signature is never joined with another.
func (a *assembly) text(raw, signature json.RawMessage) {
	if len(raw) > 2 && a.preview != nil {
		a.preview(model.Delta{Text: wire.Decode(raw)})
	}
	if signature == nil {
		if len(raw) <= 2 {
			return
		}
		if n := len(a.segments); n > 0 && a.segments[n-1].kind == kindText && a.segments[n-1].signature == nil {
			a.segments[n-1].text.Add(raw)
			return
		}
	}
	s := &segment{kind: kindText, signature: signature}
	s.text.Add(raw)
	a.segments = append(a.segments, s)
}

func (a *assembly) call(in *part) error {
	f := in.Call
	switch a.arguments += len(f.Args); {
	case f.pieces():
		return wire.Invalid("the arguments of a call come in pieces, which was not asked for", nil)
	case f.Name == "":
		return wire.Invalid("a call has no name", nil)
	case a.calls == maxCalls:
		return wire.TooLarge("more than 128 calls")
	case a.arguments > maxArguments || len(f.Name) > 4096:
		return wire.TooLarge("arguments above 4 MiB")
	}
	c := model.AnswerCall{ProviderID: string(f.ID), Name: string(f.Name)}
	if !wire.None(f.Args) {
		c.Args = f.Args
		if a.preview != nil {
			args := string(f.Args)
			if args[0] == '"' {
				args = wire.Decode(f.Args)
			}
			a.preview(model.Delta{Call: a.calls, Args: args})
		}
	}
	a.calls++
	a.segments = append(a.segments, &segment{kind: kindCall, signature: in.Signature, call: c})
	return nil
}

// keep keeps what nobody here understands: a part to send it back, an event for the record.
// A name is of what is to be said.
func (a *assembly) keep(kind, name string, raw []byte) {
	if name != "" {
		a.p.client.Notice(name, model.Clip(string(raw), 200))
	}
	data, err := json.Marshal(json.RawMessage(raw)) // in the form that a journal gives back
	if err != nil || len(data) > maxKeptBytes || a.kept == maxKept {
		return
	}
	a.kept++
	a.segments = append(a.segments, &segment{kind: kind, data: data})
}

// Spent implements [wire.Assembly].
func (a *assembly) Spent() journal.Usage {
	if a.usage == nil || a.usage.Prompt.N == nil && a.usage.Candidates.N == nil {
		return journal.Usage{}
	}
	return a.usage.canonical()
}

// Over implements [wire.Assembly].
func (a *assembly) Over() bool { return a.done }

// Complete implements [wire.Assembly].
func (a *assembly) Complete() bool { return a.finish != "" }
