package eval

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// builtinWait waits for jobs: all, those that are named, or with -n the next that ends.
func builtinWait(ctx context.Context, sh *Shell, b *streams, args []string) int {
	next, into := false, ""
	args = args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		for i := 1; i < len(arg); i++ {
			switch arg[i] {
			case 'n':
				next = true
			case 'f':
			case 'p':
				into = arg[i+1:]
				if into == "" && len(args) > 0 {
					into, args = args[0], args[1:]
				}
				i = len(arg)
			default:
				sh.errorf(b, "wait: -%c: invalid option", arg[i])
				fmt.Fprintln(b.err, "wait: usage: wait [-fn] [-p var] [id ...]")
				return 2
			}
		}
	}
	if into != "" {
		sh.unsetName(into)
	}
	if next {
		return sh.waitNext(ctx, b, into, args)
	}
	if len(args) == 0 {
		for len(sh.jobs.list) > 0 {
			j := sh.jobs.list[0]
			if status, ok := sh.await(ctx, j); !ok {
				return status
			}
			sh.jobs.remove(j)
		}
		return 0
	}
	status := 0
	for _, arg := range args {
		j, code := sh.jobOf(b, "wait", arg)
		if j == nil {
			status = code
			continue
		}
		var ok bool
		if status, ok = sh.await(ctx, j); !ok {
			return status
		}
		if into != "" {
			if err := sh.exp.SetString(ctx, into, strconv.Itoa(j.pid), false); err != nil {
				return sh.fail(ctx, err)
			}
		}
		sh.jobs.finished(j)
	}
	return status
}

// finished forgets that a job has a number; its status can be asked for again by its pid.
func (j *jobs) finished(n *job) { n.number = 0 }

// await waits for a job. It gives false when a signal or the end of the call came first.
func (sh *Shell) await(ctx context.Context, j *job) (int, bool) {
	select {
	case <-j.done:
		return j.status, true
	default:
	}
	select {
	case <-j.done:
		return j.status, true
	case <-sh.proc.wake:
		return sh.interrupted(ctx), false
	case <-ctx.Done():
		sh.over(ctx)
		return 1, false
	}
}

// interrupted runs the traps of the signals that ended a wait and gives its status.
func (sh *Shell) interrupted(ctx context.Context) int {
	status := 0
	sh.proc.mu.Lock()
	if len(sh.proc.pending) > 0 {
		status = 128 + int(sh.proc.pending[0])
	}
	sh.proc.mu.Unlock()
	sh.deliver(ctx)
	if sh.flow == flowExit {
		return sh.status
	}
	return status
}

// waitNext waits for the next job that ends, of all or of those that are named.
func (sh *Shell) waitNext(ctx context.Context, b *streams, into string, args []string) int {
	var among []*job
	for _, arg := range args {
		if j, _ := sh.jobOf(b, "wait", arg); j != nil {
			among = append(among, j)
		}
	}
	if len(args) == 0 {
		for _, j := range sh.jobs.list {
			if j.number > 0 {
				among = append(among, j)
			}
		}
	}
	if len(among) == 0 {
		return 127
	}
	first := make(chan *job, len(among))
	stop := make(chan struct{})
	defer close(stop)
	for _, j := range among {
		if j.ended() {
			first <- j
			break
		}
	}
	if len(first) == 0 {
		for _, j := range among {
			sh.routine(func() {
				select {
				case <-j.done:
					first <- j
				case <-stop:
				case <-ctx.Done():
				}
			})
		}
	}
	select {
	case j := <-first:
		if into != "" {
			if err := sh.exp.SetString(ctx, into, strconv.Itoa(j.pid), false); err != nil {
				return sh.fail(ctx, err)
			}
		}
		sh.jobs.remove(j)
		return j.status
	case <-sh.proc.wake:
		return sh.interrupted(ctx)
	case <-ctx.Done():
		sh.over(ctx)
		return 1
	}
}

