package metrics

import (
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// lazy is a series that is resolved at its first use, so that what never happens has no
// series. Resolving twice gives the same series.
type lazy[T any] struct{ p atomic.Pointer[T] }

func (l *lazy[T]) get(resolve func() T) T {
	if p := l.p.Load(); p != nil {
		return *p
	}
	v := resolve()
	l.p.Store(&v)
	return v
}

// teamSeries has the series of one team.
type teamSeries struct {
	v       *vectors
	name    string
	active  prometheus.Gauge
	started prometheus.Counter
	ended   [nOutcomes]lazy[prometheus.Counter]
	seconds [nOutcomes]lazy[prometheus.Observer]
}

func (m *Metrics) team(name string) *teamSeries {
	return resolve(&m.teams, name, func() *teamSeries {
		name := m.teamNames.label(name)
		return &teamSeries{v: m.v, name: name, active: m.v.runsActive.WithLabelValues(name), started: m.v.runsStarted.WithLabelValues(name)}
	})
}

func (t *teamSeries) end(outcome int) prometheus.Counter {
	return t.ended[outcome].get(func() prometheus.Counter { return t.v.runsEnded.WithLabelValues(t.name, outcomes[outcome]) })
}

func (t *teamSeries) took(outcome int) prometheus.Observer {
	return t.seconds[outcome].get(func() prometheus.Observer { return t.v.runSeconds.WithLabelValues(t.name, outcomes[outcome]) })
}

// agentSeries has the series of one profile.
type agentSeries struct {
	v       *vectors
	name    string
	states  [nStates]lazy[prometheus.Gauge]
	ended   [nKinds][nOutcomes]lazy[prometheus.Counter]
	turns   [nKinds][nTurns]lazy[prometheus.Counter]
	tasks   [nOutcomes]lazy[prometheus.Counter]
	seconds [nOutcomes]lazy[prometheus.Observer]
	queue   lazy[prometheus.Observer]
}

func (m *Metrics) agent(id string) *agentSeries {
	return resolve(&m.agents, id, func() *agentSeries { return &agentSeries{v: m.v, name: m.agentNames.label(id)} })
}

func (a *agentSeries) state(i int) prometheus.Gauge {
	return a.states[i].get(func() prometheus.Gauge { return a.v.invocations.WithLabelValues(a.name, states[i]) })
}

func (a *agentSeries) end(kind, outcome int) prometheus.Counter {
	return a.ended[kind][outcome].get(func() prometheus.Counter {
		return a.v.invocationsEnded.WithLabelValues(a.name, kinds[kind], outcomes[outcome])
	})
}

func (a *agentSeries) turn(kind, outcome int) prometheus.Counter {
	return a.turns[kind][outcome].get(func() prometheus.Counter {
		return a.v.turns.WithLabelValues(a.name, kinds[kind], turns[outcome])
	})
}

func (a *agentSeries) task(outcome int) prometheus.Counter {
	return a.tasks[outcome].get(func() prometheus.Counter { return a.v.tasks.WithLabelValues(a.name, outcomes[outcome]) })
}

func (a *agentSeries) taskTook(outcome int) prometheus.Observer {
	return a.seconds[outcome].get(func() prometheus.Observer { return a.v.taskSeconds.WithLabelValues(a.name, outcomes[outcome]) })
}

func (a *agentSeries) queued() prometheus.Observer {
	return a.queue.get(func() prometheus.Observer { return a.v.taskQueue.WithLabelValues(a.name) })
}

// handoff gives the counter of a pair of agents.
func (m *Metrics) handoff(from, to string) prometheus.Counter {
	return resolve(&m.handoffs, from+"\x00"+to, func() prometheus.Counter {
		if !m.pairs.fits(from + "\x00" + to) {
			from, to = other, other
		}
		return m.v.handoffs.WithLabelValues(from, to)
	})
}

// toolSeries has the series of one tool.
type toolSeries struct {
	v            *vectors
	name, source string
	calls        [nOutcomes]lazy[prometheus.Counter]
	seconds      [nOutcomes]lazy[prometheus.Observer]
	inFlight     [nEffects]lazy[prometheus.Gauge]
}

// tool gives the series of a tool by its id; "" is a name that no tool has.
func (m *Metrics) tool(id string) *toolSeries {
	return resolve(&m.tools, id, func() *toolSeries {
		source, native, found := strings.Cut(id, ":")
		if !found || native == "" {
			return &toolSeries{v: m.v, name: unknown, source: unknown}
		}
		n := &m.toolNames
		if source == "builtin" {
			n = &m.builtinNames
		}
		if name := n.label(id); name != other {
			return &toolSeries{v: m.v, name: name, source: clean(source)}
		}
		return &toolSeries{v: m.v, name: other, source: other}
	})
}

func (t *toolSeries) call(outcome int) prometheus.Counter {
	return t.calls[outcome].get(func() prometheus.Counter { return t.v.calls.WithLabelValues(t.name, t.source, outcomes[outcome]) })
}

func (t *toolSeries) took(outcome int) prometheus.Observer {
	return t.seconds[outcome].get(func() prometheus.Observer {
		return t.v.callSeconds.WithLabelValues(t.name, t.source, outcomes[outcome])
	})
}

func (t *toolSeries) flying(effect int) prometheus.Gauge {
	return t.inFlight[effect].get(func() prometheus.Gauge { return t.v.flying.WithLabelValues(t.name, effects[effect]) })
}
