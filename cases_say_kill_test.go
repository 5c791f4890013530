package swarm_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// talk is a run to which somebody says something at each turn of its owner.
type talk struct {
	mu   sync.Mutex
	told map[string]bool // by place
	b    *testBundle
	id   string
}

// say says something once at a place, from the process of the owner.
func (s *talk) say(ctx context.Context, id, place string) {
	s.mu.Lock()
	told, b := s.told[place], s.b
	s.told[place] = true
	s.mu.Unlock()
	if !told {
		_ = b.rt.Say(ctx, id, place) // the store may have died: then it is said or it is not
	}
}

func (s *talk) options(store journal.Store) setupOptions {
	handoff := swarmtest.Call("agent_handoff", `{"agentId":"closer","handoff":{"objective":"go on"},"pendingTaskPolicy":"cancelPending"}`)
	script := swarmtest.Script{
		"lead":   {swarmtest.Do(delegateTo("worker")), swarmtest.Do(awaitAll), swarmtest.Say("thinking"), swarmtest.Do(nothing), swarmtest.Do(handoff)},
		"worker": {swarmtest.Do(nothing), swarmtest.Do(returning("done"))},
		"closer": {swarmtest.Say("thinking"), swarmtest.Do(nothing), swarmtest.Do(finish), swarmtest.Do(finish)},
	}
	return setupOptions{
		store: store,
		agents: map[string]*agent.Profile{
			"lead":   {Delegation: agent.Delegation{CanDelegate: true, CanHandoff: true}},
			"worker": child(),
			"closer": {Delegation: agent.Delegation{Callable: true, AsHandoff: true}},
		},
		script: model.Func(func(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
			if req.Agent != "closer" || req.Turn <= 3 { // its finish is refused once, because something was said
				s.say(ctx, req.Run, fmt.Sprintf("%s turn %d", req.Path, req.Turn))
			}
			return script.Answer(ctx, req, p)
		}),
	}
}

// life is one process; it reports whether the run has ended.
func (s *talk) life(t *testing.T, store journal.Store) bool {
	t.Helper()
	b := setup(t, s.options(store))
	defer b.close()
	s.mu.Lock()
	s.b = b
	s.mu.Unlock()
	var r *swarm.Run
	var err error
	if s.id == "" {
		r, err = b.rt.Start(t.Context(), b.team, swarm.Input{Text: "go"})
	} else {
		r, err = b.rt.Resume(t.Context(), s.id, swarm.ResumeOptions{})
	}
	if err == nil {
		_, err = b.rests(r)
	}
	if code := fault.Code(err); err != nil && code != "journal.append_failed" && code != "journal.ended" {
		t.Fatalf("the run stopped: %v", err)
	}
	runs, err2 := store.Runs(t.Context())
	if err2 != nil {
		t.Fatal(err2)
	}
	if len(runs) == 0 {
		return false
	}
	s.id = runs[0].Run
	b.check(s.id)
	if runs[0].State != string(journal.Completed) {
		return false
	}
	s.checks(b, store)
	return true
}

// checks compares what was said with what is in the journal and what models were given.
func (s *talk) checks(b *testBundle, store journal.Store) {
	b.t.Helper()
	rows, err := store.Commands(b.t.Context(), s.id, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	recs := b.records(s.id)
	submitted := map[string]int{}
	for _, m := range payloads[*journal.GuidanceSubmitted](recs) {
		submitted[m.Text.Text]++
	}
	for _, row := range rows {
		n, refused := submitted[row.Payload], journal.Refusal(row.Answer) != nil
		if n > 1 || n == 1 && row.Answer == journal.Duplicate || n == 0 && row.Answer != "" && !refused || refused && n > 0 {
			b.t.Errorf("%q is submitted %d times and answered %q\n%s", row.Payload, n, row.Answer, b.dump(s.id))
		}
	}
	for _, path := range []string{"root", "root/worker", "root/closer"} {
		var given []string
		for i := range recs {
			if m, ok := recs[i].Payload.(*journal.GuidanceApplied); ok && recs[i].Scope.Invocation == path {
				given = append(given, m.Text.Text)
			}
		}
		reqs := b.reqs.Of(path)
		if len(reqs) == 0 {
			continue // it had its last request in a process before
		}
		if got := heard(&reqs[len(reqs)-1]); !slices.Equal(got, given) || path == "root/worker" && len(got) > 0 {
			b.t.Errorf("%s heard %q, was given %q\n%s", path, got, given, b.dump(s.id))
		}
	}
}

// Kill at every record, with somebody who says something at every turn: what is said is
// given to the owner once, whatever append the process dies at.
func TestSayAndKillAtEveryRecord(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{false, true} {
		t.Run(fmt.Sprintf("durability-3/stored=%t", stored), func(t *testing.T) {
			t.Parallel()
			n, over := 1, false
			for ; !over && !t.Failed() && n < 200; n++ {
				s, d := &talk{told: map[string]bool{}}, new(memoryDisk)
				for i, at := range []int{n, 1 + n%5, 0} {
					st := d.open(t)
					crash := swarmtest.NewCrash(st, at, stored != (i == 1))
					ended := s.life(t, crash)
					d.close(st)
					over = over || i == 0 && ended
					if ended {
						break
					}
					if at == 0 {
						t.Errorf("append %d: the run did not end", n)
					}
				}
			}
			if n < 20 {
				t.Errorf("only %d appends", n)
			}
		})
	}
}

// The actor of the run fails at every append while things are said to it.
func TestSayWhileTheRunActorFails(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{false, true} {
		t.Run(fmt.Sprintf("durability-3/stored=%t", stored), func(t *testing.T) {
			t.Parallel()
			n := 1
			for ; !t.Failed() && n < 200; n++ {
				s, st := &talk{told: map[string]bool{}}, &panicky{Memory: memory(), at: n, stored: stored}
				if !s.life(t, st) {
					t.Errorf("append %d: the run did not end", n)
				}
				if st.n < n {
					break
				}
			}
			if n < 20 {
				t.Errorf("only %d appends", n)
			}
		})
	}
}
