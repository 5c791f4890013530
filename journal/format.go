package journal

import (
	"errors"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Format gives the format number of the database of a data directory, and the newest one
// that this version knows. It makes nothing, changes nothing and takes no lease. The error
// of a directory without a database is [io/fs.ErrNotExist]; else its code is
// "journal.open_failed".
func Format(dir string) (have, newest int, err error) {
	list, err := readMigrations(migrations)
	if err != nil {
		return 0, 0, err
	}
	file := filepath.Join(dir, databaseName)
	if _, err := os.Stat(file); err != nil {
		return 0, len(list), err
	}
	c, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err != nil {
		return 0, len(list), fault.Wrap(err, "journal.open_failed", "the journal cannot be opened").With("look at", dir)
	}
	c.SetBusyTimeout(busyLimit)
	if err = execute(c, "PRAGMA query_only=1"); err == nil {
		have, err = format(c)
	}
	if err = errors.Join(err, c.Close()); err != nil {
		return 0, len(list), fault.Wrap(err, "journal.open_failed", "the journal cannot be read").With("look at", dir)
	}
	return have, len(list), nil
}
