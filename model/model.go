package model

import (
	"context"
	"encoding/json"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Provider asks one model server. One Answer is one attempt on the wire: a provider
// never retries by itself. Implementations are safe for concurrent use. Answer must
// return within 100 ms of the end of ctx, and calls preview (which may be nil) only
// before it returns. Errors are [*Error].
type Provider interface {
	Answer(ctx context.Context, req *Request, preview func(Delta)) (*Answer, error)
	Capabilities(model string) Capabilities
}

// Role is who speaks.
type Role string

// Roles. Host is a text of the runtime; it is sent as the user's.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	Host      Role = "host"
)

// Message is one entry of a conversation. A message is immutable once it is part of a
// history: histories are shared by requests and never copied.
type Message struct {
	Role    Role
	Text    string            // of user, host and assistant messages
	Images  []journal.Image   // of user messages, shown behind the text
	Calls   []Call            // assistant only, in model order
	Results []Result          // tool only: the results of the calls before, in call order
	Native  []json.RawMessage // opaque provider parts of an assistant message
	Turn    int               // of assistant and tool messages; 0 else
}

// Call is a call as it is replayed: its arguments are always an object.
type Call struct {
	Key    string // call key of the runtime
	ToolID string // empty for an unknown tool
	Name   string // as the model called it
	Args   string // canonical JSON object; "{}" when the arguments were invalid
}

// WireID is the id of a call on the wire: "call_" and the first 24 hex digits of the key.
func (c *Call) WireID() string { return WireID(c.Key) }

// wireDigits is how much of a call key stands in its wire id (models spec §2): together
// with "call_" it stays below the 40 characters that every provider takes.
const wireDigits = 24

// WireID gives the wire id of a call key.
func WireID(key string) string {
	if len(key) > wireDigits {
		key = key[:wireDigits]
	}
	return "call_" + key
}

// Result is the one result of a call.
type Result struct {
	Key     string
	ToolID  string
	Name    string
	Text    string // never empty; an error begins with "error <code>:"
	IsError bool
	Images  []journal.Image // shown behind the text
	Data    json.RawMessage // structured form, for scripted models only; never on a wire
}

// ToolDef is a tool as the model sees it. Schema is canonical JSON.
type ToolDef struct {
	ID          string
	Name        string
	Description string
	Schema      json.RawMessage
}

// Choice says whether the model may, must or must not call tools.
type Choice struct {
	Mode string // "auto" (also ""), "none", "required", "specific"
	Name string // model name, with "specific"
}

// Request is one model request. The history is shared, not copied: nobody changes it.
type Request struct {
	Model       string
	System      string
	Tools       []ToolDef
	ToolsHash   string // of Tools, for caching an encoded form
	Choice      Choice
	Messages    []Message
	MaxOutput   int // tokens; 0: the provider's default
	Temperature *float64
	TopP        *float64
	Stop        []string
	Blobs       Blobs // of the images of Messages, by hash; nil when there are none

	// For records, caches and scripted models; never sent.
	Run     string
	Path    string // invocation path
	Agent   string // profile id; with "#summary" behind it when earlier turns are to be put in short
	Turn    int
	Attempt int
	Input   string // what the agent is asked at its start: the run's text, or its brief
	Checked int    // messages at the front that an earlier request was validated with
}

// MaxCalls is how many calls one answer may have, whichever provider it comes from: one with
// more is refused as "model.answer_too_large".
const MaxCalls = 128

// Answer is a complete answer.
type Answer struct {
	Text   string
	Calls  []AnswerCall // at most [MaxCalls]
	Native []json.RawMessage
	Finish Finish
	Usage  journal.Usage
	Model  string // as reported; "" unknown
	ID     string // the provider's response id

	Reasoning string // plain reasoning beside the text; for records, never replayed
}

// AnswerCall is a call as it arrived. Args is the wire value W of the argument rule: nil
// when absent, else one JSON value (streamed fragments joined are a JSON string).
type AnswerCall struct {
	ProviderID string
	Name       string
	Args       json.RawMessage
}

// Finish is a canonical finish reason; others are "unknown:<raw>".
type Finish string

// Finish reasons.
const (
	FinishStop     Finish = "stop"
	FinishCalls    Finish = "calls"
	FinishLength   Finish = "length"
	FinishFilter   Finish = "content_filter"
	FinishOverflow Finish = "context_overflow"
	FinishBadCall  Finish = "malformed_call"
)

// Delta is a preview of an answer that is still coming. Nothing acts on it.
type Delta struct {
	Text  string
	Call  int    // index of the call that Args belongs to
	Args  string // piece of argument text
	Reset bool   // a new attempt begins: forget what was shown

	Reasoning string
}

// Capabilities of a model. Zero numbers are unknown.
type Capabilities struct {
	Provider  string // kind, e.g. "openai"
	Window    int    // tokens
	MaxOutput int
	MaxTools  int
	Vision    bool        // it takes images
	Images    ImageLimits // of a model that does
}

// Class of a failed attempt (models spec §13.1).
type Class string

// Classes.
const (
	ClassPermanent Class = "permanent"
	ClassAuth      Class = "auth"
	ClassRate      Class = "rate_limited"
	ClassOverload  Class = "overloaded"
	ClassTransient Class = "transient"
	ClassOverflow  Class = "context_overflow"
	ClassFilter    Class = "content_filter"
	ClassCancelled Class = "cancelled"
)

// Error is a failed attempt.
type Error struct {
	Class      Class
	Code       string // e.g. "model.http_500", "model.stream_incomplete"
	Detail     string // for people; bounded
	Status     int    // HTTP, 0: none
	RetryAfter time.Duration
	Usage      journal.Usage // that the server has reported for it all the same; without Requests: it has not
	Renewed    bool          // with ClassAuth: there is another key by now, which the next attempt has
	Cause      error
}

// Error implements error.
func (e *Error) Error() string { return e.Code + ": " + e.Detail }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Retried says whether the class is worth another attempt.
func (e *Error) Retried() bool {
	return e.Class == ClassRate || e.Class == ClassOverload || e.Class == ClassTransient
}
