package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testRun = "run_test"

// Calls that many tests make.
var (
	finishing1 = swarmtest.Call("workspace_finish", `{"reason":"ready"}`)
	listing    = swarmtest.Call("workspace_list_files", ``)
	poking     = swarmtest.Call("poke", ``)
	peeking    = swarmtest.Call("peek", ``)
	handing    = swarmtest.Call("agent_handoff", `{"agentId":"second","handoff":{"objective":"go on"}}`)
	awaiting   = swarmtest.Call("agent_await", ``)
	returning1 = swarmtest.Call("task_return", `{"summary":"done"}`)
)

type nothing struct{}

// goTool makes a tool of the test.
func goTool(t testing.TB, name string, fn func(context.Context, nothing) (string, error), options ...tooling.GoOption) tooling.Tool {
	t.Helper()
	tool, err := tooling.NewGoTool(name, "A tool of the test.", fn, options...)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func say(text string) func(context.Context, nothing) (string, error) {
	return func(context.Context, nothing) (string, error) { return text, nil }
}

// testEnv makes a team of a lead that may do everything, a worker and a second owner.
// change may alter the lead.
func testEnv(t testing.TB, change func(p *Profile), more ...tooling.Tool) *Env {
	t.Helper()
	env := &Env{Team: "test", Entry: "root", Profiles: map[string]*Profile{}, Budgets: Budgets{}.Defaults(), NoHuman: true,
		Models: map[string]Model{"default": {Provider: swarmtest.Script{}, Kind: "script", Name: "script"}}}
	lead := Profile{ID: "root", Delegation: Delegation{CanDelegate: true, CanHandoff: true}}
	if change != nil {
		change(&lead)
	}
	for _, p := range []Profile{lead,
		{ID: "second", Delegation: Delegation{CanHandoff: true, Callable: true, AsHandoff: true}},
		{ID: "worker", Delegation: Delegation{Callable: true, AsChild: true}},
	} {
		p := p.Defaults()
		env.Profiles[p.ID] = &p
		env.Order = append(env.Order, p.ID)
	}
	tools, err := builtin.Collect(builtin.Core(), builtin.FileTools(), []tooling.Tool{builtin.CommitTool(nil)})
	if err != nil {
		t.Fatal(err)
	}
	tools = append(tools,
		goTool(t, "poke", say("poked")),
		goTool(t, "peek", say("peeked"), tooling.ReadOnly()),
		goTool(t, "again", say("done again"), tooling.Idempotent()))
	if env.Catalogue, err = tooling.NewCatalogue(append(tools, more...)...); err != nil {
		t.Fatal(err)
	}
	return env
}

// driver plays the run and the actors of one invocation, one append at a time.
type driver struct {
	t      testing.TB
	env    *Env
	part   *Part
	live   Live
	log    []journal.Record
	bounds []int // lengths of log at which an append ended

	appended func()                                    // called after each append; may be nil
	summary  func(req *model.Request) []journal.Record // what becomes of a request for a summary; nil: none goes out
	reports  func() journal.Usage                      // usage of an answer; nil: none is reported
}

func newDriver(t testing.TB, env *Env, b Birth) *driver {
	t.Helper()
	m, err := env.Invocation(b)
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, env: env, part: NewPart(env, testRun)}
	d.append(journal.Record{Scope: journal.Scope{Invocation: b.Path, Task: b.Task}, Payload: m})
	return d
}

func rootDriver(t testing.TB, change func(p *Profile), more ...tooling.Tool) *driver {
	t.Helper()
	return newDriver(t, testEnv(t, change, more...), Birth{Kind: "root", Profile: "root", Path: "root", Brief: "do it"})
}

func childDriver(t testing.TB) *driver {
	t.Helper()
	return newDriver(t, testEnv(t, nil), Birth{Kind: "child", Profile: "worker", Path: "root/worker", Parent: "root", Task: "task_1", Depth: 1, Brief: "do it"})
}

