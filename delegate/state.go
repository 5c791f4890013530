package delegate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// State of a run: the fold of its records, and beside it what waits inside the run.
// What waits (awaits, held requests, pending ends) is lost with the process and asked
// for anew by the invocations.
type State struct {
	Env   *agent.Env
	Run   string
	Epoch int64
	Seq   int64

	Created time.Time
	Status  string // "", running, paused, parked, ended
	Owner   string // path of the invocation that owns the run
	Inv     map[string]*Inv
	Order   []string // paths, in order of creation
	Tasks   map[string]*Task
	TaskIDs []string
	Files   *workspace.Manifest
	Usage   journal.Usage
	Ended   *journal.RunEnded
	Parked  *journal.RunParked

	given     *input.Frozen // the run's input
	commits   []string
	nCommits  int
	committed *journal.CommitRequested // newest accepted
	pending   map[string]*journal.CommitRequested
	unknown   []string
	warnings  []string       // of contexts, oldest first
	keys      map[string]int // tasks per agent
	chain     []string       // profiles of the owners, oldest first
	pairs     map[[2]string]int
	slots     int          // held in the whole run
	rounds    int          // answers of the whole run, closing ones not
	calls     int          // counted calls of the whole run
	ledger    agent.Ledger // of the whole run
	work      work
	cancel    *journal.RunCancelRequested
	survivors []string                     // invocations without a task that did not stop
	guidance  []*journal.GuidanceSubmitted // waits for the owner's next request, oldest first
	guided    int                          // submitted in all
	applied   map[int64]bool               // commands that a record has carried out

	awaits map[string]*await      // by call key
	kills  map[string]*kill       // by call key
	held   []heldRequest          // wait for a slot, first come first served
	queued int                    // tasks without a slot
	ends   map[string]*pendingEnd // by path
}

// Inv is what the run knows of an invocation.
type Inv struct {
	Path, Kind, Profile, Task string
	Parent                    string
	Depth                     int
	Turn                      int
	Calls                     []call // of the last answer
	Children                  []string
	queue                     []string
	slots                     int // held by its children
	Ended                     bool
	Outcome                   journal.Outcome
	Halting                   bool // it was told to end its work
	halt                      agent.Halt
	Used                      []journal.Count
	Changed                   []string
	Usage                     journal.Usage
	NCalls                    int
	created, active           time.Time // active: of its newest record
	closing                   bool      // its last request is the closing turn
	ledger                    agent.Ledger
}

type call struct {
	key        string
	tool, name string
	open       bool
	dispatched bool
	since      time.Time
}

// Task is a delegation or a transfer.
type Task struct {
	ID, Key, Kind, Agent, Parent, Call string
	Inv                                string // path; empty while queued
	Content                            string // the task object
	Deadline                           time.Duration
	State                              string // queued, running, ended
	Outcome                            journal.Outcome
	Reason                             string
	Report                             *Report
	Usage                              journal.Usage
	Delivered                          bool
	Slot, Lent                         bool
	Cancelled                          *journal.TaskCancelRequested
	Survivors                          []string
}

type await struct {
	inv         string
	ids         []string
	mode        string
	since       time.Time
	interrupted bool // by guidance
}

type kill struct {
	inv string
	ids []string
}

type heldRequest struct {
	path string
	rec  journal.Record
	tag  uint64
}

type pendingEnd struct {
	end    agent.End
	call   string // finishing call that waits, or ""
	report *Report
	finish func(d *Decision)
}

// NewState gives an empty state.
func NewState(env *agent.Env, run string) *State {
	return &State{Env: env, Run: run, Inv: map[string]*Inv{}, Tasks: map[string]*Task{}, keys: map[string]int{},
		pairs: map[[2]string]int{}, pending: map[string]*journal.CommitRequested{}, awaits: map[string]*await{}, kills: map[string]*kill{},
		ends: map[string]*pendingEnd{}, applied: map[int64]bool{}}
}

