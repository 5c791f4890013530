// Package tooling owns tools: their identity and model names, the catalogue and the
// frozen snapshot of an invocation, the argument rule, the request gate and the shape
// of results. It never starts an actor, touches the journal or decides permission.
package tooling
