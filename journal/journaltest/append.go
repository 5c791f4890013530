package journaltest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

func testAppendRead(t *testing.T, o Stores) {
	s := o.Open(t)
	l := acquire(t, s, "run-1")
	if got := read(t, s, "run-1", journal.Query{}); len(got) != 0 {
		t.Fatalf("a run without records has %d", len(got))
	}
	want := []journal.Record{l.Created()}
	store(t, s, l.Batch(want...))
	for n := 1; n <= 3; n++ {
		turn := l.Turn(n)
		store(t, s, l.Batch(turn...))
		want = append(want, turn...)
	}
	store(t, s, l.Batch()) // an empty batch only checks
	wantSame(t, read(t, s, "run-1", journal.Query{}), want)
	wantSame(t, read(t, s, "run-1", journal.Query{From: 4, To: 9}), want[3:9])
	wantSame(t, read(t, s, "run-1", journal.Query{To: 2}), want[:2])
	wantSame(t, read(t, s, "run-1", journal.Query{From: 100}), nil)
	_, err := s.Read(t.Context(), "run-2", journal.Query{})
	wantCode(t, err, "journal.run_not_found")
}

func testEachPayload(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	var want []journal.Record
	for _, p := range Payloads() {
		if p.Type() != journal.TRunEnded {
			want = append(want, l.Next(journal.Scope{Invocation: "root/ö\"<1>", Task: "task_1", Turn: 2, Call: "c1"}, p))
		}
	}
	want[0].Cause, want[1].Optional, want[2].At = 1, true, want[2].At.Add(12345000)
	store(t, s, l.Batch(want...))
	wantSame(t, read(t, s, "run-1", journal.Query{From: 2}), want)
}

func testFilters(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	var want []journal.Record
	for n := 1; n <= 40; n++ {
		turn := l.Turn(n)
		store(t, s, l.Batch(turn...))
		want = append(want, turn[4])
	}
	task := l.Next(journal.Scope{Invocation: "root/critic-001", Task: "task_1"}, &journal.TaskStarted{Invocation: "root/critic-001"})
	store(t, s, l.Batch(task))
	settled := journal.Query{Types: []journal.Type{journal.TCallSettled}}
	wantSame(t, read(t, s, "run-1", settled), want)
	settled.Limit = 7
	wantSame(t, read(t, s, "run-1", settled), want[:7])
	settled.From = want[6].Seq + 1
	wantSame(t, read(t, s, "run-1", settled), want[7:14])
	wantSame(t, read(t, s, "run-1", journal.Query{Task: "task_1"}), []journal.Record{task})
	wantSame(t, read(t, s, "run-1", journal.Query{Invocation: "root/critic-001"}), []journal.Record{task})
	wantSame(t, read(t, s, "run-1", journal.Query{Invocation: "root", Task: "task_1"}), nil)
	wantSame(t, read(t, s, "run-1", journal.Query{
		Invocation: "root", Types: []journal.Type{journal.TTaskStarted, journal.TCallSettled}, To: want[1].Seq,
	}), want[:2])
}

func testPages(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	for n := 1; l.Last < 12_000; {
		var batch []journal.Record
		for len(batch) < 1000 {
			batch = append(batch, l.Turn(n)...)
			n++
		}
		store(t, s, l.Batch(batch...))
	}
	wantDense(t, read(t, s, "run-1", journal.Query{}), 1, l.Last)
	wantDense(t, read(t, s, "run-1", journal.Query{To: l.Last}), 1, l.Last)
	wantDense(t, read(t, s, "run-1", journal.Query{From: 1}), 1, 10_000)
	wantDense(t, read(t, s, "run-1", journal.Query{Limit: 50_000}), 1, 10_000)
	wantDense(t, read(t, s, "run-1", journal.Query{From: 10_001}), 10_001, l.Last)
	wantDense(t, read(t, s, "run-1", journal.Query{From: 1500, Limit: 3}), 1500, 1502)
}

