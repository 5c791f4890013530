package journaltest

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

func testHeld(t *testing.T, o Stores) {
	s := o.Open(t)
	other := o.Reopen(t, s)
	if s.Holder() == other.Holder() || s.Holder() == "" {
		t.Fatalf("holders are %q and %q", s.Holder(), other.Holder())
	}
	l := start(t, s, "run-1")
	_, err := other.Acquire(t.Context(), "run-1", false)
	wantCode(t, err, "journal.run_held")
	if !strings.Contains(err.Error(), s.Holder()) {
		t.Errorf("the holder %s is not named: %v", s.Holder(), err)
	}
	store(t, s, l.Batch(l.Turn(1)...)) // nothing has changed for it
	start(t, other, "run-2")           // other runs are free
}

// Owners that share one opening are told apart by their epochs.
func testOneOpening(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	_, err := s.Acquire(t.Context(), "run-1", false)
	wantCode(t, err, "journal.run_held")
	store(t, s, l.Batch(l.Turn(1)...)) // nothing has changed for the first
	epoch, err := s.Acquire(t.Context(), "run-1", true)
	if err != nil || epoch != l.Epoch+1 {
		t.Fatalf("epoch %d after %d, %v", epoch, l.Epoch, err)
	}
	at := *l
	refused(t, s, l.Batch(l.Turn(2)...), "journal.stale_owner")
	// What the first gives back is not the second's.
	if err := s.Release(t.Context(), "run-1", at.Epoch); err != nil {
		t.Error(err)
	}
	_, err = s.Acquire(t.Context(), "run-1", false)
	wantCode(t, err, "journal.run_held")
	taken := Log{Run: at.Run, Epoch: epoch, Last: at.Last}
	store(t, s, taken.Batch(taken.Turn(2)...))
	if err := s.Release(t.Context(), "run-1", epoch); err != nil {
		t.Error(err)
	}
	if again, err := s.Acquire(t.Context(), "run-1", false); err != nil || again != epoch+1 {
		t.Errorf("epoch %d after %d, %v", again, epoch, err)
	}

	// Of those who want it at once, one gets it.
	var wait sync.WaitGroup
	var won atomic.Int32
	for range 6 {
		wait.Go(func() {
			switch _, err := s.Acquire(t.Context(), "run-2", false); {
			case err == nil:
				won.Add(1)
			case fault.Code(err) != "journal.run_held":
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := won.Load(); n != 1 {
		t.Errorf("%d owners", n)
	}
}

func testTakeOver(t *testing.T, o Stores) {
	s := o.Open(t)
	other := o.Reopen(t, s)
	l := start(t, s, "run-1")
	store(t, s, l.Batch(l.Turn(1)...))
	epoch, err := other.Acquire(t.Context(), "run-1", true)
	if err != nil || epoch <= l.Epoch {
		t.Fatalf("epoch %d after %d, %v", epoch, l.Epoch, err)
	}
	at := *l
	refused(t, s, l.Batch(l.Turn(2)...), "journal.stale_owner")
	*l = at
	refused(t, s, journal.Batch{Run: l.Run, Epoch: l.Epoch, After: l.Last}, "journal.stale_owner")
	_, err = s.Acquire(t.Context(), "run-1", false)
	wantCode(t, err, "journal.run_held")
	taken := Log{Run: l.Run, Epoch: epoch, Last: l.Last}
	store(t, other, taken.Batch(taken.Next(journal.Scope{}, &journal.OwnerChanged{Holder: other.Holder(), Epoch: epoch, Previous: s.Holder()})))
	if sum, err := s.Summary(t.Context(), "run-1"); err != nil || sum.Holder != other.Holder() || sum.Epoch != epoch {
		t.Errorf("summary %+v, %v", sum, err)
	}
	// A release by who is not the owner changes nothing.
	if err := s.Release(t.Context(), "run-1", l.Epoch); err != nil {
		t.Error(err)
	}
	store(t, other, taken.Batch(taken.Turn(2)...))
	_, err = s.Acquire(t.Context(), "run-1", false)
	wantCode(t, err, "journal.run_held")
}

func testRelease(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	start(t, s, "run-2")
	other := o.Reopen(t, s)
	if err := s.Release(t.Context(), "run-1", l.Epoch); err != nil {
		t.Fatal(err)
	}
	if epoch, err := other.Acquire(t.Context(), "run-1", false); err != nil || epoch <= l.Epoch {
		t.Errorf("epoch %d after %d, %v", epoch, l.Epoch, err)
	}
	_, err := other.Acquire(t.Context(), "run-2", false)
	wantCode(t, err, "journal.run_held")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Acquire(t.Context(), "run-2", false); err != nil {
		t.Errorf("a run of a holder that closed: %v", err)
	}
	if err := other.Release(t.Context(), "run-9", 1); err != nil {
		t.Errorf("a run that does not exist: %v", err)
	}
}

func testOwnerRace(t *testing.T, o Stores) {
	const holders = 6
	first := o.Open(t)
	stores := []journal.Store{first}
	for len(stores) < holders {
		stores = append(stores, o.Reopen(t, first))
	}
	for _, run := range []string{"run-1", "run-2", "run-3"} {
		var wait sync.WaitGroup
		var mu sync.Mutex
		var winners []int
		for i, s := range stores {
			wait.Go(func() {
				epoch, err := s.Acquire(t.Context(), run, false)
				switch {
				case err == nil:
					mu.Lock()
					defer mu.Unlock()
					winners = append(winners, i)
					if epoch != 1 {
						t.Errorf("epoch is %d", epoch)
					}
				case fault.Code(err) != "journal.run_held":
					t.Errorf("holder %d: %v", i, err)
				}
			})
		}
		wait.Wait()
		if len(winners) != 1 {
			t.Errorf("%s has the owners %v", run, winners)
		}
	}

	// All take the run over, and all append: only the last owner gets through.
	var wait sync.WaitGroup
	for i, s := range stores {
		wait.Go(func() {
			for range 5 {
				epoch, err := s.Acquire(t.Context(), "run-4", true)
				if err != nil {
					t.Errorf("holder %d: %v", i, err)
					return
				}
				l := Log{Run: "run-4", Epoch: epoch}
				if records, err := s.Read(t.Context(), "run-4", journal.Query{}); err == nil {
					l.Last = int64(len(records))
				}
				err = s.Append(t.Context(), []journal.Batch{l.Batch(l.Turn(1)...)})[0]
				switch fault.Code(err) {
				case "", "journal.stale_owner":
				default:
					t.Errorf("holder %d: %v", i, err)
				}
			}
		})
	}
	wait.Wait()
	records := read(t, first, "run-4", journal.Query{})
	wantDense(t, records, 1, int64(len(records)))
	for i := 1; i < len(records); i++ {
		if records[i].Epoch < records[i-1].Epoch {
			t.Fatalf("record %d has epoch %d after %d", i+1, records[i].Epoch, records[i-1].Epoch)
		}
	}
}

func testSummaries(t *testing.T, o Stores) {
	s := o.Open(t)
	if list, err := s.Runs(t.Context()); err != nil || len(list) != 0 {
		t.Fatalf("an empty store lists %v, %v", list, err)
	}
	acquire(t, s, "run-0")
	_, err := s.Summary(t.Context(), "run-0")
	wantCode(t, err, "journal.run_not_found") // it has no records
	_, err = s.Summary(t.Context(), "run-9")
	wantCode(t, err, "journal.run_not_found")

	l := start(t, s, "run-1")
	want := journal.Summary{
		Run: "run-1", Team: "sample", State: "running", Created: Start.Add(time.Millisecond),
		Updated: Start.Add(time.Millisecond), LastSeq: 1, Epoch: 1, Holder: s.Holder(),
	}
	check := func(state string) {
		t.Helper()
		want.State, want.LastSeq, want.Updated = state, l.Last, Start.Add(time.Duration(l.Last)*time.Millisecond)
		if got, err := s.Summary(t.Context(), "run-1"); err != nil || got != want {
			t.Errorf("summary is %+v, %v; want %+v", got, err, want)
		}
	}
	check("running")
	store(t, s, l.Batch(l.Turn(1)...))
	check("running")
	for _, step := range []struct {
		state   string
		payload journal.Payload
	}{
		{"paused", &journal.RunPaused{Reason: "user"}},
		{"running", &journal.RunResumed{From: "paused"}},
		{"parked", &journal.RunParked{Reason: "poison", Code: "journal.poison"}},
		{"running", &journal.RunResumed{From: "parked"}},
	} {
		store(t, s, l.Batch(l.Next(journal.Scope{}, step.payload)))
		check(step.state)
	}
	if err := s.Release(t.Context(), "run-1", l.Epoch); err != nil {
		t.Fatal(err)
	}
	want.Holder = ""
	check("interrupted")
	epoch, err := s.Acquire(t.Context(), "run-1", false)
	if err != nil {
		t.Fatal(err)
	}
	l.Epoch, want.Epoch, want.Holder = epoch, epoch, s.Holder()
	check("running")
	store(t, s, l.Batch(l.Next(journal.Scope{}, &journal.RunEnded{Outcome: journal.Partial})))
	check("partial")
	store(t, s, l.Batch(l.Next(journal.Scope{}, &journal.LateEvent{Of: "c1"})))
	check("partial")

	for _, run := range []string{"run-3", "run-2"} {
		start(t, s, run)
	}
	list, err := s.Runs(t.Context())
	if err != nil || len(list) != 3 || list[0].Run != "run-3" || list[1].Run != "run-2" || list[2] != want {
		t.Errorf("the list is %+v, %v", list, err)
	}
}

func testCommands(t *testing.T, o Stores) {
	s := o.Open(t)
	other := o.Reopen(t, s)
	a, err := s.Post(t.Context(), "run-1", journal.Command{Kind: "say", Payload: `{"text":"hi"}`, By: "user", At: Start})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Post(t.Context(), "run-2", journal.Command{Kind: "pause"}); err != nil {
		t.Fatal(err)
	}
	b, err := other.Post(t.Context(), "run-1", journal.Command{Kind: "cancel", By: "other", At: Start})
	if err != nil || b <= a {
		t.Fatalf("ids are %d and %d, %v", a, b, err)
	}
	if err := other.Reply(t.Context(), a, "done"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, s.Reply(t.Context(), 99, "no"), "journal.command_not_found")
	wantCode(t, s.Rewrite(t.Context(), 99, "no"), "journal.command_not_found")
	if err := other.Rewrite(t.Context(), a, "masked"); err != nil {
		t.Fatal(err)
	}
	want := []journal.Command{
		{ID: a, Run: "run-1", Kind: "say", Payload: "masked", By: "user", At: Start, Answer: "done"},
		{ID: b, Run: "run-1", Kind: "cancel", By: "other", At: Start},
	}
	got, err := s.Commands(t.Context(), "run-1", 0)
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("commands are %+v, %v", got, err)
	}
	got, err = s.Commands(t.Context(), "run-1", a)
	if err != nil || len(got) != 1 || got[0] != want[1] {
		t.Errorf("commands after %d are %+v, %v", a, got, err)
	}
	if all, err := s.Commands(t.Context(), "", a); err != nil || len(all) < len(got) || len(all) == 0 || all[0].ID <= a {
		t.Errorf("of every run after %d: %+v, %v", a, all, err)
	}
	if got, err := s.Commands(t.Context(), "run-9", 0); err != nil || len(got) != 0 {
		t.Errorf("commands of no run are %+v, %v", got, err)
	}
}
