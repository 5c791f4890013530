package data

import (
	"fmt"
	"strconv"
	"strings"
)

// Colours of --color.
const (
	boldColor  = "\x1b[1m"
	rangeColor = "\x1b[36m"
	goneColor  = "\x1b[31m"
	newColor   = "\x1b[32m"
	endColor   = "\x1b[0m"
)

func (f *difference) write(d *differ) {
	switch d.form {
	case 'u':
		f.unified(d)
	case 'c':
		f.context(d)
	default:
		f.normal(d)
	}
}

// line writes one line of a file after a mark.
func (f *difference) line(d *differ, mark, color, line string) {
	text, newline := strings.CutSuffix(line, "\n")
	if f.cr {
		text = strings.TrimSuffix(text, "\r")
	}
	d.put(color, mark+text)
	if !newline {
		d.c.Out.WriteString("\n\\ No newline at end of file")
	}
	d.c.Out.WriteByte('\n')
}

// put writes a text in a colour, when there are colours.
func (d *differ) put(color, text string) {
	if !d.color || color == "" {
		d.c.Out.WriteString(text)
		return
	}
	d.c.Out.WriteString(color + text + endColor)
}

func (f *difference) normal(d *differ) {
	for i, c := range f.changes {
		if f.ignored[i] {
			continue
		}
		kind := "c"
		switch {
		case c.a0 == c.a1:
			kind = "a"
		case c.b0 == c.b1:
			kind = "d"
		}
		d.put(rangeColor, span(c.a0, c.a1)+kind+span(c.b0, c.b1))
		d.c.Out.WriteByte('\n')
		for _, line := range f.a[c.a0:c.a1] {
			f.line(d, "< ", goneColor, line)
		}
		if kind == "c" {
			d.c.Out.WriteString("---\n")
		}
		for _, line := range f.b[c.b0:c.b1] {
			f.line(d, "> ", newColor, line)
		}
	}
}

// span gives lines [from, to) as "4" or "4,6"; none is the line before.
func span(from, to int) string {
	if to <= from+1 {
		return strconv.Itoa(to)
	}
	return fmt.Sprintf("%d,%d", from+1, to)
}

// hunk is changes that stand so close that they share context.
type hunk struct {
	changes        []change
	a0, a1, b0, b1 int
	function       string
}

func (f *difference) hunks(d *differ) []hunk {
	var all []hunk
	for i := 0; i < len(f.changes); {
		j := i + 1
		for j < len(f.changes) {
			gap := 2*d.lines + 1
			if f.ignored[j] {
				gap = d.lines
			}
			if f.changes[j].a0-f.changes[j-1].a1 >= gap {
				break
			}
			j++
		}
		h := hunk{changes: f.changes[i:j]}
		shown := false
		for k := i; k < j; k++ {
			shown = shown || !f.ignored[k]
		}
		i = j
		if !shown {
			continue
		}
		first, last := h.changes[0], h.changes[len(h.changes)-1]
		h.a0, h.b0 = max(first.a0-d.lines, 0), max(first.b0-d.lines, 0)
		h.a1, h.b1 = min(last.a1+d.lines, len(f.a)), min(last.b1+d.lines, len(f.b))
		if d.function {
			h.function = f.functionBefore(h.a0)
		}
		all = append(all, h)
	}
	return all
}

// functionBefore gives the last line before one that begins as a function does.
func (f *difference) functionBefore(at int) string {
	for i := at - 1; i >= 0; i-- {
		line := strings.TrimRight(f.a[i], " \t\r\n")
		if line != "" && (line[0]|0x20 >= 'a' && line[0]|0x20 <= 'z' || line[0] == '_' || line[0] == '$') {
			return " " + strings.TrimRight(line[:min(len(line), 40)], " \t")
		}
	}
	return ""
}

func (f *difference) unified(d *differ) {
	d.put(boldColor, "--- "+f.nameA)
	d.c.Out.WriteByte('\n')
	d.put(boldColor, "+++ "+f.nameB)
	d.c.Out.WriteByte('\n')
	for _, h := range f.hunks(d) {
		d.put(rangeColor, fmt.Sprintf("@@ -%s +%s @@", unifiedSpan(h.a0, h.a1), unifiedSpan(h.b0, h.b1)))
		d.c.Out.WriteString(h.function + "\n")
		at := h.a0
		for _, c := range h.changes {
			for ; at < c.a0; at++ {
				f.line(d, " ", "", f.a[at])
			}
			for ; at < c.a1; at++ {
				f.line(d, "-", goneColor, f.a[at])
			}
			for _, line := range f.b[c.b0:c.b1] {
				f.line(d, "+", newColor, line)
			}
		}
		for ; at < h.a1; at++ {
			f.line(d, " ", "", f.a[at])
		}
	}
}

func unifiedSpan(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return strconv.Itoa(to)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func (f *difference) context(d *differ) {
	d.put(boldColor, "*** "+f.nameA)
	d.c.Out.WriteByte('\n')
	d.put(boldColor, "--- "+f.nameB)
	d.c.Out.WriteByte('\n')
	for _, h := range f.hunks(d) {
		d.c.Out.WriteString("***************" + h.function + "\n")
		d.put(rangeColor, "*** "+contextSpan(h.a0, h.a1)+" ****")
		d.c.Out.WriteByte('\n')
		f.contextSide(d, h, f.a, h.a0, h.a1, "- ", goneColor, func(c change) (from, to int, other bool) { return c.a0, c.a1, c.b1 > c.b0 })
		d.put(rangeColor, "--- "+contextSpan(h.b0, h.b1)+" ----")
		d.c.Out.WriteByte('\n')
		f.contextSide(d, h, f.b, h.b0, h.b1, "+ ", newColor, func(c change) (from, to int, other bool) { return c.b0, c.b1, c.a1 > c.a0 })
	}
}

func contextSpan(from, to int) string {
	if to-from <= 1 {
		return strconv.Itoa(to)
	}
	return fmt.Sprintf("%d,%d", from+1, to)
}

// contextSide writes one file's part of a hunk; nothing when it has no change there.
func (f *difference) contextSide(d *differ, h hunk, lines []string, from, to int, mark, color string, of func(change) (from, to int, other bool)) {
	any := false
	for _, c := range h.changes {
		c0, c1, _ := of(c)
		any = any || c1 > c0
	}
	if !any {
		return
	}
	at := from
	for _, c := range h.changes {
		c0, c1, both := of(c)
		for ; at < c0; at++ {
			f.line(d, "  ", "", lines[at])
		}
		for ; at < c1; at++ {
			if both {
				f.line(d, "! ", color, lines[at])
			} else {
				f.line(d, mark, color, lines[at])
			}
		}
	}
	for ; at < to; at++ {
		f.line(d, "  ", "", lines[at])
	}
}
