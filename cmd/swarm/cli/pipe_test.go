package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// unreadPipe is a pipe that nobody reads.
func unreadPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// A run does not mind that nobody reads what it says, and what only prints ends quietly.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	called(t, dir, 0, "init")
	called(t, dir, 0, "run", ".", "first", "--quiet")
	id := newest(t, dir)
	for _, row := range []struct {
		name         string
		outs, errs   bool // are read
		code         int
		args         []string
		said, silent string
	}{
		{"records", false, true, exitDone, []string{"run", ".", "x", "--json"}, "nobody reads standard output any more; the run goes on", ""},
		{"records, quiet", false, true, exitDone, []string{"run", ".", "x", "--json", "--quiet"}, "", "nobody"},
		{"a result", false, true, exitDone, []string{"run", ".", "x"}, "completed (finished)", "broken pipe"},
		{"the outcome is the code", false, true, exitPartial, []string{"run", ".", "x", "--json", "--set", "budgets.rounds=1"}, "", "broken pipe"},
		{"progress", true, false, exitDone, []string{"run", ".", "x"}, "", ""},
		{"progress and log", true, false, exitDone, []string{"run", ".", "x", "--verbose"}, "", ""},
		{"nothing", false, false, exitDone, []string{"run", ".", "x", "--verbose", "--json"}, "", ""},
		{"events", false, true, exitDone, []string{"events", id, "-f"}, "", "swarm"},
		{"runs", false, true, exitDone, []string{"runs"}, "", "swarm"},
		{"show", false, true, exitDone, []string{"show", id, "--json"}, "", "swarm"},
		{"tools", false, true, exitDone, []string{"tools", "."}, "", "swarm"},
		{"help", false, true, exitDone, []string{"help"}, "", "swarm"},
		{"an error", true, false, exitFailed, []string{"show", "run_nope"}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			if row.args[0] != "run" {
				data = dir + "/.swarm"
			}
			cmd := exec.CommandContext(t.Context(), "swarm", append(row.args, "--data", data)...)
			cmd.Dir = dir
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if !row.outs {
				cmd.Stdout = unreadPipe(t)
			}
			if !row.errs {
				cmd.Stderr = unreadPipe(t)
			}
			var e *exec.ExitError
			if err := cmd.Run(); err != nil && !errors.As(err, &e) {
				t.Fatal(err)
			}
			if got := cmd.ProcessState.ExitCode(); got != row.code {
				t.Errorf("exit code %d (%v), want %d: %s", got, cmd.ProcessState, row.code, errs.String())
			}
			if !strings.Contains(errs.String(), row.said) || row.silent != "" && strings.Contains(errs.String(), row.silent) {
				t.Errorf("it said %s", errs.String())
			}
			if row.args[0] != "run" {
				return
			}
			if row.outs && !strings.Contains(out.String(), "Hello! You asked: x") {
				t.Errorf("the result is %q", out.String())
			}
			want := map[int]string{exitDone: "completed", exitPartial: "partial"}[row.code]
			if list := called(t, dir, 0, "runs", "--data", data, "--json"); strings.Count(list, `"state":"`+want+`"`) != 1 {
				t.Errorf("the run is not %s: %s", want, list)
			}
		})
	}
}

// Ctrl-C cancels a run also when it has taken the reader of its progress first.
func TestInterruptAfterTheReader(t *testing.T) {
	t.Parallel()
	dir := slow(t, "1h")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "swarm", "run", ".", "x")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 0, 1<<16)
	for !bytes.Contains(said, []byte("started: lead")) {
		n, err := r.Read(said[len(said):cap(said)])
		if err != nil {
			t.Fatalf("%v after %s", err, said)
		}
		said = said[:len(said)+n]
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code says it
	if got := cmd.ProcessState.ExitCode(); got != exitCancelled {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	if list := called(t, dir, 0, "runs"); !strings.Contains(list, "cancelled") {
		t.Error(list)
	}
}
