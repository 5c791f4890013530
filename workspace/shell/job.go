package shell

import (
	"context"
	"io"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Job is one call: a script, what it sees, and where its output goes.
type Job struct {
	Command string   // the script
	Name    string   // $0; "" is "bash"
	Args    []string // $1, $2, ...
	Dir     string   // working directory, absolute in the workspace; "" is "/"
	Env     []string // complete environment, NAME=value; nil: [Environ] of Dir
	// Stdin is standard input; nil is empty. It is read only when the script asks. A read
	// that is waiting when the call ends is left to itself, and what it gives is lost.
	Stdin io.Reader

	Host     string      // directory of the host that is "/": a projection, or what --dir names
	Roots    view.Roots  // what of it is seen and written; zero: everything
	Used     *view.Usage // what counts as used of its quotas; nil: what is found in Host
	ReadOnly bool        // every write fails
	Limits   limits.Limits

	// Out and Err take the output raw, while it comes, from one goroutine at a time. Nil:
	// the stream is kept in the [Outcome]. A Write that does not return holds up the call.
	Out, Err io.Writer

	FromInput bool            // the script is read from Stdin, statement by statement
	Prompt    func(more bool) // with FromInput: called before a statement is read; more: it goes on
}

// Runner runs calls. It is safe for concurrent use.
type Runner interface {
	// Run runs a call and gives its one outcome; it never gives an error apart from it. It
	// ends the call when the context ends. The job is not changed.
	Run(ctx context.Context, j *Job) Outcome
	// Close ends calls and workers and waits for them, or for the context. Calls that come
	// later are unavailable.
	Close(ctx context.Context) error
}

func (j *Job) dir() string {
	if j.Dir == "" {
		return "/"
	}
	return j.Dir
}

func (j *Job) environ() []string {
	if j.Env == nil {
		return Environ(j.dir())
	}
	return j.Env
}

// call gives the job as it is evaluated, with the directory that is its /tmp.
func (j *Job) call(tmp string) wire.Call {
	return wire.Call{
		Command: []byte(j.Command), Name: []byte(j.Name), Args: bytesOf(j.Args), Dir: []byte(j.dir()), Env: bytesOf(j.environ()),
		Host: []byte(j.Host), Tmp: []byte(tmp), Roots: j.Roots, Used: j.Used, ReadOnly: j.ReadOnly,
		Limits: j.Limits.OrDefault(), Stdin: j.Stdin != nil, FromInput: j.FromInput, Prompt: j.Prompt != nil,
	}
}

func bytesOf(texts []string) [][]byte {
	out := make([][]byte, len(texts))
	for i, s := range texts {
		out[i] = []byte(s)
	}
	return out
}
