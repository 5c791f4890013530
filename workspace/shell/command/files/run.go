package files

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/strftime"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// run is one call of a command of this package with its exit status so far.
type run struct {
	*command.Call
	ctx  context.Context
	code int
	opt  *command.Options
}

// start reads the options. When they are wrong, ok is false and code is the exit status.
func start(ctx context.Context, c *command.Call, spec string, usage int) (r *run, ok bool) {
	opt, err := command.Parse(c.Args, spec)
	if err != nil {
		return &run{Call: c, ctx: ctx, code: c.UsageError(usage, err)}, false
	}
	return &run{Call: c, ctx: ctx, opt: opt}, true
}

// failed reports a fault; the command goes on and ends with 1 at least.
func (r *run) failed(format string, args ...any) {
	r.Errorf(format, args...)
	r.code = max(r.code, 1)
}

// over says whether the command must stop: the call ended or nobody reads its output.
func (r *run) over() bool {
	if r.ctx.Err() != nil {
		r.code = max(r.code, 1)
		return true
	}
	return r.Out.Err() != nil
}

// path gives the absolute path of an argument; the empty one names nothing.
func (r *run) path(name string) (string, error) {
	if name == "" {
		return "", syscall.ENOENT
	}
	return r.Abs(name), nil
}

func (r *run) stat(name string) (fs.FileInfo, error) {
	p, err := r.path(name)
	if err != nil {
		return nil, err
	}
	info, err := r.FS.Stat(p)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, "/") && !info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	return info, nil
}

// lstat does not follow a link, unless a slash stands behind it.
func (r *run) lstat(name string) (fs.FileInfo, error) {
	if strings.HasSuffix(name, "/") {
		return r.stat(name)
	}
	p, err := r.path(name)
	if err != nil {
		return nil, err
	}
	info, err := r.FS.Lstat(p)
	if err != nil {
		return nil, err
	}
	return info, nil
}

// look is stat or, without follow, lstat.
func (r *run) look(name string, follow bool) (fs.FileInfo, error) {
	if follow {
		return r.stat(name)
	}
	return r.lstat(name)
}

// same says whether two names lead to one file. Links are followed.
func (r *run) same(a, b string) bool {
	pa, errA := r.FS.Real(r.Abs(a))
	pb, errB := r.FS.Real(r.Abs(b))
	return errA == nil && errB == nil && pa == pb
}

// confirm asks on standard error and reads a line of standard input. It reads byte by byte,
// so that the rest is left for whoever reads next.
func (r *run) confirm(question string) bool {
	io.WriteString(r.Err, r.Args[0]+": "+question+"? ")
	yes, first := false, true
	buf := make([]byte, 1)
	for {
		n, err := r.In.Read(buf)
		if n > 0 {
			if buf[0] == '\n' {
				return yes
			}
			if first {
				yes, first = buf[0] == 'y' || buf[0] == 'Y', false
			}
		}
		if err != nil {
			return yes
		}
	}
}

// zone gives the time zone of the environment.
func zone(c *command.Call) *time.Location {
	if tz := c.Getenv("TZ"); tz != "UTC" { // no need of the data for the usual one
		return strftime.Zone(tz)
	}
	return time.UTC
}

// readList reads names that end with a delimiter, such as the ones of find -print0.
func readList(in io.Reader, delimiter byte) ([]string, error) {
	var names []string
	br := bufio.NewReader(in)
	for {
		s, err := br.ReadString(delimiter)
		if name := strings.TrimSuffix(s, string(delimiter)); name != "" {
			names = append(names, name)
		}
		if err == io.EOF {
			return names, nil
		}
		if err != nil {
			return names, err
		}
	}
}

// text gives the words of an error.
func text(err error) string { return view.Text(err) }

// sq quotes a name for a report that commands print about what they did.
func sq(name string) string { return quoted(name, "shell-escape-always") }

// Reasons that commands give of their own.
var (
	errLoop     = syscall.ELOOP // a directory that is reached through itself
	errNotDir   = syscall.ENOTDIR
	errInvalid  = syscall.EINVAL
	errNotEmpty = syscall.ENOTEMPTY
)
