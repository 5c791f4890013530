package delegate

import (
	"encoding/json"
	"fmt"
	"maps"
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

// play is a run whose actors are played by the test: real parts, no time but its own.
type play struct {
	t      testing.TB
	env    *agent.Env
	st     *State
	now    time.Time
	log    []journal.Record
	parts  map[string]*agent.Part
	lives  map[string]*agent.Live
	tags   map[string]uint64
	asking map[string]bool     // a model request is out
	held   map[string][]string // call keys of effects under way, of invocations that hold theirs
	holds  map[string]bool     // effects of these are kept under way
	deaf   map[string]bool     // effects of these do not heed a stop
	timers map[string]time.Time
	said   int64            // commands so far
	heard  map[int64]string // answers by command
	lost   int
	over   bool
	bill   func(path string) journal.Usage // of an answer; nil: 10 tokens in, 5 out
	each   func()                          // called after each decision; may be nil
}

func newPlay(t testing.TB, env *agent.Env) *play {
	t.Helper()
	p := &play{t: t, env: env, now: t0, holds: map[string]bool{}, deaf: map[string]bool{}, heard: map[int64]string{}}
	p.forget()
	p.st = NewState(env, testRun)
	p.st.Epoch = 1
	d, err := p.st.Start(&journal.RunCreated{Name: "test"}, &journal.RunStarted{Host: "test"}, "do it", p.now)
	if err != nil {
		t.Fatal(err)
	}
	p.take(d)
	p.pump()
	return p
}

// forget drops what a process loses when it dies.
func (p *play) forget() {
	p.parts, p.lives, p.tags = map[string]*agent.Part{}, map[string]*agent.Live{}, map[string]uint64{}
	p.asking, p.held, p.timers = map[string]bool{}, map[string][]string{}, map[string]time.Time{}
}

// take stores a decision and carries it out.
func (p *play) take(d *Decision) {
	p.t.Helper()
	for _, r := range d.Records {
		if r.Seq != int64(len(p.log)+1) {
			p.t.Fatalf("record %d stands at place %d", r.Seq, len(p.log)+1)
		}
		p.log = append(p.log, r)
	}
	for _, o := range d.Outs {
		switch part, live := p.parts[o.Path], p.lives[o.Path]; o.Kind {
		case Accept:
			if part != nil {
				live.Held = false
				p.fold(part, o.Records)
			}
		case Tell:
			if part != nil {
				p.fold(part, o.Records)
			}
		case Lose:
			p.lost++
			if part != nil {
				p.anew(o.Path, live.Halt)
			}
		case Spawn:
			p.parts[o.Path], p.lives[o.Path] = agent.NewPart(p.env, testRun), &agent.Live{}
			p.fold(p.parts[o.Path], o.Records)
		case Halt:
			if part != nil {
				h := o.Halt
				live.Halt = &h
			}
		case Kill:
			delete(p.parts, o.Path)
			p.take(p.st.ActorEnded(agent.Crash{Path: o.Path}, p.now))
		case Timer:
			p.timers[o.Name] = p.now.Add(o.After)
		case Untimer:
			delete(p.timers, o.Name)
		case Reply:
			p.heard[int64(o.Tag)] = o.Name
		case Over:
			p.over = true
		}
	}
	if p.each != nil {
		p.each()
	}
}

func (p *play) fold(part *agent.Part, recs []journal.Record) {
	p.t.Helper()
	if err := part.FoldAll(recs); err != nil {
		p.t.Fatal(err)
	}
	for i := range recs {
		if _, ok := recs[i].Payload.(*journal.CallSettled); ok {
			delete(p.lives[part.Path].Calls, recs[i].Scope.Call)
		}
	}
}

// anew gives an invocation its part from the journal.
func (p *play) anew(path string, h *agent.Halt) {
	p.t.Helper()
	part := agent.NewPart(p.env, testRun)
	if err := part.FoldAll(p.of(path)); err != nil {
		p.t.Fatal(err)
	}
	p.parts[path], p.lives[path] = part, &agent.Live{Halt: h, Asking: p.asking[path] && part.Phase == agent.Requested}
	for _, key := range p.held[path] {
		if c := part.Call(key); c != nil && c.State == agent.Dispatched {
			p.lives[path].Calls = map[string]*agent.LiveCall{key: {State: agent.Running}}
		}
	}
}

// of gives the records of an invocation.
func (p *play) of(path string) []journal.Record {
	var out []journal.Record
	for _, r := range p.log {
		if r.Scope.Invocation == path {
			out = append(out, r)
		}
	}
	return out
}

func (p *play) propose(path string, recs []journal.Record, ops []agent.Op) {
	p.t.Helper()
	p.tags[path]++
	p.take(p.st.Propose(&agent.Proposal{Path: path, Tag: p.tags[path], Records: slices.Clone(recs), Ops: ops}, p.now))
}

// pump lets every invocation do what it can until nothing moves.
func (p *play) pump() {
	p.t.Helper()
	for range 10_000 {
		moved := false
		for _, path := range slices.Sorted(maps.Keys(p.parts)) {
			if part := p.parts[path]; part != nil && p.step(path, part) {
				moved = true
			}
		}
		if !moved {
			return
		}
	}
	p.t.Fatalf("the run never comes to rest\n%s", p.dump())
}

// step lets one invocation do one thing.
func (p *play) step(path string, part *agent.Part) bool {
	p.t.Helper()
	if part.Phase == agent.Ended {
		delete(p.parts, path)
		p.take(p.st.ActorEnded(agent.Crash{Path: path}, p.now))
		return true
	}
	w := &agent.Work{}
	part.Next(p.lives[path], w)
	if len(w.Records)+len(w.Ops)+len(w.Commands) == 0 {
		return false
	}
	if err := part.FoldAll(w.Records); err != nil {
		p.t.Fatal(err)
	}
	if len(w.Records)+len(w.Ops) > 0 {
		p.propose(path, w.Records, w.Ops)
	}
	for _, c := range w.Commands {
		p.carry(path, c)
	}
	return true
}

func (p *play) carry(path string, c agent.Command) {
	p.t.Helper()
	live := p.lives[path]
	lc := live.Calls[c.Call]
	switch c.Kind {
	case agent.AskModel:
		p.valid(path)
		p.asking[path] = true
	case agent.Enter:
		if lc != nil {
			lc.State = agent.Admitted
		}
	case agent.Look:
		if lc != nil {
			lc.State = agent.Prepared
		}
	case agent.Execute:
		if p.holds[path] {
			p.held[path] = append(p.held[path], c.Call)
		} else {
			p.done(path, c.Call, tooling.Result{Content: "fine"})
		}
	case agent.Stop:
		if c.Call == "" {
			live.Asking, p.asking[path] = false, false
		} else if !p.deaf[path] {
			p.done(path, c.Call, stopped)
		}
	}
}

func (p *play) valid(path string) {
	part := p.parts[path]
	for _, f := range model.Validate(&model.Request{System: part.System, Tools: part.Snap.Defs(), Messages: part.History}) {
		p.t.Errorf("%s, turn %d: %s", path, part.Turn, f)
	}
}

var stopped = tooling.Result{Content: "stopped", Code: "tool.cancelled", Outcome: journal.Cancelled}

// stops ends the effects of an invocation that did not heed a stop so far.
func (p *play) stops(path string) {
	p.t.Helper()
	for len(p.held[path]) > 0 {
		p.done(path, p.held[path][0], stopped)
	}
	p.pump()
}

// done ends an effect.
func (p *play) done(path, key string, r tooling.Result) {
	p.t.Helper()
	part := p.parts[path]
	if part == nil {
		return
	}
	delete(p.lives[path].Calls, key)
	p.held[path] = slices.DeleteFunc(p.held[path], func(k string) bool { return k == key })
	recs := part.Done(key, r, time.Second)
	if err := part.FoldAll(recs); err != nil {
		p.t.Fatal(err)
	}
	if len(recs) > 0 {
		p.propose(path, recs, nil)
	}
}

// say takes an answer of the model of an invocation, and goes on as far as it can.
func (p *play) say(path string, turn swarmtest.Turn) {
	p.t.Helper()
	if !p.asking[path] {
		p.t.Fatalf("%s asks no model\n%s", path, p.dump())
	}
	p.reply(path, turn)
	p.pump()
}

func (p *play) reply(path string, turn swarmtest.Turn) {
	p.t.Helper()
	a := &model.Answer{Text: turn.Text, Calls: turn.Calls, Finish: turn.Finish, Usage: usage(10, 5)}
	if p.bill != nil {
		a.Usage = p.bill(path)
	}
	if a.Finish == "" {
		a.Finish = model.FinishStop
		if len(a.Calls) > 0 {
			a.Finish = model.FinishCalls
		}
	}
	p.asking[path] = false
	part := p.parts[path]
	p.lives[path].Asking = false
	recs := part.Answered(a, 1)
	if err := part.FoldAll(recs); err != nil {
		p.t.Fatal(err)
	}
	p.propose(path, recs, nil)
}

// do is a turn of calls.
func (p *play) do(path string, calls ...model.AnswerCall) {
	p.t.Helper()
	p.say(path, swarmtest.Do(calls...))
}

// advance moves the clock and fires what is due, in order.
func (p *play) advance(d time.Duration) {
	p.t.Helper()
	end := p.now.Add(d)
	for {
		name, due := p.nextTimer()
		if name == "" || due.After(end) {
			break
		}
		delete(p.timers, name)
		if due.After(p.now) {
			p.now = due
		}
		p.take(p.st.Fired(name, p.now))
		p.pump()
	}
	p.now = end
}

func (p *play) nextTimer() (string, time.Time) {
	name := ""
	for _, n := range slices.Sorted(maps.Keys(p.timers)) {
		if name == "" || p.timers[n].Before(p.timers[name]) {
			name = n
		}
	}
	return name, p.timers[name]
}

// crash is the death of the process, and a resume by a new one.
func (p *play) crash() {
	p.t.Helper()
	p.forget()
	p.st = NewState(p.env, testRun)
	p.st.Epoch = 1
	for i := range p.log {
		if err := p.st.Fold(&p.log[i]); err != nil {
			p.t.Fatal(err)
		}
	}
	live := p.st.Live()
	for _, path := range live {
		p.anew(path, nil)
	}
	p.take(p.st.Resume(&journal.RunStarted{Host: "again"}, "crash", nil, p.now))
	for _, path := range live {
		p.recover(path)
	}
}

// fail is the failure of an invocation's actor, which is made anew from its records.
func (p *play) fail(path string) {
	p.t.Helper()
	d := p.st.ActorFailed(agent.Crash{Path: path, Reason: "broken", Incarnation: 1}, p.now)
	if d == nil {
		p.t.Fatalf("%s cannot be made anew", path)
	}
	outs := d.Outs
	d.Outs = nil
	p.take(d)
	p.asking[path] = false
	delete(p.held, path)
	p.anew(path, nil)
	p.take(&Decision{Outs: outs})
	p.recover(path)
}

// recover settles what a new actor cannot know.
func (p *play) recover(path string) {
	p.t.Helper()
	part := p.parts[path]
	if part == nil {
		return
	}
	if recs := part.Recover(); len(recs) > 0 {
		if err := part.FoldAll(recs); err != nil {
			p.t.Fatal(err)
		}
		p.propose(path, recs, nil)
	}
}

// settled gives the settlements of the last answer of an invocation, by index; nil: open.
func (p *play) settled(path string) []*journal.CallSettled {
	var out []*journal.CallSettled
	at := map[string]int{}
	turn := 0
	for i := range p.log {
		r := &p.log[i]
		if r.Scope.Invocation != path {
			continue
		}
		switch m := r.Payload.(type) {
		case *journal.CallRequested:
			if r.Scope.Turn != turn {
				turn, out = r.Scope.Turn, nil
			}
			at[r.Scope.Call] = len(out)
			out = append(out, nil)
		case *journal.CallSettled:
			if i, ok := at[r.Scope.Call]; ok && r.Scope.Turn == turn {
				out[i] = m
			}
		}
	}
	return out
}

// codes gives their codes; "" for a success, "-" for open.
func (p *play) codes(path string) []string {
	var out []string
	for _, m := range p.settled(path) {
		if m == nil {
			out = append(out, "-")
		} else {
			out = append(out, m.Code)
		}
	}
	return out
}

func (p *play) wantCodes(path string, want ...string) {
	p.t.Helper()
	if got := p.codes(path); !slices.Equal(got, want) {
		p.t.Errorf("codes of %s: %q, want %q", path, got, want)
	}
}

// text gives what the model reads of call i of the last answer.
func (p *play) text(path string, i int) string {
	p.t.Helper()
	all := p.settled(path)
	if i >= len(all) || all[i] == nil {
		p.t.Fatalf("call %d of %s is not settled\n%s", i, path, p.dump())
	}
	return all[i].Content.Text
}

func (p *play) wantText(path string, i int, parts ...string) {
	p.t.Helper()
	text := p.text(path, i)
	for _, s := range parts {
		if !strings.Contains(text, s) {
			p.t.Errorf("call %d of %s says %q, not %q", i, path, text, s)
		}
	}
}

// wantTask checks how a task stands.
func (p *play) wantTask(id, state string, outcome journal.Outcome, reason string) {
	p.t.Helper()
	t := p.st.Tasks[id]
	if t == nil || t.State != state || t.Outcome != outcome || !strings.Contains(t.Reason, reason) {
		p.t.Errorf("task %s is %+v, want %s %s %s\n%s", id, t, state, outcome, reason, p.dump())
	}
}

// wantRun checks how the run ended, and its journal.
func (p *play) wantRun(outcome journal.Outcome, reason string) {
	p.t.Helper()
	if e := p.st.Ended; !p.over || e == nil || e.Outcome != outcome || !strings.Contains(e.Reason, reason) {
		p.t.Errorf("the run ended as %+v, want %s %s\n%s", e, outcome, reason, p.dump())
	}
	p.verify()
}

func (p *play) verify() {
	p.t.Helper()
	for _, f := range journal.Verify(p.log) {
		p.t.Errorf("journal: %s\n%s", f, p.dump())
	}
}

// last gives the newest message of an invocation's history.
func (p *play) last(path string) model.Message {
	p.t.Helper()
	part := p.parts[path]
	if part == nil {
		p.t.Fatalf("%s is gone", path)
	}
	return part.History[len(part.History)-1]
}

func (p *play) count(typ journal.Type) (n int) {
	for _, r := range p.log {
		if r.Type() == typ {
			n++
		}
	}
	return n
}

// inOrder checks that the first records of these types stand in this order.
func (p *play) inOrder(types ...journal.Type) {
	p.t.Helper()
	at := -1
	for _, typ := range types {
		i := slices.IndexFunc(p.log[at+1:], func(r journal.Record) bool { return r.Type() == typ })
		if i < 0 {
			p.t.Fatalf("no %s behind record %d\n%s", typ, at+1, p.dump())
		}
		at += i + 1
	}
}

func (p *play) dump() string {
	var b strings.Builder
	for _, r := range p.log {
		body, _ := json.Marshal(r.Payload)
		if len(body) > 200 {
			body = body[:200]
		}
		fmt.Fprintf(&b, "%3d %-22s %-16s %-7s t%d %.6s %s\n", r.Seq, r.Type(), r.Scope.Invocation, r.Scope.Task, r.Scope.Turn, r.Scope.Call, body)
	}
	return b.String()
}
