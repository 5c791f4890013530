package swarm

import (
	"context"
	"errors"
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
	"github.com/seed-cf6d8d1b/swarm/metrics"
	"github.com/seed-cf6d8d1b/swarm/supervision"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
)

// Error is the one error type of the program. See its fields; match by code.
type Error = fault.Error

// LoadTeam reads a team file, a directory that holds team.yaml, or a directory of agent
// files. The error has the code "config.invalid" and [Faults], every fault of the files, as its
// cause.
func LoadTeam(path string) (*Team, error) { return config.Load(path) }

// Code gives the code of an error of this program, such as "journal.run_held"; "" for any
// other error.
func Code(err error) string { return fault.Code(err) }

// Commit is a file that a run publishes as its output. Its ID is the same at every
// repetition.
type Commit = builtin.Commit

// Clock is the time of a runtime; swarmtest.NewClock gives one that a test moves.
type Clock = actors.Clock

// RequestProbe sees every model request right before it goes out; see [Options].Probe.
type RequestProbe = agent.Probe

// Node is one live actor; see [Runtime.Tree].
type Node = actors.Node

// Counters are what the engine has counted; see [Runtime.Counters].
type Counters = actors.Counters

// Options configure a [Runtime]. The zero value works: it keeps everything in memory.
type Options struct {
	// Dir is the data directory; it is made when it is missing. Empty, and no Store:
	// runs live in memory and end with the process.
	Dir string
	// Durability is "full" (default: a record is on disk before anyone acts on it) or
	// "relaxed" (only ordered; for tests and throw-away runs).
	Durability string
	// Store is used instead of Dir. It is not closed by Close. Runtimes may share one: a run
	// belongs to one of them at a time.
	Store Store
	// Logger gets what operators should know, without secrets; nil: nothing is logged.
	Logger *slog.Logger
	// Clock is the runtime's clock; nil: the real one.
	Clock Clock
	// Env looks up `${NAME}` of team files; nil: every look-up fails. What it gives is a
	// secret, unless the team lists the name in PlainEnv: it never comes into a record.
	Env func(name string) (string, bool)
	// Version is written into journals, for people.
	Version string
	// Tools are added to the catalogue of every team.
	Tools []Tool
	// Providers are used for models of these names, before those of the team.
	Providers map[string]Provider
	// OnCommit takes what runs publish, and gives its name for it. It may be asked again
	// with the same id and bytes, when the process died before the answer was recorded: it
	// has to take them once. An error is a result that the model reads. nil: commits are
	// recorded and accepted.
	OnCommit func(ctx context.Context, c Commit) (ref string, err error)
	// Preview gets pieces of answers that are still coming, with the path of the agent. It
	// is called concurrently and must not block. When it panics, the run goes on. nil: nobody
	// does.
	Preview func(path string, d ModelDelta)
	// Probe sees every model request. When it panics, the run goes on. nil: nobody does.
	Probe RequestProbe
	// Registerer gets the series of this runtime; nil: nothing is counted. Runtimes that
	// share a registry are each given it wrapped with the same label and another value.
	Registerer prometheus.Registerer
	// Record names a file that gets the traffic of all models of the network, with known
	// secrets masked; Replay one whose answers stand in their place: then no server is
	// asked and no key is needed. Scripted models and Providers go on as they are, and so do
	// models of provider replay. Record counts before the record of a model.
	Record, Replay string
	// AllowInProcessJS lets the shell run JavaScript within this process when the program
	// does not call [ShellWorker]. One script can then end the program.
	AllowInProcessJS bool
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
	limiters  limiters
	live      sync.Map // *claim by run id
	cassette  cassette
	shells    shells
	asides    sync.Map // keys are the runtimes in memory of calls that are under way
	known     known    // secrets, for the log

	observe func(run string, team *Team) supervision.Observer // nil: nobody looks
	series  *metrics.Metrics                                  // nil: nothing is counted

	ending atomic.Bool // Close was called
	over   context.Context
	quiet  context.CancelFunc // ends over: no record comes any more
	gone   chan struct{}      // closed when Close is through, after closed was set
	closed error
}

// Open starts a runtime. Errors: those of opening the store, e.g.
// "journal.version_unsupported" for a directory of a newer program;
// "tool.catalog_duplicate_id" for two tools of one name, and other codes of [NewTool] for a
// tool that was not made by it; "metrics.registered" for a Registerer that has another
// runtime's series.
func Open(ctx context.Context, o Options) (*Runtime, error) {
	if o.Clock == nil {
		o.Clock = actors.RealClock()
	}
	if o.Version == "" {
		o.Version = Version
	}
	if _, err := tooling.NewCatalogue(o.Tools...); err != nil {
		return nil, err
	}
	rt := &Runtime{o: o, store: o.Store, gone: make(chan struct{})}
	o.Logger = rt.known.logger(o.Logger)
	rt.o.Logger = o.Logger
	rt.o.calm()
	if err := rt.openCassette(); err != nil {
		return nil, err
	}
	if err := rt.exports(); err != nil {
		return nil, errors.Join(err, rt.cassette.close())
	}
	switch {
	case rt.store != nil:
	case o.Dir == "":
		rt.store, rt.own = journal.NewMemory(journal.MemoryOptions{Clock: o.Clock.Now}), true
	default:
		st, err := journal.OpenSQLite(ctx, o.Dir, journal.SQLiteOptions{Durability: o.Durability})
		if err != nil {
			rt.unexport()
			return nil, errors.Join(err, rt.cassette.close())
		}
		rt.store, rt.own = st, true
	}
	rt.sys = actors.New(actors.Options{Logger: o.Logger, Clock: o.Clock})
	rt.watch(rt.sys)
	runs, err := supervision.OpenWatched(rt.sys, rt.store, rt.flushes())
	if err != nil {
		rt.unexport()
		rt.sys.Shutdown(ctx)
		if rt.own {
			_ = rt.store.Close()
		}
		return nil, errors.Join(err, rt.cassette.close())
	}
	rt.runs = runs
	rt.over, rt.quiet = context.WithCancel(context.Background())
	return rt, nil
}

// Tree gives the live actors, for operators.
func (rt *Runtime) Tree() []Node { return rt.sys.Tree() }

// Counters gives what the engine has counted.
func (rt *Runtime) Counters() Counters { return rt.sys.Counters() }

// Store gives the runtime's journal store, for readers.
func (rt *Runtime) Store() Store { return rt.store }

func uniform(n int) int { return rand.IntN(n) }
