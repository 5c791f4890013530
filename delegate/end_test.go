package delegate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// workspace.finish, by what is still open.
func TestFinish(t *testing.T) {
	t.Parallel()
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
		p.do("root", peek, finish)
		p.wantRun(journal.Completed, "finished")
		p.inOrder(journal.TCallSettled, journal.TCallSettled, journal.TInvocationEnded, journal.TRunEnded)
		if p.st.Ended.Result.Text != "ready" {
			t.Errorf("the text is %q", p.st.Ended.Result.Text)
		}
	})
	t.Run("without the commit that is wanted", func(t *testing.T) {
		t.Parallel()
		l := lead(agent.Delegation{})
		l.NeedCommit = true
		p := newPlay(t, testEnv(t, agent.Budgets{}, l))
		p.do("root", finish)
		p.wantCodes("root", "agent.commit_required")
	})
	t.Run("delegation-15 with a child that runs", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{MaxRunning: 1}), worker("maker")))
		p.holds["root/maker"], p.deaf["root/maker"] = true, true
		p.do("root", delegating("maker"), delegating("maker"))
		p.do("root/maker", peek)
		p.do("root", finish)
		p.wantCodes("root", "-")
		if p.over {
			t.Fatal("the run ended before its child")
		}
		p.wantTask("task_2", "ended", journal.Cancelled, "cancelled")
		p.stops("root/maker")
		p.wantRun(journal.Completed, "finished")
		p.wantTask("task_1", "ended", journal.Cancelled, "cancelled by root")
		ended := slices.IndexFunc(p.log, func(r journal.Record) bool {
			return r.Type() == journal.TInvocationEnded && r.Scope.Invocation == "root/maker"
		})
		if last := len(p.log) - 1; p.log[last].Type() != journal.TRunEnded || ended < 0 || ended > last {
			t.Errorf("the child ended at %d of %d", ended, last)
		}
	})
	t.Run("a policy that denies it", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{DenyFinishWithChildren: true}), worker("maker")))
		p.do("root", delegating("maker"), delegating("maker"))
		p.do("root", finish)
		p.wantCodes("root", "agent.finish_pending_tasks")
		p.wantText("root", 0, "maker, maker-002")
	})
	t.Run("results that were never delivered are listed", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
		p.do("root", delegating("maker"))
		p.do("root/maker", returning("unread"))
		p.do("root", finish)
		p.wantRun(journal.Completed, "")
		if got := p.st.Ended.Undelivered; !slices.Equal(got, []string{"maker"}) {
			t.Errorf("undelivered %q", got)
		}
	})
	t.Run("a cancel of the run while it waits wins", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
		p.holds["root/maker"], p.deaf["root/maker"] = true, true
		p.do("root", delegating("maker"))
		p.do("root/maker", peek)
		p.do("root", finish)
		p.take(p.st.CancelRun(Said{By: "user", Text: "enough"}, p.now))
		p.pump()
		p.wantCodes("root", "tool.not_run")
		p.stops("root/maker")
		p.wantRun(journal.Cancelled, "cancelled by user: enough")
	})
}

