package eval

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

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
