package worker

import (
	"encoding/binary"
	"io"
	"os"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
)

// enough is how much output waits at most before it is sent. Else it waits for the next
// tick of the watch, or for a frame that something depends on.
const enough = 32 << 10

// output sends frames to the pool. Bytes of the streams are gathered, and keep their order
// among each other and with everything else. A pool that does not read holds up whoever
// writes. It is safe for concurrent use.
type output struct {
	to   io.Writer
	most int // announcements; then one more stands for everything

	mu        sync.Mutex
	buf       []byte
	open      wire.Type // of the last frame in buf, when it can grow
	start     int       // where that begins
	announced int
	over      bool // the last frame was sent
}

// stream is one stream of the call.
type stream struct {
	out *output
	t   wire.Type
}

// Write implements [io.Writer].
func (s stream) Write(p []byte) (int, error) {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	if s.out.over {
		return 0, os.ErrClosed
	}
	for rest := p; len(rest) > 0; {
		n := s.out.grow(s.t, rest)
		rest = rest[n:]
		if len(s.out.buf) >= enough {
			s.out.send()
		}
	}
	return len(p), nil
}

// grow adds bytes to the open frame, or begins one, and gives how many it took.
func (o *output) grow(t wire.Type, p []byte) int {
	if o.open == t && wire.Room(o.buf, o.start) > 0 {
		n := min(len(p), wire.Room(o.buf, o.start))
		o.buf = wire.Grow(o.buf, o.start, p[:n])
		return n
	}
	n := min(len(p), wire.MaxPayload)
	o.start, o.open = len(o.buf), t
	o.buf = wire.Append(o.buf, t, p[:n])
	return n
}

// add adds a frame that does not grow.
func (o *output) add(t wire.Type, payload []byte) {
	o.open = 0
	o.buf = wire.Append(o.buf, t, payload)
}

// send passes on what was gathered. A pool that is gone needs none of it.
func (o *output) send() {
	if len(o.buf) > 0 {
		if _, err := o.to.Write(o.buf); err != nil {
			os.Exit(exitDone)
		}
		o.buf = o.buf[:0]
	}
	o.open = 0
}

func (o *output) flush() {
	// Who holds the lock sends, or will be flushed by the next tick.
	if o.mu.TryLock() {
		defer o.mu.Unlock()
		o.send()
	}
}

// now adds a frame and sends it before it returns.
func (o *output) now(t wire.Type, payload []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.over {
		o.add(t, payload)
		o.send()
	}
}

// announce says that a path is about to change. The pool has it before the change begins:
// what stands in the socket outlives the worker.
func (o *output) announce(path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch o.announced++; {
	case o.over || o.announced > o.most+1:
		return
	case o.announced == o.most+1:
		path = "."
	}
	o.add(wire.Announce, []byte(path))
	o.send()
}

func (o *output) prompt(more bool) {
	flag := []byte{0}
	if more {
		flag[0] = 1
	}
	o.now(wire.Prompt, flag)
}

func (o *output) want(n int) { o.now(wire.Want, binary.BigEndian.AppendUint32(nil, uint32(n))) }

// report says how the call stands or, as the last frame of all, how it ended.
func (o *output) report(t wire.Type, r wire.Report) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return
	}
	o.over = t == wire.End
	o.open = 0
	o.buf = append(o.buf, r.Frame(t)...)
	o.send()
}
