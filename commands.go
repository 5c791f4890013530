package swarm

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/supervision"
)

// Command is something that is said to a run, also to one that another process owns. It
// is stored before anything else, so that it is lost neither with the sender nor with the
// owner.
type Command struct {
	ID   int64  // given when it is stored; 0: it is not
	Run  string // id of the run
	Kind string // [journal.CommandSay], [journal.CommandCancel], [journal.CommandCancelTask] or [journal.CommandPause]
	Task string // of a cancel_task: id or key of the task, or the path of its agent
	Text string // guidance, the reason of a cancel, or "shutdown" for a pause because the process ends
	// Answer of the owner: [journal.Recorded] or [journal.Duplicate]; empty: the command
	// waits. A refusal is an error.
	Answer string
}

// Say gives guidance of a human to the owner of a run: its root, or the agent that the
// work was handed to. The owner reads it before its next request to the model; an await
// of the owner ends for it. When the run is owned by this process, Say returns when the
// guidance is durable; else when the command is stored, see [Runtime.Send].
//
// An owner that would finish before it has read what waits is given that first. Guidance is
// read by nobody, and a record "guidance_discarded" says why, when the run is cancelled or
// fails before the owner's next request, or no round or call of its budgets is left for
// one; also when it was stored for an owner that has no room for it, or is ending, when it
// comes to it.
//
// Errors: "guidance.empty", "guidance.too_long" (over [delegate.MaxGuidanceChars]
// characters), "guidance.full" ([delegate.MaxGuidance] texts wait already, those counted
// that wait for a resume), "guidance.too_late" (the run is ending, or a cancel of it waits
// for a resume), "journal.ended", "journal.run_not_found".
func (rt *Runtime) Say(ctx context.Context, run, text string) error {
	_, err := rt.Send(ctx, Command{Run: run, Kind: journal.CommandSay, Text: text})
	return err
}

// Cancel asks for the end of a run. When the run is owned by this process, Cancel returns
// when the wish is durable, and the agents are stopping; else when the command is stored.
// Nobody waits here until every agent has stopped: see [Run.Wait]. Errors:
// "journal.ended", "journal.run_not_found".
func (rt *Runtime) Cancel(ctx context.Context, id, reason string) error {
	_, err := rt.Send(ctx, Command{Run: id, Kind: journal.CommandCancel, Text: reason})
	return err
}

// MaxTaskChars is how many characters the name of a task may have in a command.
const MaxTaskChars = 1000

// CancelTask asks for the end of one task of a run, by its id, its key or the path of its
// agent, and of everything below it. The rest of the run goes on; the task's parent is
// told. It returns like [Runtime.Cancel]. Errors: those of Cancel, "agent.task_not_found",
// "command.invalid" (a name of more than [MaxTaskChars] characters).
func (rt *Runtime) CancelTask(ctx context.Context, id, task, reason string) error {
	_, err := rt.Send(ctx, Command{Run: id, Kind: journal.CommandCancelTask, Task: task, Text: reason})
	return err
}

// Pause brings a run to rest: what has begun may settle, within the drain time, and
// nothing else begins. When the run is owned by this process, Pause returns when its actor
// begins nothing any more; [Run.Wait] returns when it rests. Else Pause returns when the
// command is stored. A run that nobody works on rests already, and nothing is stored.
// Errors: "journal.ended", "journal.run_not_found".
func (rt *Runtime) Pause(ctx context.Context, id string) error {
	_, err := rt.Send(ctx, Command{Run: id, Kind: journal.CommandPause})
	return err
}

