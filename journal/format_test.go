package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if _, newest, err := Format(dir); !errors.Is(err, fs.ErrNotExist) || newest < 1 {
		t.Errorf("no directory: newest %d, %v", newest, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
	s, err := OpenSQLite(t.Context(), dir, SQLiteOptions{Durability: DurabilityRelaxed})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // beside an opening, and alone
		have, newest, err := Format(dir)
		if err != nil || have != newest || have < 1 {
			t.Errorf("format %d of %d, %v", have, newest, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c, err := sqlite.OpenConn(filepath.Join(dir, databaseName), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(execute(c, "PRAGMA user_version=99"), c.Close()); err != nil {
		t.Fatal(err)
	}
	if have, _, err := Format(dir); err != nil || have != 99 {
		t.Errorf("a newer one has format %d, %v", have, err)
	}
	if err := os.WriteFile(filepath.Join(dir, databaseName), []byte("this is no database, and long enough to be taken for one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Format(dir); fault.Code(err) != "journal.open_failed" {
		t.Errorf("no database: %v", err)
	}
}
