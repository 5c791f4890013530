package journal_test

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/journal/journaltest"
)

func TestMain(m *testing.M) {
	if crashChild() {
		return
	}
	goleak.VerifyTestMain(m)
}

func TestMemory(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]journal.MemoryOptions{"plain": {}, "round trip": {RoundTrip: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func(t *testing.T) journal.Store { return closing(t, journal.NewMemory(o)) }
			journaltest.Run(t, open, func(t *testing.T, s journal.Store) journal.Store {
				return closing(t, s.(*journal.Memory).Reopen())
			})
			if o.RoundTrip {
				journaltest.Encoding(t, open)
			}
		})
	}
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	for _, durability := range []string{journal.DurabilityFull, journal.DurabilityRelaxed} {
		t.Run(durability, func(t *testing.T) {
			t.Parallel()
			o := journal.SQLiteOptions{Durability: durability}
			open := func(t *testing.T) journal.Store {
				return openSQLite(t, filepath.Join(t.TempDir(), "data"), o)
			}
			journaltest.Run(t, open, func(t *testing.T, s journal.Store) journal.Store {
				return openSQLite(t, s.(*journal.SQLite).Dir(), o)
			})
			journaltest.Encoding(t, open)
		})
	}
}

// closing closes a store at the end of a test.
func closing(t *testing.T, s journal.Store) journal.Store {
	t.Helper()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