// Send stores a command. When the run is owned by this process, it also waits until the
// run's own actor has taken the command, and the Answer is there, but that of a pause. Else
// the owner answers later, see [Runtime.Answered]; one that there will be carries out what
// waits before anything else. A context that ends takes back nothing that is stored: the
// ID tells. Errors: see the methods named after the kinds; "command.unknown".
func (rt *Runtime) Send(ctx context.Context, c Command) (Command, error) {
	if err := rt.usable(c.Kind, c.Run); err != nil {
		return c, err
	}
	payload, err := c.payload()
	if err != nil {
		return c, err
	}
	sum, err := rt.store.Summary(ctx, c.Run)
	if err != nil {
		return c, err
	}
	v, here := rt.live.Load(c.Run)
	works := sum.State == "running" || here && !v.(*claim).rests() // somebody works on it, or begins to
	switch {
	case ended(sum.State):
		return c, c.ended(sum.State)
	case c.Kind == journal.CommandPause && !works:
		c.Answer = journal.Duplicate
		return c, nil
	}
	if c.Kind == journal.CommandSay && !works {
		if err := rt.room(ctx, c.Run); err != nil {
			return c, c.refused(err)
		}
	}
	payload = rt.secretsOf(ctx, c.Run).Mask(payload)
	row := journal.Command{Run: c.Run, Kind: c.Kind, Payload: payload, By: "user", At: rt.o.Clock.Now()}
	if !here {
		row.By = rt.store.Holder()
	}
	if row.ID, err = rt.store.Post(ctx, c.Run, row); err != nil {
		return c, err
	}
	c.ID = row.ID
	if !here {
		return c, nil
	}
	return rt.take(ctx, v.(*claim), row, c)
}

// room says whether a run that nobody works on can be told one more text.
func (rt *Runtime) room(ctx context.Context, run string) error {
	var records []journal.Record
	for from := int64(1); ; {
		page, err := rt.store.Read(ctx, run, journal.Query{From: from, Types: delegate.WaitingTypes(), NoBlobs: true})
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		records, from = append(records, page...), page[len(page)-1].Seq+1
	}
	rows, err := rt.store.Commands(ctx, run, 0)
	if err != nil {
		return err
	}
	return delegate.Room(records, rows)
}

// payload checks a command and gives what the table keeps of it.
func (c *Command) payload() (string, error) {
	switch c.Kind {
	case journal.CommandSay:
		if err := delegate.CheckGuidance(c.Text); err != nil {
			return "", c.refused(err)
		}
		return c.Text, nil
	case journal.CommandCancel:
		return c.Text, nil
	case journal.CommandCancelTask:
		if n := utf8.RuneCountInString(c.Task); n > MaxTaskChars {
			return "", c.refused(fault.New("command.invalid", "the name of the task has %d characters and the limit is %d; give its id, its key or the path of its agent", n, MaxTaskChars))
		}
		b, err := json.Marshal(journal.TaskCommand{Task: c.Task, Reason: c.Text})
		return string(b), err
	case journal.CommandPause:
		return c.Text, nil
	}
	return "", fault.New("command.unknown", "there is no command %q; there are say, cancel, cancel_task and pause", c.Kind).With("send", c.Run)
}

// refused says of an error what was tried.
func (c *Command) refused(err error) error {
	if e, ok := err.(*fault.Error); ok {
		return e.With(c.Kind, c.Run)
	}
	return err
}

func (c *Command) ended(state string) error {
	return fault.New("journal.ended", "the run has ended (%s)", state).With(c.Kind, c.Run)
}

// take has the actor of a run of this runtime take a command.
func (rt *Runtime) take(ctx context.Context, cl *claim, row journal.Command, c Command) (Command, error) {
	taken := cl.h.Expect(row.ID)
	defer cl.h.Forget(row.ID)
	rt.runs.Apply(row)
	select {
	case c.Answer = <-taken:
		return c, c.refused(journal.Refusal(c.Answer))
	case <-cl.gone: // it may have been answered at the last moment
		c, err := rt.look(ctx, c)
		if fault.Code(err) == codeNoOwner {
			err = nil // it is stored
		}
		return c, err
	case <-ctx.Done():
		return c, ctx.Err()
	}
}

const codeNoOwner = "command.no_owner"

