package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// A walk that visits too much says so, and never looks complete.
func TestAWalkIsBounded(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"find", "."}, {"ls", "-R"}, {"du", "-a"}, {"tree"}, {"rm", "-r", "d"}, {"cp", "-r", "d", "e"}, {"chmod", "-R", "700", "d"}, {"tar", "cf", "/dev/null", "d"}, {"gzip", "-r", "d"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			k := kit(t)
			k.Limits = limits.Limits{Walk: 5}
			for i := range 20 {
				write(t, k.Dir, fmt.Sprintf("d/f%02d", i), "")
			}
			out, errOut, code := k.Run(t, args, "")
			if code == 0 || !strings.Contains(out+errOut, "more than 5 files") {
				t.Errorf("exit status %d with %q", code, errOut)
			}
		})
	}
}

func TestLoopsEnd(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"find", "-L", "."}, {"ls", "-LR"}, {"du", "-L"}, {"tree", "-l"}, {"cp", "-rL", "d", "e"}, {"tar", "chf", "/dev/null", "d"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			k := kit(t)
			write(t, k.Dir, "d/f", "")
			if err := os.Symlink("..", filepath.Join(k.Dir, "d/up")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("self", filepath.Join(k.Dir, "d/self")); err != nil {
				t.Fatal(err)
			}
			k.Limits = limits.Limits{Walk: 500}
			k.Run(t, args, "") // it ends
		})
	}
}

func TestRemovingTheRootIsRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"rm", "-rf", "/"}, {"rm", "-rf", "//"}, {"rm", "-rf", "/d/.."}, {"rm", "-rf", "."}, {"rm", "-r", "/./"}} {
		k := kit(t)
		write(t, k.Dir, "d/f", "")
		if _, errOut, code := k.Run(t, args, ""); code != 1 || errOut == "" || present(t, k.Dir) != "d d/f" {
			t.Errorf("%v: exit status %d with %q, there is %q", args, code, errOut, present(t, k.Dir))
		}
	}
}

func TestACancelledCallEnds(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"find", "d"}, {"cp", "-r", "d", "e"}, {"rm", "-r", "d"}, {"tar", "cf", "x", "d"}, {"xargs", "-n1", "ls"}, {"du", "d"}, {"ls", "-R", "d"}, {"gzip", "-r", "d"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			k := kit(t)
			write(t, k.Dir, "d/f", "content")
			ctx, stop := context.WithCancel(t.Context())
			stop()
			if code := k.Exec(ctx, t, command.Nested{Args: args, In: strings.NewReader("d")}); code == 0 {
				t.Error("it ended as if all were done")
			}
			if got := read(t, k.Dir, "d/f"); got != "content" {
				t.Errorf("d/f is %q", got)
			}
		})
	}
}

func TestTimeoutEndsWithItsClock(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		args []string
		over bool // the clock reaches the limit
		want time.Duration
		code int
	}{
		{[]string{"timeout", "5", "sleep", "infinity"}, true, 5 * time.Second, 124},
		{[]string{"timeout", "1.5m", "sleep", "infinity"}, true, 90 * time.Second, 124},
		{[]string{"timeout", "-s", "KILL", "1", "sleep", "infinity"}, true, time.Second, 137},
		{[]string{"timeout", "-s", "9", "1h", "sleep", "infinity"}, true, time.Hour, 137},
		{[]string{"timeout", "--preserve-status", "-s", "INT", "1d", "sleep", "infinity"}, true, 24 * time.Hour, 130},
		{[]string{"timeout", "5", "stat", "/"}, false, 5 * time.Second, 0},
		{[]string{"timeout", "5", "stat", "missing"}, false, 5 * time.Second, 1},
	} {
		t.Run(strings.Join(row.args, " "), func(t *testing.T) {
			t.Parallel()
			k := kit(t)
			asked := make(chan time.Duration, 4)
			k.Sleep = func(ctx context.Context, d time.Duration) error {
				if d == row.want {
					asked <- d
					if row.over {
						return nil
					}
				}
				<-ctx.Done()
				return ctx.Err()
			}
			_, errOut, code := k.Run(t, row.args, "")
			if code != row.code {
				t.Errorf("exit status %d with %q, want %d", code, errOut, row.code)
			}
			if got := <-asked; got != row.want {
				t.Errorf("the clock was asked for %v", got)
			}
		})
	}
}

func TestSleepAddsUp(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		args string
		want time.Duration
	}{
		{"1", time.Second}, {"0.5", 500 * time.Millisecond}, {"1m", time.Minute}, {"2h", 2 * time.Hour}, {"1d", 24 * time.Hour}, {"1 2s 0.5m", 33 * time.Second},
		{"infinity", 1<<63 - 1}, {"inf", 1<<63 - 1}, {"1e400", 1<<63 - 1}, {"infinity infinity", 1<<63 - 1}, {"1e3", 1000 * time.Second},
	} {
		k := kit(t)
		var slept time.Duration
		k.Sleep = func(_ context.Context, d time.Duration) error { slept = d; return nil }
		if _, errOut, code := k.Run(t, append([]string{"sleep"}, strings.Fields(row.args)...), ""); code != 0 || slept != row.want {
			t.Errorf("sleep %s: %v, want %v (%s)", row.args, slept, row.want, errOut)
		}
	}
	k := kit(t)
	k.Sleep = func(context.Context, time.Duration) error { return errors.New("ended") }
	if _, _, code := k.Run(t, []string{"sleep", "1"}, ""); code == 0 {
		t.Error("a sleep that was ended looks complete")
	}
}

func TestXargsRunsAtOnce(t *testing.T) {
	t.Parallel()
	k := kit(t)
	const procs = 4
	arrived, gone := make(chan struct{}, procs), make(chan struct{})
	k.Sleep = func(ctx context.Context, _ time.Duration) error {
		arrived <- struct{}{}
		select {
		case <-gone:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	go func() { // all are running before one may end
		for range procs {
			<-arrived
		}
		close(gone)
	}()
	if _, errOut, code := k.Run(t, []string{"xargs", "-P", fmt.Sprint(procs), "-n1", "sleep"}, "1 1 1 1"); code != 0 {
		t.Errorf("exit status %d with %q", code, errOut)
	}
}
