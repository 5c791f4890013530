package swarm_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// fullDisk is a store whose appends fail while it is full.
type fullDisk struct {
	journal.Store
	full   atomic.Bool
	failed atomic.Int32
}

// Append implements [journal.Store].
func (f *fullDisk) Append(ctx context.Context, batches []journal.Batch) []error {
	if !f.full.Load() {
		return f.Store.Append(ctx, batches)
	}
	errs := make([]error, len(batches))
	for i := range errs {
		f.failed.Add(1)
		errs[i] = fault.New("journal.append_failed", "no space is left")
	}
	return errs
}

// Intent is durable before the effect, the outcome before anyone sees it, the end before
// it is told. durability-3 is TestKillAtEveryRecord, 10 to 17 are TestResume. Merging files of forked children,
// durability-8's first half, is not in this version; tapes have receipts.
func TestDurability(t *testing.T) {
	t.Parallel()

	t.Run("durability-1", func(t *testing.T) {
		t.Parallel()
		count := &counter{}
		b := setup(t, setupOptions{
			store: memory(), tools: []swarm.Tool{count.tool(t, "poke")},
			script: model.Func(func(_ context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
				switch {
				case req.Turn == 1:
					return &model.Answer{Calls: []model.AnswerCall{use("poke", "a")}, Finish: model.FinishCalls}, nil
				case req.Attempt <= 3:
					return nil, &model.Error{Class: model.ClassTransient, Code: "model.http_500", Status: 500}
				}
				return &model.Answer{Calls: []model.AnswerCall{finish}, Finish: model.FinishCalls}, nil
			})})
		res := b.run("go")
		b.outcome(res, "completed", "")
		if n, _ := count.total(); n != 1 {
			t.Errorf("%d effects", n)
		}
		if n := len(payloads[*journal.ModelAttemptFailed](b.records(res.Run))); n != 3 {
			t.Errorf("%d failed attempts", n)
		}
	})

	t.Run("durability-2", func(t *testing.T) {
		t.Parallel()
		for _, row := range []struct {
			name    string
			options []tooling.GoOption
			ran     int
			code    string
		}{
			{"read", []tooling.GoOption{tooling.ReadOnly()}, 2, ""},
			{"idempotent write", []tooling.GoOption{tooling.Idempotent()}, 2, ""},
			{"write", nil, 1, "tool.outcome_unknown"},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				mem, count := memory(), &counter{}
				crash := swarmtest.NewCrash(mem, 0, false)
				count.after = sync.OnceFunc(crash.Now)
				o := setupOptions{
					store: crash, tools: []swarm.Tool{count.tool(t, "poke", row.options...)},
					script: swarmtest.Script{"root": {swarmtest.Do(write("output/a.md", "a"), use("poke", "a")), swarmtest.Do(nothing), swarmtest.Do(finish)}},
				}
				b := setup(t, o)
				r := b.start("go")
				b.dies(r)
				if at := place(b.readAll(mem, r.ID()), of(journal.TCallDispatched, "root")); at < 0 && row.code != "" {
					t.Error("an effect ran before its dispatch was durable")
				}
				o.store = reborn(mem)
				b = setup(t, o)
				res := b.wait(b.resume(r.ID()))
				b.outcome(res, "completed", "")
				calls := turnOf(b.records(res.Run), "root", 1)
				b.sameCodes(res.Run, calls, "", row.code)
				if n, _ := count.total(); n != row.ran {
					t.Errorf("%d effects, want %d", n, row.ran)
				}
				end := payloads[*journal.RunEnded](b.records(res.Run))[0]
				if row.code == "" {
					if len(end.UnknownCalls) != 0 {
						t.Errorf("unknown calls %v", end.UnknownCalls)
					}
					return
				}
				if calls[1].Settled.Outcome != journal.Unknown || len(end.UnknownCalls) != 1 || end.UnknownCalls[0] != calls[1].Key {
					t.Errorf("settled %s, unknown calls %v", calls[1].Settled.Outcome, end.UnknownCalls)
				}
				if text := b.results("root", 1)[1].Text; inText(text, "may or may not have happened", "Inspect the state first") != "" {
					t.Errorf("the reminder: %q", text)
				}
			})
		}
	})

	t.Run("durability-5", func(t *testing.T) {
		t.Parallel()
		for _, row := range []struct {
			name    string
			calls   []model.AnswerCall
			options []tooling.GoOption
			ran     int
			codes   []string
		}{
			{"read", []model.AnswerCall{use("poke", "a")}, []tooling.GoOption{tooling.ReadOnly()}, 2, []string{""}},
			{"write", []model.AnswerCall{use("poke", "a")}, nil, 1, []string{"tool.outcome_unknown"}},
			{"file", []model.AnswerCall{write("output/a.md", "text"), swarmtest.Call("filling", ``)}, nil, 0, []string{"", ""}},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				disk, count := &fullDisk{Store: memory()}, &counter{}
				fill := sync.OnceFunc(func() { disk.full.Store(true) })
				count.after = fill
				filling := goTool(t, "filling", func(context.Context, none) (string, error) { fill(); return "full", nil }, tooling.ReadOnly(), tooling.Gate("other"))
				o := setupOptions{
					store: disk, tools: []swarm.Tool{count.tool(t, "poke", row.options...), filling},
					script: swarmtest.Script{"root": {swarmtest.Do(nothing), swarmtest.Do(row.calls...), swarmtest.Do(nothing), swarmtest.Do(finish)}},
				}
				b := setup(t, o)
				r := b.start("go")
				res, err := b.rests(r)
				if fault.Code(err) != "journal.append_failed" || res.Outcome != "failed" || !strings.Contains(res.Reason, "no space is left") {
					t.Fatalf("%+v, %v", res, err)
				}
				if n := len(b.reqs.Of("root")); n != 2 {
					t.Errorf("%d requests: something went on", n)
				}
				b.close()
				disk.full.Store(false)
				b = setup(t, o)
				res = b.wait(b.resume(r.ID()))
				b.outcome(res, "completed", "")
				calls := turnOf(b.records(res.Run), "root", 2)
				b.sameCodes(res.Run, calls, row.codes...)
				if n, _ := count.total(); n != row.ran {
					t.Errorf("%d effects, want %d", n, row.ran)
				}
				if text, ok := file(b.records(res.Run), "output/a.md"); ok != (row.ran == 0) || ok && text != "text" {
					t.Errorf("the file is %q, %t", text, ok)
				}
			})
		}
	})

	t.Run("durability-6", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		open := func() journal.Store {
			st, err := journal.OpenSQLite(t.Context(), dir, journal.SQLiteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = st.Close() })
			return st
		}
		const children = 16
		var here sync.WaitGroup
		here.Add(children)
		meet := goTool(t, "meet", func(context.Context, none) (string, error) { here.Done(); here.Wait(); return "met", nil }, tooling.ReadOnly())
		hold := newHolder(t, "hold", false, tooling.ReadOnly())
		many := make([]model.AnswerCall, children)
		for i := range many {
			many[i] = delegateTo("critic")
		}
		o := setupOptions{
			store:  open(),
			agents: map[string]*agent.Profile{"lead": with(parent(), func(p *agent.Profile) { p.Delegation.MaxRunning = children }), "critic": child()},
			tools:  []swarm.Tool{meet, hold.tool},
			script: swarmtest.Script{
				"lead":   {swarmtest.Do(many...), swarmtest.Do(awaitAll), swarmtest.Do(use("hold", "")), swarmtest.Do(finish)},
				"critic": {swarmtest.Do(swarmtest.Call("meet", ``)), swarmtest.Do(returning("done"))},
			}}
		b := setup(t, o)
		r := b.start("go")
		recv(t, hold.begun)
		o.store = open()
		other := setup(t, o)
		_, err := other.rt.Resume(t.Context(), r.ID(), swarm.ResumeOptions{})
		if fault.Code(err) != "journal.run_held" || !strings.Contains(err.Error(), b.rt.Store().Holder()) {
			t.Errorf("the second process: %v", err)
		}
		close(hold.let)
		b.outcome(b.wait(r), "completed", "")
		for i, rec := range b.records(r.ID()) {
			if rec.Seq != int64(i+1) {
				t.Fatalf("record %d has the seq %d", i, rec.Seq)
			}
		}
	})

	t.Run("durability-8", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"lead": parent(), "critic": child()},
			script: byPath(swarmtest.Script{
				"root":            {swarmtest.Do(delegateTo("critic"), delegateTo("critic"), delegateTo("critic")), swarmtest.Do(awaitAll), swarmtest.Do(finish)},
				"root/critic":     {swarmtest.Do(returning("fine"))},
				"root/critic-002": {swarmtest.Do(swarmtest.Call("task_return", `{"summary":"could not","status":"failed"}`))},
				"root/critic-003": {swarmtest.Say("a"), swarmtest.Say("b"), swarmtest.Say("c")},
			})})
		res := b.run("go")
		b.outcome(res, "completed", "")
		recs := b.records(res.Run)
		receipts := map[string]string{}
		for _, r := range recs {
			if r.Type() == journal.TTapeMerged || r.Type() == journal.TTapeDiscarded {
				receipts[r.Scope.Task] += string(r.Type())
			}
		}
		if len(receipts) != 3 || receipts["task_1"] != "tape_merged" || receipts["task_2"] != "tape_discarded" || receipts["task_3"] != "tape_merged" {
			t.Errorf("receipts %v", receipts)
		}
	})

	t.Run("durability-9", func(t *testing.T) {
		t.Parallel()
		t.Run("cancel first", func(t *testing.T) {
			t.Parallel()
			asked, let := make(chan struct{}), make(chan struct{})
			lead := swarmtest.Script{"lead": {swarmtest.Do(delegateTo("critic")), swarmtest.Do(awaitAll), swarmtest.Do(finish)}}
			b := setup(t, setupOptions{
				agents: map[string]*agent.Profile{"lead": parent(), "critic": child()},
				script: model.Func(func(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
					if req.Agent == "lead" {
						return lead.Answer(ctx, req, p)
					}
					close(asked)
					<-let
					return &model.Answer{Calls: []model.AnswerCall{returning("completed after all")}, Finish: model.FinishCalls}, nil
				})})
			r := b.start("go")
			recv(t, asked)
			if err := r.Cancel(t.Context(), "enough"); err != nil {
				t.Fatal(err)
			}
			b.seen(r, ofType(journal.TRunCancelRequested, 1))
			close(let)
			res := b.wait(r)
			b.outcome(res, "cancelled", "enough")
			recs := b.records(res.Run)
			if ends := payloads[*journal.TaskEnded](recs); len(ends) != 1 || ends[0].Outcome != journal.Cancelled {
				t.Errorf("the task ended %+v", ends)
			}
			if n := len(payloads[*journal.TaskReturnAccepted](recs)); n != 0 {
				t.Errorf("%d returns were accepted", n)
			}
		})
		t.Run("completed first", func(t *testing.T) {
			t.Parallel()
			b := setup(t, setupOptions{
				agents: map[string]*agent.Profile{"lead": parent(), "critic": child()},
				script: swarmtest.Script{
					"lead":   {swarmtest.Do(delegateTo("critic")), swarmtest.Do(awaitAll), swarmtest.Do(swarmtest.Call("agent_cancel", `{"taskIds":["task_1"]}`)), swarmtest.Do(finish)},
					"critic": {swarmtest.Do(returning("fine"))},
				}})
			r := b.start("go")
			res := b.wait(r)
			b.outcome(res, "completed", "")
			recs := b.records(res.Run)
			if ends := payloads[*journal.TaskEnded](recs); len(ends) != 1 || ends[0].Outcome != journal.Completed {
				t.Errorf("the task ended %+v", ends)
			}
			if text := b.results("root", 3)[0].Text; !strings.Contains(text, "critic (task_1): completed") {
				t.Errorf("the cancel gave %q", text)
			}
			if err := r.Cancel(t.Context(), "too late"); fault.Code(err) != "journal.ended" {
				t.Errorf("the late cancel: %v", err)
			}
			if n := len(b.records(res.Run)); n != len(recs) {
				t.Errorf("%d records after the end", n-len(recs))
			}
		})
	})
}

// readAll reads a run from a store.
func (b *testBundle) readAll(s journal.Store, id string) []journal.Record {
	b.t.Helper()
	recs, err := s.Read(context.Background(), id, journal.Query{})
	if err != nil {
		b.t.Fatal(err)
	}
	return recs
}
