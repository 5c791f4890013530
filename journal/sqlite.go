package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Durabilities of a [SQLite] store.
const (
	DurabilityFull    = "full"    // what was answered survives a power cut
	DurabilityRelaxed = "relaxed" // what was answered survives the end of the process
)

// SQLiteOptions configure a [SQLite]. The zero value works.
type SQLiteOptions struct {
	Durability string           // DurabilityFull (default) or DurabilityRelaxed
	Clock      func() time.Time // default time.Now; of leases and commands
	// RenewEvery is the real time between two renewals of the lease; default 5 s.
	RenewEvery time.Duration
}

const (
	databaseName = "journal.db"

	// How long a write waits for those of other processes, unless its context ends before.
	// It is far above what a whole group of the slowest disk takes, so that it ends a wait
	// that would not end by itself, and no other.
	busyLimit = 30 * time.Second
	busyFirst = 250 * time.Microsecond // about the length of one durable append
	busyMost  = 25 * time.Millisecond

	readers = 4 // more than the cores that a reader would find free
	// The write-ahead log is written back at 16 MiB: an append of the largest group is
	// 4 MiB, and each write-back costs two flushes.
	checkpointPages = 4096
)

// SQLite is a store in one data directory: a database in write-ahead mode, and the
// large blobs beside it. Several processes, and several openings of one process, may
// use a directory at the same time; each is a holder of its own.
type SQLite struct {
	dir     string
	options SQLiteOptions
	self    process
	holder  string
	done    chan struct{} // closed by Close
	once    sync.Once
	group   sync.WaitGroup // the renewal of the lease

	stored broadcast // of this opening's appends

	write     chan struct{} // holds a token; who has it owns what follows
	conn      *sqlite.Conn
	begun     *sqlite.Stmt
	committed *sqlite.Stmt
	heads     map[string]*runHead // as of version
	seen      int64               // data version that heads are of
	leased    time.Time           // last renewal; zero: no lease yet
	renewing  sync.Once

	idle chan *sqlite.Conn // of readers; nil: not opened yet

	poll struct {
		sync.Mutex
		conn *sqlite.Conn
	}
}

var (
	_ Store   = (*SQLite)(nil)
	_ Changes = (*SQLite)(nil)
)

// OpenSQLite opens the store in a data directory, which is made when it does not exist.
// Codes: "journal.version_unsupported" for a directory of a newer program,
// "journal.open_failed".
func OpenSQLite(ctx context.Context, dir string, o SQLiteOptions) (*SQLite, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.RenewEvery <= 0 {
		o.RenewEvery = 5 * time.Second
	}
	if o.Durability == "" {
		o.Durability = DurabilityFull
	}
	if o.Durability != DurabilityFull && o.Durability != DurabilityRelaxed {
		return nil, fault.New("journal.open_failed", "durability is %q, not %q or %q",
			o.Durability, DurabilityFull, DurabilityRelaxed).With("open", dir)
	}
	self := thisProcess()
	s := &SQLite{
		dir: dir, options: o, self: self, holder: self.newHolder(), done: make(chan struct{}),
		write: make(chan struct{}, 1), heads: make(map[string]*runHead), idle: make(chan *sqlite.Conn, readers),
	}
	if err := s.open(ctx); err != nil {
		if s.conn != nil {
			_ = s.conn.Close()
		}
		var f *fault.Error
		if errors.As(err, &f) {
			return nil, f.With("open", dir)
		}
		return nil, fault.Wrap(err, "journal.open_failed", "the journal cannot be opened").With("open", dir)
	}
	s.write <- struct{}{}
	for range readers {
		s.idle <- nil
	}
	return s, nil
}

