package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm/model/limit"
)

// limiter is the limiter of one key. Several of a provider share its series, so it keeps
// count of what it has added to the queue.
type limiter struct {
	v        *vectors
	provider string
	waiting  [nReasons]float64
	queue    [nReasons]prometheus.Gauge
	wait     [nReasons]prometheus.Observer
}

// Limiter gives who hears of a limiter of a provider. It is for one limiter, whose actor
// calls it.
func (m *Metrics) Limiter(provider string) limit.Observer {
	l := &limiter{v: m.v, provider: m.providerNames.label(provider)}
	return limit.Observer{Waits: l.waits, Granted: l.granted}
}

func (l *limiter) waits(reason string, n int) {
	for i := range reasons {
		now := 0.0
		if n > 0 && i == place(reason) {
			now = float64(n)
		}
		if now == l.waiting[i] {
			continue
		}
		if l.queue[i] == nil {
			l.queue[i] = l.v.limiterQueue.WithLabelValues(l.provider, reasons[i])
		}
		l.queue[i].Add(now - l.waiting[i])
		l.waiting[i] = now
	}
}

func (l *limiter) granted(reason string, wait time.Duration) {
	i := place(reason)
	if l.wait[i] == nil {
		l.wait[i] = l.v.limiterWait.WithLabelValues(l.provider, reasons[i])
	}
	l.wait[i].Observe(wait.Seconds())
}

// place gives the place in [reasons] of a reason.
func place(reason string) int {
	if reason == "" {
		return 0
	}
	return reasons.index(reason)
}
