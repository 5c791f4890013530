package journal

import (
	"context"
	"errors"
	"slices"

	"zombiezen.com/go/sqlite"
)

// summaries gives what a list of runs shows; where narrows it.
func (s *SQLite) summaries(c *sqlite.Conn, where string, arg any) ([]Summary, error) {
	sql := `SELECT run.id, run.name, run.epoch, summary.team, summary.state, summary.created,
		coalesce(lease.holder, ''), coalesce(lease.host, ''), coalesce(lease.pid, 0),
		coalesce(lease.started, ''), coalesce(lease.renewed, 0)
		FROM run JOIN summary ON summary.id = run.id LEFT JOIN lease ON lease.holder = run.holder` + where
	var args []any
	if where != "" {
		args = append(args, arg)
	}
	now := s.options.Clock()
	lives := make(map[string]bool) // of each holder, looked at once
	list := []Summary{}
	var ids []int64
	err := query(c, sql, func(q *sqlite.Stmt) error {
		l := readLease(q, 6)
		live, known := lives[l.holder]
		if !known {
			live = s.live(&l, now)
			lives[l.holder] = live
		}
		x := index{state: q.ColumnText(4)}
		sum := Summary{
			Run: q.ColumnText(1), Epoch: q.ColumnInt64(2), Team: q.ColumnText(3),
			State: x.shown(live), Created: fromMicro(q.ColumnInt64(5)),
		}
		if live {
			sum.Holder = l.holder
		}
		list, ids = append(list, sum), append(ids, q.ColumnInt64(0))
		return nil
	}, args...)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		seq, at, err := lastRecord(c, id)
		if err != nil {
			return nil, err
		}
		list[i].LastSeq, list[i].Updated = seq, fromMicro(at)
	}
	slices.SortFunc(list, newestFirst)
	return list, nil
}

func getSummary(c *sqlite.Conn, id int64) (x index, found bool, err error) {
	err = query(c, "SELECT team, state, created, ended FROM summary WHERE id = ?", func(q *sqlite.Stmt) error {
		x = index{
			team: q.ColumnText(0), state: q.ColumnText(1), created: fromMicro(q.ColumnInt64(2)), ended: q.ColumnBool(3),
		}
		found = true
		return nil
	}, id)
	return x, found, err
}

func putSummary(c *sqlite.Conn, id int64, x *index) error {
	ended := int64(0)
	if x.ended {
		ended = 1
	}
	return execute(c, "INSERT OR REPLACE INTO summary (id, team, state, created, ended) VALUES (?, ?, ?, ?, ?)",
		id, x.team, x.state, x.created.UnixMicro(), ended)
}

// RebuildIndex makes the summary index anew from the records. Runs that are damaged get
// what their good records say; damage is the error of each of them, joined.
func (s *SQLite) RebuildIndex(ctx context.Context) error {
	var damage []error
	err := s.transaction(ctx, "rebuild index", "", func(c *sqlite.Conn) error {
		clear(s.heads)
		if err := execute(c, "DELETE FROM summary"); err != nil {
			return err
		}
		var names []string
		var ids []int64
		err := query(c, "SELECT id, name FROM run ORDER BY id", func(q *sqlite.Stmt) error {
			ids, names = append(ids, q.ColumnInt64(0)), append(names, q.ColumnText(1))
			return nil
		})
		if err != nil {
			return err
		}
		for i, id := range ids {
			x, seen, err := s.foldIndex(ctx, c, id, names[i])
			if err != nil {
				var d *Damage
				if !errors.As(err, &d) {
					return err
				}
				damage = append(damage, err)
			}
			if !seen {
				continue
			}
			if err := putSummary(c, id, &x); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(damage...)
}

// foldIndex folds the records of a run page by page.
func (s *SQLite) foldIndex(ctx context.Context, c *sqlite.Conn, id int64, run string) (x index, seen bool, err error) {
	for next := int64(1); ; {
		page, err := s.read(ctx, c, id, run, Query{From: next, Limit: maxPage, NoBlobs: true})
		for i := range page {
			x.apply(&page[i])
			seen = true
		}
		if err != nil || len(page) < maxPage {
			return x, seen, err
		}
		next = page[len(page)-1].Seq + 1
	}
}
