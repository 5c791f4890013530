package agent

import (
	"fmt"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/limit"
)

// permit is how far a model call is with the limiter of its server's key. An attempt has
// one permit; the time that it waits for it is in none of the attempt's limits.
type permit struct {
	tag     uint64 // of the newest wish
	tokens  int64  // about how many an attempt uses
	fresh   bool   // it may be refused when the model fails again and again
	waits   bool
	told    limited // what the invocation was told
	holds   bool
	watches actors.Ref   // limiter whose end is told
	rated   int          // attempts that met a rate limit
	since   time.Time    // when the first of them did
	last    *model.Error // the newest of them
}

func (m *modelCall) acquire(c *actors.Context) {
	m.tag++
	m.waits = true
	if m.watches != m.m.Limiter {
		m.watches = m.m.Limiter
		c.Watch(m.watches)
	}
	c.Tell(m.m.Limiter, limit.Acquire{From: c.Self(), Tag: m.tag, Run: m.req.Run, Path: m.req.Path, Tokens: m.tokens, Model: m.req.Model, Fresh: m.fresh})
}

// heard takes what the limiter says. What is about an earlier wish is void: that wish was
// withdrawn.
func (m *modelCall) heard(c *actors.Context, msg any) {
	switch d := msg.(type) {
	case limit.Queued:
		if !m.waits || d.Tag != m.tag {
			return
		}
		if d.Reason == limit.ByRetryAfter && d.Wait > m.m.Retry.defaults().MaxWait {
			m.withdraw(c)
			m.failed(c, m.tooLong(&model.Error{Class: model.ClassRate, Code: "model.rate_limited", Detail: "the server has the key pause", RetryAfter: d.Wait}))
			return
		}
		if m.last != nil {
			c.After("patience", m.left(c.Now()))
		}
		m.say(c, limited{d.Reason, d.Position, d.Expected})
	case limit.Granted:
		if m.waits && d.Tag == m.tag {
			m.waits, m.holds = false, true
			c.Cancel("patience")
			m.say(c, limited{})
			m.send(c)
		}
	case limit.Refused:
		if m.waits && d.Tag == m.tag {
			m.waits = false
			c.Cancel("patience")
			m.say(c, limited{})
			m.failed(c, m.sh.Env.maskError(d.Err))
		}
	case actors.Terminated: // of the limiter: better without it than not at all
		m.holds, m.watches, m.m.Limiter = false, actors.Ref{}, actors.Ref{}
		if m.waits {
			m.waits = false
			c.Cancel("patience")
			m.say(c, limited{})
			m.send(c)
		}
	}
}

// say tells what is waited for.
func (m *modelCall) say(c *actors.Context, l limited) {
	if l == m.told {
		return
	}
	m.told = l
	c.Tell(m.parent, &l)
	if l.reason == "" {
		c.Publish("running", "")
		return
	}
	c.Publish("waiting", l.String())
}

// String says what is waited for in the tree view: the reason, the place in the queue, and
// about how long that takes, when it is known.
func (l limited) String() string {
	s := WaitsForLimiter + l.reason
	if l.place > 0 {
		s += fmt.Sprintf(", place %d", l.place)
	}
	if l.expected > 0 {
		s += fmt.Sprintf(", about %s", max(l.expected.Round(time.Second), time.Second))
	}
	return s
}

// WaitsForLimiter begins what the tree view says of who waits for a limiter. The reason
// follows, then the place and the expected time.
const WaitsForLimiter = "limiter: "

// withdraw gives up waiting.
func (m *modelCall) withdraw(c *actors.Context) {
	if !m.waits {
		return
	}
	m.waits = false
	c.Cancel("patience")
	c.Tell(m.m.Limiter, limit.Release{From: c.Self(), Tag: m.tag})
	m.say(c, limited{})
}

// release gives the permit of an attempt back, with what the limiter learns from it.
func (m *modelCall) release(c *actors.Context, a *model.Answer, e *model.Error) {
	if !m.holds {
		return
	}
	m.holds = false
	r := limit.Release{From: c.Self(), Tag: m.tag}
	if e != nil {
		r.Class, r.RetryAfter, r.Err = e.Class, e.RetryAfter, e
		if u := &e.Usage; u.Input != nil && u.Output != nil {
			r.Used = *u.Input + *u.Output
		}
		if e.Renewed { // who waits has the other key
			r.Class, r.Err = model.ClassCancelled, nil
		}
	} else if u := &a.Usage; u.Input != nil && u.Output != nil {
		r.Used = *u.Input + *u.Output
	}
	c.Tell(m.m.Limiter, r)
}

// left gives how long a rate limit may still be waited for.
func (m *modelCall) left(now time.Time) time.Duration {
	return m.m.Retry.defaults().Total - now.Sub(m.since)
}

// impatient ends a wait that has taken all the time that there is for rate limits.
func (m *modelCall) impatient(c *actors.Context) {
	if m.waits {
		m.withdraw(c)
		m.failed(c, m.tooLong(m.last))
	}
}

// tooLong has the error of a rate limit say why it is not waited for any more.
func (m *modelCall) tooLong(e *model.Error) *model.Error {
	if e.Class != model.ClassRate {
		return e
	}
	r := m.m.Retry.defaults()
	out := *e
	if e.RetryAfter > r.MaxWait {
		out.Detail = fmt.Sprintf("the server asks to wait %s, and retry.max_wait is %s: %s", e.RetryAfter, r.MaxWait, e.Detail)
	} else {
		out.Detail = fmt.Sprintf("the rate limit lasts, and retry.total is %s: %s", r.Total, e.Detail)
	}
	return &out
}
