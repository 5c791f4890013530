package shell

import (
	"context"
	"slices"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// AwaitWarm waits until a pool has n idle workers and gives their process ids.
func AwaitWarm(t testing.TB, p *Pool, n int) []int {
	t.Helper()
	var taken []*process
	for range n {
		w, err := p.take(context.Background())
		if err != nil {
			t.Fatalf("a worker: %v", err)
		}
		taken = append(taken, w)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(taken, p.idle...)
	return pids(p.idle[:n])
}

func pids(list []*process) []int {
	var out []int
	for _, w := range list {
		out = append(out, w.os.Pid)
	}
	return out
}

// IdlePids gives the process ids of the idle workers.
func (p *Pool) IdlePids() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return pids(p.idle)
}

// Gone gives a channel that is closed when an idle worker is gone and cleaned up.
func (p *Pool) Gone(pid int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle[slices.Index(pids(p.idle), pid)].gone
}

// SayBuild has the pool expect workers of another build.
func (p *Pool) SayBuild(id string) { p.spawner.greeting.Build = id }

// Tmp gives the directory that has the /tmp of calls.
func (p *Pool) Tmp() string {
	p.spawner.mu.Lock()
	defer p.spawner.mu.Unlock()
	return p.spawner.own
}

// Keep captures a stream that is written in pieces.
func Keep(kept int, pieces ...[]byte) Capture {
	c := newCapturer(kept)
	for _, p := range pieces {
		_, _ = c.Write(p)
	}
	return c.Capture()
}

// WatchUsing watches a budget with a measure of its own.
func WatchUsing(ctx context.Context, b *limits.Budget, memory func() int64, near func(), fatal func(*limits.Hit)) {
	Watch{Budget: b, Near: near, Fatal: fatal, memory: memory}.Run(ctx)
}

// Frame gives a frame as it is sent.
func Frame(t byte, payload []byte) []byte { return wire.Append(nil, wire.Type(t), payload) }
