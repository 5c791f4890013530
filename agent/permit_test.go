package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/limit"
)

// permits is a model call actor whose limiter is played by the test.
type permits struct {
	*stage
	asked   []string // what the limiter was told
	heard   []any
	calls   int
	call    actors.Ref
	limiter actors.Ref
}

// newPermits has the limiter answer each wish by what answer gives; nil: nothing.
func newPermits(t testing.TB, r Retry, provider func() (*model.Answer, error), answer func(limit.Acquire) any) *permits {
	p := &permits{stage: newStage(t)}
	p.limiter = p.spawn(t, actors.Spec{Kind: "limiter", New: func() actors.Actor {
		return actors.Func(func(c *actors.Context, msg any) {
			switch m := msg.(type) {
			case limit.Acquire:
				p.asked = append(p.asked, fmt.Sprintf("acquire %d %s %s %d", m.Tag, m.Run, m.Path, m.Tokens))
				if out := answer(m); out != nil {
					c.Tell(m.From, out)
				}
			case limit.Release:
				p.asked = append(p.asked, fmt.Sprintf("release %d %q %d %s", m.Tag, m.Class, m.Used, m.RetryAfter))
			case string:
				c.StopSelf()
			}
		})
	}})
	m := Model{Retry: r, Limiter: p.limiter, Provider: model.Func(func(context.Context, *model.Request, func(model.Delta)) (*model.Answer, error) {
		p.calls++
		return provider()
	})}
	parent := p.listener(t, &p.heard)
	p.call = p.spawn(t, actors.Spec{Kind: "model call", New: func() actors.Actor { return &modelCall{parent: parent, sh: &Shared{Env: &Env{}, Rand: most}} }})
	p.Tell(p.call, &askModel{m: m, tokens: 70, req: model.Request{Run: "run", Path: "root", Turn: 1, Attempt: 1}})
	return p
}

// words says what the invocation heard.
func (p *permits) words() []string {
	out := []string{}
	for _, m := range p.heard {
		switch m := m.(type) {
		case *limited:
			out = append(out, "waits for "+m.reason)
		case *answered:
			out = append(out, fmt.Sprintf("answer %d", m.attempt))
		case *attemptFailed:
			out = append(out, fmt.Sprintf("again %d %s", m.attempt, m.err.Code))
		case *modelFailed:
			out = append(out, fmt.Sprintf("failed %d %s", m.attempt, m.err.Code))
		}
	}
	return out
}

func grants(a limit.Acquire) any { return limit.Granted{Tag: a.Tag} }
func silent(limit.Acquire) any   { return nil }
func num(n int64) *int64         { return &n }
func fine() (*model.Answer, error) {
	a := &model.Answer{Text: "fine"}
	a.Usage.Input, a.Usage.Output = num(40), num(2)
	return a, nil
}

// queues has everybody wait first, for a reason that may last.
func queues(reason string, wait time.Duration) func(limit.Acquire) any {
	return func(a limit.Acquire) any { return limit.Queued{Tag: a.Tag, Reason: reason, Position: 1, Wait: wait} }
}

// failing gives errors one after the other, then answers.
func failing(errs ...error) func() (*model.Answer, error) {
	return func() (*model.Answer, error) {
		if len(errs) == 0 {
			return fine()
		}
		err := errs[0]
		errs = errs[1:]
		return nil, err
	}
}

