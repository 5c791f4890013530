package gemini

import (
	"strconv"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// placeholder is the signature that the service documents for calls of other models.
const placeholder = `"skip_thought_signature_validator"`

// encode gives the body of a request. What does not change within an invocation comes
// first, the contents last: the body is append-only from turn to turn.
func (p *Provider) encode(req *model.Request, pics model.Pictures) []byte {
	b := make([]byte, 0, size(req, pics))
	b = append(b, '{')
	if req.System != "" {
		b = append(b, `"systemInstruction":{"parts":[{"text":`...)
		b = wire.AppendString(b, req.System)
		b = append(b, `}]},`...)
	}
	b = p.appendTools(b, req)
	b = p.appendConfig(b, req)
	b = append(b, `"contents":[`...)
	b = p.appendContents(b, req.Messages, pics)
	return append(b, `]}`...)
}

// size is about how long the body will be.
func size(req *model.Request, pics model.Pictures) int {
	n := 512 + len(req.System)
	for i := range req.Tools {
		n += 96 + len(req.Tools[i].Description) + len(req.Tools[i].Schema)
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		n += 64 + len(m.Text) + pics.Size(m)
		for j := range m.Calls {
			n += 128 + len(m.Calls[j].Name) + len(m.Calls[j].Args)
		}
		for j := range m.Results {
			n += 80 + len(m.Results[j].Name) + len(m.Results[j].Text)
		}
		for j := range m.Native {
			n += len(m.Native[j])
		}
	}
	return n + n/16 // escapes
}

// appendConfig writes the generationConfig with a comma behind, or nothing.
func (p *Provider) appendConfig(b []byte, req *model.Request) []byte {
	var room [512]byte
	c := room[:0] // the members, each with a comma before it
	limit := req.MaxOutput
	if limit <= 0 {
		limit = p.maxOutput
	}
	if limit > 0 {
		c = append(c, `,"maxOutputTokens":`...)
		c = strconv.AppendInt(c, int64(limit), 10)
	}
	if p.thinking.on() && req.Temperature != nil {
		p.client.Notice("thinking_temperature", "the temperature is not sent to a model that thinks")
	} else {
		c = wire.AppendFloat(c, "temperature", req.Temperature)
	}
	c = wire.AppendFloat(c, "topP", req.TopP)
	for i, s := range req.Stop {
		if i == 0 {
			c = append(c, `,"stopSequences":[`...)
		} else {
			c = append(c, ',')
		}
		c = wire.AppendString(c, s)
		if i == len(req.Stop)-1 {
			c = append(c, ']')
		}
	}
	switch t := p.thinking; {
	case t.level != "":
		c = append(c, `,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"`...)
		c = append(c, t.level...)
		c = append(c, `"}`...)
	case t.budget > 0:
		c = append(c, `,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":`...)
		c = strconv.AppendInt(c, int64(t.budget), 10)
		c = append(c, '}')
	case t.budget == 0:
		c = append(c, `,"thinkingConfig":{"thinkingBudget":0}`...)
	}
	if len(c) == 0 {
		return b
	}
	b = append(b, `"generationConfig":{`...)
	b = append(b, c[1:]...)
	return append(b, `},`...)
}

// appendContents writes the messages. Neighbours that are not the model's are one content,
// their parts kept apart.
func (p *Provider) appendContents(b []byte, messages []model.Message, pics model.Pictures) []byte {
	role := ""
	for i := range messages {
		m := &messages[i]
		next := "user"
		if m.Role == model.Assistant {
			next = "model"
		}
		if next != role {
			if role != "" {
				b = append(b[:len(b)-1], `]},`...) // each part ends in a comma
			}
			b = append(b, `{"role":"`...)
			b = append(b, next...)
			b = append(b, `","parts":[`...)
			role = next
		}
		switch m.Role {
		case model.Assistant:
			b = p.appendAnswer(b, m)
		case model.Tool:
			for j := range m.Results {
				b = appendResult(b, &m.Results[j])
			}
			for j := range m.Results { // behind all results, which stand together
				b = appendImages(b, m.Results[j].Images, m.Results[j].Name, pics)
			}
		default: // user and host
			b = appendText(b, m.Text, nil)
			b = appendImages(b, m.Images, "", pics)
		}
	}
	return append(b[:len(b)-1], `]}`...)
}

// appendAnswer writes the parts of an answer: as they were received where native parts say
// so, else the text and then the calls.
func (p *Provider) appendAnswer(b []byte, m *model.Message) []byte {
	text, call := 0, 0
	upTo := func(end, calls int) {
		if end > text {
			b = appendText(b, m.Text[text:end], nil)
			text = end
		}
		for ; call < min(calls, len(m.Calls)); call++ {
			b = appendCall(b, &m.Calls[call], nil, call == 0)
		}
	}
	for _, raw := range m.Native {
		n, ours := p.readPart(raw, m)
		if !ours {
			continue
		}
		upTo(border(m.Text, n.text), n.calls)
		switch n.kind {
		case kindText:
			end := max(text, border(m.Text, n.text+n.size))
			b = appendText(b, m.Text[text:end], n.data)
			text = end
		case kindCall:
			if call < len(m.Calls) {
				b = appendCall(b, &m.Calls[call], n.data, call == 0)
				call++
			}
		case kindOpaque:
			b = append(b, n.data...)
			b = append(b, ',')
		}
	}
	upTo(len(m.Text), len(m.Calls))
	return b
}

// border gives the begin of the character at n, at most the end.
func border(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// appendText writes a part of text with a comma behind. An empty one is written only to
// carry its signature.
func appendText(b []byte, s string, signature []byte) []byte {
	b = append(b, `{"text":`...)
	b = wire.AppendString(b, s)
	return closePart(b, signature)
}

// appendCall writes a call with a comma behind. The first one of an answer is never
// without a signature.
func appendCall(b []byte, c *model.Call, signature []byte, first bool) []byte {
	b = append(b, `{"functionCall":{"name":`...)
	b = wire.AppendString(b, c.Name)
	b = append(b, `,"args":`...)
	b = append(b, c.Args...)
	b = append(b, '}')
	if first && wire.None(signature) {
		return closePart(b, []byte(placeholder))
	}
	return closePart(b, signature)
}

func closePart(b, signature []byte) []byte {
	if !wire.None(signature) {
		b = append(b, `,"thoughtSignature":`...)
		b = append(b, signature...)
	}
	return append(b, `},`...)
}

func appendResult(b []byte, r *model.Result) []byte {
	b = append(b, `{"functionResponse":{"name":`...)
	b = wire.AppendString(b, r.Name)
	if r.IsError {
		b = append(b, `,"response":{"error":`...)
	} else {
		b = append(b, `,"response":{"output":`...)
	}
	b = wire.AppendString(b, r.Text)
	return append(b, `}}},`...)
}
