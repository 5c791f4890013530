package journal

import (
	"bytes"
	"context"

	"zombiezen.com/go/sqlite"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// maxChunk bounds the bytes of one row; a reader that wants a few records reads whole rows.
const maxChunk = 256 << 10

// runHead is what the writer knows of a run.
type runHead struct {
	head
	id    int64 // number of the run
	index index
}

// packed is a batch as it is stored.
type packed struct {
	chunks []chunk
	blobs  []Blob
	err    error
}

// chunk is one row of consecutive records.
type chunk struct {
	first int64 // seq
	n     int64
	at    int64 // of the last record, microseconds
	data  []byte
}

// pack encodes a batch.
func pack(e *encoder, b *Batch) (p packed) {
	var c chunk
	for i := range b.Records {
		r := &b.Records[i]
		var blobs []Blob
		if c.data == nil {
			c = chunk{first: r.Seq, data: make([]byte, 0, min(512*(len(b.Records)-i), maxChunk))}
		}
		if c.data, blobs, p.err = e.encode(c.data, r); p.err != nil {
			return packed{err: p.err}
		}
		c.data = append(c.data, '\n')
		c.n++
		c.at = r.At.UnixMicro()
		p.blobs = append(p.blobs, blobs...)
		if len(c.data) >= maxChunk {
			p.chunks = append(p.chunks, c)
			c = chunk{}
		}
	}
	if c.n > 0 {
		p.chunks = append(p.chunks, c)
	}
	return p
}

// Append implements [Store].
func (s *SQLite) Append(ctx context.Context, batches []Batch) []error {
	errs := make([]error, len(batches))
	all := make([]packed, len(batches))
	e := encoders.Get().(*encoder)
	for i := range batches {
		all[i] = pack(e, &batches[i])
		errs[i] = all[i].err
		if errs[i] == nil {
			errs[i] = s.putLarge(all[i].blobs)
		}
	}
	encoders.Put(e)
	err := s.transaction(ctx, "append", "", func(c *sqlite.Conn) error {
		if err := s.holdLease(c); err != nil {
			return err
		}
		for i := range batches {
			if errs[i] != nil {
				continue
			}
			refused, err := s.appendBatch(c, &batches[i], &all[i])
			if err != nil {
				return err
			}
			errs[i] = refused
		}
		return nil
	})
	if err != nil {
		for i := range errs {
			if errs[i] == nil {
				errs[i] = err
			}
		}
		return errs
	}
	s.stored.wake()
	return errs
}

// appendBatch gives the refusal of a batch, or the error that ends the transaction.
func (s *SQLite) appendBatch(c *sqlite.Conn, b *Batch, p *packed) (refused, err error) {
	h, err := s.runHead(c, b.Run)
	if err != nil {
		if fault.Code(err) != "" {
			return err, nil // damage of this run stops this run only
		}
		return nil, err
	}
	repeat, refused := h.admit(b)
	if refused != nil {
		if repeat {
			same, err := repeats(c, h.id, b, p)
			if err != nil || same {
				return nil, err
			}
		}
		return refused, nil
	}
	if b.After+int64(len(b.Records)) >= 1<<32 {
		return invalidRecord("a run has at most %d records", int64(1)<<32-1).With("append", b.Run), nil
	}
	for i := range p.blobs {
		if err := putSmall(c, &p.blobs[i]); err != nil {
			return nil, err
		}
	}
	for i := range p.chunks {
		k := &p.chunks[i]
		ins, err := c.Prepare("INSERT INTO chunk (id, n, at, data) VALUES (?, ?, ?, ?)")
		if err != nil {
			return nil, err
		}
		ins.BindInt64(1, h.id<<32|k.first)
		ins.BindInt64(2, k.n)
		ins.BindInt64(3, k.at)
		ins.BindBytes(4, k.data)
		if err := step(ins); err != nil {
			return nil, err
		}
	}
	changed := false
	for i := range b.Records {
		changed = h.index.apply(&b.Records[i]) || changed
	}
	h.advance(b)
	if changed {
		return nil, putSummary(c, h.id, &h.index)
	}
	return nil, nil
}

// runHead gives what decides appends of a run; a run that nobody acquired has an empty one.
func (s *SQLite) runHead(c *sqlite.Conn, run string) (*runHead, error) {
	if h, ok := s.heads[run]; ok {
		return h, nil
	}
	h := new(runHead)
	err := query(c, "SELECT id, epoch, coalesce(holder, '') FROM run WHERE name = ?", func(q *sqlite.Stmt) error {
		h.id, h.epoch, h.holder = q.ColumnInt64(0), q.ColumnInt64(1), q.ColumnText(2)
		return nil
	}, run)
	if err != nil || h.id == 0 {
		return h, err
	}
	if h.last, _, err = lastRecord(c, h.id); err != nil {
		return nil, err
	}
	if h.index, _, err = getSummary(c, h.id); err != nil {
		return nil, err
	}
	h.ended = h.index.ended
	s.heads[run] = h
	return h, nil
}

// lastRecord gives the seq and the time of a run's last record; 0: it has none.
func lastRecord(c *sqlite.Conn, id int64) (seq, at int64, err error) {
	err = query(c, "SELECT id, n, at FROM chunk WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1", func(q *sqlite.Stmt) error {
		seq, at = q.ColumnInt64(0)-id<<32+q.ColumnInt64(1)-1, q.ColumnInt64(2)
		return nil
	}, id<<32, (id+1)<<32)
	return seq, at, err
}

// repeats tells whether a batch whose seqs are stored already is stored byte for byte.
func repeats(c *sqlite.Conn, id int64, b *Batch, p *packed) (bool, error) {
	var given []byte
	for i := range p.chunks {
		given = append(given, p.chunks[i].data...)
	}
	var stored []byte
	err := eachLine(c, id, b.After+1, func(_ int64, line []byte) (bool, error) {
		stored = append(append(stored, line...), '\n')
		return len(stored) < len(given), nil
	})
	return bytes.Equal(given, stored), err
}
