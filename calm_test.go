package swarm_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// rash is a probe that panics at every request.
type rash struct{ n atomic.Int32 }

// Request implements [swarm.RequestProbe].
func (r *rash) Request(context.Context, *model.Request) {
	r.n.Add(1)
	panic("the probe is broken")
}

// Who only looks on cannot stop a run: it is told once, and is shown what follows.
func TestCallbacksThatPanic(t *testing.T) {
	t.Parallel()
	script := swarmtest.Script{"root": {swarmtest.Do(nothing), swarmtest.Do(nothing), swarmtest.Do(finish)}}
	var log lines
	var shown atomic.Int32
	probe := &rash{}
	b := setup(t, setupOptions{
		script: model.Func(func(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
			preview(model.Delta{Text: "thinking"})
			return script.Answer(ctx, req, preview)
		}),
		opts: func(o *swarm.Options) {
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
			o.Probe = probe
			o.Preview = func(string, swarm.ModelDelta) {
				shown.Add(1)
				panic("the preview is broken")
			}
		},
	})
	b.outcome(b.run("go"), swarm.Completed, "")
	if probe.n.Load() != 3 || shown.Load() < 3 {
		t.Errorf("the probe saw %d requests, the preview %d pieces", probe.n.Load(), shown.Load())
	}
	for _, want := range []string{"the probe is broken", "the preview is broken"} {
		if n := strings.Count(log.String(), `panic="`+want); n != 1 {
			t.Errorf("%q is logged %d times:\n%s", want, n, log.String())
		}
	}
}
