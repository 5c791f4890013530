package command

import (
	"bufio"
	"io"
	"io/fs"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Writer is the standard output of a command: buffered, and it remembers the first error,
// after which everything that is written is dropped and the context of the command ends.
type Writer struct {
	to     io.Writer
	buf    *bufio.Writer
	err    error
	broken func()
}

// NewWriter makes a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w, buf: bufio.NewWriterSize(w, 32<<10)} }

// Reset makes the writer one to w, with nothing written yet.
func (w *Writer) Reset(to io.Writer) {
	w.to = to
	w.buf.Reset(to)
	w.err, w.broken = nil, nil
}

// Into says whether the writer writes into the regular file that r reads, whose copy may
// have no end, and gives the size of the file in bytes.
func (w *Writer) Into(r io.Reader) (size int64, same bool) {
	type stater interface{ Stat() (fs.FileInfo, error) }
	in, reads := r.(stater)
	out, writes := w.to.(stater)
	if !reads || !writes {
		return 0, false
	}
	i, err := in.Stat()
	if err != nil || !i.Mode().IsRegular() {
		return 0, false
	}
	o, err := out.Stat()
	return i.Size(), err == nil && view.Same(i, o)
}

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	return do(w, len(p), func() error { _, err := w.buf.Write(p); return err })
}

// WriteString implements [io.StringWriter].
func (w *Writer) WriteString(s string) (int, error) {
	return do(w, len(s), func() error { _, err := w.buf.WriteString(s); return err })
}

// WriteByte implements [io.ByteWriter].
func (w *Writer) WriteByte(b byte) error {
	_, err := do(w, 1, func() error { return w.buf.WriteByte(b) })
	return err
}

// Flush passes on what is buffered.
func (w *Writer) Flush() error {
	_, err := do(w, 0, w.buf.Flush)
	return err
}

// Err gives the first error; loops that write much look at it, or at their context.
func (w *Writer) Err() error { return w.err }

func do(w *Writer, n int, write func() error) (int, error) {
	if w.err == nil {
		if w.err = write(); w.err != nil && w.broken != nil {
			w.broken()
		}
	}
	if w.err != nil {
		return 0, w.err
	}
	return n, nil
}
