// Package journal owns the durable truth of a run: its records, the store seam with
// an embedded (SQLite) and an in-memory store, group commit, blobs and ownership.
//
// It knows what a record says, never what to do about it: decisions are made by the
// packages above as pure functions over records. A record is never changed after it
// was appended, and readers must not change what they are given.
//
// A [Store] keeps [Record]s and is safe for concurrent use. [SQLite] is the one on disk,
// [Memory] the one for tests and runs that may be lost; package journaltest holds what
// both must pass. Actors append through the writer actor, see [WriterSpec], or at once
// where the store is [Immediate]. [Encode] and [Decode] are the canonical form of a
// record, [Verify] checks what must hold of all records of a run.
package journal
