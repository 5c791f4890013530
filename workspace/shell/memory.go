package shell

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// Of the watch on memory (shell spec §3.3).
const (
	watchEvery = 5 * time.Millisecond
	// Over this many fifths of the limit the growth outruns collection, and nobody waits
	// for one: well below the bound on data, which is twice the limit.
	runaway = 8
	// yield is how long a call may take to end itself when it has reached the limit.
	yield = 100 * time.Millisecond
)

// Watch is a watch on the memory of a process that evaluates.
type Watch struct {
	Budget *limits.Budget
	Base   int64               // what the process used before the call, which does not count
	Tick   func()              // called every 5 ms; may be nil
	Near   func()              // called once, when half of the limit is in use; may be nil
	Fatal  func(*limits.Hit)   // ends the process when the call does not end by itself; nil: nothing does
	memory func() (live int64) // instead of [Used]; tests set it
}

// Used gives the bytes of heap and stacks in use, with what is not collected yet.
func Used() int64 {
	samples := [...]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples[:])
	return int64(samples[0].Value.Uint64() + samples[1].Value.Uint64())
}

// Run watches until the context ends. Memory over the limit after a forced collection, or
// far over it before one, is a hit.
func (w Watch) Run(ctx context.Context) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	var judging atomic.Bool
	var judges sync.WaitGroup
	defer judges.Wait()
	var since time.Time // of the hit
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if w.Tick != nil {
				w.Tick()
			}
			used, hit := w.used(), w.Budget.Hit()
			if w.Near != nil && used > w.Budget.Memory/2 {
				w.Near()
				w.Near = nil
			}
			switch {
			case hit != nil && hit.Name == memoryLimit:
				if since.IsZero() {
					since = now
				}
				if w.Fatal != nil && (used > w.Budget.Memory/5*runaway || now.Sub(since) > yield) {
					w.Fatal(hit)
					return
				}
			case used > w.Budget.Memory/5*runaway:
				w.exceed()
				if w.Fatal != nil {
					w.Fatal(w.Budget.Hit())
					return
				}
			case used > w.Budget.Memory && judging.CompareAndSwap(false, true):
				judges.Go(func() {
					runtime.GC()
					if w.used() > w.Budget.Memory {
						w.exceed()
					}
					judging.Store(false)
				})
			}
		}
	}
}

const memoryLimit = "memory"

func (w Watch) exceed() { w.Budget.Exceed(memoryHit(w.Budget.Memory)) }

func memoryHit(limit int64) *limits.Hit {
	return &limits.Hit{Name: memoryLimit, Value: limit, Unit: "bytes in use", Mend: "Work through the data line by line, with files instead of variables."}
}

func (w Watch) used() int64 {
	if w.memory != nil {
		return w.memory()
	}
	return Used() - w.Base
}
