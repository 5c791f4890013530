package swarm

import (
	"context"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Store keeps the records and blobs of runs: what [Options].Store holds. [OpenStore] and
// [NewMemoryStore] give those of this program; a store of one's own wraps one of them by
// embedding it, or implements every method and passes journal/journaltest.
type Store = journal.Store

// Batch is an append of records of one run; see [Store].
type Batch = journal.Batch

// Query narrows a read of records; the zero value reads a whole run.
type Query = journal.Query

// Summary is what a list of runs shows; see [Runtime.Runs].
type Summary = journal.Summary

// MemoryStore is a store that is lost with the process. Its Reopen gives the same data to a
// further runtime, as another process would find it.
type MemoryStore = journal.Memory

// NewMemoryStore gives an empty store in memory.
func NewMemoryStore() *MemoryStore { return journal.NewMemory(journal.MemoryOptions{}) }

// OpenStore opens the store of a data directory, which is made when it is missing; the
// caller closes it after the runtimes that use it. Errors: "journal.version_unsupported"
// for a directory of a newer program, "journal.open_failed".
func OpenStore(ctx context.Context, dir string) (Store, error) {
	return journal.OpenSQLite(ctx, dir, journal.SQLiteOptions{})
}
