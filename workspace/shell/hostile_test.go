//go:build linux

package shell_test

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// Forged, oversized and endless frames cost the worker its life and nothing else.
func TestChecklist22(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	frame := func(kind byte, payload string) string {
		return hex.EncodeToString(shell.Frame(kind, []byte(payload)))
	}
	t.Cleanup(func() {
		if o := b.pool.Run(context.Background(), b.job("out fine")); o.Kind != shell.Exited {
			t.Errorf("the next command: %+v", o)
		}
	})
	one := limits.Limits{Files: 1, Produced: 1 << 20}
	for name, row := range map[string]struct {
		script string
		reason string
	}{
		"longer than a frame":      {"raw 7fffffff6f", "a frame of 2147483647 bytes"},
		"of no type":               {"raw " + frame('?', "x"), `a frame '?'`},
		"of the pool's types":      {"raw " + frame('S', "{}"), `a frame 'S'`},
		"a second hello":           {"raw " + frame('h', "{}"), `a frame 'h'`},
		"output of nothing":        {"raw " + frame('o', ""), "0 bytes of output"},
		"output without an end":    {"flood " + frame('o', strings.Repeat("x", 60_000)), "bytes of output"},
		"a path out of the root":   {"raw " + frame('a', "../x"), "an announced path"},
		"an absolute path":         {"raw " + frame('a', "/x"), "an announced path"},
		"a path that is no UTF-8":  {"raw " + frame('a', "\xff"), "an announced path"},
		"a long path":              {"raw " + frame('a', strings.Repeat("x", 1025)), "an announced path"},
		"an empty path":            {"raw " + frame('a', ""), "an announced path"},
		"paths without an end":     {"flood " + frame('a', "x"), "more announced paths"},
		"input that there is not":  {"raw " + frame('w', "\x00\x00\x00\x01"), "standard input"},
		"a prompt that is none":    {"raw " + frame('p', "\x00"), "a prompt"},
		"a report that is no JSON": {"raw " + frame('z', "{"), "a message that cannot be read"},
		"a code that is none":      {"raw " + frame('z', `{"Code":256}`), "a report"},
		"a negative code":          {"raw " + frame('z', `{"Code":-1}`), "a report"},
		"states without an end":    {"flood " + frame('s', "{}"), "a report"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := b.pool.Run(t.Context(), &shell.Job{Command: row.script, Host: t.TempDir(), Limits: one})
			want(t, o, shell.Failed, "said what no worker says", row.reason)
			if o.ErrorCode() != "workspace.shell_failed" {
				t.Errorf("%+v", o)
			}
		})
	}
	t.Run("input in two questions at once", func(t *testing.T) {
		t.Parallel()
		j := b.job("raw " + frame('w', "\x00\x00\x00\x01") + frame('w', "\x00\x00\x00\x01"))
		j.Stdin = never(t)
		want(t, b.pool.Run(t.Context(), j), shell.Failed, "out of turn")
	})
	t.Run("half a frame and the end", func(t *testing.T) {
		t.Parallel()
		want(t, b.run("say 0000000a6f6162\ndie"), shell.Failed, "was lost (signal: killed)")
	})
}

// never is an input that says nothing until the test is over.
func never(t *testing.T) *blocked {
	b := &blocked{make(chan struct{})}
	t.Cleanup(func() { close(b.end) })
	return b
}

type blocked struct{ end chan struct{} }

func (b *blocked) Read([]byte) (int, error) {
	<-b.end
	return 0, unix.EBADF
}

// A worker that is killed in the middle of a call is a failed call.
func TestWorkerKilledFromOutside(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	pid := newBegun()
	j := b.job("pid\nopen /a\nstuck")
	j.Out = pid
	done := make(chan shell.Outcome, 1)
	go func() { done <- b.pool.Run(t.Context(), j) }()
	<-pid.came
	first := pid.text.String()
	if err := unix.Kill(atoi(t, strings.Fields(first)[0]), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	want(t, <-done, shell.Failed, "was lost (signal: killed)", "may be incomplete")
	b.fine()
}
