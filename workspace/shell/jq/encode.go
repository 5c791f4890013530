package jq

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// style is how values are written.
type style struct {
	indent string // of one level; "" is compact
	ascii  bool
	sorted bool     // keys by their order, not as they came
	most   int      // bytes, after which the rest may be left out; 0: all
	colors *palette // nil: none
}

// tooDeep stands for what is nested so deep that only a query can have made it.
const tooDeep = `"<skipped: too deep>"`

// appendValue appends a value as JSON.
func (s *style) appendValue(b []byte, v any) []byte { return s.append(b, v, 0) }

func (s *style) append(b []byte, v any, depth int) []byte {
	switch v := v.(type) {
	case *array:
		if depth > maxDepth {
			return append(b, tooDeep...)
		}
		return s.appendArray(b, v.list(), depth)
	case *object:
		if depth > maxDepth {
			return append(b, tooDeep...)
		}
		return s.appendObject(b, v.own(), depth)
	}
	if s.colors == nil {
		return s.appendScalar(b, v)
	}
	b = append(b, s.colors.of(v)...)
	b = s.appendScalar(b, v)
	return append(b, reset...)
}

func (s *style) appendScalar(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case float64:
		return appendFloat(b, v)
	case *big.Int:
		return v.Append(b, 10)
	case literal:
		return append(b, v...)
	case string:
		return s.appendString(b, v)
	}
	panic("a value that is none of JSON")
}

func (s *style) appendArray(b []byte, list []any, depth int) []byte {
	c := s.colors
	b = c.begin(b, c.array())
	if len(list) == 0 {
		b = append(b, "[]"...)
		return c.finish(b)
	}
	b = append(b, '[')
	for i, v := range list {
		if s.most > 0 && len(b) > s.most {
			return b
		}
		if i > 0 {
			b = append(c.begin(b, c.array()), ',')
		}
		b = s.newline(b, depth+1)
		b = s.append(b, v, depth+1)
	}
	b = c.begin(b, c.array())
	b = s.newline(b, depth)
	b = c.begin(b, c.array())
	b = append(b, ']')
	return c.finish(b)
}

func (s *style) appendObject(b []byte, o *object, depth int) []byte {
	c := s.colors
	b = c.begin(b, c.object())
	if len(o.keys) == 0 {
		b = append(b, "{}"...)
		return c.finish(b)
	}
	b = append(b, '{')
	var order []int
	if s.sorted {
		order = o.sorted()
	}
	for i := range o.keys {
		if s.most > 0 && len(b) > s.most {
			return b
		}
		at := i
		if order != nil {
			at = order[i]
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = s.newline(b, depth+1)
		b = c.finish(b)
		b = c.begin(b, keyColor)
		b = s.appendString(b, o.keys[at])
		b = c.finish(b)
		b = c.begin(b, c.object())
		b = append(b, ':')
		if s.indent != "" {
			b = append(b, ' ')
		}
		b = c.finish(b)
		b = s.append(b, o.vals[at], depth+1)
		b = c.begin(b, c.object())
	}
	b = s.newline(b, depth)
	b = c.begin(b, c.object())
	b = append(b, '}')
	return c.finish(b)
}

func (s *style) newline(b []byte, depth int) []byte {
	if s.indent == "" {
		return b
	}
	b = append(b, '\n')
	for range depth {
		b = append(b, s.indent...)
	}
	return b
}

// appendFloat appends a number that was computed, with as many digits as it needs.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "null"...)
	case math.IsInf(f, 0):
		f = math.Copysign(math.MaxFloat64, f)
	case f == 0:
		if math.Signbit(f) {
			return append(b, "-0"...)
		}
		return append(b, '0')
	}
	var room [32]byte
	exact := strconv.AppendFloat(room[:0], f, 'e', -1, 64) // such as -1.25e-07
	at := slices.Index(exact, 'e')
	exponent, _ := strconv.Atoi(string(exact[at+1:]))
	digits := at
	if exact[0] == '-' {
		digits--
	}
	if digits > 1 {
		digits-- // the point
	}
	if exponent <= -5 || exponent+1 > digits+15 {
		return append(b, exact...)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

const hexDigits = "0123456789abcdef"

func (s *style) appendString(b []byte, v string) []byte {
	if s.most > 0 && len(v) > s.most {
		v = v[:s.most]
	}
	b = append(b, '"')
	from := 0
	for i := 0; i < len(v); {
		c := v[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(v[i:]); !s.ascii && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
		}
		b = append(b, v[from:i]...)
		b = s.appendEscaped(b, r)
		i += size
		from = i
	}
	b = append(b, v[from:]...)
	return append(b, '"')
}

func (s *style) appendEscaped(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	switch {
	case r >= utf8.RuneSelf && !s.ascii:
		return utf8.AppendRune(b, r)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return appendHex(appendHex(b, high), low)
	}
	return appendHex(b, r)
}

func appendHex(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
