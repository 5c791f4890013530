package agent

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// invocation is the actor of one agent's conversation. It holds the fold of its own
// records, proposes what [Part] decides, and carries out commands when the run has
// made the records below them durable.
type invocation struct {
	sh     *Shared
	run    actors.Ref
	path   string
	first  []journal.Record // of the first incarnation
	resume bool             // first comes from a journal: open calls are recovered

	part   *Part
	live   Live
	tag    uint64 // of the newest proposal
	acked  uint64 // newest accepted one
	asked  uint64 // the one that holds the next model request
	seen   int64  // seq of the newest record that the run gave at a start
	ride   []journal.Record
	held   []heldCommand
	lost   bool
	asker  actors.Ref
	waits  limited // what the limiter has the asker wait for
	calls  map[string]actors.Ref
	armed  time.Time // when the timer of the earliest deadline fires
	work   Work      // reused
	sealed []sealed  // gates that an unknown outcome of ours keeps closed to writers
	early  []any     // what came before the part was there
	check  model.Checker
	valid  int // changes of the history that check knows
}

type sealed struct {
	gate actors.Ref
	by   string
}

type heldCommand struct {
	tag uint64
	cmd Command
}

// Spec describes the actor of an invocation. records are all of the invocation's
// records so far; resume says that they come from a journal whose process has gone.
func Spec(sh *Shared, run actors.Ref, path string, records []journal.Record, resume bool) actors.Spec {
	return actors.Spec{
		Name: path, Kind: "invocation",
		New: func() actors.Actor {
			return &invocation{sh: sh, run: run, path: path, first: records, resume: resume}
		},
	}
}

// Receive implements [actors.Actor].
func (a *invocation) Receive(c *actors.Context, msg any) {
	switch m := msg.(type) {
	case actors.Started: // it is temporary: the run makes another one when it fails
		a.fold(c, a.first, a.resume)
		a.first = nil
		return
	case Rejoined:
		if m.Err != nil {
			panic(m.Err)
		}
		a.rejoined(c, m.Records)
		return
	case actors.Stopping:
		a.unseal(c)
		return
	}
	if a.part == nil || a.lost {
		if _, ok := msg.(Lost); !ok {
			a.early = append(a.early, msg)
		}
		return
	}
	a.handle(c, msg)
}

func (a *invocation) handle(c *actors.Context, msg any) {
	switch m := msg.(type) {
	case Accepted:
		a.accepted(c, m)
	case Recorded:
		a.foldExtra(m.Records)
		a.advance(c, nil)
		if a.part.Phase == Ended {
			c.StopSelf()
		}
	case Lost:
		a.lost = true
		c.Tell(a.run, Rejoin{From: c.Self(), Path: a.path})
	case *answered:
		a.live.Asking = false
		if a.live.Summing {
			a.live.Summing = false
			a.advance(c, a.part.Summarised(m.answer))
			return
		}
		a.unseal(c) // the model has read the reminder
		a.advance(c, a.part.Answered(m.answer, m.attempt))
	case *limited:
		a.limited(c, *m)
	case *attemptFailed:
		if !a.live.Summing { // why there is no summary stands in the record of the compaction
			a.advance(c, a.part.AttemptFailed(m.attempt, m.err))
		}
	case *modelFailed:
		summing := a.live.Summing
		a.live.Asking, a.live.Summing = false, false
		if a.live.Halt != nil {
			if summing {
				a.advance(c, nil)
			} else {
				a.advance(c, a.part.Spent(m.attempt, m.err))
			}
			return
		}
		if summing {
			a.advance(c, a.part.Unsummarised(m.err))
			return
		}
		a.advance(c, a.part.GaveUp(m.attempt, m.err))
	case actors.Granted:
		if lc := a.live.Calls[m.Tag]; lc != nil && lc.State == Queued {
			lc.State, lc.Order, lc.deadline = Admitted, m.Order, time.Time{}
			a.advance(c, nil)
			return
		}
		c.Tell(m.Gate, actors.Release{Holder: c.Self(), Tag: m.Tag})
	case actors.Closed:
		a.blocked(c, m)
	case *looked:
		a.looked(c, m)
	case *callDone:
		delete(a.calls, m.key)
		a.advance(c, a.settle(m))
	case actors.Terminated:
		a.ended(c, m)
	case actors.Tick:
		a.overdue(c)
	case HaltWork:
		if a.live.Halt == nil || a.live.Halt.Close {
			h := m.Halt
			a.live.Halt = &h
		}
		a.advance(c, nil)
	}
}

