package journal

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"
)

// Exec runs a statement in a transaction of the writer.
func (s *SQLite) Exec(ctx context.Context, sql string, args ...any) error {
	return s.transaction(ctx, "exec", "", func(c *sqlite.Conn) error { return execute(c, sql, args...) })
}

// Pragma runs a statement on the writer outside of a transaction.
func (s *SQLite) Pragma(sql string) error {
	<-s.write
	defer func() { s.write <- struct{}{} }()
	return execute(s.conn, sql)
}

// Rows gives a blob column and its row ids.
func (s *SQLite) Rows(ctx context.Context, sql string, args ...any) (ids []int64, data [][]byte, err error) {
	err = s.reading(ctx, "rows", "", func(c *sqlite.Conn) error {
		return query(c, sql, func(q *sqlite.Stmt) error {
			ids, data = append(ids, q.ColumnInt64(0)), append(data, column(q, 1, nil))
			return nil
		}, args...)
	})
	return ids, data, err
}

// Renewed gives when a holder last renewed its lease.
func (s *SQLite) Renewed(ctx context.Context, holder string) (at time.Time, err error) {
	err = s.reading(ctx, "renewed", "", func(c *sqlite.Conn) error {
		return query(c, "SELECT renewed FROM lease WHERE holder = ?", func(q *sqlite.Stmt) error {
			at = fromMicro(q.ColumnInt64(0))
			return nil
		}, holder)
	})
	return at, err
}

// WithSum gives a line the sum that it should have.
func WithSum(covered []byte) []byte { return appendTestSum(covered) }

// Occupy takes the token of the writer until the function is called.
func (s *SQLite) Occupy() (release func()) {
	<-s.write
	return func() { s.write <- struct{}{} }
}
