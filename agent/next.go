package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
)

// Live is what one incarnation of an invocation has under way. It is lost with it.
type Live struct {
	Asking  bool // a model call actor is at work
	Summing bool // it is asked for a summary, not for a turn
	Calls   map[string]*LiveCall
	Halt    *Halt // the work has to end
	Ending  bool  // the end of the invocation was proposed
	Held    bool  // the next request was proposed and is not durable yet
}

// LiveCall is a call that is under way.
type LiveCall struct {
	State  LiveState
	Gate   string // key of a gate that it waits for or holds
	Order  uint64 // of the grant
	Intent tooling.Intent
	Stop   bool // its effect was told to stop
	Again  bool // it was dispatched before and its end was not seen

	deadline time.Time // of the effect under way
}

// LiveState of a call.
type LiveState uint8

// States of a call that is under way.
const (
	Deciding  LiveState = iota + 1 // the run decides it
	Queued                         // waits at its gate
	Admitted                       // holds its gate
	Preparing                      // looks before it is dispatched
	Prepared
	Running
)

// Halt ends the work of an invocation: at once, or by way of the closing turn.
type Halt struct {
	Close  bool   // a closing turn follows
	Over   bool   // the closing turn has had its time
	Reason string // stop reason, e.g. "cancelled", "budget.time"
	By     string

	told bool // the model call was told to stop
}

// Work is what has to be done in a state. Next adds to it.
type Work struct {
	Records  []journal.Record // to propose; they take effect in the part at once
	Ops      []Op             // for the run to decide, with the records
	Commands []Command        // to carry out when the records are durable
	Ride     bool             // the records may wait for the next proposal, the commands need not
}

// Op asks the run for a decision that is not the invocation's own.
type Op struct {
	Kind OpKind
	Call string          // key, with OpCall
	Tool string          // id, with OpCall
	Args *tooling.Object // with OpCall
	End  *End            // with OpEnd
}

// OpKind is what an [Op] asks for.
type OpKind uint8

// Kinds of operations.
const (
	OpCall OpKind = iota + 1 // a call of a tool that the run decides
	OpEnd                    // the invocation ends without a finishing call
)

// End is how an invocation ends without a finishing call.
type End struct {
	Outcome journal.Outcome
	Reason  string
	Code    string
	Text    string
}

// CommandKind is what a [Command] does.
type CommandKind uint8

// Kinds of commands.
const (
	AskModel CommandKind = iota + 1
	Enter                // ask the gate
	Look                 // run the tool's Prepare
	Execute
	Leave     // release the gate, or withdraw from its queue
	Close     // release the gate, but keep it closed to writers: the outcome is unknown
	Stop      // cancel the call's effect
	Summarise // ask a model for the summary that is pending
)

// Command is something that the invocation actor carries out.
type Command struct {
	Kind CommandKind
	Call string
	Gate string
	Mode actors.GateMode
}

// Next says what has to be done now. It is pure but for live, in which it notes what it
// asks for, so that the same thing is not asked for twice.
func (p *Part) Next(live *Live, w *Work) {
	switch {
	case p.Phase == Ended || live.Ending:
	case p.Fatal != "":
		p.end(w, live, p.failure())
	case live.Halt != nil:
		p.halt(w, live)
	case p.Phase == Settling && p.Open > 0:
		p.calls(w, live)
	case p.Phase == Settling:
		p.text(w, live)
	case p.Phase == Idle && !live.Asking:
		p.request(w, live)
	case p.Phase == Requested && !live.Asking && !live.Held:
		if p.fitting(w, live) {
			return
		}
		live.Asking = true
		w.Commands = append(w.Commands, Command{Kind: AskModel})
	}
}

// request asks for the next turn, or ends the work when a bound is reached.
func (p *Part) request(w *Work, live *Live) {
	if p.closeDone {
		p.end(w, live, p.closed())
		return
	}
	if p.Closing == "" {
		if reason := p.exhausted(); reason != "" {
			p.exceed(w, live, reason)
			return
		}
		if p.stall.times >= p.Profile.StallNote && !p.stall.noted {
			text := fmt.Sprintf("The last %d turns asked for the same calls and got the same results. Change the approach, or end.", p.stall.times)
			w.Records = append(w.Records, p.rec(&journal.TurnCorrected{Rule: ruleStall, Count: p.stall.times, Bound: p.Profile.StallStop, Text: journal.Text(text)}, p.Turn, ""))
			return
		}
	}
	if p.fitting(w, live) {
		return
	}
	live.Held = true
	w.Records = append(w.Records, p.rec(p.requested(p.fallback), p.Turn+1, ""))
}

