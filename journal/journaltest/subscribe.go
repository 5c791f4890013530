package journaltest

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// collect reads a subscription to its end in a goroutine. Each record passes gate
// first, when there is one.
func collect(events journal.Events, gate <-chan struct{}) <-chan collected {
	out := make(chan collected, 1)
	go func() {
		var c collected
		for r, err := range events {
			if err != nil {
				c.err = err
				break
			}
			c.records = append(c.records, r)
			if gate != nil {
				<-gate
			}
		}
		out <- c
	}()
	return out
}

type collected struct {
	records []journal.Record
	err     error
}

func testSubscribe(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	store(t, s, l.Batch(l.Turn(1)...))
	first := make(chan struct{})
	live := collect(func(yield func(journal.Record, error) bool) {
		for r, err := range s.Subscribe(t.Context(), "run-1", 0) {
			if r.Seq == 6 {
				close(first) // all that was stored before has been given
			}
			if !yield(r, err) {
				return
			}
		}
	}, nil)
	tail := collect(s.Subscribe(t.Context(), "run-1", 4), nil)
	<-first
	for n := 2; n <= 300; n++ {
		store(t, s, l.Batch(l.Turn(n)...))
	}
	store(t, s, l.Batch(l.Ended(), l.Next(journal.Scope{}, &journal.LateEvent{Of: "c1"})))
	for from, ch := range map[int64]<-chan collected{1: live, 4: tail} {
		c := <-ch
		if c.err != nil {
			t.Fatal(c.err)
		}
		wantDense(t, c.records, from, l.Last)
	}
	// An ended run is given whole, and from its end on there is nothing.
	c := <-collect(s.Subscribe(t.Context(), "run-1", 1), nil)
	wantDense(t, c.records, 1, l.Last)
	if c := <-collect(s.Subscribe(t.Context(), "run-1", l.Last+1), nil); c.err != nil || len(c.records) != 0 {
		t.Errorf("got %d records, %v", len(c.records), c.err)
	}
}

func testStalledSubscriber(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	gate := make(chan struct{})
	slow := collect(s.Subscribe(t.Context(), "run-1", 1), gate)
	gate <- struct{}{} // it has the first record, and takes no other before the end
	for n := 1; n <= 400; n++ {
		store(t, s, l.Batch(l.Turn(n)...))
	}
	store(t, s, l.Batch(l.Ended()))
	close(gate)
	c := <-slow
	if c.err != nil {
		t.Fatal(c.err)
	}
	wantDense(t, c.records, 1, l.Last)
}

func testForeignSubscriber(t *testing.T, o Stores) {
	s := o.Open(t)
	other := o.Reopen(t, s)
	l := start(t, s, "run-1")
	seen := make(chan struct{}, 1000)
	got := collect(func(yield func(journal.Record, error) bool) {
		for r, err := range other.Subscribe(t.Context(), "run-1", 1) {
			seen <- struct{}{}
			if !yield(r, err) {
				return
			}
		}
	}, nil)
	<-seen
	store(t, s, l.Batch(l.Turn(1)...))
	for range 5 {
		<-seen
	}
	store(t, s, l.Batch(l.Turn(2)...), l.Batch(l.Ended()))
	c := <-got
	if c.err != nil {
		t.Fatal(c.err)
	}
	wantDense(t, c.records, 1, 12)
}

func testSubscriptionEnds(t *testing.T, o Stores) {
	s := o.Open(t)
	c := <-collect(s.Subscribe(t.Context(), "run-9", 1), nil)
	wantCode(t, c.err, "journal.run_not_found")

	start(t, s, "run-1")
	ctx, cancel := context.WithCancel(t.Context())
	waits := collect(func(yield func(journal.Record, error) bool) {
		for r, err := range s.Subscribe(ctx, "run-1", 1) {
			if err == nil {
				cancel()
			}
			if !yield(r, err) {
				return
			}
		}
	}, nil)
	if c := <-waits; !errors.Is(c.err, context.Canceled) || len(c.records) != 1 {
		t.Errorf("got %d records, %v", len(c.records), c.err)
	}

	given := make(chan struct{})
	closed := collect(func(yield func(journal.Record, error) bool) {
		for r, err := range s.Subscribe(t.Context(), "run-1", 1) {
			if err == nil {
				close(given)
			}
			if !yield(r, err) {
				return
			}
		}
	}, nil)
	<-given
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c = <-closed
	wantCode(t, c.err, "journal.closed")
}

func testChangeToken(t *testing.T, o Stores) {
	s := o.Open(t)
	changes, ok := s.(journal.Changes)
	if !ok {
		return
	}
	token := func() int64 {
		t.Helper()
		n, err := changes.ChangeToken(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := token()
	l := start(t, s, "run-1")
	after := token()
	if before == after {
		t.Error("an append is no change")
	}
	read(t, s, "run-1", journal.Query{})
	if token() != after {
		t.Error("a read is a change")
	}
	other := o.Reopen(t, s)
	after = token()
	if _, err := other.Post(t.Context(), l.Run, journal.Command{Kind: "pause"}); err != nil {
		t.Fatal(err)
	}
	if token() == after {
		t.Error("a command of another opening is no change")
	}
}

func testClosed(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	refused(t, s, l.Batch(l.Turn(1)...), "journal.closed")
	_, err := s.Read(t.Context(), "run-1", journal.Query{})
	wantCode(t, err, "journal.closed")
	_, err = s.PutBlob(t.Context(), []byte("x"))
	wantCode(t, err, "journal.closed")
	_, err = s.GetBlob(t.Context(), "x")
	wantCode(t, err, "journal.closed")
	_, err = s.Acquire(t.Context(), "run-1", true)
	wantCode(t, err, "journal.closed")
	_, err = s.Runs(t.Context())
	wantCode(t, err, "journal.closed")
	_, err = s.Post(t.Context(), "run-1", journal.Command{})
	wantCode(t, err, "journal.closed")
	_, err = s.Commands(t.Context(), "run-1", 0)
	wantCode(t, err, "journal.closed")
}
