package delegate

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Said is what somebody outside asks of a run.
type Said struct {
	Command int64 // number in the command table; 0: it came another way
	By      string
	Text    string // reason, or guidance
}

// Command decides a command of the table, except a pause, which is not done at once. Its
// answer is a [Reply]. A command whose record is there already is answered again and not
// carried out again. Guidance that is refused leaves records unless it is told, that is
// unless whoever sent it hears the answer.
func (s *State) Command(m *journal.Command, told bool, now time.Time) *Decision {
	d := s.begin(now, "")
	answer := journal.Recorded
	if !s.applied[m.ID] {
		if err := s.carry(d, m, told); err != nil {
			answer = journal.Refuse(err)
		} else if len(d.Records) == 0 {
			answer = journal.Duplicate
		}
	}
	s.fill(d)
	d.out(Out{Kind: Reply, Tag: uint64(m.ID), Name: answer})
	return d
}

func (s *State) carry(d *Decision, m *journal.Command, told bool) error {
	said := Said{Command: m.ID, By: m.By, Text: m.Payload}
	if s.Status == "ended" {
		return fault.New("journal.ended", "the run has ended (%s)", s.Ended.Outcome)
	}
	switch m.Kind {
	case journal.CommandSay:
		err := s.guide(d, said)
		if !told {
			s.untold(d, said, err)
		}
		return err
	case journal.CommandCancel:
		s.cancelRun(d, said)
		return nil
	case journal.CommandCancelTask:
		var c journal.TaskCommand
		if err := json.Unmarshal([]byte(m.Payload), &c); err != nil {
			return fault.Wrap(err, "command.invalid", "the command names no task")
		}
		t := s.Task(c.Task)
		if t == nil {
			return s.noTask(c.Task)
		}
		said.Text = c.Reason
		s.cancelTask(d, t, said)
		return nil
	case journal.CommandTree:
		return fault.New("command.stale", "the owner that was asked for its actors is gone")
	}
	return fault.New("command.unknown", "this version knows no command %q", m.Kind)
}

// Answer decides that a command is answered once everything before it is durable.
func (s *State) Answer(id int64, answer string) *Decision {
	return &Decision{s: s, Outs: []Out{{Kind: Reply, Tag: uint64(id), Name: answer}}}
}

// Carried says whether a record has carried a command out.
func (s *State) Carried(command int64) bool { return s.applied[command] }

func (s *State) carried(commands ...int64) {
	for _, id := range commands {
		if id != 0 {
			s.applied[id] = true
		}
	}
}

// Task gives a task by its id, its key, or the path of its agent; nil when there is none.
func (s *State) Task(name string) *Task {
	if t := s.Tasks[name]; t != nil {
		return t
	}
	for _, id := range s.TaskIDs {
		if t := s.Tasks[id]; t.Key == name || t.Path() == name {
			return t
		}
	}
	return nil
}

// Path gives the path of the task's agent, also while it is queued.
func (t *Task) Path() string {
	if t.Inv != "" {
		return t.Inv
	}
	return t.Parent + "/" + t.Key
}

func (s *State) noTask(name string) error {
	const shown = 10
	name = agent.Bounded(name)
	var names []string
	for _, id := range s.TaskIDs[max(0, len(s.TaskIDs)-shown):] {
		names = append(names, id+" ("+s.Tasks[id].Path()+")")
	}
	if len(names) == 0 {
		return fault.New("agent.task_not_found", "there is no task %q; the run has given no task yet", name)
	}
	return fault.New("agent.task_not_found", "there is no task %q; the newest are %s", name, strings.Join(names, ", "))
}
