package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
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
	once    once // what is worth one more attempt only
	trying  bool
	stopped bool
	quiet   bool          // nobody sees its previews, and its failed attempts have no record
	lost    journal.Usage // of failed attempts without a record
	permit
}

// ask sends the request of the current turn.
func (a *invocation) ask(c *actors.Context) {
	p := a.part
	msg := &askModel{m: p.model()}
	m := &msg.m
	msg.req = model.Request{Model: m.Name, System: p.System, Tools: p.Snap.Defs(), ToolsHash: p.Snap.DefsHash(), Messages: p.History[:len(p.History):len(p.History)],
		MaxOutput: p.Profile.MaxOutput, Temperature: p.Profile.Temperature, TopP: m.TopP, Stop: m.Stop,
		Run: p.Run, Path: p.Path, Agent: p.Profile.ID, Turn: p.Turn, Attempt: p.Attempts + 1, Input: p.Brief, Blobs: a.sh.Blobs}
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
	if a.valid != p.fit.changes { // messages that were there became other ones
		a.check.Reset()
		a.valid = p.fit.changes
	}
	if p.Closing == budgetTokens && (r.MaxOutput == 0 || r.MaxOutput > ClosingTokens) {
		r.MaxOutput = ClosingTokens
	}
	if !m.Limiter.IsZero() {
		in, out := p.estimate()
		msg.tokens, msg.fresh = in+out, p.fresh()
	}
	r.Checked = a.check.Checked()
	a.check.Trust(r.ToolsHash, r.System)
	if faults := a.check.Check(r); len(faults) > 0 {
		a.unasked(c, "journal.history_invalid", faults[0].String())
		return
	}
	a.send(c, msg)
}

// send gives a request to the model call actor.
func (a *invocation) send(c *actors.Context, msg *askModel) {
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
		m.m, m.req, m.attempt, m.tried, m.once, m.quiet, m.lost = d.m, d.req, d.req.Attempt, 0, once{}, d.quiet, journal.Usage{}
		m.permit = permit{tag: m.tag, tokens: d.tokens, fresh: d.fresh, watches: m.watches}
		m.try(c)
	case actors.Tick:
		switch d.Name {
		case "retry":
			m.try(c)
			return
		case "patience":
			m.impatient(c)
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
		m.withdraw(c)
		c.Cancel("retry")
		m.failed(c, classify(nil, true))
	case actors.Done:
		m.trying = false
		c.Cancel("grace")
		m.done(c, d)
	default:
		m.heard(c, msg)
	}
}

// try begins an attempt: at once, or when the limiter lets it.
func (m *modelCall) try(c *actors.Context) {
	if m.m.Limiter.IsZero() {
		m.send(c)
		return
	}
	m.acquire(c)
}

func (m *modelCall) send(c *actors.Context) {
	m.trying = true
	req := &m.req // nobody changes it until the effect has ended
	req.Attempt = m.attempt
	c.Effect(nil, func(ctx context.Context) (any, error) {
		if m.sh.Probe != nil {
			m.sh.Probe.Request(ctx, req)
		}
		var preview func(model.Delta)
		shown := func() {}
		if m.sh.Preview != nil && !m.quiet {
			preview, shown = m.sh.Env.masked(func(d model.Delta) { m.sh.Preview(req.Path, d) })
			if req.Attempt > 1 {
				preview(model.Delta{Reset: true})
			}
		}
		if m.m.Told {
			ctx = model.WithAttempt(ctx, req)
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
		m.release(c, ans, nil)
		if e := unusable(ans); e != nil {
			m.unanswered(c, e, ans)
			return
		}
		m.answered(c, ans)
		return
	}
	e := m.sh.Env.maskError(classify(d.Err, m.stopped || c.Ctx().Err() != nil)) // who is being stopped does not try again
	m.release(c, nil, e)
	m.unanswered(c, e, &model.Answer{Finish: model.FinishStop, Usage: e.Usage})
}

// unanswered decides what follows an attempt that brought no answer. What counts as one
// when it comes again is bad.
func (m *modelCall) unanswered(c *actors.Context, e *model.Error, bad *model.Answer) {
	first, known := m.once.take(e)
	wait, again := m.wait(c.Now(), e)
	switch {
	case known && e.Class == model.ClassAuth:
		wait, again = 0, first // with the other key, at once
	case known && !(first && again): // now it is a bad turn
		m.answered(c, bad)
		return
	}
	if !again {
		m.failed(c, m.tooLong(e))
		return
	}
	if m.quiet {
		addUsage(&m.lost, e.Usage)
	}
	c.Tell(m.parent, &attemptFailed{m.req.Turn, m.attempt, e})
	m.attempt++
	if e.Class == model.ClassRate && !m.m.Limiter.IsZero() {
		m.try(c) // the limiter has the key pause
		return
	}
	c.After("retry", wait)
}

// answered gives the answer to the invocation.
func (m *modelCall) answered(c *actors.Context, ans *model.Answer) {
	if m.lost.Requests > 0 {
		whole := *ans
		whole.Usage = m.lost
		addUsage(&whole.Usage, ans.Usage)
		ans = &whole
	}
	c.Tell(m.parent, &answered{m.req.Turn, m.attempt, ans})
}

func (m *modelCall) failed(c *actors.Context, e *model.Error) {
	if m.stopped {
		c.StopSelf() // its context has ended: the next request has an actor of its own
	}
	if m.lost.Requests > 0 {
		whole := *e
		whole.Usage = m.lost
		addUsage(&whole.Usage, e.Usage)
		e = &whole
	}
	c.Tell(m.parent, &modelFailed{m.req.Turn, m.attempt, e})
}

func classify(err error, stopped bool) *model.Error {
	var e *model.Error
	found := errors.As(err, &e)
	switch {
	case stopped && found:
		return &model.Error{Class: model.ClassCancelled, Code: "model.cancelled", Detail: "cancelled", Usage: e.Usage, Cause: err}
	case stopped:
		return &model.Error{Class: model.ClassCancelled, Code: "model.cancelled", Detail: "cancelled", Cause: err}
	case found:
		return e
	}
	detail := "the provider gave neither an answer nor an error"
	if err != nil {
		detail = err.Error()
	}
	return &model.Error{Class: model.ClassTransient, Code: "model.failed", Detail: detail, Cause: err}
}

const defaultAttempts = 5 // of one request (models spec §13.2)

// defaults gives r with every unset bound at its default.
func (r Retry) defaults() Retry {
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
	if r.Total == 0 {
		r.Total = max(15*time.Minute, r.MaxWait)
	}
	return r
}

// wait says how long to wait before the next attempt, and whether there is one: the
// server's wish, or full jitter below base·2ⁿ (models spec §13.2). Waiting for a rate limit
// uses no attempt up, and is bounded by the time since it began.
func (m *modelCall) wait(now time.Time, e *model.Error) (time.Duration, bool) {
	r := m.m.Retry.defaults()
	if !e.Retried() || e.RetryAfter > r.MaxWait {
		return 0, false
	}
	if e.Class == model.ClassRate {
		if m.since.IsZero() {
			m.since = now
		}
		m.rated++
		if m.last = e; m.left(now) < e.RetryAfter {
			return 0, false
		}
	} else if m.tried++; m.tried >= r.Attempts {
		return 0, false
	}
	top := r.Base << min(m.tried+m.rated, 16)
	if top > r.Cap || top <= 0 {
		top = r.Cap
	}
	d := time.Duration(m.sh.Rand(int(top) + 1))
	return max(d, e.RetryAfter), true
}
