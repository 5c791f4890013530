package replay

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"
)

// play gives the response of an interaction, or its error.
func (p *Player) play(req *http.Request, x *interaction, run string, begin time.Time) (*http.Response, error) {
	ctx := req.Context()
	b := &playedBody{p: p, ctx: ctx, begin: begin, failed: x.Failed, closed: make(chan struct{})}
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{}) // there is no connection to wait for
	}
	r := x.Response
	if r == nil {
		return nil, b.fail()
	}
	if err := b.wait(r.AtMS); err != nil {
		return nil, err
	}
	if len(x.Run) >= minRun && len(run) >= minRun { // the model may have spoken of its run
		for i := range r.Body {
			c := &r.Body[i]
			*c = newChunk(c.AtMS, strings.ReplaceAll(c.text(), x.Run, run))
		}
	}
	b.chunks, b.endMS = r.Body, r.EndMS
	header := http.Header{}
	for name, values := range r.Headers { // a set, so order does not matter
		for _, v := range values {
			header.Add(name, v)
		}
	}
	return &http.Response{Status: fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)), StatusCode: r.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: b, ContentLength: -1, Request: req}, nil
}

// playedBody gives the parts of a body one by one, and then its end.
type playedBody struct {
	p      *Player
	ctx    context.Context // of the request
	begin  time.Time
	endMS  int64
	failed *failure // nil: it ends well

	chunks []chunk // still to come
	rest   []byte  // of the part that is being read

	once   sync.Once
	closed chan struct{}
}

// Read implements [io.Reader].
func (b *playedBody) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// next takes the next part that is not empty, when its time has come.
func (b *playedBody) next() error {
	for len(b.chunks) > 0 {
		c := &b.chunks[0]
		if err := b.wait(c.AtMS); err != nil {
			return err
		}
		b.rest, b.chunks = []byte(c.text()), b.chunks[1:]
		if len(b.rest) > 0 {
			return nil
		}
	}
	if b.failed != nil {
		return b.fail()
	}
	if err := b.wait(b.endMS); err != nil {
		return err
	}
	return io.EOF
}

// fail fails as it was recorded. How a request that was cancelled would have gone on, is
// not known: it waits to be cancelled again.
func (b *playedBody) fail() error {
	if b.failed.Kind == kindCancelled {
		select {
		case <-b.ctx.Done():
			return b.ctx.Err()
		case <-b.closed:
			return http.ErrBodyReadAfterClose
		}
	}
	if err := b.wait(b.failed.AtMS); err != nil {
		return err
	}
	return b.failed.played()
}

// wait waits until so much time has passed since the request, unless answers come at once.
func (b *playedBody) wait(ms int64) error {
	select {
	case <-b.closed:
		return http.ErrBodyReadAfterClose
	default:
	}
	clock := b.p.o.Clock
	d := time.Duration(ms)*time.Millisecond - clock.Now().Sub(b.begin)
	if b.ctx.Err() != nil || b.p.o.Speed != SpeedRecorded || d <= 0 {
		return b.ctx.Err()
	}
	come := make(chan struct{})
	stop := clock.AfterFunc(d, func() { close(come) })
	defer stop()
	select {
	case <-come:
		return nil
	case <-b.ctx.Done():
		return b.ctx.Err()
	case <-b.closed:
		return http.ErrBodyReadAfterClose
	}
}

// Close implements [io.Closer].
func (b *playedBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}
