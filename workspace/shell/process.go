package shell

import (
	"os"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
)

// process is one worker as the pool holds it.
type process struct {
	os     *os.Process
	conn   *os.File // the pool's end of the socket
	frames *wire.Reader
	tmp    string // directory of the host that is /tmp of its call

	mu     sync.Mutex
	reaped bool             // its number may belong to somebody else
	state  *os.ProcessState // set by reap
	gone   chan struct{}    // closed when the process is gone and its /tmp is removed
}

// drain bounds the reading of what a killed worker has left in its socket, should somebody
// else still hold the other end.
const drain = 2 * time.Second

// send writes frames to the worker. A worker that is gone takes them silently: whoever
// reads from it finds out.
func (w *process) send(frames []byte) { _, _ = w.conn.Write(frames) }

// kill kills the worker with its group.
func (w *process) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reaped {
		return
	}
	killGroup(w.os)
	_ = w.conn.SetDeadline(time.Now().Add(drain))
}

// reap waits until a worker that was killed is gone, and cleans up after it. It is called
// once.
func (w *process) reap() {
	defer close(w.gone)
	awaitExit(w.os)
	w.kill() // what it may have started; its number is still its own
	w.mu.Lock()
	w.reaped = true
	w.state, _ = w.os.Wait()
	w.mu.Unlock()
	_ = w.conn.Close()
	removeTree(w.tmp)
}

// ending says how the process ended. It is called after reap.
func (w *process) ending() string {
	if w.state == nil {
		return "it is gone"
	}
	text := w.state.String()
	if w.crashed() {
		text += ", as when memory or the depth of calls runs out"
	}
	return text
}

// crashed says whether the Go runtime ended the process. It is called after reap.
func (w *process) crashed() bool { return w.state != nil && w.state.ExitCode() == crash }

// grew says whether the process had most of an amount of memory, in bytes, as far as that can
// be told. It is called after reap.
func (w *process) grew(limit int64) bool {
	return w.state != nil && peak(w.state) > max(limit/3*2, ownPeak())
}

// crash is the exit code of a Go program that the runtime ends.
const crash = 2