func testSeqConflict(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	store(t, s, l.Batch(l.Turn(1)...))
	ahead := *l
	ahead.Last++
	refused(t, s, ahead.Batch(ahead.Turn(2)...), "journal.seq_conflict")
	behind := Log{Run: l.Run, Epoch: l.Epoch, Last: 4}
	refused(t, s, behind.Batch(behind.Turn(9)...), "journal.seq_conflict")
	other := Log{Run: l.Run, Epoch: l.Epoch, Last: 1}
	refused(t, s, other.Batch(other.Turn(3)...), "journal.seq_conflict")
	refused(t, s, journal.Batch{Run: l.Run, Epoch: l.Epoch, After: 3}, "journal.seq_conflict")

	// Batches that follow one that is refused are refused too; those of other runs are not.
	m := start(t, s, "run-2")
	gone := l.Batch(l.Next(journal.Scope{}, nil))
	behindIt := l.Batch(l.Turn(2)...)
	fine := m.Batch(m.Turn(1)...)
	errs := s.Append(t.Context(), []journal.Batch{gone, behindIt, fine})
	wantCode(t, errs[0], "journal.invalid_record")
	wantCode(t, errs[1], "journal.seq_conflict")
	wantCode(t, errs[2], "")
	wantDense(t, read(t, s, "run-1", journal.Query{}), 1, 6)
	wantDense(t, read(t, s, "run-2", journal.Query{}), 1, 6)
}

func testRepetition(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	first := l.Batch(l.Turn(1)...)
	second := l.Batch(l.Turn(2)...)
	both := journal.Batch{Run: l.Run, Epoch: l.Epoch, After: first.After, Records: append(append([]journal.Record{}, first.Records...), second.Records...)}
	store(t, s, first, first, second)
	store(t, s, second)
	store(t, s, first)
	store(t, s, both)                                                                                           // however it is cut
	store(t, s, journal.Batch{Run: l.Run, Epoch: l.Epoch, After: first.After + 1, Records: first.Records[1:3]}) // or a part
	wantSame(t, read(t, s, "run-1", journal.Query{From: 2}), both.Records)

	// A record that is not stored yet, or differs, makes it no repetition.
	third := l.Batch(l.Turn(3)...)
	refused(t, s, journal.Batch{
		Run: l.Run, Epoch: l.Epoch, After: second.After, Records: append(append([]journal.Record{}, second.Records...), third.Records...),
	}, "journal.seq_conflict")
	changed := journal.Batch{Run: l.Run, Epoch: l.Epoch, After: second.After, Records: append([]journal.Record{}, second.Records...)}
	changed.Records[3].Payload = &journal.CallChecked{Decision: "deny", By: "mode"}
	refused(t, s, changed, "journal.seq_conflict")

	// Also the end of a run.
	store(t, s, third)
	end := l.Batch(l.Ended())
	store(t, s, end, end)
	store(t, s, end)
	store(t, s, third)
}

func testStaleEpoch(t *testing.T, o Stores) {
	s := o.Open(t)
	a, b, c := start(t, s, "run-a"), start(t, s, "run-b"), start(t, s, "run-c")
	old := *b
	if _, err := s.Acquire(t.Context(), "run-b", true); err != nil {
		t.Fatal(err)
	}
	errs := s.Append(t.Context(), []journal.Batch{a.Batch(a.Turn(1)...), old.Batch(old.Turn(1)...), c.Batch(c.Turn(1)...)})
	wantCode(t, errs[0], "")
	wantCode(t, errs[1], "journal.stale_owner")
	wantCode(t, errs[2], "")
	wantDense(t, read(t, s, "run-a", journal.Query{}), 1, 6)
	wantDense(t, read(t, s, "run-b", journal.Query{}), 1, 1)
	wantDense(t, read(t, s, "run-c", journal.Query{}), 1, 6)
	b.Epoch++
	store(t, s, b.Batch(b.Turn(1)...))
	b.Epoch++
	refused(t, s, b.Batch(b.Turn(2)...), "journal.stale_owner") // an epoch that nobody was given
	never := &Log{Run: "run-d", Epoch: 1}
	refused(t, s, never.Batch(never.Created()), "journal.stale_owner")
}

