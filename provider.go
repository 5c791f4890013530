package swarm

import "github.com/seed-cf6d8d1b/swarm/model"

// Provider asks one model server: what [Options].Providers holds. One Answer is one attempt
// on the wire, and a provider never retries by itself: the runtime does, by the class of
// the [ModelError] that it gives. It is called concurrently, must return soon (100 ms)
// after the end of its context, and calls preview, which may be nil, only before it
// returns. swarmtest.Provider checks all of that.
type Provider = model.Provider

// ProviderFunc makes a function a [Provider] that knows no capabilities.
type ProviderFunc = model.Func

// ModelRequest is what a [Provider] is asked: system text, tools, history. It is shared
// with others and must not be changed.
type ModelRequest = model.Request

// ModelAnswer is the complete answer of a model.
type ModelAnswer = model.Answer

// ModelCall is a tool call in a [ModelAnswer]. Args is one JSON value as it came.
type ModelCall = model.AnswerCall

// ModelDelta is a piece of an answer that is still coming, for [Options].Preview.
type ModelDelta = model.Delta

// ModelTool is a tool as a [ModelRequest] shows it to the model.
type ModelTool = model.ToolDef

// Message is one entry of the history of a [ModelRequest].
type Message = model.Message

// Capabilities tell what a model can do; zero numbers are unknown.
type Capabilities = model.Capabilities

// ModelError is a failed attempt. Its class decides whether there is another one.
type ModelError = model.Error

// Roles of a [Message]. RoleHost is a text of the runtime; a server is sent it as the user's.
const (
	RoleUser      = model.User
	RoleAssistant = model.Assistant
	RoleTool      = model.Tool
	RoleHost      = model.Host
)

// Reasons why an answer ended; others are "unknown:" and the server's word.
const (
	FinishStop     = model.FinishStop     // the model was done
	FinishCalls    = model.FinishCalls    // it calls tools
	FinishLength   = model.FinishLength   // it ran into a limit
	FinishFilter   = model.FinishFilter   // the server withheld the rest
	FinishOverflow = model.FinishOverflow // the history is too long for the model
	FinishBadCall  = model.FinishBadCall  // the server could not read a call of its own model
)

// Classes of a [ModelError]. The first three are tried again, the others end the request.
const (
	ClassRate      = model.ClassRate      // too many requests; RetryAfter is kept to
	ClassOverload  = model.ClassOverload  // the server is busy
	ClassTransient = model.ClassTransient // connection, broken stream, 5xx
	ClassPermanent = model.ClassPermanent // the same request would fail again
	ClassAuth      = model.ClassAuth      // key missing, wrong or without the right
	ClassOverflow  = model.ClassOverflow  // the history is too long for the model
	ClassFilter    = model.ClassFilter    // the server refuses the content
	ClassCancelled = model.ClassCancelled // the context ended
)
