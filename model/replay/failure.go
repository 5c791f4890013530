package replay

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// Kinds of failures that are no errors of the network.
const (
	kindTimeout   = "timeout"   // a time limit of the attempt was over
	kindCancelled = "cancelled" // whoever asked gave up
	kindUnknown   = "unknown"   // nobody knows the address of the server
	kindBounded   = "bounded"   // the body is longer than what is recorded
	kindOther     = "other"
)

// causes are the errors that providers or people tell apart, by kind.
var causes = []struct {
	kind string
	err  error
}{
	{"refused", syscall.ECONNREFUSED},
	{"reset", syscall.ECONNRESET},
	{"cut", io.ErrUnexpectedEOF},
	{"eof", io.EOF},
}

// newFailure tells why a request failed: by the end of its context, else by its error.
func newFailure(ctx context.Context, err error, at int64) *failure {
	if cause := context.Cause(ctx); cause != nil {
		if errors.Is(cause, context.DeadlineExceeded) {
			return &failure{kindTimeout, cause.Error(), at}
		}
		return &failure{kindCancelled, "", at}
	}
	if name := new(net.DNSError); errors.As(err, &name) {
		return &failure{kindUnknown, err.Error(), at}
	}
	for _, c := range causes {
		if errors.Is(err, c.err) {
			return &failure{c.kind, err.Error(), at}
		}
	}
	return &failure{kindOther, err.Error(), at}
}

func (f *failure) known() bool {
	switch f.Kind {
	case kindTimeout, kindCancelled, kindUnknown, kindBounded, kindOther:
		return true
	}
	for _, c := range causes {
		if c.kind == f.Kind {
			return true
		}
	}
	return false
}

// played gives the error that a player fails with. It is not called for kindCancelled:
// nobody knows how that would have gone on.
func (f *failure) played() error {
	switch f.Kind {
	case kindTimeout:
		return &model.Error{Class: model.ClassTransient, Code: "model.timeout", Detail: f.Text}
	case kindUnknown:
		return &playedError{f.Text, &net.DNSError{Err: f.Text}}
	case kindBounded:
		return &model.Error{Class: model.ClassPermanent, Code: "replay.too_large", Detail: f.Text}
	}
	for _, c := range causes {
		if c.kind == f.Kind {
			if f.Text == c.err.Error() {
				return c.err
			}
			return &playedError{f.Text, c.err}
		}
	}
	return &playedError{f.Text, nil}
}

// playedError is an error of the network that was recorded.
type playedError struct {
	text string
	is   error // may be nil
}

// Error implements error.
func (e *playedError) Error() string { return e.text }

// Unwrap gives the error that it was.
func (e *playedError) Unwrap() error { return e.is }
