package delegate

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Decision is what came of a question: records to append, and what to do once they
// are durable. The state has already taken the records in: a further decision may be
// asked for at once, and a failed append ends the run.
type Decision struct {
	Records []journal.Record
	Outs    []Out

	s   *State
	now time.Time
	by  string // path of the proposer
	ext []journal.Record
}

// OutKind is what an [Out] does.
type OutKind uint8

// Kinds of outs.
const (
	Accept  OutKind = iota + 1 // tell Path that its proposal Tag stands; Records are extra
	Lose                       // tell Path that something of its proposal Tag was refused
	Tell                       // tell Path of Records that the run made for it
	Spawn                      // start the actor of Path with Records
	Revive                     // the same, of an invocation that a journal brought back
	Halt                       // tell Path to end its work
	Kill                       // end the actor of Path
	Timer                      // set the timer Name to After
	Untimer                    // cancel the timer Name
	Over                       // the run has ended
	Reply                      // answer the command of number Tag with Name
)

// Out is something that the run actor carries out when the decision's records are durable.
type Out struct {
	Kind    OutKind
	Path    string
	Tag     uint64
	Records []journal.Record
	Halt    agent.Halt
	Name    string
	After   time.Duration
}

func (s *State) begin(now time.Time, by string) *Decision { return &Decision{s: s, now: now, by: by} }

// stamp completes a record and takes it into the state.
func (d *Decision) stamp(r *journal.Record) {
	s := d.s
	r.V, r.Run, r.Epoch, r.Seq, r.Prev = 1, s.Run, s.Epoch, s.Seq+1, s.Seq
	r.At = d.now
	s.Seq++
	if err := s.apply(r); err != nil {
		panic(err) // a record of our own that our own state does not take
	}
}

// add makes a record and notes it for the invocation that it concerns.
func (d *Decision) add(scope journal.Scope, p journal.Payload) *journal.Record {
	d.Records = append(d.Records, journal.Record{Scope: scope, Payload: p})
	r := &d.Records[len(d.Records)-1]
	d.stamp(r)
	switch {
	case scope.Invocation == "":
	case scope.Invocation == d.by:
		d.ext = append(d.ext, *r)
	default:
		d.tell(scope.Invocation, *r)
	}
	return r
}

func (d *Decision) tell(path string, r journal.Record) {
	for i := range d.Outs {
		o := &d.Outs[i]
		if (o.Kind == Tell || o.Kind == Spawn) && o.Path == path {
			o.Records = append(o.Records, r)
			return
		}
	}
	kind := Tell
	if r.Type() == journal.TInvocationCreated {
		kind = Spawn
	}
	d.Outs = append(d.Outs, Out{Kind: kind, Path: path, Records: []journal.Record{r}})
}

func (d *Decision) out(o Out) { d.Outs = append(d.Outs, o) }

// settle gives a call its result.
func (d *Decision) settle(inv *Inv, key string, r tooling.Result) {
	c := inv.call(key)
	if c == nil || !c.open {
		return
	}
	delete(d.s.awaits, key)
	delete(d.s.kills, key)
	m := agent.Settlement(r)
	m.Dispatched = c.dispatched
	d.add(d.scope(inv, key), m)
}

func (d *Decision) scope(inv *Inv, key string) journal.Scope {
	return journal.Scope{Invocation: inv.Path, Task: inv.Task, Turn: inv.Turn, Call: key}
}

