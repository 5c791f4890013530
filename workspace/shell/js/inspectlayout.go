package js

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
	"golang.org/x/text/width"
)

// join sets what an object shows in one line or in several.
func (n *inspector) join(output []string, s *shape, level int) string {
	if n.compact > 0 {
		entries := len(output)
		if s.array && entries > 6 {
			output = n.columns(output, s.numbers)
		}
		if n.current-level < n.compact && entries == len(output) {
			start := len(output) + n.indent + units(s.open) + units(s.base) + 10
			if n.fits(output, start, s.base) {
				joined := strings.Join(output, ", ")
				if !strings.Contains(joined, "\n") {
					return based(s.base) + s.open + " " + joined + " " + s.close
				}
			}
		}
	}
	line := "\n" + strings.Repeat(" ", n.indent)
	return based(s.base) + s.open + line + "  " + strings.Join(output, ","+line+"  ") + line + s.close
}

func based(base string) string {
	if base == "" {
		return ""
	}
	return base + " "
}

func (n *inspector) fits(output []string, start int, base string) bool {
	total := len(output) + start
	if total+len(output) > n.breakAt {
		return false
	}
	for _, s := range output {
		if total += units(s); total > n.breakAt {
			return false
		}
	}
	return !strings.Contains(base, "\n")
}

// columns sets short elements in columns: about as wide as high, at most 16 and no wider
// than a line.
func (n *inspector) columns(output []string, right bool) []string {
	shown := len(output)
	rest := ""
	if last := output[shown-1]; strings.HasPrefix(last, "... ") && strings.Contains(last, " more item") {
		shown--
		rest = last
	}
	lengths := make([]int, shown)
	total, widest := 0, 0
	for i := range shown {
		lengths[i] = columnsOf(output[i])
		total += lengths[i] + 2
		widest = max(widest, lengths[i])
	}
	cell := widest + 2
	if cell*3+n.indent >= n.breakAt || !(float64(total)/float64(cell) > 5 || widest <= 6) {
		return output
	}
	bias := math.Sqrt(float64(cell) - float64(total)/float64(len(output)))
	biased := math.Max(float64(cell)-3-bias, 1)
	count := min(int(math.Round(math.Sqrt(2.5*biased*float64(shown))/biased)), (n.breakAt-n.indent)/cell, n.compact*4, 15)
	if count <= 1 {
		return output
	}
	widths := make([]int, count)
	for i := range widths {
		for j := i; j < shown; j += count {
			widths[i] = max(widths[i], lengths[j])
		}
		widths[i] += 2
	}
	var lines []string
	for i := 0; i < shown; i += count {
		var b strings.Builder
		end := min(i+count, shown)
		for j := i; j < end; j++ {
			last := j == end-1
			text := output[j]
			if !last {
				text += ", "
			}
			padding := widths[j-i] - lengths[j] - 2
			switch {
			case right:
				b.WriteString(strings.Repeat(" ", max(0, padding)) + text)
			case last:
				b.WriteString(text)
			default:
				b.WriteString(text + strings.Repeat(" ", max(0, padding)))
			}
		}
		lines = append(lines, b.String())
	}
	if rest != "" {
		lines = append(lines, rest)
	}
	return lines
}

// units gives the length of a text as the language counts it.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// columnsOf gives how wide a text is on a terminal.
func columnsOf(s string) int {
	n := 0
	for _, r := range s {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// quote shows a text in the quotes that need the fewest escapes.
func quote(s string) string {
	mark := quoteMark(s)
	var b strings.Builder
	b.WriteByte(mark)
	for _, r := range s {
		writeEscaped(&b, r, mark)
	}
	b.WriteByte(mark)
	return b.String()
}

func quoteMark(s string) byte {
	if strings.Contains(s, "'") {
		switch {
		case !strings.Contains(s, `"`):
			return '"'
		case !strings.Contains(s, "`") && !strings.Contains(s, "${"):
			return '`'
		}
	}
	return '\''
}

const shortEscapes = "\b\t\n\f\r\\"

func writeEscaped(b *strings.Builder, r rune, mark byte) {
	const hex = "0123456789ABCDEF"
	switch i := strings.IndexRune(shortEscapes, r); {
	case r == rune(mark):
		b.WriteByte('\\')
		b.WriteByte(mark)
	case i >= 0 && r < utf8.RuneSelf:
		b.WriteByte('\\')
		b.WriteByte(`btnfr\`[i])
	case r < 0x20 || r >= 0x7f && r <= 0x9f:
		b.WriteString(`\x`)
		b.WriteByte(hex[r>>4])
		b.WriteByte(hex[r&15])
	default:
		b.WriteRune(r)
	}
}

// quoteValue shows a string of the language, whose lone surrogates Go does not know.
func quoteValue(v goja.String) string {
	s := v.String()
	if !strings.ContainsRune(s, utf8.RuneError) {
		return quote(s)
	}
	mark := quoteMark(s)
	var b strings.Builder
	b.WriteByte(mark)
	for i := 0; i < v.Length(); i++ {
		c := rune(v.CharAt(i))
		if !utf16.IsSurrogate(c) {
			writeEscaped(&b, c, mark)
			continue
		}
		pair := rune(utf8.RuneError)
		if i+1 < v.Length() {
			pair = utf16.DecodeRune(c, rune(v.CharAt(i+1)))
		}
		if pair != utf8.RuneError {
			b.WriteRune(pair)
			i++
		} else {
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	b.WriteByte(mark)
	return b.String()
}
