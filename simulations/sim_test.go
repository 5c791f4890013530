package simulations

import (
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

var (
	seeds = flag.Int("sim.seeds", 2000, "seeds that the simulation tries")
	first = flag.Uint64("sim.first", 1, "the first of them")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func dump(recs []journal.Record) string {
	out := ""
	for _, r := range recs {
		var p any = r.Payload
		switch m := r.Payload.(type) { // a stack names addresses and goroutines of this process
		case *journal.CallSettled:
			c := *m
			c.Stack = journal.Content{}
			p = c
		case *journal.ActorFailed:
			c := *m
			c.Stack = journal.Content{}
			p = c
		}
		body, _ := json.Marshal(p)
		if len(body) > 300 {
			body = body[:300]
		}
		out += fmt.Sprintf("%4d e%d %-20s %s %s t%d %.6s %s\n", r.Seq, r.Epoch, r.Type(), r.Scope.Invocation, r.Scope.Task, r.Scope.Turn, r.Scope.Call, body)
	}
	return out
}

// Random teams under random interleavings, crashes and cancels keep every promise of the
// journal, of pairing and of effects.
func TestSimulation(t *testing.T) {
	t.Parallel()
	var next atomic.Int64
	var bad atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for bad.Load() < 5 {
				i := int(next.Add(1)) - 1
				if i >= *seeds {
					return
				}
				o := Options{Seed: *first + uint64(i), Crashes: i % 4, Cancel: i%7 == 3, Says: i % 5 * 3}
				rep := Run(o)
				if len(rep.Faults) > 0 {
					t.Errorf("seed %d (%+v): %q", o.Seed, o, rep.Faults)
					if bad.Add(1) == 1 {
						t.Log(dump(rep.Records))
					}
				}
			}
		})
	}
	wg.Wait()
}

// The simulation comes to everything that can become of guidance: it is given to a first
// owner and to a later one, waits over a crash, ends an await, stands in the place of a
// reminder, is refused, and is dropped at the end.
func TestSimulationOfGuidance(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(60) {
		rep := Run(Options{Seed: seed, Crashes: int(seed % 3), Says: 14})
		if len(rep.Faults) > 0 {
			t.Fatalf("seed %d: %q\n%s", seed, rep.Faults, dump(rep.Records))
		}
		epoch := map[string]int64{}
		for i := range rep.Records {
			r := &rep.Records[i]
			switch m := r.Payload.(type) {
			case *journal.GuidanceSubmitted:
				epoch[m.ID] = r.Epoch
			case *journal.GuidanceApplied:
				seen["given to "+map[bool]string{true: "root", false: "a target"}[r.Scope.Invocation == "root"]]++
				if epoch[m.ID] < r.Epoch {
					seen["given by a later owner of the journal"]++
				}
			case *journal.GuidanceDiscarded:
				seen["dropped"]++
			case *journal.TurnCorrected:
				if m.Instead != "" {
					seen["instead of a reminder"]++
				}
			case *journal.CallSettled:
				if strings.Contains(string(m.Data()), `"interrupted":"guidance"`) {
					seen["ends an await"]++
				}
			}
		}
		for _, answer := range rep.Answers {
			if err := journal.Refusal(answer); err != nil {
				seen[fault.Code(err)]++
			}
		}
	}
	for _, what := range []string{"given to root", "given to a target", "given by a later owner of the journal", "dropped", "instead of a reminder", "ends an await",
		"guidance.too_late", "guidance.full"} {
		if seen[what] == 0 {
			t.Errorf("never: %s (%v)", what, seen)
		}
	}
}

// The same seed gives the same journal.
func TestSameSeedSameJournal(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		o := Options{Seed: seed, Crashes: int(seed % 3), Says: int(seed % 4), Window: []int{0, 4800}[seed%2]}
		a, b := dump(Run(o).Records), dump(Run(o).Records)
		if a != b {
			t.Fatalf("seed %d:\n%s\n---\n%s", seed, a, b)
		}
	}
}

// In a small window the simulation comes to everything that can become of a conversation
// that is too long: turns are put in short by a model and by rule, on the estimate and on
// the server's word, and it ends because nothing fits any more.
func TestSimulationOfWindows(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(120) {
		rep := Run(Options{Seed: seed, Crashes: int(seed % 4), Cancel: seed%7 == 3, Says: int(seed%5) * 2, Window: []int{4000, 4800, 5600, 1_000_000}[seed%4]})
		if len(rep.Faults) > 0 {
			t.Fatalf("seed %d: %q\n%s", seed, rep.Faults, dump(rep.Records))
		}
		for i := range rep.Records {
			switch m := rep.Records[i].Payload.(type) {
			case *journal.HistoryCompacted:
				seen[m.By]++
				seen[m.Why]++
			case *journal.ModelAttemptFailed:
				seen[m.Class]++
			case *journal.TurnClosed:
				seen[m.Reason]++
			}
		}
	}
	for _, what := range []string{"summary", "digest", "cut", "window", "overflow", "closing", "context_overflow", "context_exhausted"} {
		if seen[what] == 0 {
			t.Errorf("never: %s (%v)", what, seen)
		}
	}
}
