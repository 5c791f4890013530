package swarm

import (
	"context"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Events gives the records of any run of the store from the sequence number from on (0 and
// 1: the first): stored ones first, then live ones, none left out and none twice. Whoever
// keeps the Seq of the last record that it handled goes on with Seq+1, also in another
// process.
//
// The stream ends after the end of the run, and stays open over pauses and crashes of an
// unfinished one. Otherwise its last pair is an error: "journal.timeout" or
// "journal.cancelled" when ctx ended, "runtime.closed" when the runtime was closed,
// "journal.run_not_found", "journal.damaged" and other codes of the store. A reader that is
// slow, or stops early, holds up nobody.
func (rt *Runtime) Events(ctx context.Context, id string, from int64) Events {
	return func(yield func(Record, error) bool) {
		if err := rt.usable("follow run", id); err != nil {
			yield(Record{}, err)
			return
		}
		following, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(rt.over, stop)()
		for record, err := range rt.store.Subscribe(following, id, from) {
			if err != nil && ctx.Err() == nil && rt.over.Err() != nil {
				err = fault.Wrap(err, "runtime.closed", "the runtime is closed; go on from the last record with another one").With("follow run", id)
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}
