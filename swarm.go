package swarm

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/supervision"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
)

// Error is the one error type of the program. See its fields; match by code.
type Error = fault.Error

// Team is a whole team: agents, models, limits. Load one with [LoadTeam] or build it.
type Team = config.Team

// LoadTeam reads a team file, a directory that holds team.yaml, or a directory of agent
// files. The error has the code "config.invalid" and a config.Faults with every fault of the
// files as its cause.
func LoadTeam(path string) (*Team, error) { return config.Load(path) }

// Commit is a file that a run publishes as its output.
type Commit = builtin.Commit

// Options configure a [Runtime]. The zero value works: it keeps everything in memory.
type Options struct {
	// Dir is the data directory; it is made when it is missing. Empty, and no Store:
	// runs live in memory and end with the process.
	Dir string
	// Durability is "full" (default: a record is on disk before anyone acts on it) or
	// "relaxed" (only ordered; for tests and throw-away runs).
	Durability string
	// Store is used instead of Dir. It is not closed by Close.
	Store journal.Store
	// Logger gets what operators should know; nil: nothing is logged.
	Logger *slog.Logger
	// Clock is the runtime's clock; nil: the real one.
	Clock actors.Clock
	// Env looks up `${NAME}` of team files; nil: every look-up fails.
	Env func(name string) (string, bool)
	// Version is written into journals, for people.
	Version string
	// Tools are added to the catalogue of every team.
	Tools []Tool
	// Providers are used for models of these names, before those of the team.
	Providers map[string]model.Provider
	// OnCommit takes what runs publish. It may be asked again with the same id and
	// bytes. nil: commits are recorded and accepted.
	OnCommit func(ctx context.Context, c Commit) (ref string, err error)
	// Preview gets pieces of answers that are still coming; nil: nobody does.
	Preview func(path string, d model.Delta)
	// Probe sees every model request; nil: nobody does.
	Probe agent.Probe
	// Registerer gets the series of this runtime; nil: nothing is counted. A second
	// runtime of the program needs its own, e.g. one wrapped with a label.
	Registerer prometheus.Registerer
	// Drain is how long Close waits for effects that have begun; default 20 s.
	Drain time.Duration
}

// Runtime runs teams. Make one with [Open], end it with [Runtime.Close].
type Runtime struct {
	o         Options
	sys       *actors.System
	store     journal.Store
	own       bool
	runs      *supervision.Runs
	last      atomic.Pointer[prepared]
	preparing sync.Mutex
	live      sync.Map // *claim by run id

	observe func(run string, team *Team) supervision.Observer // nil: nobody looks

	closing sync.Once
	ending  atomic.Bool // Close was called
	closed  error
}

// Open starts a runtime. Errors: those of opening the store, e.g.
// "journal.version_unsupported" for a directory of a newer program.
func Open(ctx context.Context, o Options) (*Runtime, error) {
	if o.Clock == nil {
		o.Clock = actors.RealClock()
	}
	if o.Version == "" {
		o.Version = Version
	}
	rt := &Runtime{o: o, store: o.Store}
	switch {
	case rt.store != nil:
	case o.Dir == "":
		rt.store, rt.own = journal.NewMemory(journal.MemoryOptions{Clock: o.Clock.Now}), true
	default:
		st, err := journal.OpenSQLite(ctx, o.Dir, journal.SQLiteOptions{Durability: o.Durability})
		if err != nil {
			return nil, err
		}
		rt.store, rt.own = st, true
	}
	rt.sys = actors.New(actors.Options{Logger: o.Logger, Clock: o.Clock})
	runs, err := supervision.Open(rt.sys, rt.store)
	if err != nil {
		rt.sys.Shutdown(ctx)
		return nil, err
	}
	rt.runs = runs
	return rt, nil
}

// Close brings every run to rest and ends the runtime. Runs that had not ended are
// paused and can be resumed. The error names what did not stop in time
// ("runtime.survivors"). A second call waits for the first and gives its error.
func (rt *Runtime) Close(ctx context.Context) error {
	rt.closing.Do(func() { rt.closed = rt.shutdown(ctx) })
	return rt.closed
}

const hurry = 2 * time.Second // that actors get to stop when the context of Close has ended

func (rt *Runtime) shutdown(ctx context.Context) error {
	rt.ending.Store(true) // nothing is begun any more
	_ = rt.runs.PauseAll(ctx, "shutdown")
	rt.live.Range(func(_, v any) bool {
		select {
		case <-v.(*claim).gone:
		case <-ctx.Done():
		}
		return ctx.Err() == nil
	})
	stop, cancel := ctx, func() {}
	if ctx.Err() != nil { // the store is not closed under actors that only need a moment
		stop, cancel = context.WithTimeout(context.WithoutCancel(ctx), hurry)
	}
	defer cancel()
	left := rt.sys.Shutdown(stop)
	if rt.own {
		if err := rt.store.Close(); err != nil {
			return err
		}
	}
	if len(left) > 0 {
		e := fault.New("runtime.survivors", "%d actors did not stop in time", len(left))
		for _, s := range left {
			e.Detail += ", " + s.Path
		}
		return e
	}
	return nil
}

// Tree gives the live actors, for operators.
func (rt *Runtime) Tree() []actors.Node { return rt.sys.Tree() }

// Counters gives what the engine has counted.
func (rt *Runtime) Counters() actors.Counters { return rt.sys.Counters() }

// Store gives the runtime's journal store, for readers.
func (rt *Runtime) Store() journal.Store { return rt.store }

func uniform(n int) int { return rand.IntN(n) }
