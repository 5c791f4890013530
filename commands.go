package swarm

import (
	"context"
	"encoding/json"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Cancel asks for the end of a run, also of one that another process owns. A run without
// an owner applies it first when it is resumed.
func (rt *Runtime) Cancel(ctx context.Context, id, reason string) error {
	return rt.command(ctx, id, "cancel", reason)
}

// CancelTask asks for the end of one task of a run, by its id, and of everything below it.
// The rest of the run goes on; the task's parent is told.
func (rt *Runtime) CancelTask(ctx context.Context, id, task, reason string) error {
	payload, err := json.Marshal(journal.TaskCommand{Task: task, Reason: reason})
	if err != nil {
		return err
	}
	return rt.command(ctx, id, "cancel_task", string(payload))
}

// Pause brings a run to rest, also one that another process owns.
func (rt *Runtime) Pause(ctx context.Context, id string) error {
	return rt.command(ctx, id, "pause", "")
}

// command says something to a run: it is stored first, so that it is not lost with the
// owner, and an owner in this process is told to look. The one that owns the run next
// applies what is unanswered before anything else.
func (rt *Runtime) command(ctx context.Context, id, kind, payload string) error {
	v, here := rt.live.Load(id)
	if here && v.(*claim).rests() {
		if r := v.(*claim).h.Result(); r.Err == nil && ended(r.Outcome) {
			return fault.New("journal.ended", "the run has ended (%s)", r.Outcome).With(kind, id)
		}
	}
	sum, err := rt.store.Summary(ctx, id)
	if err != nil {
		return err
	}
	if ended(sum.State) {
		return fault.New("journal.ended", "the run has ended (%s)", sum.State).With(kind, id)
	}
	cmd := journal.Command{Run: id, Kind: kind, Payload: payload, By: "user", At: rt.o.Clock.Now()}
	if !here {
		cmd.By = rt.store.Holder()
	}
	if cmd.ID, err = rt.store.Post(ctx, id, cmd); err != nil || !here {
		return err
	}
	_, err = rt.runs.Apply(ctx, cmd)
	return err
}
