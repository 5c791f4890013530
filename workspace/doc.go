// Package workspace owns the files of a run: what an agent sees, how it may change
// them, and the rules of paths, roots, read-state, compare-and-set, limits and text.
//
// The run workspace is a [Manifest], an immutable map from path to content hash. Host
// directories are [Mounts], opened once per run and read only. A [View] binds both to
// one invocation at one moment: it answers reads and checks writes, and never writes. A
// checked write is a [Change], which the caller appends to the journal together with the
// settlement of its call, under the gate of the workspace.
//
// Every type here is immutable after it was made and safe for concurrent use. Errors
// are *fault.Error; the codes named workspace.* are recoverable for a model except
// "workspace.storage_failed". The package never decides permission, never talks to an
// actor and never follows a link out of a mount.
package workspace
