package eval

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// open is an open file description: what one or more descriptors, of one or more shells,
// read from or write to. It ends when the last descriptor is closed. All readers go through
// it, so what it has read ahead is lost to nobody.
type open struct {
	refs     atomic.Int32
	readable bool
	writable bool
	close    func() error // nil: nothing to do

	// One of these is what it stands for.
	pipe   *pipe
	file   view.File
	reader io.Reader
	writer io.Writer

	mu    sync.Mutex
	ahead []byte // read and not yet taken
	space []byte // for ahead; made when it is first needed
}

// openReader gives a description of a reader that is not ours to close.
func openReader(r io.Reader) *open {
	o := &open{reader: r, readable: true}
	o.refs.Store(1)
	return o
}

// openWriter gives a description of a writer that is not ours to close.
func openWriter(w io.Writer) *open {
	o := &open{writer: w, writable: true}
	o.refs.Store(1)
	return o
}

// openFile gives a description of a file.
func openFile(f view.File, readable, writable bool) *open {
	o := &open{file: f, readable: readable, writable: writable, close: f.Close}
	o.refs.Store(1)
	return o
}

// keep gives the description to one more descriptor.
func (o *open) keep() *open {
	if o != nil {
		o.refs.Add(1)
	}
	return o
}

// drop takes it from one.
func (o *open) drop() error {
	if o != nil && o.refs.Add(-1) == 0 && o.close != nil {
		return o.close()
	}
	return nil
}

// read reads what is there, waiting when nothing is.
func (o *open) read(ctx context.Context, b []byte) (int, error) {
	switch {
	case o == nil || !o.readable:
		return 0, syscall.EBADF
	case ctx.Err() != nil:
		return 0, syscall.EINTR
	case o.pipe != nil:
		return o.pipe.read(ctx, b)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.ahead) > 0 {
		n := copy(b, o.ahead)
		o.ahead = o.ahead[n:]
		return n, nil
	}
	return o.fill(b)
}

// fill reads past what was read ahead. The lock is held.
func (o *open) fill(b []byte) (int, error) {
	if o.file != nil {
		return o.file.Read(b)
	}
	return o.reader.Read(b)
}

// readByte reads one byte, and no other is taken from who reads next.
func (o *open) readByte(ctx context.Context) (byte, error) {
	if o == nil || !o.readable || o.pipe != nil {
		var one [1]byte
		for {
			if n, err := o.read(ctx, one[:]); n > 0 || err != nil {
				return one[0], err
			}
		}
	}
	if ctx.Err() != nil {
		return 0, syscall.EINTR
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.ahead) == 0 {
		if o.space == nil {
			o.space = make([]byte, 4096)
		}
		space := o.space
		if o.writable {
			space = space[:1]
		}
		n, err := o.fill(space)
		o.ahead = space[:n]
		if n == 0 && err != nil {
			return 0, err
		}
	}
	c := o.ahead[0]
	o.ahead = o.ahead[1:]
	return c, nil
}

// write writes all of b.
func (o *open) write(ctx context.Context, b []byte) (int, error) {
	switch {
	case o == nil || !o.writable:
		return 0, syscall.EBADF
	case ctx.Err() != nil:
		return 0, syscall.EINTR
	case o.pipe != nil:
		return o.pipe.write(ctx, b)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file != nil {
		return o.file.Write(b)
	}
	return o.writer.Write(b)
}

// ready says whether a read would not wait, as far as that is known.
func (o *open) ready() bool { return o.pipe == nil || o.pipe.ready() }
