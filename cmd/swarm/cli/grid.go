package cli

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// grid is a table whose last column takes what is left of the width of a terminal. What
// goes elsewhere is not cut.
type grid struct {
	indent string
	rows   [][]string
}

// leastLast is the room that the last column needs beside the others; with less it stands
// on a line of its own.
const leastLast = 24

func (g *grid) row(cells ...string) { g.rows = append(g.rows, cells) }

// print writes the table.
func (g *grid) print(a *app) error {
	_, err := a.out.Write([]byte(g.text(a.outWidth())))
	return err
}

// text lays the table out for a width; 0: there is no bound. Cells are safe to show.
func (g *grid) text(width int) string {
	var widths []int
	for _, row := range g.rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(cell))
		}
	}
	var b strings.Builder
	for _, row := range g.rows {
		line, last := g.indent, row[len(row)-1]
		for i, cell := range row[:len(row)-1] {
			line += padded(cell, widths[i]) + "  "
		}
		switch left := width - columns(line); {
		case width == 0 || columns(last) <= left:
			line += last
		case left >= leastLast:
			line += cut(last, left)
		default:
			if line = strings.TrimRight(line, " "); columns(line) > width {
				line = g.indent + strings.Join(row[:len(row)-1], "  ")
			}
			line = cut(line, width) + "\n" + g.indent + "    " + cut(last, width-len(g.indent)-4)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// outWidth is the width of the terminal that standard output is; 0: it is none.
func (a *app) outWidth() int {
	f, ok := a.out.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}
