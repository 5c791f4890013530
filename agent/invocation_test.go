package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// show is an invocation under a run that the test plays: every proposal is taken unless
// the test refuses it, and effects are kept until the test lets them go.
type show struct {
	*actors.System
	t       *testing.T
	clock   *swarmtest.Clock
	env     *Env
	run     actors.Ref
	inv     actors.Ref
	gate    actors.Ref
	log     []journal.Record
	asked   []model.Request
	ops     []Op
	refuse  func(p *Proposal) bool // loses the proposal; nothing of it is kept
	partly  func(r *journal.Record) bool
	ended   *actors.Terminated
	holding bool
	held    []func()
	preview func(path string, d model.Delta) // may be nil
}

type tellInv struct{ msg any }

func newShow(t *testing.T, script swarmtest.Script, more ...tooling.Tool) *show {
	t.Helper()
	s := &show{t: t, clock: swarmtest.NewClock(), env: testEnv(t, nil, more...)}
	s.env.Models["default"] = Model{Provider: script, Name: "script"}
	s.System = actors.New(actors.Options{Clock: s.clock, Scheduler: actors.SyncScheduler(), Go: func(f func()) {
		if s.holding {
			s.held = append(s.held, f)
			return
		}
		f()
	}})
	t.Cleanup(func() {
		s.letGo()
		if left := s.Shutdown(context.Background()); len(left) > 0 {
			t.Errorf("survivors: %+v", left)
		}
	})
	return s
}

// letGo runs the effects that were kept.
func (s *show) letGo() {
	s.holding = false
	for len(s.held) > 0 {
		f := s.held[0]
		s.held = s.held[1:]
		f()
	}
}

// answered begins, takes the model's first answer, and keeps the effects that follow.
func (s *show) answered() {
	s.holding = true
	s.begin()
	answer := s.held[0]
	s.held = nil
	answer()
}