// Fold applies one record. An error means damage: the run is parked.
func (s *State) Fold(r *journal.Record) error {
	if r.Seq != s.Seq+1 {
		return fault.New("journal.damaged", "record %d of run %s follows record %d", r.Seq, s.Run, s.Seq)
	}
	s.Seq = r.Seq
	return s.apply(r)
}

func (s *State) apply(r *journal.Record) error {
	s.work.fold(r)
	inv := s.Inv[r.Scope.Invocation]
	if inv == nil && r.Scope.Invocation != "" && r.Type() != journal.TInvocationCreated {
		return fault.New("journal.damaged", "record %d names the unknown invocation %s", r.Seq, r.Scope.Invocation)
	}
	if inv != nil {
		inv.active = r.At
	} else if ofInvocation(r.Payload) {
		return fault.New("journal.damaged", "record %d (%s) names no invocation", r.Seq, r.Type())
	}
	switch m := r.Payload.(type) {
	case *journal.RunCreated:
		s.Created, s.Status = r.At, "running"
		var err error
		if s.given, err = input.Decode(m.Input.Text); err != nil {
			return fault.Wrap(err, "journal.damaged", "record %d holds no input", r.Seq)
		}
	case *journal.RunStarted, *journal.RunResumed:
		s.Status = "running"
	case *journal.RunPaused:
		s.Status = "paused"
		s.carried(m.Commands...)
	case *journal.RunParked:
		s.Status, s.Parked = "parked", m
	case *journal.RunCancelRequested:
		s.cancel = m
		s.carried(m.Command)
	case *journal.GuidanceSubmitted, *journal.GuidanceApplied, *journal.GuidanceDiscarded:
		return s.applyGuidance(r)
	case *journal.RunEnded:
		s.Status, s.Ended = "ended", m
	case *journal.InvocationCreated:
		s.applyCreated(r, m)
	case *journal.ModelRequested:
		inv.Turn, inv.Calls, inv.closing = r.Scope.Turn, inv.Calls[:0], m.Closing
		s.reserve(inv, m.Reserve)
	case *journal.ModelAnswered:
		if !inv.closing {
			s.rounds++
		}
		agent.AddUsage(&inv.Usage, m.Usage)
		agent.AddUsage(&s.Usage, m.Usage)
		s.charge(inv, &m.Usage)
	case *journal.ModelAttemptFailed:
		s.lose(inv, &m.Usage)
	case *journal.ModelFailed:
		s.lose(inv, &m.Usage)
	case *journal.HistoryCompacted:
		s.lose(inv, &m.Usage) // the turn is still to be asked, or out
	case *journal.ContextWarned:
		s.warnings = append(s.warnings, agent.Bounded(inv.Path+": "+m.Code+": "+m.Detail))
	case *journal.CallRequested:
		if inv.call(r.Scope.Call) != nil {
			break // the part of the invocation says whether it is a repetition
		}
		inv.NCalls++
		if m.Counted {
			s.calls++
		}
		inv.Calls = append(inv.Calls, call{key: r.Scope.Call, tool: m.Tool, name: m.Name, open: true, since: r.At})
	case *journal.CallDispatched:
		if c := inv.call(r.Scope.Call); c != nil {
			c.dispatched = true
		}
	case *journal.CallSettled:
		s.applySettled(inv, r, m)
	case *journal.FileChanged:
		by := r.Scope.Invocation
		c := workspace.Change{Path: m.Path, Kind: m.Kind, Op: m.Op, Old: m.Old, New: m.New, Size: m.Size, Chars: m.Chars, Exec: m.Exec, At: r.At}
		if m.Kind == workspace.KindLink {
			c.Content = m.Content.Text
		}
		s.Files = s.Files.With(by, []workspace.Change{c})
		if inv != nil && !agent.IsCopy(m.Path) {
			inv.changed(m.Path)
		}
	case *journal.CommitRequested:
		s.nCommits++
		s.pending[m.Commit] = m
	case *journal.CommitSettled:
		if m.Outcome == journal.Completed {
			s.commits = append(s.commits, m.Commit)
			s.committed = s.pending[m.Commit]
		}
		delete(s.pending, m.Commit)
	default:
		return s.applyTask(inv, r)
	}
	return nil
}

