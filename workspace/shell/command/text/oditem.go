package text

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// items writes the bytes in one format. Items of formats side by side end in one column: the
// space that is missing is spread over them.
func (d *dumper) items(f *odFormat, b []byte) {
	items := d.perLine / f.size
	var padded [8]byte
	for i := 0; i*f.size < len(b); i++ {
		part := b[i*f.size : min((i+1)*f.size, len(b))]
		if len(part) < f.size {
			clear(padded[:])
			copy(padded[:], part)
			part = padded[:f.size]
		}
		pad := d.column - f.width*items // in all, with the space before each
		width := f.width + pad*(items-i)/items - pad*(items-i-1)/items
		text := f.item(part, d.order)
		d.out.WriteString(strings.Repeat(" ", max(width-len(text), 0)))
		d.out.WriteString(text)
	}
}

func (f *odFormat) item(b []byte, order binary.ByteOrder) string {
	switch f.kind {
	case 'c':
		return charName(b[0])
	case 'a':
		return asciiName(b[0])
	}
	var u uint64
	switch f.size {
	case 1:
		u = uint64(b[0])
	case 2:
		u = uint64(order.Uint16(b))
	case 4:
		u = uint64(order.Uint32(b))
	case 8:
		u = order.Uint64(b)
	}
	switch f.kind {
	case 'd':
		shift := 64 - 8*f.size
		return strconv.FormatInt(int64(u<<shift)>>shift, 10)
	case 'u':
		return strconv.FormatUint(u, 10)
	case 'o':
		return fmt.Sprintf("%0*o", f.width, u)
	case 'x':
		return fmt.Sprintf("%0*x", f.width, u)
	}
	if f.size == 4 {
		return shortest(float64(math.Float32frombits(uint32(u))), 32)
	}
	return shortest(math.Float64frombits(u), 64)
}

// shortest writes a float as C's %g with the fewest digits that tell it apart.
func shortest(v float64, bits int) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 0):
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(v), "+"))
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, bits), "e")
	e, _ := strconv.Atoi(exponent)
	digits := len(strings.TrimPrefix(strings.Replace(mantissa, ".", "", 1), "-"))
	if e < -4 || e >= max(digits, 1) {
		return strconv.FormatFloat(v, 'e', -1, bits)
	}
	return strconv.FormatFloat(v, 'f', -1, bits)
}

func charName(b byte) string {
	if at := strings.IndexByte("\x00\a\b\f\n\r\t\v", b); at >= 0 {
		return `\` + "0abfnrtv"[at:at+1]
	}
	if b >= ' ' && b < 0x7f {
		return string(rune(b))
	}
	return fmt.Sprintf("%03o", b)
}

func asciiName(b byte) string {
	b &= 0x7f
	names := strings.Fields("nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp")
	switch {
	case int(b) < len(names):
		return names[b]
	case b == 0x7f:
		return "del"
	}
	return string(rune(b))
}