// exhausted names the bound that ends the normal turns, or "".
func (p *Part) exhausted() string {
	switch {
	case p.BadTurns >= p.Profile.MaxBadTurns:
		return "bad_turns"
	case p.stall.times >= p.Profile.StallStop:
		return "no_progress"
	case p.Rounds >= p.Profile.Rounds:
		return "budget.rounds"
	case p.spent:
		return "budget.calls"
	}
	return p.overspent()
}

func (p *Part) close(w *Work, reason string) {
	what := map[string]string{
		"bad_turns":     fmt.Sprintf("%d turns in a row could not be used", p.Profile.MaxBadTurns),
		"no_progress":   "the same calls gave the same results again and again",
		"budget.rounds": "the limit of rounds is reached",
		"budget.calls":  "all tool calls of the run are used",
		budgetTokens:    "the tokens that may be used are used",
		"budget.time":   "the time for this task is over",
		exhaustedReason: "the conversation is too long for the model",
	}[reason]
	if what == "" {
		what = "the limit " + reason + " is reached"
	}
	text := "The work ends here: " + what + ". No tool can be called any more. Say in plain text what was done, what is certain, and what is missing."
	w.Records = append(w.Records, p.rec(&journal.TurnClosed{Reason: reason, Text: journal.Text(text)}, p.Turn, ""))
}

// RuleTextOnly is the rule of the correction of a turn that was text only.
const RuleTextOnly = "text_only"

const (
	ruleStall   = "no_progress"
	ruleBadCall = "malformed_call"
)

// text goes on after an answer without calls.
func (p *Part) text(w *Work, live *Live) {
	if p.Closing != "" {
		p.end(w, live, p.closed())
		return
	}
	if p.stop == model.FinishFilter {
		p.end(w, live, End{Outcome: journal.Failed, Reason: "model.failed", Code: "model.content_filter", Text: p.LastText})
		return
	}
	if p.TextTurns >= p.Profile.MaxTextTurns {
		p.end(w, live, p.without())
		return
	}
	if reason := p.exhausted(); reason != "" {
		if reason == "bad_turns" && p.pieces != "" {
			p.end(w, live, End{Outcome: journal.Partial, Reason: reason, Text: p.pieces})
			return
		}
		p.exceed(w, live, reason)
		return
	}
	rule, count, bound := RuleTextOnly, p.TextTurns, p.Profile.MaxTextTurns
	switch {
	case p.stop == model.FinishBadCall:
		rule, count, bound = ruleBadCall, p.BadTurns, p.Profile.MaxBadTurns
	case p.TextTurns == 0:
		rule, count, bound = "empty_answer", p.BadTurns, p.Profile.MaxBadTurns
		if p.pieces != "" {
			rule = "cut"
		}
	}
	w.Records = append(w.Records, p.rec(&journal.TurnCorrected{Rule: rule, Count: count, Bound: bound, Text: journal.Text(p.correction(rule, bound-count))}, p.Turn, ""))
}

// correction is the reminder after a turn without calls.
func (p *Part) correction(rule string, left int) string {
	var s string
	switch {
	case rule == "cut":
		return "Your text was cut at the length limit. Go on exactly where it stopped."
	case rule == "empty_answer":
		s = "Your last answer was empty. "
	case rule == ruleBadCall:
		s = "Your last call could not be read, so no tool ran. Its arguments must be one JSON object. Call the tool again. "
	case p.Kind == "child":
		s = "Your text has not reached the caller. "
	default:
		s = "Plain text is not a result. "
	}
	switch {
	case p.Kind == "child":
		s += "Return your result with " + p.name(ReturnTool) + "."
	default:
		if p.Profile.NeedCommit && p.Snap.NameOf(commitTool) != "" {
			s += "Publish with " + p.name(commitTool) + ", then end with " + p.name(FinishTool)
		} else {
			s += "Go on with tools, or end with " + p.name(FinishTool)
		}
		if p.Snap.NameOf(HandoffTool) != "" {
			s += ", or hand over with " + p.name(HandoffTool)
		}
		s += "."
	}
	if left <= 1 {
		s += " This is the last reminder."
	}
	return s
}

