package swarm

import (
	"context"
	"time"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Tool is a tool of the embedding program, see [NewTool].
type Tool = tooling.Tool

// ToolOption changes a tool made by [NewTool].
type ToolOption = tooling.GoOption

// NewTool makes a typed tool of the embedding program with the id "extension/go:" + name.
// What fn returns is what the model reads: a string as it is, anything else as JSON. An
// error is a result that the model can act on, with its code when it is an [*Error]. fn may
// be called concurrently; its context ends with the timeout and when the work is cancelled.
//
// The schema comes from In, a struct; arguments that do not fit it never reach fn. Names
// are those of json tags, and what is omitempty, omitzero or a pointer may be left out.
// Further tags:
//
//	desc:"Name of the city."   what the model reads about the parameter
//	enum:"km|mile"             the values that are allowed, also those of a list's entries
//	min:"1" max:"9"            bounds of a number, of a text's characters, of a list's entries
//
// Structs, lists, maps with string keys, pointers, embedded structs, time.Time (RFC 3339),
// json.RawMessage and any (left as they are) may be nested; a type that contains itself is
// refused.
//
// Without options a tool writes: its dispatch is on disk before fn begins, calls of all
// such tools of the program run one after the other, and a call whose end was not seen
// because the process died settles as outcome unknown. See [ReadOnly], [Idempotent],
// [Probe] and [Gate].
//
// A panic of fn fails its call; the stack is in the journal, and a line in the log.
//
// Errors: "tool.native_name_empty", "tool.native_name_invalid"; "tool.schema_invalid" with
// the field that has no schema; "tool.descriptor_invalid" for a nil fn and for options that
// contradict each other. Two tools of one name are refused by [Open].
func NewTool[In, Out any](name, description string, fn func(context.Context, In) (Out, error), options ...ToolOption) (Tool, error) {
	return tooling.NewGoTool(name, description, fn, options...)
}

// ReadOnly says that a tool changes nothing: it runs beside other readers and is run
// again after a crash.
func ReadOnly() ToolOption { return tooling.ReadOnly() }

// Idempotent says that repeating a call with the same key, see [CallKey], is harmless: a
// call whose end was not seen is run again.
func Idempotent() ToolOption { return tooling.Idempotent() }

// Timeout is the time that one call may take; the default is 10 minutes.
func Timeout(d time.Duration) ToolOption { return tooling.Timeout(d) }

// Gate sets the key on which tools that write wait for each other; without it all tools of
// the program share one, and "" means that calls never wait.
func Gate(key string) ToolOption { return tooling.Gate(key) }

// Scenes narrows a tool to runs of these scenes: "chat", whose input has a conversation,
// and "session". The default is both.
func Scenes(names ...string) ToolOption { return tooling.Scenes(names...) }

// Raw names string parameters that keep their outer white space.
func Raw(names ...string) ToolOption { return tooling.Raw(names...) }

// Happened is what a [Probe] says about the effect of a call.
type Happened = tooling.Happened

// Answers of a [Probe]; anything else is taken for CannotSay.
const (
	Done      = tooling.Done      // the effect happened: the call settles and is not run again
	NotDone   = tooling.NotDone   // it did not: the call is run again with the same key
	CannotSay = tooling.CannotSay // the call settles as outcome unknown
)

// Probe tells, for a tool that writes, whether the effect of a call happened. It is asked at
// a resume for a call that was dispatched and whose end nobody saw, with the key that
// [CallKey] gave to fn; an error counts as CannotSay.
func Probe(fn func(ctx context.Context, key string) (Happened, error)) ToolOption {
	return tooling.Probe(fn)
}

// CallKey gives the key of the call that runs with ctx, for the idempotency of what it
// does outside: equal for every attempt of a call, unique else. "" outside of a call.
func CallKey(ctx context.Context) string { return tooling.CallKey(ctx) }
