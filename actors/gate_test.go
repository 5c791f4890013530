package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

// gateBench has holders that note what the gate tells them.
type gateBench struct {
	*bundle
	gate    Ref
	holders map[string]Ref
}

func setupGate(t *testing.T) *gateBench {
	g := &gateBench{bundle: setupSync(t), holders: map[string]Ref{}}
	g.gate = g.spawn(GateSpec("key"))
	return g
}

func (g *gateBench) holder(name string) Ref {
	r, ok := g.holders[name]
	if !ok {
		r = g.spawn(actorSpec(name, Temporary, doer(func(c *Context, msg any) {
			switch m := msg.(type) {
			case Granted:
				g.note("%s %s granted %d", name, m.Tag, m.Order)
			case Closed:
				g.note("%s %s closed by %s", name, m.Tag, m.By)
			}
		})))
		g.holders[name] = r
	}
	return r
}

func (g *gateBench) acquire(name, tag string, mode GateMode) {
	g.Tell(g.gate, Acquire{g.holder(name), tag, mode})
}

func (g *gateBench) release(name, tag string) { g.Tell(g.gate, Release{g.holder(name), tag}) }

func TestGate(t *testing.T) {
	t.Parallel()

	t.Run("first come first served", func(t *testing.T) {
		t.Parallel()
		g := setupGate(t)
		g.acquire("a", "1", Read)
		g.acquire("a", "2", Read)
		g.acquire("b", "w", Write)
		g.acquire("c", "r", Read) // behind the writer
		g.acquire("d", "w", Write)
		g.expect("a 1 granted 1", "a 2 granted 2")
		g.acquire("a", "1", Read)  // holds already
		g.acquire("b", "w", Write) // waits already
		g.expect("a 1 granted 1")
		g.release("a", "1")
		g.release("a", "1")
		g.release("x", "none")
		g.expect()
		g.release("a", "2")
		g.expect("b w granted 3")
		g.release("b", "w")
		g.expect("c r granted 4")
		g.release("d", "w") // waits: leaves the queue
		g.acquire("e", "r", Read)
		g.expect("e r granted 5")
	})

	t.Run("death releases and leaves the queue", func(t *testing.T) {
		t.Parallel()
		g := setupGate(t)
		g.acquire("a", "w", Write)
		g.acquire("b", "r", Read)
		g.acquire("b", "w", Write)
		g.acquire("c", "r", Read)
		g.expect("a w granted 1")
		g.Tell(g.holder("a"), do(func(*Context) { panic("dies") }))
		g.expect("b r granted 2")
		g.Stop(g.holder("b")) // holds one and waits for one
		g.expect("c r granted 3")
		g.Tell(g.gate, Acquire{g.holder("b"), "again", Write}) // of a dead one
		g.release("c", "r")
		g.acquire("d", "w", Write)
		g.expect("d w granted 4")
		g.Tell(g.gate, Acquire{})
	})

	t.Run("actors-11 an unknown outcome keeps the key closed to writers and names the call", func(t *testing.T) {
		t.Parallel()
		g := setupGate(t)
		g.acquire("a", "w", Write)
		g.acquire("b", "w", Write)
		g.acquire("c", "r", Read)
		g.Tell(g.gate, Seal{g.holder("a"), "w", "call-7"})
		g.expect("a w granted 1", "c r granted 2", "b w closed by call-7")
		g.acquire("d", "w", Write)
		g.acquire("d", "r", Read)
		g.expect("d w closed by call-7", "d r granted 3")
		g.release("c", "r")
		g.release("d", "r")
		g.Tell(g.gate, Seal{Ref{}, "", "call-8"}) // of a holder that died
		g.Tell(g.gate, Unseal{"call-7"})
		g.Tell(g.gate, Unseal{"nobody"})
		g.release("b", "w") // gives up
		g.expect()
		g.Tell(g.gate, Unseal{"call-8"})
		g.expect("d w granted 4")

		other := g.spawn(GateSpec("other"))
		g.Tell(other, Acquire{g.holder("a"), "x", Write})
		g.expect("a x granted 1")
	})

	t.Run("told again at the next closing", func(t *testing.T) {
		t.Parallel()
		g := setupGate(t)
		g.acquire("r", "1", Read)
		g.acquire("w", "1", Write)
		for _, by := range []string{"x", "y"} {
			g.Tell(g.gate, Seal{Ref{}, "", by})
			g.Tell(g.gate, Unseal{by})
		}
		g.expect("r 1 granted 1", "w 1 closed by x", "w 1 closed by y")
	})

	for _, seed := range []uint64{1, 2, rand.Uint64()} {
		t.Run(fmt.Sprintf("actors-10 600 readers and 30 writers, some dying, seed %d", seed), func(t *testing.T) {
			t.Parallel()
			gateCrowd(t, seed)
		})
	}
}