// fold builds the part. After a crash it settles what cannot be known before it goes
// on, and closes the gates of such writes until the model has been told.
func (a *invocation) fold(c *actors.Context, recs []journal.Record, recovered bool) {
	a.part = NewPart(a.sh.Env, a.sh.Run)
	a.part.Given = a.sh.given()
	if err := a.part.FoldAll(recs); err != nil {
		panic(err)
	}
	if n := len(recs); n > 0 {
		a.seen = recs[n-1].Seq
	}
	var first []journal.Record
	if recovered {
		first = a.part.Recover()
		for i := range first {
			cl := a.part.Call(first[i].Scope.Call)
			if gate := a.sh.Env.gateKey(cl.Binding); gate != "" {
				a.held = append(a.held, heldCommand{a.tag + 1, Command{Kind: Close, Call: cl.Key, Gate: gate}})
			}
		}
	}
	a.advance(c, first)
	early := a.early
	a.early = nil
	for _, m := range early {
		a.handle(c, m)
	}
}

// rejoined goes on after a loss: what runs goes on, what was proposed is forgotten.
func (a *invocation) rejoined(c *actors.Context, recs []journal.Record) {
	a.lost = false
	held := a.held
	a.held, a.ride = nil, nil
	a.acked = a.tag
	a.live.Held, a.live.Ending, a.asked = false, false, 0
	for _, h := range held {
		switch h.cmd.Kind {
		case Leave, Close, Stop: // what was settled is settled, whoever did it, and what runs is told to stop
			a.carry(c, h.cmd)
		case AskModel, Summarise:
			a.live.Asking, a.live.Summing = false, false
		default:
			a.forget(c, h.cmd.Call)
		}
	}
	for key, lc := range a.live.Calls { // the order of these is of no consequence
		if lc.State == Deciding {
			delete(a.live.Calls, key)
		}
	}
	a.check.Reset()
	a.fold(c, recs, false)
}

// forget drops a call that was about to begin and has not.
func (a *invocation) forget(c *actors.Context, key string) {
	if lc := a.live.Calls[key]; lc != nil && lc.Gate != "" && lc.State != Queued {
		c.Tell(a.sh.Gates[lc.Gate], actors.Release{Holder: c.Self(), Tag: key})
	}
	delete(a.live.Calls, key)
}

// advance folds and proposes records, and asks the part what to do until it has
// nothing more to say.
func (a *invocation) advance(c *actors.Context, recs []journal.Record) {
	if a.lost {
		return
	}
	a.foldOwn(recs)
	w := &a.work
	w.Records, w.Ops, w.Commands = recs, nil, w.Commands[:0]
	for {
		r, o, k := len(w.Records), len(w.Ops), len(w.Commands)
		w.Ride = false
		a.part.Next(&a.live, w)
		if len(w.Records) == r && len(w.Ops) == o && len(w.Commands) == k {
			break
		}
		a.foldOwn(w.Records[r:])
		if w.Ride && r == 0 && o == 0 && a.acked == a.tag {
			a.ride = append(a.ride, w.Records...)
			now := w.Commands[k:]
			w.Records, w.Commands = nil, w.Commands[:k]
			for _, cmd := range now {
				a.carry(c, cmd)
			}
		}
	}
	a.publish(c)
	if len(w.Records) > 0 || len(w.Ops) > 0 {
		a.propose(c)
	}
	if a.acked == a.tag {
		for _, cmd := range w.Commands {
			a.carry(c, cmd)
		}
		return
	}
	for _, cmd := range w.Commands {
		a.held = append(a.held, heldCommand{a.tag, cmd})
	}
}

