package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const sleepUsage = `
Usage: sleep NUMBER[smhd]...
Wait for the sum of the times: seconds (default), minutes, hours or days; "infinity" is one.
`

func sleepCommand() *command.Command {
	return &command.Command{Name: "sleep", Group: "system", Short: "wait", Usage: sleepUsage, Run: runSleep}
}

func runSleep(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "+", 1)
	if !ok {
		return r.code
	}
	if len(r.opt.Args) == 0 {
		return c.UsageError(1, errors.New("missing operand"))
	}
	var total time.Duration
	for _, arg := range r.opt.Args {
		d, ok := parseDuration(arg)
		if !ok {
			return c.UsageError(1, fmt.Errorf("invalid time interval '%s'", arg))
		}
		if total += d; total < 0 {
			total = math.MaxInt64
		}
	}
	if c.Sleep(ctx, total) != nil {
		return 1
	}
	return 0
}

// parseDuration reads a number with a unit of sleep. What is too long is the longest time.
func parseDuration(s string) (time.Duration, bool) {
	unit := time.Second
	if s != "" {
		if u, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[s[len(s)-1]]; ok {
			unit, s = u, s[:len(s)-1]
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || n < 0 || math.IsNaN(n) || strings.Contains(s, "_") {
		return 0, false
	}
	if d := n * float64(unit); d < math.MaxInt64 {
		return time.Duration(d), true
	}
	return math.MaxInt64, true
}

const timeoutUsage = `
Usage: timeout [OPTION]... DURATION COMMAND [ARG]...
Run a command and end it when DURATION is over: a number with s (default), m, h or d; 0 is
no bound. The exit status is then 124, or 137 when the signal is KILL.

  -s, --signal=SIGNAL    what ends the command; only the exit status depends on it
  -k, --kill-after=DURATION   accepted: the command is always ended at once
      --preserve-status  exit with the status of the command, 128 + SIGNAL
      --foreground, -v
`

func timeoutCommand() *command.Command {
	return &command.Command{Name: "timeout", Group: "system", Short: "end a command that takes too long", Usage: timeoutUsage, Run: runTimeout}
}

func runTimeout(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "+s,signal: k,kill-after: preserve-status foreground v,verbose", 125)
	if !ok {
		return r.code
	}
	if len(r.opt.Args) < 2 {
		return c.UsageError(125, errors.New("missing operand"))
	}
	limit, ok := parseDuration(r.opt.Args[0])
	if !ok {
		return c.UsageError(125, fmt.Errorf("invalid time interval '%s'", r.opt.Args[0]))
	}
	if r.opt.Has("k") {
		if _, ok := parseDuration(r.opt.Value("k", "")); !ok {
			return c.UsageError(125, fmt.Errorf("invalid time interval '%s'", r.opt.Value("k", "")))
		}
	}
	name := r.opt.Value("s", "TERM")
	signal, ok := signalNumber(name)
	if !ok {
		return c.UsageError(125, fmt.Errorf("'%s': invalid signal", name))
	}
	args := r.opt.Args[1:]
	n := command.Nested{Args: args, In: c.In, Out: c.Out, Err: c.Err}
	if limit == 0 {
		return c.Shell(ctx, n)
	}
	inner, end := context.WithCancel(ctx)
	over := make(chan bool, 1)
	go func() {
		late := c.Sleep(inner, limit) == nil
		over <- late
		if late {
			end()
		}
	}()
	code := c.Shell(inner, n)
	end()
	if !<-over {
		return code
	}
	if r.opt.Has("v") {
		c.Errorf("sending signal %s to command '%s'", name, args[0])
	}
	if signal == sigKill {
		io.WriteString(c.Err, "Killed\n") // as the shell says of a command that was
	}
	if signal == sigKill || r.opt.Has("preserve-status") {
		return 128 + signal
	}
	return 124
}

const sigKill = 9

// signalNumber gives the number of a signal by its name or number.
func signalNumber(name string) (int, bool) {
	if n, err := strconv.Atoi(name); err == nil {
		return n, n >= 0 && n <= 64
	}
	n, ok := map[string]int{"HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "BUS": 7, "FPE": 8, "KILL": sigKill, "USR1": 10, "SEGV": 11,
		"USR2": 12, "PIPE": 13, "ALRM": 14, "TERM": 15, "CHLD": 17, "CONT": 18, "STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22}[strings.TrimPrefix(strings.ToUpper(name), "SIG")]
	return n, ok
}
