package shell

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// incomplete is said when nobody knows what a call was writing.
const incomplete = " What it wrote until then stays; a file that it was writing may be incomplete."

// settle makes the outcome of a report. Why is what stopped the call, "" for nothing.
func (o *Outcome) settle(r wire.Report, why Kind, j *Job, l limits.Limits) {
	o.OpenForWriting = r.Writing
	switch {
	case r.Dir != "":
		o.Kind = NoDirectory
		if r.NoDir {
			o.Kind = NotDirectory
		}
		o.Reason = fmt.Sprintf("The working directory %s: %s. Nothing was run.", j.dir(), r.Dir)
	case r.Hit != nil:
		o.Kind, o.Limit = Failed, r.Hit
		o.Reason = sentence(r.Hit.Error()) + " What was written until then stays."
	case r.Stopped && why != "":
		o.stopped(why, l.Clock)
	case r.Stopped:
		o.Kind, o.Reason = Failed, "The command was ended before it was over, and nobody asked for it."+incomplete
	case r.Fault != "":
		first, _, _ := strings.Cut(r.Fault, "\n")
		o.Kind, o.Fault = Failed, r.Fault
		o.Reason = "The shell itself failed, which is no fault of the script: " + first + ". Try to reach the same in another way." + incomplete
	default:
		o.Kind, o.Code = Exited, r.Code
	}
}

func (o *Outcome) stopped(why Kind, clock time.Duration) {
	o.Kind = why
	switch why {
	case TimedOut:
		o.Reason = fmt.Sprintf("The command was stopped after %v, the longest that one call may take. What was written until then stays. Do less in one call, or let it do the work faster.", clock)
	case Cancelled:
		o.Reason = "The command was cancelled. What was written until then stays."
	case Failed:
		o.Reason = "The command was stopped because its output could not be passed on."
	}
}

func sentence(s string) string {
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// sink takes one stream of a call.
type sink struct {
	to   io.Writer
	kept *capturer // nil: the job takes the stream
}

func newSink(to io.Writer, l limits.Limits) sink {
	if to != nil {
		return sink{to: to}
	}
	kept := newCapturer(l.Kept)
	return sink{to: kept, kept: kept}
}

func (s sink) capture() Capture {
	if s.kept == nil {
		return Capture{}
	}
	return s.kept.Capture()
}

// announcements are the paths that a call announced. More of them than files may exist
// become one that stands for everything.
type announcements struct {
	most  int
	paths []string
}

// everything is the announced path that all others are below.
const everything = "."

func (a *announcements) add(path string) {
	if len(a.paths) < a.most {
		a.paths = append(a.paths, path)
	} else if len(a.paths) == a.most {
		a.paths = append(a.paths, everything)
	}
}

func (a *announcements) list() []string {
	if slices.Contains(a.paths, everything) {
		return []string{everything}
	}
	slices.Sort(a.paths)
	return slices.Compact(a.paths)
}
