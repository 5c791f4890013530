// Package builtin owns the built-in tools: their descriptors, closed schemas and handlers.
// A handler reads checked arguments and a view of the files and gives a result; it never
// starts an actor, touches the journal or decides permission.
package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Gate keys of the file tools.
const (
	gateWorkspace = "ws"
	gateMount     = "mount"
)

// FileTools gives the tools that read and change the run workspace and those that read
// mounted host directories. Publishing a file is [CommitTool].
func FileTools() []tooling.Tool {
	return []tooling.Tool{
		listFiles(), searchFiles(), readFile(), writeFile(), applyPatch(),
		mountRead(), mountGlob(), mountGrep(),
	}
}

// readingTool describes a tool that reads files.
func readingTool(id, gate, description, schema string, handle func(context.Context, *tooling.Call) tooling.Result) tooling.Tool {
	return tooling.Tool{
		Descriptor: tooling.Descriptor{
			ID: id, Description: description, Schema: json.RawMessage(schema),
			Effect: tooling.Effect{Class: tooling.Read, Idempotent: true}, Again: tooling.AgainYes,
			GateKey: gate, Exposure: tooling.UserTool, New: true,
		},
		Handle: handle,
	}
}

// writingTool describes a tool whose changes are made by its settlement.
func writingTool(id, description, schema string, raw []string, handle func(context.Context, *tooling.Call) tooling.Result) tooling.Tool {
	return tooling.Tool{
		Descriptor: tooling.Descriptor{
			ID: id, Description: description, Schema: json.RawMessage(schema), Raw: raw,
			Effect: tooling.Effect{Class: tooling.Write}, Again: tooling.AgainAppend,
			GateKey: gateWorkspace, Exposure: tooling.UserTool, New: true, Condition: tooling.Writable,
		},
		Handle: handle,
	}
}

// fileFault gives the result of an error: its code, and the sentences of it and of its causes.
func fileFault(err error) tooling.Result {
	var e *fault.Error
	if !errors.As(err, &e) {
		return tooling.Fail("tool.failed", err.Error())
	}
	r := tooling.Fail(e.Code, faultText(e))
	if e.Code == "tool.cancelled" {
		r.Outcome = journal.Cancelled
	}
	return r
}

func faultText(e *fault.Error) string {
	parts := []string{e.Detail}
	for err := e.Cause; err != nil; {
		var next *fault.Error
		if !errors.As(err, &next) {
			parts = append(parts, err.Error())
			break
		}
		if next.Detail != "" {
			parts = append(parts, next.Detail)
		}
		err = next.Cause
	}
	return strings.Join(parts, ": ")
}

// argInt gives an integer argument, or a default when it is absent.
func argInt(o *tooling.Object, name string, absent int) int {
	n, ok := o.Int(name)
	if !ok {
		return absent
	}
	return int(min(n, 1<<31-1))
}

func argText(o *tooling.Object, name string) string {
	s, _ := o.String(name)
	return s
}

func argBool(o *tooling.Object, name string) bool {
	b, _ := o.Bool(name)
	return b
}

// startOf gives the path at which a listing or search begins; the root is "".
func startOf(o *tooling.Object) string {
	p := argText(o, "path")
	if p == "." || p == "./" {
		return ""
	}
	return p
}

// boundsNote says what stopped a search before its end.
func boundsNote(bounds []string) string {
	if len(bounds) == 0 {
		return ""
	}
	return "\n[not everything was searched: stopped by " + strings.Join(bounds, " and ") + "; narrow the path or the glob]"
}
