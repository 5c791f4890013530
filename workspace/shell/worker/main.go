package worker

import (
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// Exit codes of a worker. Nobody but a reader of logs sees them.
const (
	exitDone    = 0 // the call is over, or the pool is gone
	exitRefused = 3 // no valid greeting
	exitBounds  = 4 // the worker cannot bound itself
	exitFatal   = 5 // the call did not end itself at a limit
)

// installed says that the program calls Main: started again, it would be a worker.
var installed atomic.Bool

// Installed says whether this program can be started again as a worker: Main was called.
func Installed() bool { return installed.Load() }

// Main returns at once in a normal process and never in a worker. It is the first statement
// of main, and of TestMain. A process is a worker when it is called as one and has a socket
// where a worker has it; one that gets no valid greeting there ends.
//
// Build makes what evaluates. It is called once, before the worker says that it is ready.
func Main(build func() (shell.Evaluator, *command.Registry)) {
	installed.Store(true)
	if len(os.Args) != 1 || os.Args[0] != wire.Arg0 || !isSocket(wire.FD) {
		return
	}
	os.Exit(serve(os.NewFile(wire.FD, "pool"), build))
}

// cores are how many processors a worker uses (shell spec §3.3).
const cores = 2

func serve(conn io.ReadWriter, build func() (shell.Evaluator, *command.Registry)) int {
	frames := wire.NewReader(conn)
	t, payload, err := frames.Next()
	if err != nil || t != wire.Setup {
		return exitRefused
	}
	setup, err := wire.Decode[wire.Greeting](payload)
	if err != nil || setup.Protocol != wire.Protocol {
		return exitRefused
	}
	if err := bound(setup.Limits); err != nil {
		return exitBounds
	}
	time.Local = time.UTC
	runtime.GOMAXPROCS(min(cores, runtime.GOMAXPROCS(0)))
	soften(setup.Limits.OrDefault())
	evaluator, commands := build()
	rehearse(evaluator, commands, setup.Empty)
	hello := wire.Greeting{Protocol: wire.Protocol, Build: wire.Build()}
	if _, err := conn.Write(wire.Append(nil, wire.Hello, wire.Encode(hello))); err != nil {
		return exitDone
	}
	call, ok := receive(frames)
	if !ok {
		return exitDone
	}
	evaluate(conn, frames, evaluator, commands, call)
	return exitDone
}

// soften sets what the Go runtime bounds by itself, for the memory of a call: collection
// works harder near the limit, and one stack has a part of it.
func soften(l limits.Limits) {
	debug.SetMemoryLimit(l.Memory / 4 * 3)
	debug.SetMaxStack(int(l.Memory / 4))
}

// receive blocks until there is a call. It is not ok when the pool is gone or wants none.
func receive(frames *wire.Reader) (call wire.Call, ok bool) {
	var message []byte
	for {
		t, payload, err := frames.Next()
		if err != nil || t != wire.Part && t != wire.Run || len(message)+len(payload) > wire.MaxCall {
			return wire.Call{}, false
		}
		message = append(message, payload...)
		if t == wire.Run {
			call, err = wire.Decode[wire.Call](message)
			return call, err == nil
		}
	}
}
