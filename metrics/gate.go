package metrics

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm/actors"
)

// gate is one gate of a run. It keeps count of what it has added to the queue, so that a
// gate that ends leaves nothing there.
type gate struct {
	queue   [2]prometheus.Gauge // by mode
	wait    [2]prometheus.Observer
	waiting [2]atomic.Int64
}

var _ actors.GateWatch = (*gate)(nil)

func (m *Metrics) gate(key string) *gate {
	name := m.gateNames.label(key)
	g := &gate{}
	for i, mode := range [2]string{actors.Read: "read", actors.Write: "write"} {
		g.queue[i] = m.v.gateQueue.WithLabelValues(name, mode)
		g.wait[i] = m.v.gateWait.WithLabelValues(name, mode)
	}
	return g
}

// Queued implements [actors.GateWatch].
func (g *gate) Queued(mode actors.GateMode, by int) {
	g.waiting[mode].Add(int64(by))
	g.queue[mode].Add(float64(by))
}

// Granted implements [actors.GateWatch].
func (g *gate) Granted(mode actors.GateMode, wait time.Duration) {
	g.wait[mode].Observe(wait.Seconds())
}

// takeBack is called when the gate has ended.
func (g *gate) takeBack() {
	for i := range g.waiting {
		g.queue[i].Sub(float64(g.waiting[i].Swap(0)))
	}
}
