package shell

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// call is one call in a worker, as the pool sees it.
type call struct {
	p      *Pool
	w      *process
	j      *Job
	limits limits.Limits

	out, err  sink
	produced  int64
	announced announcements
	report    *wire.Report // of End
	state     wire.Report  // the last that was said before it
	states    int
	near      bool // the worker said that much of its memory is in use
	prompts   int64

	asked atomic.Bool  // standard input is being read
	ended atomic.Bool  // standard input has ended
	given atomic.Int64 // bytes of standard input

	mu   sync.Mutex
	why  Kind // what stopped the call; "": nothing did
	late func() bool
}

func newCall(p *Pool, w *process, j *Job) *call {
	l := j.Limits.OrDefault()
	l.Clock, l.Memory, l.File = min(l.Clock, p.o.Limits.Clock), min(l.Memory, p.o.Limits.Memory), min(l.File, p.o.Limits.File)
	return &call{
		p: p, w: w, j: j, limits: l,
		out: newSink(j.Out, l), err: newSink(j.Err, l), announced: announcements{most: l.Files},
	}
}

// run runs the call and settles it.
//
// After the worker's last frame it does not wait for the process to be gone: the worker
// has sealed its view before that frame, so no change of a file is under way or begins, and
// it is killed here and now. On every other way it waits: a change may be under way.
func (c *call) run(ctx context.Context) Outcome {
	message := c.j.call(c.w.tmp)
	message.Limits = c.limits
	frames, err := split(message)
	if err != nil {
		c.p.mu.Lock()
		c.p.discard(c.w)
		c.p.mu.Unlock()
		return Outcome{Kind: Unavailable, Reason: err.Error()}
	}
	clock := c.p.o.Clock
	began := clock.Now()
	over := clock.AfterFunc(c.limits.Clock, func() { c.stop(TimedOut) })
	cancelled := context.AfterFunc(ctx, func() { c.stop(Cancelled) })
	closing := context.AfterFunc(c.p.closing, func() { c.stop(Cancelled) })
	c.w.send(frames)
	broken := c.read()
	over()
	cancelled()
	closing()
	why := c.done()
	c.w.kill()
	if c.report != nil {
		c.p.all.Go(c.w.reap)
	} else {
		c.w.reap()
	}
	if c.report == nil && c.state.Hit == nil && why == "" && c.w.crashed() && (c.near || c.w.grew(c.limits.Memory)) {
		// Memory grew from one look of the watch to the next beyond what the system gives. The
		// watch does not look while a collection waits for one large copy.
		c.state.Hit = memoryHit(c.limits.Memory)
	}
	if c.report == nil && c.state.Hit != nil && c.err.to != nil {
		fmt.Fprintf(c.err.to, "bash: %s\n", c.state.Hit.Error()) // the worker could not say it any more
	}
	o := Outcome{Stdout: c.out.capture(), Stderr: c.err.capture(), Announced: c.announced.list(), Duration: clock.Now().Sub(began)}
	switch {
	case c.report != nil:
		o.settle(*c.report, why, c.j, c.limits)
	case broken != nil:
		o.lost("The worker that ran the command said what no worker says (" + broken.Error() + ") and was ended.")
	case c.state.Hit != nil || why != "":
		c.state.Stopped = true
		o.settle(c.state, why, c.j, c.limits)
	default:
		o.lost("The worker that ran the command was lost (" + c.w.ending() + ").")
	}
	return o
}

func (o *Outcome) lost(what string) {
	o.Kind, o.Reason = Failed, what+" The next command gets a new one."+incomplete
}

// split gives a call as frames.
func split(message wire.Call) ([]byte, error) {
	data := wire.Encode(message)
	if len(data) > wire.MaxCall {
		return nil, fmt.Errorf("the command, its arguments and its environment take %s bytes, the most is %s; nothing was run", grouped(int64(len(data))), grouped(wire.MaxCall))
	}
	frames := make([]byte, 0, len(data)+64)
	for len(data) > wire.MaxPayload {
		frames = wire.Append(frames, wire.Part, data[:wire.MaxPayload])
		data = data[wire.MaxPayload:]
	}
	return wire.Append(frames, wire.Run, data), nil
}

