package eval

import (
	"context"
	"io"
	"sync"
	"syscall"
)

// pipeSize bounds the bytes that stand in a pipe, as Linux does.
const pipeSize = 64 << 10

// hasty is how many bytes the first writes into a pipe may have and succeed though nobody
// reads.
const hasty = 4 << 10

// pipe is a pipe in memory. Its two ends are open file descriptions; an end is gone when
// its last descriptor was closed.
type pipe struct {
	mu      sync.Mutex
	buf     []byte
	off     int           // of the first byte in buf that was not read
	changed chan struct{} // closed when the state changes; nil while nobody waits
	written int           // bytes in all, while that matters
	noRead  bool          // the reading end is gone
	noWrite bool          // the writing end is gone
}

// newPipe makes a pipe and gives its ends.
func newPipe() (r, w *open) {
	p := &pipe{}
	r = &open{pipe: p, readable: true, close: func() error { p.gone(&p.noRead); return nil }}
	w = &open{pipe: p, writable: true, close: func() error { p.gone(&p.noWrite); return nil }}
	r.refs.Store(1)
	w.refs.Store(1)
	return r, w
}

func (p *pipe) gone(end *bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*end = true
	p.notify()
}

// notify wakes whoever waits. The lock is held.
func (p *pipe) notify() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// wait waits for a change. The lock is held when it begins and when it ends.
func (p *pipe) wait(ctx context.Context) error {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	changed := p.changed
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return syscall.EINTR
	}
}

// read gives what stands in the pipe, or waits for it.
func (p *pipe) read(ctx context.Context, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if p.off < len(p.buf) {
			n := copy(b, p.buf[p.off:])
			p.off += n
			if p.off == len(p.buf) {
				p.buf, p.off = p.buf[:0], 0
			}
			p.notify()
			return n, nil
		}
		if p.noWrite {
			return 0, io.EOF
		}
		if err := p.wait(ctx); err != nil {
			return 0, err
		}
	}
}

// write waits until all of b stands in the pipe, or was read.
func (p *pipe) write(ctx context.Context, b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written += len(b); p.noRead && p.written <= hasty {
		// Processes take their time to start: what a command says at once is in the pipe
		// before a reader that wants none of it is gone, as in echo x | true.
		return len(b), nil
	}
	for {
		if p.noRead {
			return n, syscall.EPIPE
		}
		if room := pipeSize - (len(p.buf) - p.off); room > 0 && len(b) > 0 {
			some := b[:min(room, len(b))]
			if p.off > 0 && len(p.buf)+len(some) > cap(p.buf) {
				p.buf, p.off = p.buf[:copy(p.buf, p.buf[p.off:])], 0
			}
			p.buf = append(p.buf, some...)
			b, n = b[len(some):], n+len(some)
			p.notify()
		}
		if len(b) == 0 {
			return n, nil
		}
		if err := p.wait(ctx); err != nil {
			return n, err
		}
	}
}

// ready says whether a read would not wait.
func (p *pipe) ready() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.off < len(p.buf) || p.noWrite
}
