package swarm

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// calm keeps panics of the callbacks that only look on away from the runs: what they were
// shown goes on as if nobody looked. The first panic of each is logged.
func (o *Options) calm() {
	if show := o.Preview; show != nil {
		caught := catcher(o.Logger, "Options.Preview")
		o.Preview = func(path string, d ModelDelta) {
			defer caught()
			show(path, d)
		}
	}
	if o.Probe != nil {
		o.Probe = calmProbe{o.Probe, catcher(o.Logger, "Options.Probe")}
	}
}

type calmProbe struct {
	probe  RequestProbe
	caught func()
}

// Request implements [RequestProbe].
func (p calmProbe) Request(ctx context.Context, req *model.Request) {
	defer p.caught()
	p.probe.Request(ctx, req)
}

// catcher gives a function to be deferred around a callback.
func catcher(log *slog.Logger, callback string) func() {
	var once sync.Once
	return func() {
		v := recover()
		if v == nil || log == nil {
			return
		}
		once.Do(func() {
			log.Error("a callback panicked; the run goes on, and further panics of it are not logged", "callback", callback, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
		})
	}
}
