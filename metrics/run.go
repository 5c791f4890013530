package metrics

import (
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Run follows one run by its records, as [Metrics.Run] makes it. What it has added to
// gauges it takes back when the run closes.
type Run struct {
	m    *Metrics
	team *teamSeries

	mu     sync.Mutex // Closed may come from another goroutine, when everything ends
	closed bool
	opened bool // it counts as begun
	seen   int64

	invs  map[string]*invocation // that have not ended, by path
	last  *invocation            // of the record before
	tasks map[string]*task       // that have not ended or hold a slot, by id
	spent map[string]bool        // budgets that ran out
	gates map[string]*gate
	types map[journal.Type]prometheus.Counter // of records, as far as they came up
	drain time.Time                           // since when the run is being paused
}

// Run gives who follows a new run of a team, or one that is resumed.
func (m *Metrics) Run(team string) *Run {
	r := &Run{m: m, team: m.team(team), gates: map[string]*gate{}, types: map[journal.Type]prometheus.Counter{}}
	r.forget()
	return r
}

func (r *Run) forget() {
	r.invs, r.tasks, r.spent, r.last = map[string]*invocation{}, map[string]*task{}, map[string]bool{}, nil
}

// Loaded rebuilds what is known of the run. Records of an earlier process are not
// counted, nor are those that were counted when they came.
func (r *Run) Loaded(records []journal.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	counted, fresh := r.seen, !r.opened
	r.takeBack()
	r.forget()
	for i := range records {
		r.fold(&records[i], !fresh && records[i].Seq > counted)
	}
}

// Recorded takes records that have just become durable.
func (r *Run) Recorded(records []journal.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if !r.opened {
		r.opened = true
		r.team.started.Inc()
		r.team.active.Inc()
	}
	for i := range records {
		r.fold(&records[i], true)
	}
}

// Draining notes that the run is being paused.
func (r *Run) Draining(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drain = at
}

// Limited notes whether an invocation waits for the limiter of its model's key.
func (r *Run) Limited(path, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if inv := r.of(path); inv != nil && !r.closed {
		inv.limited = reason != ""
		inv.move()
	}
}

// Gate gives who hears of the gate of a key. The gate before it, if any, has ended.
func (r *Run) Gate(key string) actors.GateWatch {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.gates[key]
	if g == nil {
		g = r.m.gate(key)
		r.gates[key] = g
	}
	g.takeBack()
	return g
}

// Closed takes back what the run has added to gauges, and counts how it came to rest.
func (r *Run) Closed(outcome, code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	r.takeBack()
	for _, g := range r.gates { // order is of no consequence: each is taken back
		g.takeBack()
	}
	if code == "journal.damaged" {
		r.m.v.recovered.WithLabelValues("corrupt").Inc()
	}
	switch {
	case r.opened:
		r.team.active.Dec()
	case code == "journal.ended" || code == "journal.seq_conflict":
		return // a resume that was refused
	default: // it could not even begin
		r.team.started.Inc()
	}
	r.team.end(outcomes.index(outcome)).Inc()
}

// takeBack undoes what the run has added to gauges of work.
func (r *Run) takeBack() {
	for _, inv := range r.invs { // order is of no consequence, here and below
		inv.leave()
	}
	for _, t := range r.tasks {
		r.member(t, isNowhere)
	}
}

// fold applies one record. It is counted when live is true; gauges follow in any case.
func (r *Run) fold(rec *journal.Record, live bool) {
	r.seen = rec.Seq
	if live {
		r.recordsOf(rec.Type()).Inc()
	}
	switch m := rec.Payload.(type) {
	case *journal.RunEnded:
		if live {
			r.team.took(outcomes.index(string(m.Outcome))).Observe(m.Duration.Seconds())
		}
	case *journal.RunPaused:
		if live && !r.drain.IsZero() {
			r.m.drain.Observe(max(0, rec.At.Sub(r.drain).Seconds()))
		}
	case *journal.RunResumed:
		if live {
			r.m.v.recovered.WithLabelValues("settled").Add(float64(r.settled()))
		}
	case *journal.RecoveryClassified:
		for i := range m.Calls {
			if live {
				r.m.v.recovered.WithLabelValues(found[found.index(m.Calls[i].Class)]).Inc()
			}
		}
	case *journal.BudgetExhausted:
		r.exhausted(m.What, live)
	case *journal.InvocationCreated:
		inv := &invocation{path: m.Path, agent: r.m.agent(m.Profile), profile: m.Profile, kind: kinds.index(m.Kind), task: r.tasks[m.Task], state: isNowhere}
		r.invs[m.Path], r.last = inv, inv
		inv.move()
	default:
		if rec.Scope.Task != "" && r.foldTask(rec, live) {
			return
		}
		if inv := r.of(rec.Scope.Invocation); inv != nil {
			r.foldInvocation(inv, rec, live)
			inv.move()
		}
	}
}

// recordsOf gives the counter of a type of records.
func (r *Run) recordsOf(t journal.Type) prometheus.Counter {
	c := r.types[t]
	if c == nil {
		c = r.m.recordsOf(t)
		r.types[t] = c
	}
	return c
}

// of gives an invocation that has not ended, or nil.
func (r *Run) of(path string) *invocation {
	if path == "" {
		return nil
	}
	if r.last == nil || r.last.path != path {
		if inv := r.invs[path]; inv != nil {
			r.last = inv
		} else {
			return nil
		}
	}
	return r.last
}

// exhausted counts a budget that ran out, once.
func (r *Run) exhausted(what string, live bool) {
	name, ok := strings.CutPrefix(what, "budget.")
	if !ok || r.spent[name] {
		return
	}
	r.spent[name] = true
	if live {
		r.m.v.budgets.WithLabelValues(r.team.name, budgets[budgets.index(name)]).Inc()
	}
}

// settled counts the calls of unfinished turns whose results are there.
func (r *Run) settled() int {
	n := 0
	for _, inv := range r.invs {
		if inv.open == 0 {
			continue
		}
		n += len(inv.calls) - inv.open
	}
	return n
}
