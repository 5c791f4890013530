package openai

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// chunk is a piece of a stream, or a whole response.
type chunk struct {
	ID      loose           `json:"id"`
	Model   loose           `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index   index    `json:"index"`
	Delta   *message `json:"delta"`
	Message *message `json:"message"`
	Finish  loose    `json:"finish_reason"`
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
	Index    index     `json:"index"`
	ID       loose     `json:"id"`
	Type     loose     `json:"type"`
	Function *function `json:"function"`
}

type function struct {
	Name      loose           `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// loose is a text where servers also send null or something else, which counts as none.
type loose string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *loose) UnmarshalJSON(b []byte) error {
	*l = ""
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(l))
	}
	if len(b) > 0 && (b[0] == '-' || '0' <= b[0] && b[0] <= '9') {
		*l = loose(b)
	}
	return nil
}

// index is a number that may be absent.
type index struct {
	set bool
	n   int
}

// UnmarshalJSON implements [json.Unmarshaler].
func (i *index) UnmarshalJSON(b []byte) error {
	n, err := strconv.Atoi(string(bytes.Trim(b, `"`)))
	*i = index{set: err == nil, n: n}
	return nil
}

// count is a number of tokens that may be absent.
type count struct{ n *int64 }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *count) UnmarshalJSON(b []byte) error {
	c.n = nil
	if f, err := strconv.ParseFloat(string(b), 64); err == nil && f >= 0 && f < 1<<53 {
		n := int64(f)
		c.n = &n
	}
	return nil
}

type usage struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	PromptOf   *struct {
		Cached  count `json:"cached_tokens"`
		Written count `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionOf *struct {
		Reasoning count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// canonical gives the usage as the journal keeps it; what was not said stays unknown.
func (u *usage) canonical() journal.Usage {
	out := journal.Usage{Requests: 1}
	if u == nil {
		return out
	}
	out.Input, out.Output = u.Prompt.n, u.Completion.n
	if d := u.PromptOf; d != nil {
		out.CacheRead, out.CacheWrite = d.Cached.n, d.Written.n
	}
	if d := u.CompletionOf; d != nil {
		out.Reasoning = d.Reasoning.n
	}
	return out
}

// joined is a text that comes as pieces of JSON strings. The pieces are joined before
// they are decoded: an escaped character may be split over two of them.
type joined struct{ raw []byte }

// add takes a JSON string; anything else is no text and is refused.
func (j *joined) add(raw json.RawMessage) bool {
	if len(raw) < 2 || raw[0] != '"' {
		return false
	}
	j.raw = append(j.raw, raw[1:len(raw)-1]...)
	return true
}

// json gives the whole as one JSON string.
func (j *joined) json() json.RawMessage {
	out := make([]byte, 0, len(j.raw)+2)
	out = append(out, '"')
	out = append(out, j.raw...)
	return append(out, '"')
}

// text gives the whole as text.
func (j *joined) text() string {
	if len(j.raw) == 0 {
		return ""
	}
	return decode(j.json())
}

// decode gives the text of a JSON string; "" for anything else.
func decode(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// none says whether a value is absent or null.
func none(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
