package files

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// stream handles a file whose result goes to standard output, or that is only looked at.
func (z *zip) stream(in io.Reader, name string, modified time.Time) {
	switch {
	case z.list:
		z.show(in, name)
	case z.test:
		if z.inflate(io.Discard, in, name) && z.verbose {
			z.Errorf("%s:\t OK", name)
		}
	case z.decompress:
		z.inflate(z.Out, in, name)
	default:
		if err := z.deflate(z.Out, in, name, modified); err != nil && z.Out.Err() == nil {
			z.failed("%s: %s", name, text(err))
		}
	}
}

func (z *zip) deflate(out io.Writer, in io.Reader, name string, modified time.Time) error {
	w, err := gzip.NewWriterLevel(out, z.level)
	if err != nil {
		return err
	}
	if !z.noName && name != "stdin" {
		w.Name, w.ModTime = path.Base(name), modified
	}
	if _, err := io.Copy(w, z.reader(in)); err != nil {
		return err
	}
	return w.Close()
}

// inflate decompresses; the fault of the data is reported here.
func (z *zip) inflate(out io.Writer, in io.Reader, name string) bool {
	br := bufio.NewReaderSize(z.reader(in), 32<<10)
	magic, _ := br.Peek(2)
	if len(magic) == 0 || magic[0] != 0x1f || len(magic) > 1 && magic[1] != 0x8b {
		if z.force && z.stdout {
			_, err := io.Copy(out, br)
			return err == nil
		}
		if len(magic) == 0 {
			z.failed("%s: unexpected end of file", name)
		} else {
			z.failed("%s: not in gzip format", name)
		}
		return false
	}
	r, err := gzip.NewReader(br)
	for err == nil {
		r.Multistream(false)
		if _, err = io.Copy(out, r); err != nil {
			break
		}
		magic, e := br.Peek(2)
		if e != nil && len(magic) == 0 {
			return true
		}
		if len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
			if strings.Trim(string(magic), "\x00") != "" {
				z.warn("%s: decompression OK, trailing garbage ignored", name)
			}
			return true
		}
		err = r.Reset(br)
	}
	switch {
	case z.Out.Err() != nil:
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		z.failed("%s: unexpected end of file", name)
	case errors.Is(err, gzip.ErrChecksum):
		z.failed("%s: invalid compressed data--crc error", name)
	case errors.Is(err, gzip.ErrHeader):
		z.failed("%s: not in gzip format", name)
	case strings.HasPrefix(err.Error(), "flate:"):
		z.failed("%s: invalid compressed data--format violated", name)
	default:
		z.failed("%s: %s", name, text(err))
	}
	return false
}

// headAndTail is how many bytes of a compressed file are no data.
const headAndTail = 18

func ratio(packed, plain int64) string {
	if plain == 0 {
		return "  0.0%"
	}
	return fmt.Sprintf("%5.1f%%", 100*float64(plain-packed+headAndTail)/float64(plain))
}

// counter counts what is written to it or read through it.
type counter struct {
	in io.Reader
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

// show prints the line of -l.
func (z *zip) show(in io.Reader, name string) {
	packed, plain := &counter{in: in}, &counter{}
	if !z.inflate(plain, packed, name) {
		return
	}
	if !z.listed && !z.quiet {
		z.Out.WriteString("         compressed        uncompressed  ratio uncompressed_name\n")
	}
	z.listed = true
	shown, _ := z.plainName(name)
	if name == "stdin" {
		shown = "stdout"
	}
	fmt.Fprintf(z.Out, "%19d %19d %s %s\n", packed.n, plain.n, ratio(packed.n, plain.n), shown)
}
