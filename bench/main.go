// Command swarm-bench measures what the runtime itself costs: five workloads with a fake
// model in the process, no network, and the journal in memory. SWARM_BENCH_DIR=DIR keeps
// the journal durably in a fresh folder below DIR instead.
//
//	swarm-bench W1 1000
//
// It prints one JSON object a line: {"peer","version","workload","size","metric","value"}.
// A run whose calls of models and tools do not come to the expected numbers gives the
// metric "n/a" with the reason, and nothing else.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: swarm-bench W1|W2|W3|W4|W5 SIZE")
		os.Exit(2)
	}
	size, err := strconv.Atoi(os.Args[2])
	w, known := workloads[os.Args[1]]
	if err != nil || size < 1 || !known {
		fmt.Fprintf(os.Stderr, "there is no workload %q of size %q; usage: swarm-bench W1|W2|W3|W4|W5 SIZE\n", os.Args[1], os.Args[2])
		os.Exit(2)
	}
	r := &report{workload: os.Args[1], size: size}
	if err := measure(context.Background(), w, r, os.Getenv("SWARM_BENCH_DIR"), os.Getenv("SWARM_BENCH_PROFILE")); err != nil {
		r.print("n/a", err.Error())
	}
}

// report prints the lines of one case.
type report struct {
	workload string
	size     int
}

func (r *report) print(metric string, value any) {
	if f, ok := value.(float64); ok {
		value = json.Number(strconv.FormatFloat(f, 'f', 3, 64))
	}
	line, err := json.Marshal(struct {
		Peer     string `json:"peer"`
		Version  string `json:"version"`
		Workload string `json:"workload"`
		Size     int    `json:"size"`
		Metric   string `json:"metric"`
		Value    any    `json:"value"`
	}{"swarm", swarm.Version, r.workload, r.size, metric, value})
	if err != nil {
		panic(err) // texts and finite numbers always encode
	}
	fmt.Println(string(line))
}

// usage is what a timed part took.
type usage struct {
	wall, cpu         time.Duration
	allocs, allocated float64
	peak, grown       float64 // bytes
}

// measure warms up, runs the timed part and prints its metrics.
func measure(ctx context.Context, w workload, r *report, dir, profile string) (err error) {
	if dir != "" {
		if dir, err = os.MkdirTemp(dir, "swarm-bench-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	b, err := newBench(ctx, dir)
	if err != nil {
		return err
	}
	defer func() {
		if e := b.rt.Close(ctx); e != nil && err == nil {
			err = e
		}
	}()
	if err := w.warm(ctx, b); err != nil {
		return fmt.Errorf("warm-up: %w", err)
	}
	debug.FreeOSMemory()
	b.counts.reset()
	stop, err := startProfile(profile)
	if err != nil {
		return err
	}
	defer stop()
	var before, after runtime.MemStats
	base := memory("VmRSS:")
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	if err := w.run(ctx, b, r.size); err != nil {
		return err
	}
	u := usage{wall: time.Since(start), cpu: cpuTime() - cpu}
	runtime.ReadMemStats(&after)
	u.peak = memory("VmHWM:")
	u.allocs, u.allocated, u.grown = float64(after.Mallocs-before.Mallocs), float64(after.TotalAlloc-before.TotalAlloc), u.peak-base
	if err := b.counts.check(w.want(r.size)); err != nil {
		return err
	}
	w.print(r, u)
	r.print("peak_rss_mib", u.peak/(1<<20))
	return nil
}

// startProfile writes a CPU profile when a file is named.
func startProfile(file string) (stop func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, nil
}

// cpuTime is the user and system time of the process so far.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// memory reads a figure of the process in bytes, 0 where the system does not give it.
func memory(field string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kib, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib * 1024
		}
	}
	return 0
}
