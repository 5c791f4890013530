package supervision

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come. It is a guard, not a measure.
const patience = time.Minute

// Calls that many tests make.
var (
	finish   = swarmtest.Call("workspace_finish", `{"reason":"ready"}`)
	poke     = swarmtest.Call("poke", ``)
	peek     = swarmtest.Call("peek", ``)
	awaitAll = swarmtest.Call("agent_await", `{"mode":"allCompleted"}`)
	hand     = swarmtest.Call("agent_handoff", `{"agentId":"boss","handoff":{"objective":"go on"}}`)
	deleg    = swarmtest.Call("agent_delegate", `{"agentId":"maker","task":{"objective":"do it"}}`)
	ret      = swarmtest.Call("task_return", `{"summary":"done"}`)
	write    = swarmtest.Call("workspace_write_file", `{"path":"output/main.md","content":"hello"}`)
	publish  = swarmtest.Call("workspace_commit", ``)
)

// whole is a run with a child, a handoff, a commit and effects.
func whole() swarmtest.Script {
	return swarmtest.Script{
		"lead":  {swarmtest.Do(deleg, poke), swarmtest.Do(awaitAll, peek), swarmtest.Do(write), swarmtest.Do(hand)},
		"maker": {swarmtest.Do(peek, poke), swarmtest.Do(ret)},
		"boss":  {swarmtest.Do(publish), swarmtest.Do(finish)},
	}
}

type none struct{}

func goTool(t testing.TB, name string, fn func(context.Context, none) (string, error), options ...tooling.GoOption) tooling.Tool {
	t.Helper()
	tool, err := tooling.NewGoTool(name, "A tool of the test.", fn, options...)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// kit is a supervisor of runs with a team.
type kit struct {
	*Runs
	t     *testing.T
	sys   *actors.System
	env   *agent.Env
	store journal.Store
	reqs  *swarmtest.Requests
	pokes map[string]*atomic.Int32 // executions by call key
	mu    sync.Mutex
}

// newKit makes one. more are tools beside poke (a write) and peek (a read).
func newKit(t *testing.T, o actors.Options, store journal.Store, provider model.Provider, more ...tooling.Tool) *kit {
	t.Helper()
	k := &kit{t: t, store: store, reqs: &swarmtest.Requests{}, pokes: map[string]*atomic.Int32{}}
	k.env = &agent.Env{Team: "test", Entry: "lead", Profiles: map[string]*agent.Profile{}, Budgets: agent.Budgets{}.Defaults(), NoHuman: true,
		Models: map[string]agent.Model{"default": {Provider: provider, Name: "script", Retry: agent.Retry{Base: 1}}}}
	for _, p := range []agent.Profile{
		{ID: "lead", Delegation: agent.Delegation{CanDelegate: true, CanHandoff: true}},
		{ID: "maker", Delegation: agent.Delegation{Callable: true, AsChild: true}},
		{ID: "boss", Delegation: agent.Delegation{Callable: true, AsHandoff: true}},
	} {
		p := p.Defaults()
		k.env.Profiles[p.ID], k.env.Order = &p, append(k.env.Order, p.ID)
	}
	slices.Sort(k.env.Order)
	poke := goTool(t, "poke", func(context.Context, none) (string, error) { return "", nil })
	poke.Handle = func(_ context.Context, c *tooling.Call) tooling.Result {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.pokes[c.Key] == nil {
			k.pokes[c.Key] = new(atomic.Int32)
		}
		k.pokes[c.Key].Add(1)
		return tooling.Result{Content: "poked"}
	}
	tools, err := builtin.Collect(builtin.Core(), builtin.FileTools(), []tooling.Tool{builtin.CommitTool(nil)})
	if err != nil {
		t.Fatal(err)
	}
	tools = append(tools, poke, goTool(t, "peek", func(context.Context, none) (string, error) { return "peeked", nil }, tooling.ReadOnly()))
	if k.env.Catalogue, err = tooling.NewCatalogue(append(tools, more...)...); err != nil {
		t.Fatal(err)
	}
	k.sys = actors.New(o)
	if k.Runs, err = Open(k.sys, store); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.close)
	return k
}

func (k *kit) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if left := k.sys.Shutdown(ctx); len(left) > 0 {
		k.t.Errorf("survivors: %+v", left)
	}
	for _, f := range k.reqs.Faults() {
		k.t.Errorf("request: %s", f)
	}
}

// config is that of a run, new or not.
func (k *kit) config(id string) Config {
	k.t.Helper()
	epoch, err := k.store.Acquire(context.Background(), id, true)
	if err != nil {
		k.t.Fatal(err)
	}
	cfg := Config{ID: id, Env: k.env, Epoch: epoch, Started: &journal.RunStarted{Host: "test"}, Input: "go", Handle: NewHandle(id), Rand: func(int) int { return 0 }, Probe: k.reqs}
	if _, err := k.store.Summary(context.Background(), id); err != nil || len(k.records(id)) == 0 {
		cfg.Created = &journal.RunCreated{Name: "test"}
	}
	return cfg
}

// start begins a run, or resumes it.
func (k *kit) start(id string) *Handle {
	k.t.Helper()
	cfg := k.config(id)
	if err := k.Start(k.t.Context(), cfg); err != nil {
		k.t.Fatal(err)
	}
	return cfg.Handle
}

