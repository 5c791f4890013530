package model

import (
	"bytes"
	"errors"
	"io"
)

// Bounds of what a server may send (models spec §3).
const (
	MaxEvent = 16 << 20 // bytes of one event of a stream
	MaxBody  = 64 << 20 // bytes of one response body
)

// ErrTooLarge is what [SSE.Next] gives when an event or the body is above its bound.
var ErrTooLarge = errors.New("response is larger than its bound")

// Event is one event of a stream. Data is valid until the next call of [SSE.Next].
type Event struct {
	Name string // "" when the server named none
	Data []byte
	Last bool // the stream ended in place of the blank line that ends an event
}

// SSE reads server-sent events: comments, ids and retry fields are passed over, lines end
// in LF, CRLF or CR, several data lines are joined by LF. Not for concurrent use.
type SSE struct {
	r      io.Reader
	line   func() // called for every complete line; may be nil
	buf    []byte // read and not yet given out
	pos    int    // of the next byte in buf
	total  int
	skipLF bool // the last line ended in CR
	err    error
	name   string
	data   []byte
	begun  bool // a data line was seen for the event that is coming
}

// NewSSE reads events from r. The function line, which may be nil, is called for every
// complete line, comments too: it shows that the server is alive.
func NewSSE(r io.Reader, line func()) *SSE {
	return &SSE{r: r, line: line, buf: make([]byte, 0, 4096)}
}

// Next gives the next event, [io.EOF] after the last one, [ErrTooLarge], or the error of
// the reader. An event that the end of the stream cut off its blank line is given with
// Last set; whether its data is whole is for its reader to say.
func (s *SSE) Next() (Event, error) {
	s.name, s.data, s.begun = "", s.data[:0], false
	for {
		line, err := s.readLine()
		if err != nil {
			if len(line) > 0 {
				s.field(line)
			}
			if s.begun && !errors.Is(err, ErrTooLarge) {
				s.err = err
				return Event{Name: s.name, Data: s.data, Last: true}, nil
			}
			return Event{}, err
		}
		if s.line != nil {
			s.line()
		}
		if len(line) > 0 {
			if s.field(line); len(s.data) > MaxEvent {
				s.err = ErrTooLarge
				return Event{}, s.err
			}
			continue
		}
		if s.begun {
			return Event{Name: s.name, Data: s.data}, nil
		}
		s.name = ""
	}
}

// field takes one line that is not blank.
func (s *SSE) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		s.name = string(value)
	case "data":
		if s.begun {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, value...)
		s.begun = true
	}
}

// readLine gives the next line without its end. With an error it gives what came before.
func (s *SSE) readLine() ([]byte, error) {
	seen := 0 // bytes behind pos that hold no line end
	for {
		rest := s.buf[s.pos:]
		if s.skipLF && len(rest) > 0 {
			s.skipLF = false
			if rest[0] == '\n' {
				s.pos++
				rest = rest[1:]
			}
		}
		if i := lineEnd(rest, seen); i >= 0 {
			s.skipLF = rest[i] == '\r'
			s.pos += i + 1
			return rest[:i], nil
		}
		seen = len(rest)
		if s.err != nil {
			s.pos = len(s.buf)
			return rest, s.err
		}
		if seen > MaxEvent {
			s.err = ErrTooLarge
			continue
		}
		s.fill()
	}
}

// lineEnd gives the place of the first line end at or after from, -1 for none.
func lineEnd(b []byte, from int) int {
	b = b[min(from, len(b)):]
	i := bytes.IndexByte(b, '\n')
	if i >= 0 {
		b = b[:i]
	}
	if j := bytes.IndexByte(b, '\r'); j >= 0 {
		i = j
	}
	if i >= 0 {
		i += from
	}
	return i
}

// fill reads more bytes behind those that are left.
func (s *SSE) fill() {
	if s.pos > 0 {
		s.buf = append(s.buf[:0], s.buf[s.pos:]...)
		s.pos = 0
	}
	if cap(s.buf)-len(s.buf) < 512 { // never reads in crumbs
		s.buf = append(s.buf, make([]byte, cap(s.buf))...)[:len(s.buf)]
	}
	n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
	first := s.total == 0
	s.buf = s.buf[:len(s.buf)+n]
	s.total += n
	if first && len(s.buf) > 0 {
		s.dropMark(err != nil)
	}
	switch {
	case s.total > MaxBody:
		s.err = ErrTooLarge
	case err != nil:
		s.err = err
	}
}

// dropMark removes a byte order mark at the very beginning. While fewer than three bytes
// have come it can only wait for the rest.
func (s *SSE) dropMark(ended bool) {
	mark := []byte("\xef\xbb\xbf")
	if !ended && len(s.buf) < len(mark) && bytes.HasPrefix(mark, s.buf) {
		s.total = 0 // look again with the next bytes
		return
	}
	s.buf = bytes.TrimPrefix(s.buf, mark)
}
