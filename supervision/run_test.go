package supervision

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

func TestWholeRun(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		store func(t *testing.T) journal.Store
	}{
		{"a store that appends at once", func(*testing.T) journal.Store { return memory() }},
		{"a store behind the writer", func(*testing.T) journal.Store { return swarmtest.NewCrash(memory(), 0, false) }},
		{"a store on disk", func(t *testing.T) journal.Store { return openSQLite(t, t.TempDir()) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, actors.Options{}, row.store(t), whole())
			closed := make(chan struct{})
			cfg := k.config("run_a")
			cfg.OnClose = func() { close(closed) }
			if err := k.Start(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			res := k.want(cfg.Handle, "completed", "finished")
			if res.Text != "hello" || !slices.Equal(res.Files, []string{"output/main.md"}) || res.Run != "run_a" {
				t.Errorf("got %+v", res)
			}
			select {
			case <-closed:
			case <-time.After(patience):
				t.Error("the run is never closed")
			}
		})
	}
}

func openSQLite(t *testing.T, dir string) journal.Store {
	t.Helper()
	s, err := journal.OpenSQLite(context.Background(), dir, journal.SQLiteOptions{Durability: "relaxed"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// durability-5: an append that fails ends the run with that error, and no request follows.
func TestAppendFails(t *testing.T) {
	t.Parallel()
	ref := newKit(t, actors.Options{}, swarmtest.NewCrash(memory(), 0, false), whole())
	ref.want(ref.start("run_a"), "completed", "")
	appends := ref.store.(*swarmtest.Crash).Appends()
	for n := 1; n <= appends; n += 2 {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("durability-5 append %d stored %t", n, stored), func(t *testing.T) {
				t.Parallel()
				mem := memory()
				crash := swarmtest.NewCrash(mem, n, stored)
				var after atomic.Int32
				script := whole()
				k := newKit(t, actors.Options{}, crash, model.Func(func(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
					select {
					case <-crash.Crashed():
						after.Add(1)
					default:
					}
					return script.Answer(ctx, req, p)
				}))
				cfg := k.config("run_a")
				k.Begin(cfg)
				res := k.wait(cfg.Handle)
				select {
				case <-crash.Crashed():
				default: // what is proposed together varies: this run has come to its end with fewer appends
					if res.Outcome != "completed" || crash.Appends() >= n {
						t.Errorf("durability-5: got %+v after %d appends", res, crash.Appends())
					}
					return
				}
				if fault.Code(res.Err) != "journal.append_failed" || res.Code != "journal.append_failed" || res.Outcome != "failed" {
					t.Errorf("durability-5: got %+v", res)
				}
				k.close()
				if n := after.Load(); n > 2 { // those whose own request was durable before
					t.Errorf("durability-5: %d requests after the fault", n)
				}
				again := newKit(t, actors.Options{}, mem.Reopen(), script)
				again.pokes = k.pokes
				h := again.start("run_a")
				if res := again.wait(h); res.Outcome != "completed" && res.Code != "journal.ended" {
					t.Errorf("durability-5: the resume brings %+v\n%s", res, again.dump("run_a"))
				}
				again.verify("run_a")
			})
		}
	}
}

// A pause lets effects end, begins nothing new, and says so when that is durable.
func TestPauseDrains(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		ends bool // the effect ends in time
	}{
		{"the effect ends", true},
		{"the effect does not end in time", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			script := swarmtest.Script{"lead": {swarmtest.Do(poke, poke), swarmtest.Do(finish)}}
			s := newStage(t, nil, nil)
			s.env.Models["default"] = withProvider(s, s.holding(script, "lead", 1))
			h := s.start("run_a")
			if len(s.held) != 1 {
				t.Fatalf("%d effects under way", len(s.held))
			}
			if answer, taken := s.said(h, "pause", ""); !taken || answer != "" {
				t.Fatalf("taken %t, answered %q", taken, answer)
			}
			s.clock.Advance(20*time.Second - time.Nanosecond)
			select {
			case <-h.Done():
				t.Fatalf("paused while an effect runs: %+v", h.Result())
			default:
			}
			if row.ends {
				s.letGo()
			} else {
				s.clock.Advance(time.Nanosecond)
				s.letGo()
				s.clock.Advance(time.Minute)
			}
			s.want(h, "paused", "user")
			recs := s.records("run_a")
			if last := recs[len(recs)-1]; last.Type() != journal.TRunPaused {
				t.Errorf("the last record is %s", last.Type())
			}
			if n := s.count("run_a", journal.TCallDispatched); n != 1 {
				t.Errorf("%d calls were dispatched", n)
			}
			if n := s.reqs.Count(); n != 1 {
				t.Errorf("%d requests", n)
			}
			s.env.Models["default"] = withProvider(s, script)
			s.want(s.start("run_a"), "completed", "")
			want := ""
			if !row.ends {
				want = "tool.outcome_unknown"
			}
			for _, r := range s.records("run_a") {
				if m, ok := r.Payload.(*journal.CallSettled); ok {
					if m.Code != want {
						t.Errorf("the call has the code %q, want %q", m.Code, want)
					}
					break
				}
			}
		})
	}
}

