// Package project owns the projection of a run's files that the sandboxed shell works on: a
// real directory that is brought to what a manifest says before a call, and from which the
// changes of a call are read after it. What stands in the directory is never believed
// beyond the paths that were announced, and is thrown away when it cannot be accounted for.
// It never records anything and never decides what an agent may see.
//
// A [Projection] is used by one goroutine at a time, except that [Projection.Dir] and
// [Projection.At] may be called while nobody changes it.
package project
