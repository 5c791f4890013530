package scripted

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// maxPasts bounds the invocations whose fold is kept; above it all are counted anew.
const maxPasts = 1 << 16

// past is the fold of a history: how often each step answered, how many answers there
// were and how many bytes of text.
type past struct {
	n       int // messages folded
	last    mark
	used    []int
	answers int
	bytes   int
}

// mark tells a message again.
type mark struct {
	role  model.Role
	text  string
	parts int
	key   string
}

func markOf(m *model.Message) mark {
	k := mark{role: m.Role, text: m.Text, parts: len(m.Calls) + len(m.Results)}
	switch {
	case len(m.Results) > 0:
		k.key = m.Results[0].Key
	case len(m.Calls) > 0:
		k.key = m.Calls[0].Key
	}
	return k
}

// pasts keeps the folds of invocations, so that a request costs its new messages only. It
// is a cache: the same numbers come from the history alone.
type pasts struct {
	mu  sync.Mutex
	all map[invocation]*past
}

type invocation struct{ run, path, agent string }

// of gives a copy of the fold of the request's history.
func (c *pasts) of(req *model.Request, steps int) past {
	id := invocation{req.Run, req.Path, req.Agent}
	if id.run == "" && id.path == "" { // nothing tells whose history it is
		p := past{used: make([]int, steps)}
		p.fold(req.Messages)
		return p
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.all[id]
	if p == nil || !p.before(req.Messages) {
		if len(c.all) >= maxPasts {
			clear(c.all)
		}
		if c.all == nil {
			c.all = make(map[invocation]*past)
		}
		p = &past{used: make([]int, steps)}
		c.all[id] = p
	}
	p.fold(req.Messages)
	out := *p
	out.used = append(make([]int, 0, len(p.used)), p.used...)
	return out
}

// before says whether the history goes on from what was folded.
func (p *past) before(ms []model.Message) bool {
	return p.n <= len(ms) && (p.n == 0 || markOf(&ms[p.n-1]) == p.last)
}

func (p *past) fold(ms []model.Message) {
	for i := p.n; i < len(ms); i++ {
		m := &ms[i]
		p.bytes += len(m.Text)
		for j := range m.Calls {
			p.bytes += len(m.Calls[j].Name) + len(m.Calls[j].Args)
		}
		for j := range m.Results {
			p.bytes += len(m.Results[j].Text)
		}
		if m.Role != model.Assistant {
			continue
		}
		p.answers++
		for _, part := range m.Native {
			if n := stepOf(part); n >= 1 && n <= len(p.used) {
				p.used[n-1]++
			}
		}
	}
	if p.n = len(ms); p.n > 0 {
		p.last = markOf(&ms[p.n-1])
	}
}

// stepOf gives the step that a native part names, 0 for a part of another provider.
func stepOf(part json.RawMessage) int {
	if !bytes.Contains(part, []byte(`"`+providerName+`"`)) {
		return 0
	}
	var p struct {
		Provider string
		Step     int
	}
	if json.Unmarshal(part, &p) != nil || p.Provider != providerName {
		return 0
	}
	return p.Step
}
