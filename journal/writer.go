package journal

import (
	"context"
	"errors"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
)

// Bounds of one transaction of the writer (journal spec §5). A batch that is larger by
// itself is written alone.
const (
	groupRecords = 1024
	groupBytes   = 4 << 20
	// recordBytes is about what a record takes beside its contents.
	recordBytes = 512
)

// Append asks the writer to store a batch. It is answered with [Appended] once the batch
// is durable, or refused. The batch must not be changed any more.
type Append struct {
	Batch Batch
	From  actors.Ref // who is told
	Tag   uint64     // of the sender's choice
}

// Appended answers an [Append]; Err is that of [Store.Append].
type Appended struct {
	Run string
	Tag uint64
	Err error
}

// Sync is answered with [Synced] when everything that the writer got before it has been
// answered.
type Sync struct {
	From actors.Ref
	Tag  uint64
}

// Synced answers a [Sync].
type Synced struct{ Tag uint64 }

// FlushWatch hears of each flush of a writer, from the goroutine of the flush: how many
// records became durable, how many bytes that is about (the contents, and 512 bytes for
// each record), and how long the store took.
type FlushWatch interface {
	Flushed(records, bytes int, took time.Duration)
}

// WriterSpec is the actor that appends for all runs of a store: what arrives while one
// transaction is flushed goes into the next one, so that all share its flush. What
// arrives while nothing is flushed is written at once. Messages are answered in the
// order in which they came. When the writer stops or is restarted, those that are open
// are answered with "journal.append_failed": they may be stored or not.
func WriterSpec(store Store) actors.Spec { return WatchedWriterSpec(store, nil) }

// WatchedWriterSpec is [WriterSpec] with somebody who hears of its flushes; nil: nobody.
func WatchedWriterSpec(store Store, watch FlushWatch) actors.Spec {
	// What is open outlives an incarnation, so that the next one can answer it.
	open := new(openWrites)
	return actors.Spec{
		Name: "journal", Kind: "journal writer", Life: actors.Permanent,
		New: func() actors.Actor { return &writer{store: store, watch: watch, open: open} },
	}
}

// openWrites are the messages that are not answered, in their order: those that the
// flush under way answers, then those that wait.
type openWrites struct {
	items  []write
	flying int // items from the front that are being flushed; 0: no flush
}

// write is an [Append], or a [Sync] when it has no batch.
type write struct {
	batch  *Batch
	from   actors.Ref
	tag    uint64
	weight int // bytes, about
}

type writer struct {
	store   Store
	watch   FlushWatch // may be nil
	open    *openWrites
	batches []Batch // of the flush under way
}

// flushed is the key of the writer's effect.
type flushed struct{}

// Receive implements [actors.Actor].
func (w *writer) Receive(c *actors.Context, msg any) {
	switch m := msg.(type) {
	case Append:
		w.add(c, write{batch: &m.Batch, from: m.From, tag: m.Tag})
	case Sync:
		w.add(c, write{from: m.From, tag: m.Tag})
	case actors.Done:
		errs, _ := m.Value.([]error)
		w.answer(c, errs, m.Err)
		w.flush(c)
	case actors.Started:
		if m.Incarnation > 1 {
			w.abandon(c, "the journal writer was restarted")
		}
	case actors.Stopping:
		w.abandon(c, "the journal writer has stopped")
	}
}

func (w *writer) add(c *actors.Context, item write) {
	w.open.items = append(w.open.items, item) // first: what cannot be weighed is answered too
	if item.batch != nil {
		w.open.items[len(w.open.items)-1].weight = weigh(item.batch)
	}
	if w.open.flying == 0 {
		w.flush(c)
	}
}

// flush starts to write what waits, as much as one transaction may hold.
func (w *writer) flush(c *actors.Context) {
	w.batches = w.batches[:0]
	n, records, bytes := 0, 0, 0
	for i := range w.open.items {
		item := &w.open.items[i]
		if item.batch != nil {
			records += len(item.batch.Records)
			bytes += item.weight
			if len(w.batches) > 0 && (records > groupRecords || bytes > groupBytes) {
				break
			}
			w.batches = append(w.batches, *item.batch)
		}
		n++
	}
	w.open.flying = n
	if len(w.batches) == 0 { // nothing but syncs, or nothing
		w.answer(c, nil, nil)
		return
	}
	store, batches, watch, clock := w.store, w.batches, w.watch, c.Clock()
	c.Effect(flushed{}, func(ctx context.Context) (any, error) {
		if watch == nil {
			return store.Append(ctx, batches), nil
		}
		begun := clock.Now()
		errs := store.Append(ctx, batches)
		took, records, bytes := clock.Now().Sub(begun), 0, 0
		for i := range batches {
			if i >= len(errs) || errs[i] == nil {
				records += len(batches[i].Records)
				bytes += weigh(&batches[i])
			}
		}
		watch.Flushed(records, bytes, took)
		return errs, nil
	})
}

// answer tells the outcome of a flush; err is that of a store that failed as a program.
func (w *writer) answer(c *actors.Context, errs []error, err error) {
	n := 0
	for i := range w.open.items[:w.open.flying] {
		item := &w.open.items[i]
		if item.batch == nil {
			c.Tell(item.from, Synced{Tag: item.tag})
			continue
		}
		var outcome error
		switch {
		case err != nil:
			outcome = appendFailed(err).With("append", item.batch.Run)
		case n < len(errs):
			outcome = errs[n]
		}
		n++
		c.Tell(item.from, Appended{Run: item.batch.Run, Tag: item.tag, Err: outcome})
	}
	rest := copy(w.open.items, w.open.items[w.open.flying:])
	clear(w.open.items[rest:]) // batches are not kept alive
	w.open.items, w.open.flying = w.open.items[:rest], 0
	clear(w.batches)
}

// abandon answers everything that is open.
func (w *writer) abandon(c *actors.Context, why string) {
	w.open.flying = len(w.open.items)
	w.batches = nil // a flush under way may still read them
	w.answer(c, nil, errors.New(why))
}

// weigh gives about how many bytes a batch takes.
func weigh(b *Batch) int {
	n := len(b.Records) * recordBytes
	for i := range b.Records {
		if carrier, ok := b.Records[i].Payload.(Carrier); ok {
			for _, content := range carrier.Contents() {
				n += len(content.Text)
			}
		}
	}
	return n
}
