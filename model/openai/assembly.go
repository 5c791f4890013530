package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

const (
	maxNative = 16       // unknown parts that are kept
	maxPart   = 64 << 10 // bytes of one of them
)

// assembly puts one answer together.
type assembly struct {
	p         *Provider
	preview   func(model.Delta) // may be nil
	text      wire.Joined
	refusal   wire.Joined
	reasoning wire.Joined
	slots     slots
	native    []json.RawMessage
	usage     *usage
	id, model string
	finish    string
	done      bool // the server said that the stream is over
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
		return false, wire.Invalid("an event is no JSON of a completion: "+model.Clip(string(data), 200), err)
	}
	if !wire.None(c.Error) {
		return false, model.Classify(model.Reply{Body: data})
	}
	if c.Choices == nil && c.Usage == nil {
		kind := ev.Name
		if kind == "" {
			kind = "chunk"
		}
		a.keep("event:"+kind, data)
		return false, nil
	}
	return a.chunk(&c)
}

// chunk takes a piece of the stream.
func (a *assembly) chunk(c *chunk) (content bool, err error) {
	a.head(c)
	for i := range c.Choices {
		ch := &c.Choices[i]
		if ch.Index.N != 0 {
			a.p.client.Notice("choice", "the server sent more than one choice; the first one counts")
			continue
		}
		m, whole := ch.Delta, false
		if m == nil && ch.Message != nil && len(a.slots.all) == 0 && len(a.text.Raw()) == 0 {
			m, whole = ch.Message, true
		}
		if m != nil {
			some, err := a.message(m, whole)
			if err != nil {
				return false, err
			}
			content = content || some
		}
		if ch.Finish != "" {
			a.finish = string(ch.Finish)
			content = true
		}
	}
	return content, nil
}

func (a *assembly) head(c *chunk) {
	if c.ID != "" {
		a.id = string(c.ID)
	}
	if c.Model != "" {
		a.model = string(c.Model)
	}
	if c.Usage != nil {
		a.usage = c.Usage
	}
}

// Whole implements [wire.Assembly].
func (a *assembly) Whole(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return wire.Invalid("the body is no JSON of a completion: "+model.Clip(string(data), 200), err)
	}
	if !wire.None(c.Error) {
		return model.Classify(model.Reply{Body: data})
	}
	if len(c.Choices) == 0 || c.Choices[0].Message == nil {
		return wire.Invalid("the body has no choice with a message: "+model.Clip(string(data), 200), nil)
	}
	if _, err := a.chunk(&c); err != nil {
		return err
	}
	if a.finish == "" { // a body is whole by its syntax
		a.finish = "stop"
	}
	return nil
}

// message takes a message or a piece of one and says whether it brought anything.
func (a *assembly) message(m *message, whole bool) (bool, error) {
	content := a.content(m.Content)
	if a.refusal.Add(m.Refusal) && len(m.Refusal) > 2 {
		content = true
	}
	for _, raw := range []json.RawMessage{m.ReasoningContent, m.Reasoning} {
		if len(raw) > 2 && a.reasoning.Add(raw) {
			content = true
			if a.preview != nil {
				a.preview(model.Delta{Reasoning: wire.Decode(raw)})
			}
			break // servers that send both send the same twice
		}
	}
	for i := range m.ToolCalls {
		t := &m.ToolCalls[i]
		if t.Function == nil {
			t.Function = new(function)
			if t.Type != "" && t.Type != "function" {
				part, _ := json.Marshal(m.ToolCalls[i])
				a.keep("call:"+string(t.Type), part)
				continue
			}
		}
		some, err := a.call(piece{t.Index, string(t.ID), string(t.Function.Name), t.Function.Arguments}, whole)
		if err != nil {
			return false, err
		}
		content = content || some
	}
	if f := m.FunctionCall; f != nil {
		some, err := a.call(piece{name: string(f.Name), args: f.Arguments}, whole)
		if err != nil {
			return false, err
		}
		content = content || some
	}
	return content, nil
}

func (a *assembly) call(c piece, whole bool) (bool, error) {
	at, err := a.slots.add(c, whole)
	if err != nil || at < 0 {
		return false, err
	}
	if a.preview != nil && !wire.None(c.args) {
		args := string(c.args)
		if c.args[0] == '"' {
			args = wire.Decode(c.args)
		}
		a.preview(model.Delta{Call: at, Args: args})
	}
	return true, nil
}