// A pause of everything reaches every run, also one whose model is asked.
func TestPauseAll(t *testing.T) {
	t.Parallel()
	script := swarmtest.Script{"lead": {swarmtest.Do(finish)}}
	s := newStage(t, nil, script)
	s.hold = true
	var handles []*Handle
	for i := range 3 {
		handles = append(handles, s.start(fmt.Sprint("run_", i)))
	}
	if err := s.PauseAll(t.Context(), "shutdown"); err != nil {
		t.Fatal(err)
	}
	s.letGo()
	for _, h := range handles {
		s.clock.Advance(time.Minute)
		s.want(h, "paused", "shutdown")
		s.want(s.start(h.ID), "completed", "")
	}
}

// A command of another opening of the store is carried
// out by the owner, once.
func TestCommands(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ kind, outcome, reason string }{
		{"cancel", "cancelled", "cancelled by"},
		{"pause", "paused", "user"},
	} {
		t.Run(row.kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			begun := make(chan struct{})
			hold := goTool(t, "hold", func(ctx context.Context, _ none) (string, error) {
				close(begun)
				<-ctx.Done()
				return "", ctx.Err()
			})
			k := newKit(t, actors.Options{}, openSQLite(t, dir), swarmtest.Script{"lead": {swarmtest.Do(swarmtest.Call("hold", ``)), swarmtest.Do(finish)}}, hold)
			cfg := k.config("run_a")
			cfg.Drain = time.Millisecond
			if err := k.Start(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			<-begun
			other := openSQLite(t, dir)
			ctx := t.Context()
			if _, err := other.Post(ctx, "run_a", journal.Command{Kind: "whistle", By: "other"}); err != nil {
				t.Fatal(err)
			}
			id, err := other.Post(ctx, "run_a", journal.Command{Kind: row.kind, Payload: "enough", By: "other"})
			if err != nil {
				t.Fatal(err)
			}
			k.want(cfg.Handle, row.outcome, row.reason)
			cmds, err := other.Commands(ctx, "run_a", 0)
			if err != nil || len(cmds) != 2 {
				t.Fatal(cmds, err)
			}
			if a := cmds[0].Answer; fault.Code(journal.Refusal(a)) != "command.unknown" {
				t.Errorf("the unknown command is answered %q", a)
			}
			if cmds[1].ID != id || cmds[1].Answer != journal.Recorded {
				t.Errorf("command %d is answered %q", id, cmds[1].Answer)
			}
		})
	}
}

// A model that does not heed its context: the grace of the run ends the wait and names
// who has not stopped.
func TestGraceNamesSurvivors(t *testing.T) {
	t.Parallel()
	deaf := func(s *stage, script swarmtest.Script, id string, turn int) model.Provider {
		return model.Func(func(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
			a, err := script.Answer(ctx, req, p)
			if req.Agent == id && req.Turn == turn-1 {
				s.hold = true
			}
			return a, err
		})
	}
	t.Run("actors-15 of the run", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil, nil)
		s.env.Profiles["lead"].Delegation.StopGrace = 3 * time.Second
		s.env.Models["default"] = withProvider(s, deaf(s, swarmtest.Script{"lead": {swarmtest.Do(awaitAll), swarmtest.Do(finish)}}, "lead", 2))
		h := s.start("run_a")
		s.Signal("run_a", "user", "enough")
		s.clock.Advance(3*time.Second - time.Nanosecond)
		select {
		case <-h.Done():
			t.Fatal("ended before its grace was over")
		default:
		}
		s.clock.Advance(time.Nanosecond)
		s.want(h, "unknown", "did not stop within 3s")
		s.clock.Advance(time.Minute)
	})
	t.Run("actors-15 of a child", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil, nil)
		s.env.Profiles["maker"].Delegation.StopGrace = 3 * time.Second
		s.env.Models["default"] = withProvider(s, deaf(s, swarmtest.Script{"lead": {swarmtest.Do(deleg), swarmtest.Do(awaitAll), swarmtest.Do(finish)}, "maker": {swarmtest.Do(swarmtest.Call("nope", ``)), swarmtest.Do(ret)}}, "maker", 2))
		h := s.start("run_a")
		s.told(h, journal.Command{ID: 1, Run: "run_a", Kind: "cancel_task", By: "user", Payload: `{"task":"task_1","reason":"no need"}`})
		s.clock.Advance(3 * time.Second)
		s.letGo()
		s.clock.Advance(time.Minute)
		s.letGo()
		s.want(h, "completed", "")
		for _, r := range s.records("run_a") {
			switch m := r.Payload.(type) {
			case *journal.TaskEnded:
				if m.Outcome != journal.Unknown || !slices.Equal(m.Survivors, []string{"root/maker"}) {
					t.Errorf("the task ended as %+v", m)
				}
			case *journal.RunEnded:
				if !slices.Equal(m.Survivors, []string{"root/maker"}) {
					t.Errorf("survivors of the run: %q", m.Survivors)
				}
			}
		}
	})
}

