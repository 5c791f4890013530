package shell

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// Kind is how a call ended.
type Kind string

// Kinds. They are also the outcomes of the metrics.
const (
	Exited       Kind = "exited"        // the script ended with an exit code
	TimedOut     Kind = "timeout"       // its wall clock was over
	Cancelled    Kind = "cancelled"     // its context ended
	Failed       Kind = "failed"        // a limit, a fault of the evaluator, or a worker that was lost
	Unavailable  Kind = "unavailable"   // no worker could be started; nothing ran
	NoDirectory  Kind = "no_directory"  // the working directory does not exist; nothing ran
	NotDirectory Kind = "not_directory" // the working directory is none; nothing ran
)

// Outcome is how a call ended and what it left.
type Outcome struct {
	Kind   Kind
	Code   int         // exit code, 0 to 255; of [Exited] alone
	Reason string      // of every other kind: what happened and what to do, a sentence or two
	Limit  *limits.Hit // the limit that ended the call, or nil
	Fault  string      // of a failed shell: the error with its stack, for a log and never for a model

	Stdout, Stderr Capture // of the streams that the job did not send elsewhere

	// Announced are the paths that the call may have changed, relative to the workspace
	// root, sorted. "." stands for everything: more changed than can be told apart. They are
	// what the call said of itself: nothing but a look at the files tells what is true.
	Announced []string
	// OpenForWriting are the files that were open for writing when the call was stopped.
	// They may be shorter than the script meant.
	OpenForWriting []string
	Duration       time.Duration // without the wait for a worker
}

// ErrorCode gives the code of the call's result, "" when it is no error (shell spec §1).
func (o Outcome) ErrorCode() string {
	switch o.Kind {
	case Exited:
		if o.Code == 0 {
			return ""
		}
		return "workspace.shell_exit"
	case TimedOut:
		return "workspace.shell_timeout"
	case Cancelled:
		return "workspace.shell_cancelled"
	case Unavailable:
		return "workspace.shell_unavailable"
	case NoDirectory:
		return "workspace.path_not_found"
	case NotDirectory:
		return "workspace.path_not_directory"
	}
	return "workspace.shell_failed"
}

// Status gives the exit code for a command line: that of the script, 124 for a time-out,
// 130 for a cancel, 125 for everything else.
func (o Outcome) Status() int {
	switch o.Kind {
	case Exited:
		return o.Code
	case TimedOut:
		return 124
	case Cancelled:
		return 130
	}
	return 125
}
