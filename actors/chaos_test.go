package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// chaos is a tree whose actors do random things until a budget is used up.
type chaos struct {
	budget  atomic.Int64
	settled atomic.Int64
	asked   atomic.Int64
	goexit  bool
	mu      sync.Mutex
	rand    *rand.Rand
	refs    []Ref
}

func (x *chaos) intn(n int) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.rand.IntN(n)
}

// add makes an actor known; the oldest are forgotten.
func (x *chaos) add(r Ref) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.refs = append(x.refs[max(0, len(x.refs)-40):], r)
}

func (x *chaos) any() Ref {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.refs) == 0 {
		return Ref{} // the first actor has begun before it is known
	}
	return x.refs[x.rand.IntN(len(x.refs))]
}

func (x *chaos) spec() Spec {
	return Spec{Kind: "chaos", Life: Life(x.intn(3)), New: func() Actor {
		var stopped bool
		return Func(func(c *Context, msg any) {
			if stopped {
				panic("mail after Stopping")
			}
			switch m := msg.(type) {
			case Stopping:
				stopped = true
				if x.intn(20) == 0 {
					panic("stopping")
				}
				return
			case Request:
				if x.intn(3) > 0 {
					m.Reply.Ok(1)
				}
			case Settled:
				x.settled.Add(1)
			}
			x.act(c)
		})
	}}
}

func (x *chaos) act(c *Context) {
	if x.budget.Add(-1) < 0 {
		return
	}
	for range 1 + x.intn(2) {
		switch x.intn(16) {
		case 0, 1:
			var r Ref
			var err error
			if ctx, cancel := context.WithCancel(c.Ctx()); x.intn(2) == 0 {
				if r, err = c.SpawnUnder(ctx, x.spec()); x.intn(2) == 0 {
					cancel()
				}
				_ = cancel
			} else {
				cancel()
				r, err = c.Spawn(x.spec())
			}
			if err == nil {
				x.add(r)
			}
		case 2, 3, 4, 5:
			c.Tell(x.any(), x.intn(9))
		case 6, 7:
			x.asked.Add(1)
			c.Ask(x.any(), 0, time.Duration(x.intn(3))*time.Second, 0)
		case 8, 9:
			to := x.any()
			c.Effect(0, func(ctx context.Context) (any, error) {
				switch x.intn(4) {
				case 0:
					panic("effect")
				case 1:
					goexit()
				}
				return to, nil
			})
		case 10:
			c.After(fmt.Sprint(x.intn(3)), time.Duration(x.intn(3))*time.Second)
		case 11:
			c.Watch(x.any())
		case 12:
			c.StopSelf()
		case 13:
			c.Stop(x.any())
		case 14:
			if x.goexit && x.intn(2) == 0 {
				goexit()
			}
			panic("chaos")
		case 15:
			c.Publish("busy", "nothing")
		}
	}
}

// TestChaos checks what must hold after any history: everything ends, every ask settles
// once, no timer is left.
func TestChaos(t *testing.T) {
	t.Parallel()
	seeds := []uint64{1, 2, 3, 4, 5, 6, rand.Uint64(), rand.Uint64()}
	for i, seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			x := &chaos{rand: rand.New(rand.NewPCG(seed, 0))}
			o := Options{}
			run := func() {}
			if i%2 == 0 {
				s := NewSeededScheduler(seed)
				// goroutines of effects would end the test's own by Goexit when run on it
				o.Scheduler, o.Go = s, func(f func()) {
					end := make(chan struct{})
					go func() { defer close(end); f() }()
					<-end
				}
				run = func() { s.Run() }
			} else {
				x.goexit = true
			}
			x.budget.Store(3000)
			b := setup(t, o)
			for range 10 {
				x.add(b.spawn(x.spec()))
			}
			for range 300 {
				if b.Counters().Live < 20 {
					x.add(b.spawn(x.spec()))
				}
				b.Tell(x.any(), 1)
				run()
				b.clock.Advance(200 * time.Millisecond)
				b.Tree()
			}
			run()
			for range 20 {
				r := b.ask(x.any(), 1, time.Second)
				run()
				b.clock.Advance(time.Second)
				if _, err := r.wait(t.Context()); err == nil && r.over == false {
					t.Error("not settled")
				}
			}
			b.root.askStop()
			run()
			until(t, func() bool {
				run()
				select {
				case <-b.gone:
					return true
				default:
					b.clock.Advance(time.Second)
					return false
				}
			})
			until(t, func() bool { run(); return len(b.survivors()) == 0 })
			c := b.Counters()
			if c.Live != 0 || c.AsksOpen != 0 || b.clock.Waiters() != 0 {
				t.Errorf("%+v, %d timers", c, b.clock.Waiters())
			}
			if x.settled.Load() > x.asked.Load() {
				t.Error("an ask was settled twice")
			}
			for _, f := range b.failed() {
				if f.Reason == "mail after Stopping" {
					t.Error(f.Reason)
				}
			}
			t.Logf("%+v", c)
		})
	}
}
