// Package tooling owns tools: their identity and model names, the catalogue and the
// frozen snapshot of an invocation, the argument rule, the request gate and the shape
// of results. It never starts an actor, touches the journal or decides permission.
//
// A [Tool] is a [Descriptor] with its executor; a [Catalogue] holds the tools of the
// moment. [Prepare] selects, narrows and names them for one invocation and [Freeze] makes
// the [Snapshot] of that, which is data only and survives restarts. [Normalise] turns
// what a provider delivered into an [Object] or an [Invalid], the one reader of
// arguments; [Schema] judges an object; [Snapshot.Judge] puts it all together for one
// call of an answer. [NewGoTool] makes a tool of a Go function.
//
// Everything here is a pure function or immutable once made, and safe for concurrent
// use, except [Counters].
package tooling
