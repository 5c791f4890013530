package files

import "strings"

// printCommas shows names in a row, with commas, broken at the width.
func (l *ls) printCommas(entries []entry) {
	widths := l.frillWidths(entries)
	at := 0
	for i, e := range entries {
		n := l.length(e, widths)
		if i > 0 {
			if l.width == 0 || at+n+2 < l.width {
				l.out.WriteString(", ")
				at += 2
			} else {
				l.out.WriteString(",\n")
				at = 0
			}
		}
		l.out.WriteString(l.frills(e, widths) + l.shown(e))
		at += n
	}
	if len(entries) > 0 {
		l.out.WriteString(l.end)
	}
}

// printColumns shows names in columns, filled downwards or, with across, row by row.
func (l *ls) printColumns(entries []entry) {
	if len(entries) == 0 {
		return
	}
	frills := l.frillWidths(entries)
	lengths := make([]int, len(entries))
	for i, e := range entries {
		lengths[i] = l.length(e, frills)
	}
	widths := columnWidths(lengths, l.width, l.across)
	cols := len(widths)
	rows := (len(entries) + cols - 1) / cols
	for row := range rows {
		at := 0
		for col := range cols {
			i := row + col*rows
			next := i + rows
			if l.across {
				i, next = row*cols+col, row*cols+col+1
			}
			if i >= len(entries) {
				break
			}
			l.out.WriteString(l.frills(entries[i], frills) + l.shown(entries[i]))
			if next < len(entries) && col < cols-1 {
				l.out.WriteString(gap(at+lengths[i], at+widths[col]))
			}
			at += widths[col]
		}
		l.out.WriteString(l.end)
	}
}

// columnWidths finds the most columns that fit, each with two spaces behind its widest name.
func columnWidths(lengths []int, width int, across bool) []int {
	const narrowest = 3
	most := len(lengths)
	if width > 0 {
		most = min(most, max(1, (width+narrowest-1)/narrowest))
	}
	for cols := most; cols > 1; cols-- {
		rows := (len(lengths) + cols - 1) / cols
		widths := make([]int, cols)
		total := 0
		for i := range widths {
			widths[i] = narrowest
		}
		for i, n := range lengths {
			col := i / rows
			if across {
				col = i % cols
			}
			if col < cols-1 {
				n += 2
			}
			widths[col] = max(widths[col], n)
		}
		for _, w := range widths {
			total += w
		}
		if width == 0 || total < width {
			if !across {
				widths = widths[:(len(lengths)+rows-1)/rows]
			}
			return widths
		}
	}
	return []int{0}
}

// gap goes from one column of the screen to another, with tabs where they fit.
func gap(from, to int) string {
	var b strings.Builder
	for from < to {
		if to/8 > (from+1)/8 {
			b.WriteByte('\t')
			from += 8 - from%8
		} else {
			b.WriteByte(' ')
			from++
		}
	}
	return b.String()
}
