package shell_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// scripted is an evaluator that is a function.
type scripted func(ctx context.Context, r *shell.Request) shell.Exit

func (s scripted) Eval(ctx context.Context, r *shell.Request) shell.Exit { return s(ctx, r) }

// What ignores its context is left behind: it writes no file and no output any more.
func TestInProcessLeavesBehindWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	clock := actors.NewManualClock(time.Unix(0, 0))
	begun, settled, over := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	e := scripted(func(ctx context.Context, r *shell.Request) shell.Exit {
		f, err := r.FS.Open("/a", os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			over <- err
			return shell.Exit{}
		}
		_, _ = io.WriteString(f, "before")
		close(begun)
		<-settled
		_, err = io.WriteString(f, "after")
		over <- err
		_, err = r.Out.Write([]byte("after"))
		over <- err
		return shell.Exit{}
	})
	tmp, dir := t.TempDir(), t.TempDir()
	r := shell.NewInProcess(e, command.NewRegistry(), shell.InProcessOptions{Clock: clock, Tmp: tmp})
	done := make(chan shell.Outcome, 1)
	go func() { done <- r.Run(t.Context(), &shell.Job{Command: "x", Host: dir}) }()
	<-begun
	clock.Advance(30 * time.Second)
	clock.BlockUntil(1) // the grace
	clock.Advance(shell.Grace)
	o := <-done
	want(t, o, shell.TimedOut)
	if !slices.Equal(o.OpenForWriting, []string{"a"}) || !slices.Equal(o.Announced, []string{"a"}) {
		t.Errorf("%+v", o)
	}
	close(settled)
	for range 2 {
		if err := <-over; err == nil {
			t.Error("something was written after the call was settled")
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a")); string(data) != "before" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(tmp); len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	want(t, r.Run(t.Context(), &shell.Job{Command: "x", Host: dir}), shell.Unavailable)
}

// What a script has closed to itself below its /tmp is removed all the same.
func TestTmpOfACallIsRemoved(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	e := scripted(func(ctx context.Context, r *shell.Request) shell.Exit {
		for _, err := range []error{r.FS.Mkdir("/tmp/d", 0o755), r.FS.Mkdir("/tmp/d/e", 0o755), r.FS.Chmod("/tmp/d", 0)} {
			if err != nil {
				return shell.Exit{Err: err}
			}
		}
		return shell.Exit{}
	})
	r := shell.NewInProcess(e, command.NewRegistry(), shell.InProcessOptions{Tmp: tmp})
	want(t, r.Run(t.Context(), &shell.Job{Command: "x", Host: t.TempDir()}), shell.Exited)
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(tmp); len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

func want(t testing.TB, o shell.Outcome, kind shell.Kind, parts ...string) {
	t.Helper()
	if o.Kind != kind {
		t.Errorf("kind %q, want %q: %+v", o.Kind, kind, o)
	}
	for _, p := range parts {
		if !strings.Contains(o.Reason, p) {
			t.Errorf("reason %q does not say %q", o.Reason, p)
		}
	}
}
