package swarm_test

import (
	"context"
	"fmt"
	"log"
	"sync/atomic"

	"github.com/seed-cf6d8d1b/swarm"
)

// Counting is a store that counts what it is given. It embeds another one: only what is to
// be different is written.
type Counting struct {
	swarm.Store
	records atomic.Int64
}

// Append counts what was stored; the error of each batch is its own.
func (c *Counting) Append(ctx context.Context, batches []swarm.Batch) []error {
	errs := c.Store.Append(ctx, batches)
	for i := range batches {
		if errs[i] == nil {
			c.records.Add(int64(len(batches[i].Records)))
		}
	}
	return errs
}

// A store of one's own wraps another one. journal/journaltest checks it.
func ExampleStore() {
	ctx := context.Background()
	store := &Counting{Store: swarm.NewMemoryStore()}
	rt, err := swarm.Open(ctx, swarm.Options{Store: store})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)
	team := swarm.NewTeam("hello", swarm.Profile{ID: "greeter", Prompt: "You greet."})
	team.Models[swarm.DefaultModel] = swarm.Scripted(greeting)
	run, err := rt.Start(ctx, team, swarm.Input{Text: "world"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	state, err := rt.Inspect(ctx, run.ID())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(store.records.Load() == state.Seq)
	// Output: true
}
