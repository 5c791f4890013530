package eval

import (
	"context"
	"errors"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// flow is why the statements that follow are not executed.
type flow uint8

const (
	flowNone     flow = iota
	flowBreak         // to the end of a loop
	flowContinue      // to the next round of a loop
	flowReturn        // to the end of a function or a sourced file
	flowDiscard       // to the next line of the text that is read
	flowExit          // to the end of the shell
	flowFatal         // to the end of the call
)

// exit ends the shell with a status, after its EXIT trap.
func (sh *Shell) exit(status int) int {
	sh.leave(flowExit)
	sh.status = status & 0xff
	return sh.status
}

// leave sets the flow; a stronger one stays.
func (sh *Shell) leave(f flow) { sh.flow = max(sh.flow, f) }

// fatal ends the call.
func (sh *Shell) fatal(err error) {
	sh.leave(flowFatal)
	sh.call.end(err)
}

// over looks whether the call, or what this shell is part of, has ended.
func (sh *Shell) over(ctx context.Context) bool {
	if ctx.Err() == nil {
		return false
	}
	sh.leave(flowFatal)
	return true
}

// fail reports an error of an expansion or an assignment, and leaves what it ends: the
// statement, the shell or the call. It gives the status.
func (sh *Shell) fail(ctx context.Context, err error) int {
	if hit, ok := errors.AsType[*limits.Hit](err); ok {
		sh.fatal(hit)
		return 1
	}
	if sh.flow >= flowExit || sh.over(ctx) {
		return 1
	}
	sh.complain(ctx, "%s", err)
	e, ok := errors.AsType[*expand.Error](err)
	switch {
	case !ok:
		sh.status = 1
		sh.leave(flowDiscard)
	case e.Exit:
		status := e.Code
		if sh.mode == modeString && !e.Exact && sh.subshell == 0 && !sh.opts.set[optErrExit] {
			status = 127
		}
		return sh.exit(status)
	default:
		sh.status = e.Code
		sh.leave(flowDiscard)
	}
	return sh.status
}

func subshellHit(n int) *limits.Hit {
	return &limits.Hit{Name: "subshells", Value: int64(n), Unit: "subshells inside each other", Mend: "Check that the recursion ends."}
}

func functionHit(n int) *limits.Hit {
	return &limits.Hit{Name: "functions", Value: int64(n), Unit: "function calls inside each other", Mend: "Check that the recursion ends, or use a loop."}
}

func sourceHit(n int) *limits.Hit {
	return &limits.Hit{Name: "sources", Value: int64(n), Unit: "source, eval and bash inside each other", Mend: "Check that the recursion ends."}
}
