//go:build linux

package shell_test

import (
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
)

func benchmark(b *testing.B, pause bool) {
	e := setup(b, shell.PoolOptions{})
	e.pool.Warm()
	shell.AwaitWarm(b, e.pool, 2)
	b.ReportAllocs()
	for b.Loop() {
		if pause {
			b.StopTimer()
			shell.AwaitWarm(b, e.pool, 2)
			b.StartTimer()
		}
		if o := e.run("out hi"); o.Kind != shell.Exited {
			b.Fatalf("%+v", o)
		}
	}
}

// BenchmarkWarm is one call while the pool is warm.
func BenchmarkWarm(b *testing.B) { benchmark(b, true) }

// BenchmarkBackToBack is one call right after another.
func BenchmarkBackToBack(b *testing.B) { benchmark(b, false) }
