package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// sink appends lines to a cassette, each whole or not at all.
type sink struct {
	name string

	mu sync.Mutex
	f  *os.File // nil after close
}

// openSink opens a cassette to append to it, and makes it when it is not there. A line
// that was cut off by the end of a process is taken away, and said.
func openSink(name string, o *Options) (*sink, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, ioFault(err, "open cassette", name)
	}
	s := &sink{name: name, f: f}
	if err := s.begin(o); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// begin checks that the file is a cassette or empty, and that it ends with a whole line.
func (s *sink) begin(o *Options) error {
	info, err := s.f.Stat()
	if err != nil {
		return ioFault(err, "open cassette", s.name)
	}
	if !info.Mode().IsRegular() {
		return fault.New("replay.invalid", "it is no file; name a file that only cassettes are written to").With("open cassette", s.name)
	}
	var header bool
	var last []byte
	if err := eachLine(s.name, s.f, o.maxLine(), func(l line) error {
		if l.number == 1 {
			h, _, err := decode(l.text)
			if header = h != nil && err == nil; !header {
				return fault.New("replay.invalid", "its first line is no header of a cassette (version %d); nothing is appended to it: name another file", formatVersion).With("open cassette", s.name)
			}
		}
		last = nil
		if !l.ended {
			last = bytes.Clone(l.text)
		}
		return nil
	}); err != nil {
		return err
	}
	if err := s.f.Chmod(0o600); err != nil {
		return ioFault(err, "protect cassette", s.name)
	}
	switch {
	case last == nil:
		return nil
	case json.Valid(last):
		_, err = s.f.Write([]byte("\n"))
	default:
		o.Warn("cut_line", fmt.Sprintf("%s: the last line was cut off, and is taken away", s.name))
		err = s.f.Truncate(info.Size() - int64(len(last)))
	}
	if err != nil {
		return ioFault(err, "mend cassette", s.name)
	}
	return nil
}

// add appends a line, with one write. One that fails leaves nothing behind.
func (s *sink) add(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f == nil {
		return fault.New("replay.closed", "the recording has been closed").With("write cassette", s.name)
	}
	info, err := s.f.Stat()
	if err != nil {
		return ioFault(err, "write cassette", s.name)
	}
	if _, err := s.f.Write(line); err != nil {
		return ioFault(errors.Join(err, s.f.Truncate(info.Size())), "write cassette", s.name)
	}
	return nil
}

// close writes through to the disk.
func (s *sink) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f == nil {
		return nil
	}
	err := errors.Join(s.f.Sync(), s.f.Close())
	s.f = nil
	if err != nil {
		return ioFault(err, "close cassette", s.name)
	}
	return nil
}

// line is a line of a file, without its end.
type line struct {
	text   []byte // valid until the next line
	number int    // from 1
	offset int64
	ended  bool // there was an LF behind it
}

// eachLine calls f for the lines of a cassette. Blank lines are passed over.
func eachLine(name string, r io.ReaderAt, most int, f func(line) error) error {
	in := bufio.NewReaderSize(io.NewSectionReader(r, 0, math.MaxInt64), 64<<10)
	var l line
	for next := int64(0); ; {
		l.number++
		l.offset = next
		var err error
		if l.text, err = readLine(in, l.text[:0], most); err == errLongLine {
			return fault.New("replay.too_large", "the line is longer than %d bytes, and none of ours is", most).With("read cassette", at(name, l.number))
		} else if err != nil && err != io.EOF {
			return ioFault(err, "read cassette", name)
		}
		next += int64(len(l.text))
		l.text, l.ended = bytes.CutSuffix(l.text, []byte("\n"))
		if len(bytes.TrimSpace(l.text)) > 0 {
			if err := f(l); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

var errLongLine = errors.New("a line is too long")

// readLine appends the next line with its end, and gives [io.EOF] with the last one.
func readLine(in *bufio.Reader, buf []byte, most int) ([]byte, error) {
	for {
		piece, err := in.ReadSlice('\n')
		buf = append(buf, piece...)
		if len(buf) > most+1 {
			return buf, errLongLine
		}
		if err != bufio.ErrBufferFull {
			return buf, err
		}
	}
}

// at gives a place in a file.
func at(name string, number int) string { return fmt.Sprintf("%s:%d", name, number) }

func ioFault(err error, op, name string) error {
	return fault.Wrap(err, "replay.file", "the cassette cannot be used").With(op, name)
}
