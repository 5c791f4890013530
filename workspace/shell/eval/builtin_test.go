package eval

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// stage is a directory in which scripts of the tests of the builtins run.
type stage struct {
	dir    string
	limits limits.Limits
	env    []string
	in     string
}

// play runs a script and gives what it wrote and how it ended.
func (s stage) play(t testing.TB, script string) (out, errs string, exit shell.Exit) {
	t.Helper()
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	if s.env == nil {
		s.env = shell.Environ("/")
	}
	budget, ctx, stop := limits.NewBudget(context.Background(), s.limits)
	defer stop()
	commands := command.NewRegistry(Commands(), []*command.Command{{Name: "cat", Group: "text", Short: "copy files", Usage: "Usage: cat", Run: func(_ context.Context, c *command.Call) int {
		var all bytes.Buffer
		all.ReadFrom(c.In) //nolint:errcheck // the input of a test
		c.Out.Write(all.Bytes())
		return 0
	}}})
	v, err := view.New(view.Options{Dir: s.dir, Budget: budget, Commands: commands.Names()})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	var stdout, stderr bytes.Buffer
	exit = New().Eval(ctx, &shell.Request{
		Script: script, Dir: "/", Env: s.env, In: strings.NewReader(s.in), Out: &stdout, Err: &stderr, FS: v, Commands: commands, Budget: budget,
		Now:   func() time.Time { return time.Unix(1_700_000_000, 0).UTC() },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }, // all waits are over at once
		Rand:  func(p []byte) { clear(p) },
	})
	return stdout.String(), stderr.String(), exit
}

// TestReadWaitsNoLongerThanAsked uses a clock in which every wait is over at once.
func TestReadWaitsNoLongerThanAsked(t *testing.T) {
	t.Parallel()
	out, errs, exit := stage{}.play(t, `coproc { read hold <&3; } 3<&0; read -t 1 x <&${COPROC[0]}; echo "$? [$x]"; kill %1 2>/dev/null`)
	if exit.Err != nil || out != "142 []\n" {
		t.Fatalf("%q %q %+v", out, errs, exit)
	}
}

func TestWhatABuiltinPutsIntoAVariableIsLimited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, attack, honest, out string }{
		{"printf of a width", `printf '%1000000000d' 1`, `printf '%5d' 1`, "    1"},
		{"printf of a width that is an argument", `printf -v x '%*s' 1000000000 a`, `printf -v x '%*s' 4 a; echo "$x"`, "   a\n"},
		{"printf -v that doubles", `x=a; while :; do printf -v x '%s%s' "$x" "$x"; done`, `printf -v x '%s%s' a b; echo $x`, "ab\n"},
		{"a line without end", `while :; do printf xxxxxxxx; done | read -r x`, `printf 'xx\n' | { read -r x; echo $x; }`, "xx\n"},
		{"lines without end", `while :; do printf 'xxxxxxx\n'; done | mapfile x`, `printf 'a\nb\n' | { mapfile -t x; echo ${#x[@]}; }`, "2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := stage{limits: limits.Limits{Variable: 1 << 14}}
			_, _, exit := s.play(t, c.attack)
			if hit, ok := errors.AsType[*limits.Hit](exit.Err); !ok || hit.Name != "variable" {
				t.Errorf("%s: %+v", c.attack, exit)
			}
			if out, errs, exit := s.play(t, c.honest); out != c.out || errs != "" || exit.Err != nil {
				t.Errorf("%s: %q %q %+v", c.honest, out, errs, exit)
			}
		})
	}
}
