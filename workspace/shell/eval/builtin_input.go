package eval

import "bytes"

// takeRun appends what can be read without waiting, up to the first of two bytes and without
// it, so that a line is not read byte by byte. It may append nothing: then a byte has to be
// read.
func (i *input) takeRun(dst []byte, stop, other byte) []byte {
	o := i.open
	if o == nil || !o.readable || i.ctx.Err() != nil {
		return dst
	}
	if p := o.pipe; p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		n := runLength(p.buf[p.off:], stop, other)
		dst = append(dst, p.buf[p.off:p.off+n]...)
		if p.off += n; p.off == len(p.buf) {
			p.buf, p.off = p.buf[:0], 0
		}
		if n > 0 {
			p.notify()
		}
		return dst
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	n := runLength(o.ahead, stop, other)
	dst = append(dst, o.ahead[:n]...)
	o.ahead = o.ahead[n:]
	return dst
}

func runLength(b []byte, stop, other byte) int {
	if at := bytes.IndexByte(b, stop); at >= 0 {
		b = b[:at]
	}
	if at := bytes.IndexByte(b, other); at >= 0 {
		b = b[:at]
	}
	return len(b)
}