// begin starts the invocation, anew or from the records so far.
func (s *show) begin() {
	s.t.Helper()
	resume := len(s.log) > 0
	if !resume {
		m, err := s.env.Invocation(Birth{Kind: "root", Profile: "root", Path: "root", Brief: "go"})
		if err != nil {
			s.t.Fatal(err)
		}
		s.keep(journal.Record{Scope: journal.Scope{Invocation: "root"}, Payload: m})
	}
	ref, err := s.Spawn(actors.Spec{Kind: "run", New: func() actors.Actor {
		return actors.Func(func(c *actors.Context, msg any) { s.receive(c, msg, resume) })
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.run = ref
}

func (s *show) keep(r journal.Record) journal.Record {
	r.Seq = int64(len(s.log) + 1)
	s.log = append(s.log, r)
	return r
}

func (s *show) receive(c *actors.Context, msg any, resume bool) {
	switch m := msg.(type) {
	case actors.Started:
		var err error
		if s.gate, err = c.Spawn(actors.GateSpec("gate")); err != nil {
			panic(err)
		}
		ws, err := c.Spawn(actors.GateSpec("ws"))
		if err != nil {
			panic(err)
		}
		sh := &Shared{Env: s.env, Run: testRun, Gates: map[string]actors.Ref{tooling.SourceGo: s.gate, "ws": ws}, Rand: least,
			Files: func() *workspace.Manifest { return nil }, Probe: s, Preview: s.preview}
		if s.inv, err = c.Spawn(Spec(sh, c.Self(), "root", slices.Clone(s.log), resume)); err != nil {
			panic(err)
		}
	case *Proposal:
		s.propose(c, m)
	case Rejoin:
		c.Tell(s.inv, Rejoined{Records: slices.Clone(s.log)})
	case tellInv:
		c.Tell(s.inv, m.msg)
	case actors.Terminated:
		if m.Ref == s.inv {
			s.ended = &m
		}
	}
}

// Request implements [Probe].
func (s *show) Request(_ context.Context, req *model.Request) {
	for _, f := range model.Validate(req) {
		s.t.Errorf("turn %d: %s", req.Turn, f)
	}
	s.asked = append(s.asked, *req)
}

func (s *show) propose(c *actors.Context, p *Proposal) {
	if s.refuse != nil && s.refuse(p) {
		c.Tell(s.inv, Lost{Tag: p.Tag})
		return
	}
	lost := false
	for _, r := range p.Records {
		if s.partly != nil && s.partly(&r) {
			lost = true
			continue
		}
		s.keep(r)
	}
	var extra []journal.Record
	for _, op := range p.Ops {
		s.ops = append(s.ops, op)
		switch {
		case op.Kind == OpEnd:
			extra = append(extra, s.keep(journal.Record{Scope: journal.Scope{Invocation: "root"}, Payload: &journal.InvocationEnded{Outcome: op.End.Outcome, Reason: op.End.Reason}}))
		case op.Tool == FinishTool:
			extra = append(extra,
				s.keep(journal.Record{Scope: journal.Scope{Invocation: "root", Call: op.Call}, Payload: Settlement(tooling.Result{Content: "done"})}),
				s.keep(journal.Record{Scope: journal.Scope{Invocation: "root"}, Payload: &journal.InvocationEnded{Outcome: journal.Completed, Reason: "finished"}}))
		}
	}
	if lost {
		c.Tell(s.inv, Lost{Tag: p.Tag})
		return
	}
	c.Tell(s.inv, Accepted{Tag: p.Tag, Extra: extra})
}

func (s *show) tell(msg any) { s.Tell(s.run, tellInv{msg}) }

// verify checks what was kept, and how the calls ended.
func (s *show) verify(outcome journal.Outcome, codes ...string) {
	s.t.Helper()
	recs := []journal.Record{{Run: testRun, Seq: 1, Payload: &journal.RunCreated{}}}
	for _, r := range s.log {
		r.Run, r.Seq, r.Prev = testRun, int64(len(recs)+1), int64(len(recs))
		recs = append(recs, r)
	}
	for _, f := range journal.Verify(recs) {
		s.t.Errorf("journal: %s", f)
	}
	var got []string
	var end journal.Outcome
	for _, r := range s.log {
		switch m := r.Payload.(type) {
		case *journal.CallSettled:
			got = append(got, m.Code)
		case *journal.InvocationEnded:
			end = m.Outcome
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(codes) {
		s.t.Errorf("settled as %q, want %q", got, codes)
	}
	if end != outcome || s.ended == nil || s.ended.Failure != nil {
		s.t.Errorf("ended %q, the actor %+v", end, s.ended)
	}
}

func hasType(p *Proposal, types ...journal.Type) bool {
	return slices.ContainsFunc(p.Records, func(r journal.Record) bool { return slices.Contains(types, r.Type()) })
}

func TestInvocationFinishes(t *testing.T) {
	t.Parallel()
	s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(poking, peeking, peeking), swarmtest.Do(finishing1)}})
	s.begin()
	s.verify(journal.Completed, "", "", "", "")
	if len(s.asked) != 2 || s.asked[0].Turn != 1 || s.asked[1].Attempt != 1 || s.asked[0].Input != "go" {
		t.Errorf("asked %+v", s.asked)
	}
}

// pairing-9: effects that end in any order are given in call order.
func TestEffectsEndInAnyOrder(t *testing.T) {
	t.Parallel()
	s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(peeking, peeking, peeking), swarmtest.Do(finishing1)}})
	s.answered()
	reads := s.held
	if len(reads) != 3 {
		t.Fatalf("%d effects", len(reads))
	}
	s.held, s.holding = nil, false
	for _, i := range []int{2, 0, 1} {
		reads[i]()
	}
	s.verify(journal.Completed, "", "", "", "")
	res := s.asked[1].Messages[2].Results
	for i := range res {
		if res[i].Key != CallKey(testRun, "root", 1, i) {
			t.Errorf("result %d is of another call", i)
		}
	}
}

// pairing-16: readers together, the writer after them, the reader after the writer.
func TestGateOrder(t *testing.T) {
	t.Parallel()
	s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(peeking, peeking, poking, peeking), swarmtest.Do(finishing1)}})
	s.holding = true
	s.begin()
	step := func(want int) {
		t.Helper()
		now := s.held
		s.held = nil
		if len(now) != want {
			t.Fatalf("%d effects under way, want %d", len(now), want)
		}
		for _, f := range now {
			f()
		}
	}
	for _, n := range []int{1, 2, 1, 1} { // answer, two readers, writer, reader
		step(n)
	}
	s.letGo()
	s.verify(journal.Completed, "", "", "", "", "")
}

// A loss forgets what was proposed and goes on from what stands, in every state.
func TestLost(t *testing.T) {
	t.Parallel()
	script := func() swarmtest.Script {
		return swarmtest.Script{"root": {swarmtest.Do(poking, peeking), swarmtest.Do(poking), swarmtest.Do(finishing1)}}
	}
	types := []journal.Type{journal.TModelRequested, journal.TModelAnswered, journal.TCallDispatched, journal.TCallSettled, journal.TInvocationEnded}
	for _, typ := range types {
		for n := 1; n <= 3; n++ {
			t.Run(fmt.Sprintf("%s %d", typ, n), func(t *testing.T) {
				t.Parallel()
				s := newShow(t, script())
				seen := 0
				s.refuse = func(p *Proposal) bool {
					if typ == journal.TModelAnswered || !hasType(p, typ) {
						return false
					}
					seen++
					return seen == n
				}
				s.begin()
				if typ == journal.TCallSettled { // the effect is over, and its outcome was refused: it cannot be known
					return
				}
				s.verify(journal.Completed, "", "", "", "")
			})
		}
	}
}

