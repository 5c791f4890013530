package supervision

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

type loaded struct {
	records []journal.Record
	cmds    []journal.Command
}

func (r *run) load(c *actors.Context) {
	store, id := r.cfg.Store, r.cfg.ID
	c.Effect("load", func(ctx context.Context) (any, error) {
		recs, err := store.Read(ctx, id, journal.Query{})
		if err != nil {
			return nil, err
		}
		cmds, err := store.Commands(ctx, id, 0)
		return loaded{recs, cmds}, err
	})
}

func (r *run) done(c *actors.Context, m actors.Done) {
	switch key := m.Key.(type) {
	case *Result:
		if text, ok := m.Value.(string); ok && m.Err == nil {
			key.Text = text
		}
		r.rested(c, *key)
	case replied:
		r.replies--
		r.cfg.Handle.take(key.id, key.answer)
		if r.result != nil {
			r.rested(c, *r.result)
		}
	case string:
		if m.Err != nil {
			r.damaged(c, m.Err, 0)
			return
		}
		l := m.Value.(loaded)
		r.resume(c, l)
		for _, cmd := range l.cmds { // what was said while nobody owned the run comes first
			if cmd.Answer != "" {
				r.cmds[cmd.ID] = cmd.Answer
				continue
			}
			r.cancel(c, command{cmd})
		}
		for _, m := range r.early {
			r.cancel(c, m)
		}
		r.early = nil
	case agent.Rejoin:
		recs, _ := m.Value.([]journal.Record)
		r.rejoined(c, key, recs, m.Err)
	}
}

// resume folds a journal, says what was found open, and starts what had not ended.
func (r *run) resume(c *actors.Context, l loaded) {
	r.loading = false
	if len(l.records) == 0 && r.cfg.Created != nil { // the first append never came through
		r.create(c)
		return
	}
	r.make(c)
	parts := map[string][]journal.Record{}
	for i := range l.records {
		rec := &l.records[i]
		if err := r.st.Fold(rec); err != nil {
			r.damaged(c, err, rec.Seq)
			return
		}
		if p := rec.Scope.Invocation; p != "" {
			parts[p] = append(parts[p], *rec)
		}
		if m, ok := rec.Payload.(*journal.FileChanged); ok {
			r.files.note(m)
		}
	}
	if r.cfg.Expect != 0 && r.st.Seq != r.cfg.Expect {
		r.fail(c, Result{Outcome: string(journal.Failed), Code: "journal.seq_conflict", Reason: fmt.Sprintf("the run is at record %d, not at %d", r.st.Seq, r.cfg.Expect)})
		return
	}
	if r.cfg.Observer != nil {
		r.cfg.Observer.Loaded(l.records)
	}
	from := "crash"
	switch r.st.Status {
	case "ended":
		r.fail(c, Result{Outcome: string(r.st.Ended.Outcome), Code: "journal.ended", Reason: "the run has ended"})
		return
	case "paused", "parked":
		from = r.st.Status
	}
	var open []journal.ClassifiedCall
	live := r.st.Live()
	for _, path := range live {
		p := agent.NewPart(r.cfg.Env, r.cfg.ID)
		p.Given = r.st.Given()
		if err := p.FoldAll(parts[path]); err != nil {
			r.damaged(c, err, 0)
			return
		}
		for i := range p.Calls {
			if cl := &p.Calls[i]; cl.State != agent.Settled && p.Phase == agent.Settling {
				open = append(open, p.Class(cl))
			}
		}
	}
	d := r.st.Resume(r.cfg.Started, from, open, c.Now())
	starts := make([]delegate.Out, 0, len(live)+len(d.Outs))
	for _, path := range live {
		starts = append(starts, delegate.Out{Kind: delegate.Revive, Path: path, Records: parts[path]})
	}
	d.Outs = append(starts, d.Outs...)
	r.commit(c, d)
}

// damaged parks a run whose journal cannot be folded.
func (r *run) damaged(c *actors.Context, err error, seq int64) {
	code := fault.Code(err)
	if code == "" {
		code = "journal.damaged"
	}
	reason := err.Error()
	if seq > 0 {
		reason = fmt.Sprintf("record %d: %s", seq, reason)
	}
	r.fail(c, Result{Outcome: "parked", Code: code, Reason: reason, Err: err})
}

// terminated hears of an actor's end: an invocation's, or a gate's.
func (r *run) terminated(c *actors.Context, m actors.Terminated) {
	path, ok := r.names[m.Name]
	if !ok || r.failed || r.over {
		return
	}
	delete(r.names, m.Name)
	delete(r.invs, path)
	f := agent.Crash{Path: path}
	if m.Failure != nil {
		hide := r.cfg.Env.Secrets.Mask
		f.Reason, f.Stack, f.Incarnation = hide(m.Failure.Reason), hide(m.Failure.Stack), m.Failure.Incarnation
	}
	if m.Failure != nil && r.restarts(path, c.Now()) {
		if d := r.st.ActorFailed(f, c.Now()); d != nil {
			r.away[path] = nil
			r.commit(c, d)
			r.rejoin = append(r.rejoin, agent.Rejoin{Path: path})
			r.rejoins(c)
			return
		}
	}
	r.commit(c, r.st.ActorEnded(f, c.Now()))
}

// Restart intensity of an invocation (actors spec §3).
const (
	maxRestarts   = 3
	restartWindow = 30 * time.Second
)

// restarts says whether an invocation whose actor has failed is made anew.
func (r *run) restarts(path string, now time.Time) bool {
	var recent []time.Time
	for _, t := range r.fails[path] {
		if now.Sub(t) < restartWindow {
			recent = append(recent, t)
		}
	}
	r.fails[path] = append(recent, now)
	return len(recent) < maxRestarts
}

// rejoined gives an invocation its records: to its actor, or to a new one in its place.
func (r *run) rejoined(c *actors.Context, j agent.Rejoin, recs []journal.Record, err error) {
	if ref, ok := r.invs[j.Path]; ok {
		c.Tell(ref, agent.Rejoined{Records: recs, Err: err})
		return
	}
	mail, ok := r.away[j.Path]
	if !ok || r.failed || r.over {
		return
	}
	delete(r.away, j.Path)
	if err != nil {
		r.commit(c, r.st.ActorEnded(agent.Crash{Path: j.Path, Reason: err.Error()}, c.Now()))
		return
	}
	r.spawn(c, j.Path, recs, true)
	for _, msg := range mail {
		r.tell(c, j.Path, msg)
	}
}

// rejoins answers invocations that ask for their records, once all of them are durable.
func (r *run) rejoins(c *actors.Context) {
	if len(r.queue) > 0 {
		return
	}
	store, id := r.cfg.Store, r.cfg.ID
	for _, j := range r.rejoin {
		c.Effect(j, func(ctx context.Context) (any, error) {
			return readAll(ctx, store, id, j.Path)
		})
	}
	r.rejoin = nil
}

// readAll reads every record of one invocation, page by page.
func readAll(ctx context.Context, store journal.Store, run, path string) ([]journal.Record, error) {
	const page = 10_000
	var out []journal.Record
	for from := int64(1); ; {
		recs, err := store.Read(ctx, run, journal.Query{From: from, Invocation: path, Limit: page})
		out = append(out, recs...)
		if err != nil || len(recs) < page {
			return out, err
		}
		from = recs[len(recs)-1].Seq + 1
	}
}
