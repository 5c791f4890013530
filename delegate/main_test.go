package delegate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testRun = "run_test"

var t0 = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// Calls that many tests make.
var (
	finish   = swarmtest.Call("workspace_finish", `{"reason":"ready"}`)
	peek     = swarmtest.Call("peek", ``)
	awaitOne = swarmtest.Call("agent_await", ``)
	awaitAll = swarmtest.Call("agent_await", `{"mode":"allCompleted"}`)
)

func delegating(id string) model.AnswerCall {
	return swarmtest.Call("agent_delegate", fmt.Sprintf(`{"agentId":%q,"task":{"objective":"do your part"}}`, id))
}

func handing(id, policy string) model.AnswerCall {
	return swarmtest.Call("agent_handoff", fmt.Sprintf(`{"agentId":%q,"handoff":{"objective":"go on"},"pendingTaskPolicy":%q}`, id, policy))
}

func returning(summary string) model.AnswerCall {
	return swarmtest.Call("task_return", fmt.Sprintf(`{"summary":%q}`, summary))
}

func cancelling(ids ...string) model.AnswerCall {
	b, _ := json.Marshal(map[string]any{"taskIds": ids, "reason": "no need"})
	return swarmtest.Call("agent_cancel", string(b))
}

// testEnv makes a team whose first profile is the entry.
func testEnv(t testing.TB, budgets agent.Budgets, profiles ...agent.Profile) *agent.Env {
	t.Helper()
	env := &agent.Env{Team: "test", Entry: profiles[0].ID, Profiles: map[string]*agent.Profile{}, Budgets: budgets.Defaults(), NoHuman: true,
		Models: map[string]agent.Model{"default": {Provider: swarmtest.Script{}, Name: "script"}}}
	for _, p := range profiles {
		p = p.Defaults()
		env.Profiles[p.ID] = &p
		env.Order = append(env.Order, p.ID)
	}
	slices.Sort(env.Order)
	type none struct{}
	say := func(context.Context, none) (string, error) { return "fine", nil }
	look, err := tooling.NewGoTool("peek", "A tool of the test.", say, tooling.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	poke, err := tooling.NewGoTool("poke", "A tool of the test.", say)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := builtin.Collect(builtin.Core(), builtin.FileTools(), []tooling.Tool{builtin.CommitTool(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if env.Catalogue, err = tooling.NewCatalogue(append(tools, look, poke)...); err != nil {
		t.Fatal(err)
	}
	return env
}

func lead(d agent.Delegation) agent.Profile {
	d.CanDelegate = true
	return agent.Profile{ID: "lead", Delegation: d}
}

func worker(id string) agent.Profile {
	return agent.Profile{ID: id, Description: "works as " + id, Delegation: agent.Delegation{Callable: true, AsChild: true}}
}

func owner(id string) agent.Profile {
	return agent.Profile{ID: id, Delegation: agent.Delegation{CanHandoff: true, Callable: true, AsHandoff: true}}
}

func usage(in, out int64) journal.Usage {
	return journal.Usage{Requests: 1, Input: &in, Output: &out}
}
