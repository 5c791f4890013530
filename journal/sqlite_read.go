package journal

import (
	"bytes"
	"context"
	"errors"
	"time"

	"zombiezen.com/go/sqlite"
)

// Read implements [Store]. With an error "journal.damaged" it gives the good records
// that come before the damage.
func (s *SQLite) Read(ctx context.Context, run string, q Query) (records []Record, err error) {
	err = s.reading(ctx, "read", run, func(c *sqlite.Conn) error {
		id, err := runID(c, "read", run)
		if err != nil {
			return err
		}
		records, err = s.read(ctx, c, id, run, q)
		return err
	})
	return records, err
}

func (s *SQLite) read(ctx context.Context, c *sqlite.Conn, id int64, run string, q Query) (records []Record, err error) {
	from, to, limit := q.bounds()
	d := newDecoder()
	load := func(hash string) ([]byte, error) { return s.blob(c, hash) }
	if q.NoBlobs {
		load = nil
	}
	next := from
	var e envelope
	err = eachLine(c, id, from, func(seq int64, line []byte) (bool, error) {
		if len(records) >= limit || seq > to && next > to {
			return false, nil
		}
		if seq != next {
			return false, damaged(run, next, "it is missing")
		}
		if seq&1023 == 0 && ctx.Err() != nil {
			return false, interrupted(ctx, "read", run)
		}
		next++
		if err := d.parse(line, &e); err != nil {
			return false, damaged(run, seq, err.Error())
		}
		if e.Run != run || e.Seq != seq {
			return false, damaged(run, seq, "its place has a record of another one")
		}
		if !q.matches(&e.Scope, e.typ) {
			return true, nil
		}
		r, err := d.record(&e, load)
		if err != nil {
			return false, err
		}
		records = append(records, r)
		return true, nil
	})
	if err == nil && next == 1 {
		// A run has an entry in the index since its first record.
		_, begun, e := getSummary(c, id)
		if err = e; begun {
			err = damaged(run, next, "it is missing")
		}
	}
	var torn *badChunk
	if errors.As(err, &torn) {
		err = damaged(run, torn.seq, "the row that holds it is not whole")
	}
	if err != nil && sqlite.ErrCode(err).ToPrimary() == sqlite.ResultCorrupt {
		err = damaged(run, next, "the database file is damaged: "+err.Error())
	}
	return records, err
}

// badChunk is a row whose lines do not agree with its count; seq is of the first record
// that is not whole, or would follow.
type badChunk struct{ seq int64 }

func (*badChunk) Error() string { return "a row of records is not whole" }

// eachLine calls f for the stored lines of a run from a seq on, as they lie there,
// until it gives false. The line is valid during the call only.
func eachLine(c *sqlite.Conn, id, from int64, f func(seq int64, line []byte) (bool, error)) error {
	start := id<<32 | from
	// The row that holds from may begin before it.
	err := query(c, "SELECT id FROM chunk WHERE id >= ? AND id <= ? ORDER BY id DESC LIMIT 1", func(q *sqlite.Stmt) error {
		start = q.ColumnInt64(0)
		return nil
	}, id<<32, start)
	if err != nil {
		return err
	}
	var buf []byte
	err = query(c, "SELECT id, n, data FROM chunk WHERE id >= ? AND id < ? ORDER BY id", func(q *sqlite.Stmt) error {
		seq, n := q.ColumnInt64(0)-id<<32, q.ColumnInt64(1)
		end := seq + n
		if end <= from && n > 0 {
			// Nothing of this row is wanted, unless what follows it is missing.
			return nil
		}
		buf = column(q, 2, buf)
		rest := buf
		for ; seq < end; seq++ {
			line, after, whole := bytes.Cut(rest, []byte{'\n'})
			if !whole {
				return &badChunk{max(seq, from)}
			}
			rest = after
			if seq < from {
				continue
			}
			if more, err := f(seq, line); err != nil || !more {
				return orStop(err)
			}
		}
		if len(rest) > 0 {
			return &badChunk{max(end, from)}
		}
		return nil
	}, start, (id+1)<<32)
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// errStop ends a query early.
var errStop = errors.New("stop")

func orStop(err error) error {
	if err == nil {
		return errStop
	}
	return err
}

// runID gives the number of a run.
func runID(c *sqlite.Conn, op, run string) (id int64, err error) {
	err = query(c, "SELECT id FROM run WHERE name = ?", func(q *sqlite.Stmt) error {
		id = q.ColumnInt64(0)
		return nil
	}, run)
	if err == nil && id == 0 {
		return 0, runNotFound(op, run)
	}
	return id, err
}

// Subscribe implements [Store].
func (s *SQLite) Subscribe(ctx context.Context, run string, from int64) Events {
	return follow(ctx, s, run, from)
}

func (s *SQLite) ended(ctx context.Context, run string) (ended bool, err error) {
	err = s.reading(ctx, "subscribe", run, func(c *sqlite.Conn) error {
		id, err := runID(c, "subscribe", run)
		if err != nil {
			return err
		}
		x, _, err := getSummary(c, id)
		ended = x.ended
		return err
	})
	return ended, err
}

func (s *SQLite) listen(string) (mark, error) {
	m := mark{stored: s.stored.listen()}
	var err error
	m.token, err = s.changeToken()
	return m, err
}

// wait looks for what other processes wrote every [pollEvery].
func (s *SQLite) wait(ctx context.Context, m mark) error {
	t := time.NewTicker(pollEvery)
	defer t.Stop()
	for {
		select {
		case <-m.stored:
			return nil
		case <-t.C:
			if token, err := s.changeToken(); err != nil || token != m.token {
				return err
			}
		case <-s.done:
			return closedStore("subscribe")
		case <-ctx.Done():
			return interrupted(ctx, "subscribe", "")
		}
	}
}

// Runs implements [Store].
func (s *SQLite) Runs(ctx context.Context) (list []Summary, err error) {
	err = s.reading(ctx, "list runs", "", func(c *sqlite.Conn) error {
		list, err = s.summaries(c, "", nil)
		return err
	})
	return list, err
}

// Summary implements [Store].
func (s *SQLite) Summary(ctx context.Context, run string) (found Summary, err error) {
	err = s.reading(ctx, "summary", run, func(c *sqlite.Conn) error {
		list, err := s.summaries(c, " WHERE run.name = ?", run)
		if err == nil && len(list) == 0 {
			return runNotFound("summary", run)
		}
		if err == nil {
			found = list[0]
		}
		return err
	})
	return found, err
}
