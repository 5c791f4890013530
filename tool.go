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
// Its schema comes from In, a struct: names by json tags, descriptions by desc tags,
// required unless omitempty or a pointer. What fn returns is what the model reads: a
// string as it is, anything else as JSON; an error is a result that the model can act on.
// Without options a tool writes, is not repeated after a crash, and runs alone among the
// tools of the program. Errors: the codes of tooling.ParseID, "tool.schema_invalid".
func NewTool[In, Out any](name, description string, fn func(context.Context, In) (Out, error), options ...ToolOption) (Tool, error) {
	return tooling.NewGoTool(name, description, fn, options...)
}

// ReadOnly says that a tool changes nothing: it runs beside other readers and is run
// again after a crash.
func ReadOnly() ToolOption { return tooling.ReadOnly() }

// Idempotent says that repeating a call with the same key is harmless.
func Idempotent() ToolOption { return tooling.Idempotent() }

// Timeout is the time that one call may take; the default is 10 minutes.
func Timeout(d time.Duration) ToolOption { return tooling.Timeout(d) }

// Gate sets the key on which tools that write wait for each other; without it all tools of
// the program share one, and "" means that calls never wait.
func Gate(key string) ToolOption { return tooling.Gate(key) }

// CallKey gives the key of the call that runs with ctx, for the idempotency of what it
// does outside: equal for every attempt of a call, unique else. "" outside of a call.
func CallKey(ctx context.Context) string { return tooling.CallKey(ctx) }