func (k *kit) wait(h *Handle) Result {
	k.t.Helper()
	select {
	case <-h.Done():
		return h.Result()
	case <-time.After(patience):
		k.t.Fatalf("the run does not rest: %+v\n%s", k.sys.Tree(), k.dump(h.ID))
		panic("unreachable")
	}
}

func (k *kit) records(id string) []journal.Record {
	k.t.Helper()
	recs, err := k.store.Read(context.Background(), id, journal.Query{})
	if err != nil {
		return nil
	}
	return recs
}

func (k *kit) count(id string, typ journal.Type) (n int) {
	for _, r := range k.records(id) {
		if r.Type() == typ {
			n++
		}
	}
	return n
}

// want checks how a run came to rest, its journal, and that no write ran twice.
func (k *kit) want(h *Handle, outcome, reason string) Result {
	k.t.Helper()
	res := k.wait(h)
	if res.Outcome != outcome || !strings.Contains(res.Reason, reason) {
		k.t.Errorf("got %+v, want %s, %s\n%s", res, outcome, reason, k.dump(h.ID))
	}
	k.verify(h.ID)
	return res
}

func (k *kit) verify(id string) {
	k.t.Helper()
	for _, f := range journal.Verify(k.records(id)) {
		k.t.Errorf("journal: %s\n%s", f, k.dump(id))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, n := range k.pokes {
		if n.Load() > 1 {
			k.t.Errorf("call %s ran %d times", key, n.Load())
		}
	}
}

func (k *kit) dump(id string) string {
	var b strings.Builder
	for _, r := range k.records(id) {
		fmt.Fprintf(&b, "%3d e%d %-22s %v %.200v\n", r.Seq, r.Epoch, r.Type(), r.Scope, r.Payload)
	}
	return b.String()
}

// stage is a kit that runs on the goroutine of the test, on a clock that stands, with a
// store that appends at once. Effects can be kept from ending.
type stage struct {
	*kit
	clock *swarmtest.Clock
	hold  bool
	held  []func()
}

func newStage(t *testing.T, store journal.Store, provider model.Provider, more ...tooling.Tool) *stage {
	t.Helper()
	s := &stage{clock: swarmtest.NewClock()}
	if store == nil {
		store = journal.NewMemory(journal.MemoryOptions{RoundTrip: true, Clock: s.clock.Now})
	}
	s.kit = newKit(t, actors.Options{Clock: s.clock, Scheduler: actors.SyncScheduler(), Rand: func() float64 { return 0 }, Go: func(f func()) {
		if s.hold {
			s.held = append(s.held, f)
			return
		}
		f()
	}}, store, provider, more...)
	t.Cleanup(s.letGo) // before the shutdown
	return s
}

// letGo lets the effects that were kept end.
func (s *stage) letGo() {
	s.hold = false
	for len(s.held) > 0 {
		f := s.held[0]
		s.held = s.held[1:]
		f()
	}
}

// holding makes a script after whose answer of an agent's turn effects are kept.
func (s *stage) holding(script swarmtest.Script, id string, turn int) model.Provider {
	return model.Func(func(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
		if req.Agent == id && req.Turn == turn {
			s.hold = true
		}
		return script.Answer(ctx, req, p)
	})
}

// said posts a command to a run of the stage, tells its actor, and gives what it says of it.
func (s *stage) said(h *Handle, kind, payload string) (answer string, taken bool) {
	s.t.Helper()
	cmd := journal.Command{Run: h.ID, Kind: kind, Payload: payload, By: "user"}
	var err error
	if cmd.ID, err = s.store.Post(context.Background(), h.ID, cmd); err != nil {
		s.t.Fatal(err)
	}
	return s.told(h, cmd)
}

// told tells the actor of a run of a command that is stored.
func (s *stage) told(h *Handle, cmd journal.Command) (answer string, taken bool) {
	heard := h.Expect(cmd.ID)
	defer h.Forget(cmd.ID)
	s.Apply(cmd)
	select {
	case answer = <-heard:
		return answer, true
	default: // the stage runs on this goroutine: what is not there does not come by itself
		return "", false
	}
}

// answers gives the answers to the commands of a run as they are stored.
func (s *stage) answers(id string) (out []string) {
	s.t.Helper()
	cmds, err := s.store.Commands(context.Background(), id, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range cmds {
		out = append(out, c.Answer)
	}
	return out
}

// odd is a store that misbehaves at chosen appends.
type odd struct {
	*journal.Memory
	n     atomic.Int32
	panic func(n int, b *journal.Batch) (before, after bool)
}

// AppendNow implements [journal.Immediate].
func (o *odd) AppendNow(b *journal.Batch) error {
	n := int(o.n.Add(1))
	before, after := false, false
	if o.panic != nil {
		before, after = o.panic(n, b)
	}
	if before {
		panic("the store broke")
	}
	err := o.Memory.AppendNow(b)
	if after {
		panic("the store broke")
	}
	return err
}

// withProvider gives the model of a stage that was made before its script.
func withProvider(s *stage, p model.Provider) agent.Model {
	m := s.env.Models["default"]
	m.Provider = p
	return m
}
