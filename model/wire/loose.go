package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Loose is a text where servers also send null or something else, which counts as none; a
// number is taken as its text.
type Loose string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Loose) UnmarshalJSON(b []byte) error {
	*l = ""
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(l))
	}
	if len(b) > 0 && (b[0] == '-' || '0' <= b[0] && b[0] <= '9') {
		*l = Loose(b)
	}
	return nil
}

// Index is a whole number that may be absent.
type Index struct {
	Set bool
	N   int
}

// UnmarshalJSON implements [json.Unmarshaler].
func (i *Index) UnmarshalJSON(b []byte) error {
	n, err := strconv.Atoi(string(bytes.Trim(b, `"`)))
	*i = Index{Set: err == nil, N: n}
	return nil
}

// Count is a number of tokens that may be absent: then N is nil.
type Count struct{ N *int64 }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Count) UnmarshalJSON(b []byte) error {
	c.N = nil
	if f, err := strconv.ParseFloat(string(b), 64); err == nil && f >= 0 && f < 1<<53 {
		n := int64(f)
		c.N = &n
	}
	return nil
}

// Joined is a text that comes as pieces of JSON strings. The pieces are joined before
// they are decoded: an escaped character may be split over two of them.
type Joined struct{ raw []byte }

// Add takes a JSON string; anything else is no text and is refused.
func (j *Joined) Add(raw json.RawMessage) bool {
	if len(raw) < 2 || raw[0] != '"' {
		return false
	}
	j.raw = append(j.raw, raw[1:len(raw)-1]...)
	return true
}

// Prepend puts a JSON string before all pieces.
func (j *Joined) Prepend(raw json.RawMessage) {
	if len(raw) >= 2 && raw[0] == '"' {
		j.raw = append(append([]byte(nil), raw[1:len(raw)-1]...), j.raw...)
	}
}

// Raw gives the pieces as they came, without quotes.
func (j *Joined) Raw() []byte { return j.raw }

// JSON gives the whole as one JSON string.
func (j *Joined) JSON() json.RawMessage {
	out := make([]byte, 0, len(j.raw)+2)
	out = append(out, '"')
	out = append(out, j.raw...)
	return append(out, '"')
}

// Text gives the whole as text.
func (j *Joined) Text() string {
	if len(j.raw) == 0 {
		return ""
	}
	return Decode(j.JSON())
}

// Decode gives the text of a JSON string; "" for anything else.
func Decode(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// None says whether a value is absent or null.
func None(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
