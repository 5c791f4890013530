//go:build linux

package shell_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func TestExitMap(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{Limits: small})
	for name, row := range map[string]struct {
		job    shell.Job
		kind   shell.Kind
		code   int
		error  string
		reason string
		limit  string
	}{
		"exit 0":             {shell.Job{Command: "out hello"}, shell.Exited, 0, "", "", ""},
		"exit 3":             {shell.Job{Command: "out hello\nerr no\nexit 3"}, shell.Exited, 3, "workspace.shell_exit", "", ""},
		"unknown command":    {shell.Job{Command: "curl"}, shell.Exited, 127, "workspace.shell_exit", "", ""},
		"killed by a signal": {shell.Job{Command: "exit 137"}, shell.Exited, 137, "workspace.shell_exit", "", ""},
		"a limit":            {shell.Job{Command: "loop"}, shell.Failed, 0, "workspace.shell_failed", "The limit loops was reached: 2000000 loop iterations.", "loops"},
		"output":             {shell.Job{Command: "fill 2000", Limits: limits.Limits{Produced: 1000}}, shell.Failed, 0, "workspace.shell_failed", "The limit produced was reached: 1000 bytes", "produced"},
		"a panic":            {shell.Job{Command: "panic"}, shell.Failed, 0, "workspace.shell_failed", "The shell itself failed, which is no fault of the script: panic: injected", ""},
		"a lost goroutine":   {shell.Job{Command: "goexit"}, shell.Failed, 0, "workspace.shell_failed", "the evaluation left its goroutine", ""},
		"a fault":            {shell.Job{Command: "fault evil"}, shell.Failed, 0, "workspace.shell_failed", "evil", ""},
		"a crash":            {shell.Job{Command: "crash"}, shell.Failed, 0, "workspace.shell_failed", "was lost (exit status 2", ""},
		"a deep stack":       {shell.Job{Command: "deep"}, shell.Failed, 0, "workspace.shell_failed", "was lost (exit status 2", ""},
		"a kill":             {shell.Job{Command: "die"}, shell.Failed, 0, "workspace.shell_failed", "was lost (signal: killed)", ""},
		"no directory":       {shell.Job{Command: "out x", Dir: "/none"}, shell.NoDirectory, 0, "workspace.path_not_found", "/none: No such file or directory. Nothing was run", ""},
		"a file as one":      {shell.Job{Command: "out x", Dir: "/file"}, shell.NotDirectory, 0, "workspace.path_not_directory", "/file: Not a directory. Nothing was run", ""},
		"no workspace":       {shell.Job{Command: "out x", Host: "/nowhere"}, shell.Failed, 0, "workspace.shell_failed", "cannot be opened", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := row.job
			if j.Host == "" {
				j.Host = t.TempDir()
				if err := os.WriteFile(filepath.Join(j.Host, "file"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for where, run := range map[string]shell.Runner{"pool": b.pool, "in process": inProcess(t)} {
				if where == "in process" && slices.Contains([]string{"crash", "die", "deep"}, j.Command) {
					continue // they end the program
				}
				o := run.Run(t.Context(), &j)
				want(t, o, row.kind, row.reason)
				limit := ""
				if o.Limit != nil {
					limit = o.Limit.Name
				}
				if o.Code != row.code || o.ErrorCode() != row.error || limit != row.limit {
					t.Errorf("%s: code %d, %q, limit %q, want %d, %q, %q", where, o.Code, o.ErrorCode(), limit, row.code, row.error, row.limit)
				}
				if limit != "" && !strings.Contains(string(o.Stderr.Head), "bash: the limit "+limit) {
					t.Errorf("%s: standard error does not say it: %q", where, o.Stderr.Head)
				}
			}
		})
	}
}

func inProcess(t *testing.T) *shell.InProcess {
	e, commands := build()
	r := shell.NewInProcess(e, commands, shell.InProcessOptions{Tmp: t.TempDir()})
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestCallSeesWhatTheJobSays(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	for name, run := range map[string]shell.Runner{"pool": b.pool, "in process": inProcess(t)} {
		t.Run(name, func(t *testing.T) {
			o := run.Run(t.Context(), &shell.Job{Command: "args", Host: b.dir, Name: "x.sh", Args: []string{"a b", "\xff", ""}})
			if got := string(o.Stdout.Head); got != `"x.sh" ["a b" "\xff" ""]` {
				t.Errorf("name and arguments: %s", got)
			}
			o = run.Run(t.Context(), &shell.Job{Command: "cat", Host: b.dir, Stdin: strings.NewReader(strings.Repeat("lines\n", 50_000))})
			if o.Stdout.Bytes != 300_000 {
				t.Errorf("standard input: %+v", o)
			}
			o = run.Run(t.Context(), &shell.Job{Command: "cat\nout end", Host: b.dir})
			if string(o.Stdout.Head) != "end" {
				t.Errorf("without input: %+v", o)
			}
			big := strings.Repeat("out x\n", 30_000)
			o = run.Run(t.Context(), &shell.Job{Command: big, Host: b.dir})
			if o.Stdout.Bytes != 30_000 {
				t.Errorf("a command of several frames: %+v", o.Stdout.Bytes)
			}
		})
	}
}

// TestHole07 holds that a job without an environment gets the complete one, and nothing of
// the host.
func TestHole07(t *testing.T) {
	t.Setenv("SWARM_CANARY", "tweet")
	b := setup(t, shell.PoolOptions{})
	for name, run := range map[string]shell.Runner{"pool": b.pool, "in process": inProcess(t)} {
		o := run.Run(t.Context(), b.job("env"))
		if got := string(o.Stdout.Head); got != strings.Join(shell.Environ("/"), "\n") {
			t.Errorf("%s: %s", name, got)
		}
		j := b.job("env")
		j.Env = []string{"A=b"}
		if o := run.Run(t.Context(), j); string(o.Stdout.Head) != "A=b" {
			t.Errorf("%s: an own environment: %+v", name, o)
		}
	}
}

// TestHole25 holds that a worker has the zone UTC, whatever the host says.
func TestHole25(t *testing.T) {
	t.Setenv("TZ", "Asia/Tokyo")
	b := setup(t, shell.PoolOptions{})
	if o := b.run("zone"); string(o.Stdout.Head) != "UTC UTC UTC true\n" {
		t.Errorf("%+v", o)
	}
}

func TestPromptTakesNoMoreThanItIsGiven(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var seen strings.Builder
	lines := []string{"one\n", "two\n", "exit\n"}
	j := b.job("")
	j.Stdin, j.FromInput = r, true
	j.Out = &seen
	j.Prompt = func(bool) {
		seen.WriteString("$ ")
		_, _ = w.WriteString(lines[0])
		lines = lines[1:]
	}
	o := b.pool.Run(t.Context(), j)
	want(t, o, shell.Exited)
	if o.Code != 4 || seen.String() != "$ got one\n$ got two\n$ " {
		t.Errorf("code %d, %q", o.Code, seen.String())
	}
	if _, err := w.WriteString("rest"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	rest := make([]byte, 10)
	if n, _ := r.Read(rest); string(rest[:n]) != "rest" {
		t.Errorf("the rest of the input: %q", rest[:n])
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	t.Run("a call that listens", func(t *testing.T) {
		done := b.start(t.Context(), b.job("open /a\nhold"))
		b.clock.Advance(30 * time.Second)
		o := <-done
		want(t, o, shell.TimedOut, "stopped after 30s")
		if o.Duration != 30*time.Second || !slices.Equal(o.OpenForWriting, []string{"a"}) || !slices.Equal(o.Announced, []string{"a"}) {
			t.Errorf("%+v", o)
		}
	})
	t.Run("one that does not", func(t *testing.T) {
		j := b.job("open /b\nstuck")
		j.Limits.Clock = time.Second
		done := b.start(t.Context(), j)
		b.clock.Advance(time.Second)
		select {
		case o := <-done:
			t.Errorf("it ended before it was killed: %+v", o)
		default:
		}
		b.clock.Advance(shell.Grace)
		o := <-done
		want(t, o, shell.TimedOut, "stopped after 1s")
		if !slices.Equal(o.Announced, []string{"b"}) {
			t.Errorf("%+v", o)
		}
	})
	t.Run("no job has more than the pool", func(t *testing.T) {
		j := b.job("out x\nhold")
		j.Limits.Clock = time.Hour
		done := b.start(t.Context(), j)
		b.clock.Advance(30 * time.Second)
		want(t, <-done, shell.TimedOut)
	})
	b.fine()
}

func TestCancel(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{Workers: 1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	t.Run("before it begins", func(t *testing.T) {
		gone, end := context.WithCancel(t.Context())
		end()
		want(t, b.pool.Run(gone, b.job("write /never x")), shell.Cancelled, "Nothing was run")
	})
	t.Run("a call that listens", func(t *testing.T) {
		done := b.start(ctx, b.job("out x\nhold"))
		cancel()
		o := <-done
		want(t, o, shell.Cancelled, "cancelled")
		if o.ErrorCode() != "workspace.shell_cancelled" || o.Status() != 130 {
			t.Errorf("%+v", o)
		}
	})
	t.Run("one that does not", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := b.start(ctx, b.job("out x\nstuck"))
		cancel()
		b.clock.BlockUntil(2) // the deadline and the grace
		b.clock.Advance(shell.Grace)
		want(t, <-done, shell.Cancelled)
	})
	if _, err := os.Stat(filepath.Join(b.dir, "never")); err == nil {
		t.Error("a cancelled call wrote")
	}
	b.fine()
}

func TestOutputThatNobodyTakesEndsTheCall(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	j := b.job("out x\nhold")
	j.Out = refusing{}
	want(t, b.pool.Run(t.Context(), j), shell.Failed, "could not be passed on")
	b.fine()
}

type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, errors.New("no") }

func TestAnnouncements(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	for name, row := range map[string]struct {
		script string
		files  int
		want   []string
	}{
		"none":          {"out x", 0, []string{}},
		"sorted":        {"write /b x\nwrite /a x\nwrite /b y", 0, []string{"a", "b"}},
		"also in /tmp":  {"write /tmp/x y\nwrite /c z", 0, []string{"c"}},
		"too many":      {"write /a 1\nremove /a\nwrite /b 2\nremove /b\nwrite /c 3\nwrite /d 4", 2, []string{"."}},
		"of a lost one": {"write /a 1\ndie", 0, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for where, run := range map[string]shell.Runner{"pool": b.pool, "in process": inProcess(t)} {
				if where == "in process" && strings.Contains(row.script, "die") {
					continue
				}
				j := &shell.Job{Command: row.script, Host: t.TempDir(), Limits: limits.Limits{Files: row.files}}
				if o := run.Run(t.Context(), j); !slices.Equal(o.Announced, row.want) && len(o.Announced)+len(row.want) > 0 {
					t.Errorf("%s: %q, want %q", where, o.Announced, row.want)
				}
			}
		})
	}
}

func TestPoolShrinksAndComesBack(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	if len(b.pool.IdlePids()) != 0 || b.pool.Tmp() != "" {
		t.Error("something was started before it was needed")
	}
	b.pool.Warm()
	pids := shell.AwaitWarm(t, b.pool, 2)
	first := b.pool.Gone(pids[0])
	b.clock.Advance(5 * time.Minute)
	<-first
	if got := b.pool.IdlePids(); !slices.Equal(got, pids[1:]) {
		t.Errorf("idle: %v, want %v", got, pids[1:])
	}
	b.fine()
	shell.AwaitWarm(t, b.pool, 2)
}

func TestPoolSkipsAWorkerThatDied(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	b.pool.Warm()
	for _, pid := range shell.AwaitWarm(t, b.pool, 2) {
		end := watch(t, pid)
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		end.await(t)
	}
	b.fine()
}

func TestAnotherBuildIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	b.pool.SayBuild("another")
	o := b.run("write /x y")
	want(t, o, shell.Unavailable, "another build", "Nothing was run")
	if o.ErrorCode() != "workspace.shell_unavailable" {
		t.Errorf("%+v", o)
	}
}

func TestClosedPoolRunsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	done := b.start(context.Background(), b.job("out x\nhold"))
	tmp := b.pool.Tmp()
	b.close()
	want(t, <-done, shell.Cancelled)
	want(t, b.run("out x"), shell.Unavailable, "closing")
	if _, err := os.Stat(tmp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", tmp, err)
	}
}

func TestObserve(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	b := setup(t, shell.PoolOptions{Workers: 1, Observe: func(outcome string, d time.Duration) { seen[outcome]++ }})
	b.run("out x")
	b.run("exit 3")
	b.run("die")
	if seen["exited"] != 2 || seen["failed"] != 1 {
		t.Errorf("%v", seen)
	}
}

// The kept output of a call in a worker is that of the stream.
func TestOutputOfACallIsCut(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	for n, left := range map[string]int64{"131071": 0, "131072": 0, "131073": 1} {
		for where, run := range map[string]shell.Runner{"pool": b.pool, "in process": inProcess(t)} {
			o := run.Run(t.Context(), b.job("fill "+n))
			if o.Stdout.Left != left || o.Kind != shell.Exited {
				t.Errorf("%s, %s bytes: %d left out, %s", where, n, o.Stdout.Left, o.Kind)
			}
		}
	}
}
