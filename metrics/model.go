package metrics

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// chat is the one operation of the conventions that the runtime asks models for.
const chat = "chat"

// modelSeries has the series of one model of one provider.
type modelSeries struct {
	v              *vectors
	provider, name string
	requests       [nClasses]lazy[prometheus.Counter]
	seconds        [nClasses]lazy[prometheus.Observer]
	genai          [nClasses]lazy[prometheus.Observer]
	first          lazy[prometheus.Observer]
	spent          [nTokens]lazy[prometheus.Counter]
	usage          [2]lazy[prometheus.Observer] // input, output
}

func (m *Metrics) model(provider, name string) *modelSeries {
	return resolve(&m.models, provider+"\x00"+name, func() *modelSeries {
		provider, name := clean(provider), clean(name)
		if !m.modelNames.fits(provider + "\x00" + name) {
			provider, name = other, other
		}
		return &modelSeries{v: m.v, provider: provider, name: name}
	})
}

// retry gives the counter of repeated requests of a provider.
func (m *Metrics) retry(s *modelSeries, class string) prometheus.Counter {
	reason := classes[classes.index(class)]
	return resolve(&m.retried, s.provider+"\x00"+reason, func() prometheus.Counter { return m.v.retries.WithLabelValues(s.provider, reason) })
}

// answered counts one request that has come back.
func (s *modelSeries) answered(class int, took time.Duration) {
	s.requests[class].get(func() prometheus.Counter { return s.v.requests.WithLabelValues(s.provider, s.name, classes[class]) }).Inc()
	s.seconds[class].get(func() prometheus.Observer {
		return s.v.requestSeconds.WithLabelValues(s.provider, s.name, classes[class])
	}).Observe(took.Seconds())
	s.genai[class].get(func() prometheus.Observer {
		fault := classes[class]
		if class == isCompleted {
			fault = "" // as if there were no such label
		}
		return s.v.genaiSeconds.WithLabelValues(chat, s.provider, s.name, fault)
	}).Observe(took.Seconds())
}

// began notes the first piece of an answer.
func (s *modelSeries) began(after time.Duration) {
	s.first.get(func() prometheus.Observer { return s.v.firstToken.WithLabelValues(s.provider, s.name) }).Observe(after.Seconds())
}

// used counts the tokens of an answer, as far as the server said them.
func (s *modelSeries) used(u *journal.Usage) {
	for i, n := range [nTokens]*int64{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning} {
		if n == nil || *n < 0 {
			continue
		}
		s.spent[i].get(func() prometheus.Counter { return s.v.tokens.WithLabelValues(s.provider, s.name, tokens[i]) }).Add(float64(*n))
		if i < len(s.usage) {
			s.usage[i].get(func() prometheus.Observer {
				return s.v.genaiTokens.WithLabelValues(chat, s.provider, s.name, tokens[i])
			}).Observe(float64(*n))
		}
	}
}

// spend counts what an answer cost, when that is known and not nothing.
func (m *Metrics) spend(s *modelSeries, a *agentSeries, u *journal.Usage) {
	if u.Cost == nil || *u.Cost <= 0 {
		return
	}
	key := s.provider + "\x00" + s.name + "\x00" + a.name
	resolve(&m.costs, key, func() prometheus.Counter {
		if !m.costNames.fits(key) {
			return m.v.cost.WithLabelValues(other, other, other)
		}
		return m.v.cost.WithLabelValues(s.provider, s.name, a.name)
	}).Add(float64(*u.Cost) / 1e9)
}

// Provider wraps a provider so that its requests are counted and timed under the kind and
// the name that records give to the model.
func (m *Metrics) Provider(p model.Provider, kind, name string) model.Provider {
	return &provider{Provider: p, s: m.model(kind, name), now: m.now}
}

type provider struct {
	model.Provider
	s   *modelSeries
	now func() time.Time
}

var _ model.Provider = (*provider)(nil)

// Answer implements [model.Provider].
func (p *provider) Answer(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
	begun := p.now()
	class := len(classes) - 1 // also of a provider that panics
	defer func() { p.s.answered(class, p.now().Sub(begun)) }()
	var first atomic.Bool
	a, err := p.Provider.Answer(ctx, req, func(d model.Delta) {
		if !d.Reset && first.CompareAndSwap(false, true) {
			p.s.began(p.now().Sub(begun))
		}
		if preview != nil {
			preview(d)
		}
	})
	class = classOf(ctx, a, err)
	return a, err
}

// classOf gives the place in [classes] of what came back.
func classOf(ctx context.Context, a *model.Answer, err error) int {
	var e *model.Error
	switch {
	case err == nil && a != nil:
		return isCompleted
	case errors.As(err, &e):
		return classes.index(string(e.Class))
	case ctx.Err() != nil:
		return classes.index(string(model.ClassCancelled))
	}
	return len(classes) - 1
}
