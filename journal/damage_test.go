package journal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/journal/journaltest"
)

// wounded is a store with two runs of three rows each; the rows of the first may be changed.
type wounded struct {
	*journal.SQLite
	ids  []int64
	rows [][]byte
	log  *journaltest.Log
}

func wound(t *testing.T) wounded {
	t.Helper()
	s := openSQLite(t, t.TempDir(), journal.SQLiteOptions{Durability: journal.DurabilityRelaxed})
	w := wounded{SQLite: s}
	for _, run := range []string{"run-1", "run-2"} {
		l := acquire(t, s, run)
		appendAll(t, s, l.Batch(l.Created()))
		appendAll(t, s, l.Batch(l.Next(journal.Scope{}, &journal.RunStarted{Host: "a"}), l.Next(journal.Scope{}, &journal.RunPaused{})))
		appendAll(t, s, l.Batch(l.Next(journal.Scope{}, &journal.CallChecked{Decision: "allow"})))
		if w.log == nil {
			w.log = l
		}
	}
	var err error
	w.ids, w.rows, err = s.Rows(t.Context(), "SELECT id, data FROM chunk WHERE id >> 32 = 1 ORDER BY id")
	if err != nil || len(w.ids) != 3 {
		t.Fatal(w.ids, err)
	}
	return w
}

func (w wounded) set(t *testing.T, row int, data []byte) {
	t.Helper()
	if err := w.Exec(t.Context(), "UPDATE chunk SET data = ? WHERE id = ?", data, w.ids[row]); err != nil {
		t.Fatal(err)
	}
}

// check reads both runs: the damage is found in the first, after the good records, and
// the second goes on.
func (w wounded) check(t *testing.T, what string, args ...int) {
	t.Helper()
	records, err := w.Read(t.Context(), "run-1", journal.Query{})
	var d *journal.Damage
	if fault.Code(err) != "journal.damaged" || !errors.As(err, &d) {
		t.Fatalf("%s %v: error is %v", what, args, err)
	}
	if d.Run != "run-1" || d.Seq != int64(len(records))+1 || d.Reason == "" {
		t.Fatalf("%s %v: damage %+v after %d good records", what, args, d, len(records))
	}
	if records, err := w.Read(t.Context(), "run-2", journal.Query{}); err != nil || len(records) != 4 {
		t.Fatalf("%s %v: the other run has %d records, %v", what, args, len(records), err)
	}
}

func TestDamageOfEachByte(t *testing.T) {
	t.Parallel()
	w := wound(t)
	for row, data := range w.rows {
		for i := range data {
			flipped := bytes.Clone(data)
			flipped[i] ^= 1 << (i % 8)
			w.set(t, row, flipped)
			w.check(t, "flip of row and byte", row, i)
			w.set(t, row, data[:i])
			w.check(t, "cut of row and byte", row, i)
		}
		w.set(t, row, append(bytes.Clone(data), '\n'))
		w.check(t, "longer row", row)
		w.set(t, row, data)
	}
	if records, err := w.Read(t.Context(), "run-1", journal.Query{}); err != nil || len(records) != 4 {
		t.Errorf("mended, it has %d records, %v", len(records), err)
	}
}

func TestDamageOfRows(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string][]string{
		"first missing":   {"DELETE FROM chunk WHERE id = (1 << 32) + 1"},
		"middle missing":  {"DELETE FROM chunk WHERE id = (1 << 32) + 2"},
		"moved":           {"UPDATE chunk SET id = id + 5 WHERE id = (1 << 32) + 4"},
		"counts too many": {"UPDATE chunk SET n = 9 WHERE id = (1 << 32) + 2"},
		"counts too few":  {"UPDATE chunk SET n = 1 WHERE id = (1 << 32) + 2"},
		"counts none":     {"UPDATE chunk SET n = 0 WHERE id = (1 << 32) + 2"},
		"of another run": {
			"UPDATE chunk SET data = (SELECT data FROM chunk WHERE id = (2 << 32) + 4) WHERE id = (1 << 32) + 4",
		},
		"of another place": {
			"UPDATE chunk SET data = (SELECT data FROM chunk WHERE id = (1 << 32) + 1) WHERE id = (1 << 32) + 4",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := wound(t)
			for _, sql := range statements {
				if err := w.Exec(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			w.check(t, name)
		})
	}
}

