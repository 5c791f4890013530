package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"time"
)

const blobsMember = `,"blobs":[`

// envelope is a parsed line: the record without its payload, whose bytes are still those
// of the line.
type envelope struct {
	Record
	typ     Type
	payload []byte
	blobs   []string
	line    []byte // set after the quick way: what the slow way would read
}

// Reasons why a line is not a good record.
var (
	errNoSum    = errors.New("it has no sum, or its end is missing")
	errBadSum   = errors.New("its sum does not match its bytes")
	errEnvelope = errors.New("its envelope cannot be read")
)

// verify checks the sum and gives the bytes that it covers.
func verify(line []byte) (covered []byte, err error) {
	end := len(line) - sumLen
	if end < 0 || string(line[end:end+len(sumMember)]) != sumMember || string(line[len(line)-2:]) != `"}` {
		return nil, errNoSum
	}
	covered = line[:end]
	var sum [8]byte
	if !bytes.Equal(appendSum(sum[:0], crc32.Checksum(covered, castagnoli)), line[len(line)-10:len(line)-2]) {
		return nil, errBadSum
	}
	return covered, nil
}

// parse verifies a line and reads its envelope. Lines of other writers, which may have
// further members or another order, take the slow way.
func (d *decoder) parse(line []byte, e *envelope) error {
	covered, err := verify(line)
	if err != nil {
		return err
	}
	if d.quick(covered, e) {
		e.line = line
		return nil
	}
	return d.slow(line, e)
}

// quick reads an envelope as [Encode] writes it.
func (d *decoder) quick(b []byte, e *envelope) bool {
	c := cursor{b: b}
	*e = envelope{}
	c.lit(`{"v":`)
	e.V = int(c.int())
	c.lit(`,"run":`)
	e.Run = d.intern(c.str())
	c.lit(`,"epoch":`)
	e.Epoch = c.int()
	c.lit(`,"seq":`)
	e.Seq = c.int()
	c.lit(`,"prev":`)
	e.Prev = c.int()
	c.lit(`,"at":`)
	at := c.str()
	c.lit(`,"type":`)
	e.typ = Type(d.intern(c.str()))
	e.Optional = c.has(`,"optional":true`)
	c.lit(`,"scope":{`)
	if c.has(`"invocation":`) {
		e.Scope.Invocation = d.intern(c.str())
		c.has(`,`)
	}
	if c.has(`"task":`) {
		e.Scope.Task = d.intern(c.str())
		c.has(`,`)
	}
	if c.has(`"turn":`) {
		e.Scope.Turn = int(c.int())
		c.has(`,`)
	}
	if c.has(`"call":`) {
		e.Scope.Call = d.intern(c.str())
	}
	c.lit(`}`)
	if c.has(`,"cause":`) {
		e.Cause = c.int()
	}
	c.lit(`,"payload":`)
	if c.bad {
		return false
	}
	var ok bool
	if e.At, ok = parseTime(at); !ok {
		return false
	}
	rest := c.b
	if n := len(rest); n > 0 && rest[n-1] == ']' {
		// Quotes within strings are escaped, so the last one is the envelope's own.
		i := bytes.LastIndex(rest, []byte(blobsMember))
		if i < 0 || json.Unmarshal(rest[i+len(blobsMember)-1:], &e.blobs) != nil {
			return false
		}
		rest = rest[:i]
	}
	e.payload = rest
	return e.V >= 1 && len(rest) >= 2 && rest[0] == '{' && rest[len(rest)-1] == '}'
}