// Propose decides a proposal. Facts of a live invocation are taken; what begins
// something new is refused when its work is being ended; what concerns a call that is
// settled already, or an invocation that has ended, is late.
func (s *State) Propose(p *agent.Proposal, now time.Time) *Decision {
	d := s.begin(now, p.Path)
	inv := s.Inv[p.Path]
	if inv == nil || inv.Ended || s.Status == "ended" {
		d.late(p, "the invocation has ended")
		d.out(Out{Kind: Lose, Path: p.Path, Tag: p.Tag})
		return d
	}
	d.Records = p.Records[:0]
	refused, held := false, false
	kept := "" // call whose settlement was taken
	for i := range p.Records {
		r := p.Records[i]
		switch m := r.Payload.(type) {
		case *journal.ModelRequested:
			if inv.Halting && !m.Closing {
				refused = true
				continue
			}
			if d.exceeds(inv, &r, m) {
				refused = true
				continue
			}
			if !d.request(inv, r, p.Tag) {
				held = true
			}
			continue
		case *journal.CompactionRequested:
			if inv.Halting {
				refused = true
				continue
			}
		case *journal.TurnCorrected:
			if m.Rule == agent.RuleTextOnly && s.waiting(inv) {
				said := *m // what a human says stands in place of the reminder: the invocation takes its part anew
				said.Text, said.Instead = journal.Content{}, "guidance"
				r.Payload, refused = &said, true
			}
		case *journal.CallRequested:
			if b := s.Env.Budgets.Calls; b > 0 && s.calls >= b && m.Counted && !endless(m.Tool) {
				refused = true
				d.refuse(inv, r, m, b)
				continue
			}
		case *journal.CallChecked:
			if c := inv.call(r.Scope.Call); c != nil && !c.open {
				continue // refused above
			}
		case *journal.CallDispatched, *journal.CommitRequested:
			if c := inv.call(r.Scope.Call); c != nil && !c.open {
				continue
			}
			if inv.Halting && s.barrier(inv, r.Scope.Call) {
				refused = true
				continue
			}
			if m, ok := m.(*journal.CommitRequested); ok {
				m.Number = s.nCommits + 1
			}
		case *journal.CallSettled:
			if c := inv.call(r.Scope.Call); c == nil || !c.open {
				refused = true
				continue
			}
			kept = r.Scope.Call
			delete(s.awaits, kept)
			delete(s.kills, kept)
		case *journal.FileChanged:
			if cur, _ := s.Files.Get(m.Path); r.Scope.Call != kept && !agent.IsCopy(m.Path) || cur.Hash != m.Old {
				refused = true
				continue
			}
		}
		d.Records = append(d.Records, r)
		d.stamp(&d.Records[len(d.Records)-1])
	}
	for i := range p.Ops {
		d.op(inv, &p.Ops[i])
	}
	s.lend(d, inv)
	s.fill(d)
	switch {
	case refused:
		d.out(Out{Kind: Lose, Path: p.Path, Tag: p.Tag})
	case !held:
		d.Outs = append(d.Outs, Out{})
		copy(d.Outs[1:], d.Outs)
		d.Outs[0] = Out{Kind: Accept, Path: p.Path, Tag: p.Tag, Records: d.ext}
	case len(d.ext) > 0:
		d.out(Out{Kind: Tell, Path: p.Path, Records: d.ext})
	}
	return d
}

// endless says whether a tool is never refused by a budget: without it an exhausted agent
// could not end.
func endless(tool string) bool {
	return tool == agent.FinishTool || tool == agent.ReturnTool || tool == agent.HandoffTool || tool == tooling.IDCommit
}

// refuse takes a call over the run's limit into the journal and settles it at once. Its
// invocation has not reckoned with that and takes its part anew.
func (d *Decision) refuse(inv *Inv, r journal.Record, m *journal.CallRequested, limit int) {
	over := *m
	over.Counted = false
	r.Payload = &over
	d.Records = append(slices.Clip(d.Records), r)
	d.stamp(&d.Records[len(d.Records)-1])
	d.settle(inv, r.Scope.Call, tooling.Fail("budget.calls", fmt.Sprintf("All %d tool calls of this run are used. End now.", limit)))
}

// barrier says whether a call's effect waits for its durable dispatch. The others have
// begun when their dispatch is proposed, so it is a fact and not a wish.
func (s *State) barrier(inv *Inv, key string) bool {
	c := inv.call(key)
	if c == nil {
		return true
	}
	t, ok := s.Env.Catalogue.Lookup(c.tool)
	return !ok || (t.Effect.Class == tooling.Write && t.Again != tooling.AgainAppend)
}

// Facts strips a proposal of what begins something new, and says whether there was any: a
// run that comes to rest takes facts only. What is left out is proposed anew after the
// resume.
func (s *State) Facts(p *agent.Proposal) bool {
	inv := s.Inv[p.Path]
	if inv == nil {
		return false
	}
	kept := p.Records[:0]
	asked := map[string]bool{} // calls of this very proposal that would begin
	for i := range p.Records {
		r := p.Records[i]
		switch m := r.Payload.(type) {
		case *journal.ModelRequested, *journal.CommitRequested, *journal.CompactionRequested:
			continue
		case *journal.CallRequested:
			t, ok := s.Env.Catalogue.Lookup(m.Tool)
			asked[r.Scope.Call] = !ok || (t.Effect.Class == tooling.Write && t.Again != tooling.AgainAppend)
		case *journal.CallDispatched:
			if waits, here := asked[r.Scope.Call]; waits || !here && s.barrier(inv, r.Scope.Call) {
				continue
			}
		}
		kept = append(kept, r)
	}
	stripped := len(kept) < len(p.Records) || len(p.Ops) > 0
	p.Records, p.Ops = kept, nil
	return stripped
}