// ofInvocation says whether a record is about an invocation that exists.
func ofInvocation(p journal.Payload) bool {
	switch p.(type) {
	case *journal.ModelRequested, *journal.ModelAnswered, *journal.HistoryCompacted, *journal.ContextWarned, *journal.CallRequested, *journal.CallDispatched, *journal.CallSettled, *journal.InvocationEnded,
		*journal.GuidanceApplied:
		return true
	}
	return false
}

func (s *State) applyTask(inv *Inv, r *journal.Record) error {
	t := s.Tasks[r.Scope.Task]
	switch m := r.Payload.(type) {
	case *journal.TaskCreated:
		if s.Inv[m.Parent] == nil {
			return fault.New("journal.damaged", "record %d creates a task of the unknown invocation %q", r.Seq, m.Parent)
		}
		t = &Task{ID: m.ID, Key: m.Key, Kind: m.Kind, Agent: m.Agent, Parent: m.Parent, Call: m.ByCall, Content: m.Task.Text, Deadline: m.Deadline}
		s.Tasks[m.ID] = t
		s.TaskIDs = append(s.TaskIDs, m.ID)
		s.keys[m.Agent]++
		if p := s.Inv[m.Parent]; p != nil && m.Kind == kindReturn {
			p.Children = append(p.Children, m.ID)
		}
		return nil
	case *journal.InvocationEnded:
		inv.Ended, inv.Outcome = true, m.Outcome
		s.reserve(inv, journal.Reserve{}) // a request that was out brings nothing any more
		return nil
	case *journal.BudgetExhausted, *journal.LateEvent, *journal.RecoveryClassified, *journal.ActorFailed, *journal.ActorRestarted,
		*journal.WorkspaceOpened, *journal.OwnerChanged, *journal.TurnCorrected,
		*journal.TurnClosed, *journal.CallChecked, *journal.InvocationWaiting, *journal.InvocationContinued, *journal.HandoffRequested,
		*journal.HandoffSettled, *journal.ResultsShown, *journal.ResultsSwept, *journal.ImagesLeftOut, *journal.CompactionRequested, *journal.AnchorSet, *journal.TapeForked, *journal.TapeMerged, *journal.TapeDiscarded:
		return nil
	}
	if t == nil {
		if r.Optional {
			return nil
		}
		return fault.New("journal.damaged", "record %d (%s) names the unknown task %q", r.Seq, r.Type(), r.Scope.Task)
	}
	switch m := r.Payload.(type) {
	case *journal.TaskQueued:
		t.State = "queued"
		p := s.Inv[t.Parent]
		p.queue = append(p.queue, t.ID)
		s.queued++
	case *journal.TaskStarted:
		s.unqueue(t)
		t.State, t.Inv = "running", m.Invocation
		if t.Kind == kindReturn {
			s.setSlot(t, true)
		}
	case *journal.SlotLent:
		t.Lent = true
		s.setSlot(t, false)
	case *journal.SlotTaken:
		t.Lent = false
		s.setSlot(t, true)
	case *journal.SlotFreed:
		t.Lent = false
		s.setSlot(t, false)
	case *journal.TaskCancelRequested:
		t.Cancelled = m
		s.carried(m.Command)
	case *journal.TaskReturnAccepted:
	case *journal.TaskEnded:
		s.unqueue(t)
		t.State, t.Outcome, t.Reason, t.Usage, t.Survivors = "ended", m.Outcome, m.Reason, m.Usage, m.Survivors
		t.Report = &Report{}
		if m.Result.Text != "" {
			if err := json.Unmarshal([]byte(m.Result.Text), t.Report); err != nil {
				return fault.Wrap(err, "journal.damaged", "record %d holds no report", r.Seq)
			}
		}
	case *journal.TaskDelivered:
		t.Delivered = true
	}
	return nil
}

