package swarm_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Every call of every answer has one result, in call order. Two cases cannot be made
// through this interface. pairing-12: a handler gives back a [tooling.Result], which
// carries no key, so it cannot settle another call than the one it was started for.
// pairing-14: cancelling a single call is not an operation of this version; what ends is
// a task or the run.
func TestPairing(t *testing.T) {
	t.Parallel()

	t.Run("pairing-1", func(t *testing.T) {
		t.Parallel()
		var writes, patches, reads []model.AnswerCall
		for i := 1; i <= 5; i++ {
			path, old := fmt.Sprintf("output/f%d.md", i), fmt.Sprintf("old %d", i)
			if i == 2 {
				old = "absent"
			}
			writes = append(writes, write(path, fmt.Sprintf("old %d", i)))
			patches = append(patches, swarmtest.Call("workspace_apply_patch", fmt.Sprintf(`{"path":%q,"old_string":%q,"new_string":"new %d"}`, path, old, i)))
			reads = append(reads, read(path))
		}
		b := setup(t, setupOptions{script: swarmtest.Script{"root": {
			swarmtest.Do(writes...), swarmtest.Do(patches...), swarmtest.Do(reads...), swarmtest.Do(finish),
		}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		calls := turnOf(b.records(res.Run), "root", 2)
		if len(calls) != 5 {
			t.Fatalf("%d calls", len(calls))
		}
		for i, c := range calls {
			if c.Dispatched != 1 || c.Settled == nil || c.Settled.Outcome == journal.Cancelled {
				t.Errorf("call %d: dispatched %d times, settled %+v", i+1, c.Dispatched, c.Settled)
			}
			if (c.code() != "") != (i == 1) {
				t.Errorf("call %d has the code %q", i+1, c.code())
			}
		}
		got := b.results("root", 2)
		if len(got) != 5 || !got[1].IsError {
			t.Fatalf("results %+v", got)
		}
		for i := range got {
			if got[i].Key != calls[i].Key {
				t.Errorf("result %d is of another call", i+1)
			}
		}
		for i := 1; i <= 5; i++ {
			want := fmt.Sprintf("new %d", i)
			if i == 2 {
				want = "old 2"
			}
			if text, _ := file(b.records(res.Run), fmt.Sprintf("output/f%d.md", i)); text != want {
				t.Errorf("file %d is %q", i, text)
			}
			if text := b.results("root", 3)[i-1].Text; !strings.Contains(text, want) {
				t.Errorf("read %d shows %q", i, text)
			}
		}
	})

	t.Run("pairing-2", func(t *testing.T) {
		t.Parallel()
		ok := goTool(t, "fine", func(context.Context, none) (string, error) { return "fine", nil })
		boom := goTool(t, "boom", func(context.Context, none) (string, error) { panic("it broke") })
		b := setup(t, setupOptions{tools: []swarm.Tool{ok, boom}, script: swarmtest.Script{"root": {
			swarmtest.Do(swarmtest.Call("fine", ``), swarmtest.Call("boom", ``), swarmtest.Call("fine", ``)), swarmtest.Do(finish),
		}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		recs := b.records(res.Run)
		calls := turnOf(recs, "root", 1)
		b.sameCodes(res.Run, calls, "", "tool.panicked", "")
		if stack := calls[1].Settled.Stack.Text; !strings.Contains(stack, "cases_pairing_test.go") {
			t.Errorf("the stack in the record: %q", stack)
		}
		got := b.results("root", 1)
		if len(got) != 3 || !got[1].IsError || strings.Contains(got[1].Text, "goroutine") || strings.Contains(got[1].Text, ".go:") {
			t.Errorf("results %+v", got)
		}
		if n := len(payloads[*journal.ActorFailed](recs)); n != 0 || b.rt.Counters().Restarts != 0 {
			t.Errorf("the invocation was restarted: %d, %+v", n, b.rt.Counters())
		}
		if n := len(b.last("root").Messages); n != 3 {
			t.Errorf("the history has %d messages", n)
		}
	})

	t.Run("pairing-3", func(t *testing.T) {
		t.Parallel()
		mem, count := memory(), &counter{}
		var asked atomic.Int32
		s := swarmtest.Script{"root": {swarmtest.Do(use("poke", "a"), use("poke", "b")), swarmtest.Do(finish)}}
		o := setupOptions{
			tools: []swarm.Tool{count.tool(t, "poke")},
			script: model.Func(func(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
				if req.Turn == 1 {
					asked.Add(1)
				}
				return s.Answer(ctx, req, p)
			}),
			store: killOn(mem, ofType(journal.TModelAnswered, 1), true),
		}
		b := setup(t, o)
		r := b.start("go")
		b.dies(r)
		if n, _ := count.total(); n != 0 {
			t.Fatalf("%d effects before the resume", n)
		}
		o.store = reborn(mem)
		b = setup(t, o)
		res := b.wait(b.resume(r.ID()))
		b.outcome(res, "completed", "")
		if n, most := count.total(); n != 2 || most != 1 || asked.Load() != 1 {
			t.Errorf("%d effects, %d of one call, %d requests of the turn", n, most, asked.Load())
		}
		classes := payloads[*journal.RecoveryClassified](b.records(res.Run))
		if len(classes) != 1 || len(classes[0].Calls) != 2 || classes[0].Calls[0].Class != "not_dispatched" {
			t.Errorf("classified %+v", classes)
		}
	})

	t.Run("pairing-4/tasks", func(t *testing.T) {
		t.Parallel()
		block := newHolder(t, "block", false, tooling.ReadOnly())
		both := goTool(t, "both", func(ctx context.Context, _ none) (string, error) {
			for range 2 {
				select {
				case <-block.begun:
				case <-ctx.Done():
					return "", ctx.Err()
				}
			}
			return "both are at work", nil
		}, tooling.ReadOnly())
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"lead": parent(), "critic": child()},
			tools:  []swarm.Tool{block.tool, both},
			script: swarmtest.Script{
				"lead": {
					swarmtest.Do(delegateTo("critic"), delegateTo("critic")),
					swarmtest.Do(swarmtest.Call("both", ``)),
					swarmtest.Do(swarmtest.Call("agent_cancel", `{"taskIds":["task_1","task_2"]}`)),
					swarmtest.Do(finish),
				},
				"critic": {swarmtest.Do(nothing), swarmtest.Do(use("block", "x"), returning("never"))},
			}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		recs := b.records(res.Run)
		for _, path := range []string{"root/critic", "root/critic-002"} {
			calls := callsOf(recs, path)
			b.sameCodes(res.Run, calls, "", "tool.cancelled", "tool.not_run")
			for _, c := range calls[1:] {
				if c.Settled.Outcome != journal.Cancelled {
					t.Errorf("%s: %s settled %s", path, c.Name, c.Settled.Outcome)
				}
			}
		}
		if n := len(payloads[*journal.TapeDiscarded](recs)); n != 2 {
			t.Errorf("%d tapes discarded", n)
		}
		for _, e := range payloads[*journal.TaskEnded](recs) {
			if e.Outcome != journal.Cancelled {
				t.Errorf("a task ended %s (%s)", e.Outcome, e.Reason)
			}
		}
	})

	t.Run("pairing-4/run", func(t *testing.T) {
		t.Parallel()
		block := newHolder(t, "block", false, tooling.ReadOnly())
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"lead": parent(), "critic": child()},
			tools:  []swarm.Tool{block.tool},
			script: swarmtest.Script{
				"lead":   {swarmtest.Do(delegateTo("critic"), delegateTo("critic")), swarmtest.Do(awaitAll)},
				"critic": {swarmtest.Do(use("block", "x"), returning("never"))},
			}})
		r := b.start("go")
		recv(t, block.begun)
		recv(t, block.begun)
		b.seen(r, func(rec *journal.Record) bool {
			m, ok := rec.Payload.(*journal.CallRequested)
			return ok && m.Name == "agent_await"
		})
		if err := r.Cancel(t.Context(), "enough"); err != nil {
			t.Fatal(err)
		}
		res := b.wait(r)
		b.outcome(res, "cancelled", "enough")
		for _, c := range callsOf(b.records(res.Run), "") {
			if c.Name != "agent_delegate" && c.Settled.Outcome != journal.Cancelled {
				t.Errorf("%s of %s settled %+v", c.Name, c.Path, c.Settled)
			}
		}
		if n := len(payloads[*journal.TapeDiscarded](b.records(res.Run))); n != 2 {
			t.Errorf("%d tapes discarded", n)
		}
	})

	t.Run("pairing-5", func(t *testing.T) {
		t.Parallel()
		var mu sync.Mutex
		var deltas []model.Delta
		ran := &counter{}
		b := setup(t, setupOptions{
			tools: []swarm.Tool{ran.tool(t, "poke")},
			script: model.Func(func(_ context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
				switch {
				case req.Turn == 1 && req.Attempt == 1:
					preview(model.Delta{Text: strings.Repeat("broken ", 6)[:40]})
					preview(model.Delta{Call: 0, Args: `{"who":"bro`})
					return nil, &model.Error{Class: model.ClassTransient, Code: "model.stream_incomplete", Detail: "the stream broke"}
				case req.Turn == 1:
					preview(model.Delta{Text: "intact"})
					return &model.Answer{Text: "intact", Calls: []model.AnswerCall{use("poke", "intact")}, Finish: model.FinishCalls}, nil
				}
				return &model.Answer{Calls: []model.AnswerCall{finish}, Finish: model.FinishCalls}, nil
			}),
			opts: func(o *swarm.Options) {
				o.Preview = func(_ string, d model.Delta) {
					mu.Lock()
					defer mu.Unlock()
					deltas = append(deltas, d)
				}
			},
		})
		res := b.run("go")
		b.outcome(res, "completed", "")
		req := b.last("root")
		if text := said(&req); strings.Contains(text, "broken") || strings.Count(text, "intact") != 2 {
			t.Errorf("the next request says %q", text)
		}
		if n, _ := ran.total(); n != 1 {
			t.Errorf("%d calls ran", n)
		}
		failed := payloads[*journal.ModelAttemptFailed](b.records(res.Run))
		if len(failed) != 1 || failed[0].Code != "model.stream_incomplete" || failed[0].Attempt != 1 {
			t.Errorf("attempts %+v", failed)
		}
		mu.Lock()
		defer mu.Unlock()
		reset := -1
		for i, d := range deltas {
			if d.Reset {
				reset = i
			}
		}
		if reset != 2 || len(deltas) != 4 {
			t.Errorf("previews %+v", deltas)
		}
	})

	t.Run("pairing-6", func(t *testing.T) {
		t.Parallel()
		echo := goTool(t, "echo", func(_ context.Context, in map1) (string, error) { return "I am " + in.Who, nil }, tooling.ReadOnly())
		calls := []model.AnswerCall{use("echo", "one"), use("echo", "two"), use("echo", "three")}
		for i := range calls {
			calls[i].ProviderID = "call_1"
		}
		b := setup(t, setupOptions{tools: []swarm.Tool{echo}, script: swarmtest.Script{"root": {swarmtest.Do(calls...), swarmtest.Do(finish)}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		wire := map[string]bool{}
		got := b.results("root", 1)
		for i, want := range []string{"I am one", "I am two", "I am three"} {
			if len(got) != 3 || got[i].Text != want {
				t.Fatalf("results %+v", got)
			}
			wire[model.WireID(got[i].Key)] = true
		}
		if len(wire) != 3 {
			t.Errorf("wire ids %v", wire)
		}
		for _, c := range turnOf(b.records(res.Run), "root", 1) {
			if c.ProviderCallID != "call_1" {
				t.Errorf("the provider's id became %q", c.ProviderCallID)
			}
		}
	})

	t.Run("pairing-9", func(t *testing.T) {
		t.Parallel()
		begun, let := make(chan string, 3), map[string]chan struct{}{"1": make(chan struct{}), "2": make(chan struct{}), "3": make(chan struct{})}
		slow := goTool(t, "slow", func(_ context.Context, in map1) (string, error) {
			begun <- in.Who
			<-let[in.Who]
			return "read " + in.Who, nil
		}, tooling.ReadOnly())
		b := setup(t, setupOptions{tools: []swarm.Tool{slow}, script: swarmtest.Script{"root": {
			swarmtest.Do(use("slow", "1"), use("slow", "2"), use("slow", "3")), swarmtest.Do(finish),
		}}})
		r := b.start("go")
		for range 3 {
			recv(t, begun)
		}
		for n, who := range []string{"3", "2", "1"} {
			close(let[who])
			rec := b.seen(r, ofType(journal.TCallSettled, n+1))
			if text := rec.Payload.(*journal.CallSettled).Content.Text; text != "read "+who {
				t.Errorf("settled as number %d: %q", n+1, text)
			}
		}
		res := b.wait(r)
		b.outcome(res, "completed", "")
		got := b.results("root", 1)
		if len(got) != 3 || got[0].Text != "read 1" || got[1].Text != "read 2" || got[2].Text != "read 3" {
			t.Errorf("results %+v", got)
		}
		if n := len(b.reqs.Of("root")); n != 2 {
			t.Errorf("%d requests", n)
		}
	})

	t.Run("pairing-10", func(t *testing.T) {
		t.Parallel()
		count, begun := &counter{}, make(chan struct{})
		slow := goTool(t, "slow", func(ctx context.Context, _ none) (string, error) {
			close(begun)
			<-ctx.Done()
			return "stored after all", nil
		})
		b := setup(t, setupOptions{tools: []swarm.Tool{slow, count.tool(t, "poke")}, script: swarmtest.Script{"root": {
			swarmtest.Do(swarmtest.Call("slow", ``), use("poke", "a"), use("poke", "b")),
		}}})
		r := b.start("go")
		recv(t, begun)
		if err := r.Cancel(t.Context(), "enough"); err != nil {
			t.Fatal(err)
		}
		res := b.wait(r)
		b.outcome(res, "cancelled", "enough")
		calls := turnOf(b.records(res.Run), "root", 1)
		b.sameCodes(res.Run, calls, "", "tool.not_run", "tool.not_run")
		if s := calls[0].Settled; s.Outcome != journal.Completed || s.Content.Text != "stored after all" {
			t.Errorf("the real result became %+v", s)
		}
		for _, c := range calls[1:] {
			if c.Settled.Content.Text != "not run: cancelled" || c.Settled.Outcome != journal.Cancelled || c.Dispatched != 0 {
				t.Errorf("%+v", c.Settled)
			}
		}
		if n, _ := count.total(); n != 0 {
			t.Errorf("%d of them ran", n)
		}
	})

	t.Run("pairing-11", func(t *testing.T) {
		t.Parallel()
		own := goTool(t, "own", func(context.Context, none) (string, error) {
			return "", fmt.Errorf("upstream gave up: %w", context.Canceled)
		})
		b := setup(t, setupOptions{tools: []swarm.Tool{own}, script: swarmtest.Script{"root": {
			swarmtest.Do(swarmtest.Call("own", ``)), swarmtest.Do(nothing), swarmtest.Do(finish),
		}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		c := turnOf(b.records(res.Run), "root", 1)[0]
		if c.code() != "tool.failed" || c.Settled.Outcome != journal.Failed || !strings.Contains(c.Settled.Content.Text, "upstream gave up") {
			t.Errorf("settled %+v", c.Settled)
		}
	})

	t.Run("pairing-13", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{script: swarmtest.Script{"root": {
			swarmtest.Do(finish, write("output/main.md", "text")), swarmtest.Do(finish),
		}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		recs := b.records(res.Run)
		b.sameCodes(res.Run, turnOf(recs, "root", 1), "agent.finish_not_last", "")
		if text, ok := file(recs, "output/main.md"); !ok || text != "text" {
			t.Errorf("the file is %q", text)
		}
		if n := len(b.reqs.Of("root")); n != 2 {
			t.Errorf("%d requests", n)
		}
	})

	t.Run("pairing-15", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{script: swarmtest.Script{"root": {swarmtest.Say("here is my answer"), swarmtest.Do(finish)}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		if strings.Contains(res.Text, "here is my answer") {
			t.Errorf("the text was published: %q", res.Text)
		}
		m := b.last("root").Messages
		if len(m) != 3 || m[1].Text != "here is my answer" || m[2].Role != model.Host || !strings.Contains(m[2].Text, "workspace_finish") || len(m[2].Text) > 300 {
			t.Errorf("the history is %+v", m)
		}
		if n := len(payloads[*journal.TurnCorrected](b.records(res.Run))); n != 1 {
			t.Errorf("%d corrections", n)
		}
	})

	t.Run("pairing-15/round", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{
			agents: map[string]*agent.Profile{"root": {Rounds: 1}},
			script: swarmtest.Script{"root": {swarmtest.Say("one"), swarmtest.Say("two")}},
		})
		res := b.run("go")
		b.outcome(res, "partial", "budget.rounds")
		if n := len(b.reqs.Of("root")); n != 2 {
			t.Errorf("%d requests", n)
		}
	})

	t.Run("pairing-16", func(t *testing.T) {
		t.Parallel()
		var mu sync.Mutex
		text, reading, wrote := "old", 0, false
		together := make(chan struct{})
		peek := goTool(t, "peek", func(ctx context.Context, in map1) (string, error) {
			mu.Lock()
			reading++
			n := reading
			after := wrote
			mu.Unlock()
			if n == 2 {
				close(together)
			}
			select {
			case <-together: // the first two go on only when both are there
			case <-ctx.Done():
				return "", ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			if n == 3 && !after {
				return "", fmt.Errorf("the last read overtook the write")
			}
			if n < 3 && wrote {
				return "", fmt.Errorf("the write began before the read had ended")
			}
			return in.Who + " " + text, nil
		}, tooling.ReadOnly())
		change := goTool(t, "change", func(context.Context, none) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			if reading != 2 {
				return "", fmt.Errorf("%d reads had begun", reading)
			}
			text, wrote = "new", true
			return "changed", nil
		})
		b := setup(t, setupOptions{tools: []swarm.Tool{peek, change}, script: swarmtest.Script{"root": {
			swarmtest.Do(use("peek", "a"), use("peek", "b"), swarmtest.Call("change", ``), use("peek", "a")), swarmtest.Do(finish),
		}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		got := b.results("root", 1)
		for i, want := range []string{"a old", "b old", "changed", "a new"} {
			if len(got) != 4 || got[i].Text != want {
				t.Fatalf("results %+v", got)
			}
		}
	})

	t.Run("pairing-16/files", func(t *testing.T) {
		t.Parallel()
		b := setup(t, setupOptions{script: swarmtest.Script{"root": {
			swarmtest.Do(write("output/a.md", "old"), write("output/b.md", "b")),
			swarmtest.Do(read("output/a.md"), read("output/b.md"), write("output/a.md", "new"), read("output/a.md")),
			swarmtest.Do(finish),
		}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		got := b.results("root", 2)
		if len(got) != 4 || !strings.Contains(got[0].Text, "old") || !strings.Contains(got[3].Text, "new") {
			t.Errorf("results %+v", got)
		}
	})
}