// append folds records as one append does.
func (d *driver) append(recs ...journal.Record) {
	d.t.Helper()
	if len(recs) == 0 {
		return
	}
	for i := range recs {
		if err := d.part.Fold(&recs[i]); err != nil {
			d.t.Fatal(err)
		}
	}
	d.log = append(d.log, recs...)
	d.bounds = append(d.bounds, len(d.log))
	if d.appended != nil {
		d.appended()
	}
}

// next asks the part what to do until it has nothing more to say. Its records are durable
// at once.
func (d *driver) next() (ops []Op, cmds []Command) {
	d.t.Helper()
	for range 100 {
		w := &Work{}
		d.part.Next(&d.live, w)
		if len(w.Records) == 0 && len(w.Ops) == 0 && len(w.Commands) == 0 {
			if !d.live.Held {
				return ops, cmds
			}
			d.live.Held = false
			continue
		}
		d.append(w.Records...)
		ops, cmds = append(ops, w.Ops...), append(cmds, w.Commands...)
		d.fitting()
	}
	d.t.Fatal("the part never comes to rest")
	return nil, nil
}

// fitting checks that what goes out fits the window, as far as it is known.
func (d *driver) fitting() {
	d.t.Helper()
	if p := d.part; d.live.Asking && !d.live.Summing && !p.fits(p.Estimate()) {
		d.t.Errorf("turn %d: about %d tokens go out and %d fit", p.Turn, p.Estimate(), p.most())
	}
}

// ask goes on until a model request goes out.
func (d *driver) ask() {
	d.t.Helper()
	for {
		ops, cmds := d.next()
		if len(ops) == 0 && len(cmds) == 1 && cmds[0].Kind == Summarise && d.summary != nil {
			_, req := d.part.SummaryRequest()
			d.live.Asking, d.live.Summing = false, false
			d.append(d.summary(&req)...)
			continue
		}
		if len(ops) > 0 || len(cmds) != 1 || cmds[0].Kind != AskModel {
			d.t.Fatalf("no request goes out: ops %+v, commands %+v", ops, cmds)
		}
		d.valid()
		return
	}
}

// valid checks the request that would go out now.
func (d *driver) valid() {
	d.t.Helper()
	p := d.part
	req := &model.Request{System: p.System, Tools: p.Snap.Defs(), Messages: p.History}
	for _, f := range model.Validate(req) {
		d.t.Errorf("turn %d: %s", p.Turn, f)
	}
}

// answer takes an answer of the model.
func (d *driver) answer(t swarmtest.Turn) {
	d.t.Helper()
	a := &model.Answer{Text: t.Text, Calls: t.Calls, Finish: t.Finish}
	if a.Finish == "" {
		a.Finish = model.FinishStop
		if len(a.Calls) > 0 {
			a.Finish = model.FinishCalls
		}
	}
	if d.reports != nil {
		a.Usage = d.reports()
	}
	d.live.Asking = false
	d.append(d.part.Answered(a, 1)...)
}

// turn asks and answers.
func (d *driver) turn(t swarmtest.Turn) {
	d.t.Helper()
	d.ask()
	d.answer(t)
}

// run carries the effects of a turn out: what is asked of gates is granted, what is
// executed brings the text, what the run decides is settled with it too, and ends.
func (d *driver) run(text string) []Op {
	d.t.Helper()
	var all []Op
	for {
		ops, cmds := d.next()
		all = append(all, ops...)
		if len(ops)+len(cmds) == 0 || cmds != nil && cmds[len(cmds)-1].Kind == AskModel {
			return all
		}
		for _, op := range ops {
			if op.Kind == OpEnd {
				return all
			}
			d.settle(op.Call, tooling.Result{Content: text})
		}
		for _, c := range cmds {
			d.carry(c, text)
		}
	}
}

// carry carries one command out.
func (d *driver) carry(c Command, text string) {
	switch lc := d.live.Calls[c.Call]; c.Kind {
	case Enter:
		lc.State = Admitted
	case Look:
		lc.State = Prepared
	case Execute:
		d.done(c.Call, tooling.Result{Content: text})
	}
}