// slow reads an envelope in any order of members, and skips members it does not know.
func (d *decoder) slow(line []byte, e *envelope) error {
	var m struct {
		V        int             `json:"v"`
		Run      string          `json:"run"`
		Epoch    int64           `json:"epoch"`
		Seq      int64           `json:"seq"`
		Prev     int64           `json:"prev"`
		At       time.Time       `json:"at"`
		Type     Type            `json:"type"`
		Optional bool            `json:"optional"`
		Scope    Scope           `json:"scope"`
		Cause    int64           `json:"cause"`
		Payload  json.RawMessage `json:"payload"`
		Blobs    []string        `json:"blobs"`
	}
	if json.Unmarshal(line, &m) != nil || m.V < 1 || m.Type == "" ||
		len(m.Payload) == 0 || m.Payload[0] != '{' || !fixedLength(m.At) {
		return errEnvelope
	}
	*e = envelope{
		Record: Record{
			V: m.V, Run: m.Run, Epoch: m.Epoch, Seq: m.Seq, Prev: m.Prev, At: m.At.UTC(),
			Scope: m.Scope, Cause: m.Cause, Optional: m.Optional,
		},
		typ: m.Type, payload: m.Payload, blobs: m.Blobs,
	}
	return nil
}

// intern gives a string of bytes that recur from record to record.
func (d *decoder) intern(b []byte) string {
	if s, ok := d.strings[string(b)]; ok {
		return s
	}
	if len(d.strings) >= maxInterned {
		clear(d.strings)
	}
	s := string(b)
	d.strings[s] = s
	return s
}

// cursor reads the members of a canonical envelope from the front of b.
type cursor struct {
	b   []byte
	bad bool
}

// lit takes a literal that must stand here.
func (c *cursor) lit(s string) {
	if !c.has(s) {
		c.bad = true
	}
}

// has takes a literal if it stands here.
func (c *cursor) has(s string) bool {
	if c.bad || len(c.b) < len(s) || string(c.b[:len(s)]) != s {
		return false
	}
	c.b = c.b[len(s):]
	return true
}

// int takes a number. Other spellings of a number are left to the slow way.
func (c *cursor) int() int64 {
	neg := c.has("-")
	n, v := 0, int64(0)
	for n < len(c.b) && n < 18 && c.b[n] >= '0' && c.b[n] <= '9' {
		v = v*10 + int64(c.b[n]-'0')
		n++
	}
	if n == 0 || n == 18 || c.b[0] == '0' && (n > 1 || neg) {
		c.bad = true
		return 0
	}
	c.b = c.b[n:]
	if neg {
		return -v
	}
	return v
}

// str takes a JSON string. The bytes are valid until the line is reused.
func (c *cursor) str() []byte {
	if c.bad || len(c.b) == 0 || c.b[0] != '"' {
		c.bad = true
		return nil
	}
	for i := 1; i < len(c.b); i++ {
		switch b := c.b[i]; {
		case b == '"':
			s := c.b[1:i]
			c.b = c.b[i+1:]
			return s
		case b == '\\':
			return c.escaped(i)
		case b < 0x20 || b >= 0x80:
			return c.escaped(i)
		}
	}
	c.bad = true
	return nil
}

// escaped takes a string that has escapes or characters beyond ASCII after from.
func (c *cursor) escaped(from int) []byte {
	for i := from; i < len(c.b); i++ {
		switch c.b[i] {
		case '\\':
			i++
		case '"':
			var s string
			if json.Unmarshal(c.b[:i+1], &s) != nil {
				c.bad = true
				return nil
			}
			c.b = c.b[i+1:]
			return []byte(s)
		}
	}
	c.bad = true
	return nil
}

// fixedLength tells whether a time has a year of four digits in UTC.
func fixedLength(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 0 && year <= 9999
}

// parseTime reads the fixed form of [timeLayout].
func parseTime(b []byte) (time.Time, bool) {
	if len(b) != len(timeLayout) {
		return time.Time{}, false
	}
	ok := true
	num := func(from, to int) int {
		n := 0
		for _, c := range b[from:to] {
			ok = ok && c >= '0' && c <= '9'
			n = n*10 + int(c-'0')
		}
		return n
	}
	year, month, day := num(0, 4), num(5, 7), num(8, 10)
	hour, minute, sec, micro := num(11, 13), num(14, 16), num(17, 19), num(20, 26)
	if !ok || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' || b[19] != '.' || b[26] != 'Z' ||
		month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(month, year) || hour > 23 || minute > 59 || sec > 59 {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, sec, micro*1000, time.UTC), true
}

func daysIn(month, year int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
