package agent

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// crash gives the invocation as a new incarnation finds it: only what was stored is left.
func (d *driver) crash() {
	d.t.Helper()
	d.part, d.live = NewPart(d.env, testRun), Live{}
	if err := d.part.FoldAll(d.log); err != nil {
		d.t.Fatal(err)
	}
}

// dispatch brings the only call of a turn to its dispatch.
func (d *driver) dispatch(call model.AnswerCall) {
	d.t.Helper()
	d.turn(swarmtest.Do(call))
	for d.part.Calls[0].State == Asked {
		_, cmds := d.next()
		if len(cmds) == 0 {
			d.t.Fatal("the call never comes to its dispatch")
		}
		if c := cmds[0]; c.Kind != Execute {
			d.carry(c, "")
		}
	}
}

// What a new incarnation makes of a call, by its state and the class of its tool.
func TestRecoveryClasses(t *testing.T) {
	t.Parallel()
	fileCall := swarmtest.Call("workspace_write_file", `{"path":"output/a","content":"x"}`)
	for _, row := range []struct {
		name       string
		call       model.AnswerCall
		dispatched bool
		class      string
		code       string // of the settlement that recovery makes; "-": none
	}{
		{"pairing-3 not dispatched", poking, false, "not_dispatched", "-"},
		{"durability-2 a read", peeking, true, "rerun", "-"},
		{"durability-2 a write", poking, true, "unknown", "tool.outcome_unknown"},
		{"an idempotent write", swarmtest.Call("again", ``), true, "rerun", "-"},
		{"a change that its settlement makes", fileCall, true, "rerun", "-"},
		{"a commit", swarmtest.Call("workspace_commit", ``), true, "rerun", "-"},
		{"an await is never dispatched", awaiting, false, "not_dispatched", "-"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			if row.dispatched {
				d.dispatch(row.call)
			} else {
				d.turn(swarmtest.Do(row.call))
			}
			d.crash()
			if got := d.part.Class(&d.part.Calls[0]); got.Class != row.class || got.Key != d.key(0) {
				t.Errorf("class %+v", got)
			}
			recs := d.part.Recover()
			if row.code == "-" {
				if len(recs) != 0 {
					t.Fatalf("records %+v", recs)
				}
				ops, cmds := d.next()
				if len(ops)+len(cmds) != 1 {
					t.Fatalf("it does not go on: %+v %+v", ops, cmds)
				}
				if row.dispatched { // it runs again without a second dispatch
					d.carry(cmds[0], "")
					d.run("done")
					n := 0
					for _, r := range d.log {
						if r.Type() == journal.TCallDispatched {
							n++
						}
					}
					if n != 1 {
						t.Errorf("%d dispatches", n)
					}
					d.wantCodes("")
				}
				return
			}
			d.append(recs...)
			d.wantCodes(row.code)
			if len(d.part.Recover()) != 0 {
				t.Error("recovers twice")
			}
			d.ask()
		})
	}
}

// The reminder after an unknown outcome says what was started and what to look at.
func TestReminder(t *testing.T) {
	t.Parallel()
	tool, err := tooling.NewGoTool("fire", "x", func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return in.Text, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name     string
		allow    []string
		has, not []string
	}{
		{"with reading tools", nil, []string{"fire was started with", "workspace_read_file or workspace_list_files", "repeat the call only if nothing happened"}, []string{" read ", "glob"}},
		{"with one", []string{"workspace.list_files", "extension/go:fire", "workspace.finish"}, []string{"for example with workspace_list_files)"}, []string{"workspace_read_file"}},
		{"with none", []string{"extension/go:fire", "workspace.finish"}, []string{"Inspect the state first, and"}, []string{"for example", "workspace_"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, func(p *Profile) { p.Allow = row.allow }, tool)
			d.dispatch(swarmtest.Call("fire", `{"text":"`+strings.Repeat("é", 500)+`"}`))
			d.crash()
			d.append(d.part.Recover()...)
			d.ask()
			res := d.last().Results[0]
			for _, s := range row.has {
				if !strings.Contains(res.Text, s) {
					t.Errorf("%q does not say %q", res.Text, s)
				}
			}
			for _, s := range row.not {
				if strings.Contains(res.Text, s) {
					t.Errorf("%q says %q", res.Text, s)
				}
			}
			if n := strings.Count(res.Text, "é"); n == 0 || n > 200 {
				t.Errorf("%d characters of the arguments", n)
			}
			if !res.IsError || !strings.HasPrefix(res.Text, "error tool.outcome_unknown: ") {
				t.Errorf("result %+v", res)
			}
		})
	}
}