// A write that does not heed its context: the run ends when its grace is over, and says
// that it cannot know what became of it.
func TestDeafTool(t *testing.T) {
	t.Parallel()
	script := swarmtest.Script{"lead": {swarmtest.Do(poke), swarmtest.Do(finish)}}
	s := newStage(t, nil, nil)
	s.env.Models["default"] = withProvider(s, s.holding(script, "lead", 1))
	h := s.start("run_a")
	s.Signal("run_a", "user", "enough")
	s.clock.Advance(10 * time.Second)
	s.want(h, "unknown", "did not stop within 10s")
	s.clock.Advance(time.Minute)
	for _, r := range s.records("run_a") {
		switch m := r.Payload.(type) {
		case *journal.CallSettled:
			if m.Code != "tool.outcome_unknown" || !m.Dispatched {
				t.Errorf("the call is settled as %+v", m)
			}
		case *journal.RunEnded:
			if len(m.UnknownCalls) != 1 {
				t.Errorf("unknown calls %q", m.UnknownCalls)
			}
		}
	}
}

// A request that the run's budget refuses: the invocation takes its part anew and closes.
func TestRejoinAfterALoss(t *testing.T) {
	t.Parallel()
	for _, immediate := range []bool{true, false} {
		t.Run(fmt.Sprintf("budgets-1 appends at once %t", immediate), func(t *testing.T) {
			t.Parallel()
			var store journal.Store = memory()
			if !immediate {
				store = swarmtest.NewCrash(memory(), 0, false)
			}
			k := newKit(t, actors.Options{}, store, model.Func(func(_ context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
				if req.Choice.Mode == "none" {
					return &model.Answer{Text: "known", Finish: model.FinishStop}, nil
				}
				return &model.Answer{Calls: []model.AnswerCall{peek, poke}, Finish: model.FinishCalls}, nil
			}))
			k.env.Budgets.Rounds = 3
			res := k.want(k.start("run_a"), "partial", "budget.rounds")
			if res.Text != "known" || k.count("run_a", journal.TModelAnswered) != 4 {
				t.Errorf("got %+v, %d answers", res, k.count("run_a", journal.TModelAnswered))
			}
			k.env.Budgets.Rounds, k.env.Budgets.Calls = 0, 5
			k.want(k.start("run_b"), "partial", "budget.calls")
			if n := len(k.pokes); n != 3+2 {
				t.Errorf("%d effects", n)
			}
		})
	}
}

// What a run cannot start with is told at once.
func TestStartFails(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil, swarmtest.Script{})
	s.env.Profiles["lead"].Allow = []string{"no.such_tool"}
	cfg := s.config("run_a")
	if err := s.Start(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	res := s.wait(cfg.Handle)
	if res.Outcome != "failed" || res.Code != "tool.not_in_catalog" || fault.Code(res.Err) != res.Code {
		t.Errorf("got %+v", res)
	}
}

// A large file goes through the store's blobs and comes back as it was.
func TestLargeFile(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("0123456789abcde\n", 4096) // 64 KiB
	script := swarmtest.Script{"lead": {
		swarmtest.Do(swarmtest.Call("workspace_write_file", fmt.Sprintf(`{"path":"output/main.md","content":%q}`, body))),
		swarmtest.Do(publish), swarmtest.Do(finish),
	}}
	for _, crash := range []int{0, 4} {
		t.Run(fmt.Sprint("crash at ", crash), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			store := openSQLite(t, dir)
			k := newKit(t, actors.Options{}, swarmtest.NewCrash(store, crash, true), script)
			cfg := k.config("run_a")
			k.Begin(cfg)
			res := k.wait(cfg.Handle)
			if crash > 0 {
				again := newKit(t, actors.Options{}, store, script)
				res = again.want(again.start("run_a"), "completed", "")
			}
			if res.Text != body {
				t.Errorf("%d bytes were published", len(res.Text))
			}
		})
	}
}

// The handle of a run gives one result, whoever asks and whenever.
func TestHandle(t *testing.T) {
	t.Parallel()
	h := NewHandle("run_a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Started(ctx); err == nil {
		t.Error("it has not started")
	}
	h.finish(Result{Outcome: "completed"})
	h.finish(Result{Outcome: "failed"})
	if err := h.Started(t.Context()); err != nil {
		t.Error(err)
	}
	<-h.Done()
	if res := h.Result(); res.Outcome != "completed" || res.Run != "run_a" {
		t.Errorf("got %+v", res)
	}
}
