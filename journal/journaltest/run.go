package journaltest

import (
	"bytes"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Stores opens the stores under test. What it opens it closes at the end of the test.
type Stores struct {
	// Open gives an empty store.
	Open func(t *testing.T) journal.Store
	// Reopen opens the data of s again, as another holder; s may be open or closed.
	Reopen func(t *testing.T, s journal.Store) journal.Store
}

// Run is the conformance suite of a store.
func Run(t *testing.T, open func(t *testing.T) journal.Store, reopen func(t *testing.T, s journal.Store) journal.Store) {
	t.Helper()
	s := Stores{Open: open, Reopen: reopen}
	for _, test := range []struct {
		name string
		run  func(*testing.T, Stores)
	}{
		{"append and read", testAppendRead},
		{"each payload survives", testEachPayload},
		{"filters come before paging", testFilters},
		{"pages are bounded", testPages},
		{"seq conflict", testSeqConflict},
		{"repetition is answered as done", testRepetition},
		{"stale epoch in the middle", testStaleEpoch},
		{"invalid records", testInvalidRecords},
		{"ended run", testEnded},
		{"survives reopening", testReopen},
		{"many runs at once", testConcurrentRuns},
		{"blobs", testBlobs},
		{"large contents", testContents},
		{"held run", testHeld},
		{"take over", testTakeOver},
		{"owners of one opening", testOneOpening},
		{"release and close", testRelease},
		{"race of owners", testOwnerRace},
		{"summaries", testSummaries},
		{"commands", testCommands},
		{"subscribe to a whole run", testSubscribe},
		{"stalled subscriber", testStalledSubscriber},
		{"subscriber of another opening", testForeignSubscriber},
		{"subscription ends", testSubscriptionEnds},
		{"change token", testChangeToken},
		{"closed", testClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, s)
		})
	}
}

// Encoding is the part of the suite for stores that encode what they keep.
func Encoding(t *testing.T, open func(t *testing.T) journal.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, journal.Store)
	}{
		{"too large", testTooLarge},
		{"not encodable", testNotEncodable},
		{"contents as references", testReferences},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

// start acquires a run and appends its first record.
func start(t *testing.T, s journal.Store, run string) *Log {
	t.Helper()
	l := acquire(t, s, run)
	store(t, s, l.Batch(l.Created()))
	return l
}

func acquire(t *testing.T, s journal.Store, run string) *Log {
	t.Helper()
	epoch, err := s.Acquire(t.Context(), run, false)
	if err != nil {
		t.Fatalf("acquire %s: %v", run, err)
	}
	return &Log{Run: run, Epoch: epoch}
}

// store appends batches, which all must be taken.
func store(t *testing.T, s journal.Store, batches ...journal.Batch) {
	t.Helper()
	for i, err := range s.Append(t.Context(), batches) {
		if err != nil {
			t.Fatalf("append of batch %d: %v", i, err)
		}
	}
}

// refused appends a batch that must be refused with a code.
func refused(t *testing.T, s journal.Store, b journal.Batch, code string) {
	t.Helper()
	wantCode(t, s.Append(t.Context(), []journal.Batch{b})[0], code)
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if got := fault.Code(err); got != code {
		t.Errorf("error is %v, with code %q; want code %q", err, got, code)
	}
}

func read(t *testing.T, s journal.Store, run string, q journal.Query) []journal.Record {
	t.Helper()
	records, err := s.Read(t.Context(), run, q)
	if err != nil {
		t.Fatalf("read %s: %v", run, err)
	}
	return records
}

// wantSame compares records by their canonical bytes.
func wantSame(t *testing.T, got, want []journal.Record) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d records, want %d", len(got), len(want))
	}
	for i := range got {
		if a, b := line(t, &got[i]), line(t, &want[i]); !bytes.Equal(a, b) {
			t.Fatalf("record %d is\n%s\nwant\n%s", i, a, b)
		}
	}
}

func line(t *testing.T, r *journal.Record) []byte {
	t.Helper()
	b, _, err := journal.Encode(r)
	if err != nil {
		t.Fatalf("encode record %d: %v", r.Seq, err)
	}
	return b
}

// wantDense checks that records are those from seq from on, none missing, none twice.
func wantDense(t *testing.T, records []journal.Record, from, to int64) {
	t.Helper()
	if int64(len(records)) != to-from+1 {
		t.Fatalf("got %d records, want those from %d to %d", len(records), from, to)
	}
	for i := range records {
		if records[i].Seq != from+int64(i) {
			t.Fatalf("record %d has seq %d, want %d", i, records[i].Seq, from+int64(i))
		}
	}
}
