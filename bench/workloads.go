package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

// Numbers of the workloads that are not their size.
const (
	parallelCalls = 8                      // W2, calls a turn
	toolSleep     = 5 * time.Millisecond   // W2
	fanOut        = 5                      // W3, children a round
	childTurns    = 20                     // W3
	scaleTurns    = 10                     // W4
	scaleLatency  = 200 * time.Millisecond // W4, of the model
	fullSize      = 1000                   // smaller W1 and W5 are repeated up to it
)

// workload is one kind of work.
type workload struct {
	warm  func(ctx context.Context, b *bench) error
	run   func(ctx context.Context, b *bench, size int) error
	want  func(size int) numbers
	print func(r *report, u usage)
}

// workloads by name. Each first makes a warm-up of a small size.
var workloads = map[string]workload{
	// One agent, size turns with one call each, then the end.
	"W1": {
		warm: func(ctx context.Context, b *bench) error { return b.loop(ctx, 100) },
		run: func(ctx context.Context, b *bench, size int) error {
			return times(repeats(size), func() error { return b.loop(ctx, size) })
		},
		want: func(size int) numbers {
			return numbers{models: repeats(size) * (size + 1), tools: repeats(size) * size}
		},
		print: func(r *report, u usage) {
			n := r.size * repeats(r.size)
			r.print("us_per_turn", micros(u.wall, n))
			r.print("cpu_us_per_turn", micros(u.cpu, n))
			r.print("allocs_per_turn", u.allocs/float64(n))
			r.print("bytes_per_turn", u.allocated/float64(n))
		},
	},
	// One agent, size turns with eight calls each of a read-only tool that sleeps.
	"W2": {
		warm: func(ctx context.Context, b *bench) error { return b.parallel(ctx, 5) },
		run:  func(ctx context.Context, b *bench, size int) error { return b.parallel(ctx, size) },
		want: func(size int) numbers { return numbers{models: size + 1, tools: parallelCalls * size} },
		print: func(r *report, u usage) {
			r.print("wall_ms", micros(u.wall, 1000))
			r.print("overhead_ms_per_turn", micros(u.wall-time.Duration(r.size)*toolSleep, 1000*r.size))
			r.print("cpu_us_per_call", micros(u.cpu, parallelCalls*r.size))
		},
	},
	// A parent with size turns: five tasks to five agents and the wait for all of them
	// stand in one turn, so that a round costs one model call, as with agents as tools.
	"W3": {
		warm: func(ctx context.Context, b *bench) error { return b.fan(ctx, 3) },
		run:  func(ctx context.Context, b *bench, size int) error { return b.fan(ctx, size) },
		want: func(size int) numbers {
			return numbers{models: size + 1 + fanOut*size*(childTurns+1), tools: fanOut * size * childTurns}
		},
		print: func(r *report, u usage) {
			children := fanOut * r.size
			r.print("ms_per_round", micros(u.wall, 1000*r.size))
			r.print("cpu_us_per_child", micros(u.cpu, children))
			r.print("cpu_us_per_child_turn", micros(u.cpu, children*childTurns))
			r.print("allocs_per_child_turn", u.allocs/float64(children*childTurns))
		},
	},
	// size runs of one team at once, ten turns each with a model that takes 200 ms.
	"W4": {
		warm: func(ctx context.Context, b *bench) error { return b.loop(ctx, 100) },
		run: func(ctx context.Context, b *bench, size int) error {
			g, ctx := errgroup.WithContext(ctx)
			for range size {
				g.Go(func() error { return b.slow(ctx) })
			}
			return g.Wait()
		},
		want: func(size int) numbers { return numbers{models: size * (scaleTurns + 1), tools: size * scaleTurns} },
		print: func(r *report, u usage) {
			r.print("wall_ms", micros(u.wall, 1000))
			r.print("bytes_per_agent", u.grown/float64(r.size))
			r.print("cpu_us_per_turn", micros(u.cpu, r.size*scaleTurns))
		},
	},
	// Two agents hand the conversation to each other size times.
	"W5": {
		warm: func(ctx context.Context, b *bench) error { return b.chain(ctx, 10) },
		run: func(ctx context.Context, b *bench, size int) error {
			return times(repeats(size), func() error { return b.chain(ctx, size) })
		},
		want: func(size int) numbers {
			return numbers{models: repeats(size) * (size + 1), handoffs: repeats(size) * size}
		},
		print: func(r *report, u usage) {
			n := r.size * repeats(r.size)
			r.print("us_per_handoff", micros(u.wall, n))
			r.print("cpu_us_per_handoff", micros(u.cpu, n))
			r.print("allocs_per_handoff", u.allocs/float64(n))
		},
	},
}

func repeats(size int) int { return max(1, fullSize/size) }

func times(n int, f func() error) error {
	for range n {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func micros(d time.Duration, n int) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(n) }
