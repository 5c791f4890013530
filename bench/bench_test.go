package main

import (
	"context"
	"runtime"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// setup opens a bench that is closed with the test.
func setup(t testing.TB, dir string) *bench {
	t.Helper()
	b, err := newBench(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.rt.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

func TestWorkloadsCount(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		workload string
		size     int
		durable  bool
	}{
		{"W1", 1000, false}, {"W1", 1000, true}, {"W2", 3, false}, {"W3", 2, false}, {"W3", 2, true}, {"W4", 20, false}, {"W5", 1000, false},
	} {
		name := row.workload
		if row.durable {
			name += " durable"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := ""
			if row.durable {
				dir = t.TempDir()
			}
			b := setup(t, dir)
			w := workloads[row.workload]
			if err := w.run(t.Context(), b, row.size); err != nil {
				t.Fatal(err)
			}
			if err := b.counts.check(w.want(row.size)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWrongCountsAreTold(t *testing.T) {
	t.Parallel()
	b := setup(t, "")
	if err := b.loop(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if err := b.counts.check(numbers{models: 4, tools: 3}); err != nil {
		t.Error(err)
	}
	if err := b.counts.check(numbers{models: 5, tools: 3}); err == nil {
		t.Error("a wrong count was not told")
	}
}

// BenchmarkTurnMemory measures one turn with one call, in conversations of these lengths.
func BenchmarkTurnMemory(b *testing.B) {
	for _, turns := range []int{100, 1000, 4000} {
		b.Run(strconv.Itoa(turns), func(b *testing.B) { turnsOfOne(b, setup(b, ""), turns) })
	}
}

// BenchmarkTurnDurable measures the same with the journal on disk.
func BenchmarkTurnDurable(b *testing.B) {
	turnsOfOne(b, setup(b, b.TempDir()), 100)
}

// turnsOfOne makes b.N turns, in runs of a given length.
func turnsOfOne(b *testing.B, bb *bench, turns int) {
	b.ReportAllocs()
	b.ResetTimer()
	for left := b.N; left > 0; left -= turns {
		if err := bb.loop(b.Context(), min(left, turns)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHandoff measures one handoff of a chain.
func BenchmarkHandoff(b *testing.B) {
	const chain = 1000
	bb := setup(b, "")
	b.ReportAllocs()
	b.ResetTimer()
	for left := b.N; left > 0; left -= chain {
		if err := bb.chain(b.Context(), min(left, chain)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWaitingAgents measures the memory of an agent that waits for its model, with
// 1,000 of them, each in a run of its own.
func BenchmarkWaitingAgents(b *testing.B) {
	const agents = 1000
	for b.Loop() {
		b.ReportMetric(waiting(b, agents)/agents, "bytes/agent")
	}
}

func waiting(b *testing.B, agents int) float64 {
	asked := make(chan struct{}, agents)
	release := make(chan struct{})
	held := model.Func(func(ctx context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
		asked <- struct{}{}
		select {
		case <-release:
			return end(req), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	rt, err := swarm.Open(b.Context(), swarm.Options{Providers: map[string]model.Provider{"held": held}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := rt.Close(context.Background()); err != nil {
			b.Errorf("close: %v", err)
		}
	}()
	t := team("held", &agent.Profile{ID: "a", Model: "held"})
	before := inUse()
	runs := make([]*swarm.Run, agents)
	for i := range runs {
		if runs[i], err = rt.Start(b.Context(), t, swarm.Input{Text: "go"}); err != nil {
			b.Fatal(err)
		}
	}
	for range agents {
		<-asked
	}
	grown := inUse() - before
	close(release)
	for _, r := range runs {
		if res, err := r.Wait(b.Context()); err != nil || res.Outcome != "completed" {
			b.Fatalf("got %+v, %v", res, err)
		}
	}
	return grown
}

// inUse is the memory of the heap and of the stacks after a collection.
func inUse() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}