// A dispatch that is refused because the work is being ended has no effect, and the end
// does not wait for it.
func TestDispatchRefusedByHalt(t *testing.T) {
	t.Parallel()
	ran := 0
	once := goTool(t, "once", func(context.Context, nothing) (string, error) { ran++; return "ran", nil })
	s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(swarmtest.Call("once", ``), swarmtest.Call("once", ``))}}, once)
	s.partly = func(r *journal.Record) bool { return r.Type() == journal.TCallDispatched }
	s.holding = true
	s.begin()
	s.refuse = func(p *Proposal) bool { // the halt is on its way when the dispatch is proposed
		if hasType(p, journal.TCallDispatched) {
			s.refuse = nil
			s.Tell(s.inv, HaltWork{cancelled})
			return true
		}
		return false
	}
	s.letGo()
	s.verify(journal.Cancelled, "tool.not_run", "tool.not_run")
	if ran != 0 {
		t.Errorf("ran %d times", ran)
	}
}

// A stop that was held back by a proposal which is lost still reaches the effect.
func TestStopSurvivesALoss(t *testing.T) {
	t.Parallel()
	slow := goTool(t, "slow", func(ctx context.Context, _ nothing) (string, error) { return "", ctx.Err() })
	s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(swarmtest.Call("slow", ``), listing)}}, slow)
	s.answered()
	s.refuse = func(p *Proposal) bool {
		s.refuse = nil
		s.Tell(s.inv, HaltWork{cancelled}) // arrives before the loss
		return true
	}
	if len(s.held) != 2 {
		t.Fatalf("%d effects under way", len(s.held))
	}
	list := s.held[1]
	s.held = s.held[:1]
	list()
	s.letGo()
	s.verify(journal.Cancelled, "tool.cancelled", "tool.not_run")
}

// The gate of a call whose settlement stands is free, also when the rest of that proposal
// was refused.
func TestGateIsLeftAfterALoss(t *testing.T) {
	t.Parallel()
	s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(poking), swarmtest.Do(poking), swarmtest.Do(finishing1)}})
	n := 0
	s.partly = func(r *journal.Record) bool {
		if r.Type() == journal.TModelRequested {
			n++
		}
		return n == 2 && r.Type() == journal.TModelRequested
	}
	s.begin()
	s.verify(journal.Completed, "", "", "")
}

// durability-9: what the run settles meanwhile wins, and the effect's own outcome is dropped.
func TestSettledByTheRun(t *testing.T) {
	t.Parallel()
	s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(poking), swarmtest.Do(finishing1)}})
	s.answered()
	effect := s.held[0]
	s.held = nil
	key := CallKey(testRun, "root", 1, 0)
	r := s.keep(journal.Record{Scope: journal.Scope{Invocation: "root", Turn: 1, Call: key}, Payload: &journal.CallSettled{Outcome: journal.Cancelled, Dispatched: true, Code: "tool.cancelled", Content: journal.Text("stopped")}})
	s.holding = false
	s.tell(Recorded{Records: []journal.Record{r}})
	effect()
	s.verify(journal.Completed, "tool.cancelled", "")
}

// A call that takes too long is told to stop; one that does not end is given up.
func TestCallDeadline(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		options []tooling.GoOption
		code    string
	}{
		{"a read", []tooling.GoOption{tooling.ReadOnly()}, "tool.timeout"},
		{"a write that can be repeated", []tooling.GoOption{tooling.Idempotent()}, "tool.timeout"},
		{"a write", nil, "tool.outcome_unknown"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			deaf := goTool(t, "deaf", say("late"), append(row.options, tooling.Timeout(30*time.Second))...)
			s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(swarmtest.Call("deaf", ``)), swarmtest.Do(finishing1)}}, deaf)
			s.answered()
			effect := s.held
			s.held, s.holding = nil, false
			s.clock.Advance(30*time.Second + effectGrace - time.Nanosecond)
			if len(s.asked) != 1 {
				t.Fatal("given up too early")
			}
			s.clock.Advance(time.Nanosecond)
			s.clock.Advance(time.Minute) // the actor of the call is given up too
			effect[0]()                  // its late end changes nothing
			s.verify(journal.Completed, row.code, "")
		})
	}
}

