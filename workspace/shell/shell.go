// Package shell owns the sandboxed shell as agents meet it: what one evaluation is asked
// and gives, the result of a call, the pool of workers that contain it, and the projection
// of a run's files that it works on.
package shell

import (
	"context"
	"io"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Request is one evaluation. Nothing of it outlives the evaluation but files.
type Request struct {
	Script   string   // the text; with FromInput it is read from In instead, statement by statement
	Name     string   // $0; "" is "bash"
	Args     []string // $1, $2, ...
	Dir      string   // working directory, absolute, checked by the caller
	Env      []string // complete environment, NAME=value
	In       io.Reader
	Out, Err io.Writer
	FS       view.FS
	Commands *command.Registry
	Budget   *limits.Budget
	Now      func() time.Time // in UTC
	Sleep    func(ctx context.Context, d time.Duration) error
	Rand     func(p []byte) // fills p

	FromInput bool            // read the script from In
	Prompt    func(more bool) // with FromInput: called before a statement is read; more: it goes on
}

// Exit is how an evaluation ended.
type Exit struct {
	Code int   // exit status, 0 to 255
	Err  error // a [limits.Hit], a context's error or a fault of the program; then Code says nothing
}

// Evaluator evaluates scripts of the shell's language.
type Evaluator interface {
	Eval(ctx context.Context, r *Request) Exit
}

// Environ gives the environment that every call starts with (shell spec §4), for a working
// directory.
func Environ(dir string) []string {
	return []string{
		"HOME=/", "PWD=" + dir, "PATH=/usr/bin:/bin", "SHELL=/bin/bash", "USER=agent", "LOGNAME=agent", "LANG=C.UTF-8",
		"TMPDIR=/tmp", "TZ=UTC", "TERM=dumb", "HOSTNAME=swarm", "UID=1000", "EUID=1000", "GID=1000",
	}
}
