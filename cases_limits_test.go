package swarm_test

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// Requests of a server that is short of something: who waits, for how long, how often, and
// what comes of it. limits-4 to -7 and -11 are about histories, and limits-10 is in
// cases_pairing_test.go.
func TestLimits(t *testing.T) {
	t.Parallel()

	t.Run("limits-1", func(t *testing.T) {
		t.Parallel()
		clock := swarmtest.NewClock()
		var mu sync.Mutex
		var begun time.Time // of the second that is counted
		admitted, refused, most := 0, 0, 0
		s := serve(t, `
version: 1
agents:
  lead:
    - calls: [`+strings.Repeat(`{agent_delegate: {agentId: boss, task: {objective: part}}}, `, 4)+`{agent_await: {mode: allCompleted}}]
    - calls: [{workspace_finish: {reason: ready}}]
  boss:
    - calls: [`+strings.Repeat(`{agent_delegate: {agentId: worker, task: {objective: part}}}, `, 4)+`{agent_await: {mode: allCompleted}}]
    - calls: [{task_return: {summary: ok}}]
  worker:
    - calls: [{task_return: {summary: ok}}]
`, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			if now := clock.Now(); now.Sub(begun) >= time.Second {
				begun, admitted, refused = now, 0, 0
			}
			if admitted++; admitted <= 4 {
				return false
			}
			refused++
			most = max(most, refused)
			return refusal(w, 429, "Retry-After", "1")
		})
		reg := prometheus.NewRegistry()
		boss := with(child(), func(p *agent.Profile) {
			p.Delegation.CanDelegate, p.Delegation.AllowNested, p.Model = true, true, "boss"
		})
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"lead": parent(), "boss": boss, "worker": with(child(), func(p *agent.Profile) { p.Model = "worker" })},
			opts:   func(o *swarm.Options) { o.Providers, o.Registerer, o.Clock = nil, reg, clock },
		})
		b.team.Models = map[string]config.Model{"default": s.model("lead"), "boss": s.model("boss"), "worker": s.model("worker")}
		r := b.start("go")
		rested := make(chan struct{})
		go func() {
			defer close(rested)
			_, _ = b.rests(r)
		}()
		pauses := b.pauses(rested, clock)
		res := b.wait(r)
		b.outcome(res, "completed", "")
		if pauses < 26/4 { // the requests of the run by what the server admits
			t.Errorf("%d pauses", pauses)
		}
		done := 0
		for _, m := range payloads[*journal.TaskEnded](b.records(res.Run)) {
			if m.Outcome == journal.Completed {
				done++
			}
		}
		if done != 20 {
			t.Errorf("%d of 20 tasks are done\n%s", done, b.dump(res.Run))
		}
		// One limiter for all models of the key: no more at once than it lets go, 8, and after
		// a refusal nobody before the pause is over.
		if most > 8 {
			t.Errorf("%d requests of one window were refused", most)
		}
		waits := exported(t, reg)
		if waits[`swarm_limiter_wait_seconds{provider="openai",reason="retry_after"}`] == 0 {
			t.Errorf("no waiting is counted: %v", waits)
		}
		limiters := 0
		for _, n := range b.rt.Tree() {
			if n.Kind == "limiter" {
				limiters++
			}
		}
		if limiters != 1 {
			t.Errorf("%d limiters", limiters)
		}
	})

	t.Run("limits-1/waiting is shown", func(t *testing.T) {
		t.Parallel()
		reg := prometheus.NewRegistry()
		hold := newHeld(swarmtest.Script{
			"lead":   {swarmtest.Do(delegateTo("worker"), delegateTo("worker"), awaitAll), swarmtest.Do(finish)},
			"worker": {swarmtest.Do(returning("done"))},
		}, "worker")
		b := setup(t, setupOptions{agents: map[string]*agent.Profile{"lead": parent(), "worker": child()}, script: hold, opts: withMetrics(reg)})
		m := b.team.Models["default"]
		m.Limits.Concurrency = 1
		b.team.Models["default"] = m
		r := b.start("go")
		recv(t, hold.begun)
		becomes(t, reg, `
swarm_invocations{agent="worker",state="waiting_limiter"} 1
swarm_limiter_queue{provider="scripted",reason="concurrency"} 1
`)
		var shown []string
		for _, n := range b.rt.Tree() {
			if strings.HasPrefix(n.WaitsFor, "limiter: concurrency, place 1") && n.State == "waiting" {
				shown = append(shown, n.Kind)
			}
		}
		slices.Sort(shown)
		if strings.Join(shown, " ") != "invocation model call" {
			t.Errorf("shown as waiting: %q", shown)
		}
		close(hold.let)
		b.outcome(b.wait(r), "completed", "")
		becomes(t, reg, `
swarm_invocations{agent="worker",state="waiting_limiter"} 0
swarm_limiter_queue{provider="scripted",reason="concurrency"} 0
`)
	})

	t.Run("limits-1/cancel ends the wait", func(t *testing.T) {
		t.Parallel()
		reg := prometheus.NewRegistry()
		hold := newHeld(swarmtest.Script{"root": {swarmtest.Do(finish)}}, "root")
		b := setup(t, setupOptions{script: hold, opts: withMetrics(reg)})
		m := b.team.Models["default"]
		m.Limits.Concurrency = 1
		b.team.Models["default"] = m
		first := b.start("go")
		recv(t, hold.begun)
		second := b.start("go") // another run of the same key
		becomes(t, reg, `swarm_limiter_queue{provider="scripted",reason="concurrency"} 1`)
		if err := second.Cancel(t.Context(), "no need"); err != nil {
			t.Fatal(err)
		}
		b.outcome(b.wait(second), "cancelled", "")
		becomes(t, reg, `swarm_limiter_queue{provider="scripted",reason="concurrency"} 0`)
		close(hold.let)
		b.outcome(b.wait(first), "completed", "")
		b.outcome(b.run("go"), "completed", "") // nobody has kept a permit
	})

	t.Run("limits-2", func(t *testing.T) {
		t.Parallel()
		s := serve(t, alone, func(_ int, w http.ResponseWriter, _ *http.Request) bool { return refusal(w, 400) })
		b, _ := asking(t, s.model("root"))
		res := b.run("go")
		b.outcome(res, "failed", "")
		if n := len(s.requests()); n > 2 || res.Code != "model.http_400" {
			t.Errorf("%d requests, then %s", n, res.Code)
		}
	})

	t.Run("limits-3", func(t *testing.T) {
		t.Parallel()
		s := serve(t, alone, func(n int, w http.ResponseWriter, _ *http.Request) bool { return n < 5 && refusal(w, 500) })
		b, clock := asking(t, s.model("root"))
		b.outcome(b.waits(b.start("go"), clock, 4, byItself, time.Minute), "completed", "")
		for i, body := range s.requests() {
			if !bytes.Equal(body, s.requests()[0]) {
				t.Errorf("request %d differs from the first: a failed attempt is no part of the history\n%s", i+1, body)
			}
		}
	})

	t.Run("limits-3/too long for the model", func(t *testing.T) {
		t.Parallel()
		s := serve(t, alone, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `{"error":{"message":"too long","code":"context_length_exceeded"}}`)
			return true
		})
		b, _ := asking(t, s.model("root"))
		res := b.run("go")
		b.outcome(res, "failed", "")
		if n := len(s.requests()); n > 2 || res.Code != "model.context_exhausted" {
			t.Errorf("%d requests, then %s", n, res.Code)
		}
	})

	t.Run("limits-12", func(t *testing.T) {
		t.Parallel()
		reg := prometheus.NewRegistry()
		script := swarmtest.Script{
			"lead": {swarmtest.Do(delegateTo("many"), delegateTo("one"), delegateTo("one"), delegateTo("one"), delegateTo("one"), delegateTo("one"), awaitAll), swarmtest.Do(finish)},
			"one":  {swarmtest.Do(returning("done"))},
		}
		for i := range 99 {
			script["many"] = append(script["many"], swarmtest.Do(write("work/file.md", fmt.Sprint(i))))
		}
		script["many"] = append(script["many"], swarmtest.Do(returning("done")))
		hold := newHeld(script, "many")
		b := setup(t, setupOptions{agents: map[string]*agent.Profile{"lead": parent(), "many": child(), "one": child()}, script: hold, opts: withMetrics(reg)})
		m := b.team.Models["default"]
		m.Limits.Concurrency = 1
		b.team.Models["default"] = m
		r := b.start("go")
		recv(t, hold.begun)
		end := time.Now().Add(patience)
		for there := 0.0; there < 4 && time.Now().Before(end); { // of the five as many as work at once beside the other
			n := exported(t, reg)
			there = n[`swarm_limiter_queue{provider="scripted",reason="concurrency"}`] + n[`swarm_invocations_ended_total{agent="one",kind="child",outcome="completed"}`]
			runtime.Gosched()
		}
		close(hold.let)
		b.outcome(b.wait(r), "completed", "")
		before := 0 // requests of the one with many, before the last of the five
		ones := 0
		for _, rec := range b.records(r.ID()) {
			if _, ok := rec.Payload.(*journal.ModelAnswered); !ok {
				continue
			}
			switch {
			case strings.HasPrefix(rec.Scope.Invocation, "root/many") && ones < 5:
				before++
			case strings.HasPrefix(rec.Scope.Invocation, "root/one"):
				ones++
			}
		}
		if ones != 5 || before > 20 {
			t.Errorf("%d of the five were served, the last after %d of the hundred", ones, before)
		}
	})
}
