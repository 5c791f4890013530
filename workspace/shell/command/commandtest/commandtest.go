// Package commandtest is the test kit of commands: it runs one command of a list as the
// shell would, on a view of a directory, and gives what it wrote. It has no shell: a command
// that runs others ([command.Call.Shell]) reaches the commands of the same list only.
package commandtest

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Now is the time that commands see when a kit names no other.
var Now = time.Date(2024, 3, 15, 12, 30, 45, 0, time.UTC)

// Kit is what a command runs in. Commands and Dir are needed, the rest has defaults.
type Kit struct {
	Commands []*command.Command
	Dir      string // host directory that is "/" of the command
	Cwd      string // working directory in the view; "/"
	Env      []string
	Limits   limits.Limits
	FS       view.FS          // instead of a view of Dir
	Now      func() time.Time // gives [Now]
	Sleep    func(ctx context.Context, d time.Duration) error
	Script   func(ctx context.Context, n command.Nested) int // runs a [command.Nested] that is a script; else 127
}

// Run runs args, whose first is the name of a command, with stdin as standard input on a
// view of the host directory dir.
func Run(t testing.TB, commands []*command.Command, dir string, args []string, stdin string) (out, errOut string, code int) {
	t.Helper()
	return Kit{Commands: commands, Dir: dir}.Run(t, args, stdin)
}

// Run runs args with stdin as standard input.
func (k Kit) Run(t testing.TB, args []string, stdin string) (out, errOut string, code int) {
	t.Helper()
	var o, e locked
	code = k.Exec(t.Context(), t, command.Nested{Args: args, In: strings.NewReader(stdin), Out: &o, Err: &e})
	return o.String(), e.String(), code
}

// Exec runs a command with streams and a context of the caller's. A stream that is nil is
// empty or dropped.
func (k Kit) Exec(ctx context.Context, t testing.TB, n command.Nested) int {
	t.Helper()
	budget, ctx, stop := limits.NewBudget(ctx, k.Limits)
	defer stop()
	if k.FS == nil {
		v, err := view.New(view.Options{Dir: k.Dir, Tmp: t.TempDir(), Budget: budget, Commands: command.NewRegistry(k.Commands).Names()})
		if err != nil {
			t.Fatalf("view of the test directory: %v", err)
		}
		defer v.Close()
		k.FS = v
	}
	k.fill()
	all := command.NewRegistry(k.Commands)
	random := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	var run func(context.Context, command.Nested) int
	run = func(ctx context.Context, n command.Nested) int {
		if n.Script != "" {
			return k.Script(ctx, n)
		}
		cmd := all.Get(path.Base(n.Args[0]))
		if cmd == nil {
			io.WriteString(n.Err, n.Args[0]+": command not found\n")
			return 127
		}
		return cmd.Exec(ctx, &command.Call{
			Args: n.Args, In: n.In, Out: command.NewWriter(n.Out), Err: n.Err, Dir: n.Dir, Env: n.Env, Umask: 0o022, FS: k.FS, Budget: budget, Now: k.Now, Sleep: k.Sleep,
			Rand: func(p []byte) {
				mu.Lock()
				defer mu.Unlock()
				for i := range p {
					p[i] = byte(random.Uint32())
				}
			},
			All: all,
			Shell: func(ctx context.Context, inner command.Nested) int {
				if inner.Dir == "" {
					inner.Dir = n.Dir
				}
				if inner.Env == nil {
					inner.Env = n.Env
				}
				return run(ctx, withStreams(inner))
			},
		})
	}
	if n.Dir == "" {
		n.Dir = k.Cwd
	}
	if n.Env == nil {
		n.Env = k.Env
	}
	return run(ctx, withStreams(n))
}

func (k *Kit) fill() {
	if k.Cwd == "" {
		k.Cwd = "/"
	}
	if k.Env == nil {
		k.Env = []string{"HOME=/", "PWD=" + k.Cwd, "PATH=/usr/bin:/bin", "USER=agent", "LANG=C.UTF-8", "TMPDIR=/tmp", "TZ=UTC"}
	}
	if k.Now == nil {
		k.Now = func() time.Time { return Now }
	}
	if k.Sleep == nil {
		k.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	if k.Script == nil {
		k.Script = func(_ context.Context, n command.Nested) int {
			io.WriteString(n.Err, "the test kit runs no scripts\n")
			return 127
		}
	}
}

func withStreams(n command.Nested) command.Nested {
	if n.In == nil {
		n.In = strings.NewReader("")
	}
	if n.Out == nil {
		n.Out = io.Discard
	}
	if n.Err == nil {
		n.Err = io.Discard
	}
	return n
}

// locked is a buffer that commands running in parallel may share.
type locked struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
