package journal_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/journal/journaltest"
)

// wholeRun is a run in which everything that is begun ends.
func wholeRun() []journal.Record {
	l := &journaltest.Log{Run: "run-1", Epoch: 1}
	root := journal.Scope{Invocation: "root"}
	child := journal.Scope{Invocation: "root/critic-001", Task: "task_1"}
	turn := journal.Scope{Invocation: "root", Turn: 1}
	write := journal.Scope{Invocation: "root", Turn: 1, Call: "call_w"}
	denied := journal.Scope{Invocation: "root", Turn: 1, Call: "call_d"}
	records := []journal.Record{
		l.Created(),
		l.Next(root, &journal.InvocationCreated{Path: "root", Kind: "root"}),
		l.Next(turn, &journal.ModelRequested{}),
		l.Next(turn, &journal.ModelRequested{}), // sent again after a crash
		l.Next(turn, &journal.ModelAnswered{Calls: 2}),
		l.Next(write, &journal.CallRequested{Index: 0}),
		l.Next(denied, &journal.CallRequested{Index: 1}),
		l.Next(write, &journal.CallChecked{Decision: "ask"}),
		l.Next(denied, &journal.CallChecked{Decision: "deny"}),
		l.Next(write, &journal.CallChecked{Decision: "allow"}),
		l.Next(write, &journal.CallDispatched{}),
		l.Next(child, &journal.TaskCreated{ID: "task_1", Key: "k1"}),
		l.Next(child, &journal.InvocationCreated{Path: "root/critic-001", Kind: "child"}),
		l.Next(write, &journal.CallSettled{Outcome: journal.Completed, Dispatched: true}),
		l.Next(denied, &journal.CallSettled{Outcome: journal.Failed}),
		l.Next(child, &journal.InvocationEnded{}),
		l.Next(child, &journal.TaskEnded{}),
		l.Next(child, &journal.TaskDelivered{}),
		l.Next(root, &journal.InvocationEnded{}),
		l.Ended(),
		l.Next(root, &journal.LateEvent{}),
	}
	records[20].Optional = true
	return records
}

func TestVerify(t *testing.T) {
	t.Parallel()
	if faults := journal.Verify(wholeRun()); len(faults) > 0 {
		t.Fatalf("a whole run has the faults %v", faults)
	}
	if faults := journal.Verify(nil); len(faults) > 0 {
		t.Fatalf("no records have the faults %v", faults)
	}
	for _, row := range []struct {
		name   string
		change func(r []journal.Record) []journal.Record
		rule   int
		seq    int64
		says   string
	}{
		{"seq has a hole", func(r []journal.Record) []journal.Record { r[20].Seq++; return r }, 1, 22, "should be 21"},
		{"seq does not begin at 1", func(r []journal.Record) []journal.Record { return r[1:] }, 1, 2, "should be 1"},
		{"epoch falls", func(r []journal.Record) []journal.Record { r[3].Epoch = 0; return r }, 1, 4, "epoch is 0"},
		{"another run", func(r []journal.Record) []journal.Record { r[3].Run = "x"; return r }, 1, 4, `of run "x"`},
		{"prev is itself", func(r []journal.Record) []journal.Record { r[3].Prev = 4; return r }, 1, 4, "prev is 4"},
		{"prev is nothing", func(r []journal.Record) []journal.Record { r[3].Prev = 0; return r }, 1, 4, "prev is 0"},
		{"cause is later", func(r []journal.Record) []journal.Record { r[3].Cause = 9; return r }, 1, 4, "cause is 9"},
		{"dispatched unchecked", become(9, &journal.SlotTaken{}), 2, 11, "without a check"},
		{"dispatched denied", become(9, &journal.CallChecked{Decision: "deny"}), 2, 11, "without a check"},
		{"dispatched twice", become(11, &journal.CallDispatched{}, "call_w"), 2, 12, "dispatched twice"},
		{"dispatched after it was settled", become(17, &journal.CallDispatched{}, "call_w"), 2, 18, "after it was settled"},
		{"settled twice", become(17, &journal.CallSettled{Dispatched: true}, "call_w"), 2, 18, "settled twice"},
		{"settled never", become(13, &journal.SlotTaken{}), 2, 0, "not settled"},
		{"settled as dispatched", become(14, &journal.CallSettled{Dispatched: true}, "call_d"), 2, 15, "which it is not"},
		{"settled unrequested", become(17, &journal.CallSettled{}, "call_x"), 2, 18, "never requested"},
		{"call key twice", become(6, &journal.CallRequested{Index: 1}, "call_w"), 4, 7, "requested twice"},
		{"call place twice", become(6, &journal.CallRequested{Index: 0}, "call_d"), 5, 7, "is call_w already"},
		{"turn answered twice", become(8, &journal.ModelAnswered{}), 5, 9, "answered twice"},
		{"turn requested after its answer", become(8, &journal.ModelRequested{}), 5, 9, "again after its answer"},
		{"task ends twice", become(15, &journal.TaskEnded{}), 3, 17, "ends twice"},
		{"task never ends", become(16, &journal.SlotTaken{}), 3, 0, "task task_1 has not ended"},
		{"task of nothing ends", become(11, &journal.SlotTaken{}), 3, 17, "never created"},
		{"task created twice", become(12, &journal.TaskCreated{ID: "task_1"}), 3, 13, "created twice"},
		{"task key twice", become(12, &journal.TaskCreated{ID: "task_2", Key: "k1"}), 4, 13, "key of task task_1"},
		{"task delivered twice", become(16, &journal.TaskDelivered{}), 6, 18, "delivered twice"},
		{"invocation never ends", become(18, &journal.SlotTaken{}), 3, 0, "invocation root has not ended"},
		{"invocation created twice", become(12, &journal.InvocationCreated{Path: "root"}), 3, 13, "created twice"},
		{"run ends twice", become(20, &journal.RunEnded{}), 3, 21, "ended at record 20"},
		{"run created twice", become(4, &journal.RunCreated{}), 3, 5, "second time"},
		{"something behind the end", func(r []journal.Record) []journal.Record {
			r[20].Payload, r[20].Optional = &journal.SlotTaken{}, false
			return r
		}, 3, 21, "behind the end"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			faults := journal.Verify(row.change(wholeRun()))
			if !slices.ContainsFunc(faults, func(f journal.Fault) bool {
				return f.Rule == row.rule && f.Seq == row.seq && strings.Contains(f.String(), row.says)
			}) {
				t.Errorf("the faults are %v", faults)
			}
		})
	}
}

