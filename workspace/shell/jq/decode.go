package jq

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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
	keys     map[string]string
	seq      bool // a record separator is white space
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
	for {
		key, err := d.key()
		if err != nil {
			return nil, err
		}
		v, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		object[key] = v
		end, err := d.separator('}', "Expected separator between values")
		if err != nil || end {
			return object, err
		}
	}
}

// key reads a name and the colon after it.
func (d *decoder) key() (string, error) {
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
	b, err := d.str()
	if err != nil {
		return "", err
	}
	key, ok := d.keys[string(b)]
	if !ok {
		key = string(b)
		if len(d.keys) < 4096 {
			d.keys[key] = key
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

// str reads a string, whose quote is next. The bytes are good until the next read.
func (d *decoder) str() ([]byte, error) {
	from := 1 // relative to pos, as fill moves the buffer
	for {
		for i := d.pos + from; i < len(d.buf); i++ {
			switch d.buf[i] {
			case '"':
				b := d.buf[d.pos+1 : i]
				d.pos = i + 1
				return d.unescape(b)
			case '\\':
				i++
			}
			from = i + 1 - d.pos
		}
		if !d.fill() {
			return nil, d.fail("Unfinished string")
		}
	}
}

func (d *decoder) unescape(b []byte) ([]byte, error) {
	plain := true
	for _, c := range b {
		if c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return b, nil
	}
	if bytes.IndexByte(b, '\\') < 0 {
		if utf8.Valid(b) {
			return b, nil
		}
		return bytes.ToValidUTF8(b, []byte("\uFFFD")), nil
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}
		i++
		if i >= len(b) {
			return nil, d.fail("Invalid escape")
		}
		switch b[i] {
		case '"', '\\', '/':
			out = append(out, b[i])
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, ok := hex4(b, i+1)
			if !ok {
				return nil, d.fail("Invalid escape")
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if i+2 < len(b) && b[i+1] == '\\' && b[i+2] == 'u' {
					low, ok = hex4(b, i+3)
				}
				if both := utf16.DecodeRune(r, low); ok && both != utf8.RuneError {
					r, i = both, i+6
				} else {
					r = utf8.RuneError
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			return nil, d.fail("Invalid escape")
		}
	}
	if !utf8.Valid(out) {
		out = bytes.ToValidUTF8(out, []byte("\uFFFD"))
	}
	return out, nil
}

func hex4(b []byte, at int) (rune, bool) {
	if at+4 > len(b) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[at:at+4]), 16, 16)
	return rune(n), err == nil
}

// word reads a literal or a number.
func (d *decoder) word() (any, error) {
	n := 0
	for {
		for d.pos+n < len(d.buf) && inWord(d.buf[d.pos+n]) {
			n++
		}
		if d.pos+n < len(d.buf) || !d.fill() {
			break
		}
	}
	b := d.buf[d.pos : d.pos+n]
	d.pos += n
	switch string(b) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	case "nan", "NaN":
		return math.NaN(), nil
	case "":
		d.pos++
		return nil, d.fail("Invalid literal")
	}
	if v, ok := number(b); ok {
		return v, nil
	}
	if c := b[0]; c == 't' || c == 'f' || c == 'n' {
		return nil, d.fail("Invalid literal")
	}
	return nil, d.fail("Invalid numeric literal")
}

func inWord(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '[', ']', '{', '}', ',', ':', '"', 0x1e:
		return false
	}
	return true
}

// number gives a number: an int where it fits, else the literal, which is printed as it
// was read until something is computed with it.
func number(b []byte) (any, bool) {
	negative := b[0] == '-'
	digits := b
	if negative {
		digits = b[1:]
	}
	if len(digits) > 0 && len(digits) < 19 {
		n := 0
		for _, c := range digits {
			if c < '0' || c > '9' {
				n = -1
				break
			}
			n = n*10 + int(c-'0')
		}
		if n > 0 || n == 0 && !negative {
			if negative {
				n = -n
			}
			return n, true
		}
	}
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			return nil, false
		}
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, false
	}
	if math.IsInf(f, 0) {
		return math.Copysign(math.MaxFloat64, f), true
	}
	text := string(b)
	if !json.Valid(b) || strings.ContainsAny(text, "eE") || f == 0 {
		return f, true
	}
	return json.Number(text), true
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
