package secret

import "strings"

// Stream masks a text that comes in pieces. What may be the beginning of a value is held
// back until it is known whether it is one.
type Stream struct {
	set  Set
	held string
}

// Stream begins a text.
func (s Set) Stream() *Stream { return &Stream{set: s} }

// Next takes a piece and gives what can be shown so far. It may be empty.
func (t *Stream) Next(piece string) string {
	if t.set.Empty() {
		return piece
	}
	m, text := t.set.of(), t.held+piece
	end := m.hold(text)
	var b strings.Builder
	from := 0
	for {
		h, ok := m.next(text, from, false)
		if !ok || h.start >= end {
			break
		}
		if h.end > end { // what ends it may begin another one
			end = h.start
			break
		}
		b.WriteString(text[from:h.start])
		b.WriteString(h.as)
		from = h.end
	}
	b.WriteString(text[from:end])
	t.held = text[end:]
	return b.String()
}

// End gives the rest. The stream may be used for another text then.
func (t *Stream) End() string {
	rest := t.set.Mask(t.held)
	t.held = ""
	return rest
}
