package metrics

import "time"

// Shell counts a command of the sandboxed shell that has ended: how, and how long it took
// without the wait for a worker. It is safe for concurrent use.
func (m *Metrics) Shell(outcome string, took time.Duration) {
	m.v.shellCommands.WithLabelValues(outcome).Inc()
	m.v.shellSeconds.WithLabelValues(outcome).Observe(took.Seconds())
}