// task.return, by what it brings.
func TestReturn(t *testing.T) {
	t.Parallel()
	schema := `{"agentId":"maker","task":{"objective":"x","expectedOutput":{"schema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}}}`
	for _, row := range []struct {
		name, task, args string
		code             string
		says             string
		outcome          journal.Outcome
	}{
		{"completed", "", `{"summary":"s"}`, "", "", journal.Completed},
		{"failed", "", `{"summary":"s","status":"failed"}`, "", "", journal.Failed},
		{"a blank summary", "", `{"summary":"  "}`, "tool.invalid_arguments", "summary", ""},
		{"an unknown key", "", `{"summary":"s","taskId":"task_1"}`, "tool.invalid_arguments", "taskId", ""},
		{"an artifact that is not there", "", `{"summary":"s","artifacts":[{"path":"output/none","kind":"report","role":"main"}]}`, "workspace.file_not_found", "artifacts[0]", ""},
		{"an artifact out of sight", "", `{"summary":"s","artifacts":[{"path":"plan/secret","kind":"report","role":"main"}]}`, "workspace.path_not_visible", "artifacts[0]", ""},
		{"an artifact outside", "", `{"summary":"s","artifacts":[{"path":"../x","kind":"report","role":"main"}]}`, "workspace.invalid_path", "artifacts[0]", ""},
		{"an artifact", "", `{"summary":"s","artifacts":[{"path":" ./output/./there","kind":"report","role":"main"}]}`, "", "", journal.Completed},
		{"delegation-10 no result for a schema", schema, `{"summary":"s"}`, "agent.result_schema_mismatch", "the task asks for a result", ""},
		{"delegation-10 a result that does not fit", schema, `{"summary":"s","result":{"n":"one"}}`, "agent.result_schema_mismatch", "n", ""},
		{"a result that fits", schema, `{"summary":"s","result":{"n":1}}`, "", "", journal.Completed},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			maker := worker("maker")
			maker.Roots.Visible, maker.Roots.Writable = []string{"output"}, []string{"output"}
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), maker))
			for _, path := range []string{"output/there", "plan/secret"} {
				p.file(path)
			}
			task := row.task
			if task == "" {
				task = `{"agentId":"maker","task":{"objective":"x"}}`
			}
			p.do("root", swarmtest.Call("agent_delegate", task))
			p.do("root/maker", peek, swarmtest.Call("task_return", row.args))
			if row.code != "" {
				p.wantCodes("root/maker", "", row.code)
				p.wantText("root/maker", 1, row.says)
				p.wantTask("task_1", "running", "", "")
				p.do("root/maker", returning("mended"))
				return
			}
			p.wantCodes("root/maker", "", "")
			p.wantTask("task_1", "ended", row.outcome, "returned")
			want := journal.TTapeMerged
			if row.outcome == journal.Failed {
				want = journal.TTapeDiscarded
			}
			if p.count(want) != 1 {
				t.Errorf("no receipt %s", want)
			}
			if strings.HasPrefix(row.name, "an artifact") && p.st.Tasks["task_1"].Report.Artifacts[0].Path != "output/there" {
				t.Errorf("artifacts %+v", p.st.Tasks["task_1"].Report.Artifacts)
			}
			p.verify()
		})
	}
}

// file makes a file of the workspace, as a call of the root does.
func (p *play) file(path string) {
	p.t.Helper()
	p.do("root", swarmtest.Call("poke", ``))
	p.log = append(p.log, journal.Record{V: 1, Run: testRun, Epoch: 1, Seq: p.st.Seq + 1, Prev: p.st.Seq, At: p.now,
		Scope: journal.Scope{Invocation: "root"}, Payload: &journal.FileChanged{Path: path, Op: "write", New: "h" + path}})
	if err := p.st.Fold(&p.log[len(p.log)-1]); err != nil {
		p.t.Fatal(err)
	}
}

