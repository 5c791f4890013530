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
	err      error             // of the reader; io.EOF at its end
	lines    int               // newlines before buf
	lineFrom int               // bytes of the current line that lie before buf
	text     string            // a part of buf as a string, for the strings that lie in it
	from     int               // where it begins in buf
	keys     map[string]string // that were seen, each once in memory
	shapes   [][]string        // the keys of the last object on each level
	seq      bool              // a record separator is white space
}

func newDecoder(r io.Reader) *decoder { return &decoder{r: r, keys: map[string]string{}} }

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
		d.pos, d.text = 0, ""
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
		b, at, err := d.str()
		if err != nil {
			return nil, err
		}
		if at < 0 {
			return string(b), nil
		}
		return d.textAt(at, len(b)), nil
	case '[':
		return d.array(depth + 1)
	case '{':
		return d.object(depth + 1)
	}
	return d.word()
}

// window is how many bytes of the input become a string at once: a string that is kept
// keeps so many.
const window = 2 << 10

// textAt gives a part of buf as a string.
func (d *decoder) textAt(at, n int) string {
	if n == 0 {
		return ""
	}
	if d.text == "" || at < d.from || at+n > d.from+len(d.text) {
		if n > window/4 {
			return string(d.buf[at : at+n])
		}
		d.from = at
		d.text = string(d.buf[at:min(at+window, len(d.buf))])
	}
	return d.text[at-d.from : at-d.from+n]
}

func (d *decoder) array(depth int) (any, error) {
	if depth > maxDepth {
		return nil, d.fail("Exceeds depth limit for parsing")
	}
	d.pos++
	list := &array{}
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
		list.items = append(list.items, v)
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
	for len(d.shapes) <= depth {
		d.shapes = append(d.shapes, nil)
	}
	shape := d.shapes[depth]
	o := &object{}
	if c, ok := d.space(); ok && c == '}' {
		d.pos++
		return o, nil
	}
	o.vals = make([]any, 0, max(len(shape), 4))
	alike := true // the keys are those of the shape so far
	for {
		like := ""
		if alike && len(o.vals) < len(shape) {
			like = shape[len(o.vals)]
		}
		key, err := d.key(like)
		if err != nil {
			return nil, err
		}
		v, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		if n := len(o.vals); alike && (n >= len(shape) || key != shape[n]) {
			alike = false
			o.keys = append(make([]string, 0, max(n+1, 4)), shape[:n]...)
		}
		if alike {
			o.vals = append(o.vals, v)
		} else {
			o.put(key, v)
		}
		end, err := d.separator('}', "Expected separator between values")
		if err != nil {
			return nil, err
		}
		if !end {
			continue
		}
		if n := len(o.vals); alike {
			o.keys = shape[:n:n]
		} else {
			d.shapes[depth] = o.keys[:n:n]
		}
		return o, nil
	}
}

// key reads a name and the colon after it. The name is likely the one that is given.
func (d *decoder) key(like string) (string, error) {
	c, ok := d.space()
	switch {
	case !ok:
		return "", d.fail("Unfinished JSON term")
	case c != '"':
		if c == '}' || c == ',' {
			return "", d.fail("Objects must consist of key:value pairs")
		}
		if _, err := d.word(); err != nil {
			return "", err
		}
		return "", d.fail("Object keys must be strings")
	}
	b, _, err := d.str()
	if err != nil {
		return "", err
	}
	key := like
	if string(b) != like {
		if key, ok = d.keys[string(b)]; !ok {
			key = string(b)
			if len(d.keys) < 4096 {
				d.keys[key] = key
			}
		}
	}
	if c, ok = d.space(); !ok {
		return "", d.fail("Unfinished JSON term")
	}
	if c != ':' {
		return "", d.fail("Objects must consist of key:value pairs")
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
func parseAll(text string) ([]any, error) {
	d := newDecoder(strings.NewReader(text))
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
