package journal_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// TestRewriteLeavesNothing holds that a payload that was replaced stands in no file of the
// store, once it is closed, whether it was short or filled pages of its own.
func TestRewriteLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]string{"short": "the-old-payload", "long": strings.Repeat("the-old-payload ", 2000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, err := journal.OpenSQLite(t.Context(), dir, journal.SQLiteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			id, err := s.Post(t.Context(), "run-1", journal.Command{Kind: journal.CommandSay, Payload: payload})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Rewrite(t.Context(), id, "another"); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			files := 0
			err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				files++
				b, err := os.ReadFile(path)
				if bytes.Contains(b, []byte("old-payload")) {
					t.Errorf("%s keeps it", filepath.Base(path))
				}
				return err
			})
			if err != nil || files == 0 {
				t.Errorf("%d files, %v", files, err)
			}
		})
	}
}
