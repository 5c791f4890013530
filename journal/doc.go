// Package journal owns the durable truth of a run: its records, the store seam with
// an embedded (SQLite) and an in-memory store, group commit, blobs and ownership.
//
// It knows what a record says, never what to do about it: decisions are made by the
// packages above as pure functions over records. A record is never changed after it
// was appended, and readers must not change what they are given.
package journal
