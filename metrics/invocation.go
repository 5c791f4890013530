package metrics

import (
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// invocation is what gauges need to know of one invocation.
type invocation struct {
	path    string
	agent   *agentSeries
	profile string
	kind    int
	task    *task // nil for a root
	state   int   // that the gauge counts it in, or isNowhere
	gone    bool  // it has ended

	model               *modelSeries // of the last request
	provider, modelName string       // of model, as records name it
	asked               bool         // a model, at least once
	closing             bool
	limited             bool   // it waits for the limiter of its model's key
	waits               int    // state while it only waits, as it said; 0: it does not
	calls               []call // of the last answer
	open                int    // of calls
	awaits              int    // of open
	target              string // of a handoff that was asked for
}

// call is one call of the last answer.
type call struct {
	key     string
	tool    *toolSeries
	effect  int
	await   bool
	flying  bool
	settled bool
}

func (r *Run) foldInvocation(inv *invocation, rec *journal.Record, live bool) {
	switch m := rec.Payload.(type) {
	case *journal.ModelRequested:
		inv.land()
		inv.asked, inv.closing = true, m.Closing
		if inv.model == nil || inv.provider != m.Provider || inv.modelName != m.Model {
			inv.model, inv.provider, inv.modelName = r.m.model(m.Provider, m.Model), m.Provider, m.Model
		}
	case *journal.ModelAnswered:
		if !live {
			return
		}
		inv.agent.turn(inv.kind, answerOf(inv, m)).Inc()
		r.used(inv, &m.Usage)
	case *journal.HistoryCompacted:
		if live && m.Usage.Requests > 0 {
			r.m.model(m.Provider, m.Model).used(&m.Usage)
		}
	case *journal.ModelAttemptFailed:
		if live && inv.model != nil {
			r.m.retry(inv.model, m.Class).Inc()
			r.used(inv, &m.Usage)
		}
	case *journal.ModelFailed:
		if live {
			r.used(inv, &m.Usage)
			inv.agent.turn(inv.kind, turns.index("failed")).Inc()
		}
	case *journal.TurnClosed:
		inv.closing = true
		r.exhausted(m.Reason, live)
	case *journal.CallRequested:
		r.requested(inv, rec.Scope.Call, m)
	case *journal.CallChecked:
		if c := inv.call(rec.Scope.Call); c != nil && m.Decision == "allow" && !c.flying && !c.settled {
			c.flying = true
			c.tool.flying(c.effect).Inc()
		}
	case *journal.CallSettled:
		inv.settle(rec.Scope.Call, m, live)
	case *journal.InvocationWaiting:
		inv.waits = states.index("waiting_" + m.Cause)
	case *journal.InvocationContinued:
		inv.waits = 0
	case *journal.HandoffRequested:
		inv.target = m.Target
	case *journal.HandoffSettled:
		if live && m.Accepted {
			r.m.handoff(inv.profile, inv.target).Inc()
		}
	case *journal.ActorRestarted:
		inv.limited = false // the one that waited is gone
		if live {
			r.m.remade.Add(1)
		}
	case *journal.InvocationEnded:
		if live {
			inv.agent.end(inv.kind, outcomes.index(string(m.Outcome))).Inc()
		}
		r.exhausted(m.Reason, live)
		inv.leave()
		inv.gone = true
		delete(r.invs, inv.path)
		r.last = nil
	}
}

// used counts what an attempt of the last request's model has used.
func (r *Run) used(inv *invocation, u *journal.Usage) {
	if inv.model != nil {
		inv.model.used(u)
		r.m.spend(inv.model, inv.agent, u)
	}
}

// answerOf gives the place in [turns] of an answer.
func answerOf(inv *invocation, m *journal.ModelAnswered) int {
	switch {
	case inv.closing:
		return turns.index("closing")
	case m.Calls > 0:
		return turns.index("calls")
	}
	return turns.index("text")
}

func (r *Run) requested(inv *invocation, key string, m *journal.CallRequested) {
	if inv.call(key) != nil {
		return // a repetition
	}
	c := call{key: key, tool: r.m.tool(m.Tool), effect: effects.index(m.Class), await: m.Tool == agent.AwaitTool}
	inv.calls = append(inv.calls, c)
	inv.open++
	if c.await {
		inv.awaits++
	}
}

func (inv *invocation) call(key string) *call {
	for i := range inv.calls {
		if inv.calls[i].key == key {
			return &inv.calls[i]
		}
	}
	return nil
}

func (inv *invocation) settle(key string, m *journal.CallSettled, live bool) {
	c := inv.call(key)
	if c == nil || c.settled {
		return
	}
	c.settled = true
	c.land()
	inv.open--
	if c.await {
		inv.awaits--
	}
	if !live {
		return
	}
	outcome := outcomes.index(string(m.Outcome))
	if m.Outcome == journal.Failed && !m.Dispatched && c.effect != isNone {
		outcome = isRefused
	}
	c.tool.call(outcome).Inc()
	if m.Dispatched && m.Duration > 0 {
		c.tool.took(outcome).Observe(m.Duration.Seconds())
	}
}

// land takes a call out of those that are in flight.
func (c *call) land() {
	if c.flying {
		c.flying = false
		c.tool.flying(c.effect).Dec()
	}
}

// land forgets the calls of the last answer.
func (inv *invocation) land() {
	for i := range inv.calls {
		inv.calls[i].land()
	}
	clear(inv.calls)
	inv.calls, inv.open, inv.awaits = inv.calls[:0], 0, 0
}

// leave takes an invocation out of all gauges.
func (inv *invocation) leave() {
	inv.land()
	if inv.state >= 0 {
		inv.agent.state(inv.state).Dec()
		inv.state = isNowhere
	}
}

// move has the gauge count an invocation in the state that it is in.
func (inv *invocation) move() {
	if inv.gone {
		return
	}
	to := isRunning
	switch {
	case inv.waits > 0:
		to = inv.waits
	case inv.open > 0 && inv.open == inv.awaits:
		to = isChildren
	case inv.task != nil && inv.task.place == isLent && inv.open == 0:
		to = isSlot
	case inv.limited:
		to = isLimiter
	case inv.closing:
		to = isClosing
	case !inv.asked:
		to = isCreated
	}
	if to == inv.state {
		return
	}
	if inv.state >= 0 {
		inv.agent.state(inv.state).Dec()
	}
	inv.agent.state(to).Inc()
	inv.state = to
}
