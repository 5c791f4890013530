package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// modelCall is the actor of an invocation's model requests, one after the other, each
// with its retries.
type modelCall struct {
	parent  actors.Ref
	sh      *Shared
	m       Model
	req     model.Request
	attempt int
	tried   int  // transient attempts; waiting for a rate limit does not use them up
	empty   bool // an attempt brought an empty answer
	trying  bool
	stopped bool
}

// ask sends the request of the current turn.
func (a *invocation) ask(c *actors.Context) {
	p := a.part
	msg := &askModel{m: p.model()}
	m := &msg.m
	msg.req = model.Request{Model: m.Name, System: p.System, Tools: p.Snap.Defs(), ToolsHash: p.Snap.DefsHash(), Messages: p.History[:len(p.History):len(p.History)],
		MaxOutput: p.Profile.MaxOutput, Temperature: p.Profile.Temperature, TopP: m.TopP, Stop: m.Stop,
		Run: p.Run, Path: p.Path, Agent: p.Profile.ID, Turn: p.Turn, Attempt: p.Attempts + 1, Input: p.Brief}
	r := &msg.req
	if r.MaxOutput == 0 {
		r.MaxOutput = m.MaxOutput
	}
	if r.Temperature == nil {
		r.Temperature = m.Temperature
	}
	if p.Closing != "" {
		r.Choice.Mode = "none"
	}
	r.Checked = a.check.Checked()
	a.check.Trust(r.ToolsHash, r.System)
	if faults := a.check.Check(r); len(faults) > 0 {
		a.unasked(c, "journal.history_invalid", faults[0].String())
		return
	}
	if a.asker.IsZero() {
		ref, err := c.Spawn(actors.Spec{Name: "model", Kind: "model call", New: func() actors.Actor { return &modelCall{parent: c.Self(), sh: a.sh} }})
		if err != nil {
			a.unasked(c, "model.failed", err.Error())
			return
		}
		a.asker = ref
	}
	c.Tell(a.asker, msg)
}

func (a *invocation) unasked(c *actors.Context, code, detail string) {
	c.Tell(c.Self(), &modelFailed{a.part.Turn, 0, &model.Error{Class: model.ClassPermanent, Code: code, Detail: detail}})
}

// Receive implements [actors.Actor].
func (m *modelCall) Receive(c *actors.Context, msg any) {
	switch d := msg.(type) {
	case *askModel:
		m.m, m.req, m.attempt, m.tried, m.empty = d.m, d.req, d.req.Attempt, 0, false
		m.try(c)
	case actors.Tick:
		if d.Name == "retry" {
			m.try(c)
			return
		}
		m.failed(c, classify(nil, true)) // its provider ignores the end of the context
		c.StopSelf()
	case stopWork:
		m.stopped = true
		if m.trying {
			c.CancelCtx()
			c.After("grace", effectGrace)
			return
		}
		c.Cancel("retry")
		m.failed(c, classify(nil, true))
	case actors.Done:
		m.trying = false
		c.Cancel("grace")
		m.done(c, d)
	}
}

func (m *modelCall) try(c *actors.Context) {
	m.trying = true
	req := &m.req // nobody changes it until the effect has ended
	req.Attempt = m.attempt
	c.Effect(nil, func(ctx context.Context) (any, error) {
		if m.sh.Probe != nil {
			m.sh.Probe.Request(ctx, req)
		}
		var preview func(model.Delta)
		shown := func() {}
		if m.sh.Preview != nil {
			preview, shown = m.sh.Env.masked(func(d model.Delta) { m.sh.Preview(req.Path, d) })
			if req.Attempt > 1 {
				preview(model.Delta{Reset: true})
			}
		}
		ans, err := m.m.Provider.Answer(ctx, req, preview)
		if err == nil {
			shown()
		}
		if err == nil && ans != nil && len(ans.Calls) > model.MaxCalls { // a server's is refused while it comes
			return nil, &model.Error{Class: model.ClassPermanent, Code: "model.answer_too_large", Detail: fmt.Sprintf("%d calls, the limit is %d", len(ans.Calls), model.MaxCalls)}
		}
		return m.sh.Env.maskAnswer(ans), err
	})
}

func (m *modelCall) done(c *actors.Context, d actors.Done) {
	if ans, ok := d.Value.(*model.Answer); ok && d.Err == nil && ans != nil {
		c.Tell(m.parent, &answered{m.req.Turn, m.attempt, ans})
		return
	}
	e := m.sh.Env.maskError(classify(d.Err, m.stopped || c.Ctx().Err() != nil)) // who is being stopped does not try again
	wait, again := m.wait(e)
	if e.Code == "model.empty_answer" {
		if m.empty || !again { // asked again once: now it is a bad turn
			c.Tell(m.parent, &answered{m.req.Turn, m.attempt, &model.Answer{Finish: model.FinishStop}})
			return
		}
		m.empty = true
	}
	if !again {
		m.failed(c, e)
		return
	}
	c.Tell(m.parent, &attemptFailed{m.req.Turn, m.attempt, e})
	m.attempt++
	c.After("retry", wait)
}

func (m *modelCall) failed(c *actors.Context, e *model.Error) {
	if m.stopped {
		c.StopSelf() // its context has ended: the next request has an actor of its own
	}
	c.Tell(m.parent, &modelFailed{m.req.Turn, m.attempt, e})
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

const defaultAttempts = 5 // of one request (models spec §13.2)

// wait says how long to wait before the next attempt, and whether there is one: the
// server's wish, or full jitter below base·2ⁿ (models spec §13.2).
func (m *modelCall) wait(e *model.Error) (time.Duration, bool) {
	r := m.m.Retry
	if r.Attempts == 0 {
		r.Attempts = defaultAttempts
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
	d := time.Duration(m.sh.Rand(int(top) + 1))
	return max(d, e.RetryAfter), true
}