func testInvalidRecords(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	for name, change := range map[string]func(r *journal.Record){
		"run":     func(r *journal.Record) { r.Run = "run-2" },
		"epoch":   func(r *journal.Record) { r.Epoch++ },
		"seq":     func(r *journal.Record) { r.Seq++ },
		"payload": func(r *journal.Record) { r.Payload = nil },
	} {
		cp := *l
		b := cp.Batch(cp.Turn(1)...)
		change(&b.Records[2])
		t.Run(name, func(t *testing.T) { refused(t, s, b, "journal.invalid_record") })
	}
	wantDense(t, read(t, s, "run-1", journal.Query{}), 1, 1)
}

func testEnded(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	late := journal.Scope{Invocation: "root"}
	ended, after := l.Ended(), l.Next(late, &journal.LateEvent{Of: "call", Claim: "settled", By: "c1", Because: "the run has ended"})
	store(t, s, l.Batch(ended, after)) // what may follow an end may follow it in its batch
	at := *l
	refused(t, s, l.Batch(l.Turn(1)...), "journal.ended")
	*l = at
	mixed := l.Batch(l.Next(late, &journal.LateEvent{Of: "task", Claim: "ended", By: "t1"}), l.Ended())
	refused(t, s, mixed, "journal.ended")
	*l = at
	optional := l.Next(late, &journal.TurnClosed{Reason: "audit"})
	optional.Optional = true
	store(t, s, l.Batch(optional, l.Next(late, &journal.LateEvent{Of: "task", Claim: "ended", By: "t1"})))
	wantDense(t, read(t, s, "run-1", journal.Query{}), 1, 5)

	m := start(t, s, "run-2")
	refused(t, s, m.Batch(m.Ended(), m.Next(late, &journal.TurnClosed{})), "journal.ended")
	wantDense(t, read(t, s, "run-2", journal.Query{}), 1, 1)
}

func testReopen(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	store(t, s, l.Batch(l.Turn(1)...))
	want := read(t, s, "run-1", journal.Query{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = o.Reopen(t, s)
	wantSame(t, read(t, s, "run-1", journal.Query{}), want)
	again := acquire(t, s, "run-1")
	if again.Epoch <= l.Epoch {
		t.Errorf("epoch went from %d to %d", l.Epoch, again.Epoch)
	}
	again.Last = l.Last
	store(t, s, again.Batch(again.Turn(2)...))
	wantDense(t, read(t, s, "run-1", journal.Query{}), 1, 11)
}

func testConcurrentRuns(t *testing.T, o Stores) {
	const runs, turns = 16, 25
	s := o.Open(t)
	var wait sync.WaitGroup
	for i := range runs {
		l := start(t, s, fmt.Sprintf("run-%02d", i))
		wait.Go(func() {
			for n := 1; n <= turns; n++ {
				if err := s.Append(t.Context(), []journal.Batch{l.Batch(l.Turn(n)...)})[0]; err != nil {
					t.Errorf("%s: %v", l.Run, err)
					return
				}
				if n%8 == 0 {
					if _, err := s.Read(t.Context(), l.Run, journal.Query{From: l.Last - 3}); err != nil {
						t.Errorf("%s: %v", l.Run, err)
					}
				}
			}
		})
	}
	wait.Wait()
	for i := range runs {
		records := read(t, s, fmt.Sprintf("run-%02d", i), journal.Query{})
		wantDense(t, records, 1, 1+5*turns)
		if faults := journal.Verify(records); len(faults) > 0 {
			t.Errorf("run %d: %v", i, faults)
		}
	}
}