// A commit that was promised is sent again as it was promised, without a second look.
func TestCommitGoesOnAsPromised(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	promised := &journal.CommitRequested{Commit: "k", Path: "output/main.md", Hash: "h", Number: 1}
	d.turn(swarmtest.Do(swarmtest.Call("workspace_commit", ``)))
	d.next()
	d.live.Calls[d.key(0)].State = Admitted
	d.next()
	lc := d.live.Calls[d.key(0)]
	lc.State, lc.Intent = Prepared, tooling.Intent{Commit: promised, State: promised}
	_, cmds := d.next()
	same(t, "commands", cmdKinds(cmds), []CommandKind{Execute})
	d.crash()
	if c := d.part.Calls[0]; c.State != Dispatched || c.Commit == nil || c.Commit.Hash != "h" {
		t.Fatalf("call %+v", c)
	}
	d.next()
	d.live.Calls[d.key(0)].State = Admitted
	_, cmds = d.next()
	same(t, "commands after the crash", cmdKinds(cmds), []CommandKind{Execute})
}

// A halt after a crash settles by what is known: a write as unknown, a read as not run.
func TestHaltAfterCrash(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		call    model.AnswerCall
		code    string
		outcome journal.Outcome
	}{
		{"a write", poking, "tool.outcome_unknown", journal.Unknown},
		{"a read", peeking, "tool.not_run", journal.Cancelled},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			d.dispatch(row.call)
			d.crash()
			d.halt(cancelled)
			d.next()
			d.wantCodes(row.code)
			c := d.part.Calls[0]
			var settled *journal.CallSettled
			for _, r := range d.log {
				if m, ok := r.Payload.(*journal.CallSettled); ok {
					settled = m
				}
			}
			if c.Outcome != row.outcome || !settled.Dispatched {
				t.Errorf("outcome %s, dispatched %t", c.Outcome, settled.Dispatched)
			}
		})
	}
}

// A request without an answer is asked again as a new attempt of the same turn.
func TestRequestAfterCrash(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	d.turn(swarmtest.Do(peeking))
	d.run("fine")
	d.append(d.part.AttemptFailed(1, &model.Error{Class: model.ClassTransient, Code: "model.http_500"})...)
	d.crash()
	d.ask()
	if d.part.Turn != 2 || d.part.Attempts != 1 {
		t.Errorf("turn %d, %d attempts", d.part.Turn, d.part.Attempts)
	}
}

// A settled call is never settled again, and what it saw is the read-state of the next.
func TestDone(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	d.dispatch(swarmtest.Call("workspace_read_file", `{"path":"output/a"}`))
	key := d.key(0)
	d.done(key, tooling.Result{Content: "text", Observed: []journal.Observed{{Path: "output/a", Hash: "h", Full: true}}})
	if recs := d.part.Done(key, tooling.Result{Content: "again"}, 0); recs != nil {
		t.Errorf("settled twice: %+v", recs)
	}
	if recs := d.part.Done("another", tooling.Result{}, 0); recs != nil {
		t.Errorf("settles a call that is not there: %+v", recs)
	}
	if r, ok := d.part.Reads.Get("output/a"); !ok || !r.Full || r.Hash != "h" {
		t.Errorf("read-state %+v", r)
	}
	before := d.part.Reads
	d.crash()
	if r, _ := d.part.Reads.Get("output/a"); r.Hash != "h" {
		t.Error("the read-state is not a fold")
	}
	d.dispatch(swarmtest.Call("workspace_read_file", `{"path":"output/b"}`))
	d.done(d.key(0), tooling.Result{Content: "part", Observed: []journal.Observed{{Path: "output/b", Hash: "i", Start: 0, End: 10}}})
	if r, _ := d.part.Reads.Get("output/b"); r.Full || len(r.Fragments) != 1 {
		t.Errorf("read-state %+v", r)
	}
	if _, ok := before.Get("output/b"); ok {
		t.Error("an older read-state was changed")
	}
}

// What a settlement says, by the result.
func TestSettlement(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		in      tooling.Result
		outcome journal.Outcome
		text    string
	}{
		{"a success", tooling.Result{Content: "fine"}, journal.Completed, "fine"},
		{"an error", tooling.Fail("tool.failed", "broken"), journal.Failed, "error tool.failed: broken"},
		{"empty", tooling.Result{}, journal.Completed, "(no output)"},
		{"an empty error", tooling.Result{Code: "tool.failed"}, journal.Failed, "error tool.failed: (no output)"},
		{"an outcome of its own", tooling.Result{Code: "tool.cancelled", Content: "x", Outcome: journal.Cancelled}, journal.Cancelled, "error tool.cancelled: x"},
		{"pairing-11 a context error of the tool", tooling.Fail("tool.failed", context.Canceled.Error()), journal.Failed, "error tool.failed: context canceled"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := settlement(row.in, true, time.Second)
			if s.Outcome != row.outcome || resultText(s) != row.text || !s.Dispatched || s.Duration != time.Second {
				t.Errorf("settled %+v", s)
			}
		})
	}
}
