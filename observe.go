package swarm

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/metrics"
	"github.com/seed-cf6d8d1b/swarm/model/limit"
	"github.com/seed-cf6d8d1b/swarm/supervision"
)

var _ supervision.Observer = (*metrics.Run)(nil)

// Series describes one exported series: its name, type, labels and what it means.
type Series = metrics.Series

// ExportedSeries lists every series that a runtime with a Registerer may export.
func ExportedSeries() []Series { return metrics.All() }

// Exporter is a registry of its own for one runtime, with the means to serve it. A program
// that has a registry gives that to [Options] instead.
type Exporter struct{ reg *prometheus.Registry }

// NewExporter gives an exporter without series.
func NewExporter() *Exporter { return &Exporter{prometheus.NewRegistry()} }

// Registerer is for [Options].
func (e *Exporter) Registerer() prometheus.Registerer { return e.reg }

// Handler serves the series under /metrics, and "ok" under /healthz.
func (e *Exporter) Handler() http.Handler { return metrics.Handler(e.reg) }

// exports registers the series of the runtime, when somebody wants them.
func (rt *Runtime) exports() error {
	if rt.o.Registerer == nil {
		return nil
	}
	m := metrics.New(metrics.Options{Version: rt.o.Version, Now: rt.o.Clock.Now})
	if err := m.Register(rt.o.Registerer); err != nil {
		return err
	}
	rt.series = m
	rt.observe = func(_ string, team *Team) supervision.Observer { return m.Run(team.Name) }
	return nil
}

// unexport takes the series back.
func (rt *Runtime) unexport() {
	if rt.series != nil {
		rt.series.Unregister()
	}
}

// watch has the engine's numbers exported.
func (rt *Runtime) watch(sys *actors.System) {
	if rt.series != nil {
		rt.series.Watch(sys)
	}
}

// flushes is who hears of the journal's flushes, or nil.
func (rt *Runtime) flushes() journal.FlushWatch {
	if rt.series == nil {
		return nil
	}
	return rt.series
}

// waits is who hears of the waits at the limiters of a provider.
func (rt *Runtime) waits(provider string) limit.Observer {
	if rt.series == nil {
		return limit.Observer{}
	}
	return rt.series.Limiter(provider)
}

// metered has the requests of models counted, under names that hide masks.
func (rt *Runtime) metered(models map[string]agent.Model, hide func(string) string) map[string]agent.Model {
	if rt.series == nil {
		return models
	}
	for name, m := range models { // each is wrapped
		m.Provider = rt.series.Provider(m.Provider, m.Kind, hide(m.Name))
		models[name] = m
	}
	return models
}