// guidedRun is a run whose owner is told two things, and a third that nobody hears.
func guidedRun() []journal.Record {
	l := &journaltest.Log{Run: "run-1", Epoch: 1}
	root, boss := journal.Scope{Invocation: "root"}, journal.Scope{Invocation: "boss"}
	said := func(id string) *journal.GuidanceSubmitted {
		return &journal.GuidanceSubmitted{ID: id, Text: journal.Text(id)}
	}
	return []journal.Record{
		l.Created(),
		l.Next(root, &journal.InvocationCreated{Path: "root", Kind: "root"}),
		l.Next(journal.Scope{}, said("a")),
		l.Next(journal.Scope{}, said("b")),
		l.Next(root, &journal.GuidanceApplied{ID: "a", Text: journal.Text("a")}),
		l.Next(root, &journal.InvocationEnded{Outcome: journal.Transferred}),
		l.Next(boss, &journal.InvocationCreated{Path: "boss", Kind: "handoff"}),
		l.Next(boss, &journal.GuidanceApplied{ID: "b", Text: journal.Text("b")}),
		l.Next(journal.Scope{}, said("c")),
		l.Next(boss, &journal.InvocationEnded{}),
		l.Next(journal.Scope{}, &journal.GuidanceDiscarded{ID: "c"}),
		l.Ended(),
	}
}

func TestVerifyGuidance(t *testing.T) {
	t.Parallel()
	for n := range len(guidedRun()) + 1 {
		if faults := journal.Verify(guidedRun()[:n]); len(faults) > 0 {
			t.Fatalf("the first %d records have the faults %v", n, faults)
		}
	}
	for _, row := range []struct {
		name string
		i    int
		p    journal.Payload
		rule int
		seq  int64
		says string
	}{
		{"submitted twice", 3, &journal.GuidanceSubmitted{ID: "a", Text: journal.Text("b")}, 4, 4, "submitted twice"},
		{"applied twice", 7, &journal.GuidanceApplied{ID: "a", Text: journal.Text("a")}, 6, 8, "had been applied or discarded already"},
		{"applied, then discarded", 10, &journal.GuidanceDiscarded{ID: "a"}, 6, 11, "had been applied or discarded already"},
		{"applied unsaid", 4, &journal.GuidanceApplied{ID: "x"}, 6, 5, "never submitted"},
		{"discarded unsaid", 10, &journal.GuidanceDiscarded{ID: "x"}, 6, 11, "never submitted"},
		{"another text", 4, &journal.GuidanceApplied{ID: "a", Text: journal.Text("A")}, 6, 5, "another text"},
		{"another blob", 4, &journal.GuidanceApplied{ID: "a", Text: journal.Content{Hash: "h"}}, 6, 5, "another text"},
		{"not by the owner", 6, &journal.InvocationCreated{Path: "boss", Kind: "child"}, 6, 8, `the owner is "root"`},
		{"neither at the end", 10, &journal.SlotTaken{}, 6, 0, "guidance c is neither"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			faults := journal.Verify(become(row.i, row.p)(guidedRun()))
			if !slices.ContainsFunc(faults, func(f journal.Fault) bool {
				return f.Rule == row.rule && f.Seq == row.seq && strings.Contains(f.String(), row.says)
			}) {
				t.Errorf("the faults are %v", faults)
			}
		})
	}
}

// TestVerifyPrefixes: a run that is cut anywhere before its end breaks nothing.
func TestVerifyPrefixes(t *testing.T) {
	t.Parallel()
	records := wholeRun()
	for n := range records {
		if faults := journal.Verify(records[:n]); len(faults) > 0 {
			t.Errorf("the first %d records have the faults %v", n, faults)
		}
	}
}

// become gives record i another payload, and another call when one is named.
func become(i int, p journal.Payload, call ...string) func(r []journal.Record) []journal.Record {
	return func(r []journal.Record) []journal.Record {
		r[i].Payload = p
		for _, key := range call {
			r[i].Scope.Invocation, r[i].Scope.Turn, r[i].Scope.Call = "root", 1, key
		}
		return r
	}
}

// TestAppendNowDoesNotAllocate holds the run actor's append to its bound: nothing beyond
// the room for the records themselves.
func TestAppendNowDoesNotAllocate(t *testing.T) {
	s := journal.NewMemory(journal.MemoryOptions{})
	l := acquire(t, s, "run-1")
	records := l.Turn(1)[:1]
	batch := journal.Batch{Run: l.Run, Epoch: l.Epoch, Records: records}
	n := int64(0)
	allocs := testing.AllocsPerRun(10_000, func() {
		n++
		records[0].Seq, records[0].Prev, batch.After = n, n-1, n-1
		if err := s.AppendNow(&batch); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 0.1 {
		t.Errorf("%v allocations", allocs)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