// publish says what the invocation waits for, for the view of the tree.
func (a *invocation) publish(c *actors.Context) {
	switch p := a.part; {
	case a.live.Summing:
		c.Publish("running", "compaction")
	case a.live.Asking && a.waits.reason != "":
		c.Publish("waiting", a.waits.String())
	case a.live.Asking:
		c.Publish("running", "model")
	case p.Phase == Settling && p.Open > 0:
		for i := range p.Calls {
			switch cl := &p.Calls[i]; {
			case cl.State == Settled:
				continue
			case cl.Tool == AwaitTool:
				c.Publish("waiting", "children")
			default:
				c.Publish("running", cl.Name)
			}
			return
		}
	}
}

// limited notes what the limiter has the model call wait for.
func (a *invocation) limited(c *actors.Context, l limited) {
	if l == a.waits {
		return
	}
	was := a.waits.reason
	a.waits = l
	a.publish(c)
	if a.sh.Limited != nil && l.reason != was {
		a.sh.Limited(a.path, l.reason)
	}
}

// propose sends the records and operations of the work at hand to the run.
func (a *invocation) propose(c *actors.Context) {
	w := &a.work
	if len(a.ride) > 0 {
		w.Records = append(a.ride, w.Records...)
		a.ride = nil
	}
	a.tag++
	if a.live.Held && a.asked == 0 {
		a.asked = a.tag
	}
	c.Tell(a.run, &Proposal{From: c.Self(), Path: a.path, Incarnation: c.Incarnation(), Tag: a.tag, Records: w.Records, Ops: w.Ops})
	w.Records, w.Ops = nil, nil
}

// unseal opens the gates that were closed by calls of ours whose outcome is unknown.
func (a *invocation) unseal(c *actors.Context) {
	for _, s := range a.sealed {
		c.Tell(s.gate, actors.Unseal{By: s.by})
	}
	a.sealed = nil
}

const gateWait = 10 * time.Minute // of a writer for a closed gate (workspace spec §7)

// blocked hears that a gate is closed to a writer of ours by a call whose outcome is
// unknown. A call of the same turn gives up at once, another one waits for a while.
func (a *invocation) blocked(c *actors.Context, m actors.Closed) {
	lc := a.live.Calls[m.Tag]
	if lc == nil || lc.State != Queued {
		return
	}
	if a.part.Call(m.By) == nil {
		a.deadline(c, lc, gateWait)
		return
	}
	a.gateBlocked(c, m.Tag)
}

func (a *invocation) gateBlocked(c *actors.Context, key string) {
	a.advance(c, a.settle(&callDone{key: key, result: tooling.Fail("workspace.gate_blocked",
		"not run: an earlier write here has an unknown outcome; inspect the state, then ask again")}))
}

// deadline sees to it that a call is told to stop in time. One timer serves all calls:
// it is set for the earliest deadline and looks again when it fires.
func (a *invocation) deadline(c *actors.Context, lc *LiveCall, d time.Duration) {
	lc.deadline = c.Now().Add(d)
	if a.armed.IsZero() || lc.deadline.Before(a.armed) {
		a.armed = lc.deadline
		c.After("calls", d)
	}
}

func (a *invocation) overdue(c *actors.Context) {
	now := c.Now()
	a.armed = time.Time{}
	var blocked []string
	for key, lc := range a.live.Calls { // the order of these is of no consequence
		switch {
		case lc.deadline.IsZero():
		case lc.deadline.After(now):
			if a.armed.IsZero() || lc.deadline.Before(a.armed) {
				a.armed = lc.deadline
			}
		case lc.State == Queued:
			blocked = append(blocked, key)
		default:
			if ref, ok := a.calls[key]; ok {
				c.Tell(ref, stopWork{"tool.timeout"})
			}
		}
	}
	if !a.armed.IsZero() {
		c.After("calls", a.armed.Sub(now))
	}
	slices.Sort(blocked)
	for _, key := range blocked {
		a.gateBlocked(c, key)
	}
}

