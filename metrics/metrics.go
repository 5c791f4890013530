package metrics

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Options configure [New].
type Options struct {
	Version string           // of the program
	Now     func() time.Time // nil: time.Now
}

// Metrics are the series of one runtime. It is a collector that is registered as a whole.
type Metrics struct {
	v       *vectors
	now     func() time.Time
	version string
	reg     prometheus.Registerer

	engine atomic.Pointer[engine]
	remade atomic.Int64 // actors of invocations, which their runs make anew

	teams, agents, handoffs, tools, models, retried, types, costs sync.Map // what was resolved, by name
	teamNames, agentNames, pairs, builtinNames, toolNames         names
	modelNames, gateNames, typeNames, providerNames               names
	costNames                                                     names

	pool         [nMembers]prometheus.Gauge
	drain        prometheus.Observer
	flush, batch prometheus.Observer
	bytes        prometheus.Counter
}

var (
	_ prometheus.Collector = (*Metrics)(nil)
	_ journal.FlushWatch   = (*Metrics)(nil)
)

// New makes the series of a runtime, all at zero.
func New(o Options) *Metrics {
	if o.Now == nil {
		o.Now = time.Now
	}
	v := newVectors()
	m := &Metrics{v: v, now: o.Now, version: clean(o.Version),
		teamNames: names{max: maxTeams}, agentNames: names{max: maxAgents}, pairs: names{max: maxHandoffs},
		builtinNames: names{max: maxBuiltins}, toolNames: names{max: maxTools}, modelNames: names{max: maxModels},
		gateNames: names{max: maxGates}, typeNames: names{max: maxTypes}, providerNames: names{max: maxProviders}, costNames: names{max: maxCosts},
		drain: v.drain.WithLabelValues(), flush: v.appendSeconds.WithLabelValues(), batch: v.batchRecords.WithLabelValues(),
		bytes: v.bytes.WithLabelValues()}
	for i, state := range members {
		m.pool[i] = v.pool.WithLabelValues(state)
	}
	for _, class := range found[:len(found)-1] {
		v.recovered.WithLabelValues(class)
	}
	return m
}

// Register exports the series. The error has the code "metrics.registered" when the
// registerer has series of these names already, its own among them.
func (m *Metrics) Register(r prometheus.Registerer) error {
	if err := r.Register(m); err != nil {
		return fault.Wrap(err, "metrics.registered", "the registerer has the series of a runtime already; "+
			"give each runtime a registry of its own, or wrap the registerer of each with the same label and another value (prometheus.WrapRegistererWith)").With("register metrics", "")
	}
	m.reg = r
	return nil
}

// Unregister takes the series back.
func (m *Metrics) Unregister() {
	if m.reg != nil {
		m.reg.Unregister(m)
	}
}

// Watch has the engine's numbers exported. Without it they are left out.
func (m *Metrics) Watch(s *actors.System) { m.engine.Store(&engine{s, s.Census()}) }

// Describe implements [prometheus.Collector].
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.v.kept {
		c.Describe(ch)
	}
	for _, d := range m.v.read {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.v.kept {
		c.Collect(ch)
	}
	m.collectEngine(ch)
}

// Flushed implements [journal.FlushWatch].
func (m *Metrics) Flushed(records, bytes int, took time.Duration) {
	m.flush.Observe(took.Seconds())
	m.batch.Observe(float64(records))
	m.bytes.Add(float64(bytes))
}

// recordsOf gives the counter of a type of records.
func (m *Metrics) recordsOf(t journal.Type) prometheus.Counter {
	return resolve(&m.types, string(t), func() prometheus.Counter { return m.v.records.WithLabelValues(m.typeNames.label(string(t))) })
}

// resolve gives what a map has under a key, made once.
func resolve[T any](in *sync.Map, key string, mk func() T) T {
	v, ok := in.Load(key)
	if !ok {
		v, _ = in.LoadOrStore(key, mk())
	}
	return v.(T)
}
