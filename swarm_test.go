package swarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

func TestMain(m *testing.M) {
	swarm.ShellWorker()
	goleak.VerifyTestMain(m)
}

// testBundle is a runtime on a given store with a script as its model.
type testBundle struct {
	t    *testing.T
	rt   *swarm.Runtime
	reqs *swarmtest.Requests
	team *swarm.Team
}

type setupOptions struct {
	script  model.Provider
	agents  map[string]*agent.Profile
	tools   []swarm.Tool
	store   journal.Store
	budgets agent.Budgets
	shell   config.Shell
	commit  func(context.Context, swarm.Commit) (string, error)
	opts    func(*swarm.Options)
}

func setup(t *testing.T, o setupOptions) *testBundle {
	t.Helper()
	if o.agents == nil {
		o.agents = map[string]*agent.Profile{"root": {}}
	}
	entry := "lead"
	if _, ok := o.agents["root"]; ok {
		entry = "root"
	}
	team := &swarm.Team{Version: 1, Name: "test", Entry: entry, Agents: o.agents, Budgets: o.budgets, Shell: o.shell,
		Models: map[string]config.Model{"default": {Provider: "scripted", Model: "script", Retry: config.Retry{Base: time.Nanosecond}}}}
	b := &testBundle{t: t, reqs: &swarmtest.Requests{}, team: team}
	if o.store == nil {
		o.store = journal.NewMemory(journal.MemoryOptions{})
	}
	opts := swarm.Options{Store: o.store, Tools: o.tools, Providers: map[string]model.Provider{"default": o.script}, Probe: b.reqs, OnCommit: o.commit}
	if o.opts != nil {
		o.opts(&opts)
	}
	rt, err := swarm.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	b.rt = rt
	t.Cleanup(func() { b.close() })
	return b
}

func (b *testBundle) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := b.rt.Close(ctx); err != nil {
		b.t.Errorf("close: %v", err)
	}
}

func (b *testBundle) run(input string) swarm.Result {
	b.t.Helper()
	r, err := b.rt.Start(b.t.Context(), b.team, swarm.Input{Text: input})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.wait(r)
}

func (b *testBundle) wait(r *swarm.Run) swarm.Result {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	res, err := r.Wait(ctx)
	if err != nil {
		b.t.Fatalf("wait: %v\n%s", err, b.dump(r.ID()))
	}
	b.check(res.Run)
	return res
}

// check holds what must be true of every run: valid requests and a sound journal.
func (b *testBundle) check(id string) {
	b.t.Helper()
	for _, f := range b.reqs.Faults() {
		b.t.Errorf("request: %s", f)
	}
	for _, f := range journal.Verify(b.records(id)) {
		b.t.Errorf("journal: %s\n%s", f, b.dump(id))
	}
}

func (b *testBundle) records(id string) []journal.Record {
	b.t.Helper()
	recs, err := b.rt.Store().Read(context.Background(), id, journal.Query{})
	if err != nil {
		b.t.Fatal(err)
	}
	return recs
}

func (b *testBundle) dump(id string) string {
	var s strings.Builder
	for _, r := range b.records(id) {
		body, _ := json.Marshal(r.Payload)
		fmt.Fprintf(&s, "%3d %-22s %v %.300s\n", r.Seq, r.Type(), r.Scope, body)
	}
	return s.String()
}

func TestRunFinishes(t *testing.T) {
	t.Parallel()
	b := setup(t, setupOptions{script: swarmtest.Script{"root": {
		swarmtest.Do(swarmtest.Call("workspace_write_file", `{"path":"output/main.md","content":"hello"}`)),
		swarmtest.Do(swarmtest.Call("workspace_commit", ``)),
		swarmtest.Do(swarmtest.Call("workspace_finish", `{"reason":"ready"}`)),
	}}})
	res := b.run("go")
	if res.Outcome != "completed" || res.Text != "hello" {
		t.Fatalf("got %+v\n%s", res, b.dump(res.Run))
	}
}

func TestDelegation(t *testing.T) {
	t.Parallel()
	b := setup(t, setupOptions{
		agents: map[string]*agent.Profile{
			"lead":   {Delegation: agent.Delegation{CanDelegate: true}},
			"critic": {Delegation: agent.Delegation{Callable: true, AsChild: true}},
		},
		script: swarmtest.Script{
			"lead": {
				swarmtest.Do(swarmtest.Call("agent_delegate", `{"agentId":"critic","task":{"objective":"check it"}}`)),
				swarmtest.Do(swarmtest.Call("agent_await", ``)),
				swarmtest.Do(swarmtest.Call("workspace_finish", `{"reason":"ready"}`)),
			},
			"critic": {
				swarmtest.Do(swarmtest.Call("workspace_list_files", ``)),
				swarmtest.Do(swarmtest.Call("task_return", `{"summary":"all fine"}`)),
			},
		}})
	res := b.run("go")
	if res.Outcome != "completed" {
		t.Fatalf("got %+v\n%s", res, b.dump(res.Run))
	}
}
