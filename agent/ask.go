package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// modelCall is the actor of one model request with its retries.
type modelCall struct {
	parent  actors.Ref
	sh      *Shared
	m       Model
	req     model.Request
	attempt int
	tried   int // transient attempts; waiting for a rate limit does not use them up
	cancel  context.CancelFunc
	stopped bool
}

// ask sends the request of the current turn.
func (a *invocation) ask(c *actors.Context) {
	p := a.part
	m := p.model()
	w := &modelCall{parent: c.Self(), sh: a.sh, m: m, attempt: p.Attempts + 1}
	w.req = model.Request{Model: m.Name, System: p.System, Tools: p.Snap.Defs(), ToolsHash: p.Snap.DefsHash(), Messages: p.History[:len(p.History):len(p.History)],
		MaxOutput: p.Profile.MaxOutput, Temperature: p.Profile.Temperature, Run: p.Run, Path: p.Path, Agent: p.Profile.ID, Turn: p.Turn, Input: p.History[0].Text}
	if w.req.MaxOutput == 0 {
		w.req.MaxOutput = m.MaxOutput
	}
	if w.req.Temperature == nil {
		w.req.Temperature = m.Temperature
	}
	w.req.TopP, w.req.Stop = m.TopP, m.Stop
	if p.Closing != "" {
		w.req.Choice.Mode = "none"
	}
	if faults := a.check.Check(&w.req); len(faults) > 0 {
		f := faults[0]
		a.live.Asking = false
		a.advance(c, p.Failed(0, &model.Error{Class: model.ClassPermanent, Code: "journal.history_invalid", Detail: f.Rule + " at " + f.Place + ": " + f.Detail}))
		return
	}
	ref, err := c.Spawn(actors.Spec{Kind: "model call", New: func() actors.Actor { return w }})
	if err != nil {
		a.live.Asking = false
		a.advance(c, p.Failed(0, &model.Error{Class: model.ClassPermanent, Code: "model.failed", Detail: err.Error()}))
		return
	}
	a.asker = ref
}

// Receive implements [actors.Actor].
func (m *modelCall) Receive(c *actors.Context, msg any) {
	switch d := msg.(type) {
	case actors.Started, actors.Tick:
		m.try(c)
	case stopWork:
		m.stopped = true
		if m.cancel != nil {
			m.cancel()
			return
		}
		c.Tell(m.parent, &modelFailed{m.req.Turn, m.attempt, &model.Error{Class: model.ClassCancelled, Code: "model.cancelled", Detail: "cancelled"}})
		c.StopSelf()
	case actors.Done:
		m.done(c, d)
	}
}

func (m *modelCall) try(c *actors.Context) {
	ctx, cancel := context.WithCancel(c.Ctx())
	m.cancel = cancel
	req := m.req
	req.Attempt = m.attempt
	c.Effect(nil, func(context.Context) (any, error) {
		if m.sh.Probe != nil {
			m.sh.Probe.Request(ctx, &req)
		}
		var preview func(model.Delta)
		if m.sh.Preview != nil {
			preview = func(d model.Delta) { m.sh.Preview(req.Path, d) }
		}
		return m.m.Provider.Answer(ctx, &req, preview)
	})
}

func (m *modelCall) done(c *actors.Context, d actors.Done) {
	m.cancel()
	m.cancel = nil
	if ans, ok := d.Value.(*model.Answer); ok && d.Err == nil && ans != nil {
		c.Tell(m.parent, &answered{m.req.Turn, m.attempt, ans})
		c.StopSelf()
		return
	}
	e := classify(d.Err, m.stopped)
	wait, again := m.wait(e)
	if !again {
		c.Tell(m.parent, &modelFailed{m.req.Turn, m.attempt, e})
		c.StopSelf()
		return
	}
	c.Tell(m.parent, &attemptFailed{m.req.Turn, m.attempt, e})
	m.attempt++
	if m.sh.Preview != nil {
		m.sh.Preview(m.req.Path, model.Delta{Reset: true})
	}
	c.After("retry", wait)
}

func classify(err error, stopped bool) *model.Error {
	var e *model.Error
	if stopped {
		return &model.Error{Class: model.ClassCancelled, Code: "model.cancelled", Detail: "cancelled", Cause: err}
	}
	if errors.As(err, &e) {
		return e
	}
	detail := "the provider gave neither an answer nor an error"
	if err != nil {
		detail = err.Error()
	}
	return &model.Error{Class: model.ClassTransient, Code: "model.failed", Detail: detail, Cause: err}
}

// wait says how long to wait before the next attempt, and whether there is one: the
// server's wish, or full jitter below base·2ⁿ (models spec §13.2).
func (m *modelCall) wait(e *model.Error) (time.Duration, bool) {
	r := m.m.Retry
	if r.Attempts == 0 {
		r.Attempts = 5
	}
	if r.Base == 0 {
		r.Base = time.Second
	}
	if r.Cap == 0 {
		r.Cap = time.Minute
	}
	if r.MaxWait == 0 {
		r.MaxWait = 5 * time.Minute
	}
	if !e.Retried() || e.RetryAfter > r.MaxWait {
		return 0, false
	}
	if e.Class != model.ClassRate {
		m.tried++
		if m.tried >= r.Attempts {
			return 0, false
		}
	} else if m.attempt >= 20 {
		return 0, false
	}
	top := r.Base << min(m.tried, 16)
	if top > r.Cap || top <= 0 {
		top = r.Cap
	}
	d := time.Duration(rand.Int64N(int64(top) + 1))
	return max(d, e.RetryAfter), true
}