func (p *Part) without() End {
	reason := "ended_without_finish"
	if p.Kind == "child" {
		reason = "ended_without_return"
	}
	return p.partial(reason)
}

func (p *Part) closed() End { return p.partial(p.Closing) }

func (p *Part) partial(reason string) End {
	e := End{Outcome: journal.Partial, Reason: reason, Text: p.LastText}
	if strings.TrimSpace(p.LastText) == "" {
		e = End{Outcome: journal.Failed, Reason: reason}
	}
	if reason == exhaustedReason {
		e.Code = "model.context_exhausted"
	}
	return e
}

func (p *Part) failure() End {
	if p.Closing != "" && strings.TrimSpace(p.LastText) != "" {
		return p.partial(p.Closing)
	}
	return End{Outcome: journal.Failed, Reason: "model.failed", Code: p.Fatal, Text: p.FatalDetail}
}

func (p *Part) end(w *Work, live *Live, e End) {
	live.Ending = true
	w.Ops = append(w.Ops, Op{Kind: OpEnd, End: &e})
}

// tooLate says whether the rounds ended on the very answer that asks for these calls,
// and nothing in it ends the work: nobody would see what they bring.
func (p *Part) tooLate() bool {
	if p.Closing != "" || p.Rounds < p.Profile.Rounds {
		return false
	}
	for i := range p.Calls {
		if c := &p.Calls[i]; c.State == Dispatched || c.State == Asked && finishing(c.Tool) {
			return false
		}
	}
	return true
}

// calls brings every open call of the turn forward, in model order.
func (p *Part) calls(w *Work, live *Live) {
	if p.tooLate() {
		for i := range p.Calls {
			if c := &p.Calls[i]; c.State != Settled {
				w.Records = append(w.Records, p.rec(p.notRun(c, "budget.rounds"), p.Turn, c.Key))
			}
		}
		return
	}
	before := len(w.Records)
	rides := true
	others := 0
	failed := ""
	plan := p.Plan
	for i := range p.Calls {
		c := &p.Calls[i]
		if c.State != Settled && !finishing(c.Tool) {
			others++
		}
		if c.State == Settled && c.Code != "" && failed == "" {
			failed = c.Name
		}
	}
	for i := range p.Calls {
		c := &p.Calls[i]
		if c.State == Settled {
			continue
		}
		lc := live.Calls[c.Key]
		if decided(c.Tool) {
			if lc != nil && finishing(c.Tool) {
				break // it decides what becomes of the rest
			}
			if lc != nil || (finishing(c.Tool) && others > 0) {
				continue
			}
			if c.Tool == FinishTool && failed != "" {
				w.Records = append(w.Records, p.rec(Settlement(tooling.Fail("agent.finish_after_failed_call",
					"the call of "+failed+" in this turn failed, so the run was not finished; look at it, then finish")), p.Turn, c.Key))
				rides = false
				continue
			}
			live.set(c.Key, LiveCall{State: Deciding})
			w.Ops = append(w.Ops, Op{Kind: OpCall, Call: c.Key, Tool: c.Tool, Args: c.Args})
			if finishing(c.Tool) {
				break
			}
			continue
		}
		if c.Tool == planTool {
			r := builtin.Plan(c.Args, plan+1)
			if r.Code == "" {
				plan++
			}
			w.Records = append(w.Records, p.rec(Settlement(marshal(r)), p.Turn, c.Key))
			rides = false
			continue
		}
		rides = p.bring(w, live, c, lc) && rides
	}
	w.Ride = rides && len(w.Ops) == 0 && len(w.Records) > before
}

