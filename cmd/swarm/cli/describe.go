package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

const (
	lineText = 100 // characters of a text that a line shows
	lineArgs = 80  // of the arguments of a call
	lineFail = 500 // of what went wrong, which has the mend at its end
)

// describer turns records into lines. It remembers names that later records refer to.
type describer struct {
	calls map[string]string // name by call key
	tasks map[string]string // readable key by task id
}

func newDescriber() *describer {
	return &describer{calls: map[string]string{}, tasks: map[string]string{}}
}

// line says what a record tells, and whether it belongs to the progress of a run that
// nobody asked details of. Every record must pass by in order.
func (d *describer) line(r *journal.Record) (text string, main bool) {
	switch m := r.Payload.(type) {
	case *journal.RunCreated:
		return fmt.Sprintf("%s of team %s", r.Run, plain(m.Name, lineText)), true
	case *journal.RunStarted:
		return fmt.Sprintf("process %d on %s, version %s", m.Process, m.Host, m.Version), false
	case *journal.RunPaused:
		return "paused: " + m.Reason + openIDs(m.Open), true
	case *journal.RunParked:
		return plain(fmt.Sprintf("parked: %s (%s) %s", m.Reason, m.Code, m.Advice), lineFail), true
	case *journal.RunResumed:
		return "goes on after " + article(m.From), true
	case *journal.RunCancelRequested:
		return plain("cancel asked "+bySender(m.By)+because(m.Reason), 2*lineText), true
	case *journal.RunEnded:
		return fmt.Sprintf("%s%s in %s, %s", m.Outcome, because(plain(m.Reason, lineFail)), short(m.Duration), tokens(m.Usage)+spent(m.Usage)), true
	case *journal.OwnerChanged:
		return "taken over " + bySender(m.Holder), true
	case *journal.GuidanceSubmitted:
		return "said: " + plain(head(m.Text), lineText), true
	case *journal.GuidanceApplied:
		return "reads " + m.ID + ": " + plain(head(m.Text), lineText), true
	case *journal.GuidanceDiscarded:
		return m.ID + " was read by nobody: " + plain(m.Reason, lineText), true
	}
	if text, main, ok := d.invocation(r); ok {
		return text, main
	}
	if text, main, ok := d.call(r); ok {
		return text, main
	}
	return d.other(r), false
}

func (d *describer) invocation(r *journal.Record) (text string, main, ok bool) {
	switch m := r.Payload.(type) {
	case *journal.InvocationCreated:
		return "started: " + m.Profile, true, true
	case *journal.InvocationWaiting:
		return "waits for " + m.Cause, false, true
	case *journal.InvocationContinued:
		return "goes on after " + m.After, false, true
	case *journal.InvocationEnded:
		if m.Outcome == journal.Transferred {
			return plain(m.Reason, lineText), true, true
		}
		text = string(m.Outcome)
		if m.Reason != "" {
			text += ": " + m.Reason
		}
		if m.Code != "" {
			text += " (" + m.Code + ")"
		}
		return plain(text, lineFail), true, true
	case *journal.TaskCreated:
		d.tasks[m.ID] = m.Key
		if m.Kind != "return_to_parent" {
			return "the work goes to " + m.Agent, false, true
		}
		return fmt.Sprintf("gives a task to %s: %s", m.Agent, plain(objective(m.Task.Text), lineText)), true, true
	case *journal.TaskQueued:
		return fmt.Sprintf("task %s waits for a place (%d in the queue, %d may run)", d.task(r), m.Position, m.Limit), true, true
	case *journal.TaskStarted:
		return "task " + d.task(r) + " runs as " + m.Invocation, false, true
	case *journal.TaskReturnAccepted:
		return fmt.Sprintf("task %s returned %s: %s", d.task(r), m.Status, plain(m.Summary, lineText)), true, true
	case *journal.TaskCancelRequested:
		return plain("task "+d.task(r)+" is cancelled "+bySender(m.By)+because(m.Reason), 2*lineText), true, true
	case *journal.TaskEnded:
		return plain(fmt.Sprintf("task %s ended: %s%s", d.task(r), m.Outcome, because(m.Reason)), lineFail), m.Outcome != journal.Completed, true
	case *journal.TaskDelivered:
		return fmt.Sprintf("result of task %s given to %s (%s)", d.task(r), m.To, m.Via), false, true
	case *journal.HandoffRequested:
		return "hands over to " + m.Target, false, true
	case *journal.HandoffSettled:
		if m.Accepted {
			return "handover accepted", false, true
		}
		return "handover refused: " + m.Code, true, true
	}
	return "", false, false
}

