package tooling

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Happened is what a probe says about the effect of a call.
type Happened string

// Answers of a probe. Anything else is taken for CannotSay.
const (
	Done      Happened = "done"
	NotDone   Happened = "not done"
	CannotSay Happened = "cannot say"
)

// Probe gives a tool that writes a way to find out what became of a call that was
// dispatched and whose end nobody saw, because the process died in between: asked with the
// key of the call, fn says whether its effect happened. Done settles the call without
// running it, NotDone runs it again with the same key, CannotSay and an error settle it as
// outcome unknown. fn is asked once a resume, within the timeout of the tool.
func Probe(fn func(ctx context.Context, key string) (Happened, error)) GoOption {
	if fn == nil {
		return nil
	}
	return func(t *Tool) { t.probe = fn }
}

type probeFunc = func(ctx context.Context, key string) (Happened, error)

// probed is a handler that asks a probe before it repeats a call.
func probed(fn probeFunc, run func(context.Context, *Call) Result) func(context.Context, *Call) Result {
	return func(ctx context.Context, c *Call) Result {
		if !c.Again {
			return run(ctx, c)
		}
		verdict, reason, stack := happened(ctx, fn, c.Key)
		switch verdict {
		case NotDone:
			return run(ctx, c)
		case Done:
			return Result{Content: "done: the effect happened before the run was interrupted; what the call gave back is not known"}
		}
		return Result{Code: "tool.outcome_unknown", Outcome: journal.Unknown, Stack: stack,
			Content: "the call was started and its end was not seen; asked whether its effect happened, the tool could not say" + reason +
				". Inspect the state first, and repeat the call only if nothing happened."}
	}
}

// happened gives a probe's answer; one that fails cannot say.
func happened(ctx context.Context, fn probeFunc, key string) (v Happened, reason, stack string) {
	defer func() {
		if r := recover(); r != nil {
			v, reason, stack = CannotSay, fmt.Sprintf(" (it failed inside: %v)", r), string(debug.Stack())
		}
	}()
	v, err := fn(ctx, key)
	if err != nil {
		return CannotSay, " (" + err.Error() + ")", ""
	}
	return v, "", ""
}
