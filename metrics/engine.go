package metrics

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm/actors"
)

// engine is the actor system that is read at each scrape.
type engine struct {
	sys    *actors.System
	census *actors.Census
}

// invocationKind is the kind of the actors of invocations, which a run makes anew itself.
const invocationKind = "invocation"

func (m *Metrics) collectEngine(ch chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, t prometheus.ValueType, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, t, v, labels...)
	}
	const gauge, counter = prometheus.GaugeValue, prometheus.CounterValue
	v := m.v
	send(v.build, gauge, 1, m.version, runtime.Version())
	e := m.engine.Load()
	if e == nil {
		return
	}
	count := e.census.Take()
	remade := m.remade.Load()
	for _, k := range count.Kinds {
		if k.Kind == invocationKind {
			k.Restarts, remade = k.Restarts+remade, 0
		}
		send(v.actors, gauge, float64(k.Live), k.Kind)
		send(v.mailbox, gauge, float64(k.Mailbox), k.Kind)
		send(v.age, gauge, k.Age.Seconds(), k.Kind)
		send(v.restarts, counter, float64(k.Restarts), k.Kind)
		send(v.escalations, counter, float64(k.Escalations), k.Kind)
		send(v.failures, counter, float64(k.Failures), k.Kind)
	}
	if remade > 0 { // none lives now
		send(v.restarts, counter, float64(remade), invocationKind)
	}
	n := e.sys.Counters()
	send(v.leaked, gauge, float64(count.LeakedEffects))
	send(v.stale, counter, float64(n.StaleDone))
	send(v.late, counter, float64(n.LateAnswers))
	send(v.asksOpen, gauge, float64(n.AsksOpen))
	send(v.undelivered, counter, float64(n.ToNobody), "nobody")
	send(v.undelivered, counter, float64(n.ToEnded), "ended")
	send(v.undelivered, counter, float64(n.LeftBehind), "left_behind")
	send(v.asks, counter, float64(n.Asks.Answered), "answered")
	send(v.asks, counter, float64(n.Asks.Failed), "failed")
	send(v.asks, counter, float64(n.Asks.Overdue), "deadline")
	send(v.asks, counter, float64(n.Asks.Stopped), "stopped")
	send(v.asks, counter, float64(n.Asks.Cancelled), "cancelled")
}
