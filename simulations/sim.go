package simulations

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sort"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/supervision"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
)

// Options of one simulated run.
type Options struct {
	Seed    uint64
	Crashes int  // how often the store dies before the run is let through
	Cancel  bool // somebody cancels the run at a random moment
	Window  int  // tokens of the model's window; 0: nobody knows it
	Says    int  // how many commands are given at random moments: guidance, cancels of tasks, pauses
}

// Report is what a simulated run left behind.
type Report struct {
	Records []journal.Record
	Result  supervision.Result
	Faults  []string       // what must not be, see Run
	Effects map[string]int // executions of the writing tool, by call key
	Appends int
	Answers []string // to the commands, in order
}

const runID = "run_sim"

// Run runs one team whose every choice follows from the seed. Faults says which
// invariant did not hold: requests that a strict provider refuses, a journal that breaks
// its rules, an effect that ran twice, a run that did not end.
func Run(o Options) Report {
	rng := rand.New(rand.NewPCG(o.Seed, 7))
	s := &sim{o: o, rng: rng, effects: map[string]int{}, reqs: &swarmtest.Requests{}}
	s.team = s.env()
	mem := journal.NewMemory(journal.MemoryOptions{RoundTrip: true, Clock: func() time.Time { return time.Unix(0, 0) }})
	defer mem.Close()
	rep := Report{Effects: s.effects}
	for life := 0; ; life++ {
		at := 0
		if life < o.Crashes {
			at = 1 + rng.IntN(14)
		}
		res, appends := s.life(mem, life, at)
		rep.Appends += appends
		if res != nil {
			rep.Result = *res
		}
		if res != nil && res.Outcome == "paused" && life < 20 {
			continue // somebody resumes it
		}
		if life >= o.Crashes || (res != nil && res.Err == nil) {
			break
		}
	}
	rep.Records, _ = mem.Read(context.Background(), runID, journal.Query{})
	for _, f := range journal.Verify(rep.Records) {
		rep.Faults = append(rep.Faults, "journal: "+f.String())
	}
	for _, f := range s.reqs.Faults() {
		rep.Faults = append(rep.Faults, "request: "+f)
	}
	last := mem.Reopen()
	defer last.Close()
	commands, _ := last.Commands(context.Background(), runID, 0)
	rep.Faults = append(rep.Faults, commandFaults(rep.Records, commands)...)
	for _, c := range commands {
		rep.Answers = append(rep.Answers, c.Answer)
	}
	rep.Faults = append(rep.Faults, s.faults...)
	for k, n := range s.effects {
		if n > 1 {
			rep.Faults = append(rep.Faults, fmt.Sprintf("effect %s ran %d times", k, n))
		}
	}
	sort.Strings(rep.Faults)
	if n := len(rep.Records); n == 0 || rep.Records[n-1].Type() != journal.TRunEnded && rep.Records[n-1].Type() != journal.TLateEvent {
		rep.Faults = append(rep.Faults, fmt.Sprintf("the run did not end: %+v", rep.Result))
	}
	return rep
}

type sim struct {
	o       Options
	rng     *rand.Rand
	effects map[string]int
	reqs    *swarmtest.Requests
	faults  []string
	team    *agent.Env
	said    int    // commands so far
	say     func() // gives the run of this life a command, now and then
}

