package supervision

import (
	"context"
	"encoding/json"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// command applies a command of another process once. It is answered when what it led to
// is durable, so that a lost owner answers nothing.
func (r *run) command(c *actors.Context, m journal.Command) {
	if r.cmds[m.ID] {
		return
	}
	r.cmds[m.ID] = true
	switch m.Kind {
	case "cancel":
		d := r.st.CancelRun(m.By, m.Payload, c.Now())
		d.Outs = append(d.Outs, delegate.Out{Kind: delegate.Reply, Tag: uint64(m.ID)})
		r.commit(c, d)
	case "cancel_task":
		var task journal.TaskCommand
		d, ok := (*delegate.Decision)(nil), false
		if json.Unmarshal([]byte(m.Payload), &task) == nil {
			d, ok = r.st.CancelTask(task.Task, m.By, task.Reason, c.Now())
		}
		if !ok {
			r.reply(c, m.ID, "refused: there is no such task")
			return
		}
		d.Outs = append(d.Outs, delegate.Out{Kind: delegate.Reply, Tag: uint64(m.ID)})
		r.commit(c, d)
	case "pause":
		r.owed = append(r.owed, m.ID)
		r.pause(c, "user")
	default:
		r.reply(c, m.ID, "refused: this version knows no command "+m.Kind)
	}
}

func (r *run) reply(c *actors.Context, id int64, answer string) {
	store := r.cfg.Store
	r.replies++
	c.Effect(replied{}, func(ctx context.Context) (any, error) {
		return nil, store.Reply(context.WithoutCancel(ctx), id, "recorded")
	})
}

// pause brings the run to rest: nothing new begins, effects may end, then the run says
// that it is paused.
func (r *run) pause(c *actors.Context, reason string) {
	if r.failed || r.over || r.drain != "" {
		return
	}
	if r.st == nil {
		r.fail(c, Result{Outcome: "paused", Reason: reason})
		return
	}
	r.drain = reason
	d := r.cfg.Drain
	if d == 0 {
		d = 20 * time.Second
	}
	c.After("drain", d)
	r.drained(c)
}

func (r *run) drained(c *actors.Context) {
	if r.drain != "" && !r.failed && !r.over && len(r.queue) == 0 && !r.st.Effects() {
		r.rest(c)
	}
}

const paused = "paused"

// rest writes that the run is paused and ends the actor when that is durable.
func (r *run) rest(c *actors.Context) {
	if r.over || r.st.Status == "ended" {
		return
	}
	d := r.st.Pause(r.drain, c.Now())
	for _, id := range r.owed {
		d.Outs = append(d.Outs, delegate.Out{Kind: delegate.Reply, Tag: uint64(id)})
	}
	d.Outs = append(d.Outs, delegate.Out{Kind: delegate.Over, Name: paused})
	r.commit(c, d)
}

// end tells the world outside how the run came to rest.
func (r *run) end(c *actors.Context, rests bool) {
	res := Result{Run: r.cfg.ID, Usage: r.st.Usage}
	for path := range r.st.Files.All() {
		res.Files = append(res.Files, path)
	}
	if rests {
		res.Outcome, res.Reason = paused, r.drain
	} else {
		e := r.st.Ended
		res.Outcome, res.Reason, res.Code, res.Text = string(e.Outcome), e.Reason, e.Code, e.Result.Text
		if cm := r.st.Committed(); cm != nil {
			files := r.files
			c.Effect(&res, func(ctx context.Context) (any, error) {
				b, err := files.GetBlob(ctx, cm.Hash)
				return string(b), err
			})
			return
		}
	}
	r.rested(c, res)
}

// rested finishes when the commands that led here have been answered.
func (r *run) rested(c *actors.Context, res Result) {
	r.result = &res
	if r.replies == 0 {
		r.cfg.Handle.finish(res)
		c.StopSelf()
	}
}
