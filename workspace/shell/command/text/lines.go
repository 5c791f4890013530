package text

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

const chunk = 64 << 10

// lineReader reads records that end with a terminator; the last one may lack it.
type lineReader struct {
	in   *bufio.Reader
	end  byte
	long []byte
	max  int
	done func() error
}

// errLong is the error of a line that does not fit into the memory of the call.
var errLong = errors.New("line too long")

func newLines(ctx context.Context, c *command.Call, r io.Reader, end byte) *lineReader {
	most := limits.Limits{}.OrDefault().Variable
	if c.Budget != nil {
		most = c.Budget.Variable
	}
	return &lineReader{in: bufio.NewReaderSize(r, chunk), end: end, max: 2 * most, done: ctx.Err}
}

// next gives a record without its terminator and whether it had one. The record is valid
// until the next call. At the end the error is io.EOF.
func (l *lineReader) next() (line []byte, ended bool, err error) {
	line, err = l.in.ReadSlice(l.end)
	if err == nil {
		return line[:len(line)-1], true, nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return l.rest(line, err)
	}
	l.long = append(l.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(l.long) > l.max {
			return nil, false, errLong
		}
		if err := l.done(); err != nil {
			return nil, false, err
		}
		line, err = l.in.ReadSlice(l.end)
		l.long = append(l.long, line...)
	}
	if err != nil {
		return l.rest(l.long, err)
	}
	return l.long[:len(l.long)-1], true, nil
}

func (l *lineReader) rest(line []byte, err error) ([]byte, bool, error) {
	if len(line) > 0 && errors.Is(err, io.EOF) {
		return line, false, nil
	}
	return nil, false, err
}

// eachLine calls do for every record of a reader until it gives false, the call's context
// ends or reading fails. The end of the input is no error.
func eachLine(ctx context.Context, c *command.Call, r io.Reader, end byte, do func(line []byte, ended bool) bool) error {
	lines := newLines(ctx, c, r, end)
	for n := 0; ; n++ {
		if n&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, ended, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !do(line, ended) {
			return nil
		}
	}
}

// eachInput opens the operands one after the other, standard input when there are none, and
// gives 1 when one of them failed, which it reports, else 0.
func eachInput(ctx context.Context, c *command.Call, names []string, do func(name string, r io.Reader) error) int {
	if len(names) == 0 {
		names = []string{"-"}
	}
	code := 0
	for _, name := range names {
		if ctx.Err() != nil {
			return max(code, 1)
		}
		if err := withInput(c, name, do); err != nil && ctx.Err() == nil {
			code = c.Fail(name, err)
		}
	}
	return code
}

func withInput(c *command.Call, name string, do func(name string, r io.Reader) error) error {
	if name == "-" {
		return do(name, c.In)
	}
	f, err := c.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return do(name, f)
}

// copyThrough copies and passes on each piece at once, as programs do that write what they
// read.
func copyThrough(ctx context.Context, out *command.Writer, r io.Reader) error {
	buf := make([]byte, chunk)
	for ctx.Err() == nil {
		n, err := r.Read(buf)
		if n > 0 {
			out.Write(buf[:n])
			if out.Flush() != nil {
				return nil // the framework tells
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// readAll reads an input that must be held as a whole.
func readAll(ctx context.Context, c *command.Call, name string) ([]byte, error) {
	var buf bytes.Buffer
	err := withInput(c, name, func(_ string, r io.Reader) error {
		if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
			if i, err := f.Stat(); err == nil && i.Mode().IsRegular() {
				buf.Grow(int(i.Size()) + bytes.MinRead)
			}
		}
		_, err := buf.ReadFrom(ctxReader{ctx, r})
		return err
	})
	return buf.Bytes(), err
}

// ctxReader fails once the context ended.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (r ctxReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// terminator gives what ends a record: NUL with -z.
func terminator(o *command.Options) byte {
	if o.Has("z") {
		return 0
	}
	return '\n'
}

// stdinFile gives standard input as a file, when it is one, and what closes it again. In the
// shell's own input only reading shows; /dev/stdin is the same description with the rest.
func stdinFile(c *command.Call) (f view.File, done func()) {
	f, ok := c.In.(view.File)
	done = func() {}
	if !ok {
		var err error
		if f, err = c.FS.Open("/dev/stdin", 0, 0); err != nil {
			return nil, done
		}
		done = func() { f.Close() }
	}
	if i, err := f.Stat(); err != nil || !i.Mode().IsRegular() {
		done()
		return nil, func() {}
	}
	return f, done
}
