package swarmtest

import (
	"context"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Crash is a store that dies at a chosen append: from then on nothing is stored and
// every call fails, as if the process were gone. What was stored before can be opened
// again. It never appends at once, so it is used as a store on disk would be.
type Crash struct {
	journal.Store
	mu      sync.Mutex
	n       int
	at      int  // number of the append that dies; 0: none
	stored  bool // that append is stored, and its answer is lost
	crashed bool
	done    chan struct{}
}

// NewCrash wraps a store. The append of number at (1 for the first) is the last one: it
// is stored without an answer when stored, else it is lost.
func NewCrash(s journal.Store, at int, stored bool) *Crash {
	return &Crash{Store: s, at: at, stored: stored, done: make(chan struct{})}
}

// Now makes the store die at once.
func (c *Crash) Now() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.die()
}

// Crashed is closed when the store has died.
func (c *Crash) Crashed() <-chan struct{} { return c.done }

// Appends gives the number of appends so far.
func (c *Crash) Appends() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *Crash) die() {
	if !c.crashed {
		c.crashed = true
		close(c.done)
	}
}

// Append implements [journal.Store].
func (c *Crash) Append(ctx context.Context, batches []journal.Batch) []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	errs := make([]error, len(batches))
	for i := range batches {
		if !c.crashed {
			c.n++
			if c.n == c.at {
				if c.stored {
					c.Store.Append(ctx, batches[i:i+1])
				}
				c.die()
			} else {
				errs[i] = c.Store.Append(ctx, batches[i:i+1])[0]
				continue
			}
		}
		errs[i] = fault.New("journal.append_failed", "the store has crashed")
	}
	return errs
}
