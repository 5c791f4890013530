package worker

import (
	"context"
	"io"
	"os"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// evaluate evaluates the call and says the last frame.
func evaluate(conn io.Writer, frames *wire.Reader, e shell.Evaluator, commands *command.Registry, call wire.Call) {
	soften(call.Limits)
	out := &output{to: conn, most: call.Limits.OrDefault().Files}
	in := newInput(call.Stdin, out)
	eval := &shell.Evaluation{
		Evaluator: e, Commands: commands, Call: call,
		In: in, Out: stream{out, wire.Out}, Err: stream{out, wire.Err}, Announce: out.announce,
	}
	if call.Prompt {
		eval.Prompt = out.prompt
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if failed := eval.Begin(ctx); failed != nil {
		out.report(wire.End, *failed)
		return
	}
	go listen(frames, in, eval, out)
	watch := shell.Watch{
		Budget: eval.Budget, Tick: out.flush,
		Near: func() { out.report(wire.State, wire.Report{Near: true}) },
		Fatal: func(h *limits.Hit) {
			eval.Stop()
			out.report(wire.State, wire.Report{Hit: h, Writing: eval.Writing()})
			os.Exit(exitFatal)
		},
	}
	go watch.Run(ctx)
	out.report(wire.End, eval.Run())
}

// rehearse evaluates a command that does nothing in an empty directory, so that a call finds
// everything made and loaded that it needs.
func rehearse(e shell.Evaluator, commands *command.Registry, empty []byte) {
	call, err := wire.Decode[wire.Call](wire.Encode(wire.Call{
		Command: []byte("echo ready"), Args: [][]byte{{}}, Dir: []byte("/"), Env: [][]byte{[]byte("HOME=/")}, Host: empty, ReadOnly: true,
	}))
	if err != nil {
		return // a call will say so
	}
	eval := &shell.Evaluation{Evaluator: e, Commands: commands, Call: call, In: newInput(false, nil), Out: io.Discard, Err: io.Discard}
	if eval.Begin(context.Background()) == nil {
		r := eval.Run()
		r.Frame(wire.End)
	}
}

// listen takes what the pool says during the call. A pool that is gone ends the process.
func listen(frames *wire.Reader, in *input, eval *shell.Evaluation, out *output) {
	for {
		t, payload, err := frames.Next()
		if err != nil {
			os.Exit(exitDone)
		}
		switch t {
		case wire.Input:
			in.give(payload)
		case wire.Stop:
			go func() {
				eval.Stop()
				in.close()
				out.report(wire.State, wire.Report{Stopped: true, Writing: eval.Writing()})
			}()
		}
	}
}
