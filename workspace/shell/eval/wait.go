package eval

import (
	"context"
	"fmt"
	"strconv"
	"strings"
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
		for _, j := range sh.jobs.list {
			// Of process substitutions only the last one, while it is $!.
			if j.number > 0 || j.pid == sh.last {
				if status, ok := sh.await(ctx, j); !ok {
					return status
				}
			}
		}
		sh.jobs.list = nil
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
		return sh.reaped(ctx, j), true
	default:
	}
	for {
		select {
		case <-j.done:
			return sh.reaped(ctx, j), true
		case <-sh.proc.wake:
			if sh.signalled() {
				return sh.interrupted(ctx), false
			}
		case <-ctx.Done():
			sh.over(ctx)
			return 1, false
		}
	}
}

// signalled says whether a signal waits for its trap: what woke the shell may be one that was
// delivered before.
func (sh *Shell) signalled() bool {
	sh.proc.mu.Lock()
	defer sh.proc.mu.Unlock()
	return len(sh.proc.pending) > 0
}

// reaped gives the status of a job that has ended, and says once which signal ended it.
func (sh *Shell) reaped(ctx context.Context, j *job) int {
	if sig := j.death; sig != 0 && sig != sigINT && sig != sigTERM && sig != sigPIPE {
		sh.complain(ctx, "%5d %-23s %s", j.pid, sig.describe(), j.text)
	}
	j.death = 0
	return j.status
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
	for {
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
			if sh.signalled() {
				return sh.interrupted(ctx)
			}
		case <-ctx.Done():
			sh.over(ctx)
			return 1
		}
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