// A write of the same turn behind one whose outcome is unknown is not run, a reader is,
// and after the model has answered the gate is open again.
func TestGateBlocked(t *testing.T) {
	t.Parallel()
	deaf := goTool(t, "deaf", say("late"), tooling.Timeout(30*time.Second))
	s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(swarmtest.Call("deaf", ``), poking, peeking), swarmtest.Do(poking), swarmtest.Do(finishing1)}}, deaf)
	s.answered()
	effect := s.held[0]
	s.held, s.holding = nil, false
	s.clock.Advance(36 * time.Second)
	s.clock.Advance(time.Minute)
	effect()
	s.verify(journal.Completed, "tool.outcome_unknown", "workspace.gate_blocked", "", "", "")
}

// A write that finds the gate closed by somebody else waits, but not for ever.
func TestGateClosedByAnother(t *testing.T) {
	t.Parallel()
	for _, opened := range []bool{true, false} {
		t.Run(fmt.Sprintf("actors-11 opened %t", opened), func(t *testing.T) {
			t.Parallel()
			s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(poking), swarmtest.Do(finishing1)}})
			s.holding = true
			s.begin()
			other := s.gate // any holder does
			s.Tell(s.gate, actors.Acquire{Holder: other, Tag: "theirs", Mode: actors.Write})
			s.Tell(s.gate, actors.Seal{Holder: other, Tag: "theirs", By: "theirs"})
			s.letGo()
			code := "workspace.gate_blocked"
			s.clock.Advance(gateWait - time.Nanosecond)
			if opened {
				code = ""
				s.Tell(s.gate, actors.Unseal{By: "theirs"})
			}
			s.clock.Advance(time.Nanosecond)
			s.verify(journal.Completed, code, "")
		})
	}
}

// pairing-2: a tool that panics fails its call alone; the stack stays in the record.
func TestToolPanics(t *testing.T) {
	t.Parallel()
	boom := goTool(t, "boom", func(context.Context, nothing) (string, error) { panic("it broke\nsecond line") })
	s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(peeking, swarmtest.Call("boom", ``), peeking), swarmtest.Do(finishing1)}}, boom)
	s.begin()
	s.verify(journal.Completed, "", "tool.panicked", "", "")
	res := s.asked[1].Messages[2].Results[1]
	if !strings.Contains(res.Text, "it broke") || strings.Contains(res.Text, "second line") || strings.Contains(res.Text, ".go") {
		t.Errorf("result %q", res.Text)
	}
	for _, r := range s.log {
		if m, ok := r.Payload.(*journal.CallSettled); ok && (m.Code != "") != strings.Contains(m.Stack.Text, "invocation_test.go") {
			t.Errorf("%s has the stack %q", m.Code, m.Stack.Text)
		}
	}
}

// A halt that meets a tool which heeds its context: the call says that it was stopped.
func TestHaltStopsTheTool(t *testing.T) {
	t.Parallel()
	slow := goTool(t, "slow", func(ctx context.Context, _ nothing) (string, error) { return "", ctx.Err() })
	s := newShow(t, swarmtest.Script{"root": {swarmtest.Do(swarmtest.Call("slow", ``))}}, slow)
	s.answered()
	s.tell(HaltWork{cancelled})
	s.letGo()
	s.verify(journal.Cancelled, "tool.cancelled")
}

// After a crash: a write is settled as unknown, and the gate it may still touch stays
// closed to writers until the model has read that.
func TestInvocationResumes(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	d.turn(swarmtest.Do(poking, peeking, poking))
	_, cmds := d.next()
	d.carry(cmds[0], "")
	d.next()
	s := newShow(t, swarmtest.Script{"root": {{}, swarmtest.Do(poking), swarmtest.Do(finishing1)}})
	for _, r := range d.log {
		s.keep(r)
	}
	s.begin()
	s.verify(journal.Completed, "tool.outcome_unknown", "workspace.gate_blocked", "", "", "")
	for _, req := range s.asked {
		if req.Turn == 1 {
			t.Error("the turn is asked again")
		}
	}
}

// A history that a provider would refuse is not sent.
func TestInvalidHistory(t *testing.T) {
	t.Parallel()
	s := newShow(t, swarmtest.Script{})
	m, err := s.env.Invocation(Birth{Kind: "root", Profile: "root", Path: "root", Brief: ""})
	if err != nil {
		t.Fatal(err)
	}
	s.keep(journal.Record{Scope: journal.Scope{Invocation: "root"}, Payload: m})
	s.begin()
	s.verify(journal.Failed)
	if len(s.asked) != 0 || len(s.ops) != 1 || s.ops[0].End.Code != "journal.history_invalid" {
		t.Errorf("asked %d times, ops %+v", len(s.asked), s.ops)
	}
}