func (d *describer) call(r *journal.Record) (text string, main, ok bool) {
	switch m := r.Payload.(type) {
	case *journal.ModelRequested:
		in := ""
		if m.Fallback != "" {
			in = ", the fallback " + plain(m.Fallback, lineText)
		}
		return fmt.Sprintf("asks %s%s, turn %d", plain(strings.TrimSpace(m.Provider+" "+m.Model), lineText), in, r.Scope.Turn), false, true
	case *journal.ModelAttemptFailed:
		return plain(fmt.Sprintf("model attempt %d failed: %s %s", m.Attempt, m.Code, m.Detail), lineFail), true, true
	case *journal.ModelAnswered:
		if m.Text.Text == "" {
			return fmt.Sprintf("answered with %s", count(m.Calls, "call")), false, true
		}
		return "says: " + plain(head(m.Text), lineText), true, true
	case *journal.ModelFailed:
		return plain(fmt.Sprintf("the model failed after %s: %s %s", count(m.Attempts, "attempt"), m.Code, m.Detail), lineFail), true, true
	case *journal.TurnCorrected:
		return fmt.Sprintf("corrected: %s (%d of %d)", m.Rule, m.Count, m.Bound), true, true
	case *journal.TurnClosed:
		return "asked to close: " + m.Reason, true, true
	case *journal.ResultsShown:
		return fmt.Sprintf("%s of this turn shortened: they were too long together", count(m.Count, "result")), false, true
	case *journal.ResultsSwept:
		return fmt.Sprintf("%s of earlier turns shortened", count(m.Count, "result")), false, true
	case *journal.ImagesLeftOut:
		why := ""
		if list, err := m.List(); err == nil && len(list) > 0 {
			why = ": " + plain(list[0].Path+": "+list[0].Why, lineText)
		}
		return fmt.Sprintf("%s not shown to the model%s", count(m.Count, "image"), why), true, true
	case *journal.CompactionRequested:
		return fmt.Sprintf("asks %s to put turns %d to %d in short", plain(strings.TrimSpace(m.Provider+" "+m.Model), lineText), m.From, m.To), false, true
	case *journal.HistoryCompacted:
		return fmt.Sprintf("turns %d to %d put in short (%s): about %s tokens, now %s", m.From, m.To, m.By, grouped(m.Before), grouped(m.After)), true, true
	case *journal.ContextWarned:
		return plain("warning: "+m.Detail, lineFail), true, true
	case *journal.CallRequested:
		d.calls[r.Scope.Call] = m.Name
		return strings.TrimSpace("calls " + plain(m.Name, lineText) + " " + plain(head(m.Args), lineArgs)), true, true
	case *journal.CallChecked:
		return d.name(r) + ": " + m.Decision + " by " + m.By, false, true
	case *journal.CallDispatched:
		return d.name(r) + " begins", false, true
	case *journal.CallSettled:
		if m.Code != "" {
			return plain(fmt.Sprintf("%s: %s: %s", d.name(r), m.Code, head(m.Content)), lineFail), true, true
		}
		return plain(fmt.Sprintf("%s: %s", d.name(r), head(m.Content)), lineText), false, true
	case *journal.FileChanged:
		if m.Kind == workspace.KindLink {
			return fmt.Sprintf("%s %s, a link to %s", m.Op, plain(m.Path, workspace.MaxPath), plain(m.Content.Text, workspace.MaxPath)), false, true
		}
		if m.Kind == workspace.KindDir {
			return fmt.Sprintf("%s %s/, an empty directory", m.Op, plain(m.Path, workspace.MaxPath)), false, true
		}
		return fmt.Sprintf("%s %s (%s characters)", m.Op, plain(m.Path, workspace.MaxPath), grouped(int64(m.Chars))), false, true
	case *journal.CommitRequested:
		return fmt.Sprintf("publishes %s (%s characters)", plain(m.Path, workspace.MaxPath), grouped(int64(m.Chars))), true, true
	case *journal.CommitSettled:
		return plain("published: "+string(m.Outcome)+because(m.Reason), lineFail), m.Outcome != journal.Completed, true
	case *journal.BudgetExhausted:
		return fmt.Sprintf("%s is used up: %s of %s", m.What, grouped(m.Used), grouped(m.Limit)), true, true
	case *journal.ActorFailed:
		return plain(fmt.Sprintf("%s failed: %s", m.Path, m.Reason), lineFail), true, true
	case *journal.ActorRestarted:
		return m.Path + " was restarted", true, true
	}
	return "", false, false
}

// other describes a record that only readers of journals care for.
func (d *describer) other(r *journal.Record) string {
	b, err := json.Marshal(r.Payload)
	if err != nil || string(b) == "{}" {
		return ""
	}
	return plain(string(b), 2*lineText)
}

func (d *describer) task(r *journal.Record) string {
	if key := d.tasks[r.Scope.Task]; key != "" {
		return key
	}
	return r.Scope.Task
}

func (d *describer) name(r *journal.Record) string {
	if name := d.calls[r.Scope.Call]; name != "" {
		return plain(name, lineText)
	}
	return "call " + plain(r.Scope.Call, 8)
}

// who gives the agent path that a record is about, or the run.
func who(r *journal.Record) string {
	if m, ok := r.Payload.(*journal.TaskCreated); ok {
		return m.Parent
	}
	if p := r.Scope.Invocation; p != "" {
		return p
	}
	return "run"
}

// head gives the beginning of a content, also of one whose text was not loaded.
func head(c journal.Content) string {
	if c.Text != "" {
		return c.Text
	}
	return c.Head
}

func objective(task string) string {
	var t struct{ Title, Objective string }
	if json.Unmarshal([]byte(task), &t) != nil {
		return task
	}
	if t.Title != "" {
		return t.Title
	}
	return t.Objective
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

func openIDs(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ", waiting: " + strings.Join(ids, ", ")
}

func article(from string) string {
	switch from {
	case "crash":
		return "an interruption"
	case "paused":
		return "a pause"
	}
	return "being " + from
}
