package gemini

import (
	"sync"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// appendTools writes tools and toolConfig, each with a comma behind, or nothing.
func (p *Provider) appendTools(b []byte, req *model.Request) []byte {
	if len(req.Tools) == 0 {
		return b
	}
	b = append(b, `"tools":[{"functionDeclarations":[`...)
	if p.projected == nil {
		schemas := p.schemas.Of(req.ToolsHash, req.Tools, p.client.LessSchema)
		b = appendDeclarations(b, req.Tools, func(b []byte, i int) []byte {
			b = append(b, `,"parametersJsonSchema":`...)
			return append(b, schemas[i]...)
		})
	} else {
		b = append(b, p.projected.get(req.ToolsHash, func() []byte {
			return appendDeclarations(nil, req.Tools, func(b []byte, i int) []byte { return p.appendProjection(b, &req.Tools[i]) })
		})...)
	}
	b = append(b, `]}],`...)
	switch mode := req.Choice.Mode; {
	case mode == "none":
		b = append(b, `"toolConfig":{"functionCallingConfig":{"mode":"NONE"}},`...)
	case mode != "required" && mode != "specific":
	case p.thinking.on():
		p.client.Notice("thinking_choice", "the wish for a call is not sent to a model that thinks")
	case mode == "required":
		b = append(b, `"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},`...)
	default:
		b = append(b, `"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":[`...)
		b = wire.AppendString(b, req.Choice.Name)
		b = append(b, `]}},`...)
	}
	return b
}

func appendDeclarations(b []byte, tools []model.ToolDef, schema func(b []byte, i int) []byte) []byte {
	for i := range tools {
		t := &tools[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = wire.AppendString(b, t.Name)
		if t.Description != "" {
			b = append(b, `,"description":`...)
			b = wire.AppendString(b, t.Description)
		}
		b = schema(b, i)
		b = append(b, '}')
	}
	return b
}

// appendProjection writes the schema in the subset. Without parameters it is left out: an
// object without properties is not legal there.
func (p *Provider) appendProjection(b []byte, t *model.ToolDef) []byte {
	schema, notes := project(t.Schema)
	if len(notes) > 0 {
		p.client.LessSchema(t.Name, notes)
	}
	if schema == nil {
		return b
	}
	b = append(b, `,"parameters":`...)
	return append(b, schema...)
}

// maxMemo is how many lists of tools are remembered; a process has one for each snapshot.
const maxMemo = 64

// memo remembers projected declarations by the hash of their tools, so that they are made
// once per snapshot. The zero value is ready, and safe for concurrent use.
type memo struct {
	mu     sync.Mutex
	byHash map[string][]byte
}

// get gives what is remembered, or makes it. The same hash always makes the same.
func (m *memo) get(hash string, make func() []byte) []byte {
	if hash == "" {
		return make()
	}
	m.mu.Lock()
	b, ok := m.byHash[hash]
	m.mu.Unlock()
	if ok {
		return b
	}
	b = make()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byHash == nil || len(m.byHash) >= maxMemo {
		m.byHash = map[string][]byte{}
	}
	m.byHash[hash] = b
	return b
}
