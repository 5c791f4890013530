package swarm_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Control moves once per turn, alone, with everything before it settled. The part of
// handoff-9 about grants needs permissions, which are not in this version.
func TestHandoff(t *testing.T) {
	t.Parallel()
	team := func() map[string]*agent.Profile {
		return map[string]*agent.Profile{"lead": chained(), "bob": chained(), "carol": chained()}
	}

	t.Run("handoff-1", func(t *testing.T) {
		t.Parallel()
		add := goTool(t, "add", func(_ context.Context, in struct {
			A int `json:"a"`
			B int `json:"b"`
		}) (int, error) {
			return in.A + in.B, nil
		})
		for _, row := range []struct {
			name  string
			calls []model.AnswerCall
		}{
			{"after", []model.AnswerCall{swarmtest.Call("add", `{"a":3,"b":4}`), handoffTo("bob")}},
			{"before", []model.AnswerCall{handoffTo("bob"), swarmtest.Call("add", `{"a":3,"b":4}`)}},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				b := setup(t, setupOptions{agents: team(), tools: []swarm.Tool{add}, script: swarmtest.Script{
					"lead": {swarmtest.Do(row.calls...)}, "bob": {swarmtest.Do(nothing), swarmtest.Do(finish)},
				}})
				res := b.run("go")
				b.outcome(res, "completed", "")
				recs := b.records(res.Run)
				calls := turnOf(recs, "root", 1)
				b.sameCodes(res.Run, calls, "", "")
				for _, c := range calls {
					switch {
					case c.Name == "add" && c.Settled.Content.Text != "7":
						t.Errorf("add gave %q", c.Settled.Content.Text)
					case c.Name == "agent_handoff" && !strings.Contains(c.Settled.Content.Text, "transferred to bob"):
						t.Errorf("the handoff gave %q", c.Settled.Content.Text)
					}
				}
				b.inOrder(res.Run,
					func(r *journal.Record) bool {
						m, ok := r.Payload.(*journal.CallSettled)
						return ok && m.Content.Text == "7"
					}, of(journal.THandoffRequested, ""), of(journal.TInvocationEnded, "root"), of(journal.TInvocationCreated, "root/bob"), of(journal.TModelRequested, "root/bob"))
				if n := len(b.reqs.Of("root")); n != 1 {
					t.Errorf("the source made %d requests", n)
				}
			})
		}
	})

	t.Run("handoff-2", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{agents: team(), script: swarmtest.Script{
			"lead": {swarmtest.Do(handoffTo("bob"), handoffTo("carol"))}, "bob": {swarmtest.Do(finish)},
		}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		calls := turnOf(b.records(res.Run), "root", 1)
		b.sameCodes(res.Run, calls, "", "agent.handoff_already_taken")
		if text := calls[1].Settled.Content.Text; !strings.Contains(text, "bob") {
			t.Errorf("the second was told %q", text)
		}
		first := b.reqs.Of("root/bob")[0]
		if len(first.Messages) != 1 || strings.Contains(said(&first), "handoff_already_taken") {
			t.Errorf("bob begins with %+v", first.Messages)
		}
		if len(b.reqs.Of("root/carol")) != 0 {
			t.Error("carol was asked")
		}
	})

	t.Run("handoff-3", func(t *testing.T) {
		t.Parallel()
		// Whoever owns the run hands it to the other, for ever.
		forever := model.Func(func(_ context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
			switch {
			case req.Choice.Mode == "none":
				return &model.Answer{Text: "nobody wants it", Finish: model.FinishStop}, nil
			case req.Agent == "lead":
				return &model.Answer{Calls: []model.AnswerCall{handoffTo("bob")}, Finish: model.FinishCalls}, nil
			}
			return &model.Answer{Calls: []model.AnswerCall{handoffTo("lead")}, Finish: model.FinishCalls}, nil
		})
		for _, row := range []struct {
			name, code, chain string
			handoffs, repeats int
		}{
			{"circle", "agent.handoff_cycle", "lead → bob → lead → bob", 0, 0},
			{"length", "agent.handoff_depth_exhausted", "lead → bob → lead → bob → lead", 4, 50},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				agents := team()
				for _, p := range agents {
					p.Rounds, p.StallStop = 3, 50
					p.Delegation.MaxHandoffs, p.Delegation.MaxHandoffRepeats = row.handoffs, row.repeats
				}
				b := setup(t, setupOptions{agents: agents, script: forever})
				res := b.run("go")
				b.outcome(res, "partial", "budget.rounds")
				var refused []*callView
				for _, c := range callsOf(b.records(res.Run), "") {
					if c.code() == row.code {
						refused = append(refused, c)
					}
				}
				if len(refused) == 0 || !strings.Contains(refused[0].Settled.Content.Text, row.chain) {
					t.Errorf("refused %d times\n%s", len(refused), b.dump(res.Run))
				}
			})
		}
	})

	t.Run("handoff-4", func(t *testing.T) {
		t.Parallel()
		for _, row := range []struct {
			name    string
			running int
		}{{"running", 5}, {"queued", 1}} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				block := newHolder(t, "block", false, tooling.ReadOnly())
				agents := team()
				agents["critic"] = child()
				agents["lead"].Delegation.CanDelegate, agents["lead"].Delegation.MaxRunning = true, row.running
				b := setup(t, setupOptions{agents: agents, tools: []swarm.Tool{block.tool}, script: swarmtest.Script{
					"lead": {
						swarmtest.Do(delegateTo("critic"), delegateTo("critic")), swarmtest.Do(handoffTo("bob")),
						swarmtest.Do(swarmtest.Call("agent_handoff", `{"agentId":"bob","handoff":{"objective":"go on"},"pendingTaskPolicy":"cancelPending"}`)),
					},
					"critic": {swarmtest.Do(use("block", "x"))},
					"bob":    {swarmtest.Do(finish)},
				}})
				res := b.run("go")
				b.outcome(res, "completed", "")
				recs := b.records(res.Run)
				refused := turnOf(recs, "root", 2)
				b.sameCodes(res.Run, refused, "agent.handoff_pending_tasks")
				if text := refused[0].Settled.Content.Text; !strings.Contains(text, "critic, critic-002") {
					t.Errorf("the open tasks: %q", text)
				}
				b.sameCodes(res.Run, turnOf(recs, "root", 3), "")
				ends := payloads[*journal.TaskEnded](recs)
				if len(ends) != 3 || ends[0].Outcome != journal.Cancelled || ends[1].Outcome != journal.Cancelled {
					t.Errorf("ends %+v", ends)
				}
				for _, task := range []string{"task_1", "task_2"} {
					b.inOrder(res.Run, of(journal.TTaskCancelRequested, task), of(journal.TTaskEnded, task), of(journal.THandoffSettled, ""))
				}
			})
		}
	})

	t.Run("handoff-5", func(t *testing.T) {
		t.Parallel()
		for _, stored := range []bool{true, false} {
			t.Run(map[bool]string{true: "durable", false: "lost"}[stored], func(t *testing.T) {
				t.Parallel()
				mem := memory()
				o := setupOptions{agents: team(), store: killOn(mem, ofType(journal.THandoffRequested, 1), stored), script: swarmtest.Script{
					"lead": {swarmtest.Do(handoffTo("bob"))}, "bob": {swarmtest.Do(nothing), swarmtest.Do(finish)},
				}}
				b := setup(t, o)
				r := b.start("go")
				b.dies(r)
				if len(b.reqs.Of("root/bob")) != 0 {
					t.Error("the target was asked before the transfer was durable")
				}
				o.store = reborn(mem)
				b = setup(t, o)
				res := b.wait(b.resume(r.ID()))
				b.outcome(res, "completed", "")
				// A transfer that was lost was lost with the answer that asked for it.
				if n := len(b.reqs.Of("root")); (n != 0) == stored || n > 1 {
					t.Errorf("the source made %d further requests", n)
				}
				recs := b.records(res.Run)
				b.sameCodes(res.Run, callsOf(recs, "root"), "")
				if n := len(payloads[*journal.HandoffSettled](recs)); n != 1 {
					t.Errorf("%d transfers", n)
				}
			})
		}
	})

	t.Run("handoff-6", func(t *testing.T) {
		t.Parallel()
		gone := swarmtest.Turn{Err: &model.Error{Class: model.ClassPermanent, Code: "model.unreachable", Detail: "nobody is there"}}
		for _, row := range []struct {
			name, outcome string
			lead          []swarmtest.Turn
		}{
			{"nothing committed", "failed", []swarmtest.Turn{swarmtest.Do(handoffTo("bob"))}},
			{"committed", "partial", []swarmtest.Turn{
				swarmtest.Do(write("output/main.md", "text")), swarmtest.Do(swarmtest.Call("workspace_commit", ``)), swarmtest.Do(handoffTo("bob")),
			}},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				b := setup(t, setupOptions{agents: team(), script: swarmtest.Script{"lead": row.lead, "bob": {gone}}})
				res := b.run("go")
				b.outcome(res, row.outcome, "model.failed")
				recs := b.records(res.Run)
				ends := payloads[*journal.InvocationEnded](recs)
				if len(ends) != 2 || ends[0].Outcome != journal.Transferred || ends[1].Outcome != journal.Failed || ends[1].Code != "model.unreachable" {
					t.Errorf("invocations ended %+v", ends)
				}
				if tasks := payloads[*journal.TaskEnded](recs); len(tasks) != 1 || tasks[0].Outcome != journal.Failed {
					t.Errorf("tasks ended %+v", tasks)
				}
			})
		}
	})

	t.Run("handoff-7", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{agents: team(), script: swarmtest.Script{"lead": {swarmtest.Do(handoffTo("bob"))}, "bob": {swarmtest.Do(finish)}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		recs := b.records(res.Run)
		var last []string
		for _, r := range recs[len(recs)-3:] {
			last = append(last, string(r.Type()))
		}
		if got := strings.Join(last, " "); got != "task_ended invocation_ended run_ended" {
			t.Errorf("the run ends with %s", got)
		}
	})

	t.Run("handoff-8", func(t *testing.T) {
		t.Parallel()
		agents := team()
		agents["critic"] = child()
		b := setup(t, setupOptions{agents: agents, script: swarmtest.Script{"lead": {swarmtest.Do(handoffTo("critic")), swarmtest.Do(finish)}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		b.sameCodes(res.Run, turnOf(b.records(res.Run), "root", 1), "agent.handoff_denied")
		if text := b.results("root", 1)[0].Text; !strings.Contains(text, "Valid now: bob, carol") {
			t.Errorf("%q", text)
		}
	})

	t.Run("handoff-9", func(t *testing.T) {
		t.Parallel()
		patch := swarmtest.Call("workspace_apply_patch", `{"path":"output/a.txt","old_string":"one","new_string":"two"}`)
		b := setup(t, setupOptions{agents: team(), script: swarmtest.Script{
			"lead": {swarmtest.Do(write("output/a.txt", "one")), swarmtest.Do(read("output/a.txt")), swarmtest.Do(handoffTo("bob"))},
			"bob":  {swarmtest.Do(patch), swarmtest.Do(read("output/a.txt")), swarmtest.Do(patch), swarmtest.Do(finish)},
		}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		recs := b.records(res.Run)
		calls := callsOf(recs, "root/bob")
		if calls[0].code() == "" || calls[2].code() != "" {
			t.Errorf("patches settled %q\n%s", codes(calls), b.dump(res.Run))
		}
		if text, _ := file(recs, "output/a.txt"); text != "two" {
			t.Errorf("the file is %q", text)
		}
	})

	t.Run("handoff-10", func(t *testing.T) {
		t.Parallel()
		agents := team()
		agents["lead"].Delegation.CanDelegate = true
		agents["critic"] = with(child(), func(p *agent.Profile) { p.Delegation.CanHandoff = true })
		b := setup(t, setupOptions{agents: agents, script: swarmtest.Script{
			"lead":   {swarmtest.Do(delegateTo("critic")), swarmtest.Do(awaitAll), swarmtest.Do(finish)},
			"critic": {swarmtest.Do(handoffTo("bob")), swarmtest.Do(finish), swarmtest.Do(returning("I tried"))},
		}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		recs := b.records(res.Run)
		b.sameCodes(res.Run, callsOf(recs, "root/critic"), "model.unknown_tool_call", "model.unknown_tool_call", "")
		if n := len(payloads[*journal.HandoffRequested](recs)); n != 0 {
			t.Errorf("%d handoffs", n)
		}
		st, err := b.rt.Inspect(t.Context(), res.Run)
		if err != nil || st.Owner != "root" {
			t.Errorf("the owner is %q, %v", st.Owner, err)
		}
	})
}
