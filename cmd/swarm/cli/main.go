package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
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
	parting string // said at the end of a run; may be empty

	tree *liveTree // of the run that is followed; nil: only lines
}

// Main runs the program and gives its exit code.
func Main(args []string, in io.Reader, out, errOut io.Writer, env func(string) (string, bool)) int {
	catchBrokenPipes()
	a := &app{in: in, out: out, err: errOut, env: env}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	cmd, err := root.ExecuteC()
	if err == nil || a.unread(err) {
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
	a.errf("%s: %v", cmd.CommandPath(), untold(e.err))
	if mend := mends[fault.Code(e.err)]; mend != "" {
		if cmd.Name() == "events" && fault.Code(e.err) == "journal.damaged" {
			mend = "what was printed is all that can be read; " + mendUnread
		}
		a.errf("%s", mend)
	}
	if fault.Code(e.err) == "" && e.code == exitUsage {
		a.errf("%s --help says how it is used", cmd.CommandPath())
	}
}

// untold leaves out of errors what was tried: the name of the command says it.
func untold(err error) error {
	switch e := err.(type) {
	case *fault.Error:
		c := *e
		if c.Op = ""; c.Cause != nil {
			c.Cause = untold(c.Cause)
		}
		return &c
	case *exit:
		return untold(e.err)
	case interface{ Unwrap() []error }:
		all := slices.Clone(e.Unwrap())
		for i := range all {
			all[i] = untold(all[i])
		}
		return errors.Join(all...)
	}
	return err
}

// mendUnread is the way out of a journal that cannot be read.
const mendUnread = "put a copy of the data directory in its place, or start the run anew"

// mends are the ways out of errors that a user can mend.
var mends = map[string]string{
	"journal.run_not_found":       "swarm runs lists the runs of a data directory; --data DIR names another one",
	"journal.run_held":            "wait for the other process, end it, or take the run over with: swarm resume RUN --take-over",
	"journal.version_unsupported": "use the newer version of swarm that has written this data directory, or another one with --data DIR",
	"journal.damaged":             "swarm events RUN shows what can be read",
	"config.variable_missing":     "set it in the environment of swarm; in a team file a model may name another variable (api_key: ${NAME}), or none for a server without keys (auth: none)",
	"input.empty":                 "give the text as an argument, by --input FILE or on standard input",
}

// errf says something to the user in a line of standard error.
func (a *app) errf(format string, args ...any) {
	// Nothing can be said about an error stream that cannot be written.
	_, _ = fmt.Fprintln(a.err, shown(secret.Likely(fmt.Sprintf(format, args...))))
}

// printf prints to standard output: on a terminal what is safe there, elsewhere the exact
// bytes.
func (a *app) printf(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if isTerminal(a.out) {
		text = shown(text)
	}
	_, err := io.WriteString(a.out, text)
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
