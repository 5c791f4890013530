package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"syscall"

	"mvdan.cc/sh/v3/syntax"
)

// builtin is a command that the shell itself executes, in the shell that calls it. It gives
// the exit status. args[0] is its name.
//
// What a builtin asks of the evaluator beyond that: [Shell.exit], [Shell.leave] for return,
// break and continue, and [Shell.fail] for an error of an expansion, each followed by a
// return of the status.
type builtin func(ctx context.Context, sh *Shell, b *streams, args []string) int

// streams are the standard streams of one builtin.
type streams struct {
	in       *input
	out, err *output
}

// operand is an argument of a declaration such as local: an assignment as it was parsed, or
// a word that is expanded (an option, a name, or a text that may hold an assignment).
type operand struct {
	text   string
	assign *syntax.Assign // nil: text counts
	plain  bool           // text was an assignment when it was parsed
}

// builtins gives the builtins by name, newly made.
func builtins() map[string]builtin {
	all := control()
	maps.Copy(all, ordinary())
	return all
}

// input is a descriptor as one command reads it.
type input struct {
	ctx  context.Context
	open *open
}

// Read implements [io.Reader].
func (i *input) Read(p []byte) (int, error) { return i.open.read(i.ctx, p) }

// Stat gives what the descriptor's file is.
func (i *input) Stat() (fs.FileInfo, error) {
	if i.open == nil || i.open.file == nil {
		return nil, syscall.EBADF
	}
	return i.open.file.Stat()
}

// ReadByte reads one byte; who reads the descriptor next goes on after it.
func (i *input) ReadByte() (byte, error) { return i.open.readByte(i.ctx) }

// within gives the input bound to a narrower context, such as one with a deadline; a read
// that the context ends gives [syscall.EINTR].
func (i *input) within(ctx context.Context) *input { return &input{ctx, i.open} }

// ready says whether a read would give something, or the end, without waiting.
func (i *input) ready() bool { return i.open != nil && i.open.readable && i.open.ready() }

// output is a descriptor as one command writes it. It keeps the first error and drops what
// is written after it. It is safe for use by several goroutines of one command only as far
// as writing goes.
type output struct {
	ctx  context.Context
	open *open
	err  error
}

// Stat gives what the descriptor's file is.
func (o *output) Stat() (fs.FileInfo, error) {
	if o.open == nil || o.open.file == nil {
		return nil, syscall.EBADF
	}
	return o.open.file.Stat()
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.open.write(o.ctx, p)
	if err != nil {
		o.err = err
	}
	return n, err
}

// WriteString implements [io.StringWriter].
func (o *output) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// broken says whether the reader is gone.
func (o *output) broken() bool { return errors.Is(o.err, syscall.EPIPE) }

// stdio is the streams of one command in one piece of memory.
type stdio struct {
	streams
	in       input
	out, err output
}

// stdio gives the streams of descriptors 0, 1 and 2.
func (sh *Shell) stdio(ctx context.Context) *stdio {
	s := &stdio{in: input{ctx, sh.fd(0)}, out: output{ctx: ctx, open: sh.fd(1)}, err: output{ctx: ctx, open: sh.fd(2)}}
	s.streams = streams{&s.in, &s.out, &s.err}
	return s
}

// input gives a descriptor for reading (read -u, mapfile -u).
func (sh *Shell) input(ctx context.Context, fd int) *input { return &input{ctx, sh.fd(fd)} }

// errorf writes "bash: line N: text" as a line on standard error.
func (sh *Shell) errorf(b *streams, format string, args ...any) {
	fmt.Fprintf(b.err, "%s%s\n", sh.where(), fmt.Sprintf(format, args...))
}
