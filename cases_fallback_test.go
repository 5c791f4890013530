package swarm_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/price"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// spared sets up a team whose model fails with err and falls back to another one.
func spared(t *testing.T, err *model.Error, o setupOptions, script swarmtest.Script) *testBundle {
	t.Helper()
	bad := model.Func(func(_ context.Context, _ *model.Request, _ func(model.Delta)) (*model.Answer, error) { return nil, err })
	change := o.opts
	o.opts = func(o *swarm.Options) {
		o.Providers = map[string]model.Provider{"default": bad, "spare": script}
		if change != nil {
			change(o)
		}
	}
	b := setup(t, o)
	b.team.Models["default"] = config.Model{Provider: "scripted", Model: "first", Retry: config.Retry{Attempts: 2, Base: time.Nanosecond}, Fallback: []string{"spare"}}
	b.team.Models["spare"] = config.Model{Provider: "scripted", Model: "second"}
	return b
}

// asks gives which models an agent asked, by turn, as the records have it.
func asks(recs []journal.Record, path string) string {
	var out []string
	for _, r := range recs {
		if m, ok := r.Payload.(*journal.ModelRequested); ok && r.Scope.Invocation == path {
			out = append(out, m.Model)
		}
	}
	return strings.Join(out, " ")
}

func TestFallback(t *testing.T) {
	t.Parallel()
	script := swarmtest.Script{"root": {swarmtest.Do(nothing), swarmtest.Do(finish)}}
	overloaded := &model.Error{Class: model.ClassOverload, Code: "model.overloaded"}

	t.Run("another model goes on, and stays", func(t *testing.T) {
		t.Parallel()
		b := spared(t, overloaded, setupOptions{}, script)
		res := b.run("go")
		b.outcome(res, "completed", "")
		if got := asks(b.records(res.Run), "root"); got != "first second second" {
			t.Errorf("asked %s\n%s", got, b.dump(res.Run))
		}
		failed := payloads[*journal.ModelAttemptFailed](b.records(res.Run))
		if len(failed) != 2 || failed[1].Attempt != 2 || failed[1].Class != "overloaded" {
			t.Errorf("failed attempts: %+v", failed)
		}
	})

	t.Run("limits-9 a wait that is too long", func(t *testing.T) {
		t.Parallel()
		b := spared(t, &model.Error{Class: model.ClassRate, Code: "model.rate_limited", RetryAfter: 4000 * time.Second}, setupOptions{}, script)
		b.outcome(b.run("go"), "completed", "")
	})

	t.Run("limits-8 nobody takes what is wrong by itself", func(t *testing.T) {
		t.Parallel()
		for _, class := range []model.Class{model.ClassPermanent, model.ClassFilter} {
			b := spared(t, &model.Error{Class: class, Code: "model.test"}, setupOptions{}, script)
			res := b.run("go")
			if res.Outcome != "failed" || res.Code != "model.test" || len(b.reqs.Of("root")) != 1 {
				t.Errorf("%s: %+v", class, res)
			}
		}
	})

	t.Run("a resume asks the one that stands in", func(t *testing.T) {
		t.Parallel()
		mem := memory()
		die := killOn(mem, func(r *journal.Record) bool {
			m, ok := r.Payload.(*journal.ModelRequested)
			return ok && m.Fallback != ""
		}, true)
		b := spared(t, overloaded, setupOptions{store: die}, script)
		r := b.start("go")
		b.dies(r)
		b = spared(t, overloaded, setupOptions{store: reborn(mem)}, script)
		res := b.wait(b.resume(r.ID()))
		b.outcome(res, "completed", "")
		for _, req := range b.reqs.Of("root") {
			if req.Model != "second" {
				t.Errorf("turn %d, attempt %d goes to %s", req.Turn, req.Attempt, req.Model)
			}
		}
	})

	t.Run("a budget holds for the one that stands in", func(t *testing.T) {
		t.Parallel()
		b := spared(t, overloaded, setupOptions{}, script)
		b.team.Budgets.Money = swarm.Dollar / 1000
		b.dollars(0, 0)
		spare := b.team.Models["spare"]
		rate := price.Rate(swarm.Dollar)
		spare.Price = &price.Price{Input: &rate, Output: &rate} // a dollar for a million tokens
		b.team.Models["spare"] = spare
		res := b.run("go")
		if res.Outcome != "failed" || res.Reason != "budget.money" || asks(b.records(res.Run), "root") != "first" {
			t.Errorf("%+v\n%s", res, b.dump(res.Run))
		}
	})
}

// A model that fails again and again is not begun with, until a probe finds it well.
func TestBreaker(t *testing.T) {
	t.Parallel()
	clock := swarmtest.NewClock()
	var down atomic.Bool
	var tried, spare atomic.Int32
	down.Store(true)
	s := serve(t, strings.Replace(alone, "root:", "'*':", 1), func(_ int, w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Header.Get("X-Which") == "spare":
			spare.Add(1)
		case down.Load():
			tried.Add(1)
			return refusal(w, 503)
		default:
			tried.Add(1)
		}
		return false
	})
	b := setup(t, setupOptions{opts: func(o *swarm.Options) { o.Clock, o.Providers = clock, nil }})
	first, second := s.model("first"), s.model("second")
	first.Fallback, first.Retry.Cap = []string{"spare"}, 10*time.Second // five failures within a minute
	second.Headers = map[string]string{"X-Which": "spare"}
	b.team.Models = map[string]config.Model{"default": first, "spare": second}
	want := func(asked string, tries, spares int32, res swarm.Result) {
		t.Helper()
		b.outcome(res, "completed", "")
		if got := asks(b.records(res.Run), "root"); got != asked || tried.Load() != tries || spare.Load() != spares {
			t.Errorf("asked %s, want %s; %d and %d requests, want %d and %d\n%s", got, asked, tried.Load(), spare.Load(), tries, spares, b.dump(res.Run))
		}
	}
	want("first second", 5, 1, b.waits(b.start("go"), clock, 4, byItself, 10*time.Second))
	want("first second", 5, 2, b.run("go")) // the first is refused by the limiter
	clock.Advance(time.Minute)
	down.Store(false)
	want("first", 6, 2, b.run("go")) // the probe
	want("first", 7, 2, b.run("go"))
}
