package cli

import (
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
)

// limiterAfter is how long somebody has to ask a model until the live actors are looked at:
// an answer takes longer than that, and so does a wait that is worth to be shown.
const limiterAfter = time.Second

// limited takes in who waits for a limiter, which is in no record: by path, what the live
// actors say. They are looked at only when somebody has asked for a while.
func (s *liveState) limited(now time.Time, waits func() map[string]string) {
	var said map[string]string
	for _, a := range s.all {
		if !s.rests && !a.ended && a.model != "" && now.Sub(a.asks) >= limiterAfter {
			said = waits()
			break
		}
	}
	for path, a := range s.byPath { // each for itself, so order does not matter
		a.limiter = said[path]
	}
}

// limiterWaits finds out of the actors of a runtime which agents of a run wait for a
// limiter, by path: the reason, the place, and about how long that takes.
func limiterWaits(tree []swarm.Node, run string) map[string]string {
	out := map[string]string{}
	for i := range tree {
		n := &tree[i]
		path, mine := strings.CutPrefix(n.Path, "runs/"+run+"/run/")
		why, waits := strings.CutPrefix(n.WaitsFor, agent.WaitsForLimiter)
		if mine && waits && n.Kind == "invocation" {
			out[path] = "limiter: " + strings.ReplaceAll(why, "_", " ")
		}
	}
	return out
}
