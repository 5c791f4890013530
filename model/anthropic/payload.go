package anthropic

import (
	"encoding/json"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// event is one event of a stream.
type event struct {
	Type    wire.Loose      `json:"type"`
	Index   wire.Index      `json:"index"`
	Message *message        `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   json.RawMessage `json:"delta"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// message is a whole response, or the head of a stream.
type message struct {
	Type       wire.Loose      `json:"type"`
	ID         wire.Loose      `json:"id"`
	Model      wire.Loose      `json:"model"`
	Content    json.RawMessage `json:"content"`
	StopReason wire.Loose      `json:"stop_reason"`
	Usage      *usage          `json:"usage"`
	Error      json.RawMessage `json:"error"`
}

// content is a block of an answer, as far as it is understood here.
type content struct {
	Type      wire.Loose      `json:"type"`
	Text      json.RawMessage `json:"text"`
	Thinking  json.RawMessage `json:"thinking"`
	Signature json.RawMessage `json:"signature"`
	ID        wire.Loose      `json:"id"`
	Name      wire.Loose      `json:"name"`
	Input     json.RawMessage `json:"input"`
	Citations json.RawMessage `json:"citations"`
}

// delta is a piece of a block, or what message_delta brings.
type delta struct {
	Type        wire.Loose      `json:"type"`
	Text        json.RawMessage `json:"text"`
	Thinking    json.RawMessage `json:"thinking"`
	Signature   json.RawMessage `json:"signature"`
	PartialJSON json.RawMessage `json:"partial_json"`
	Citation    json.RawMessage `json:"citation"`
	StopReason  wire.Loose      `json:"stop_reason"`
}

type usage struct {
	Input     wire.Count `json:"input_tokens"`
	CacheRead wire.Count `json:"cache_read_input_tokens"`
	CacheMade wire.Count `json:"cache_creation_input_tokens"`
	Output    wire.Count `json:"output_tokens"`
	OutputOf  *struct {
		Thinking wire.Count `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// merge takes a later report of the same request. Its numbers are cumulative and replace
// what was known; a 0, which servers write for what they do not repeat, does not.
func (u *usage) merge(later *usage) {
	if later == nil {
		return
	}
	for _, n := range []struct{ known, said *wire.Count }{
		{&u.Input, &later.Input}, {&u.CacheRead, &later.CacheRead}, {&u.CacheMade, &later.CacheMade}, {&u.Output, &later.Output},
	} {
		if n.said.N != nil && (*n.said.N > 0 || n.known.N == nil) {
			*n.known = *n.said
		}
	}
	if later.OutputOf != nil {
		u.OutputOf = later.OutputOf
	}
}

// canonical gives the usage as the journal keeps it: input counts what the cache gave and
// took too. What was not said stays unknown.
func (u *usage) canonical() journal.Usage {
	out := journal.Usage{Requests: 1, CacheRead: u.CacheRead.N, CacheWrite: u.CacheMade.N, Output: u.Output.N}
	if u.Input.N != nil {
		n := *u.Input.N
		for _, part := range []*int64{out.CacheRead, out.CacheWrite} {
			if part != nil {
				n += *part
			}
		}
		out.Input = &n
	}
	if u.OutputOf != nil {
		out.Reasoning = u.OutputOf.Thinking.N
	}
	return out
}

// sum adds the usage of two requests. What one of them does not say is unknown.
func sum(a, b journal.Usage) journal.Usage {
	if a.Requests == 0 {
		return b
	}
	add := func(x, y *int64) *int64 {
		if x == nil || y == nil {
			return nil
		}
		n := *x + *y
		return &n
	}
	return journal.Usage{Requests: a.Requests + b.Requests, Input: add(a.Input, b.Input), CacheRead: add(a.CacheRead, b.CacheRead),
		CacheWrite: add(a.CacheWrite, b.CacheWrite), Output: add(a.Output, b.Output), Reasoning: add(a.Reasoning, b.Reasoning)}
}
