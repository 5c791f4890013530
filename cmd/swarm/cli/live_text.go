package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

const marks = 4 // combining marks that one character keeps

// safe makes a text safe for one row of a terminal: spaces instead of what moves the
// cursor, and nothing that is invisible, that turns the direction of writing, or that
// terminals give different widths to.
func safe(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return cleaned(s)
		}
	}
	return s
}

func cleaned(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	n := 0
	for _, r := range s {
		switch {
		case r >= 0x1f3fb && r <= 0x1f3ff: // tones of skin
			continue
		case unicode.In(r, unicode.Mn, unicode.Me):
			if n++; n > marks || r >= 0xfe00 && r <= 0xfe0f { // variants of the character before
				continue
			}
			b.WriteRune(r)
			continue
		case unicode.In(r, unicode.Cf, unicode.Co):
			continue
		case unicode.IsControl(r), unicode.IsSpace(r):
			r = ' '
		}
		n = 0
		b.WriteRune(r)
	}
	return b.String()
}

// columns gives the width of a safe text.
func columns(s string) int { return ansi.StringWidthWc(s) }

// cut shortens a safe text to a width.
func cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(s) <= width || columns(s) <= width {
		return s
	}
	return ansi.TruncateWc(s, width, "…")
}

// padded cuts a safe text, or fills it up with spaces.
func padded(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", max(width-columns(s), 0))
}

// wrapped makes rows of a safe text.
func wrapped(s string, width int) []string {
	if len(s) <= width {
		return []string{s}
	}
	return strings.Split(ansi.HardwrapWc(s, max(width, 2), true), "\n")
}

// folded breaks a line of progress into rows, between words where that is possible. Rows
// but the first stand below the text, right of the column that ends with two spaces.
func folded(s string, width int) []string {
	if columns(s) <= width {
		return []string{s}
	}
	lead := ""
	if i := strings.Index(s, "  "); i > 0 {
		lead = s[:len(s)-len(strings.TrimLeft(s[i:], " "))]
	}
	indent := columns(lead)
	if indent > width/2 {
		lead, indent = "", 0
	}
	var rows []string
	for row := range strings.SplitSeq(ansi.WrapWc(s[len(lead):], max(width-indent, 2), ""), "\n") {
		rows = append(rows, lead+strings.TrimSpace(row))
		lead = strings.Repeat(" ", indent)
	}
	return rows
}

// tail gives the newest rows of a text that is still coming, at most n.
func tail(text string, width, n int) []string {
	if width < 2 || n <= 0 {
		return nil
	}
	// No row takes more bytes than this, except those of marks.
	if most := width * n * 8; len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "")
	}
	var rows []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(safe(line)); line != "" {
			rows = append(rows, wrapped(line, width)...)
		}
	}
	return rows[max(len(rows)-n, 0):]
}

// compact writes a number of tokens of a usage in few characters. What servers did not
// say is unknown, except before the first answer.
func compact(of journal.Usage, n *int64) string {
	switch {
	case of == journal.Usage{}:
		return "0"
	case n == nil:
		return "?"
	}
	v, unit := float64(*n), ""
	for _, next := range []string{"k", "M", "G"} {
		if v < 999.5 {
			break
		}
		v, unit = v/1000, next
	}
	if unit == "" || v >= 9.95 {
		return fmt.Sprintf("%.0f%s", v, unit)
	}
	return fmt.Sprintf("%.1f%s", v, unit)
}

// lasted says how long something has taken, in whole seconds; nothing below one.
func lasted(d time.Duration) string {
	if d < time.Second {
		return ""
	}
	return d.Truncate(time.Second).String()
}