// The ways to end without a good return.
func TestEndWithoutReturn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		end     func(p *play)
		outcome journal.Outcome
		reason  string
		summary string
	}{
		{"delegation-2 text only", func(p *play) {
			for _, s := range []string{"a", "b", "c"} {
				p.say("root/maker", swarmtest.Say(s))
			}
		}, journal.Partial, "ended_without_return", "c"},
		{"delegation-9 the model fails", func(p *play) {
			part := p.parts["root/maker"]
			p.lives["root/maker"].Asking = false
			recs := part.Failed(5, &model.Error{Class: model.ClassOverload, Code: "model.http_529", Detail: "overloaded"})
			p.fold(part, recs)
			p.propose("root/maker", recs, nil)
			p.pump()
		}, journal.Failed, "model.failed", "overloaded"},
		{"budgets-5 rounds", func(p *play) {
			for range 4 {
				p.do("root/maker", peek)
			}
			p.say("root/maker", swarmtest.Say("that far"))
		}, journal.Partial, "budget.rounds", "that far"},
		{"the deadline, with a closing turn", func(p *play) {
			p.advance(time.Hour)
			p.say("root/maker", swarmtest.Say("in time"))
		}, journal.Partial, "budget.time", "in time"},
		{"the deadline, and the closing turn takes too long", func(p *play) {
			p.say("root/maker", swarmtest.Say("before"))
			p.advance(time.Hour + time.Minute)
		}, journal.Partial, "budget.time", "before"},
		{"the deadline, without any text", func(p *play) { p.advance(time.Hour + time.Minute) }, journal.Failed, "budget.time", ""},
		{"delegation-5 killed", func(p *play) {
			delete(p.parts, "root/maker")
			p.take(p.st.ActorEnded(agent.Crash{Path: "root/maker"}, p.now))
			p.pump()
		}, journal.Failed, "stopped_before_return", ""},
		{"its actor fails too often", func(p *play) {
			delete(p.parts, "root/maker")
			p.take(p.st.ActorEnded(agent.Crash{Path: "root/maker", Reason: "broken", Stack: "stack", Incarnation: 4}, p.now))
			p.pump()
		}, journal.Failed, "actor_failed: broken", ""},
		{"cancelled", func(p *play) {
			if answer := p.command(journal.CommandCancelTask, `{"task":"task_1","reason":"no need"}`); answer != journal.Recorded {
				p.t.Error(answer)
			}
			p.pump()
		}, journal.Cancelled, "cancelled by user", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			maker := worker("maker")
			maker.Rounds = 4
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), maker))
			p.do("root", delegating("maker"))
			late := strings.Contains(row.name, "deadline") // an await does not wait that long
			if !late {
				p.do("root", awaitOne)
			}
			row.end(p)
			if late {
				p.do("root", awaitOne)
			}
			p.wantTask("task_1", "ended", row.outcome, row.reason)
			if got := p.st.Tasks["task_1"].Report.Summary; got != row.summary {
				t.Errorf("summary %q, want %q", got, row.summary)
			}
			p.wantCodes("root", "") // the await ends
			p.wantText("root", 0, string(row.outcome))
			p.do("root", finish)
			p.wantRun(journal.Completed, "")
		})
	}
}

// agent.cancel answers when every leaf has stopped.
func TestCancelTasks(t *testing.T) {
	t.Parallel()
	nested := worker("maker")
	nested.Delegation.CanDelegate, nested.Delegation.AllowNested = true, true
	setup := func(t *testing.T) *play {
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{MaxRunning: 2}), nested, worker("leaf")))
		p.do("root", delegating("maker"), delegating("leaf"), delegating("leaf"))
		p.do("root/maker", delegating("leaf"))
		p.holds["root/maker/leaf-003"], p.deaf["root/maker/leaf-003"] = true, true
		p.do("root/maker/leaf-003", peek)
		p.do("root", cancelling("task_1", "task_3"))
		return p
	}
	t.Run("confirmed", func(t *testing.T) {
		t.Parallel()
		p := setup(t)
		p.wantCodes("root", "-")
		p.wantTask("task_3", "ended", journal.Cancelled, "")
		p.wantTask("task_2", "running", "", "")
		p.stops("root/maker/leaf-003")
		p.wantCodes("root", "")
		p.wantText("root", 0, "maker (task_1): cancelled", "leaf-002 (task_3): cancelled")
		p.wantTask("task_4", "ended", journal.Cancelled, "")
		p.wantTask("task_2", "running", "", "")
		p.do("root", cancelling("task_1"), cancelling("task_9"))
		p.wantCodes("root", "", "agent.task_not_found")
		p.do("root", swarmtest.Call("agent_cancel", `{"taskIds":["task_1","task_1"]}`))
		p.wantCodes("root", "tool.invalid_arguments")
		for _, r := range p.log {
			if m, ok := r.Payload.(*journal.TaskEnded); ok && m.Outcome == journal.Failed {
				t.Error("a cancel made a failure record")
			}
		}
		p.do("root/leaf", returning("untouched"))
		p.do("root", finish)
		p.wantRun(journal.Completed, "")
	})
	t.Run("actors-15 a leaf that does not stop is named", func(t *testing.T) {
		t.Parallel()
		p := setup(t)
		p.advance(10*time.Second - time.Nanosecond)
		p.wantCodes("root", "-")
		p.advance(time.Nanosecond)
		p.wantCodes("root", "")
		p.wantTask("task_4", "ended", journal.Unknown, "did not stop within 10s")
		p.wantText("root", 0, "maker (task_1): ")
		if got := p.st.Tasks["task_4"].Survivors; !slices.Equal(got, []string{"root/maker/leaf-003"}) {
			t.Errorf("survivors %q", got)
		}
		p.do("root", finish)
		p.wantRun(journal.Completed, "")
	})
	t.Run("a crash meanwhile", func(t *testing.T) {
		t.Parallel()
		p := setup(t)
		p.deaf["root/maker/leaf-003"] = false
		p.crash()
		p.pump()
		p.wantCodes("root", "")
		p.wantTask("task_1", "ended", journal.Cancelled, "")
		p.wantTask("task_4", "ended", journal.Cancelled, "")
		p.verify()
	})
}