// A run without its first record is damaged however little of it is asked for, and the
// list of runs still has it.
func TestFirstRecordMissing(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"first":  "DELETE FROM chunk WHERE id = (1 << 32) + 1",
		"all":    "DELETE FROM chunk WHERE id >> 32 = 1",
		"second": "DELETE FROM chunk WHERE id = (1 << 32) + 2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := wound(t)
			if err := w.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
			lost := int64(1)
			if name == "second" {
				lost = 2
			}
			for _, q := range []journal.Query{{}, {To: lost}, {To: lost, NoBlobs: true}, {From: 1, Types: []journal.Type{journal.TRunEnded}}} {
				records, err := w.Read(t.Context(), "run-1", q)
				var d *journal.Damage
				if fault.Code(err) != "journal.damaged" || !errors.As(err, &d) || d.Seq != lost || int64(len(records)) >= lost {
					t.Errorf("%+v: %d records, %v", q, len(records), err)
				}
			}
			if records, err := w.Read(t.Context(), "run-1", journal.Query{To: lost - 1}); lost > 1 && (err != nil || len(records) != 1) {
				t.Errorf("before the damage: %d records, %v", len(records), err)
			}
			if list, err := w.Runs(t.Context()); err != nil || len(list) != 2 {
				t.Errorf("the list has %d runs, %v", len(list), err)
			}
		})
	}
}

func TestDamageOfBlobs(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, w wounded, file string){
		"row missing": func(t *testing.T, w wounded, _ string) {
			if err := w.Exec(t.Context(), "DELETE FROM blob"); err != nil {
				t.Fatal(err)
			}
		},
		"row changed": func(t *testing.T, w wounded, _ string) {
			if err := w.Exec(t.Context(), "UPDATE blob SET data = x'00'"); err != nil {
				t.Fatal(err)
			}
		},
		"file missing": func(t *testing.T, _ wounded, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		},
		"file changed": func(t *testing.T, _ wounded, file string) {
			if err := os.WriteFile(file, make([]byte, 100_000), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"file unreadable": func(t *testing.T, _ wounded, file string) {
			if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o700)); err != nil {
				t.Fatal(err)
			}
		},
		"file cut": func(t *testing.T, _ wounded, file string) {
			if err := os.Truncate(file, 1000); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := wound(t)
			size := 20_000
			if strings.HasPrefix(name, "file") {
				size = 100_000
			}
			p := &journal.ModelAnswered{Text: journal.Text(strings.Repeat("x", size))}
			batch := w.log.Batch(w.log.Next(journal.Scope{}, p))
			appendAll(t, w, batch)
			records, err := w.Read(t.Context(), "run-1", journal.Query{From: 5})
			if err != nil {
				t.Fatal(err)
			}
			hash := records[0].Payload.(*journal.ModelAnswered).Text.Hash
			change(t, w, filepath.Join(w.Dir(), "blobs", hash[:2], hash[2:]))
			w.check(t, name)
			if records, err := w.Read(t.Context(), "run-1", journal.Query{NoBlobs: true, From: 1}); err != nil || len(records) != 5 {
				t.Errorf("without blobs there are %d records, %v", len(records), err)
			}
			if strings.HasPrefix(name, "file") && name != "file unreadable" { // to store it again is a mend
				if _, err := w.PutBlob(t.Context(), []byte(p.Text.Text)); err != nil {
					t.Fatal(err)
				}
				if _, err := w.GetBlob(t.Context(), hash); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestRebuildIndex(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, t.TempDir(), journal.SQLiteOptions{Durability: journal.DurabilityRelaxed})
	for _, last := range []journal.Payload{
		&journal.RunPaused{}, &journal.RunParked{}, &journal.RunResumed{}, &journal.RunEnded{Outcome: journal.Failed}, &journal.RunStarted{},
	} {
		l := acquire(t, s, "run-"+string(last.Type()))
		appendAll(t, s, l.Batch(l.Created(), l.Next(journal.Scope{}, last)))
	}
	acquire(t, s, "run-empty")
	want, err := s.Runs(t.Context())
	if err != nil || len(want) != 5 {
		t.Fatal(want, err)
	}
	same := func(want []journal.Summary) {
		t.Helper()
		got, err := s.Runs(t.Context())
		if err != nil || len(got) != len(want) {
			t.Fatalf("got %+v, %v", got, err)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("got %+v, want %+v", got[i], want[i])
			}
		}
	}
	for _, sql := range []string{"DELETE FROM summary", "UPDATE summary SET state = 'lost', team = '', ended = 0"} {
		if err := s.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		if err := s.RebuildIndex(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(want)
	}
	if err := s.Exec(t.Context(), "UPDATE chunk SET data = x'0a' WHERE id >> 32 = 2"); err != nil {
		t.Fatal(err)
	}
	err = s.RebuildIndex(t.Context())
	var d *journal.Damage
	if !errors.As(err, &d) || d.Run != "run-run_parked" || d.Seq != 1 {
		t.Errorf("error is %v", err)
	}
	same(slices.DeleteFunc(want, func(s journal.Summary) bool { return s.State == "parked" })) // nothing is known of it any more
}
