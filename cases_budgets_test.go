package swarm_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Limits are counted before the effect, survive a restart, and end in a result. Budgets
// of tokens, money and wall time are in cases_money_test.go; approvals are not in this version.
func TestBudgets(t *testing.T) {
	t.Parallel()

	t.Run("budgets-1", func(t *testing.T) {
		t.Parallel()
		count := &counter{}
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"root": {Rounds: 2}},
			tools:  []swarm.Tool{count.tool(t, "poke")},
			script: swarmtest.Script{"root": {swarmtest.Do(use("poke", "a")), swarmtest.Do(use("poke", "b"), use("poke", "c")), swarmtest.Say("this is what I know")}},
		})
		res := b.run("go")
		b.outcome(res, "partial", "budget.rounds")
		if res.Text != "this is what I know" {
			t.Errorf("the text is %q", res.Text)
		}
		calls := turnOf(b.records(res.Run), "root", 2)
		b.sameCodes(res.Run, calls, "tool.not_run", "tool.not_run")
		for _, c := range calls {
			if c.Settled.Content.Text != "not run: budget.rounds" || c.Dispatched != 0 {
				t.Errorf("settled %+v", c.Settled)
			}
		}
		if n, _ := count.total(); n != 1 {
			t.Errorf("%d calls ran", n)
		}
		reqs := b.reqs.Of("root")
		if len(reqs) != 3 || reqs[2].Choice.Mode != "none" {
			t.Errorf("%d requests, the last with choice %q", len(reqs), reqs[len(reqs)-1].Choice.Mode)
		}
	})

	t.Run("budgets-1/an answer that ends the work", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"root": {Rounds: 1}},
			script: swarmtest.Script{"root": {swarmtest.Do(write("output/main.md", "text"), finish)}},
		})
		res := b.run("go")
		b.outcome(res, "completed", "finished")
		b.sameCodes(res.Run, turnOf(b.records(res.Run), "root", 1), "", "")
	})

	t.Run("budgets-2", func(t *testing.T) {
		t.Parallel()
		agents := func() map[string]*agent.Profile {
			return map[string]*agent.Profile{
				"lead": parent(), "maker": with(child(), func(p *agent.Profile) { p.Delegation.CanDelegate, p.Delegation.AllowNested = true, true }), "worker": child(),
			}
		}
		s := swarmtest.Script{
			"lead":  {swarmtest.Do(delegateTo("maker")), swarmtest.Do(awaitAll), swarmtest.Do(finish)},
			"maker": {swarmtest.Do(delegateTo("worker")), swarmtest.Do(returning("I tried"))},
		}
		for _, row := range []struct {
			name  string
			depth int
			path  string // of the agent that has no delegation tools
		}{{"one", 1, "root/maker"}, {"none", -1, "root"}} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				b := setup(t, setupOptions{agents: agents(), budgets: agent.Budgets{Depth: row.depth}, script: s})
				r := b.start("go")
				res := b.wait(r)
				b.outcome(res, "completed", "")
				for _, d := range b.reqs.Of(row.path)[0].Tools {
					if strings.HasPrefix(d.Name, "agent_") {
						t.Errorf("%s has %s", row.path, d.Name)
					}
				}
				calls := turnOf(b.records(res.Run), row.path, 1)
				b.sameCodes(res.Run, calls, "agent.depth_exhausted")
				if text := calls[0].Settled.Content.Text; !strings.Contains(text, "depth limit of "+fmt.Sprint(max(row.depth, 0))) {
					t.Errorf("%q", text)
				}
			})
		}
	})

	t.Run("budgets-3", func(t *testing.T) {
		t.Parallel()
		five := make([]model.AnswerCall, 5)
		for i := range five {
			five[i] = delegateTo("maker")
		}
		nested := with(child(), func(p *agent.Profile) {
			p.Delegation.CanDelegate, p.Delegation.AllowNested, p.Delegation.AllowSelf = true, true, true
		})
		const limit = 17
		b := setup(t, setupOptions{
			agents:  map[string]*agent.Profile{"lead": parent(), "maker": nested},
			budgets: agent.Budgets{Agents: limit, Depth: 10},
			script: swarmtest.Script{
				"lead":  {swarmtest.Do(five...), swarmtest.Do(awaitAll), swarmtest.Do(finish)},
				"maker": {swarmtest.Do(five...), swarmtest.Do(awaitAll), swarmtest.Do(returning("enough"))},
			}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		recs := b.records(res.Run)
		if n := len(payloads[*journal.InvocationCreated](recs)); n != limit {
			t.Errorf("%d agents, the limit is %d", n, limit)
		}
		refused := 0
		for _, c := range callsOf(recs, "") {
			if c.code() == "budget.agents" {
				refused++
			}
		}
		if n := len(payloads[*journal.BudgetExhausted](recs)); refused != limit*5-(limit-1) || n != refused {
			t.Errorf("%d refusals, %d of them noted", refused, n)
		}
	})

	t.Run("budgets-4", func(t *testing.T) {
		t.Parallel()
		var mu sync.Mutex
		together := make(chan struct{})
		n := 0
		meet := goTool(t, "meet", func(ctx context.Context, _ none) (string, error) {
			mu.Lock()
			n++
			mine := together
			if n%5 == 0 {
				close(together)
				together = make(chan struct{})
			}
			mu.Unlock()
			select {
			case <-mine: // five are here at once
				return "met", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}, tooling.ReadOnly())
		five := make([]model.AnswerCall, 5)
		for i := range five {
			five[i] = delegateTo("critic")
		}
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"lead": parent(), "critic": child()},
			tools:  []swarm.Tool{meet},
			script: swarmtest.Script{
				"lead":   {swarmtest.Do(five...), swarmtest.Do(awaitAll), swarmtest.Do(five...), swarmtest.Do(awaitAll), swarmtest.Do(finish)},
				"critic": {swarmtest.Do(swarmtest.Call("meet", ``)), swarmtest.Do(returning("done"))},
			}})
		b.outcome(b.run("go"), "completed", "")
		mu.Lock()
		defer mu.Unlock()
		if n != 10 {
			t.Errorf("%d children met", n)
		}
	})

	t.Run("budgets-5", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"lead": parent(), "critic": with(child(), func(p *agent.Profile) { p.Rounds = 2 })},
			script: swarmtest.Script{
				"lead":   {swarmtest.Do(delegateTo("critic"), awaitAll), swarmtest.Do(finish)},
				"critic": {swarmtest.Do(write("output/half.md", "half")), swarmtest.Do(read("output/half.md")), swarmtest.Say("half of it is in output/half.md")},
			}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		reqs := b.reqs.Of("root/critic")
		if len(reqs) != 3 || reqs[2].Choice.Mode != "none" {
			t.Errorf("the child made %d requests", len(reqs))
		}
		text := b.awaited("root", 1)
		if at := inText(text, "partial (budget.rounds)", "half of it is in output/half.md", "files changed: output/half.md"); at != "" {
			t.Errorf("%s\n%s", at, text)
		}
	})

	t.Run("budgets-6", func(t *testing.T) {
		t.Parallel()
		mem := memory()
		s := swarmtest.Script{
			"lead":   {swarmtest.Do(delegateTo("maker"), delegateTo("maker")), swarmtest.Do(awaitAll), swarmtest.Do(finish)},
			"maker":  {swarmtest.Do(delegateTo("worker")), swarmtest.Do(awaitAll), swarmtest.Do(returning("made"))},
			"worker": {swarmtest.Do(nothing), swarmtest.Do(returning("worked"))},
		}
		o := setupOptions{
			store: mem,
			agents: map[string]*agent.Profile{
				"lead": parent(), "maker": with(child(), func(p *agent.Profile) { p.Delegation.CanDelegate, p.Delegation.AllowNested = true, true }), "worker": child(),
			},
			script: model.Func(func(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
				a, err := s.Answer(ctx, req, p)
				if err == nil {
					a.Usage = tokens(100, 10)
				}
				return a, err
			}),
		}
		b := setup(t, o)
		res := b.run("go")
		b.outcome(res, "completed", "")
		const requests = 3 + 2*3 + 2*2
		check := func(what string, u journal.Usage) {
			t.Helper()
			if u.Requests != requests || u.Input == nil || *u.Input != requests*100 || u.Output == nil || *u.Output != requests*10 {
				t.Errorf("%s: %+v", what, u)
			}
		}
		sum := func(recs []journal.Record) (u journal.Usage) {
			for _, e := range payloads[*journal.InvocationEnded](recs) {
				agent.AddUsage(&u, e.Usage)
			}
			return u
		}
		check("the result", res.Usage)
		check("all invocations", sum(b.records(res.Run)))
		check("the end record", payloads[*journal.RunEnded](b.records(res.Run))[0].Usage)
		b.close()
		o.store = reborn(mem)
		b = setup(t, o)
		st, err := b.rt.Inspect(t.Context(), res.Run)
		if err != nil {
			t.Fatal(err)
		}
		check("after a restart", st.Usage)
		check("all invocations after a restart", sum(b.records(res.Run)))
		if u := st.Inv["root/maker"].Usage; u.Requests != 3 {
			t.Errorf("one maker's own: %+v", u)
		}
	})

	t.Run("budgets-7", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"root": {Limits: map[string]tooling.ToolLimit{"builtin:workspace.list_files": {MaxCalls: 2}}}},
			script: swarmtest.Script{"root": {
				swarmtest.Do(raw("workspace_list_files", `"null"`)), swarmtest.Do(raw("workspace_list_files", string(jsonText(`{"path":,}`)))),
				swarmtest.Do(raw("workspace_list_files", `{}`)), swarmtest.Do(raw("workspace_list_files", `{}`), write("output/main.md", "text")), swarmtest.Do(finish),
			}},
		})
		res := b.run("go")
		b.outcome(res, "completed", "")
		calls := callsOf(b.records(res.Run), "root")
		b.sameCodes(res.Run, calls, "", "tool.invalid_arguments", "agent.tool_budget_exhausted", "agent.tool_budget_exhausted", "", "")
		for i, counted := range []bool{true, true, false, false, true, true} {
			if calls[i].Counted != counted {
				t.Errorf("call %d counted: %t", i+1, calls[i].Counted)
			}
		}
	})

	t.Run("budgets-13", func(t *testing.T) {
		t.Parallel()
		count := &counter{}
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"root": {MaxCalls: 2}},
			tools:  []swarm.Tool{count.tool(t, "poke")},
			script: swarmtest.Script{"root": {swarmtest.Do(nothing), swarmtest.Do(use("poke", "a"), use("poke", "b"), use("poke", "c")), swarmtest.Do(finish)}},
		})
		res := b.run("go")
		b.outcome(res, "completed", "")
		b.sameCodes(res.Run, turnOf(b.records(res.Run), "root", 2), "", "agent.tool_budget_exhausted", "agent.tool_budget_exhausted")
		if n, _ := count.total(); n != 1 || len(b.results("root", 2)) != 3 {
			t.Errorf("%d calls ran, %d results", n, len(b.results("root", 2)))
		}
	})
}
