package secret

import (
	"slices"
	"strings"
)

// matcher finds the forms of values. Each form is known by its first 8 bytes: a text is
// read byte by byte with these 8 as one number, and a filter tells almost always at once
// that no form begins with it.
type matcher struct {
	values map[string]string // by name, as they were given
	unseen []string

	filter  [1 << (filterBits - 6)]uint64 // a bit per hash of a head
	heads   map[uint64][]needle           // by the first 8 bytes, longest first
	starts  [256]bool                     // first bytes
	longest int                           // bytes
}

// needle is a form of a value.
type needle struct {
	text string
	as   string // the placeholder
	cut  int    // fewest bytes of it that count where the text was cut
}

// hit is a place where a value stands.
type hit struct {
	start, end int
	as         string
}

const (
	headBytes  = 8
	filterBits = 16
)

func (m *matcher) add(text, as string) {
	head := headOf(text)
	for _, n := range m.heads[head] {
		if n.text == text {
			return // of the name before, or another way to the same form
		}
	}
	m.heads[head] = append(m.heads[head], needle{text, as, max(headBytes, (len(text)+1)/2)})
	slot, bit := bucket(head)
	m.filter[slot] |= bit
	m.starts[text[0]] = true
	m.longest = max(m.longest, len(text))
}

// order puts the longest of the forms with one head first.
func (m *matcher) order() {
	for _, list := range m.heads {
		slices.SortStableFunc(list, func(a, b needle) int { return len(b.text) - len(a.text) })
	}
}

// headOf gives the first 8 bytes as a number.
func headOf(text string) (v uint64) {
	_ = text[headBytes-1]
	for i := range headBytes {
		v |= uint64(text[i]) << (8 * i)
	}
	return v
}

// bucket gives the place of a head in the filter. The factor is 2⁶⁴ over the golden ratio.
func bucket(head uint64) (slot int, bit uint64) {
	h := head * 0x9e3779b97f4a7c15 >> (64 - filterBits)
	return int(h >> 6), 1 << (h & 63)
}

// next finds the first value from a place on. In a text that goes on, final is false: then
// the beginning of a value at its end was not cut.
func (m *matcher) next(text string, from int, final bool) (hit, bool) {
	if len(text)-from < headBytes {
		return hit{}, false
	}
	head := headOf(text[from:])
	for i := from; ; i++ {
		if slot, bit := bucket(head); m.filter[slot]&bit != 0 {
			if h, ok := m.at(text, i, head, final); ok {
				return h, true
			}
		}
		if i+headBytes >= len(text) {
			return hit{}, false
		}
		head = head>>8 | uint64(text[i+headBytes])<<56
	}
}

// at says which value stands at a place.
func (m *matcher) at(text string, i int, head uint64, final bool) (found hit, ok bool) {
	for _, n := range m.heads[head] {
		l := common(text[i:], n.text)
		if l == len(n.text) && i+l >= found.end {
			return hit{i, i + l, n.as}, true // those that follow are shorter
		}
		if l >= n.cut && i+l > found.end && isCut(text[i+l:], final) {
			found, ok = hit{i, i + l, n.as}, true
		}
	}
	return found, ok
}

// common gives how many bytes two texts begin with alike.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// isCut says whether what follows shows that a text was cut before it.
func isCut(rest string, final bool) bool {
	return final && rest == "" || strings.HasPrefix(rest, "…") || strings.HasPrefix(rest, "...")
}

// hold gives the place from which on a text may be the beginning of a value.
func (m *matcher) hold(text string) int {
	for i := max(0, len(text)-m.longest+1); i < len(text); i++ {
		if m.starts[text[i]] && m.begins(text[i:]) {
			return i
		}
	}
	return len(text)
}

// begins says whether a form begins with a text and is longer.
func (m *matcher) begins(text string) bool {
	for _, list := range m.heads { // any will do
		for i := range list {
			if n := list[i].text; len(n) > len(text) && strings.HasPrefix(n, text) {
				return true
			}
		}
	}
	return false
}
