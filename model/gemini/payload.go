package gemini

import (
	"encoding/json"
	"slices"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// chunk is a piece of a stream, or a whole response.
type chunk struct {
	ID         wire.Loose      `json:"responseId"`
	Model      wire.Loose      `json:"modelVersion"`
	Candidates []candidate     `json:"candidates"`
	Feedback   *feedback       `json:"promptFeedback"`
	Usage      *usage          `json:"usageMetadata"`
	Error      json.RawMessage `json:"error"`
}

// empty says whether nothing that is known is in a chunk.
func (c *chunk) empty() bool {
	return c.ID == "" && c.Model == "" && c.Candidates == nil && c.Feedback == nil && c.Usage == nil
}

type candidate struct {
	Index   wire.Index `json:"index"`
	Content *struct {
		Parts []json.RawMessage `json:"parts"`
	} `json:"content"`
	Finish  wire.Loose `json:"finishReason"`
	Message wire.Loose `json:"finishMessage"`
}

type feedback struct {
	Reason  wire.Loose `json:"blockReason"`
	Message wire.Loose `json:"blockReasonMessage"`
}

// part is a part of an answer, as far as it is understood here.
type part struct {
	Text      json.RawMessage `json:"text"`
	Thought   json.RawMessage `json:"thought"`
	Signature json.RawMessage `json:"thoughtSignature"`
	Call      *functionCall   `json:"functionCall"`
}

type functionCall struct {
	ID    wire.Loose      `json:"id"`
	Name  wire.Loose      `json:"name"`
	Args  json.RawMessage `json:"args"`
	Parts json.RawMessage `json:"partialArgs"`
	More  json.RawMessage `json:"willContinue"`
}

// pieces says whether the arguments come in pieces, which is never asked for.
func (f *functionCall) pieces() bool { return !wire.None(f.Parts) || string(f.More) == "true" }

// kindOf names a part that is not understood by its members.
func kindOf(raw json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return "part"
	}
	var names []string
	for name := range members { // sorted below
		if name != "thought" && name != "thoughtSignature" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "part"
	}
	slices.Sort(names)
	return "part:" + names[0]
}

type usage struct {
	Prompt     wire.Count `json:"promptTokenCount"`
	ToolPrompt wire.Count `json:"toolUsePromptTokenCount"`
	Cached     wire.Count `json:"cachedContentTokenCount"`
	Candidates wire.Count `json:"candidatesTokenCount"`
	Thoughts   wire.Count `json:"thoughtsTokenCount"`
}

// canonical gives the usage as the journal keeps it: what was cached is inside the input
// already, the thoughts are added to the output. What was not said stays unknown.
func (u *usage) canonical() journal.Usage {
	out := journal.Usage{Requests: 1}
	if u == nil {
		return out
	}
	out.Input, out.CacheRead = u.Prompt.N, u.Cached.N
	if u.Prompt.N != nil && u.ToolPrompt.N != nil {
		n := *u.Prompt.N + *u.ToolPrompt.N
		out.Input = &n
	}
	out.Output, out.Reasoning = u.Candidates.N, u.Thoughts.N
	switch {
	case u.Thoughts.N == nil:
	case u.Candidates.N == nil: // the service leaves out what is 0
		out.Output = u.Thoughts.N
	default:
		n := *u.Candidates.N + *u.Thoughts.N
		out.Output = &n
	}
	return out
}
