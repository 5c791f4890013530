package swarm_test

import (
	"context"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// empty is a store that has lost the records of one run, but not its entry in the list.
type empty struct {
	journal.Store
	run string
}

// Read implements [journal.Store].
func (s *empty) Read(ctx context.Context, run string, q journal.Query) ([]journal.Record, error) {
	if run == s.run {
		return nil, nil
	}
	return s.Store.Read(ctx, run, q)
}

// A run that is listed is never "not found", and others are not affected.
func TestARunWithoutItsFirstRecord(t *testing.T) {
	t.Parallel()
	t.Run("durability-7", func(t *testing.T) {
		t.Parallel()
		ctx, store := t.Context(), &empty{Store: memory()}
		hold := newHolder(t, "hold", false)
		b := setup(t, setupOptions{store: store, tools: []swarm.Tool{hold.tool},
			script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(finish)}}})
		var runs []string
		for range 2 {
			r := b.start("go")
			recv(t, hold.begun)
			if err := r.Pause(ctx); err != nil {
				t.Fatal(err)
			}
			hold.let <- struct{}{}
			b.outcome(b.wait(r), swarm.Paused, "")
			runs = append(runs, r.ID())
		}
		store.run = runs[0]
		if _, err := b.rt.Labels(ctx, runs[0]); fault.Code(err) != "journal.damaged" {
			t.Errorf("labels: %v", err)
		}
		if _, err := b.rt.Inspect(ctx, runs[0]); fault.Code(err) != "journal.damaged" {
			t.Errorf("inspect: %v", err)
		}
		if res, err := b.rests(b.resume(runs[0])); fault.Code(err) != "journal.damaged" || res.Outcome != "parked" {
			t.Errorf("resume: %+v, %v", res, err)
		}
		if _, err := b.rt.Labels(ctx, "run_nope"); fault.Code(err) != "journal.run_not_found" {
			t.Errorf("a run that is not there: %v", err)
		}
		if list, err := b.rt.Runs(ctx); err != nil || len(list) != 2 {
			t.Errorf("%d runs, %v", len(list), err)
		}
		b.outcome(b.wait(b.resume(runs[1])), swarm.Completed, "")
	})
}
