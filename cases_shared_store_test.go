package swarm_test

import (
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// Two runtimes on one store take no run from each other unless they are told to, and the
// one that lost a run does not give away what is the other's.
func TestTwoRuntimesOnOneStore(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		store func(t *testing.T) journal.Store
	}{
		{"memory", func(*testing.T) journal.Store { return memory() }},
		{"embedded", func(t *testing.T) journal.Store {
			s := (&fileDisk{t.TempDir()}).open(t)
			t.Cleanup(func() { _ = s.Close() })
			return s
		}},
	} {
		t.Run("durability-6/"+row.name, func(t *testing.T) {
			t.Parallel()
			hold := newHolder(t, "hold", false, swarm.ReadOnly())
			o := setupOptions{store: row.store(t), tools: []swarm.Tool{hold.tool},
				script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(finish), swarmtest.Do(finish)}}}
			first, second := setup(t, o), setup(t, o)
			r := first.start("go")
			recv(t, hold.begun)
			if _, err := second.rt.Resume(t.Context(), r.ID(), swarm.ResumeOptions{}); fault.Code(err) != "journal.run_held" {
				t.Fatalf("the second got the run: %v", err)
			}
			taken, err := second.rt.Resume(t.Context(), r.ID(), swarm.ResumeOptions{TakeOver: true})
			if err != nil {
				t.Fatal(err)
			}
			recv(t, hold.begun)
			third := setup(t, o)
			if err := first.rt.Say(t.Context(), r.ID(), "still there?"); err != nil {
				t.Errorf("it is stored for the owner: %v", err) // and the first learns that it is not
			}
			if _, err := first.rests(r); fault.Code(err) != "journal.stale_owner" {
				t.Errorf("who lost the run went on: %v", err)
			}
			first.close() // gives back what it has
			if _, err := third.rt.Resume(t.Context(), r.ID(), swarm.ResumeOptions{}); fault.Code(err) != "journal.run_held" {
				t.Errorf("the third got the run: %v", err)
			}
			close(hold.let)
			second.outcome(second.wait(taken), "completed", "")
			second.check(r.ID())
		})
	}
}
