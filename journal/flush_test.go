package journal_test

import (
	"context"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

type flush struct {
	records, bytes int
	took           time.Duration
}

// flushes keeps what it hears of.
type flushes chan flush

func (f flushes) Flushed(records, bytes int, took time.Duration) { f <- flush{records, bytes, took} }

// Whoever watches a writer hears of every flush, and only of what became durable.
func TestFlushesAreTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	clock := actors.NewManualClock(time.Unix(0, 0))
	system := actors.New(actors.Options{Clock: clock})
	t.Cleanup(func() { system.Shutdown(context.Background()) })
	told := make(flushes, 10)
	writer, err := system.Spawn(journal.WatchedWriterSpec(d.gated, told))
	if err != nil {
		t.Fatal(err)
	}
	l, m := acquire(t, d, "run-1"), acquire(t, d, "run-2")
	good := l.Batch(l.Created())
	want := len(good.Records)
	system.Tell(writer, journal.Append{Batch: good, From: d.me, Tag: 1})
	<-d.begun
	stale := m.Batch(m.Created())
	stale.Epoch-- // is refused
	for i := range stale.Records {
		stale.Records[i].Epoch--
	}
	next := l.Batch(l.Created())
	system.Tell(writer, journal.Append{Batch: stale, From: d.me, Tag: 2})
	system.Tell(writer, journal.Append{Batch: next, From: d.me, Tag: 3})
	clock.Advance(3 * time.Millisecond)
	d.release <- nil
	if f := <-told; f.records != want || f.took != 3*time.Millisecond || f.bytes < 512*want {
		t.Errorf("told %+v of %d records", f, want)
	}
	d.pass(t, 2)
	if f := <-told; f.records != len(next.Records) || f.took != 0 {
		t.Errorf("told %+v of %d records", f, len(next.Records))
	}
}
