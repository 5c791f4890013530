package journal

import (
	"context"
	"errors"

	"zombiezen.com/go/sqlite"
)

// Post implements [Store].
func (s *SQLite) Post(ctx context.Context, run string, cmd Command) (id int64, err error) {
	if cmd.At.IsZero() {
		cmd.At = s.options.Clock()
	}
	err = s.transaction(ctx, "post", run, func(c *sqlite.Conn) error {
		err := execute(c, "INSERT INTO command (run, kind, payload, sender, at, answer) VALUES (?, ?, ?, ?, ?, '')",
			run, cmd.Kind, cmd.Payload, cmd.By, cmd.At.UnixMicro())
		id = c.LastInsertRowID()
		return err
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// Commands implements [Store].
func (s *SQLite) Commands(ctx context.Context, run string, after int64) (list []Command, err error) {
	where, args := "id > ?", []any{after}
	if run != "" {
		where, args = "run = ? AND id > ?", []any{run, after}
	}
	err = s.reading(ctx, "commands", run, func(c *sqlite.Conn) error {
		return query(c, "SELECT id, run, kind, payload, sender, at, answer FROM command WHERE "+where+" ORDER BY id",
			func(q *sqlite.Stmt) error {
				list = append(list, Command{
					ID: q.ColumnInt64(0), Run: q.ColumnText(1), Kind: q.ColumnText(2), Payload: q.ColumnText(3),
					By: q.ColumnText(4), At: fromMicro(q.ColumnInt64(5)), Answer: q.ColumnText(6),
				})
				return nil
			}, args...)
	})
	return list, err
}

// Reply implements [Store].
func (s *SQLite) Reply(ctx context.Context, id int64, answer string) error {
	return s.transaction(ctx, "reply", "", func(c *sqlite.Conn) error {
		return changeCommand(c, "UPDATE command SET answer = ? WHERE id = ?", answer, id)
	})
}

// Rewrite implements [Store]. The database overwrites what it frees here; in its
// write-ahead log older pages stand until the log is written over or removed.
func (s *SQLite) Rewrite(ctx context.Context, id int64, payload string) error {
	return s.transaction(ctx, "rewrite", "", func(c *sqlite.Conn) error {
		if err := execute(c, "PRAGMA secure_delete=1"); err != nil {
			return err
		}
		return errors.Join(changeCommand(c, "UPDATE command SET payload = ? WHERE id = ?", payload, id), execute(c, "PRAGMA secure_delete=0"))
	})
}

// changeCommand updates one row.
func changeCommand(c *sqlite.Conn, update, value string, id int64) error {
	if err := execute(c, update, value, id); err != nil {
		return err
	}
	if c.Changes() == 0 {
		return commandNotFound(id)
	}
	return nil
}
