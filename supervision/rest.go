package supervision

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// command applies a command once. It is answered when what it led to is durable, so that
// a lost owner answers nothing.
func (r *run) command(c *actors.Context, m journal.Command) {
	if masked := r.cfg.Env.Secrets.Mask(m.Payload); masked != m.Payload {
		m.Payload, r.masked[m.ID] = masked, masked
	}
	if answer, seen := r.cmds[m.ID]; seen {
		if answer != "" || slices.Contains(r.owed, m.ID) {
			r.cfg.Handle.take(m.ID, answer)
		}
		return
	}
	switch pause := m.Kind == journal.CommandPause; {
	case r.over && r.st.Status != "ended" && !pause:
		r.cfg.Handle.take(m.ID, "") // it is left for who resumes the run
		return
	case !pause || r.over && r.st.Status == "ended":
		r.cmds[m.ID] = ""
		r.commit(c, r.st.Command(&m, r.cfg.Handle.expects(m.ID), c.Now()))
	case r.st.Carried(m.ID):
		r.cmds[m.ID] = ""
		r.commit(c, r.st.Answer(m.ID, journal.Recorded))
	case r.over:
		r.cmds[m.ID] = ""
		r.commit(c, r.st.Answer(m.ID, journal.Duplicate))
	default:
		r.cmds[m.ID] = ""
		r.owed = append(r.owed, m.ID)
		reason := "user"
		if m.Payload == "shutdown" {
			reason = m.Payload
		}
		r.pause(c, reason)
		r.cfg.Handle.take(m.ID, "")
	}
}

// reply writes the answer to a command, and tells whoever waits for it in this process. A
// payload with a secret that its sender did not know is replaced first.
func (r *run) reply(c *actors.Context, id int64, answer string) {
	store := r.cfg.Store
	r.replies++
	r.cmds[id] = answer
	masked, rewrites := r.masked[id]
	delete(r.masked, id)
	c.Effect(replied{id, answer}, func(ctx context.Context) (any, error) {
		ctx = context.WithoutCancel(ctx)
		if rewrites {
			if err := store.Rewrite(ctx, id, masked); err != nil {
				return nil, err
			}
		}
		return nil, store.Reply(ctx, id, answer)
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
	c.Publish("pausing", "effects")
	if r.cfg.Observer != nil {
		r.cfg.Observer.Draining(c.Now())
	}
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
	d := r.st.Pause(r.drain, r.owed, c.Now())
	d.Outs = append(d.Outs, delegate.Out{Kind: delegate.Over, Name: paused})
	r.commit(c, d)
}

// end tells the world outside how the run came to rest.
func (r *run) end(c *actors.Context, rests bool) {
	res := Result{Run: r.cfg.ID, Usage: r.st.Usage}
	for path, e := range r.st.Files.All() {
		if e.Kind == workspace.KindDir || strings.HasPrefix(path, workspace.Input+"/") {
			continue
		}
		res.Files = append(res.Files, path)
	}
	if rests {
		res.Outcome, res.Reason = paused, r.drain
	} else {
		e := r.st.Ended
		for _, id := range r.owed {
			r.reply(c, id, journal.Refuse(fault.New("journal.ended", "the run has ended (%s)", e.Outcome)))
		}
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
