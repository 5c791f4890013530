package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

func TestMain(m *testing.M) {
	swarm.ShellWorker()
	goleak.VerifyTestMain(m)
}

// An uninterrupted run shows each call and its answer.
func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), swarm.Options{}, nil, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{": calls stock\n", ": calls workspace_finish\n", "completed: 42 apples in stock.\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
}

// screen is somebody who presses Ctrl-C when a word appears.
type screen struct {
	strings.Builder
	word  string
	press func()
}

// Write implements [io.Writer].
func (s *screen) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.word) {
		s.press()
	}
	return s.Builder.Write(p)
}

// An interrupted run goes on in another runtime after the record that was shown last. The
// clock of the first one stands still, so that the model does not come back in time.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := &screen{word: ": it completed", press: cancel}
	if err := run(ctx, swarm.Options{Dir: dir, Clock: swarmtest.NewClock()}, nil, first); err != nil {
		t.Fatal(err)
	}
	var id string
	var shown int64
	_, hint, found := strings.Cut(first.String(), "go on with: ")
	if _, err := fmt.Sscanf(hint, "go run ./examples/embed %s %d", &id, &shown); !found || err != nil {
		t.Fatalf("no hint in:\n%s", first.String())
	}
	var second strings.Builder
	if err := run(t.Context(), swarm.Options{Dir: dir}, []string{id, fmt.Sprint(shown)}, &second); err != nil {
		t.Fatal(err)
	}
	if s := second.String(); strings.Contains(s, "calls stock") || !strings.Contains(s, "goes on, it was paused\n") || !strings.HasSuffix(s, "completed: 42 apples in stock.\n") {
		t.Errorf("after\n%s\nit went on with\n%s", first.String(), s)
	}
}

// Arguments that are none are an error.
func TestArguments(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), swarm.Options{}, []string{"run_x", "many"}, &out); err == nil {
		t.Error("a number that is none was taken")
	}
	if err := run(t.Context(), swarm.Options{}, []string{"run_x", "1"}, &out); swarm.Code(err) != "journal.run_not_found" {
		t.Errorf("got %v", err)
	}
}
