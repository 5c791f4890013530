package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// damage breaks the last rows of the only run of a data directory.
func damage(t *testing.T, data string) {
	t.Helper()
	c, err := sqlite.OpenConn(filepath.Join(data, "journal.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(c, "UPDATE chunk SET data = X'00' WHERE id = (SELECT max(id) FROM chunk)", nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestResumeOfADamagedJournalParks(t *testing.T) {
	t.Parallel()
	dir := slow(t, "1h")
	p := begin(t, dir, "started: lead", "run", ".", "x")
	p.signal(os.Kill)
	p.end(-1)
	damage(t, filepath.Join(dir, ".swarm"))
	out := called(t, dir, exitParked, "resume", p.id)
	for _, text := range []string{p.id + ": parked", "record ", "[journal.damaged]", "swarm events RUN shows what can be read"} {
		if !strings.Contains(out, text) {
			t.Errorf("it does not say %q:\n%s", text, out)
		}
	}
	if n := strings.Count(out, "[journal.damaged]"); n != 1 {
		t.Errorf("the code is said %d times:\n%s", n, out)
	}
}

// What can be read of a damaged journal is printed, and its mend is not to print it. A
// doctor who verifies nothing finds damage at the end of a run.
func TestDamagedJournalIsTold(t *testing.T) {
	t.Parallel()
	dir := slow(t, "1h")
	p := begin(t, dir, "started: lead", "run", ".", "x")
	p.signal(os.Kill)
	p.end(-1)
	if out := called(t, dir, 0, "doctor"); !strings.Contains(out, "the last records of 1 run can be read; not checked: all others, which --store reads") {
		t.Error(out)
	}
	damage(t, filepath.Join(dir, ".swarm"))
	out := called(t, dir, exitParked, "events", p.id)
	if !strings.Contains(out, "run_created") || !strings.Contains(out, "what was printed is all that can be read; put a copy of the data directory in its place") ||
		strings.Contains(out, "swarm events RUN") {
		t.Error(out)
	}
	out = called(t, dir, exitFailed, "doctor")
	if !strings.Contains(out, "broken  journal         "+p.id+": record ") || !strings.Contains(out, "swarm events RUN shows what can be read") {
		t.Error(out)
	}
	if out := called(t, dir, exitParked, "show", p.id); !strings.Contains(out, "swarm events RUN shows what can be read") {
		t.Error(out)
	}
}

func TestStormsOfSignals(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		signal os.Signal
		latter os.Signal
		codes  []int
	}{
		// A second Ctrl-C ends at once, so only the first is one of a storm.
		"terminate":            {syscall.SIGTERM, syscall.SIGTERM, []int{exitPaused}},
		"interrupt, terminate": {os.Interrupt, syscall.SIGTERM, []int{exitCancelled}},
		"terminate, interrupt": {syscall.SIGTERM, os.Interrupt, []int{exitPaused, exitCancelled}},
		"interrupt":            {os.Interrupt, os.Interrupt, []int{exitCancelled}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := slow(t, "1h")
			p := begin(t, dir, "started: lead", "run", ".", "x", "--drain", "100ms")
			p.signal(row.signal)
			for range 50 {
				if p.cmd.Process.Signal(row.latter) != nil {
					break // it has ended
				}
			}
			p.ends(row.codes...)
			if strings.Contains(p.stderr.String(), "journal.ended") {
				t.Error(p.stderr.String())
			}
		})
	}
}
