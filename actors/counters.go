package actors

import (
	"sync/atomic"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Counters are totals since the system was made, but for Live and AsksOpen, which are
// what there is now.
type Counters struct {
	Spawned       int64 // actors
	Live          int64 // actors that have not ended, leaked ones included
	Failures      int64 // incarnations that panicked or escalated, panics in Stopping, leaks
	Restarts      int64
	Escalations   int64
	AsksOpen      int64
	AsksSettled   int64
	Asks          AskOutcomes
	LateAnswers   int64 // answers to an ask that was settled already
	StaleDone     int64 // outcomes of effects whose incarnation had ended
	LeakedEffects int64
	LeakedActors  int64
	Undelivered   int64 // sum of the next three
	ToNobody      int64 // messages to the zero Ref
	ToEnded       int64 // messages to an actor that has ended
	LeftBehind    int64 // messages in the mailbox of an actor that ends
}

// AskOutcomes says how asks were settled.
type AskOutcomes struct {
	Answered  int64
	Failed    int64 // by the callee, or with it
	Overdue   int64 // the deadline came first
	Stopped   int64 // the callee had ended, or was stopping
	Cancelled int64 // nobody waits for the answer any more
}

// kindCounts are the counters of one kind of actors.
type kindCounts struct{ restarts, escalations, failures atomic.Int64 }

// kind gives the counters of a kind.
func (c *counts) kind(name string) *kindCounts {
	v, ok := c.kinds.Load(name)
	if !ok {
		v, _ = c.kinds.LoadOrStore(name, new(kindCounts))
	}
	return v.(*kindCounts)
}

// settled counts an ask by its error.
func (c *counts) settled(err error) {
	n := &c.answered
	if err != nil {
		switch fault.Code(err) {
		case "ask.deadline":
			n = &c.overdue
		case "ask.stopped":
			n = &c.stopped
		case "ask.cancelled":
			n = &c.cancelled
		default:
			n = &c.failed
		}
	}
	n.Add(1)
}

// Counters is a snapshot; each number is read by itself.
func (s *System) Counters() Counters {
	c := &s.count
	// The settled ones before all asks, so that none is counted as less than open.
	asks := AskOutcomes{Answered: c.answered.Load(), Failed: c.failed.Load(), Overdue: c.overdue.Load(),
		Stopped: c.stopped.Load(), Cancelled: c.cancelled.Load()}
	settled := asks.Answered + asks.Failed + asks.Overdue + asks.Stopped + asks.Cancelled
	nobody, ended, left := c.toNobody.Load(), c.toEnded.Load(), c.left.Load()
	return Counters{
		Spawned: c.spawned.Load(), Live: c.live.Load(), Failures: c.failures.Load(),
		Restarts: c.restarts.Load(), Escalations: c.escalations.Load(),
		AsksOpen: c.asks.Load() - settled, AsksSettled: settled, Asks: asks, LateAnswers: c.lateAnswers.Load(),
		StaleDone: c.staleDone.Load(), LeakedEffects: c.leakedEffects.Load(), LeakedActors: c.leakedActors.Load(),
		Undelivered: nobody + ended + left, ToNobody: nobody, ToEnded: ended, LeftBehind: left,
	}
}
