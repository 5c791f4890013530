package journal_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/journal/journaltest"
)

// Environment of a child process of these tests.
const (
	crashDir = "JOURNAL_TEST_CRASH_DIR"
	crashJob = "JOURNAL_TEST_CRASH_JOB"
)

const crashRuns = 4

// crashChild is the child process, if this is one. It ends only by being killed, or
// when its input ends.
func crashChild() bool {
	dir := os.Getenv(crashDir)
	if dir == "" {
		return false
	}
	s, err := journal.OpenSQLite(context.Background(), dir, journal.SQLiteOptions{})
	if err != nil {
		fmt.Println("error", err)
		return true
	}
	job := crashAppend
	if os.Getenv(crashJob) == "hold" {
		job = crashHold
	}
	if err := job(s); err != nil {
		fmt.Println("error", err)
	}
	return true
}

// crashHold owns a run until its input ends.
func crashHold(s *journal.SQLite) error {
	if _, err := s.Acquire(context.Background(), "run-0", false); err != nil {
		return err
	}
	fmt.Println(s.Holder())
	_, err := io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, s.Close())
}

// crashAppend appends to its runs for ever, and says what was acknowledged.
func crashAppend(s *journal.SQLite) error {
	errs := make(chan error, crashRuns)
	var mu sync.Mutex
	for i := range crashRuns {
		go func() {
			l := journaltest.Log{Run: fmt.Sprintf("run-%d", i)}
			var err error
			if l.Epoch, err = s.Acquire(context.Background(), l.Run, false); err != nil {
				errs <- err
				return
			}
			if records, err := s.Read(context.Background(), l.Run, journal.Query{}); err == nil {
				l.Last = int64(len(records))
			}
			for n := int(l.Last) + 1; ; n++ {
				turn := l.Turn(n)
				if n%7 == i { // sometimes a blob in the database, sometimes a file
					text := strings.Repeat(fmt.Sprintf("%d ", n), 5000+n%3*20_000)
					turn = append(turn, l.Next(journal.Scope{}, &journal.ModelAnswered{Text: journal.Text(text)}))
				}
				if err := s.Append(context.Background(), []journal.Batch{l.Batch(turn...)})[0]; err != nil {
					errs <- err
					return
				}
				mu.Lock()
				fmt.Println(l.Run, l.Last)
				mu.Unlock()
			}
		}()
	}
	return <-errs
}

// child starts this test binary as another process.
func child(t *testing.T, dir, job string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), crashDir+"="+dir, crashJob+"="+job)
	cmd.Stderr = os.Stderr
	if in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, bufio.NewScanner(pipe)
}

// TestKillInTheMiddle kills a process that appends, again and again on the same
// directory: what was acknowledged is there, and the runs go on at once.
func TestKillInTheMiddle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acknowledged := make(map[string]int64)
	for _, lines := range []int{1, 5, 40, 97, 200} {
		cmd, _, out := child(t, dir, "append")
		read := func() bool {
			if !out.Scan() {
				return false
			}
			var run string
			var seq int64
			if _, err := fmt.Sscan(out.Text(), &run, &seq); err != nil {
				t.Fatalf("the child says %q", out.Text())
			}
			acknowledged[run] = max(acknowledged[run], seq)
			return true
		}
		for range lines {
			if !read() {
				t.Fatal("the child has ended")
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for read() { // what it had said before it was killed
		}
		_ = cmd.Wait()

		s, err := journal.OpenSQLite(t.Context(), dir, journal.SQLiteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range crashRuns {
			checkCrashed(t, s, fmt.Sprintf("run-%d", i), acknowledged)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func checkCrashed(t *testing.T, s *journal.SQLite, run string, acknowledged map[string]int64) {
	t.Helper()
	records, err := s.Read(t.Context(), run, journal.Query{})
	if fault.Code(err) == "journal.run_not_found" && acknowledged[run] == 0 {
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", run, err)
	}
	for i := range records {
		if records[i].Seq != int64(i)+1 {
			t.Fatalf("%s: record %d has seq %d", run, i, records[i].Seq)
		}
	}
	if int64(len(records)) < acknowledged[run] {
		t.Fatalf("%s has %d records, %d were acknowledged", run, len(records), acknowledged[run])
	}
	acknowledged[run] = int64(len(records))
	// Its holder is gone, so nobody has to wait for the lease.
	if _, err := s.Acquire(t.Context(), run, false); err != nil {
		t.Errorf("%s: %v", run, err)
	}
}

// TestSecondProcess meets a run that another process holds.
func TestSecondProcess(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"kill", "close"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := openSQLite(t, dir, journal.SQLiteOptions{})
			cmd, in, out := child(t, dir, "hold")
			if !out.Scan() {
				t.Fatal("the child has ended")
			}
			holder := out.Text()
			_, err := s.Acquire(t.Context(), "run-0", false)
			if fault.Code(err) != "journal.run_held" {
				t.Fatalf("error is %v", err)
			}
			host, _ := os.Hostname()
			for _, want := range []string{holder, "host " + host, fmt.Sprintf("pid %d", cmd.Process.Pid), "since 20"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %v", want, err)
				}
			}
			if end == "kill" {
				// It is seen as gone even before its parent has waited for it.
				err = cmd.Process.Kill()
				for out.Scan() {
				}
			} else {
				err = in.Close()
				for out.Scan() {
					t.Errorf("the child says %q", out.Text())
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if epoch, err := s.Acquire(t.Context(), "run-0", false); err != nil || epoch != 2 {
				t.Errorf("epoch %d, %v", epoch, err)
			}
			_ = cmd.Wait()
		})
	}
}
