package journal_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/journal/journaltest"
)

// clock is moved by its test.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: journaltest.Start} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if fault.Code(err) != code {
		t.Errorf("error is %v, want code %q", err, code)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	s := openSQLite(t, dir, journal.SQLiteOptions{})
	l := acquire(t, s, "run-1")
	appendAll(t, s, l.Batch(l.Next(journal.Scope{}, &journal.ModelAnswered{Text: journal.Text(strings.Repeat("x", 100_000))})))
	if _, err := s.Runs(t.Context()); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil || files != 4 {
		t.Errorf("%d files, %v", files, err)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openSQLite(t, dir, journal.SQLiteOptions{})
	if err := s.Pragma("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	_, err := journal.OpenSQLite(t.Context(), dir, journal.SQLiteOptions{})
	wantCode(t, err, "journal.version_unsupported")
	if !strings.Contains(err.Error(), "format 99") || !strings.Contains(err.Error(), "format 1:") {
		t.Errorf("error is %v", err)
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("not a directory"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := journal.OpenSQLite(t.Context(), file, journal.SQLiteOptions{})
	wantCode(t, err, "journal.open_failed")
	_, err = journal.OpenSQLite(t.Context(), dir, journal.SQLiteOptions{Durability: "maybe"})
	wantCode(t, err, "journal.open_failed")
	foreign := filepath.Join(dir, "foreign")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(foreign, "journal.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = journal.OpenSQLite(t.Context(), foreign, journal.SQLiteOptions{})
	wantCode(t, err, "journal.open_failed")
}

func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			s, err := journal.OpenSQLite(t.Context(), dir, journal.SQLiteOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// TestLease lets leases run out under a clock that the test moves.
func TestLease(t *testing.T) {
	t.Parallel()
	dir, clk := t.TempDir(), newClock()
	o := journal.SQLiteOptions{Durability: journal.DurabilityRelaxed, Clock: clk.Now, RenewEvery: time.Hour}
	a, b := openSQLite(t, dir, o), openSQLite(t, dir, o)
	l := acquire(t, a, "run-1")
	appendAll(t, a, l.Batch(l.Created()))
	held := func() {
		t.Helper()
		_, err := b.Acquire(t.Context(), "run-1", false)
		wantCode(t, err, "journal.run_held")
	}
	state := func(want string) {
		t.Helper()
		if sum, err := b.Summary(t.Context(), "run-1"); err != nil || sum.State != want {
			t.Errorf("state is %q, %v; want %q", sum.State, err, want)
		}
	}
	clk.add(14 * time.Second)
	appendAll(t, a, l.Batch(l.Turn(1)...)) // too soon to renew
	clk.add(5 * time.Second)
	held()
	state("running")
	appendAll(t, a, l.Batch(l.Turn(2)...)) // 19 s: renews with the append
	clk.add(19 * time.Second)
	held()
	clk.add(time.Second)
	state("interrupted")
	if epoch, err := b.Acquire(t.Context(), "run-1", false); err != nil || epoch != l.Epoch+1 {
		t.Fatalf("epoch %d, %v", epoch, err)
	}
	state("running")
	err := a.Append(t.Context(), []journal.Batch{l.Batch(l.Turn(3)...)})[0]
	wantCode(t, err, "journal.stale_owner")
	if !strings.Contains(err.Error(), b.Holder()) {
		t.Errorf("the owner is not named: %v", err)
	}
	// Old leases are swept out, those in use are not.
	clk.add(2 * time.Hour)
	c := openSQLite(t, dir, o)
	acquire(t, c, "run-2")
	ids, _, err := c.Rows(t.Context(), "SELECT count(*), '' FROM lease")
	if err != nil || ids[0] != 1 {
		t.Errorf("%d leases, %v", ids, err)
	}
}

// TestRenewal waits until the store has renewed its lease by itself.
func TestRenewal(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := openSQLite(t, t.TempDir(), journal.SQLiteOptions{
		Durability: journal.DurabilityRelaxed, Clock: clk.Now, RenewEvery: time.Millisecond,
	})
	acquire(t, s, "run-1")
	clk.add(time.Minute)
	for {
		at, err := s.Renewed(t.Context(), s.Holder())
		if err != nil {
			t.Fatal(err)
		}
		if at.Equal(clk.Now()) {
			return
		}
		runtime.Gosched()
	}
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, t.TempDir(), journal.SQLiteOptions{Durability: journal.DurabilityRelaxed})
	l, m := acquire(t, s, "run-1"), acquire(t, s, "run-2")
	appendAll(t, s, l.Batch(l.Created()), m.Batch(m.Created()))
	if err := s.Pragma("PRAGMA max_page_count = 1"); err != nil { // no more than it has
		t.Fatal(err)
	}
	big := l.Batch(l.Next(journal.Scope{}, &journal.ModelAnswered{Text: journal.Text(strings.Repeat("x", 60_000))}))
	stale := journal.Batch{Run: "run-3", Epoch: 1}
	errs := s.Append(t.Context(), []journal.Batch{stale, m.Batch(m.Turn(1)...), big})
	wantCode(t, errs[0], "journal.stale_owner")
	for _, err := range errs[1:] {
		wantCode(t, err, "journal.append_failed")
		if sqlite.ErrCode(errors.Unwrap(err)) != sqlite.ResultFull {
			t.Errorf("the cause is not named: %v", err)
		}
	}
	if err := s.Pragma("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"run-1", "run-2"} {
		if records, err := s.Read(t.Context(), run, journal.Query{}); err != nil || len(records) != 1 {
			t.Errorf("%s has %d records, %v", run, len(records), err)
		}
	}
	appendAll(t, s, big)
}

// TestBusy appends while another connection holds the write lock.
func TestBusy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openSQLite(t, dir, journal.SQLiteOptions{Durability: journal.DurabilityRelaxed})
	l := acquire(t, s, "run-1")
	other, err := sqlite.OpenConn(filepath.Join(dir, "journal.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}()
	run := func(sql string) {
		t.Helper()
		if _, err := other.Prep(sql).Step(); err != nil {
			t.Fatal(err)
		}
	}
	run("BEGIN IMMEDIATE")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	first := l.Batch(l.Created())
	err = s.Append(ctx, []journal.Batch{first})[0]
	wantCode(t, err, "journal.append_failed")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
	done := make(chan error)
	go func() { done <- s.Append(t.Context(), []journal.Batch{first})[0] }()
	if _, err := s.Read(t.Context(), "run-1", journal.Query{}); err != nil { // readers do not wait
		t.Error(err)
	}
	run("COMMIT")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestCancelled gives up what has not begun.
func TestCancelled(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, t.TempDir(), journal.SQLiteOptions{Durability: journal.DurabilityRelaxed})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	acquire(t, s, "run-1")
	release := s.Occupy()
	_, err := s.Acquire(ctx, "run-1", false)
	release()
	wantCode(t, err, "journal.append_failed")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}