func (s *SQLite) open(ctx context.Context) (err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	// SQLite gives its other files the mode of this one. It is made here only when it is
	// not there: closing an open database's file would drop the locks of this process.
	f, err := os.OpenFile(s.database(), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case err == nil:
		if err := f.Close(); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	if s.conn, err = sqlite.OpenConn(s.database(), sqlite.OpenReadWrite); err != nil {
		return err
	}
	s.conn.SetBusyTimeout(0) // waiting is done here, with jitter
	// A directory of a newer program is not touched.
	if err := s.patiently(ctx, func() error { return refuseNewer(s.conn, migrations) }); err != nil {
		return err
	}
	synchronous := "FULL"
	if s.options.Durability == DurabilityRelaxed {
		synchronous = "NORMAL"
	}
	for _, q := range []string{"PRAGMA journal_mode=WAL", "PRAGMA synchronous=" + synchronous} {
		if err := s.patiently(ctx, func() error { return execute(s.conn, q) }); err != nil {
			return err
		}
	}
	if err := execute(s.conn, "PRAGMA wal_autocheckpoint="+itoa(checkpointPages)); err != nil {
		return err
	}
	begin := func() error {
		return s.patiently(ctx, func() error { return execute(s.conn, "BEGIN IMMEDIATE") })
	}
	if err := s.patiently(ctx, func() error { return migrate(s.conn, migrations, begin) }); err != nil {
		return err
	}
	if s.begun, err = s.conn.Prepare("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	s.committed, err = s.conn.Prepare("COMMIT")
	return err
}

func (s *SQLite) database() string { return filepath.Join(s.dir, databaseName) }

// Dir is the data directory.
func (s *SQLite) Dir() string { return s.dir }

// Holder implements [Store].
func (s *SQLite) Holder() string { return s.holder }

// Durability tells how the store was opened; a run's first record is stamped with it.
func (s *SQLite) Durability() string { return s.options.Durability }

// Close gives up the runs of this opening and closes the store. What still reads is waited for.
func (s *SQLite) Close() (err error) {
	s.once.Do(func() {
		close(s.done)
		<-s.write // from here on no renewal is started
		s.group.Wait()
		if !s.leased.IsZero() {
			err = s.endLease()
		}
		for range readers {
			if c := <-s.idle; c != nil {
				err = errors.Join(err, c.Close())
			}
		}
		s.poll.Lock()
		defer s.poll.Unlock()
		if s.poll.conn != nil {
			err = errors.Join(err, s.poll.conn.Close())
			s.poll.conn = nil
		}
		// The last one to close writes the log back.
		err = errors.Join(err, s.conn.Close())
		if err != nil {
			err = fault.Wrap(err, "journal.close_failed", "the journal was not closed cleanly").With("close", s.dir)
		}
	})
	return err
}

func (s *SQLite) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// transaction runs f in a write transaction of the one writer connection. An error of
// f is returned as it is, after a rollback; one of the database or of the wait for it
// is "journal.append_failed".
func (s *SQLite) transaction(ctx context.Context, op, subject string, f func(c *sqlite.Conn) error) error {
	select {
	case <-s.write:
	case <-s.done:
		return closedStore(op)
	case <-ctx.Done():
		return appendFailed(interrupted(ctx, "wait", "")).With(op, subject)
	}
	defer func() { s.write <- struct{}{} }()
	if s.closed() {
		return closedStore(op)
	}
	err := s.locked(ctx, f)
	if err == nil {
		return nil
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	return appendFailed(err).With(op, subject)
}

// locked is a transaction of who has the token.
func (s *SQLite) locked(ctx context.Context, f func(c *sqlite.Conn) error) error {
	if err := s.patiently(ctx, func() error { return step(s.begun) }); err != nil {
		return appendFailed(err)
	}
	err := s.refresh()
	if err == nil {
		err = f(s.conn)
	}
	if err == nil {
		if err = step(s.committed); err == nil {
			return nil
		}
	}
	rollback(s.conn)
	clear(s.heads)
	return err
}

// refresh forgets what is known of runs when another connection has written.
func (s *SQLite) refresh() error {
	version, err := dataVersion(s.conn)
	if err == nil && version != s.seen {
		clear(s.heads)
		s.seen = version
	}
	return err
}

func appendFailed(cause error) *fault.Error {
	return fault.Wrap(cause, "journal.append_failed", "nothing was stored")
}

// patiently repeats f while another process holds the lock that it needs.
func (s *SQLite) patiently(ctx context.Context, f func() error) error {
	err := f()
	if !isBusy(err) {
		return err
	}
	deadline := time.Now().Add(busyLimit)
	for wait := busyFirst; isBusy(err) && time.Now().Before(deadline); wait = min(2*wait, busyMost) {
		t := time.NewTimer(wait/2 + rand.N(wait))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return interrupted(ctx, "wait for other processes", "")
		}
		err = f()
	}
	if isBusy(err) {
		return fmt.Errorf("another process was writing for %s: %w", busyLimit, err)
	}
	return err
}

func isBusy(err error) bool {
	if err == nil {
		return false
	}
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultBusy || code == sqlite.ResultLocked
}

// reading runs f with a connection of its own to read with.
func (s *SQLite) reading(ctx context.Context, op, subject string, f func(c *sqlite.Conn) error) (err error) {
	if s.closed() {
		return closedStore(op)
	}
	var c *sqlite.Conn
	select {
	case c = <-s.idle:
	case <-s.done:
		return closedStore(op)
	case <-ctx.Done():
		return interrupted(ctx, op, subject)
	}
	defer func() { s.idle <- c }()
	if c == nil {
		if c, err = s.reader(); err != nil {
			return fault.Wrap(err, "journal.read_failed", "the journal cannot be opened for reading").With(op, subject)
		}
	}
	err = f(c)
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fault.Wrap(err, "journal.read_failed", "the journal cannot be read").With(op, subject)
}

func (s *SQLite) reader() (*sqlite.Conn, error) {
	c, err := sqlite.OpenConn(s.database(), sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(busyLimit)
	if err := execute(c, "PRAGMA query_only=1"); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// ChangeToken implements [Changes]. Tokens of one opening compare with each other.
func (s *SQLite) ChangeToken(context.Context) (int64, error) { return s.changeToken() }

func (s *SQLite) changeToken() (int64, error) {
	s.poll.Lock()
	defer s.poll.Unlock()
	if s.closed() {
		return 0, closedStore("look for changes")
	}
	if s.poll.conn == nil {
		c, err := s.reader()
		if err != nil {
			return 0, fault.Wrap(err, "journal.read_failed", "the journal cannot be opened for reading")
		}
		s.poll.conn = c
	}
	version, err := dataVersion(s.poll.conn)
	if err != nil {
		return 0, fault.Wrap(err, "journal.read_failed", "the journal cannot be read")
	}
	return version, nil
}
