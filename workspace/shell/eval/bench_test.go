package eval

import (
	"io"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func benchmark(b *testing.B, script string) {
	b.Helper()
	e := New()
	b.ReportAllocs()
	budget, _, stop := limits.NewBudget(b.Context(), limits.Limits{})
	stop()
	r := bench{}.request(b, script, budget)
	for b.Loop() {
		budget, ctx, stop := limits.NewBudget(b.Context(), limits.Limits{})
		c := *r
		c.Out, c.Err, c.Budget = io.Discard, io.Discard, budget
		if exit := e.Eval(ctx, &c); exit.Code != 0 || exit.Err != nil {
			b.Fatal(exit)
		}
		stop()
	}
}

func BenchmarkEcho(b *testing.B) { benchmark(b, "echo hi") }

func BenchmarkWhile(b *testing.B) {
	benchmark(b, `i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done`)
}

func BenchmarkWhileArithmetic(b *testing.B) {
	benchmark(b, `i=0; s=0; while ((i < 10000)); do ((s += i * 2)); ((i++)); done`)
}

func BenchmarkFor(b *testing.B) {
	benchmark(b, `for i in {1..10000}; do x=$i; done`)
}

func BenchmarkForFunction(b *testing.B) {
	benchmark(b, `f() { local y=$1; }; for i in {1..10000}; do f $i; done`)
}

func BenchmarkSubstitution(b *testing.B) {
	benchmark(b, `for ((i=0; i<1000; i++)); do x=$(echo); done`)
}

func BenchmarkSubstitutionOfCommand(b *testing.B) {
	benchmark(b, `for ((i=0; i<1000; i++)); do x=$(cat /dev/null); done`)
}

func BenchmarkPipe(b *testing.B) {
	benchmark(b, `for ((i=0; i<1000; i++)); do echo $i | cat; done`)
}

func BenchmarkReadLoop(b *testing.B) {
	benchmark(b, `for ((i=0; i<5000; i++)); do echo line $i; done | while read -r a c; do :; done`)
}
