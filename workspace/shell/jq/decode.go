package jq

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// maxDepth is how deep arrays and objects of an input may be nested (shell spec §5).
const maxDepth = 10_000

// parseError is an input that is no JSON.
type parseError struct {
	text   string
	line   int
	column int
	atEnd  bool
}

func (e *parseError) Error() string {
	at := ""
	if e.atEnd {
		at = "at EOF "
	}
	return fmt.Sprintf("%s %sat line %d, column %d", e.text, at, e.line, e.column)
}

// decoder reads JSON values, one after the other, from a stream. Like jq it is lenient: it
// takes numbers such as .5 and 01, nan, and control characters in strings.
type decoder struct {
	r        io.Reader
	buf      []byte // buf[pos:] is still to be read
	pos      int
	err      error // of the reader; io.EOF at its end
	lines    int   // newlines before buf
	lineFrom int   // bytes of the current line that lie before buf
	order    *order
	names    []string // keys of the objects that are being read
	seq      bool     // a record separator is white space
}

func newDecoder(r io.Reader, o *order) *decoder { return &decoder{r: r, order: o} }

const chunk = 64 << 10

// fill reads more and keeps buf[pos:]. It gives false when there is no more.
func (d *decoder) fill() bool {
	if d.err != nil {
		return false
	}
	if d.pos > 0 {
		gone := d.buf[:d.pos]
		if at := bytes.LastIndexByte(gone, '\n'); at >= 0 {
			d.lines += bytes.Count(gone, []byte{'\n'})
			d.lineFrom = len(gone) - at - 1
		} else {
			d.lineFrom += len(gone)
		}
		d.buf = d.buf[:copy(d.buf, d.buf[d.pos:])]
		d.pos = 0
	}
	if cap(d.buf)-len(d.buf) < chunk/2 {
		grown := make([]byte, len(d.buf), max(2*cap(d.buf), 2*chunk))
		copy(grown, d.buf)
		d.buf = grown
	}
	for range 100 {
		n, err := d.r.Read(d.buf[len(d.buf):cap(d.buf)])
		d.buf = d.buf[:len(d.buf)+n]
		d.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	d.err = io.ErrNoProgress
	return false
}

// line gives the number of lines that are read, the one of the last value included once
// its end is there.
func (d *decoder) line() int {
	n := d.lines + bytes.Count(d.buf[:d.pos], []byte{'\n'})
	if bytes.IndexByte(d.buf[d.pos:], '\n') >= 0 {
		n++
	}
	return n
}

func (d *decoder) fail(text string) error {
	if d.err != nil && d.err != io.EOF {
		return d.err
	}
	column := d.lineFrom + d.pos
	if at := bytes.LastIndexByte(d.buf[:d.pos], '\n'); at >= 0 {
		column = d.pos - at - 1
	}
	line := d.lines + bytes.Count(d.buf[:d.pos], []byte{'\n'}) + 1
	return &parseError{text, line, column, d.pos == len(d.buf) && d.err == io.EOF}
}

// space skips white space and gives the next byte without taking it, or false at the end.
func (d *decoder) space() (byte, bool) {
	for {
		for d.pos < len(d.buf) {
			switch c := d.buf[d.pos]; c {
			case ' ', '\t', '\r', '\n':
				d.pos++
			case 0x1e:
				if !d.seq {
					return c, true
				}
				d.pos++
			default:
				return c, true
			}
		}
		if !d.fill() {
			return 0, false
		}
	}
}

// next gives the next value, or io.EOF.
func (d *decoder) next() (any, error) {
	if d.lines == 0 && d.lineFrom == 0 && d.pos == 0 {
		for len(d.buf) < 3 && d.fill() {
		}
		if bytes.HasPrefix(d.buf, []byte("\xef\xbb\xbf")) {
			d.pos = 3
		}
	}
	if _, ok := d.space(); !ok {
		if d.err == io.EOF {
			return nil, io.EOF
		}
		return nil, d.err
	}
	return d.value(0)
}

func (d *decoder) value(depth int) (any, error) {
	c, ok := d.space()
	if !ok {
		return nil, d.fail("Unfinished JSON term")
	}
	switch c {
	case '"':
		b, err := d.str()
		return string(b), err
	case '[':
		return d.array(depth + 1)
	case '{':
		return d.object(depth + 1)
	}
	return d.word()
}

func (d *decoder) array(depth int) (any, error) {
	if depth > maxDepth {
		return nil, d.fail("Exceeds depth limit for parsing")
	}
	d.pos++
	list := []any{}
	if c, ok := d.space(); ok && c == ']' {
		d.pos++
		return list, nil
	}
	for {
		if c, ok := d.space(); ok && (c == ']' || c == ',') {
			return nil, d.fail("Expected another array element")
		}
		v, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		end, err := d.separator(']', "Expected separator between values")
		if err != nil || end {
			return list, err
		}
	}
}

func (d *decoder) object(depth int) (any, error) {
	if depth > maxDepth {
		return nil, d.fail("Exceeds depth limit for parsing")
	}
	d.pos++
	object := map[string]any{}
	if c, ok := d.space(); ok && c == '}' {
		d.pos++
		return object, nil
	}
	first, last, straight := len(d.names), -1, true
	defer func() { d.names = d.names[:first] }()
	for {
		key, err := d.key()
		if err != nil {
			return nil, err
		}
		v, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		if _, again := object[key.key]; !again {
			d.names = append(d.names, key.key)
			straight = straight && key.at > last
			last = key.at
		}
		object[key.key] = v
		end, err := d.separator('}', "Expected separator between values")
		if err != nil {
			return object, err
		}
		if end {
			if !straight {
				d.order.keep(object, d.names[first:])
			}
			return object, nil
		}
	}
}

// key reads a name and the colon after it.
func (d *decoder) key() (rank, error) {
	c, ok := d.space()
	switch {
	case !ok:
		return rank{}, d.fail("Unfinished JSON term")
	case c != '"':
		if c == '}' || c == ',' {
			return rank{}, d.fail("Objects must consist of key:value pairs")
		}
		if _, err := d.word(); err != nil {
			return rank{}, err
		}
		return rank{}, d.fail("Object keys must be strings")
	}
	b, err := d.str()
	if err != nil {
		return rank{}, err
	}
	key := d.order.input(b)
	if c, ok = d.space(); !ok {
		return rank{}, d.fail("Unfinished JSON term")
	}
	if c != ':' {
		return rank{}, d.fail("Objects must consist of key:value pairs")
	}
	d.pos++
	return key, nil
}

// separator takes a comma, or the closing bracket, for which it gives true.
func (d *decoder) separator(closing byte, otherwise string) (bool, error) {
	c, ok := d.space()
	switch {
	case !ok:
		return false, d.fail("Unfinished JSON term")
	case c == closing:
		d.pos++
		return true, nil
	case c != ',':
		return false, d.fail(otherwise)
	}
	d.pos++
	return false, nil
}

// parseAll gives the values of a text.
func (o *order) parseAll(text string) ([]any, error) {
	d := newDecoder(strings.NewReader(text), o)
	list := []any{}
	for {
		v, err := d.next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}