// jobOf gives the job that an argument names, or the status of its absence.
func (sh *Shell) jobOf(b *streams, name, arg string) (*job, int) {
	if strings.HasPrefix(arg, "%") {
		if j := sh.jobs.find(arg); j != nil {
			return j, 0
		}
		sh.errorf(b, "%s: %s: no such job", name, arg)
		return nil, 127
	}
	pid, err := strconv.Atoi(arg)
	if err != nil {
		sh.errorf(b, "%s: `%s': not a pid or valid job spec", name, arg)
		return nil, 1
	}
	if j := sh.jobs.byPID(pid); j != nil {
		return j, 0
	}
	sh.errorf(b, "%s: pid %d is not a child of this shell", name, pid)
	return nil, 127
}

// builtinJobs lists the jobs that run.
func builtinJobs(ctx context.Context, sh *Shell, b *streams, args []string) int {
	long, pids, stopped := false, false, false
	rest := args[1:]
	for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		for _, c := range rest[0][1:] {
			switch c {
			case 'l':
				long = true
			case 'p':
				pids = true
			case 's':
				stopped = true
			case 'n', 'r':
			case 'x':
				if len(rest) < 2 {
					return 0
				}
				return sh.run(ctx, sh.jobPIDs(rest[1:]))
			default:
				sh.errorf(b, "jobs: -%c: invalid option", c)
				fmt.Fprintln(b.err, "jobs: usage: jobs [-lnprs] [jobspec ...] or jobs -x command [args]")
				return 2
			}
		}
		rest = rest[1:]
	}
	if stopped {
		return 0
	}
	list := sh.jobs.running()
	if len(rest) > 0 {
		list = nil
		for _, arg := range rest {
			j, _ := sh.jobOf(b, "jobs", arg)
			if j == nil {
				return 1
			}
			list = append(list, j)
		}
	}
	all := sh.jobs.running()
	for _, j := range list {
		mark := " "
		if n := len(all); n > 0 && all[n-1] == j {
			mark = "+"
		} else if n > 1 && all[n-2] == j {
			mark = "-"
		}
		switch {
		case pids:
			fmt.Fprintln(b.out, j.pid)
		case long:
			fmt.Fprintf(b.out, "[%d]%s %5d Running                 %s &\n", j.number, mark, j.pid, j.text)
		default:
			fmt.Fprintf(b.out, "[%d]%s  Running                 %s &\n", j.number, mark, j.text)
		}
	}
	return 0
}

// jobPIDs gives arguments with each job replaced by its pid, for jobs -x.
func (sh *Shell) jobPIDs(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = arg
		if strings.HasPrefix(arg, "%") {
			if j := sh.jobs.find(arg); j != nil {
				out[i] = strconv.Itoa(j.pid)
			}
		}
	}
	return out
}

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

// noJobControl answers fg and bg: there is no terminal to bring a job to.
func noJobControl(_ context.Context, sh *Shell, b *streams, args []string) int {
	sh.errorf(b, "%s: no job control in this shell; wait for the job with: wait %%1", args[0])
	return 1
}

// builtinDisown forgets jobs.
func builtinDisown(_ context.Context, sh *Shell, b *streams, args []string) int {
	all, keep := false, false
	rest := args[1:]
	for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		for _, c := range rest[0][1:] {
			switch c {
			case 'a', 'r':
				all = true
			case 'h':
				keep = true
			default:
				sh.errorf(b, "disown: -%c: invalid option", c)
				return 2
			}
		}
		rest = rest[1:]
	}
	if all && len(rest) == 0 {
		sh.jobs.list = nil
		return 0
	}
	if len(rest) == 0 {
		rest = []string{"%%"}
	}
	status := 0
	for _, arg := range rest {
		var j *job
		if pid, err := strconv.Atoi(arg); err == nil {
			j = sh.jobs.byPID(pid)
		} else if strings.HasPrefix(arg, "%") {
			j = sh.jobs.find(arg)
		}
		switch {
		case j == nil:
			sh.errorf(b, "disown: %s: no such job", strings.Replace(arg, "%%", "current", 1))
			status = 1
		case !keep:
			sh.jobs.remove(j)
		}
	}
	return status
}