func (a *invocation) foldOwn(recs []journal.Record) {
	for i := range recs {
		if err := a.part.Fold(&recs[i]); err != nil {
			panic(err)
		}
	}
}

// foldExtra folds records that the run made. A call that it settled is no longer under way.
func (a *invocation) foldExtra(recs []journal.Record) {
	for len(recs) > 0 && recs[0].Seq <= a.seen {
		recs = recs[1:] // was among what the run gave anew
	}
	a.foldOwn(recs)
	for i := range recs {
		switch recs[i].Payload.(type) {
		case *journal.CallSettled:
			delete(a.live.Calls, recs[i].Scope.Call)
		}
	}
}

func (a *invocation) accepted(c *actors.Context, m Accepted) {
	a.acked = m.Tag
	a.foldExtra(m.Extra)
	n := 0
	for ; n < len(a.held) && a.held[n].tag <= m.Tag; n++ {
		a.carry(c, a.held[n].cmd)
	}
	a.held = append(a.held[:0], a.held[n:]...)
	if a.live.Held && m.Tag >= a.asked {
		a.live.Held, a.asked = false, 0
	}
	a.advance(c, nil)
	if a.part.Phase == Ended {
		c.StopSelf()
	}
}

// settle gives the records of a finished effect. The gate is left when they are durable.
func (a *invocation) settle(m *callDone) []journal.Record {
	lc := a.live.Calls[m.key]
	delete(a.live.Calls, m.key)
	recs := a.part.Done(m.key, m.result, m.took)
	if lc != nil && lc.Gate != "" {
		kind := Leave
		if m.result.Outcome == journal.Unknown {
			kind = Close
		}
		a.held = append(a.held, heldCommand{a.tag + 1, Command{Kind: kind, Call: m.key, Gate: lc.Gate}})
		if len(recs) == 0 {
			a.held[len(a.held)-1].tag = a.tag
		}
	}
	return recs
}

func (a *invocation) looked(c *actors.Context, m *looked) {
	delete(a.calls, m.key)
	lc := a.live.Calls[m.key]
	if lc == nil || lc.State != Preparing {
		return
	}
	if m.refuse != nil {
		a.advance(c, a.settle(&callDone{key: m.key, result: *m.refuse}))
		return
	}
	lc.State, lc.Intent = Prepared, m.intent
	a.advance(c, nil)
}

// ended settles the work of a call actor that ended without an answer.
func (a *invocation) ended(c *actors.Context, m actors.Terminated) {
	if m.Ref == a.asker {
		a.asker = actors.Ref{}
		a.limited(c, limited{})
		if a.live.Asking {
			summing := a.live.Summing
			a.live.Asking, a.live.Summing = false, false
			recs := a.askerFailed(m.Failure)
			if summing {
				recs = a.part.Unsummarised(&model.Error{Code: "model.failed"})
			}
			a.advance(c, recs)
		}
		return
	}
	for key, ref := range a.calls {
		if ref == m.Ref {
			delete(a.calls, key)
			r := tooling.Fail("tool.panicked", "the tool failed inside; its effect may be incomplete")
			if m.Failure != nil {
				r.Stack = a.sh.Env.maskFailure(m.Failure).Stack
			}
			if cl := a.part.Call(key); cl != nil && cl.State == Dispatched && !a.part.rerun(cl) {
				r = a.part.unknown(cl)
			}
			a.advance(c, a.settle(&callDone{key: key, result: r}))
			return
		}
	}
}

