package journal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/journal/journaltest"
)

// gated lets a test see each append of a store, and hold it.
type gated struct {
	journal.Store
	begun   chan []journal.Batch // unbuffered: an append waits until the test has seen it
	release chan func()          // and until the test lets it on; the function may panic
}

func (g *gated) Append(ctx context.Context, batches []journal.Batch) []error {
	select {
	case g.begun <- append([]journal.Batch{}, batches...):
	case <-ctx.Done():
		return make([]error, len(batches))
	}
	if f := <-g.release; f != nil {
		f()
	}
	return g.Store.Append(ctx, batches)
}

// desk is a writer over a gated store, and an actor that hands on what it is told.
type desk struct {
	*gated
	system *actors.System
	writer actors.Ref
	me     actors.Ref
	told   chan any
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{
		gated: &gated{
			Store: closing(t, journal.NewMemory(journal.MemoryOptions{})),
			begun: make(chan []journal.Batch), release: make(chan func()),
		},
		system: actors.New(actors.Options{}),
		told:   make(chan any, 10_000),
	}
	var err error
	d.me, err = d.system.Spawn(actors.Spec{Name: "me", Kind: "test", New: func() actors.Actor {
		return actors.Func(func(_ *actors.Context, msg any) {
			switch msg.(type) {
			case journal.Appended, journal.Synced:
				d.told <- msg
			}
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	if d.writer, err = d.system.Spawn(journal.WriterSpec(d.gated)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.system.Shutdown(context.Background()) })
	return d
}

func (d *desk) append(b journal.Batch, tag uint64) {
	d.system.Tell(d.writer, journal.Append{Batch: b, From: d.me, Tag: tag})
}

func (d *desk) sync(tag uint64) { d.system.Tell(d.writer, journal.Sync{From: d.me, Tag: tag}) }

// pass waits for a flush of some batches and lets it on.
func (d *desk) pass(t *testing.T, batches int) {
	t.Helper()
	if got := <-d.begun; len(got) != batches {
		t.Errorf("%d batches are flushed at once, want %d", len(got), batches)
	}
	d.release <- nil
}

// want checks what is told next.
func (d *desk) want(t *testing.T, want any, code string) {
	t.Helper()
	got := <-d.told
	if a, ok := got.(journal.Appended); ok {
		wantCode(t, a.Err, code)
		a.Err = nil
		got = a
	}
	if got != want {
		t.Errorf("told %+v, want %+v", got, want)
	}
}

func TestWriterGroups(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	l, m := acquire(t, d, "run-1"), acquire(t, d, "run-2")
	d.sync(1) // nothing is open
	d.want(t, journal.Synced{Tag: 1}, "")
	d.append(l.Batch(l.Created()), 2) // goes at once
	first := <-d.begun
	if len(first) != 1 {
		t.Errorf("%d batches", len(first))
	}
	d.append(m.Batch(m.Created()), 3) // these wait for it
	d.sync(4)
	d.append(l.Batch(l.Turn(1)...), 5)
	d.append(m.Batch(m.Turn(1)...), 6)
	d.sync(7)
	d.release <- nil
	d.want(t, journal.Appended{Run: "run-1", Tag: 2}, "")
	d.pass(t, 3)
	for _, want := range []any{
		journal.Appended{Run: "run-2", Tag: 3}, journal.Synced{Tag: 4},
		journal.Appended{Run: "run-1", Tag: 5}, journal.Appended{Run: "run-2", Tag: 6}, journal.Synced{Tag: 7},
	} {
		d.want(t, want, "")
	}
	if records, err := d.Read(t.Context(), "run-2", journal.Query{}); err != nil || len(records) != 6 {
		t.Errorf("%d records, %v", len(records), err)
	}
}

func TestWriterBounds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	l := acquire(t, d, "run-1")
	tag := uint64(0)
	send := func(records ...journal.Record) {
		tag++
		d.append(l.Batch(records...), tag)
	}
	many := func(n int) (records []journal.Record) {
		for range n {
			records = append(records, l.Next(journal.Scope{}, &journal.SlotTaken{}))
		}
		return records
	}
	big := func(size int) journal.Record {
		return l.Next(journal.Scope{}, &journal.ModelAnswered{Text: journal.Text(string(make([]byte, size)))})
	}
	send(l.Created())
	<-d.begun
	send(many(1000)...)
	send(many(24)...) // 1024 with these
	send(many(1)...)
	send(many(2000)...) // more than one transaction should have
	send(many(5)...)
	send(big(3 << 20))
	send(big(1 << 20)) // over 4 MiB with it
	send(many(3)...)
	d.sync(99)
	d.release <- nil
	for _, batches := range []int{2, 1, 1, 2, 2} {
		d.pass(t, batches)
	}
	for i := uint64(1); i <= tag; i++ {
		d.want(t, journal.Appended{Run: "run-1", Tag: i}, "")
	}
	d.want(t, journal.Synced{Tag: 99}, "")
}

func TestWriterRefusals(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	l, m := acquire(t, d, "run-1"), acquire(t, d, "run-2")
	d.append(l.Batch(l.Created()), 1)
	<-d.begun
	l.Last++ // a batch that is lost
	d.append(l.Batch(l.Turn(1)...), 2)
	d.append(m.Batch(m.Created()), 3)
	d.append(l.Batch(l.Turn(2)...), 4)
	d.release <- func() { panic("the store fails as a program") }
	d.want(t, journal.Appended{Run: "run-1", Tag: 1}, "journal.append_failed")
	d.pass(t, 3)
	d.want(t, journal.Appended{Run: "run-1", Tag: 2}, "journal.seq_conflict")
	d.want(t, journal.Appended{Run: "run-2", Tag: 3}, "")
	d.want(t, journal.Appended{Run: "run-1", Tag: 4}, "journal.seq_conflict")
}

func TestWriterStops(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	l := acquire(t, d, "run-1")
	d.append(l.Batch(l.Created()), 1)
	<-d.begun
	d.append(l.Batch(l.Turn(1)...), 2)
	d.sync(3)
	d.system.Stop(d.writer)
	d.want(t, journal.Appended{Run: "run-1", Tag: 1}, "journal.append_failed")
	d.want(t, journal.Appended{Run: "run-1", Tag: 2}, "journal.append_failed")
	d.want(t, journal.Synced{Tag: 3}, "")
	d.release <- nil
}

// TestWriterRestarts lets the writer panic in the middle: what is open is answered.
func TestWriterRestarts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	l := acquire(t, d, "run-1")
	d.append(l.Batch(l.Created()), 1)
	<-d.begun
	d.append(l.Batch(l.Turn(1)...), 2)
	d.append(journal.Batch{Run: "run-2", Records: []journal.Record{{Payload: poison{}}}}, 3)
	d.want(t, journal.Appended{Run: "run-1", Tag: 1}, "journal.append_failed")
	d.want(t, journal.Appended{Run: "run-1", Tag: 2}, "journal.append_failed")
	d.want(t, journal.Appended{Run: "run-2", Tag: 3}, "journal.append_failed")
	d.release <- nil
	d.append(l.Batch(l.Turn(2)...), 4)
	d.pass(t, 1)
	d.want(t, journal.Appended{Run: "run-1", Tag: 4}, "journal.seq_conflict")
}

// poison makes whoever weighs it panic.
type poison struct{}

func (poison) Type() journal.Type           { return journal.TSlotTaken }
func (poison) Contents() []*journal.Content { panic(errors.New("poison")) }

// TestWriterOverSQLite is many runs that append at once, each when its last append is durable.
func TestWriterOverSQLite(t *testing.T) {
	t.Parallel()
	const runs, turns = 16, 20
	s := openSQLite(t, t.TempDir(), journal.SQLiteOptions{})
	system := actors.New(actors.Options{})
	writer, err := system.Spawn(journal.WriterSpec(s))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, runs)
	for i := range runs {
		l := acquire(t, s, fmt.Sprintf("run-%02d", i))
		_, err := system.Spawn(actors.Spec{Name: l.Run, Kind: "test", New: func() actors.Actor { return &busyRun{l, writer, turns, done} }})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range runs {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	system.Shutdown(t.Context())
	for i := range runs {
		records, err := s.Read(t.Context(), fmt.Sprintf("run-%02d", i), journal.Query{})
		if err != nil || len(records) != 1+5*turns {
			t.Errorf("run %d has %d records, %v", i, len(records), err)
		}
	}
}

// busyRun appends turn after turn.
type busyRun struct {
	log    *journaltest.Log
	writer actors.Ref
	turns  int
	done   chan<- error
}

func (b *busyRun) Receive(c *actors.Context, msg any) {
	switch m := msg.(type) {
	case actors.Started:
		c.Tell(b.writer, journal.Append{Batch: b.log.Batch(b.log.Created()), From: c.Self()})
	case journal.Appended:
		switch {
		case m.Err != nil:
			b.done <- m.Err
		case int(m.Tag) == b.turns:
			b.done <- nil
		default:
			n := m.Tag + 1
			c.Tell(b.writer, journal.Append{Batch: b.log.Batch(b.log.Turn(int(n))...), From: c.Self(), Tag: n})
		}
	}
}