// late records what lost: settlements only, since a lost intent has had no effect.
func (d *Decision) late(p *agent.Proposal, why string) {
	for i := range p.Records {
		if m, ok := p.Records[i].Payload.(*journal.CallSettled); ok {
			d.Records = append(d.Records, journal.Record{Scope: journal.Scope{Call: p.Records[i].Scope.Call}, Optional: true,
				Payload: &journal.LateEvent{Of: "call_settled", Claim: string(m.Outcome), By: p.Path, Because: why}})
			d.stamp(&d.Records[len(d.Records)-1])
		}
	}
}

// request lets the next model request of an invocation go out, with the results of its
// children that it has not been given yet. It reports false when the request has to
// wait for a slot.
func (d *Decision) request(inv *Inv, r journal.Record, tag uint64) bool {
	s := d.s
	t := s.Tasks[inv.Task]
	if t != nil && t.Lent {
		if !s.free(s.Inv[t.Parent]) {
			s.unhold(inv.Path)
			s.held = append(s.held, heldRequest{inv.Path, r, tag})
			return false
		}
		d.add(journal.Scope{Task: t.ID}, &journal.SlotTaken{})
	}
	d.deliver(inv, r.Scope.Turn)
	if m, ok := r.Payload.(*journal.ModelRequested); ok && !m.Closing { // in the closing turn nothing can be done about it
		d.apply(inv, r.Scope.Turn)
	}
	d.Records = append(d.Records, r)
	d.stamp(&d.Records[len(d.Records)-1])
	return true
}

// deliver adds the ended, not yet delivered results of an invocation's children as one
// host message.
func (d *Decision) deliver(inv *Inv, turn int) {
	if len(inv.Children) == 0 {
		return
	}
	s := d.s
	var due []*Task
	for _, id := range inv.Children {
		if t := s.Tasks[id]; t.State == "ended" && !t.Delivered {
			due = append(due, t)
		}
	}
	if len(due) == 0 {
		return
	}
	d.Records = slices.Clip(d.Records) // the rest of the proposal is still to be read from its array
	text := s.capsules(inv, due)
	for i, t := range due {
		m := &journal.TaskDelivered{To: inv.Path, Via: "auto"}
		if i == 0 {
			m.Text, m.Shown = journal.Text(text), len([]rune(text))
		}
		d.add(journal.Scope{Invocation: inv.Path, Task: t.ID, Turn: turn}, m)
	}
}

// op decides one operation.
func (d *Decision) op(inv *Inv, op *agent.Op) {
	s := d.s
	if inv.Ended {
		return
	}
	if op.Kind == agent.OpEnd {
		s.endWith(d, inv, pendingEnd{end: *op.End})
		return
	}
	if c := inv.call(op.Call); c == nil || !c.open {
		return
	}
	if inv.Halting {
		return // it settles its open calls itself
	}
	switch op.Tool {
	case agent.DelegateTool:
		d.settle(inv, op.Call, s.delegate(d, inv, op))
	case agent.AwaitTool:
		s.await(d, inv, op)
	case agent.CancelTool:
		s.cancelTasks(d, inv, op)
	case agent.HandoffTool:
		s.handoff(d, inv, op)
	case agent.ReturnTool:
		s.returned(d, inv, op)
	case agent.FinishTool:
		s.finish(d, inv, op)
	case agent.ListTool:
		d.settle(inv, op.Call, s.list(inv, op.Args))
	case agent.ResultTool:
		d.settle(inv, op.Call, s.readResult(inv, op.Args))
	default:
		d.settle(inv, op.Call, tooling.Fail("tool.unavailable", "this tool is not available"))
	}
}

// maxListed is how many calls or paths one record names, so that it stays below the
// limit of a record whatever a run has done.
const maxListed = 50
