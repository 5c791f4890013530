//go:build linux

package shell_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/worker"
)

func TestMain(m *testing.M) {
	worker.Main(build)
	if len(os.Args) == 3 && os.Args[1] == parentArg {
		parent(os.Args[2])
	}
	goleak.VerifyTestMain(m)
}

// bundle is a pool of its own over a directory of its own.
type bundle struct {
	t     testing.TB
	pool  *shell.Pool
	clock *actors.ManualClock
	dir   string
}

func setup(t testing.TB, o shell.PoolOptions) *bundle {
	t.Helper()
	b := &bundle{t: t, clock: actors.NewManualClock(time.Unix(0, 0)), dir: t.TempDir()}
	if o.Clock == nil {
		o.Clock = b.clock
	}
	b.pool = shell.NewPool(o)
	t.Cleanup(func() { b.close() })
	return b
}

func (b *bundle) close() {
	if err := b.pool.Close(context.Background()); err != nil {
		b.t.Errorf("close: %v", err)
	}
}

func (b *bundle) job(script string) *shell.Job { return &shell.Job{Command: script, Host: b.dir} }

func (b *bundle) run(script string) shell.Outcome {
	b.t.Helper()
	return b.pool.Run(b.t.Context(), b.job(script))
}

// fine checks that the next command works.
func (b *bundle) fine() {
	b.t.Helper()
	if o := b.run("out fine"); o.Kind != shell.Exited || o.Code != 0 || string(o.Stdout.Head) != "fine" {
		b.t.Errorf("the next command: %+v", o)
	}
}

// begun is an output that tells when something came.
type begun struct {
	text strings.Builder
	came chan struct{}
	once bool
}

func newBegun() *begun { return &begun{came: make(chan struct{})} }

func (b *begun) Write(p []byte) (int, error) {
	b.text.Write(p)
	if !b.once {
		b.once = true
		close(b.came)
	}
	return len(p), nil
}

// start runs a job and waits for its first output.
func (b *bundle) start(ctx context.Context, j *shell.Job) <-chan shell.Outcome {
	b.t.Helper()
	out := newBegun()
	j.Out = out
	done := make(chan shell.Outcome, 1)
	go func() { done <- b.pool.Run(ctx, j) }()
	select {
	case <-out.came:
	case o := <-done:
		b.t.Fatalf("it ended before it said anything: %+v", o)
	}
	return done
}

var small = limits.Limits{Memory: 32 << 20}
