package delegate

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// improvise lets random things happen, and then lets the run end.
func (p *play) improvise(r *rand.Rand, steps int) {
	p.t.Helper()
	for range steps {
		if p.over {
			return
		}
		p.event(r)
		p.pump()
	}
	// Nobody interferes any more: every model ends its work, every effect ends, time goes on.
	for range 2000 {
		if p.over {
			return
		}
		p.deaf, p.holds = map[string]bool{}, map[string]bool{}
		switch path := p.anyAsking(r); {
		case path != "":
			end := finish
			if p.parts[path].Kind == "child" {
				end = returning("done at last")
			}
			p.do(path, end)
		case p.endEffect(r):
			p.pump()
		default:
			name, due := p.nextTimer()
			if name == "" {
				p.t.Fatalf("nothing is left to happen, and the run has not ended\n%s", p.dump())
			}
			p.advance(due.Sub(p.now))
		}
	}
	p.t.Fatalf("the run does not end\n%s", p.dump())
}

func (p *play) anyAsking(r *rand.Rand) string {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(p.asking)) {
		if p.asking[path] && p.parts[path] != nil {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return paths[r.IntN(len(paths))]
}

func (p *play) endEffect(r *rand.Rand) bool {
	for _, path := range slices.Sorted(maps.Keys(p.held)) {
		if keys := p.held[path]; len(keys) > 0 {
			res := tooling.Result{Content: "fine"}
			if r.IntN(3) == 0 {
				res = tooling.Fail("tool.failed", "not fine")
			}
			p.done(path, keys[r.IntN(len(keys))], res)
			return true
		}
	}
	return false
}

// event lets one random thing happen.
func (p *play) event(r *rand.Rand) {
	switch r.IntN(14) {
	case 0:
		p.endEffect(r)
	case 1:
		if name, due := p.nextTimer(); name != "" && r.IntN(3) == 0 {
			p.advance(due.Sub(p.now))
		}
	case 2:
		switch n := len(p.st.TaskIDs); {
		case r.IntN(2) == 0:
			p.command(journal.CommandSay, fmt.Sprint("hint ", r.IntN(100)))
		case n > 0:
			p.command(journal.CommandCancelTask, fmt.Sprintf(`{"task":%q,"reason":"no need"}`, p.st.TaskIDs[r.IntN(n)]))
		}
		if p.said > 0 && r.IntN(4) == 0 { // one comes a second time
			p.again(1+r.Int64N(p.said), journal.CommandSay, "again")
		}
	case 3:
		switch r.IntN(8) {
		case 0:
			p.crash()
		case 1:
			p.take(p.st.CancelRun(Said{By: "user", Text: "enough"}, p.now))
		case 2, 3:
			if live := p.st.Live(); len(live) > 0 {
				if path := live[r.IntN(len(live))]; p.parts[path] != nil {
					p.fail(path)
				}
			}
		case 4:
			if live := p.st.Live(); len(live) > 0 {
				path := live[r.IntN(len(live))]
				delete(p.parts, path)
				p.take(p.st.ActorEnded(agent.Crash{Path: path, Reason: "broken", Incarnation: 4}, p.now))
			}
		}
	default:
		if path := p.anyAsking(r); path != "" {
			p.holds[path], p.deaf[path] = r.IntN(3) == 0, r.IntN(6) == 0
			p.reply(path, randomTurn(r))
		}
	}
}

func randomTurn(r *rand.Rand) swarmtest.Turn {
	if r.IntN(12) == 0 {
		return swarmtest.Say("thinking")
	}
	var t swarmtest.Turn
	for range 1 + r.IntN(3) {
		t.Calls = append(t.Calls, randomCall(r))
	}
	if r.IntN(20) == 0 {
		t.Finish = model.FinishLength
	}
	return t
}

func randomCall(r *rand.Rand) model.AnswerCall {
	ids := []string{"lead", "mid", "leaf", "boss", "nobody"}
	task := fmt.Sprint("task_", 1+r.IntN(5))
	switch r.IntN(14) {
	case 0, 1, 2, 3:
		return delegating(ids[r.IntN(len(ids))])
	case 4, 5:
		return swarmtest.Call("agent_await", fmt.Sprintf(`{"mode":%q,"timeoutMs":%d}`, []string{"nextCompleted", "allCompleted", "statusOnly"}[r.IntN(3)], r.IntN(3)*60_000))
	case 6:
		return swarmtest.Call("agent_await", fmt.Sprintf(`{"taskIds":[%q]}`, task))
	case 7:
		return cancelling(task)
	case 8:
		return handing(ids[r.IntN(len(ids))], []string{"denyIfPending", "cancelPending"}[r.IntN(2)])
	case 9:
		return returning("done")
	case 10:
		return finish
	case 11:
		return swarmtest.Call("agent_read_result", fmt.Sprintf(`{"taskId":%q}`, task))
	case 12:
		return swarmtest.Call("poke", ``)
	}
	return peek
}

// facts is what two folds of the same records must agree on: everything that is no wait.
func facts(t testing.TB, s *State) string {
	t.Helper()
	type inv struct {
		Inv
		Open            []string
		Queue           []string
		Slots           int
		Closing         bool
		Created, Active time.Time
		Halting         bool // shadows what is no fact
		Calls           any
	}
	out := map[string]any{}
	for path, i := range s.Inv {
		v := inv{Inv: *i, Queue: append([]string{}, i.queue...), Slots: i.slots, Closing: i.closing, Created: i.created, Active: i.active}
		for _, c := range i.Calls {
			v.Open = append(v.Open, fmt.Sprintf("%+v", c))
		}
		out["inv "+path] = v
	}
	for id, task := range s.Tasks {
		out["task "+id] = task
	}
	out["state"] = []any{s.Seq, s.Epoch, s.Status, s.Owner, s.Order, s.TaskIDs, s.Usage, s.Ended, s.Created, s.commits, s.nCommits, s.unknown,
		s.chain, s.chainText(), s.slots, s.rounds, s.calls, s.cancel, s.queued, s.keys, fmt.Sprint(s.pairs), s.guidance, s.guided, s.applied}
	b, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func randomTeam(t testing.TB, r *rand.Rand) *agent.Env {
	mid := worker("mid")
	mid.Delegation = agent.Delegation{CanDelegate: true, AllowNested: true, Callable: true, AsChild: true, MaxRunning: 1 + r.IntN(2)}
	boss := owner("boss")
	boss.Delegation.CanDelegate, boss.Delegation.AsChild = true, true
	l := lead(agent.Delegation{CanHandoff: true, AllowSelf: true, MaxRunning: 1 + r.IntN(3), DenyFinishWithChildren: r.IntN(3) == 0})
	l.Delegation.Callable, l.Delegation.AsHandoff = true, true
	budgets := agent.Budgets{Agents: 14, AgentsRunning: 2 + r.IntN(5)}
	if r.IntN(3) == 0 {
		budgets.Rounds = 5 + r.IntN(20)
	}
	if r.IntN(3) == 0 {
		budgets.Calls = 5 + r.IntN(30)
	}
	return testEnv(t, budgets, l, mid, worker("leaf"), boss)
}

// Whatever is proposed in whatever order: the journal keeps its rules, the state is the
// fold of its records, and the run ends.
func TestDecisionsAreAFold(t *testing.T) {
	t.Parallel()
	seeds := 150
	if testing.Short() {
		seeds = 50
	}
	for seed := range seeds {
		checkDecisions(t, uint64(seed))
	}
}

func FuzzDecisions(f *testing.F) {
	for _, seed := range []uint64{1, 2, 3, 1000} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { checkDecisions(t, seed) })
}

func checkDecisions(t testing.TB, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	p := newPlay(t, randomTeam(t, r))
	again, at, sample := NewState(p.env, testRun), 0, rand.New(rand.NewPCG(seed, 4))
	again.Epoch = 1
	p.each = func() {
		for ; at < len(p.log); at++ {
			if err := again.Fold(&p.log[at]); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if p.st.Seq != again.Seq || sample.IntN(4) > 0 {
			return // in the middle of a decision, or a comparison too many
		}
		if a, b := facts(t, p.st), facts(t, again); a != b {
			t.Fatalf("seed %d, after record %d:\n%s\nfolded:\n%s", seed, at, a, b)
		}
	}
	p.improvise(r, 80)
	for _, f := range journal.Verify(p.log) {
		t.Fatalf("seed %d: %s\n%s", seed, f, p.dump())
	}
	checkUsage(t, p)
	checkTasks(t, p)
	checkGuidance(t, p)
	if t.Failed() {
		t.Fatalf("seed %d\n%s", seed, p.dump())
	}
}

// checkUsage: budgets-6, the run's total is the sum over its records and over its invocations.
func checkUsage(t testing.TB, p *play) {
	t.Helper()
	var records, invocations journal.Usage
	for _, r := range p.log {
		if m, ok := r.Payload.(*journal.ModelAnswered); ok {
			agent.AddUsage(&records, m.Usage)
		}
	}
	for _, path := range p.st.Order {
		agent.AddUsage(&invocations, p.st.Inv[path].Usage)
	}
	a, b, c := tell(records), tell(invocations), tell(p.st.Ended.Usage)
	if a != b || b != c {
		t.Errorf("budgets-6: records %s, invocations %s, run %s", a, b, c)
	}
}

func tell(u journal.Usage) string {
	b, _ := json.Marshal(u)
	return string(b)
}

// checkTasks: a task has one end, and its tape one receipt.
func checkTasks(t testing.TB, p *play) {
	t.Helper()
	receipts := map[string]int{}
	for _, r := range p.log {
		switch r.Type() {
		case journal.TTapeMerged, journal.TTapeDiscarded:
			receipts[r.Scope.Task]++
		}
	}
	for id, task := range p.st.Tasks {
		if task.State != "ended" || task.Outcome == "" {
			t.Errorf("%s is %s %s", id, task.State, task.Outcome)
		}
		want := 0
		if task.Kind == kindReturn && task.Inv != "" {
			want = 1
		}
		if receipts[id] != want {
			t.Errorf("%s has %d receipts, want %d", id, receipts[id], want)
		}
	}
}
