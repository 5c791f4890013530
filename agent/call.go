package agent

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// toolCall is the actor of one call: it runs the effect, holds its deadline, and tells
// its invocation the one outcome. It is temporary: when it dies its parent settles.
type toolCall struct {
	parent  actors.Ref
	env     *Env
	log     *slog.Logger // nil: none
	tool    *tooling.Tool
	call    tooling.Call
	look    bool
	begun   time.Time
	stopped string // code of why the effect was told to stop
}

const effectGrace = 5 * time.Second // after a stop, until an effect's end counts as unseen

// Receive implements [actors.Actor].
func (t *toolCall) Receive(c *actors.Context, msg any) {
	switch m := msg.(type) {
	case actors.Started:
		t.begin(c)
	case actors.Done:
		t.done(c, m)
	case stopWork:
		if t.stopped == "" {
			t.stopped = m.code
			c.CancelCtx()
			if m.code == "tool.timeout" { // how long a cancel waits is decided by the run
				c.After("grace", effectGrace)
			}
		}
	case actors.Tick:
		t.abandon(c)
	}
}

func (t *toolCall) begin(c *actors.Context) {
	t.begun = c.Now()
	c.Effect(t, func(ctx context.Context) (any, error) {
		if !t.look {
			return t.outcome(t.tool.Handle(ctx, &t.call)), nil
		}
		intent, refuse := t.tool.Prepare(ctx, &t.call)
		if refuse != nil {
			r := t.env.maskResult(marshal(*refuse))
			refuse = &r
		}
		return &looked{key: t.call.Key, intent: intent, refuse: refuse}, nil
	})
}

// String names the effect where actors are listed that did not stop.
func (t *toolCall) String() string { return t.tool.ID }

// panicked tells operators of a tool that failed inside. Its stack is in the journal.
func (t *toolCall) panicked(ctx context.Context, f *actors.Failure) {
	if t.log != nil {
		t.log.LogAttrs(ctx, slog.LevelError, "tool panicked", slog.String("run", t.call.Run), slog.String("agent", t.call.Path),
			slog.String("tool", t.tool.ID), slog.String("call", t.call.Key), slog.String("reason", bounded(f.Reason, 200)))
	}
}

func (t *toolCall) outcome(r tooling.Result) *callDone {
	return &callDone{key: t.call.Key, result: t.env.maskResult(marshal(r))}
}

func (t *toolCall) done(c *actors.Context, m actors.Done) {
	var f *actors.Failure
	out, _ := m.Value.(*callDone)
	switch {
	case errors.As(m.Err, &f):
		f = t.env.maskFailure(f)
		r := tooling.Fail("tool.panicked", "the tool failed inside: "+bounded(f.Reason, 200))
		r.Stack = f.Stack
		out = t.outcome(r)
		t.panicked(c.Ctx(), f)
	case out != nil:
		if r := &out.result; r.Code != "" && t.stopped != "" && len(r.Changes) == 0 && r.Outcome != journal.Cancelled {
			r.Content, r.Code = r.Content+" (stopped: "+t.stopped+"; parts may have been done)", t.stopped
			if t.stopped == "tool.cancelled" {
				r.Outcome = journal.Cancelled
			}
		}
	default:
		c.Tell(t.parent, m.Value)
		c.StopSelf()
		return
	}
	out.took = c.Now().Sub(t.begun)
	c.Tell(t.parent, out)
	c.StopSelf()
}

// abandon gives up an effect that does not end: its outcome is unknown when it writes.
func (t *toolCall) abandon(c *actors.Context) {
	r := tooling.Fail(t.stopped, "the call did not end in time and was given up")
	if t.stopped == "tool.cancelled" {
		r.Outcome = journal.Cancelled
	}
	if e := t.tool.Effect; e.Class == tooling.Write && !e.Idempotent && t.tool.Again != tooling.AgainAppend {
		r = tooling.Result{Code: "tool.outcome_unknown", Outcome: journal.Unknown,
			Content: "the call was started and its end was not seen, so its effect may or may not have happened. Inspect the state first, and repeat the call only if nothing happened."}
	}
	if req, ok := t.call.State.(*journal.CommitRequested); ok && !t.look {
		r = tooling.Result{Code: "workspace.commit_unknown", Outcome: journal.Unknown, Commit: &journal.CommitSettled{Commit: req.Commit, Outcome: journal.Unknown},
			Content: "the host has not said whether it took the file; ask again with the same file if it is not there"}
	}
	out := t.outcome(r)
	out.took = c.Now().Sub(t.begun)
	c.Tell(t.parent, out)
	c.StopSelf()
}

// marshal fixes the structured form of a result as JSON.
func marshal(r tooling.Result) tooling.Result {
	if r.Structured == nil || r.Data != nil {
		return r
	}
	b, err := json.Marshal(r.Structured)
	if err != nil {
		return tooling.Fail("tool.failed", "the result could not be encoded: "+err.Error())
	}
	r.Data = b
	return r
}
