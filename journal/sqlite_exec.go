package journal

import (
	"fmt"
	"strconv"
	"time"

	"zombiezen.com/go/sqlite"
)

// execute runs a statement for its effect. Statements are prepared once a connection.
func execute(c *sqlite.Conn, sql string, args ...any) error { return query(c, sql, nil, args...) }

// query runs a statement and calls row for each row; args are int64, string, []byte or nil.
func query(c *sqlite.Conn, sql string, row func(s *sqlite.Stmt) error, args ...any) (err error) {
	s, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	// A statement that is left open would hold its snapshot; an error of Step resets it.
	defer func() { _ = s.Reset() }()
	for i, arg := range args {
		switch v := arg.(type) {
		case int64:
			s.BindInt64(i+1, v)
		case string:
			s.BindText(i+1, v)
		case []byte:
			s.BindBytes(i+1, v)
		case nil:
			s.BindNull(i + 1)
		default:
			return fmt.Errorf("argument %d of %q is a %T", i+1, sql, arg)
		}
	}
	for {
		more, err := s.Step()
		if err != nil || !more {
			return err
		}
		if row != nil {
			if err := row(s); err != nil {
				return err
			}
		}
	}
}

// step runs a prepared statement without arguments.
func step(s *sqlite.Stmt) error {
	if _, err := s.Step(); err != nil {
		return err
	}
	return s.Reset()
}

// rollback ends a transaction that a failed statement has not ended itself.
func rollback(c *sqlite.Conn) {
	if !c.AutocommitEnabled() {
		_ = execute(c, "ROLLBACK")
	}
}

// dataVersion gives a number that changes when another connection has written.
func dataVersion(c *sqlite.Conn) (version int64, err error) {
	err = query(c, "PRAGMA data_version", func(s *sqlite.Stmt) error {
		version = s.ColumnInt64(0)
		return nil
	})
	return version, err
}

// column copies the bytes of a column into buf, which grows when it is too small.
func column(s *sqlite.Stmt, col int, buf []byte) []byte {
	n := s.ColumnLen(col)
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	s.ColumnBytes(col, buf)
	return buf
}

func itoa(n int) string { return strconv.Itoa(n) }

func fromMicro(us int64) time.Time { return time.UnixMicro(us).UTC() }
