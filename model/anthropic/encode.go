package anthropic

import (
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// encode gives the body of a request. What does not change within an invocation comes
// first, the messages last: without its marks the body is append-only from turn to turn.
// The tail, which may be nil, is what the model has said before a pause of this turn.
func (p *Provider) encode(req *model.Request, tail *model.Message, pics model.Pictures) []byte {
	w := p.wishes(req)
	b := make([]byte, 0, size(req, tail, pics))
	b = append(b, `{"model":`...)
	b = wire.AppendString(b, req.Model)
	b = append(b, `,"max_tokens":`...)
	b = strconv.AppendInt(b, int64(w.maxOutput), 10)
	if p.client.Stream() {
		b = append(b, `,"stream":true`...)
	}
	switch {
	case w.thinking.effort != "":
		b = append(b, `,"thinking":{"type":"adaptive"},"output_config":{"effort":"`...)
		b = append(b, w.thinking.effort...)
		b = append(b, `"}`...)
	case w.thinking.budget > 0:
		b = append(b, `,"thinking":{"type":"enabled","budget_tokens":`...)
		b = strconv.AppendInt(b, int64(w.thinking.budget), 10)
		b = append(b, '}')
	}
	b = wire.AppendFloat(b, "temperature", w.temperature)
	b = wire.AppendFloat(b, "top_p", w.topP)
	for i, s := range req.Stop {
		if i == 0 {
			b = append(b, `,"stop_sequences":[`...)
		} else {
			b = append(b, ',')
		}
		b = wire.AppendString(b, s)
		if i == len(req.Stop)-1 {
			b = append(b, ']')
		}
	}
	system := !blank(req.System)
	b = p.appendTools(b, req, !system)
	switch w.choice.Mode {
	case "none":
		b = append(b, `,"tool_choice":{"type":"none"}`...)
	case "required":
		b = append(b, `,"tool_choice":{"type":"any"}`...)
	case "specific":
		b = append(b, `,"tool_choice":{"type":"tool","name":`...)
		b = wire.AppendString(b, w.choice.Name)
		b = append(b, '}')
	}
	if system {
		b = append(b, `,"system":[{"type":"text","text":`...)
		b = wire.AppendString(b, req.System)
		b = p.mark(append(b, '}'))
		b = append(b, ']')
	}
	b = append(b, `,"messages":[`...)
	return p.appendMessages(b, req.Messages, tail, pics)
}

// size is about how long the body will be.
func size(req *model.Request, tail *model.Message, pics model.Pictures) int {
	n := 1024 + len(req.System)
	for i := range req.Tools {
		n += 128 + len(req.Tools[i].Description) + len(req.Tools[i].Schema)
	}
	for i := range req.Messages {
		n += messageSize(&req.Messages[i]) + pics.Size(&req.Messages[i])
	}
	if tail != nil {
		n += messageSize(tail)
	}
	return n + n/16 // escapes
}

func messageSize(m *model.Message) int {
	n := 64 + len(m.Text)
	for j := range m.Calls {
		n += 128 + len(m.Calls[j].Args)
	}
	for j := range m.Results {
		n += 128 + len(m.Results[j].Text)
	}
	for _, part := range m.Native {
		n += len(part)
	}
	return n
}

// appendTools writes the tools; the last one ends the stable front when nothing follows.
func (p *Provider) appendTools(b []byte, req *model.Request, end bool) []byte {
	tools := req.Tools
	schemas := p.schemas.Of(req.ToolsHash, tools, p.client.LessSchema)
	for i := range tools {
		t := &tools[i]
		if i == 0 {
			b = append(b, `,"tools":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = wire.AppendString(b, t.Name)
		if !blank(t.Description) {
			b = append(b, `,"description":`...)
			b = wire.AppendString(b, t.Description)
		}
		b = append(b, `,"input_schema":`...)
		b = append(b, schemas[i]...)
		b = append(b, '}')
		if i == len(tools)-1 {
			if end {
				b = p.mark(b)
			}
			b = append(b, ']')
		}
	}
	return b
}

// mark marks the block or tool that b ends in as one up to which the service caches.
func (p *Provider) mark(b []byte) []byte {
	if p.cacheMark == "" {
		return b
	}
	return append(append(b[:len(b)-1], p.cacheMark...), '}')
}

// blank says whether a text is empty or only white space, which the service refuses in
// blocks of text.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
