package shell

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
)

// helloTime bounds the start of a worker.
const helloTime = 20 * time.Second

// spawner starts workers. A worker dies with the thread that started it, so all are started
// by one thread that lives until the spawner is closed.
type spawner struct {
	greeting wire.Greeting
	dir      string // for /tmp of calls; "": own

	mu      sync.Mutex
	own     string      // a directory that close removes
	begin   chan func() // to the thread; nil before the first start
	stopped chan struct{}
}

func (s *spawner) init(dir string, g wire.Greeting) { s.dir, s.greeting = dir, g }

// start starts a worker and waits for its hello, or for the end of the context.
func (s *spawner) start(ctx context.Context) (*process, error) {
	w, err := s.spawn()
	if err != nil {
		return nil, err
	}
	// The deadline that ends the wait is never taken back by kill, which sets a new one.
	_ = w.conn.SetDeadline(time.Now().Add(helloTime))
	stop := context.AfterFunc(ctx, w.kill)
	err = s.greet(w)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		w.kill()
		w.reap()
		return nil, fault.Wrap(err, "workspace.shell_unavailable", "the worker gave no hello and ended with %s", w.ending())
	}
	_ = w.conn.SetDeadline(time.Time{})
	return w, nil
}

// greet exchanges greetings.
func (s *spawner) greet(w *process) error {
	setup := s.greeting
	setup.Empty = []byte(w.tmp)
	w.send(wire.Append(nil, wire.Setup, wire.Encode(setup)))
	t, payload, err := w.frames.Next()
	if err != nil {
		return err
	}
	if t != wire.Hello {
		return fmt.Errorf("a frame %q instead of hello", t)
	}
	hello, err := wire.Decode[wire.Greeting](payload)
	if err != nil {
		return err
	}
	if hello.Protocol != s.greeting.Protocol || hello.Build != s.greeting.Build {
		return fmt.Errorf("the worker is of another build of the program")
	}
	return nil
}

// spawn starts the process.
func (s *spawner) spawn() (*process, error) {
	tmp, begin, err := s.ready()
	if err != nil {
		return nil, err
	}
	mine, theirs, err := socketPair()
	if err != nil {
		removeTree(tmp)
		return nil, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err == nil {
		defer null.Close()
		done := make(chan struct{})
		var p *os.Process
		begin <- func() {
			defer close(done)
			p, err = os.StartProcess(executable(), []string{wire.Arg0}, &os.ProcAttr{
				Dir: "/", Env: []string{}, Files: []*os.File{null, null, null, theirs}, Sys: attributes(),
			})
		}
		<-done
		if err == nil {
			return &process{os: p, conn: mine, frames: wire.NewReader(mine), tmp: tmp, gone: make(chan struct{})}, nil
		}
	}
	_ = mine.Close()
	removeTree(tmp)
	return nil, err
}

// ready makes the /tmp of a call and the thread.
func (s *spawner) ready() (tmp string, begin chan func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := s.dir
	if dir == "" {
		if s.own == "" {
			if s.own, err = os.MkdirTemp("", "swarm-shell-"); err != nil {
				return "", nil, err
			}
		}
		dir = s.own
	}
	if tmp, err = os.MkdirTemp(dir, "call-"); err != nil {
		return "", nil, err
	}
	if s.begin == nil {
		s.begin, s.stopped = make(chan func()), make(chan struct{})
		go thread(s.begin, s.stopped)
	}
	return tmp, s.begin, nil
}

// close ends the thread. No start is under way or comes later.
func (s *spawner) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begin != nil {
		close(s.begin)
		<-s.stopped
		s.begin = nil
	}
	if s.own != "" {
		removeTree(s.own)
		s.own = ""
	}
}
