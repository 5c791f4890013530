package eval

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink is an output that several goroutines write to.
type sink struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// bench is one evaluation in the making.
type bench struct {
	dir    string
	in     string
	limits limits.Limits
	change func(*shell.Request)
}

// ran is what an evaluation gave.
type ran struct {
	out, err string
	exit     shell.Exit
}

func sleepReal(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// request makes the request of a script on a view of a directory.
func (b bench) request(t testing.TB, script string, budget *limits.Budget) *shell.Request {
	t.Helper()
	if b.dir == "" {
		b.dir = t.TempDir()
	}
	commands := command.NewRegistry(testCommands(), Commands())
	v, err := view.New(view.Options{Dir: b.dir, Tmp: t.TempDir(), Budget: budget, Commands: append(commands.Names(), "true", "pwd")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	r := &shell.Request{
		Script: script, Dir: "/", Env: shell.Environ("/"), In: strings.NewReader(b.in), FS: v, Commands: commands, Budget: budget,
		Now: time.Now, Sleep: sleepReal, Rand: func(p []byte) { copy(p, "\x07\x01\x02\x03\x04\x05\x06\x08") },
	}
	if b.change != nil {
		b.change(r)
	}
	return r
}

// run evaluates a script.
func (b bench) run(t testing.TB, script string) ran {
	t.Helper()
	return b.runWithin(t.Context(), t, script)
}

func (b bench) runWithin(ctx context.Context, t testing.TB, script string) ran {
	t.Helper()
	budget, ctx, stop := limits.NewBudget(ctx, b.limits)
	defer stop()
	r := b.request(t, script, budget)
	var out, errs sink
	r.Out, r.Err = &out, &errs
	exit := New().Eval(ctx, r)
	return ran{out.String(), errs.String(), exit}
}

// run evaluates a script with nothing special.
func run(t testing.TB, script string) ran {
	t.Helper()
	return bench{}.run(t, script)
}

// wants fails unless a script gives an output and a status.
func wants(t *testing.T, script, out string, code int) ran {
	t.Helper()
	r := run(t, script)
	if r.out != out || r.exit.Code != code || r.exit.Err != nil {
		t.Errorf("%s\ngot  %q, %d, %v\nwant %q, %d\nstandard error: %s", script, r.out, r.exit.Code, r.exit.Err, out, code, r.err)
	}
	return r
}

// hit gives the name of the limit that ended an evaluation.
func (r ran) hit() string {
	if h, ok := errors.AsType[*limits.Hit](r.exit.Err); ok {
		return h.Name
	}
	return ""
}
