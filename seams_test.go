package swarm_test

import (
	"context"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/journal/journaltest"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// The provider of the example keeps the contract.
func TestParrot(t *testing.T) {
	t.Parallel()
	swarmtest.Provider(t, "any", func(*testing.T) swarm.Provider { return Parrot{} })
}

// The store of the example passes the suite of stores.
func TestCounting(t *testing.T) {
	t.Parallel()
	journaltest.Run(t,
		func(*testing.T) journal.Store { return &countingMemory{&Counting{Store: swarm.NewMemoryStore()}} },
		func(_ *testing.T, s journal.Store) journal.Store {
			return &countingMemory{&Counting{Store: s.(*countingMemory).Store.(*swarm.MemoryStore).Reopen()}}
		})
}

// countingMemory hands through what the suite looks for in a store beside its methods.
type countingMemory struct{ *Counting }

// ChangeToken implements [journal.Changes].
func (c *countingMemory) ChangeToken(ctx context.Context) (int64, error) {
	return c.Store.(*swarm.MemoryStore).ChangeToken(ctx)
}

// A commit whose answer was lost with the process is asked for again, and the handler of
// the example takes it once.
func TestShelf(t *testing.T) {
	t.Parallel()
	mem, shelf := memory(), &Shelf{taken: map[string]string{}}
	crash := swarmtest.NewCrash(mem, 0, false)
	var mu sync.Mutex
	var ids []string
	o := setupOptions{store: crash,
		commit: func(ctx context.Context, c swarm.Commit) (string, error) {
			ref, err := shelf.Take(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			ids = append(ids, c.ID)
			crash.Now() // it was taken, and nobody hears of it
			return ref, err
		},
		script: swarmtest.Script{"root": {
			swarmtest.Do(write("output/main.md", "hello")),
			swarmtest.Do(swarmtest.Call("workspace_commit", "")),
			swarmtest.Do(finish)}}}
	b := setup(t, o)
	r := b.start("go")
	b.dies(r)
	o.store = reborn(mem)
	b = setup(t, o)
	b.outcome(b.wait(b.resume(r.ID())), swarm.Completed, "")
	if len(ids) != 2 || ids[0] != ids[1] || len(shelf.taken) != 1 {
		t.Errorf("asked with %q, taken %v", ids, shelf.taken)
	}
	if refs := payloads[*journal.CommitSettled](b.records(r.ID())); len(refs) != 1 || refs[0].Ref != "shelf-1" {
		t.Errorf("settled %+v", refs)
	}
}
