package eval

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// firstPID is $$ of every evaluation; other shells of it have the numbers after it.
const firstPID = 100

// call is what all shells of one evaluation share. It is safe for concurrent use.
type call struct {
	budget   *limits.Budget
	registry *command.Registry
	base     view.FS
	builtin  map[string]builtin
	now      func() time.Time
	sleep    func(ctx context.Context, d time.Duration) error
	rand     func(p []byte)
	prompt   func(more bool)

	root     context.Context // of the whole evaluation
	cancel   context.CancelCauseFunc
	routines sync.WaitGroup
	parsers  sync.Pool // of *syntax.Parser
	writers  sync.Pool // of *command.Writer
	nextPID  atomic.Int64

	mu    sync.Mutex
	err   error         // the first that ended the call
	procs map[int]*proc // shells that can be signalled
}

// end ends the call with an error; the first one counts.
func (c *call) end(err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.mu.Unlock()
	c.cancel(err)
}

// ended gives the error that ended the call, or nil.
func (c *call) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// routine runs a part of the evaluation in a goroutine that the call owns.
func (c *call) routine(f func()) {
	c.routines.Go(func() {
		defer c.guard()
		f()
	})
}

// guard is deferred where a part of the evaluation begins: a panic ends the call.
func (c *call) guard() {
	if p := recover(); p != nil {
		c.end(fault.New("workspace.shell_panicked", "%v\n%s", p, debug.Stack()))
	}
}

// parser lends a parser until give is called.
func (c *call) parser() (p *syntax.Parser, give func()) {
	p = c.parsers.Get().(*syntax.Parser)
	return p, func() { c.parsers.Put(p) }
}
