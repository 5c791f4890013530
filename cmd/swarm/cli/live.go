package cli

import (
	"encoding/json"
	"path"
	"slices"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// liveState is what the live tree knows of a run: a fold of its records, and beside it
// the texts that are still coming and what the user asked for.
type liveState struct {
	run, team string
	word      string // running, paused, parked, or the outcome
	rests     bool   // nothing goes on, in this process
	cancelled bool   // a cancel is on record
	asked     asked  // by a signal

	records int64
	begun   time.Time     // of this stretch of work
	worked  time.Duration // in the stretches before
	last    time.Time     // of the newest record

	limits       agent.Budgets
	rounds       int // answers, closing ones not
	calls        int // counted ones
	agents       int // invocations, ended ones too
	usage        journal.Usage
	presentation map[string]string // by profile, where it is not live

	roots  []*liveAgent
	all    []*liveAgent // in order of creation
	ended  []*liveAgent // in order of their ends
	byPath map[string]*liveAgent
	byTask map[string]*liveAgent
}

// asked is what a signal asked the run for.
type asked uint8

const (
	askedNothing asked = iota
	askedPause
	askedCancel
	askedStop // not to wait for the cancel
)

// liveAgent is an invocation, or a task that waits for one.
type liveAgent struct {
	name, profile string // both safe to show
	presentation  string
	depth         int
	parent        *liveAgent
	below         []*liveAgent
	queue         []*liveAgent // its tasks without a place

	started, ended bool
	outcome        string
	why            string // of an end that is no success
	delivered      bool   // its parent was given the result
	lent           bool   // its place is lent to others
	closing        bool
	cause          string // of a wait that is on record

	model   string // that it asks now
	asks    time.Time
	attempt int
	limiter string // what the limiter of its model has it wait for
	open    []liveCall
	turns   int
	usage   journal.Usage
	text    string // of the answer that is still coming
}

// liveCall is a call without a result.
type liveCall struct {
	key, name string
	awaits    []string // task ids; nil: every result that was not given yet
	await     bool
	since     time.Time
}

func newLiveState() *liveState {
	return &liveState{word: "running", presentation: map[string]string{}, byPath: map[string]*liveAgent{}, byTask: map[string]*liveAgent{}}
}

// fold takes in a record. Every record must pass by in order.
func (s *liveState) fold(r *journal.Record) {
	s.records = r.Seq
	switch m := r.Payload.(type) {
	case *journal.RunCreated:
		s.created(r, m)
	case *journal.RunResumed:
		s.resumed(r)
	case *journal.RunPaused:
		s.rest("paused", r.At)
	case *journal.RunParked:
		s.rest("parked", r.At)
	case *journal.RunEnded:
		s.rest(string(m.Outcome), r.At)
	case *journal.RunCancelRequested:
		s.cancelled = true
	case *journal.TaskCreated:
		if p := s.byPath[m.Parent]; p != nil && m.Kind == "return_to_parent" {
			s.byTask[m.ID] = s.add(p, m.Key, m.Agent)
		}
	case *journal.InvocationCreated:
		s.invocation(r, m)
	default:
		if a := s.byPath[r.Scope.Invocation]; a != nil {
			s.foldAgent(a, r)
		}
		if a := s.byTask[r.Scope.Task]; a != nil {
			s.foldTask(a, r)
		}
	}
	s.last = r.At
}

func (s *liveState) created(r *journal.Record, m *journal.RunCreated) {
	s.run, s.team, s.begun = r.Run, safe(m.Name), r.At
	team, err := config.Decode([]byte(m.Team.Text))
	if err != nil {
		return // it is shown with what is the default
	}
	s.limits = team.Budgets
	for id, p := range team.Agents {
		s.presentation[id] = p.Presentation
	}
}

// resumed begins a new stretch of work. What models were asked they are asked anew.
func (s *liveState) resumed(r *journal.Record) {
	if !s.rests { // after a crash the work had ended with the newest record
		s.worked += s.last.Sub(s.begun)
	}
	s.word, s.rests, s.begun = "running", false, r.At
	for _, a := range s.all {
		a.asks, a.attempt = r.At, 1
		for i := range a.open {
			a.open[i].since = r.At
		}
	}
}

func (s *liveState) rest(word string, at time.Time) {
	s.word, s.rests = word, true
	s.worked += at.Sub(s.begun)
}

func (s *liveState) add(parent *liveAgent, name, profile string) *liveAgent {
	a := &liveAgent{name: safe(name), profile: safe(profile), presentation: s.presentation[profile], parent: parent}
	if parent == nil {
		s.roots = append(s.roots, a)
	} else {
		a.depth = parent.depth + 1
		parent.below = append(parent.below, a)
	}
	s.all = append(s.all, a)
	return a
}

func (s *liveState) invocation(r *journal.Record, m *journal.InvocationCreated) {
	a := s.byTask[m.Task]
	if a == nil || a.started {
		a = s.add(s.byPath[m.Parent], path.Base(m.Path), m.Profile)
	}
	s.byPath[m.Path] = a
	s.agents++
	s.start(a)
}

func (s *liveState) start(a *liveAgent) {
	a.started = true
	if p := a.parent; p != nil {
		p.queue = slices.DeleteFunc(p.queue, func(o *liveAgent) bool { return o == a })
	}
}

func (s *liveState) end(a *liveAgent, outcome journal.Outcome, why string) {
	if a.ended {
		return
	}
	s.start(a)
	s.ended = append(s.ended, a)
	a.ended, a.outcome, a.model, a.open, a.text = true, string(outcome), "", nil, ""
	if outcome != journal.Completed && outcome != journal.Transferred && why != a.outcome {
		a.why = safe(why)
	}
}

func (s *liveState) foldAgent(a *liveAgent, r *journal.Record) {
	switch m := r.Payload.(type) {
	case *journal.ModelRequested:
		a.model, a.asks, a.attempt = safe(m.Model), r.At, 1
		if a.model == "" {
			a.model = safe(m.Provider)
		}
		a.turns, a.open, a.closing = r.Scope.Turn, a.open[:0], m.Closing
	case *journal.ModelAttemptFailed:
		a.attempt, a.text = m.Attempt+1, ""
		agent.AddUsage(&a.usage, m.Usage)
		agent.AddUsage(&s.usage, m.Usage)
	case *journal.ModelAnswered:
		a.model, a.text = "", ""
		if !a.closing {
			s.rounds++
		}
		agent.AddUsage(&a.usage, m.Usage)
		agent.AddUsage(&s.usage, m.Usage)
	case *journal.CompactionRequested:
		a.model, a.asks, a.attempt = safe(m.Model), r.At, 1
	case *journal.HistoryCompacted:
		if m.Why != "overflow" { // else the turn is asked for again without another record
			a.model = ""
		}
		agent.AddUsage(&a.usage, m.Usage)
		agent.AddUsage(&s.usage, m.Usage)
	case *journal.ModelFailed:
		a.model, a.text = "", ""
		agent.AddUsage(&a.usage, m.Usage)
		agent.AddUsage(&s.usage, m.Usage)
	case *journal.TurnClosed:
		a.closing = true
	case *journal.CallRequested:
		if a.call(r.Scope.Call) != nil {
			return
		}
		if m.Counted {
			s.calls++
		}
		c := liveCall{key: r.Scope.Call, name: safe(m.Name), since: r.At}
		if c.await = m.Tool == tooling.IDAwait; c.await {
			c.awaits = taskIDs(m.Args.Text)
		}
		a.open = append(a.open, c)
	case *journal.CallDispatched:
		if c := a.call(r.Scope.Call); c != nil {
			c.since = r.At
		}
	case *journal.CallSettled:
		a.open = slices.DeleteFunc(a.open, func(c liveCall) bool { return c.key == r.Scope.Call })
	case *journal.InvocationWaiting:
		a.cause = m.Cause
	case *journal.InvocationContinued:
		a.cause = ""
	case *journal.InvocationEnded:
		s.end(a, m.Outcome, m.Reason)
	}
}

func (s *liveState) foldTask(a *liveAgent, r *journal.Record) {
	switch m := r.Payload.(type) {
	case *journal.TaskQueued:
		if a.parent != nil {
			a.parent.queue = append(a.parent.queue, a)
		}
	case *journal.SlotLent:
		a.lent = true
	case *journal.SlotTaken, *journal.SlotFreed:
		a.lent = false
	case *journal.TaskDelivered:
		a.delivered = true
	case *journal.TaskEnded:
		if !a.started {
			s.end(a, m.Outcome, m.Reason)
		}
	}
}

func (a *liveAgent) call(key string) *liveCall {
	for i := range a.open {
		if a.open[i].key == key {
			return &a.open[i]
		}
	}
	return nil
}

// taskIDs reads the tasks that a call names; nil when it names none.
func taskIDs(args string) []string {
	var in struct {
		TaskIDs []string `json:"taskIds"`
	}
	if json.Unmarshal([]byte(args), &in) != nil {
		return nil
	}
	return in.TaskIDs
}

// preview takes in what has come of an answer so far.
func (s *liveState) preview(path, text string) {
	if a := s.byPath[path]; a != nil && !a.ended && a.presentation != "status" && a.presentation != "quiet" {
		a.text = text
	}
}