// content takes text, which some servers send as a list of parts.
func (a *assembly) content(raw json.RawMessage) bool {
	if wire.None(raw) {
		return false
	}
	if a.text.Add(raw) {
		if a.preview != nil && len(raw) > 2 {
			a.preview(model.Delta{Text: wire.Decode(raw)})
		}
		return len(raw) > 2
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		a.keep("content", raw)
		return false
	}
	some := false
	for _, part := range parts {
		var p struct {
			Type wire.Loose      `json:"type"`
			Text json.RawMessage `json:"text"`
		}
		if json.Unmarshal(part, &p) == nil && len(p.Text) > 0 && p.Text[0] == '"' {
			some = a.content(p.Text) || some
			continue
		}
		a.keep("part:"+string(p.Type), part)
	}
	return some
}

// keep keeps what nobody here understands, for the record.
func (a *assembly) keep(kind string, data []byte) {
	a.p.client.Notice(kind, model.Clip(string(data), 200))
	if len(a.native) >= maxNative || len(data) > maxPart || !json.Valid(data) {
		return
	}
	part, err := json.Marshal(nativePart{providerName, kind, data})
	if err == nil {
		a.native = append(a.native, part)
	}
}

// Spent implements [wire.Assembly].
func (a *assembly) Spent() journal.Usage {
	if a.usage == nil || a.usage.Prompt.N == nil && a.usage.Completion.N == nil {
		return journal.Usage{}
	}
	return a.usage.canonical()
}

// Over implements [wire.Assembly].
func (a *assembly) Over() bool { return a.done }

// Complete implements [wire.Assembly].
func (a *assembly) Complete() bool { return a.finish != "" }

// Answer implements [wire.Assembly].
func (a *assembly) Answer() (*model.Answer, error) {
	out := &model.Answer{Text: a.text.Text(), Reasoning: a.reasoning.Text(), Native: a.native,
		Usage: a.usage.canonical(), Model: a.model, ID: a.id}
	if out.Text == "" {
		out.Text = a.refusal.Text()
	}
	if a.p.quirks.ReasoningField == "think" {
		out.Text, out.Reasoning = splitThinking(out.Text, out.Reasoning)
	}
	if a.p.quirks.ReplayReasoning && out.Reasoning != "" {
		out.Native = append(out.Native, reasoningPart(out.Reasoning))
	}
	for _, sl := range a.slots.all {
		if sl.name == "" {
			return nil, wire.Invalid("a call has no name", nil)
		}
		out.Calls = append(out.Calls, sl.call())
	}
	out.Finish = a.reason(len(out.Calls) > 0)
	switch {
	case out.Finish == model.FinishFilter:
		return nil, &model.Error{Class: model.ClassFilter, Code: "model.content_filter", Detail: "the server's content filter ended the answer"}
	case len(out.Calls) == 0 && strings.TrimSpace(out.Text) == "" && out.Finish != model.FinishLength:
		return nil, &model.Error{Class: model.ClassTransient, Code: "model.empty_answer", Detail: "an answer without text and without calls"}
	}
	return out, nil
}

// reason gives the canonical finish reason. That there are calls decides between stop and
// calls, not what the server says.
func (a *assembly) reason(calls bool) model.Finish {
	switch a.finish {
	case "length":
		return model.FinishLength
	case "content_filter":
		return model.FinishFilter
	case "stop", "tool_calls", "function_call":
		if calls {
			return model.FinishCalls
		}
		return model.FinishStop
	}
	a.p.client.Notice("finish:"+a.finish, "unknown finish reason")
	return model.Finish("unknown:" + model.Clip(a.finish, 64))
}

// splitThinking takes a <think> element off the start of a text.
func splitThinking(text, reasoning string) (string, string) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \r\n\t"), "<think>")
	if !ok {
		return text, reasoning
	}
	thought, rest, ok := strings.Cut(rest, "</think>")
	if !ok {
		return text, reasoning
	}
	if reasoning != "" {
		reasoning += "\n"
	}
	return strings.TrimLeft(rest, " \r\n\t"), reasoning + strings.TrimSpace(thought)
}