func (s *State) applyCreated(r *journal.Record, m *journal.InvocationCreated) {
	inv := &Inv{Path: m.Path, Kind: m.Kind, Profile: m.Profile, Task: m.Task, Parent: m.Parent, Depth: m.Depth, created: r.At}
	s.Inv[m.Path] = inv
	s.Order = append(s.Order, m.Path)
	if m.Kind == "child" {
		return
	}
	if n := len(s.chain); n > 0 {
		s.pairs[[2]string{s.chain[n-1], m.Profile}]++
	}
	s.chain = append(s.chain, m.Profile)
	s.Owner = m.Path
}

func (s *State) applySettled(inv *Inv, r *journal.Record, m *journal.CallSettled) {
	c := inv.call(r.Scope.Call)
	if c == nil {
		return
	}
	c.open = false
	if m.Outcome == journal.Unknown {
		s.unknown = append(s.unknown, r.Scope.Call)
	}
	if m.Dispatched {
		inv.used(c.name)
	}
}

func (s *State) setSlot(t *Task, held bool) {
	if t.Slot == held {
		return
	}
	t.Slot = held
	n := 1
	if !held {
		n = -1
	}
	s.slots += n
	if p := s.Inv[t.Parent]; p != nil {
		p.slots += n
	}
}

func (s *State) unqueue(t *Task) {
	p := s.Inv[t.Parent]
	if t.State != "queued" || p == nil {
		return
	}
	for i, id := range p.queue {
		if id == t.ID {
			p.queue = append(p.queue[:i:i], p.queue[i+1:]...)
			s.queued--
			return
		}
	}
}

func (i *Inv) call(key string) *call {
	for n := range i.Calls {
		if i.Calls[n].key == key {
			return &i.Calls[n]
		}
	}
	return nil
}

func (i *Inv) used(name string) {
	for n := range i.Used {
		if i.Used[n].Name == name {
			i.Used[n].N++
			return
		}
	}
	// By name: calls of a turn settle in any order, and the parent reads the same text.
	at, _ := slices.BinarySearchFunc(i.Used, name, func(c journal.Count, name string) int { return strings.Compare(c.Name, name) })
	i.Used = slices.Insert(i.Used, at, journal.Count{Name: name, N: 1})
}

func (i *Inv) changed(path string) {
	for _, p := range i.Changed {
		if p == path {
			return
		}
	}
	i.Changed = append(i.Changed, path)
}

// Given is the frozen input of the run; nil before its first record. Nobody changes it.
func (s *State) Given() *input.Frozen { return s.given }

// Agents counts the invocations of the run, ended ones too.
func (s *State) Agents() int { return len(s.Order) }

// Effects says whether an effect that was dispatched has not been settled.
func (s *State) Effects() bool {
	for _, p := range s.Order {
		inv := s.Inv[p]
		if inv.Ended {
			continue
		}
		for i := range inv.Calls {
			if inv.Calls[i].open && inv.Calls[i].dispatched {
				return true
			}
		}
	}
	return false
}

// live gives the tasks of an invocation that have not ended, in order of creation.
func (s *State) live(inv *Inv) []*Task {
	var out []*Task
	for _, id := range inv.Children {
		if t := s.Tasks[id]; t.State != "ended" {
			out = append(out, t)
		}
	}
	return out
}

// taskKey gives the readable key of the next task of an agent.
func (s *State) taskKey(agentID string) string {
	if n := s.keys[agentID] + 1; n > 1 {
		return fmt.Sprintf("%s-%03d", agentID, n)
	}
	if agentID == "root" {
		return "root-001"
	}
	return agentID
}

const (
	kindReturn   = "return_to_parent"
	kindTransfer = "transfer_control"
)
