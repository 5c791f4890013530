package jq

import (
	"math/big"
	"strings"
)

const (
	reset    = "\x1b[0m"
	keyColor = "\x1b[34;1m"
)

// palette is the colours of values: null, false, true, numbers, strings, arrays, objects.
// A nil one has none.
type palette [7]string

// newPalette gives the colours of jq, changed by a text such as JQ_COLORS has:
// "1;30:0;39". A text that is wrong changes nothing.
func newPalette(text string) *palette {
	p := palette{"1;30", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39"}
	if strings.Trim(text, "0123456789;:") == "" && text != "" {
		copy(p[:], strings.SplitN(text, ":", len(p)))
	}
	for i := range p {
		p[i] = "\x1b[" + p[i] + "m"
	}
	return &p
}

func (p *palette) of(v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return p[2]
		}
		return p[1]
	case int, float64, *big.Int, literal:
		return p[3]
	case string:
		return p[4]
	}
	return p[0]
}

func (p *palette) array() string {
	if p == nil {
		return ""
	}
	return p[5]
}

func (p *palette) object() string {
	if p == nil {
		return ""
	}
	return p[6]
}

func (p *palette) begin(b []byte, color string) []byte {
	if p == nil {
		return b
	}
	return append(b, color...)
}

func (p *palette) finish(b []byte) []byte {
	if p == nil {
		return b
	}
	return append(b, reset...)
}
