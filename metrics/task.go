package metrics

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Where a child stands in the pool of its parent.
const (
	isMember = iota
	isQueued
	isLent
	nMembers
	isNowhere = -1
)

var members = set{"running", "queued", "lent"}

// task is what is known of one task.
type task struct {
	agent            *agentSeries
	child            bool // it takes a slot
	created, started time.Time
	place            int
	ended            bool
}

// foldTask applies a record about a task, and says whether it was one.
func (r *Run) foldTask(rec *journal.Record, live bool) bool {
	id := rec.Scope.Task
	if m, ok := rec.Payload.(*journal.TaskCreated); ok {
		r.tasks[id] = &task{agent: r.m.agent(m.Agent), child: m.Kind == "return_to_parent", created: rec.At, place: isNowhere}
		return true
	}
	t := r.tasks[id]
	if t == nil {
		return false
	}
	switch m := rec.Payload.(type) {
	case *journal.TaskQueued:
		r.member(t, isQueued)
	case *journal.TaskStarted:
		t.started = rec.At
		if live {
			t.agent.queued().Observe(max(0, rec.At.Sub(t.created).Seconds()))
		}
		if t.child {
			r.member(t, isMember)
		}
	case *journal.SlotLent:
		r.member(t, isLent)
	case *journal.SlotTaken:
		r.member(t, isMember)
	case *journal.SlotFreed:
		r.member(t, isNowhere)
	case *journal.TaskEnded:
		r.endTask(t, m, rec.At, live)
	default:
		return false
	}
	if t.ended && t.place == isNowhere {
		delete(r.tasks, id)
	}
	return true
}

func (r *Run) endTask(t *task, m *journal.TaskEnded, at time.Time, live bool) {
	t.ended = true
	if t.place == isQueued || !t.child {
		r.member(t, isNowhere)
	}
	if !live {
		return
	}
	outcome := outcomes.index(string(m.Outcome))
	t.agent.task(outcome).Inc()
	if !t.started.IsZero() {
		t.agent.taskTook(outcome).Observe(max(0, at.Sub(t.started).Seconds()))
	}
}

// member moves a child within the pool gauge.
func (r *Run) member(t *task, to int) {
	if t.place == to {
		return
	}
	if t.place >= 0 {
		r.m.pool[t.place].Dec()
	}
	if to >= 0 {
		r.m.pool[to].Inc()
	}
	t.place = to
}
