package supervision

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// TestFailuresTellNoSecret has actors fail with a secret as the reason.
func TestFailuresTellNoSecret(t *testing.T) {
	t.Parallel()
	t.Run("invocation", func(t *testing.T) {
		t.Parallel()
		clock := &trip{Clock: swarmtest.NewClock(), left: 100}
		k := newKit(t, actors.Options{Clock: clock, Scheduler: actors.SyncScheduler(), Rand: func() float64 { return 0 }, Go: func(f func()) { f() }},
			memory(), swarmtest.Script{"lead": {swarmtest.Do(swarmtest.Call("look", ``))}},
			goTool(t, "look", func(context.Context, none) (string, error) { return "", nil }, tooling.ReadOnly()))
		k.env.Secrets = secret.New(map[string]string{"KEY": "the clock broke"})
		if res := k.wait(k.start("run_a")); res.Reason != "actor_failed: {{secret:KEY}}" {
			t.Errorf("reason %q", res.Reason)
		}
		n := 0
		for _, r := range k.records("run_a") {
			line, _, err := journal.Encode(&r)
			if err != nil || strings.Contains(string(line), "the clock broke") {
				t.Errorf("recorded %s, %v", line, err)
			}
			if m, ok := r.Payload.(*journal.ActorFailed); ok && m.Reason == "{{secret:KEY}}" {
				n++
			}
		}
		if n != 4 {
			t.Errorf("%d failures are recorded", n)
		}
	})
	t.Run("command of a process that knows no value", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, nil, nil)
		s.env.Models["default"] = withProvider(s, s.holding(swarmtest.Script{"lead": {swarmtest.Do(peek)}}, "lead", 1))
		s.env.Secrets = secret.New(map[string]string{"KEY": "a secret reason"})
		cfg := s.config("run_a")
		s.Begin(cfg)
		s.said(cfg.Handle, journal.CommandCancel, "for a secret reason")
		s.letGo()
		s.wait(cfg.Handle)
		n := 0
		for _, r := range s.records("run_a") {
			if m, ok := r.Payload.(*journal.RunCancelRequested); ok && m.Reason == "for {{secret:KEY}}" {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the reason is recorded otherwise\n%s", s.dump("run_a"))
		}
		cmds, err := s.store.Commands(t.Context(), "run_a", 0)
		if err != nil || len(cmds) != 1 || cmds[0].Payload != "for {{secret:KEY}}" || cmds[0].Answer != journal.Recorded {
			t.Errorf("the table keeps %+v, %v", cmds, err)
		}
	})
	t.Run("run", func(t *testing.T) {
		t.Parallel()
		store := &odd{Memory: memory(), panic: func(_ int, b *journal.Batch) (bool, bool) { return b.After >= 8, false }}
		s := newStage(t, store, swarmtest.Script{"lead": {swarmtest.Do(peek), swarmtest.Do(peek), swarmtest.Do(finish)}})
		s.env.Secrets = secret.New(map[string]string{"KEY": "the store broke"})
		cfg := s.config("run_a")
		s.Begin(cfg)
		for range 40 {
			s.clock.Advance(time.Second)
		}
		res := s.wait(cfg.Handle)
		text := fmt.Sprintf("%+v %v", res, res.Err)
		if res.Code != "journal.poison" || strings.Contains(text, "the store broke") || !strings.Contains(text, "{{secret:KEY}}") {
			t.Errorf("got %s", text)
		}
	})
}
