package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
)

// Exit codes (command line spec §5).
const (
	exitDone      = 0
	exitFailed    = 1 // failed, or held by another process
	exitUsage     = 2 // bad usage, a bad team or agent file, a load error
	exitPaused    = 3
	exitPartial   = 4
	exitRefused   = 5 // by policy
	exitParked    = 6 // parked, ended unknown, or a damaged journal
	exitCancelled = 130
)

// app is one call of the program.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) (string, bool)

	data    string // --data
	json    bool
	quiet   bool
	verbose bool

	tree *liveTree // of the run that is followed; nil: only lines
}

// Main runs the program and gives its exit code.
func Main(args []string, in io.Reader, out, errOut io.Writer, env func(string) (string, bool)) int {
	a := &app{in: in, out: out, err: errOut, env: env}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	cmd, err := root.ExecuteC()
	if err == nil {
		return exitDone
	}
	var e *exit
	if !errors.As(err, &e) {
		e = &exit{code: codeOf(err), err: err}
	}
	if e.err != nil {
		a.complain(cmd, e)
	}
	return e.code
}

// exit ends the program with a code. Without an error everything has been said.
type exit struct {
	code int
	err  error
}

// Error implements error.
func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap gives the error.
func (e *exit) Unwrap() error { return e.err }

// usage is an error of how the program was called.
func usage(format string, args ...any) error {
	return &exit{exitUsage, fmt.Errorf(format, args...)}
}

// codeOf gives the exit code of an error.
func codeOf(err error) int {
	code := fault.Code(err)
	if code == "journal.damaged" {
		return exitParked
	}
	switch area, _, _ := strings.Cut(code, "."); area {
	case "config", "model", "tool", "workspace", "input":
		return exitUsage
	case "permission":
		return exitRefused
	}
	return exitFailed
}

// complain says what was tried, what went wrong, and what to do.
func (a *app) complain(cmd *cobra.Command, e *exit) {
	if fs := config.FaultsOf(e.err); fs != nil {
		for _, f := range fs {
			a.errf("%s", f)
		}
		wrong, warnings := tally(fs)
		a.errf("%s: %s, so nothing was done", cmd.CommandPath(), count(wrong, "fault")+warned(warnings))
		return
	}
	a.errf("%s: %v", cmd.CommandPath(), e.err)
	if mend := mends[fault.Code(e.err)]; mend != "" {
		a.errf("%s", mend)
	}
	if fault.Code(e.err) == "" && e.code == exitUsage {
		a.errf("%s --help says how it is used", cmd.CommandPath())
	}
}

// mends are the ways out of errors that a user can mend.
var mends = map[string]string{
	"journal.run_not_found":       "swarm runs lists the runs of a data directory; --data DIR names another one",
	"journal.run_held":            "wait for the other process, end it, or take the run over with: swarm resume RUN --take-over",
	"journal.version_unsupported": "use the newer version of swarm that has written this data directory, or another one with --data DIR",
	"journal.damaged":             "swarm events RUN shows what can be read",
	"config.variable_missing":     "for a server without keys write auth: none; swarm check TEAM names the place",
	"input.empty":                 "give the text as an argument, by --input FILE or on standard input",
}

func (a *app) errf(format string, args ...any) {
	// Nothing can be said about an error stream that cannot be written.
	_, _ = fmt.Fprintln(a.err, secret.Likely(fmt.Sprintf(format, args...)))
}

func (a *app) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.out, format, args...)
	return err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func tally(fs []config.Fault) (wrong, warnings int) {
	for _, f := range fs {
		if f.Warning {
			warnings++
		} else {
			wrong++
		}
	}
	return wrong, warnings
}

func warned(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + count(n, "warning")
}