// bring takes one call with an effect a step further. It reports whether the records
// it added may ride with a later append.
func (p *Part) bring(w *Work, live *Live, c *Call, lc *LiveCall) bool {
	tool, ok := p.Env.Catalogue.Lookup(c.Tool)
	if !ok || tool.Handle == nil {
		w.Records = append(w.Records, p.rec(Settlement(tooling.Fail("tool.unavailable", c.Name+" is not available any more; use another tool")), p.Turn, c.Key))
		return false
	}
	if lc == nil {
		gate := p.Env.gateKey(c.Binding)
		if gate != "" {
			mode := actors.Read
			if c.Binding.Effect.Class == tooling.Write && (tool.Reads == nil || !tool.Reads(c.Args)) {
				mode = actors.Write
			}
			live.set(c.Key, LiveCall{State: Queued, Gate: gate})
			w.Commands = append(w.Commands, Command{Kind: Enter, Call: c.Key, Gate: gate, Mode: mode})
			return true
		}
		lc = live.set(c.Key, LiveCall{State: Admitted})
	}
	switch lc.State {
	case Admitted:
		if tool.Prepare != nil && c.Commit == nil { // a recorded commit is sent as promised
			lc.State = Preparing
			w.Commands = append(w.Commands, Command{Kind: Look, Call: c.Key})
			return true
		}
	case Prepared:
	default:
		return true
	}
	lc.State = Running
	w.Commands = append(w.Commands, Command{Kind: Execute, Call: c.Key})
	if c.State == Dispatched { // a recovered call that runs again
		lc.Again = true
		return true
	}
	d := &journal.CallDispatched{Gate: lc.Gate, Order: lc.Order, Pre: lc.Intent.Pre, Intended: lc.Intent.Intended}
	w.Records = append(w.Records, p.rec(d, p.Turn, c.Key))
	if lc.Intent.Commit != nil {
		w.Records = append(w.Records, p.rec(lc.Intent.Commit, p.Turn, c.Key))
	}
	return c.Binding.Effect.Class != tooling.Write || tool.Again == tooling.AgainAppend
}

// halt ends the work: what runs is told to stop, what has not begun is not run, and
// when nothing is under way any more the invocation ends, or has its closing turn.
func (p *Part) halt(w *Work, live *Live) {
	if live.Halt.Close && p.Closing != "" {
		live.Halt = nil // it has its closing turn already
		p.Next(live, w)
		return
	}
	if live.Asking && !live.Halt.told {
		live.Halt.told = true
		w.Commands = append(w.Commands, Command{Kind: Stop})
	}
	busy := live.Asking
	for i := range p.Calls {
		c := &p.Calls[i]
		lc := live.Calls[c.Key]
		if p.Phase != Settling || c.State == Settled || lc == nil {
			continue
		}
		switch lc.State {
		case Running, Preparing:
			busy = true
			if !lc.Stop {
				lc.Stop = true
				w.Commands = append(w.Commands, Command{Kind: Stop, Call: c.Key})
			}
		case Queued, Admitted, Prepared:
			w.Commands = append(w.Commands, Command{Kind: Leave, Call: c.Key, Gate: lc.Gate})
			delete(live.Calls, c.Key)
		}
	}
	if busy {
		return
	}
	if p.Phase == Settling && p.Open > 0 {
		for i := range p.Calls {
			if c := &p.Calls[i]; c.State != Settled {
				w.Records = append(w.Records, p.rec(p.notRun(c, live.Halt.Reason), p.Turn, c.Key))
			}
		}
		return // the fold of these closes the turn; Next is asked again
	}
	if live.Halt.Close {
		reason := live.Halt.Reason
		live.Halt = nil
		p.close(w, reason)
		return
	}
	if live.Halt.Over {
		reason := p.Closing
		if reason == "" { // what ran did not stop before the closing turn could begin
			reason = live.Halt.Reason
		}
		p.end(w, live, p.partial(reason))
		return
	}
	out := journal.Cancelled
	if live.Halt.Reason == "unknown" {
		out = journal.Unknown
	}
	p.end(w, live, End{Outcome: out, Reason: live.Halt.Reason, Text: p.LastText})
}

func (p *Part) notRun(c *Call, reason string) *journal.CallSettled {
	if c.State == Dispatched && !p.rerun(c) {
		return settlement(p.unknown(c), true, 0)
	}
	r := tooling.Fail("tool.not_run", "not run: "+reason)
	r.Outcome = journal.Cancelled
	return settlement(r, c.State == Dispatched, 0)
}

func (l *Live) set(key string, c LiveCall) *LiveCall {
	if l.Calls == nil {
		l.Calls = make(map[string]*LiveCall, 4)
	}
	l.Calls[key] = &c
	return &c
}
