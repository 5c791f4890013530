package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// Answer implements [wire.Assembly].
func (a *assembly) Answer() (*model.Answer, error) {
	out := &model.Answer{Usage: sum(a.spent, a.usage.canonical()), Model: a.model, ID: a.id}
	var text, reasoning strings.Builder
	for _, b := range a.blocks {
		switch b.kind {
		case kindText:
			text.WriteString(b.text.Text())
		case kindCall:
			if b.name == "" {
				return nil, wire.Invalid("a call has no name", nil)
			}
			out.Calls = append(out.Calls, b.answer())
		default:
			if thought := b.text.Text(); thought != "" {
				if reasoning.Len() > 0 {
					reasoning.WriteByte('\n')
				}
				reasoning.WriteString(thought)
			}
			if part := a.part(b, text.Len()); part != nil {
				out.Native = append(out.Native, part)
			}
		}
	}
	out.Text, out.Reasoning = text.String(), reasoning.String()
	out.Native = append(out.Native, a.kept...)
	out.Finish = a.reason()
	switch {
	case a.paused():
	case out.Finish == model.FinishFilter:
		return nil, &model.Error{Class: model.ClassFilter, Code: "model.content_filter", Detail: "the model's safety rules ended the answer"}
	case out.Finish == model.FinishOverflow:
		return nil, &model.Error{Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "the model's window was full before the answer was complete"}
	case a.calls == 0 && blank(out.Text) && out.Finish != model.FinishLength:
		return nil, &model.Error{Class: model.ClassTransient, Code: "model.empty_answer", Detail: "an answer without text and without calls"}
	}
	return out, nil
}

// part makes the native part of a block behind so many bytes of text, nil for none. What a
// server began and did not end before the last pause is not sent back.
func (a *assembly) part(b *block, text int) json.RawMessage {
	if a.stop == stopPaused && a.last && !isThinking(b.kind) {
		a.keep("paused:"+b.kind, b.start)
		return nil
	}
	data := b.data()
	if data == nil {
		if b.kind != kindThinking { // its text is kept as reasoning
			a.keep("part:"+b.kind, b.start)
		}
		return nil
	}
	return a.p.part(b.kind, native{text: text, calls: b.call, data: data})
}

// reason gives the canonical finish reason. That there are calls decides between stop and
// calls, not what the server says.
func (a *assembly) reason() model.Finish {
	switch a.stop {
	case "max_tokens":
		return model.FinishLength
	case "refusal":
		return model.FinishFilter
	case "model_context_window_exceeded":
		return model.FinishOverflow
	case stopPaused:
		if a.calls == 0 {
			break
		}
		return model.FinishCalls
	case "end_turn", "stop_sequence", "tool_use":
		if a.calls > 0 {
			return model.FinishCalls
		}
		return model.FinishStop
	}
	if !a.paused() {
		a.p.client.Notice("finish:"+a.stop, "unknown finish reason")
	}
	return model.Finish("unknown:" + model.Clip(a.stop, 64))
}

// tail gives what has come before a pause as a message, whose end may not be white space.
func (a *assembly) tail(so *model.Answer) *model.Message {
	m := &model.Message{Role: model.Assistant, Text: so.Text, Native: so.Native}
	if n := len(a.blocks); n > 0 && a.blocks[n-1].kind == kindText {
		m.Text = strings.TrimRight(m.Text, " \t\r\n")
	}
	return m
}
