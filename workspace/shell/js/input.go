package js

import (
	"errors"
	"io"

	"github.com/dop251/goja"
)

// chunk is how much of standard input is read at once.
const chunk = 64 << 10

// input is standard input as the event loop reads it: one read at a time, and only when the
// program wants one. A read that a timer overtakes goes on in a goroutine, which the end of
// the program waits for.
type input struct {
	want    func(data []byte, err error) error // called once with what was read; nil: nobody wants
	arrived chan struct{}                      // of a read in a goroutine; nil: there is none
	data    []byte
	err     error
}

func (in *input) wanted() bool { return in.want != nil }

// read reads, or waits for the read that is under way.
func (in *input) read(r *Runtime) {
	if in.arrived != nil {
		<-in.arrived
		return
	}
	in.data, in.err = readSome(r.o.In)
	in.arrived = make(chan struct{})
	close(in.arrived)
}

// begin starts a read and gives what is closed at its end.
func (in *input) begin(r *Runtime) <-chan struct{} {
	if in.arrived == nil {
		arrived := make(chan struct{})
		in.arrived = arrived
		go func() {
			defer close(arrived)
			in.data, in.err = readSome(r.o.In)
		}()
	}
	return in.arrived
}

// take gives what was read to who wants it.
func (in *input) take(r *Runtime) {
	want := in.want
	if want == nil {
		return
	}
	in.want, in.arrived = nil, nil
	data, err := in.data, in.err
	in.data = nil
	r.turn(func() error { return want(data, err) })
}

func readSome(from io.Reader) ([]byte, error) {
	buf := make([]byte, chunk)
	for {
		n, err := from.Read(buf)
		if n > 0 || err != nil {
			if n > 0 {
				err = nil
			}
			return buf[:n], err
		}
	}
}

// joinReading waits for a read that is under way: the stream is not used after the end.
func (r *Runtime) joinReading() {
	if r.input.arrived != nil {
		<-r.input.arrived
	}
}

// readInput has f called with the next piece of standard input as bytes, with null at its
// end, or with an error as its second argument.
func (r *Runtime) readInput(call goja.FunctionCall) goja.Value {
	f := r.callable(call.Argument(0))
	r.input.want = func(data []byte, err error) error {
		switch {
		case err == nil:
			_, err = f(goja.Undefined(), r.bytes(data))
		case errors.Is(err, io.EOF):
			_, err = f(goja.Undefined(), goja.Null())
		default:
			_, err = f(goja.Undefined(), goja.Null(), r.sysError(err, "read", "", ""))
		}
		return err
	}
	return nil
}

// readAllInput reads what is left of standard input.
func (r *Runtime) readAllInput() ([]byte, error) {
	r.flush()
	var all []byte
	if r.input.arrived != nil {
		<-r.input.arrived
		all = r.input.data
		r.input.arrived, r.input.data = nil, nil
	}
	rest, err := r.readBounded(r.o.In)
	return append(all, rest...), err
}

// flush passes on what was written.
func (r *Runtime) flush() {
	if f, ok := r.o.Out.(interface{ Flush() error }); ok {
		_ = f.Flush()
	}
}
