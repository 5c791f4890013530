package shell

import (
	"unicode/utf8"
)

// Capture is what was kept of a stream: all of it, or its head and its tail, cut between
// characters.
type Capture struct {
	Head, Tail []byte // as they came, also what is no UTF-8; without a gap when Left is 0
	Left       int64  // characters left out between them
	Chars      int64  // Unicode characters of the whole stream; a byte that is none counts as one
	Bytes      int64  // of the whole stream
}

// capturer keeps the first and the last half of a number of bytes. It is for one goroutine.
type capturer struct {
	half  int
	head  []byte
	tail  []byte // a ring once it is full
	next  int    // where the ring goes on
	bytes int64
	chars int64
	carry []byte // the begin of a character whose end has not come
}

func newCapturer(kept int) *capturer { return &capturer{half: kept / 2} }

// Write never fails.
func (c *capturer) Write(p []byte) (int, error) {
	n := len(p)
	c.bytes += int64(n)
	c.count(p)
	if room := c.half - len(c.head); room > 0 {
		take := min(room, len(p))
		c.head = append(c.head, p[:take]...)
		p = p[take:]
	}
	c.keepTail(p)
	return n, nil
}

func (c *capturer) keepTail(p []byte) {
	if room := c.half - len(c.tail); room > 0 {
		take := min(room, len(p))
		c.tail = append(c.tail, p[:take]...)
		p = p[take:]
	}
	if len(p) > c.half {
		p = p[len(p)-c.half:]
	}
	for len(p) > 0 {
		n := copy(c.tail[c.next:], p)
		c.next = (c.next + n) % c.half
		p = p[n:]
	}
}

// count adds the characters of p, whose first bytes may end what carry begins.
func (c *capturer) count(p []byte) {
	for len(c.carry) > 0 && len(p) > 0 {
		c.carry = append(c.carry, p[0])
		p = p[1:]
		for len(c.carry) > 0 && utf8.FullRune(c.carry) {
			_, size := utf8.DecodeRune(c.carry)
			c.chars++
			c.carry = c.carry[size:]
		}
	}
	whole := len(p) - unfinished(p)
	c.chars += int64(utf8.RuneCount(p[:whole]))
	c.carry = append(c.carry, p[whole:]...)
}

// unfinished gives how many bytes at the end of p begin a character without ending it.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if utf8.RuneStart(p[len(p)-n]) {
			if utf8.FullRune(p[len(p)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Capture gives what was kept. The capturer is not written to after it.
func (c *capturer) Capture() Capture {
	out := Capture{Head: c.head, Chars: c.chars + int64(len(c.carry)), Bytes: c.bytes}
	out.Tail = append(c.tail[c.next:len(c.tail):len(c.tail)], c.tail[:c.next]...)
	if c.bytes <= int64(2*c.half) {
		return out
	}
	out.Head = out.Head[:len(out.Head)-unfinished(out.Head)]
	for skip := 0; skip < utf8.UTFMax-1 && len(out.Tail) > 0 && !utf8.RuneStart(out.Tail[0]); skip++ {
		out.Tail = out.Tail[1:]
	}
	out.Left = out.Chars - int64(utf8.RuneCount(out.Head)) - int64(utf8.RuneCount(out.Tail))
	return out
}
