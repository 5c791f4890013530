package journal

import (
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// A migration is a file with the number of the format that it leads to.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migration makes format number out of the one before it.
type migration struct {
	number int
	script string
}

// readMigrations gives the migrations in order; their numbers are dense from 1.
func readMigrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	var list []migration
	for i, name := range names {
		number, err := strconv.Atoi(filepath.Base(name)[:4])
		if err != nil || number != i+1 {
			return nil, fmt.Errorf("migration %s: its number is not %d", name, i+1)
		}
		script, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		list = append(list, migration{number, string(script)})
	}
	return list, nil
}

// migrate brings the database to the newest format. begin starts a write transaction.
func migrate(c *sqlite.Conn, files fs.FS, begin func() error) error {
	list, err := readMigrations(files)
	if err != nil {
		return err
	}
	if at, err := format(c); err != nil || at == len(list) {
		return err
	}
	if err := begin(); err != nil {
		return err
	}
	defer rollback(c)
	if err := refuseNewer(c, files); err != nil { // another process may have been first
		return err
	}
	at, err := format(c)
	if err != nil {
		return err
	}
	for _, m := range list[at:] {
		// A migration is a list of statements without one of its own for transactions.
		if err := sqlitex.ExecuteScript(c, m.script, nil); err != nil {
			return fmt.Errorf("migration %d: %w", m.number, err)
		}
	}
	if err := execute(c, "PRAGMA user_version="+strconv.Itoa(len(list))); err != nil {
		return err
	}
	return execute(c, "COMMIT")
}

// refuseNewer refuses a database of a newer format.
func refuseNewer(c *sqlite.Conn, files fs.FS) error {
	list, err := readMigrations(files)
	if err != nil {
		return err
	}
	at, err := format(c)
	if err == nil && at > len(list) {
		return fault.New("journal.version_unsupported",
			"the data directory has format %d, this program knows up to format %d: use a newer one", at, len(list))
	}
	return err
}

// format gives the format number of the database; 0: it is new.
func format(c *sqlite.Conn) (n int, err error) {
	err = query(c, "PRAGMA user_version", func(s *sqlite.Stmt) error {
		n = s.ColumnInt(0)
		return nil
	})
	return n, err
}
