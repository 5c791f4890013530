package swarm_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/price"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// billed has every answer of a model report what was read, as the estimate has it, and 50
// tokens written.
func billed(p model.Provider) model.Provider {
	return model.Func(func(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
		a, err := p.Answer(ctx, req, preview)
		if a != nil {
			in := model.HeadTokens(req.System, req.Tools)
			for i := range req.Messages {
				in += model.MessageTokens(&req.Messages[i])
			}
			a.Usage = tokens(in, 50)
		}
		return a, err
	})
}

// dollars gives the default model a price in dollars for a million tokens.
func (b *testBundle) dollars(in, out int64) {
	i, o := price.Rate(in*1e9), price.Rate(out*1e9)
	m := b.team.Models["default"]
	m.Price = &price.Price{Input: &i, Output: &o}
	b.team.Models["default"] = m
}

// Tokens, money and time are limits of the whole tree.
func TestSpending(t *testing.T) {
	t.Parallel()
	agents := func() map[string]*agent.Profile {
		return map[string]*agent.Profile{"lead": parent(), "maker": child(), "tester": child()}
	}

	t.Run("budgets-6", func(t *testing.T) {
		t.Parallel()
		reg := prometheus.NewRegistry()
		b := setup(t, setupOptions{agents: agents(), opts: withMetrics(reg), script: byUsage(swarmtest.Script{
			"lead":   {swarmtest.Do(delegateTo("maker"), delegateTo("tester"), awaitAll), swarmtest.Do(finish)},
			"maker":  {swarmtest.Do(returning("made"))},
			"tester": {swarmtest.Do(nothing), swarmtest.Do(returning("tested"))},
		})})
		b.dollars(1, 5) // 10 tokens in and 2 out: 20,000 nano-dollars an answer
		res := b.run("go")
		b.outcome(res, "completed", "")
		if u := res.Usage; u.Cost == nil || *u.Cost != 5*20_000 || !u.CostComplete() {
			t.Errorf("the run: %+v", u)
		}
		sum := journal.Usage{}
		for _, e := range payloads[*journal.InvocationEnded](b.records(res.Run)) {
			agent.AddUsage(&sum, e.Usage)
		}
		if *sum.Cost != *res.Usage.Cost {
			t.Errorf("all invocations: %+v", sum)
		}
		becomes(t, reg, `
swarm_model_cost_usd_total{agent="lead",model="script",provider="scripted"} 4e-05
swarm_model_cost_usd_total{agent="maker",model="script",provider="scripted"} 2e-05
swarm_model_cost_usd_total{agent="tester",model="script",provider="scripted"} 4e-05
`)
	})

	t.Run("budgets-8", func(t *testing.T) {
		t.Parallel()
		busy := make([]swarmtest.Turn, 20)
		for i := range busy {
			busy[i] = swarmtest.Do(nothing)
			busy[i].Text = "at work"
		}
		lead := append([]swarmtest.Turn{swarmtest.Do(delegateTo("maker"), delegateTo("tester"))}, busy...)
		b := setup(t, setupOptions{agents: agents(), budgets: agent.Budgets{Tokens: 10_000},
			script: billed(swarmtest.Script{"lead": lead, "maker": busy, "tester": busy})})
		res := b.run("go")
		b.outcome(res, "partial", "budget.tokens")
		// What was admitted fits; an answer may be longer than expected, and who closes reads
		// once more.
		var normal, held int64
		closing := map[string]bool{}
		for _, r := range b.records(res.Run) {
			switch m := r.Payload.(type) {
			case *journal.ModelRequested:
				if closing[r.Scope.Invocation] = m.Closing; !m.Closing {
					held = m.Reserve.Tokens
					if normal+held > 10_000 {
						t.Errorf("record %d asks for %d after %d", r.Seq, held, normal)
					}
				}
			case *journal.ModelAnswered:
				if !closing[r.Scope.Invocation] {
					normal += *m.Usage.Input + *m.Usage.Output
				}
			}
		}
		if normal > 10_000 {
			t.Errorf("%d tokens were used before the closing turns", normal)
		}
		if len(payloads[*journal.BudgetExhausted](b.records(res.Run))) == 0 {
			t.Error("nothing says that the budget ran out")
		}
		for _, req := range b.reqs.Of("root") {
			if req.Choice.Mode == "none" && req.MaxOutput != agent.ClosingTokens {
				t.Errorf("the closing turn may write %d tokens", req.MaxOutput)
			}
		}
	})

	t.Run("budgets-9", func(t *testing.T) {
		t.Parallel()
		var log bytes.Buffer
		budget := agent.Budgets{Money: swarm.Dollar}
		b := setup(t, setupOptions{budgets: budget, script: byUsage(swarmtest.Script{"root": {swarmtest.Do(nothing), swarmtest.Do(finish)}}),
			opts: func(o *swarm.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) }})
		b.team.Models["default"] = config.Model{Provider: "openai", BaseURL: "http://127.0.0.1:1/v1", Auth: "none", Model: "unheard-of"}
		_, err := b.rt.Start(t.Context(), b.team, swarm.Input{Text: "go"})
		if swarm.Code(err) != "config.unpriced" || !strings.Contains(err.Error(), "model default") {
			t.Fatalf("got %v", err)
		}
		again := *b.team
		again.Budgets.Unpriced = true
		b.team = &again
		res := b.run("go")
		b.outcome(res, "completed", "")
		if u := res.Usage; u.Cost != nil || u.CostMissing != 2 || u.CostComplete() {
			t.Errorf("the run: %+v", u)
		}
		if !strings.Contains(log.String(), "no limit of money holds for it") {
			t.Errorf("nobody is told: %s", log.String())
		}
	})

	t.Run("budgets-9 of a model that summarises", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{budgets: agent.Budgets{Money: swarm.Dollar}, script: swarmtest.Script{"root": {swarmtest.Do(finish)}},
			agents: map[string]*agent.Profile{"root": {CompactionModel: "short"}}})
		b.dollars(1, 5)
		b.team.Models["short"] = config.Model{Provider: "openai", BaseURL: "http://127.0.0.1:1/v1", Auth: "none", Model: "unheard-of"}
		if _, err := b.rt.Start(t.Context(), b.team, swarm.Input{Text: "go"}); swarm.Code(err) != "config.unpriced" || !strings.Contains(err.Error(), "model short") {
			t.Errorf("got %v", err)
		}
	})

	t.Run("what is kept for an hour costs more", func(t *testing.T) {
		t.Parallel()
		use := func(n int64) *int64 { return &n }
		b := setup(t, setupOptions{script: model.Func(func(context.Context, *model.Request, func(model.Delta)) (*model.Answer, error) {
			return &model.Answer{Calls: []model.AnswerCall{finish}, Finish: model.FinishCalls, Usage: journal.Usage{Requests: 1, Input: use(1000), CacheWrite: use(1000), Output: use(0)}}, nil
		})})
		rate := func(n price.Rate) *price.Rate { return &n }
		for cache, want := range map[string]int64{"1h": 4_000_000, "on": 2_500_000} {
			team := *b.team
			team.Models = map[string]config.Model{"default": {Provider: "anthropic", Model: "m", Cache: cache, Price: &price.Price{Input: rate(2e9), Output: rate(8e9), CacheWrite: rate(2.5e9), CacheWrite1h: rate(4e9)}}}
			b.team = &team
			if u := b.run("go").Usage; u.Cost == nil || *u.Cost != want {
				t.Errorf("cache %s: %+v, want %d", cache, u, want)
			}
		}
	})

	t.Run("absurd numbers of a server end the money and never give some back", func(t *testing.T) {
		t.Parallel()
		most := int64(1<<53 - 1) // the highest that the program believes
		asked := 0
		b := setup(t, setupOptions{budgets: agent.Budgets{Money: swarm.Dollar}, script: model.Func(func(context.Context, *model.Request, func(model.Delta)) (*model.Answer, error) {
			asked++
			return &model.Answer{Text: "so far", Calls: []model.AnswerCall{nothing}, Finish: model.FinishCalls, Usage: journal.Usage{Requests: 1, Input: &most, Output: &most}}, nil
		})})
		b.dollars(100, 400)
		res := b.run("go")
		b.outcome(res, "partial", "budget.money")
		if u := res.Usage; asked != 1 || u.Cost == nil || *u.Cost <= int64(swarm.Dollar) {
			t.Errorf("%d requests, usage %+v", asked, u)
		}
	})

	t.Run("budgets-10", func(t *testing.T) {
		t.Parallel()
		clock := swarmtest.NewClock()
		hold := newHolder(t, "hold", false)
		b := setup(t, setupOptions{agents: agents(), tools: []swarm.Tool{hold.tool}, budgets: agent.Budgets{Wall: time.Minute},
			opts: func(o *swarm.Options) { o.Clock = clock },
			script: swarmtest.Script{
				"lead":  {swarmtest.Do(delegateTo("maker"), awaitAll), swarmtest.Say("that far")},
				"maker": {swarmtest.Do(use("hold", "x"))},
			}})
		r := b.start("go")
		recv(t, hold.begun)
		clock.Advance(time.Minute)
		res := b.wait(r)
		b.outcome(res, "partial", "budget.time")
		if res.Text != "that far" {
			t.Errorf("the text is %q\n%s", res.Text, b.dump(res.Run))
		}
		ended := payloads[*journal.TaskEnded](b.records(res.Run))
		if len(ended) != 1 || ended[0].Outcome != journal.Cancelled || !strings.Contains(ended[0].Reason, "budget.time") {
			t.Errorf("tasks ended: %+v", *ended[0])
		}
	})

	t.Run("money ends without a closing turn", func(t *testing.T) {
		t.Parallel()
		turn := swarmtest.Do(nothing)
		turn.Text = "so far"
		b := setup(t, setupOptions{script: billed(swarmtest.Script{"root": {turn, turn, turn, turn}}), budgets: agent.Budgets{Money: swarm.Dollar / 100}})
		b.dollars(2, 0) // two requests of about 2,000 tokens are below a cent
		res := b.run("go")
		b.outcome(res, "partial", "budget.money")
		if u := res.Usage; res.Text != "so far" || u.Cost == nil || *u.Cost > int64(swarm.Dollar/100) || *u.Cost == 0 {
			t.Errorf("text %q, usage %+v", res.Text, u)
		}
	})
}

func TestDollars(t *testing.T) {
	t.Parallel()
	if n, err := swarm.Dollars("0.25"); err != nil || n != swarm.Dollar/4 || n.String() != "0.25" {
		t.Errorf("%v, %v", n, err)
	}
}
