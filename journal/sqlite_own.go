package journal

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"
)

// Times of leases (journal spec §7).
const (
	leaseValid = 20 * time.Second
	// A holder whose lease was not renewed for this long does not append before it is.
	leaseFence = 15 * time.Second
	// Leases of processes that ended without giving theirs back are kept this long, so
	// that a list can still say whose they were.
	leaseKept = time.Hour
)

// lease is a row of the lease table. The zero value is that of a holder that is gone.
type lease struct {
	holder  string
	process process
	renewed time.Time
}

// live tells whether a holder may still be at work.
func (s *SQLite) live(l *lease, now time.Time) bool {
	switch {
	case l.holder == "" || l.renewed.IsZero():
		return false
	case l.holder == s.holder:
		return true
	case now.Sub(l.renewed) >= leaseValid:
		return false
	}
	return !l.process.gone(s.self)
}

// Acquire implements [Store].
func (s *SQLite) Acquire(ctx context.Context, run string, takeOver bool) (epoch int64, err error) {
	err = s.transaction(ctx, "acquire", run, func(c *sqlite.Conn) error {
		var id int64
		var l lease
		var since int64
		err := query(c, `SELECT run.id, run.epoch, coalesce(run.since, 0), coalesce(lease.holder, ''),
			coalesce(lease.host, ''), coalesce(lease.pid, 0), coalesce(lease.started, ''), coalesce(lease.renewed, 0)
			FROM run LEFT JOIN lease ON lease.holder = run.holder WHERE run.name = ?`, func(q *sqlite.Stmt) error {
			id, epoch, since = q.ColumnInt64(0), q.ColumnInt64(1), q.ColumnInt64(2)
			l = readLease(q, 3)
			return nil
		}, run)
		if err != nil {
			return err
		}
		now := s.options.Clock()
		if !takeOver && s.live(&l, now) {
			return runHeld(run, l.holder, l.process.host, l.process.pid, fromMicro(since))
		}
		if err := s.takeLease(c, now); err != nil {
			return err
		}
		s.renewAlways()
		delete(s.heads, run)
		epoch++
		if id == 0 {
			return execute(c, "INSERT INTO run (name, epoch, holder, since) VALUES (?, ?, ?, ?)",
				run, epoch, s.holder, now.UnixMicro())
		}
		return execute(c, "UPDATE run SET epoch = ?, holder = ?, since = ? WHERE id = ?",
			epoch, s.holder, now.UnixMicro(), id)
	})
	if err != nil {
		return 0, err
	}
	return epoch, nil
}

// readLease reads the five columns of a lease from a row.
func readLease(q *sqlite.Stmt, col int) lease {
	l := lease{
		holder:  q.ColumnText(col),
		process: process{q.ColumnText(col + 1), q.ColumnInt(col + 2), q.ColumnText(col + 3)},
	}
	if us := q.ColumnInt64(col + 4); us != 0 {
		l.renewed = fromMicro(us)
	}
	return l
}

// Release implements [Store].
func (s *SQLite) Release(ctx context.Context, run string, epoch int64) error {
	return s.transaction(ctx, "release", run, func(c *sqlite.Conn) error {
		delete(s.heads, run)
		return execute(c, "UPDATE run SET holder = NULL, since = NULL WHERE name = ? AND holder = ? AND epoch = ?", run, s.holder, epoch)
	})
}

// takeLease writes the lease of this opening and sweeps out old ones.
func (s *SQLite) takeLease(c *sqlite.Conn, now time.Time) error {
	if s.leased.IsZero() {
		err := execute(c, "DELETE FROM lease WHERE renewed < ?", now.Add(-leaseKept).UnixMicro())
		if err != nil {
			return err
		}
	}
	return s.renew(c, now)
}

// renew writes the lease anew, also when it was swept out meanwhile: what protects a
// run is its epoch. If the transaction fails, the next append or tick tries again.
func (s *SQLite) renew(c *sqlite.Conn, now time.Time) error {
	err := execute(c, "INSERT OR REPLACE INTO lease (holder, host, pid, started, renewed) VALUES (?, ?, ?, ?, ?)",
		s.holder, s.self.host, int64(s.self.pid), s.self.started, now.UnixMicro())
	if err == nil {
		s.leased = now
	}
	return err
}

// holdLease is the fence of appends: one that comes after a long silence carries the
// renewal with it, or fails with it.
func (s *SQLite) holdLease(c *sqlite.Conn) error {
	if s.leased.IsZero() {
		return nil
	}
	if now := s.options.Clock(); now.Sub(s.leased) >= leaseFence {
		return s.renew(c, now)
	}
	return nil
}

// renewAlways starts the renewal; it ends with Close. The caller has the token.
func (s *SQLite) renewAlways() {
	s.renewing.Do(func() {
		s.group.Go(func() {
			t := time.NewTicker(s.options.RenewEvery)
			defer t.Stop()
			for {
				select {
				case <-t.C:
					// A failure shows at the next append, which is fenced then.
					_ = s.renewNow()
				case <-s.done:
					return
				}
			}
		})
	})
}

func (s *SQLite) renewNow() error {
	return s.transaction(context.Background(), "renew", s.holder, func(c *sqlite.Conn) error {
		return s.renew(c, s.options.Clock())
	})
}

// endLease gives back the lease and the runs. The caller has the token.
func (s *SQLite) endLease() error {
	return s.locked(context.Background(), func(c *sqlite.Conn) error {
		if err := execute(c, "UPDATE run SET holder = NULL, since = NULL WHERE holder = ?", s.holder); err != nil {
			return err
		}
		return execute(c, "DELETE FROM lease WHERE holder = ?", s.holder)
	})
}