// gateCrowd checks exclusion from inside the leases, with real concurrency.
func gateCrowd(t *testing.T, seed uint64) {
	b := setup(t, Options{})
	gate := b.spawn(GateSpec("gate"))
	rnd := rand.New(rand.NewPCG(seed, 0))
	const readers, writers = 600, 30
	type kind struct {
		mode        GateMode
		dies, queue bool // dies while it holds, or while it waits
	}
	kinds := make([]kind, 0, readers+writers)
	for i := range readers + writers {
		k := kind{mode: Read, dies: rnd.IntN(5) == 0, queue: rnd.IntN(10) == 0}
		if i < writers {
			k.mode = Write
		}
		kinds = append(kinds, k)
	}
	rnd.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })

	var inReaders, inWriters, bad, most atomic.Int64
	ended := make(chan struct{}, len(kinds))
	var orders [readers + writers]atomic.Uint64 // by order of arrival; 0: died before
	enter := func(k kind) {
		if k.mode == Write {
			if inWriters.Add(1) != 1 || inReaders.Load() != 0 {
				bad.Add(1)
			}
			return
		}
		n := inReaders.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if inWriters.Load() != 0 {
			bad.Add(1)
		}
	}
	leave := func(k kind) {
		if k.mode == Write {
			inWriters.Add(-1)
		} else {
			inReaders.Add(-1)
		}
	}
	crowd := b.spawn(actorSpec("crowd", Temporary, func(c *Context, msg any) {
		switch msg.(type) {
		case Started:
			for i, k := range kinds {
				holds := false
				r, err := c.Spawn(actorSpec("", Temporary, func(c *Context, msg any) {
					switch m := msg.(type) {
					case string:
						if holds {
							leave(k) // before its death releases
						}
						panic("dies")
					case Granted:
						holds = true
						enter(k)
						orders[i].Store(m.Order)
						c.Effect(m.Tag, func(ctx context.Context) (any, error) { return nil, nil })
					case Done:
						leave(k)
						if k.dies {
							panic("dies holding")
						}
						c.Tell(gate, Release{c.Self(), "t"})
						c.StopSelf()
					}
				}))
				if err != nil {
					t.Error(err)
				}
				c.Tell(gate, Acquire{r, "t", k.mode})
				if k.queue {
					c.Tell(r, "die")
				}
			}
		case Terminated:
			ended <- struct{}{}
		}
	}))
	for range kinds {
		await(t, ended)
	}
	b.Stop(crowd)
	if bad.Load() > 0 || inReaders.Load() != 0 || inWriters.Load() != 0 {
		t.Errorf("%d violations, %d and %d in it", bad.Load(), inReaders.Load(), inWriters.Load())
	}
	last := uint64(0)
	for i := range orders {
		o := orders[i].Load()
		if o != 0 && o <= last {
			t.Errorf("number %d was granted as %d, after %d", i, o, last)
		}
		last = max(last, o)
	}
	t.Logf("at most %d readers at a time", most.Load())
	probe, got := b.probe("probe") // nothing is left of the dead
	b.Tell(gate, Acquire{probe, "", Write})
	if m := await(t, got).(Granted); m.Order <= last {
		t.Error(m)
	}
}
