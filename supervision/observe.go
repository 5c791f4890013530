package supervision

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Observer sees what happens in one run. It is called by the run's actor, one call at a
// time unless it says otherwise, and must not block. The records must not be changed and are not kept.
type Observer interface {
	// Loaded gives all records of a run that is resumed, or whose actor was made anew: what
	// the observer knew of the run before is void.
	Loaded(records []journal.Record)
	// Recorded gives records that have just become durable.
	Recorded(records []journal.Record)
	// Draining says that the run is being paused since at; the record follows when what
	// has begun has settled.
	Draining(at time.Time)
	// Gate gives who hears of the run's gate of a key; nil: nobody.
	Gate(key string) actors.GateWatch
	// Limited says what the limiter of a server's key has the invocation of a path wait
	// for; "": it waits no more. It is called by invocations, concurrently.
	Limited(path, reason string)
	// Closed says that the run's actor has ended, with the outcome and the code of the
	// [Result]; nothing that counts follows. Only when the runtime is being closed it comes
	// while the run's actor is still at work, from another goroutine.
	Closed(outcome, code string)
}

// gateSpec is the spec of a run's gate.
func (r *run) gateSpec(name, key string) actors.Spec {
	if r.cfg.Observer == nil {
		return actors.GateSpec(name)
	}
	return actors.WatchedGateSpec(name, r.cfg.Observer.Gate(key))
}