// done ends the effect of a call.
func (d *driver) done(key string, r tooling.Result) {
	delete(d.live.Calls, key)
	d.append(d.part.Done(key, r, time.Second)...)
}

// settle ends a call that the run decides.
func (d *driver) settle(key string, r tooling.Result) {
	delete(d.live.Calls, key)
	d.append(d.part.rec(Settlement(r), d.part.Turn, key))
}

// key gives the key of a call of the last answer.
func (d *driver) key(i int) string {
	d.t.Helper()
	if i >= len(d.part.Calls) {
		d.t.Fatalf("there is no call %d", i)
	}
	return d.part.Calls[i].Key
}

// codes gives the codes of the calls of the last answer; "" for a success, "-" for open.
func (d *driver) codes() []string {
	out := []string{}
	for i := range d.part.Calls {
		c := &d.part.Calls[i]
		if c.State != Settled {
			out = append(out, "-")
			continue
		}
		out = append(out, c.Code)
	}
	return out
}

func (d *driver) wantCodes(want ...string) {
	d.t.Helper()
	if got := d.codes(); !slices.Equal(got, want) {
		d.t.Errorf("codes %q, want %q", got, want)
	}
}

// wantEnd checks that the invocation asks for its end.
func (d *driver) wantEnd(want End) {
	d.t.Helper()
	ops, _ := d.next()
	if len(ops) != 1 || ops[0].Kind != OpEnd {
		d.t.Fatalf("no end is asked for: %+v", ops)
	}
	if got := *ops[0].End; got != want {
		d.t.Errorf("ends as %+v, want %+v", got, want)
	}
}

// last gives the newest message of the history.
func (d *driver) last() *model.Message { return &d.part.History[len(d.part.History)-1] }

func (d *driver) wantHost(parts ...string) {
	d.t.Helper()
	m := d.last()
	if m.Role != model.Host {
		d.t.Fatalf("the last message is %+v", m)
	}
	for _, s := range parts {
		if !strings.Contains(m.Text, s) {
			d.t.Errorf("%q does not say %q", m.Text, s)
		}
	}
}

// view is what two folds of the same records must agree on.
type view struct {
	Phase                            Phase
	Turn, Open, Rounds, Text, Bad    int
	Plan, NCalls, Attempts           int
	History                          []model.Message
	Calls                            string
	Counters                         tooling.Counters
	Reads                            any
	LastText, Pieces, Closing, Fatal string
	Spent, CloseDone, Noted          bool
	Stalled                          int
	Used                             []journal.Count
	Changed                          []string
	Usage                            journal.Usage
	Fit                              string
}

func viewOf(p *Part) view {
	calls := ""
	for i := range p.Calls {
		c := p.Calls[i]
		c.Args, c.Binding = nil, nil
		b, _ := json.Marshal(c)
		calls += fmt.Sprintf("%s args=%t\n", b, c.State != Settled && p.Calls[i].Args != nil)
	}
	return view{p.Phase, p.Turn, p.Open, p.Rounds, p.TextTurns, p.BadTurns, p.Plan, p.NCalls, p.Attempts,
		slices.Clone(p.History), calls, tooling.Counters{Total: p.Counters.Total, PerTool: cloneCounts(p.Counters.PerTool)}, p.Reads,
		p.LastText, p.pieces, p.Closing, p.Fatal, p.spent, p.closeDone, p.stall.noted, p.stall.times,
		slices.Clone(p.Used), slices.Clone(p.Changed), p.Usage, fmt.Sprintf("%+v, estimate %d, pending %+v, failed %t", fitOf(p), p.Estimate(), p.fit.pending, p.fit.failed != nil)}
}

// fitOf gives the fit without what is a pointer into the records.
func fitOf(p *Part) fit {
	f := p.fit
	f.pending, f.failed = nil, nil
	return f
}

func cloneCounts(m map[string]int) map[string]int {
	out := map[string]int{}
	for k, v := range m {
		out[k] = v
	}
	return out
}
