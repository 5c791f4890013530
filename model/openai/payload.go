package openai

import (
	"encoding/json"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// chunk is a piece of a stream, or a whole response.
type chunk struct {
	ID      wire.Loose      `json:"id"`
	Model   wire.Loose      `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index   wire.Index `json:"index"`
	Delta   *message   `json:"delta"`
	Message *message   `json:"message"`
	Finish  wire.Loose `json:"finish_reason"`
}

// message is a whole message or a piece of one.
type message struct {
	Content          json.RawMessage `json:"content"`
	Refusal          json.RawMessage `json:"refusal"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ToolCalls        []toolCall      `json:"tool_calls"`
	FunctionCall     *function       `json:"function_call"`
}

type toolCall struct {
	Index    wire.Index `json:"index"`
	ID       wire.Loose `json:"id"`
	Type     wire.Loose `json:"type"`
	Function *function  `json:"function"`
}

type function struct {
	Name      wire.Loose      `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type usage struct {
	Prompt     wire.Count `json:"prompt_tokens"`
	Completion wire.Count `json:"completion_tokens"`
	Cost       wire.Money `json:"cost"` // of servers that serve the models of others
	PromptOf   *struct {
		Cached  wire.Count `json:"cached_tokens"`
		Written wire.Count `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionOf *struct {
		Reasoning wire.Count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// canonical gives the usage as the journal keeps it; what was not said stays unknown.
func (u *usage) canonical() journal.Usage {
	out := journal.Usage{Requests: 1}
	if u == nil {
		return out
	}
	out.Input, out.Output, out.CostReported = u.Prompt.N, u.Completion.N, u.Cost.N
	if d := u.PromptOf; d != nil {
		out.CacheRead, out.CacheWrite = d.Cached.N, d.Written.N
	}
	if d := u.CompletionOf; d != nil {
		out.Reasoning = d.Reasoning.N
	}
	return out
}
