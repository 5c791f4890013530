package eval

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// builtinKill sends signals to shells of this call; there is nothing else to reach.
func builtinKill(ctx context.Context, sh *Shell, b *streams, args []string) int {
	sig := sigTERM
	rest := args[1:]
	if len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		switch arg := rest[0]; arg {
		case "-l", "-L":
			return listSignals(sh, b, "kill", rest[1:])
		case "--":
			rest = rest[1:]
		default:
			name, used := arg[1:], 1
			if (name == "s" || name == "n") && len(rest) > 1 {
				name, used = rest[1], 2
			}
			var ok bool
			if sig, ok = signalOf(name, false); !ok {
				sh.errorf(b, "kill: %s: invalid signal specification", name)
				return 1
			}
			rest = rest[used:]
			if len(rest) > 0 && rest[0] == "--" {
				rest = rest[1:]
			}
		}
	}
	if len(rest) == 0 {
		fmt.Fprintln(b.err, "kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]")
		return 2
	}
	status := 0
	for _, arg := range rest {
		if code := sh.killOne(b, sig, arg); code != 0 {
			status = code
		}
	}
	return status
}

// killOne signals one target.
func (sh *Shell) killOne(b *streams, sig signal, arg string) int {
	var targets []*proc
	if strings.HasPrefix(arg, "%") {
		j := sh.jobs.find(arg)
		if j == nil {
			sh.errorf(b, "kill: %s: no such job", arg)
			return 1
		}
		if !j.ended() {
			targets = append(targets, j.proc)
		}
	} else {
		pid, err := strconv.Atoi(arg)
		if err != nil {
			sh.errorf(b, "kill: %s: arguments must be process or job IDs", arg)
			return 1
		}
		targets = sh.targets(pid)
	}
	if len(targets) == 0 {
		sh.errorf(b, "kill: (%s) - %s", strings.TrimPrefix(arg, "-"), view.Text(syscall.ESRCH))
		return 1
	}
	if sig != 0 {
		for _, p := range targets {
			p.signal(sig)
		}
	}
	return 0
}

// targets gives the shells of the call that a number stands for: 0 is all of them.
func (sh *Shell) targets(pid int) []*proc {
	if pid == sh.proc.pid {
		return []*proc{sh.proc}
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	var all []*proc
	for _, p := range sh.procs {
		if pid == 0 || p.pid == pid || p.pid == -pid {
			all = append(all, p)
		}
	}
	return all
}

// listSignals prints the names of signals, for kill -l and trap -l.
func listSignals(sh *Shell, b *streams, name string, args []string) int {
	status := 0
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err == nil && n > 128 {
			n -= 128
			arg = strconv.Itoa(n)
		}
		sig, ok := signalOf(arg, false)
		switch {
		case !ok:
			sh.errorf(b, "%s: %s: invalid signal specification", name, arg)
			status = 1
		case err == nil && n == 0:
			fmt.Fprintln(b.out, "EXIT")
		case err == nil:
			fmt.Fprintln(b.out, sig.short())
		default:
			fmt.Fprintln(b.out, int(sig))
		}
	}
	if len(args) > 0 {
		return status
	}
	column := 0
	for n := signal(1); n <= 64; n++ {
		if n == 32 || n == 33 {
			continue
		}
		column++
		end := "\t"
		switch {
		case column%5 == 0:
			end = "\n"
		case n == 64:
			end = "\t\n"
		}
		fmt.Fprintf(b.out, "%2d) %s%s", int(n), n, end)
	}
	return 0
}
