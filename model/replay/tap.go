package replay

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// tap reads along with whoever reads a body, and records the interaction at its end.
type tap struct {
	io.ReadCloser
	t     *recording
	ctx   context.Context // of the request
	begin time.Time

	mu    sync.Mutex
	x     *interaction // nil when it has been recorded
	body  []byte
	reads []mark
}

// mark says when a body had come up to a byte.
type mark struct {
	end  int
	atMS int64
}

// Read implements [io.Reader].
func (b *tap) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.x == nil {
		return n, err
	}
	room := b.t.r.o.MaxBody - len(b.body)
	if n > 0 && room > 0 {
		b.body = append(b.body, p[:min(n, room)]...)
		b.reads = append(b.reads, mark{len(b.body), b.now()})
	}
	switch {
	case err == io.EOF && n <= room:
		b.end(nil)
	case n > room:
		b.end(&failure{kindBounded, fmt.Sprintf("the response is recorded up to %d bytes only", b.t.r.o.MaxBody), b.now()})
	case err != nil:
		b.end(newFailure(b.ctx, err, b.now()))
	}
	return n, err
}

// Close implements [io.Closer]. A body that is closed before its end was read as far as it
// was needed, unless the request's time was over.
func (b *tap) Close() error {
	b.mu.Lock()
	var failed *failure
	if b.ctx.Err() != nil {
		failed = newFailure(b.ctx, b.ctx.Err(), b.now())
	}
	b.end(failed)
	b.mu.Unlock()
	return b.ReadCloser.Close()
}

func (b *tap) now() int64 { return b.t.r.o.Clock.Now().Sub(b.begin).Milliseconds() }

// end records the interaction, once.
func (b *tap) end(failed *failure) {
	if b.x == nil {
		return
	}
	x := b.x
	b.x = nil
	x.Failed = failed
	x.Response.EndMS = b.now()
	x.Response.Body = chunks(b.body, b.reads)
	b.body, b.reads = nil, nil
	b.t.r.record(x, nil)
}
