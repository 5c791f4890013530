package supervision

import "github.com/seed-cf6d8d1b/swarm/journal"

// Observer sees what happens in one run. It is called by the run's actor, one call at a
// time, and must not block. The records must not be changed and are not kept.
type Observer interface {
	// Loaded gives all records of a run that is resumed, or whose actor was made anew: what
	// the observer knew of the run before is void.
	Loaded(records []journal.Record)
	// Recorded gives records that have just become durable.
	Recorded(records []journal.Record)
	// Closed says that the run's actor has ended; nothing follows.
	Closed()
}
