package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// copyOf gives a store that holds the first records of a run, and more behind them.
func copyOf(t *testing.T, recs []journal.Record, more ...journal.Record) *journal.Memory {
	t.Helper()
	m := memory()
	run := recs[0].Run
	epoch, err := m.Acquire(t.Context(), run, false)
	if err != nil {
		t.Fatal(err)
	}
	all := append(append([]journal.Record(nil), recs...), more...)
	for i := range all {
		all[i].Run, all[i].Epoch, all[i].Seq, all[i].Prev, all[i].V = run, epoch, int64(i+1), int64(i), 1
	}
	if err := m.Append(t.Context(), []journal.Batch{{Run: run, Epoch: epoch, Records: all}})[0]; err != nil {
		t.Fatal(err)
	}
	return reborn(m)
}

// What is left of a run is enough to go on with it, once, and nothing of it is guessed.
func TestResume(t *testing.T) {
	t.Parallel()

	t.Run("durability-10", func(t *testing.T) {
		t.Parallel()
		count := &counter{}
		o := setupOptions{store: memory(), tools: []swarm.Tool{count.tool(t, "poke")}, script: swarmtest.Script{"root": {
			swarmtest.Do(use("poke", "a")), swarmtest.Do(finish),
		}}}
		b := setup(t, o)
		res := b.run("go")
		b.outcome(res, "completed", "")
		whole := b.records(res.Run)
		upTo := func(match func(*journal.Record) bool) []journal.Record { return whole[:place(whole, match)+1] }

		t.Run("dispatched twice", func(t *testing.T) {
			recs := upTo(ofType(journal.TCallDispatched, 1))
			o := o
			o.store = copyOf(t, recs, recs[len(recs)-1])
			b := setup(t, o)
			res, err := b.rests(b.resume(whole[0].Run))
			if err != nil || res.Outcome != "completed" {
				t.Fatalf("%+v, %v\n%s", res, err, b.dump(whole[0].Run))
			}
			b.sameCodes(res.Run, turnOf(b.records(res.Run), "root", 1), "tool.outcome_unknown")
			if n, _ := count.total(); n != 1 {
				t.Errorf("%d effects", n)
			}
		})
		t.Run("other arguments", func(t *testing.T) {
			recs := upTo(ofType(journal.TCallRequested, 1))
			again := recs[len(recs)-1]
			m := *again.Payload.(*journal.CallRequested)
			m.Args = journal.Text(`{"who":"somebody else"}`)
			again.Payload = &m
			o := o
			o.store = copyOf(t, recs, again)
			b := setup(t, o)
			res, err := b.rests(b.resume(whole[0].Run))
			if res.Outcome != "parked" || res.Code != "journal.key_conflict" || err == nil {
				t.Errorf("%+v, %v", res, err)
			}
			if n, _ := count.total(); n != 1 {
				t.Errorf("%d effects", n)
			}
		})
	})

	t.Run("durability-12", func(t *testing.T) {
		t.Parallel()
		var commits atomic.Int32
		b := setup(t, setupOptions{
			store: memory(),
			commit: func(context.Context, swarm.Commit) (string, error) {
				commits.Add(1)
				return "published", nil
			},
			script: swarmtest.Script{"root": {
				swarmtest.Do(write("output/main.md", "the answer")), swarmtest.Do(swarmtest.Call("workspace_commit", ``)),
				{Err: &model.Error{Class: model.ClassPermanent, Code: "model.http_400", Detail: "no"}},
			}}})
		res := b.run("go")
		b.outcome(res, "partial", "model.failed")
		if end := payloads[*journal.RunEnded](b.records(res.Run))[0]; len(end.Commits) != 1 || res.Text != "the answer" {
			t.Errorf("commits %v, text %q", end.Commits, res.Text)
		}
		if _, err := b.rt.Resume(t.Context(), res.Run, swarm.ResumeOptions{}); fault.Code(err) != "journal.ended" {
			t.Errorf("the resume: %v", err)
		}
		if n := commits.Load(); n != 1 {
			t.Errorf("%d commits", n)
		}
	})

	t.Run("durability-13", func(t *testing.T) {
		t.Parallel()
		disk := &fullDisk{Store: memory()}
		disk.full.Store(true)
		b := setup(t, setupOptions{store: disk, script: swarmtest.Script{}})
		_, err := b.rt.Start(t.Context(), b.team, swarm.Input{Text: "go"})
		if fault.Code(err) != "journal.append_failed" || !strings.Contains(err.Error(), "no space is left") {
			t.Errorf("the first cause is not told: %v", err)
		}
		disk.full.Store(false)
		b.outcome(b.run("go"), "partial", "ended_without_finish")
		runs, err := b.rt.Runs(t.Context())
		if err != nil || len(runs) != 1 {
			t.Fatalf("runs %+v, %v", runs, err)
		}
		if _, err := b.rt.Inspect(t.Context(), runs[0].Run); err != nil {
			t.Errorf("show: %v", err)
		}
		if _, err := b.rt.Inspect(t.Context(), "run_unheard_of"); fault.Code(err) != "journal.run_not_found" {
			t.Errorf("show of nothing: %v", err)
		}
	})

	t.Run("durability-14", func(t *testing.T) {
		t.Parallel()
		hold := newHolder(t, "hold", false, tooling.ReadOnly())
		b := setup(t, setupOptions{store: memory(), tools: []swarm.Tool{hold.tool}, script: swarmtest.Script{"root": {
			swarmtest.Do(use("hold", "")), swarmtest.Do(nothing), swarmtest.Do(finish),
		}}})
		r := b.start("go")
		recv(t, hold.begun)
		last := int64(0)
		for rec, err := range r.Events(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if last = rec.Seq; rec.Type() == journal.TModelRequested {
				break // and it goes away
			}
		}
		close(hold.let)
		b.outcome(b.wait(r), "completed", "")
		ended := false
		for rec, err := range r.Events(t.Context(), last+1) {
			if err != nil {
				t.Fatal(err)
			}
			if rec.Seq != last+1 {
				t.Fatalf("record %d after %d", rec.Seq, last)
			}
			last = rec.Seq
			ended = rec.Type() == journal.TRunEnded
		}
		if all := b.records(r.ID()); !ended || last != all[len(all)-1].Seq {
			t.Errorf("the stream ended at %d of %d", last, len(all))
		}
	})

	t.Run("durability-15", func(t *testing.T) {
		t.Parallel()
		mem := memory()
		crash := swarmtest.NewCrash(mem, 0, false)
		hold := newHolder(t, "hold", false, tooling.ReadOnly())
		o := setupOptions{
			store: crash, agents: map[string]*agent.Profile{"lead": parent(), "critic": child()}, tools: []swarm.Tool{hold.tool},
			script: byPath(swarmtest.Script{
				"root":            {swarmtest.Do(delegateTo("critic"), delegateTo("critic"), delegateTo("critic")), swarmtest.Do(awaitAll), swarmtest.Do(finish)},
				"root/critic":     {swarmtest.Do(returning("first"))},
				"root/critic-002": {swarmtest.Do(write("output/b.md", "b")), swarmtest.Do(returning("second"))},
				"root/critic-003": {swarmtest.Do(write("output/c.md", "c")), swarmtest.Do(use("hold", "")), swarmtest.Do(returning("third"))},
			})}
		b := setup(t, o)
		r := b.start("go")
		recv(t, hold.begun)
		b.seen(r, ofType(journal.TTaskEnded, 2))
		crash.Now()
		close(hold.let)
		b.dies(r)
		o.store = reborn(mem)
		b = setup(t, o)
		res := b.wait(b.resume(r.ID()))
		b.outcome(res, "completed", "")
		if n := len(b.reqs.Of("root/critic")) + len(b.reqs.Of("root/critic-002")); n != 0 {
			t.Errorf("%d requests of children that had ended", n)
		}
		if n := len(b.reqs.Of("root/critic-003")); n != 1 {
			t.Errorf("the third made %d requests", n)
		}
		if n := hold.ran.Load(); n != 2 {
			t.Errorf("its read ran %d times", n)
		}
		recs := b.records(res.Run)
		var keys []string
		for _, c := range payloads[*journal.TaskCreated](recs) {
			keys = append(keys, c.Key)
		}
		if got := strings.Join(keys, " "); got != "critic critic-002 critic-003" {
			t.Errorf("tasks %s", got)
		}
		req := b.last("root")
		if at := inText(said(&req), "first", "second", "third"); at != "" {
			t.Error(at)
		}
	})

	t.Run("durability-16", func(t *testing.T) {
		t.Parallel()
		for _, row := range []struct {
			name string
			two  bool // processes
		}{{"one process", false}, {"two processes", true}} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				mem := memory()
				hold := newHolder(t, "hold", false, tooling.ReadOnly())
				o := setupOptions{store: mem, tools: []swarm.Tool{hold.tool}, script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(nothing), swarmtest.Do(finish)}}}
				b := setup(t, o)
				r := b.start("go")
				recv(t, hold.begun)
				b.close() // pauses it
				mem = reborn(mem)
				o.store = mem
				b = setup(t, o)
				rts := []*swarm.Runtime{b.rt, b.rt}
				if row.two {
					o.store = mem.Reopen()
					rts[1] = setup(t, o).rt
				}
				var wg sync.WaitGroup
				runs, errs := make([]*swarm.Run, 2), make([]error, 2)
				for i := range rts {
					wg.Go(func() { runs[i], errs[i] = rts[i].Resume(t.Context(), r.ID(), swarm.ResumeOptions{}) })
				}
				wg.Wait()
				winner := 0
				if errs[0] != nil {
					winner = 1
				}
				if err := errs[1-winner]; errs[winner] != nil || fault.Code(err) != "journal.run_held" || !strings.Contains(err.Error(), rts[winner].Store().Holder()) {
					t.Fatalf("errors %v", errs)
				}
				recv(t, hold.begun)
				close(hold.let)
				if res, err := b.rests(runs[winner]); err != nil || res.Outcome != "completed" {
					t.Fatalf("%+v, %v\n%s", res, err, b.dump(r.ID()))
				}
				b.check(r.ID())
			})
		}
	})

	t.Run("durability-16/paused and resumed at once", func(t *testing.T) {
		t.Parallel()
		hold := newHolder(t, "hold", false, tooling.ReadOnly())
		b := setup(t, setupOptions{store: memory(), tools: []swarm.Tool{hold.tool}, script: swarmtest.Script{"root": {swarmtest.Do(nothing), swarmtest.Do(use("hold", "")), swarmtest.Do(finish)}},
			opts: func(o *swarm.Options) { o.Drain = time.Nanosecond }})
		r := b.start("go")
		for range 20 {
			recv(t, hold.begun)
			if err := b.rt.Pause(t.Context(), r.ID()); err != nil {
				t.Fatal(err)
			}
			if res := b.wait(r); res.Outcome != "paused" {
				t.Fatalf("%+v", res)
			}
			r = b.resume(r.ID())
		}
		recv(t, hold.begun)
		if sum, err := b.rt.Store().Summary(t.Context(), r.ID()); err != nil || sum.Holder != b.rt.Store().Holder() {
			t.Errorf("the run is held by %q, %v", sum.Holder, err)
		}
		close(hold.let)
		b.outcome(b.wait(r), "completed", "")
	})

	t.Run("durability-16/at the expected record", func(t *testing.T) {
		t.Parallel()
		mem := memory()
		hold := newHolder(t, "hold", false, tooling.ReadOnly())
		o := setupOptions{store: mem, tools: []swarm.Tool{hold.tool}, script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(finish)}}}
		b := setup(t, o)
		r := b.start("go")
		recv(t, hold.begun)
		b.close()
		o.store = reborn(mem)
		b = setup(t, o)
		last := int64(len(b.records(r.ID())))
		if _, err := b.rt.Resume(t.Context(), r.ID(), swarm.ResumeOptions{Expect: last - 1}); fault.Code(err) != "journal.seq_conflict" {
			t.Errorf("the run has moved on: %v", err)
		}
		if n := int64(len(b.records(r.ID()))); n != last {
			t.Errorf("a refused resume wrote %d records", n-last)
		}
		r, err := b.rt.Resume(t.Context(), r.ID(), swarm.ResumeOptions{Expect: last})
		if err != nil {
			t.Fatal(err)
		}
		close(hold.let)
		b.outcome(b.wait(r), "completed", "")
	})

	t.Run("durability-17", func(t *testing.T) {
		t.Parallel()
		type big struct {
			Lines []string `json:"lines"`
		}
		lines := make([]string, 4000)
		for i := range lines {
			lines[i] = fmt.Sprintf("line %d of a result that is long as a whole", i)
		}
		list := goTool(t, "list", func(context.Context, none) (big, error) { return big{lines}, nil }, tooling.ReadOnly())
		ran := 0
		huge := goTool(t, "huge", func(context.Context, none) (string, error) {
			ran++
			return strings.Repeat("x", journal.MaxBlob+1), nil
		})
		b := setup(t, setupOptions{store: memory(), tools: []swarm.Tool{list, huge}, script: swarmtest.Script{"root": {
			swarmtest.Do(swarmtest.Call("list", ``)), swarmtest.Do(swarmtest.Call("huge", ``)), swarmtest.Do(finish),
		}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		recs := b.records(res.Run)
		if c := turnOf(recs, "root", 1)[0]; c.code() != "" || !strings.Contains(string(c.Settled.Data()), lines[3999]) {
			t.Errorf("the long result settled %q with %d bytes of data", c.code(), len(c.Settled.Data()))
		}
		stored, err := b.rt.Store().Read(t.Context(), res.Run, journal.Query{Types: []journal.Type{journal.TCallSettled}, NoBlobs: true})
		if err != nil || stored[0].Payload.(*journal.CallSettled).StructuredBlob.Hash == "" {
			t.Errorf("it is not stored by its hash: %v", err)
		}
		b.sameCodes(res.Run, turnOf(recs, "root", 2), "journal.payload_too_large")
		if ran != 1 {
			t.Errorf("it ran %d times", ran)
		}

		labels := map[string]string{"note": strings.Repeat("x", journal.MaxRecord)}
		_, err = b.rt.Start(t.Context(), b.team, swarm.Input{Text: "go", Labels: labels})
		if !errors.Is(err, &swarm.Error{Code: "input.labels"}) {
			t.Errorf("a label too long: %v", err)
		}
		if runs, err := b.rt.Runs(t.Context()); err != nil || len(runs) != 1 {
			t.Errorf("%d runs, %v", len(runs), err)
		}
	})
}
