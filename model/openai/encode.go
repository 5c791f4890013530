package openai

import (
	"strconv"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// encode gives the body of a request. What does not change within an invocation comes
// first, the messages last: the body is append-only from turn to turn.
func (p *Provider) encode(req *model.Request, pics model.Pictures) []byte {
	b := make([]byte, 0, size(req, pics))
	b = append(b, `{"model":`...)
	b = wire.AppendString(b, req.Model)
	if p.client.Stream() {
		b = append(b, `,"stream":true`...)
		if p.streamUsage {
			b = append(b, `,"stream_options":{"include_usage":true}`...)
		}
	}
	if req.MaxOutput > 0 {
		b = append(b, ',', '"')
		b = append(b, p.quirks.MaxTokensField...)
		b = append(b, '"', ':')
		b = strconv.AppendInt(b, int64(req.MaxOutput), 10)
	}
	if p.effort != "" {
		b = append(b, `,"reasoning_effort":"`...)
		b = append(b, p.effort...)
		b = append(b, '"')
	}
	b = wire.AppendFloat(b, "temperature", req.Temperature)
	b = wire.AppendFloat(b, "top_p", req.TopP)
	for i, s := range req.Stop {
		if i == 0 {
			b = append(b, `,"stop":[`...)
		} else {
			b = append(b, ',')
		}
		b = wire.AppendString(b, s)
		if i == len(req.Stop)-1 {
			b = append(b, ']')
		}
	}
	b = p.appendTools(b, req)
	b = append(b, `,"messages":[`...)
	if req.System != "" {
		b = append(b, `{"role":"`...)
		b = append(b, p.quirks.SystemRole...)
		b = append(b, `","content":`...)
		b = wire.AppendString(b, req.System)
		b = append(b, `},`...)
	}
	for i := range req.Messages {
		b = p.appendMessage(b, &req.Messages[i], pics)
	}
	return append(b[:len(b)-1], `]}`...) // each message ends in a comma
}

// size is about how long the body will be.
func size(req *model.Request, pics model.Pictures) int {
	n := 512 + len(req.System)
	for i := range req.Tools {
		n += 128 + len(req.Tools[i].Description) + len(req.Tools[i].Schema)
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		n += 64 + len(m.Text) + pics.Size(m)
		for j := range m.Calls {
			n += 128 + len(m.Calls[j].Args)
		}
		for j := range m.Results {
			n += 96 + len(m.Results[j].Text)
		}
	}
	return n + n/16 // escapes
}

func (p *Provider) appendTools(b []byte, req *model.Request) []byte {
	if len(req.Tools) == 0 {
		return b
	}
	if v := p.quirks.ParallelField; v != nil {
		b = append(b, `,"parallel_tool_calls":`...)
		b = strconv.AppendBool(b, *v)
	}
	schemas := p.schemas.Of(req.ToolsHash, req.Tools, p.client.LessSchema)
	b = append(b, `,"tools":[`...)
	for i := range req.Tools {
		t := &req.Tools[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"type":"function","function":{"name":`...)
		b = wire.AppendString(b, t.Name)
		if t.Description != "" {
			b = append(b, `,"description":`...)
			b = wire.AppendString(b, t.Description)
		}
		b = append(b, `,"parameters":`...)
		b = append(b, schemas[i]...)
		b = append(b, `}}`...)
	}
	b = append(b, ']')
	switch req.Choice.Mode {
	case "none", "required":
		b = append(b, `,"tool_choice":"`...)
		b = append(b, req.Choice.Mode...)
		b = append(b, '"')
	case "specific":
		b = append(b, `,"tool_choice":{"type":"function","function":{"name":`...)
		b = wire.AppendString(b, req.Choice.Name)
		b = append(b, `}}`...)
	}
	return b
}

// appendMessage writes a message, or one for each result and one for their images, each with
// a comma behind.
func (p *Provider) appendMessage(b []byte, m *model.Message, pics model.Pictures) []byte {
	switch m.Role {
	case model.Tool:
		for i := range m.Results {
			r := &m.Results[i]
			b = append(b, `{"role":"tool","tool_call_id":`...)
			b = wire.AppendString(b, p.callID(r.Key))
			b = append(b, `,"content":`...)
			b = wire.AppendString(b, r.Text)
			b = append(b, `},`...)
		}
		return appendShown(b, m, pics)
	case model.Assistant:
		b = append(b, `{"role":"assistant","content":`...)
		if m.Text == "" {
			b = append(b, `null`...)
		} else {
			b = wire.AppendString(b, m.Text)
		}
		if p.quirks.ReplayReasoning {
			b = appendReasoning(b, m)
		}
		for i := range m.Calls {
			c := &m.Calls[i]
			if i == 0 {
				b = append(b, `,"tool_calls":[`...)
			} else {
				b = append(b, ',')
			}
			b = append(b, `{"id":`...)
			b = wire.AppendString(b, p.callID(c.Key))
			b = append(b, `,"type":"function","function":{"name":`...)
			b = wire.AppendString(b, c.Name)
			b = append(b, `,"arguments":`...)
			b = wire.AppendString(b, c.Args)
			b = append(b, `}}`...)
		}
		if len(m.Calls) > 0 {
			b = append(b, ']')
		}
	default: // user and host
		b = append(b, `{"role":"user","content":`...)
		if len(m.Images) > 0 {
			b = appendParts(b, m, pics)
		} else {
			b = wire.AppendString(b, m.Text)
		}
	}
	return append(b, `},`...)
}