// life is one process: it begins the run or resumes it, and ends when the run rests or
// the store has died.
func (s *sim) life(mem *journal.Memory, n, crashAt int) (*supervision.Result, int) {
	ctx := context.Background()
	store := mem.Reopen()
	defer store.Close()
	crash := swarmtest.NewCrash(store, crashAt, s.rng.IntN(2) == 0)
	sched := actors.NewSeededScheduler(s.o.Seed<<8 + uint64(n))
	clock := actors.NewManualClock(time.Unix(1_700_000_000, 0).Add(time.Duration(n) * time.Hour))
	sys := actors.New(actors.Options{Clock: clock, Scheduler: sched, Go: sched.Schedule, Rand: rand.New(rand.NewPCG(s.o.Seed, 3)).Float64})
	runs, err := supervision.Open(sys, crash)
	if err != nil {
		s.faults = append(s.faults, err.Error())
		return nil, 0
	}
	epoch, err := crash.Acquire(ctx, runID, true)
	if err != nil {
		s.faults = append(s.faults, err.Error())
		return nil, 0
	}
	h := supervision.NewHandle(runID)
	cfg := supervision.Config{ID: runID, Env: s.team, Epoch: epoch, Started: &journal.RunStarted{Host: "sim", Process: n}, Input: "go", Handle: h,
		Rand: s.rng.IntN, Probe: s.reqs}
	if recs, _ := crash.Read(ctx, runID, journal.Query{To: 1}); len(recs) == 0 {
		cfg.Created = &journal.RunCreated{Name: "sim"}
	}
	s.say = func() { s.saying(sched, crash, runs) }
	runs.Begin(cfg)
	cancelAt := -1
	if s.o.Cancel {
		cancelAt = s.rng.IntN(12)
	}
	var res *supervision.Result
	for step := 0; step < 4000; step++ {
		if step == cancelAt {
			runs.Signal(runID, "user", "enough")
		}
		s.say()
		sched.Run()
		select {
		case <-h.Done():
			r := h.Result()
			res = &r
		default:
		}
		if res != nil {
			break
		}
		clock.Advance(time.Duration(1+s.rng.IntN(2000)) * time.Millisecond)
	}
	if res == nil {
		s.faults = append(s.faults, fmt.Sprintf("life %d did not come to rest: %+v", n, sys.Tree()))
	}
	// The rest of the process ends as the scheduler lets it.
	done := make(chan struct{})
	go func() { sys.Shutdown(ctx); close(done) }()
	for {
		sched.Run()
		select {
		case <-done:
			return res, crash.Appends()
		default:
			runtime.Gosched()
			clock.Advance(time.Second)
		}
	}
}

// env is the team: a lead that delegates and hands over, children that may delegate on.
func (s *sim) env() *agent.Env {
	env := &agent.Env{Team: "sim", Entry: "lead", Profiles: map[string]*agent.Profile{}, Budgets: agent.Budgets{Agents: 14, AgentsRunning: 4, Depth: 3},
		Models: map[string]agent.Model{"default": {Provider: model.Func(s.answer), Kind: "sim", Name: "sim", Window: s.o.Window}}}
	env.Budgets = env.Budgets.Defaults()
	add := func(id string, d agent.Delegation, rounds int) {
		p := agent.Profile{ID: id, Delegation: d, Rounds: rounds, MaxCalls: 20}.Defaults()
		p.Delegation.StopGrace = 5 * time.Second
		p.Delegation.TaskDeadline = 40 * time.Second
		env.Profiles[id] = &p
		env.Order = append(env.Order, id)
	}
	add("lead", agent.Delegation{CanDelegate: true, CanHandoff: true, MaxRunning: 2}, 14)
	add("maker", agent.Delegation{CanDelegate: true, AllowNested: true, Callable: true, AsChild: true, MaxRunning: 1}, 8)
	add("second", agent.Delegation{CanDelegate: true, CanHandoff: true, Callable: true, AsHandoff: true, AsChild: true}, 10)
	add("worker", agent.Delegation{Callable: true, AsChild: true}, 6)
	poke, err := tooling.NewGoTool("poke", "An effect that cannot be repeated.", func(_ context.Context, in struct {
		How string `json:"how"`
	}) (string, error) {
		if in.How == "panic" {
			panic("poked")
		}
		return "poked", nil
	})
	if err != nil {
		panic(err)
	}
	inner := poke.Handle
	poke.Handle = func(ctx context.Context, c *tooling.Call) tooling.Result {
		s.effects[c.Key]++
		return inner(ctx, c)
	}
	tools, err := builtin.Collect(builtin.Core(), builtin.FileTools(), []tooling.Tool{builtin.CommitTool(nil)})
	if err != nil {
		panic(err)
	}
	if env.Catalogue, err = tooling.NewCatalogue(append(tools, poke)...); err != nil {
		panic(err)
	}
	return env
}