// What a limiter and an invocation hear of attempts; no time passes but that of after.
func TestPermits(t *testing.T) {
	t.Parallel()
	transient := modelErr(model.ClassTransient, "model.http_500", 0)
	for _, row := range []struct {
		name     string
		provider func() (*model.Answer, error)
		limiter  func(limit.Acquire) any
		after    time.Duration
		asked    []string
		heard    []string
	}{
		{"an answer", fine, grants, 0,
			[]string{"acquire 1 run root 70", `release 1 "" 42 0s`}, []string{"answer 1"}},
		{"each attempt has its own", failing(transient), grants, 2 * time.Second,
			[]string{"acquire 1 run root 70", `release 1 "transient" 0 0s`, "acquire 2 run root 70", `release 2 "" 42 0s`},
			[]string{"again 1 model.http_500", "answer 2"}},
		{"limits-9 the limiter waits out a rate limit", failing(modelErr(model.ClassRate, "model.rate_limited", 20*time.Second)), grants, 0,
			[]string{"acquire 1 run root 70", `release 1 "rate_limited" 0 20s`, "acquire 2 run root 70", `release 2 "" 42 0s`},
			[]string{"again 1 model.rate_limited", "answer 2"}},
		{"limits-9 a wish beyond the bound", failing(modelErr(model.ClassRate, "model.rate_limited", 4000*time.Second)), grants, 0,
			[]string{"acquire 1 run root 70", `release 1 "rate_limited" 0 1h6m40s`}, []string{"failed 1 model.rate_limited"}},
		{"what a failed attempt has used", failing(&model.Error{Class: model.ClassTransient, Code: "model.stream_incomplete", Usage: used(10, 2)}), grants, 2 * time.Second,
			[]string{"acquire 1 run root 70", `release 1 "transient" 12 0s`, "acquire 2 run root 70", `release 2 "" 42 0s`},
			[]string{"again 1 model.stream_incomplete", "answer 2"}},
		{"limits-8 another key: who waits goes on", failing(&model.Error{Class: model.ClassAuth, Code: "model.auth", Renewed: true}), grants, 0,
			[]string{"acquire 1 run root 70", `release 1 "cancelled" 0 0s`, "acquire 2 run root 70", `release 2 "" 42 0s`},
			[]string{"again 1 model.auth", "answer 2"}},
		{"a provider that panics", func() (*model.Answer, error) { panic("broken") }, grants, 0,
			[]string{"acquire 1 run root 70", `release 1 "transient" 0 0s`}, []string{"again 1 model.failed"}},
		{"waiting is told", fine, queues(limit.ByRequests, time.Hour), 0,
			[]string{"acquire 1 run root 70"}, []string{"waits for requests"}},
		{"the key pauses within bounds", fine, queues(limit.ByRetryAfter, time.Minute), 0,
			[]string{"acquire 1 run root 70"}, []string{"waits for retry_after"}},
		{"limits-9 the key pauses beyond the bound", fine, queues(limit.ByRetryAfter, 4000*time.Second), 0,
			[]string{"acquire 1 run root 70", `release 1 "" 0 0s`}, []string{"failed 1 model.rate_limited"}},
		{"limits-8 the key is refused", fine, func(a limit.Acquire) any {
			return limit.Refused{Tag: a.Tag, Err: &model.Error{Class: model.ClassAuth, Code: "model.auth"}}
		}, 0, []string{"acquire 1 run root 70"}, []string{"failed 1 model.auth"}},
		{"what is about another wish is void", fine, func(a limit.Acquire) any { return limit.Granted{Tag: a.Tag + 1} }, time.Hour,
			[]string{"acquire 1 run root 70"}, []string{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPermits(t, Retry{}, row.provider, row.limiter)
			p.clock.Advance(row.after)
			same(t, "the limiter was told", p.asked, row.asked)
			same(t, "the invocation heard", p.words(), row.heard)
		})
	}
}

// A stop ends the wait for a permit, and a permit that comes all the same is not used.
func TestStopWaitingForPermit(t *testing.T) {
	t.Parallel()
	p := newPermits(t, Retry{}, fine, queues(limit.ByConcurrency, 0))
	p.Tell(p.call, stopWork{"model.cancelled"})
	p.Tell(p.call, limit.Granted{Tag: 1})
	same(t, "the limiter was told", p.asked, []string{"acquire 1 run root 70", `release 1 "" 0 0s`})
	same(t, "the invocation heard", p.words(), []string{"waits for concurrency", "waits for ", "failed 1 model.cancelled"})
	if p.calls != 0 {
		t.Errorf("asked %d times", p.calls)
	}
}

// retry.total ends the wait for a rate limit, whether the model call waits by itself or at
// its limiter.
func TestRateLimitTotal(t *testing.T) {
	t.Parallel()
	t.Run("at the limiter", func(t *testing.T) {
		t.Parallel()
		n := 0
		p := newPermits(t, Retry{Total: 10 * time.Minute}, failing(modelErr(model.ClassRate, "model.rate_limited", time.Minute)), func(a limit.Acquire) any {
			if n++; n == 1 {
				return limit.Granted{Tag: a.Tag}
			}
			return limit.Queued{Tag: a.Tag, Reason: limit.ByRetryAfter, Wait: time.Minute}
		})
		p.clock.Advance(10*time.Minute - 1)
		same(t, "the invocation heard", p.words(), []string{"again 1 model.rate_limited", "waits for retry_after"})
		p.clock.Advance(1)
		same(t, "the invocation heard", p.words()[2:], []string{"waits for ", "failed 2 model.rate_limited"})
		same(t, "the limiter was told", p.asked[3:], []string{`release 2 "" 0 0s`})
		if e := p.heard[len(p.heard)-1].(*modelFailed).err; !strings.Contains(e.Detail, "retry.total is 10m0s") {
			t.Errorf("%q", e.Detail)
		}
	})
	t.Run("by itself", func(t *testing.T) {
		t.Parallel()
		a := newAsking(t, Retry{Total: 10 * time.Minute}, func(int) (*model.Answer, error) {
			return nil, modelErr(model.ClassRate, "model.rate_limited", 3*time.Minute)
		}, least)
		a.clock.Advance(time.Hour)
		words := a.words()
		if len(a.asks) != 4 || words[len(words)-1] != "failed 4 model.rate_limited" {
			t.Errorf("asked %d times, heard %q", len(a.asks), words)
		}
	})
}

// Without its limiter a model call goes on: no wait is for ever.
func TestLimiterEnds(t *testing.T) {
	t.Parallel()
	p := newPermits(t, Retry{}, fine, silent)
	p.Tell(p.limiter, "end")
	same(t, "the invocation heard", p.words(), []string{"answer 1"})
}
