package worker

import (
	"bytes"
	"io"
	"os"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
)

// input is standard input: it asks the pool for as much as is read, when it is read, so
// that nothing is taken from a terminal or a pipe that the script does not want. It is safe
// for concurrent use; readers take turns.
type input struct {
	out    *output
	turn   chan struct{} // held by who reads
	came   chan []byte   // an answer of the pool
	closed chan struct{}
	close  func()

	// Of who reads.
	rest  []byte
	asked bool
	ended bool
}

func newInput(exists bool, out *output) *input {
	in := &input{out: out, turn: make(chan struct{}, 1), came: make(chan []byte, 1), closed: make(chan struct{}), ended: !exists}
	in.close = sync.OnceFunc(func() { close(in.closed) })
	return in
}

// Read implements [io.Reader].
func (in *input) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	select {
	case in.turn <- struct{}{}:
		defer func() { <-in.turn }()
	case <-in.closed:
		return 0, os.ErrClosed
	}
	if len(in.rest) == 0 && !in.ended {
		if err := in.ask(min(len(p), wire.MaxPayload)); err != nil {
			return 0, err
		}
	}
	if len(in.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

// ask gets the next bytes. A question that a reader has left open is not asked again.
func (in *input) ask(n int) error {
	if !in.asked {
		in.asked = true
		in.out.want(n)
	}
	select {
	case in.rest = <-in.came:
		in.asked = false
		in.ended = len(in.rest) == 0
		return nil
	case <-in.closed:
		return os.ErrClosed
	}
}

// give takes an answer of the pool, of which there is one to each question.
func (in *input) give(p []byte) { in.came <- bytes.Clone(p) }