// askerFailed gives the records of a model call actor that ended without an answer: a
// failed attempt, after which the same turn is asked for again, but not for ever.
func (a *invocation) askerFailed(f *actors.Failure) []journal.Record {
	e := &model.Error{Class: model.ClassTransient, Code: "model.failed", Detail: "the model call ended without an answer"}
	if f != nil {
		e.Detail = "the model call failed inside: " + bounded(a.sh.Env.maskFailure(f).Reason, 200)
	}
	n := a.part.Attempts + 1
	if n >= defaultAttempts {
		return a.part.GaveUp(n, e)
	}
	return a.part.AttemptFailed(n, e)
}

// carry carries out one command.
func (a *invocation) carry(c *actors.Context, cmd Command) {
	switch cmd.Kind {
	case AskModel:
		a.ask(c)
	case Summarise:
		m, req := a.part.SummaryRequest()
		a.send(c, &askModel{m: m, req: req, quiet: true})
	case Enter:
		c.Tell(a.sh.Gates[cmd.Gate], actors.Acquire{Holder: c.Self(), Tag: cmd.Call, Mode: cmd.Mode})
	case Leave:
		if cmd.Gate != "" {
			c.Tell(a.sh.Gates[cmd.Gate], actors.Release{Holder: c.Self(), Tag: cmd.Call})
		}
	case Close:
		gate := a.sh.Gates[cmd.Gate]
		c.Tell(gate, actors.Seal{Holder: c.Self(), Tag: cmd.Call, By: cmd.Call})
		a.sealed = append(a.sealed, sealed{gate, cmd.Call})
	case Look, Execute:
		a.start(c, cmd)
	case Stop:
		if cmd.Call == "" {
			if !a.asker.IsZero() {
				c.Tell(a.asker, stopWork{"model.cancelled"})
			}
		} else if ref, ok := a.calls[cmd.Call]; ok {
			code := "tool.cancelled"
			if h := a.live.Halt; h != nil && h.Close {
				code = "tool.timeout" // the closing turn does not wait for it for ever
			}
			c.Tell(ref, stopWork{code})
		}
	}
}

// start spawns the actor of one call.
func (a *invocation) start(c *actors.Context, cmd Command) {
	cl := a.part.Call(cmd.Call)
	lc := a.live.Calls[cmd.Call]
	if cl == nil || lc == nil {
		return
	}
	tool, _ := a.sh.Env.Catalogue.Lookup(cl.Tool)
	w := &toolCall{parent: c.Self(), env: a.sh.Env, log: a.sh.Log, tool: tool, look: cmd.Kind == Look}
	w.call = tooling.Call{Key: cl.Key, Run: a.sh.Run, Path: a.path, Tool: cl.Tool, Again: lc.Again, Args: cl.Args, Input: a.part.Given, Now: c.Clock().Now, Rand: a.sh.Rand, State: lc.Intent.State,
		Timeout: a.part.timeout(cl)}
	if w.call.State == nil && cl.Commit != nil {
		w.call.State = cl.Commit
	}
	if tool.GateKey == "ws" || tool.GateKey == "mount" {
		limits := a.sh.Limits
		limits.InlineChars = a.part.Profile.InlineChars
		w.call.View = workspace.NewView(workspace.ViewOptions{Manifest: a.sh.Files(), Roots: a.part.Profile.Roots, Mounts: a.sh.Env.Mounts,
			Reads: a.part.Reads, Blobs: a.sh.Blobs, Limits: limits, Agent: a.path})
	}
	wait := w.call.Timeout
	if tool.Bounded {
		wait += tooling.WaitSlack
	}
	a.deadline(c, lc, wait)
	ref, err := c.Spawn(actors.Spec{Kind: "tool call", New: func() actors.Actor { return w }})
	if err != nil {
		c.Tell(c.Self(), &callDone{key: cl.Key, result: tooling.Fail("tool.failed", fmt.Sprintf("the tool could not be started: %v", err))})
		return
	}
	if a.calls == nil {
		a.calls = make(map[string]actors.Ref, 4)
	}
	a.calls[cmd.Call] = ref
}