// stop tells the worker to end the call, and kills it when it does not. The first reason
// counts.
func (c *call) stop(why Kind) {
	c.mu.Lock()
	if c.why != "" {
		c.mu.Unlock()
		return
	}
	c.why = why
	c.late = c.p.o.Clock.AfterFunc(Grace, c.w.kill)
	c.mu.Unlock()
	c.w.send(wire.Append(nil, wire.Stop, nil))
}

// done ends the waiting for a worker that was stopped, and gives why it was.
func (c *call) done() Kind {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.late != nil {
		c.late()
	}
	return c.why
}

// read takes what the worker says until its last frame or the end of the socket. The error
// is for a worker that breaks the rules.
func (c *call) read() error {
	for {
		t, payload, err := c.w.frames.Next()
		if _, long := errors.AsType[*wire.Oversized](err); long {
			return err
		}
		if err != nil {
			return nil // it is lost, or was killed
		}
		if err := c.take(t, payload); err != nil {
			return err
		}
		if c.report != nil {
			return nil
		}
	}
}

// Bounds of what a worker may say.
const (
	maxStates = 8
	maxPath   = 1024 // bytes of an announced path (workspace spec §2)
)

func (c *call) take(t wire.Type, payload []byte) error {
	switch t {
	case wire.Out:
		return c.output(&c.out, payload)
	case wire.Err:
		return c.output(&c.err, payload)
	case wire.Announce:
		return c.announce(string(payload))
	case wire.Want:
		return c.want(payload)
	case wire.Prompt:
		// Each statement takes a byte of input at least.
		if c.prompts++; c.j.Prompt == nil || len(payload) != 1 || c.prompts > c.given.Load()+2 {
			return errors.New("a prompt that nobody asked for")
		}
		c.j.Prompt(payload[0] == 1)
	case wire.State, wire.End:
		return c.reported(t, payload)
	default:
		return fmt.Errorf("a frame %q during a call", byte(t))
	}
	return nil
}

// output passes bytes of a stream on. Its end by a limit is the worker's; more than a frame
// over the limit, and what says nothing, is forged.
func (c *call) output(s *sink, p []byte) error {
	c.produced += int64(len(p))
	if len(p) == 0 || c.produced > c.limits.Produced+wire.MaxPayload {
		return fmt.Errorf("%s bytes of output", grouped(c.produced))
	}
	if s.to == nil {
		return nil
	}
	if _, err := s.to.Write(p); err != nil {
		s.to = nil
		c.stop(Failed)
	}
	return nil
}

func (c *call) announce(path string) error {
	if len(path) > maxPath || !fs.ValidPath(path) {
		return errors.New("an announced path that cannot be")
	}
	if len(c.announced.paths) > c.limits.Files {
		return errors.New("more announced paths than files can be")
	}
	c.announced.add(path)
	return nil
}

// want reads standard input for the worker, once at a time.
func (c *call) want(payload []byte) error {
	if len(payload) != 4 || c.j.Stdin == nil || c.ended.Load() || !c.asked.CompareAndSwap(false, true) {
		return errors.New("standard input was asked for out of turn")
	}
	n := binary.BigEndian.Uint32(payload)
	if n == 0 || n > wire.MaxPayload {
		return fmt.Errorf("%d bytes of standard input were asked for", n)
	}
	go func() {
		buf := make([]byte, n)
		got, err := c.j.Stdin.Read(buf)
		for got == 0 && err == nil {
			got, err = c.j.Stdin.Read(buf)
		}
		if got == 0 {
			c.ended.Store(true)
		}
		c.given.Add(int64(got))
		c.asked.Store(false)
		c.w.send(wire.Append(nil, wire.Input, buf[:got]))
	}()
	return nil
}

func (c *call) reported(t wire.Type, payload []byte) error {
	r, err := wire.Decode[wire.Report](payload)
	if err != nil {
		return err
	}
	if c.states++; r.Code < 0 || r.Code > 255 || c.states > maxStates {
		return errors.New("a report that cannot be")
	}
	switch {
	case t == wire.End:
		c.report = &r
	case r.Near:
		c.near = true
	default:
		c.state = r
	}
	return nil
}