// answer is the model: what it says follows from seed, path and turn alone, so that a
// repeated request gets the same answer.
func (s *sim) answer(_ context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
	s.say()
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s/%d", s.o.Seed, req.Path, req.Turn)
	r := rand.New(rand.NewPCG(h.Sum64(), 11))
	if s.o.Window > 0 {
		if often := r.IntN(25); often == 0 || often == 1 && req.Attempt < 2 {
			return nil, &model.Error{Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "the prompt is too long"}
		}
		if strings.HasSuffix(req.Agent, "#summary") && r.IntN(3) > 0 {
			return &model.Answer{Text: "what was done so far", Finish: model.FinishStop}, nil
		}
	}
	if req.Choice.Mode == "none" {
		return &model.Answer{Text: "what is known", Finish: model.FinishStop}, nil
	}
	if r.IntN(12) == 0 && req.Attempt < 2 {
		return nil, &model.Error{Class: model.ClassTransient, Code: "model.http_500", Detail: "try again"}
	}
	if r.IntN(60) == 0 {
		return nil, &model.Error{Class: model.ClassPermanent, Code: "model.http_400", Detail: "no"}
	}
	a := &model.Answer{Finish: model.FinishCalls}
	if r.IntN(10) == 0 {
		a.Text, a.Finish = "thinking aloud", model.FinishStop
		return a, nil
	}
	if r.IntN(30) == 0 {
		a.Finish = model.FinishLength
	}
	names := map[string]bool{}
	for _, t := range req.Tools {
		names[t.Name] = true
	}
	for range 1 + r.IntN(4) {
		name, args := choose(r)
		if names[name] || r.IntN(20) == 0 {
			a.Calls = append(a.Calls, model.AnswerCall{Name: name, Args: json.RawMessage(args)})
		}
	}
	if req.Turn > 2 && r.IntN(3) == 0 || len(a.Calls) == 0 {
		for _, end := range []string{"task_return", "workspace_finish"} {
			if names[end] {
				args := `{"reason":"done"}`
				if end == "task_return" {
					args = `{"summary":"done"}`
				}
				a.Calls = append(a.Calls, model.AnswerCall{Name: end, Args: json.RawMessage(args)})
			}
		}
	}
	return a, nil
}

func choose(r *rand.Rand) (name, args string) {
	file := fmt.Sprintf("output/f%d.md", r.IntN(3))
	switch r.IntN(13) {
	case 0:
		return "workspace_write_file", fmt.Sprintf(`{"path":%q,"content":"v%d"}`, file, r.IntN(100))
	case 1:
		return "workspace_write_file", fmt.Sprintf(`{"path":%q,"content":"+","mode":"append"}`, file)
	case 2:
		return "workspace_read_file", fmt.Sprintf(`{"path":%q}`, file)
	case 3:
		return "workspace_list_files", ""
	case 4:
		return "poke", `{"how":"well"}`
	case 5:
		return "poke", `{"how":"panic"}`
	case 6, 7, 8:
		return "agent_delegate", fmt.Sprintf(`{"agentId":%q,"task":{"objective":"do a part"}}`, []string{"maker", "worker", "second", "nobody"}[r.IntN(4)])
	case 9:
		return "agent_await", fmt.Sprintf(`{"mode":%q,"timeoutMs":%d}`, []string{"nextCompleted", "allCompleted", "statusOnly"}[r.IntN(3)], r.IntN(20000))
	case 10:
		return "agent_cancel", fmt.Sprintf(`{"taskIds":["task_%d"]}`, 1+r.IntN(4))
	case 11:
		return "agent_handoff", fmt.Sprintf(`{"agentId":"second","handoff":{"objective":"go on"},"pendingTaskPolicy":%q}`, []string{"denyIfPending", "cancelPending"}[r.IntN(2)])
	}
	return "workspace_commit", fmt.Sprintf(`{"path":%q}`, file)
}
