package actors

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// BenchmarkTell is one message between two actors that always have mail.
func BenchmarkTell(b *testing.B) {
	s := New(Options{})
	end := make(chan struct{})
	n := b.N
	sink, _ := s.Spawn(Spec{Kind: "sink", New: func() Actor {
		got := 0
		return Func(func(c *Context, msg any) {
			if _, ok := msg.(*int); ok {
				if got++; got == n {
					close(end)
				}
			}
		})
	}})
	v := 1
	source, _ := s.Spawn(Spec{Kind: "source", New: func() Actor {
		return Func(func(c *Context, msg any) {
			if msg == "go" {
				for range n {
					c.Tell(sink, &v)
				}
			}
		})
	}})
	b.ReportAllocs()
	b.ResetTimer()
	s.Tell(source, "go")
	<-end
	b.StopTimer()
	s.Shutdown(context.Background())
}

// BenchmarkPingPong is a round trip between two actors that sleep in between.
func BenchmarkPingPong(b *testing.B) {
	s := New(Options{})
	end := make(chan struct{})
	v := 1
	pong, _ := s.Spawn(Spec{Kind: "pong", New: func() Actor {
		return Func(func(c *Context, msg any) {
			if r, ok := msg.(Ref); ok {
				c.Tell(r, &v)
			}
		})
	}})
	n := b.N
	b.ReportAllocs()
	b.ResetTimer()
	_, _ = s.Spawn(Spec{Kind: "ping", New: func() Actor {
		return Func(func(c *Context, msg any) {
			if n == 0 {
				close(end)
			}
			n--
			c.Tell(pong, c.Self())
		})
	}})
	<-end
	b.StopTimer()
	s.Shutdown(context.Background())
}

// benchChild is a temporary actor that runs one effect and stops.
type benchChild struct{}

func (benchChild) Receive(c *Context, msg any) {
	switch msg.(type) {
	case *int:
		c.Effect(msg, func(context.Context) (any, error) { return nil, nil })
	case Done:
		c.Tell(c.Parent(), msg)
		c.StopSelf()
	}
}

// BenchmarkSpawnEffectStop is the life of a temporary child: spawn, a message, an effect,
// its outcome told to the parent, stop, the news of it.
func BenchmarkSpawnEffectStop(b *testing.B) {
	s := New(Options{})
	end := make(chan struct{})
	n := b.N
	v := 1
	b.ReportAllocs()
	b.ResetTimer()
	_, _ = s.Spawn(Spec{Kind: "parent", New: func() Actor {
		return Func(func(c *Context, msg any) {
			switch msg.(type) {
			case Started, Terminated:
				if n == 0 {
					close(end)
					return
				}
				n--
				k, _ := c.Spawn(Spec{Name: "child", Kind: "child", New: func() Actor { return benchChild{} }})
				c.Tell(k, &v)
			}
		})
	}})
	<-end
	b.StopTimer()
	s.Shutdown(context.Background())
}

// BenchmarkAsk is a request between two actors and its outcome.
func BenchmarkAsk(b *testing.B) {
	s := New(Options{})
	end := make(chan struct{})
	callee, _ := s.Spawn(Spec{Kind: "callee", New: func() Actor {
		return Func(func(c *Context, msg any) {
			if r, ok := msg.(Request); ok {
				r.Reply.Ok(nil)
			}
		})
	}})
	n := b.N
	b.ReportAllocs()
	b.ResetTimer()
	_, _ = s.Spawn(Spec{Kind: "caller", New: func() Actor {
		return Func(func(c *Context, msg any) {
			switch msg.(type) {
			case Started, Settled:
				if n == 0 {
					close(end)
					return
				}
				n--
				c.Ask(callee, nil, time.Minute, nil)
			}
		})
	}})
	<-end
	b.StopTimer()
	s.Shutdown(context.Background())
}

// BenchmarkAskOutside is a blocking request from outside the tree.
func BenchmarkAskOutside(b *testing.B) {
	s := New(Options{})
	callee, _ := s.Spawn(Spec{Kind: "callee", New: func() Actor {
		return Func(func(c *Context, msg any) {
			if r, ok := msg.(Request); ok {
				r.Reply.Ok(nil)
			}
		})
	}})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Ask(b.Context(), callee, nil, time.Minute); err != nil {
			b.Fatal(err)
		}
	}
	s.Shutdown(context.Background())
}

// BenchmarkIdleActorBytes reports the bytes that an idle actor with an incarnation holds.
func BenchmarkIdleActorBytes(b *testing.B) {
	const actors = 100_000
	for b.Loop() {
		s := New(Options{Scheduler: SyncScheduler()}) // each has handled Started when Spawn returns
		heap := heapBytes()
		for range actors {
			_, _ = s.Spawn(Spec{Kind: "idle", New: func() Actor { return benchChild{} }})
		}
		b.ReportMetric(float64(heapBytes()-heap)/actors, "B/actor")
		s.Shutdown(context.Background())
	}
}

func heapBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