// look reads the answer to a command. Without one, a run that nobody holds will give none,
// as the answer is written before the run is let go.
func (rt *Runtime) look(ctx context.Context, c Command) (Command, error) {
	sum, err := rt.store.Summary(ctx, c.Run)
	if err != nil {
		return c, err
	}
	rows, err := rt.store.Commands(ctx, c.Run, c.ID-1)
	if err != nil {
		return c, err
	}
	if len(rows) == 0 || rows[0].ID != c.ID {
		return c, fault.New("journal.command_not_found", "there is no command %d", c.ID).With("read answer", c.Run)
	}
	c.Answer = rows[0].Answer
	switch {
	case c.Answer != "":
		return c, c.refused(journal.Refusal(c.Answer))
	case sum.Holder != "": // also one whose run rests: it answers before it lets go
		return c, nil
	case ended(sum.State):
		return c, c.ended(sum.State)
	case sum.State != "running":
		return c, fault.New(codeNoOwner, "the run has no owner now (%s); the command is carried out first when the run is resumed", sum.State).With(c.Kind, c.Run)
	}
	return c, nil
}

const answerEvery = 50 * time.Millisecond // between two looks for an answer

// Answered waits until the owner of a run, in whatever process, has answered a command:
// the record that carries it out is durable then. That of a pause is the one that says
// that the run is paused; a cancel is answered when the agents begin to stop. Errors: the
// refusals of the methods named after the kinds; "command.no_owner" when nobody works on
// the run (the command waits); "journal.ended" when the run ended without an answer; the
// error of ctx, which bounds the wait.
func (rt *Runtime) Answered(ctx context.Context, c Command) (Command, error) {
	for c.Answer == "" {
		err := rt.usable(c.Kind, c.Run)
		if err != nil {
			return c, err
		}
		if c, err = rt.look(ctx, c); err != nil || c.Answer != "" {
			return c, err
		}
		tick := make(chan struct{})
		stop := rt.o.Clock.AfterFunc(answerEvery, func() { close(tick) })
		select {
		case <-tick:
		case <-ctx.Done():
			stop()
			return c, ctx.Err()
		}
	}
	return c, c.refused(journal.Refusal(c.Answer))
}

// ActorView is a live actor of a run.
type ActorView = supervision.ActorView

// RunTree gives the live actors of a run in order of their paths. When another process
// owns the run, it is asked by a command, which leaves no record, and ctx bounds the wait
// for it. Errors: "command.no_owner" when nobody works on the run, "journal.ended",
// "journal.run_not_found", the error of ctx.
func (rt *Runtime) RunTree(ctx context.Context, run string) ([]ActorView, error) {
	if list := supervision.ViewRun(rt.sys.Tree(), run); len(list) > 0 {
		return list, nil
	}
	c := Command{Run: run, Kind: journal.CommandTree}
	if err := rt.usable(c.Kind, run); err != nil {
		return nil, err
	}
	sum, err := rt.store.Summary(ctx, run)
	switch {
	case err != nil:
		return nil, err
	case ended(sum.State):
		return nil, c.ended(sum.State)
	case sum.State != "running":
		return nil, fault.New(codeNoOwner, "the run has no owner now (%s), so it has no live actors", sum.State).With(c.Kind, run)
	}
	if c.ID, err = rt.store.Post(ctx, run, journal.Command{Run: run, Kind: c.Kind, By: rt.store.Holder(), At: rt.o.Clock.Now()}); err != nil {
		return nil, err
	}
	if c, err = rt.Answered(ctx, c); err != nil {
		return nil, err
	}
	var list []ActorView
	if err := json.Unmarshal([]byte(c.Answer), &list); err != nil {
		return nil, fault.Wrap(err, "journal.damaged", "the answer is no list of actors").With(c.Kind, run)
	}
	return list, rt.store.Reply(ctx, c.ID, journal.Recorded) // the table does not keep what was read
}

// Say is [Runtime.Say] for this run.
func (r *Run) Say(ctx context.Context, text string) error { return r.rt.Say(ctx, r.h.ID, text) }

// CancelTask is [Runtime.CancelTask] for this run.
func (r *Run) CancelTask(ctx context.Context, task, reason string) error {
	return r.rt.CancelTask(ctx, r.h.ID, task, reason)
}

// Pause is [Runtime.Pause] for this run.
func (r *Run) Pause(ctx context.Context) error { return r.rt.Pause(ctx, r.h.ID) }