// A cancel of the run, by when it comes.
func TestCancelRun(t *testing.T) {
	t.Parallel()
	t.Run("pairing-4 with children", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{MaxRunning: 1}), worker("maker")))
		p.do("root", delegating("maker"), delegating("maker"))
		p.do("root", awaitAll)
		p.take(p.st.CancelRun(Said{By: "user", Text: "enough"}, p.now))
		p.pump()
		p.wantRun(journal.Cancelled, "cancelled by user: enough")
		p.wantCodes("root", "tool.not_run")
		p.wantTask("task_1", "ended", journal.Cancelled, "")
		p.wantTask("task_2", "ended", journal.Cancelled, "")
	})
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
		p.take(p.st.CancelRun(Said{By: "user"}, p.now))
		if d := p.st.CancelRun(Said{By: "another"}, p.now); len(d.Records) != 0 {
			t.Errorf("recorded twice: %+v", d.Records)
		}
		p.pump()
		p.wantRun(journal.Cancelled, "cancelled by user")
	})
	t.Run("durability-9 after the end", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
		p.do("root", finish)
		if d := p.st.CancelRun(Said{By: "user"}, p.now); len(d.Records) != 0 {
			t.Errorf("records behind the end: %+v", d.Records)
		}
		p.wantRun(journal.Completed, "")
	})
	t.Run("durability-9 before a late success", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
		p.holds["root"], p.deaf["root"] = true, true
		p.do("root", swarmtest.Call("poke", ``))
		key := p.held["root"][0]
		part := p.parts["root"]
		late := part.Done(key, tooling.Result{Content: "poked"}, 0)
		p.take(p.st.CancelRun(Said{By: "user"}, p.now))
		p.advance(time.Minute)
		p.wantRun(journal.Unknown, "did not stop within 10s")
		p.propose("root", late, nil)
		if last := p.log[len(p.log)-1]; last.Type() != journal.TLateEvent || !last.Optional {
			t.Errorf("the last record is %s", last.Type())
		}
		p.wantCodes("root", "tool.outcome_unknown")
		if got := p.st.Ended.UnknownCalls; !slices.Equal(got, []string{key}) {
			t.Errorf("unknown calls %q", got)
		}
		p.verify()
	})
	t.Run("before a crash", func(t *testing.T) {
		t.Parallel()
		p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
		p.do("root", delegating("maker"))
		p.take(p.st.CancelRun(Said{By: "user"}, p.now))
		p.crash()
		p.pump()
		p.wantRun(journal.Cancelled, "cancelled by user")
	})
}

// Late claims change nothing and are kept.
func TestLateEvents(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("maker")))
	p.holds["root/maker"], p.deaf["root/maker"] = true, true
	p.do("root", delegating("maker"))
	p.do("root/maker", peek, peek)
	part := p.parts["root/maker"]
	late := append(part.Done(p.held["root/maker"][0], tooling.Result{Content: "x"}, 0), part.Done(p.held["root/maker"][1], tooling.Fail("tool.failed", "y"), 0)...)
	p.do("root", cancelling("task_1"))
	p.advance(time.Minute)
	p.wantTask("task_1", "ended", journal.Unknown, "")
	n, lost := len(p.log), p.lost
	p.propose("root/maker", late, []agent.Op{{Kind: agent.OpEnd, End: &agent.End{Outcome: journal.Completed}}})
	var claims []string
	for _, r := range p.log[n:] {
		m, ok := r.Payload.(*journal.LateEvent)
		if !ok {
			t.Fatalf("%s was taken", r.Type())
		}
		claims = append(claims, m.Claim+" by "+m.By)
	}
	if !slices.Equal(claims, []string{"completed by root/maker", "failed by root/maker"}) || p.lost != lost+1 {
		t.Errorf("claims %q, lost %d", claims, p.lost-lost)
	}
	p.wantTask("task_1", "ended", journal.Unknown, "")
	p.verify()
}
