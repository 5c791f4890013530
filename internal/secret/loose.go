package secret

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// loose masks what looks like JSON and is none, such as arguments that were cut. Values are
// found as they stand, and in what is read when the escapes of JSON are undone, up to
// maxLayers times.
func (s Set) loose(text string) string {
	var hits []hit // by place in text
	layer := unescaped{text: text}
	for n := 0; ; n++ {
		hits = append(hits, s.within(&layer)...)
		if n > maxLayers || strings.IndexByte(layer.text, '\\') < 0 {
			break
		}
		layer = layer.undo()
	}
	if len(hits) == 0 {
		return text
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	from := 0
	for i := 0; i < len(hits); {
		h := hits[i]
		for i++; i < len(hits) && hits[i].start < h.end; i++ {
			h.end = max(h.end, hits[i].end) // one place, read in two ways
		}
		b.WriteString(text[from:h.start])
		b.WriteString(h.as)
		from = h.end
	}
	b.WriteString(text[from:])
	return b.String()
}

// within gives the values in a layer, by their places in the text of the first one.
func (s Set) within(l *unescaped) (hits []hit) {
	m := s.of()
	for h, ok := m.next(l.text, 0, true); ok; h, ok = m.next(l.text, h.end, true) {
		hits = append(hits, hit{l.place(h.start), l.place(h.end), h.as})
	}
	return hits
}

// unescaped is a text whose escapes were undone, with the places that its bytes come from;
// nil: every byte is its own.
type unescaped struct {
	text   string
	places []int // one more than bytes: the last is the end
}

func (u *unescaped) place(i int) int {
	if u.places == nil {
		return i
	}
	return u.places[i]
}

// undo undoes one layer of escapes. One that is cut at the end of the text is left out:
// the text before it was cut there too.
func (u *unescaped) undo() unescaped {
	var b strings.Builder
	b.Grow(len(u.text))
	places := make([]int, 0, len(u.text)+1)
	i := 0
	for i < len(u.text) {
		r, n := escape(u.text[i:])
		if n < 0 {
			break
		}
		before := b.Len()
		switch {
		case n == 0: // a byte as it is
			b.WriteByte(u.text[i])
			n = 1
		default:
			b.WriteRune(r)
		}
		for range b.Len() - before {
			places = append(places, u.place(i))
		}
		i += n
	}
	return unescaped{b.String(), append(places, u.place(i))}
}

// escape reads the escape that a text begins with, and gives how many bytes it has; 0: there
// is none, below 0: it was cut.
func escape(text string) (r rune, n int) {
	if text[0] != '\\' {
		return 0, 0
	}
	if len(text) == 1 {
		return 0, -1
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b', 'f', 'n', 'r', 't':
		return rune("\b\f\n\r\t"[strings.IndexByte("bfnrt", c)]), 2
	case 'u':
	default:
		return 0, 0
	}
	r, n = unit(text)
	if n <= 0 || !utf16.IsSurrogate(r) {
		return r, n
	}
	if low, more := unit(text[n:]); more > 0 {
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			return both, n + more
		}
	}
	return utf8.RuneError, n
}

// unit reads \uXXXX.
func unit(text string) (r rune, n int) {
	const size = len(`\u0000`)
	if !strings.HasPrefix(text, `\u`) {
		return 0, 0
	}
	if len(text) < size {
		return 0, -1
	}
	v, err := strconv.ParseUint(text[2:size], 16, 16)
	if err != nil {
		return 0, 0
	}
	return rune(v), size
}
