package text

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func columnCommand() *command.Command {
	return &command.Command{
		Name: "column", Group: "text", Short: "arrange lines in columns or as a table", Run: runColumn,
		Usage: `Usage: column [OPTION]... [FILE]...
Arrange the lines in columns, or with -t their fields as a table.

  -t, --table                  a table
  -s, --separator=CHARS        fields are parted by one of CHARS; blanks
  -o, --output-separator=TEXT  between the columns of the table; two spaces
  -N, --table-columns=NAMES    a heading with NAMES, parted by commas
  -d, --table-noheadings       no heading
  -R, --table-right=COLUMNS    align these to the right: numbers or names, 0 is all
  -H, --table-hide=COLUMNS     leave these out
  -O, --table-order=COLUMNS    write these first, in this order
  -l, --table-columns-limit=N  no more than N columns; the last one takes the rest of the line
  -L, --keep-empty-lines       keep empty lines
  -c, --output-width=N         width for columns; 80 or $COLUMNS
  -x, --fillrows               fill rows before columns`,
	}
}

type tabler struct {
	lines              [][]string
	separators, sep    string
	names              []string
	noHeading          bool
	right, hide, order string
	limit              int
	keepEmpty, fill    bool
	width              int
}

func runColumn(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "t,table s,separator: o,output-separator: N,table-columns: d,table-noheadings R,table-right: H,table-hide: O,table-order: l,table-columns-limit: L,keep-empty-lines c,output-width: x,fillrows")
	if err != nil {
		return c.UsageError(1, err)
	}
	t := &tabler{
		separators: o.Value("s", ""), sep: o.Value("o", "  "), noHeading: o.Has("d"), right: o.Value("R", ""), hide: o.Value("H", ""),
		order: o.Value("O", ""), keepEmpty: o.Has("L"), fill: o.Has("x"), width: 80,
	}
	if o.Has("N") {
		t.names = strings.Split(o.Value("N", ""), ",")
	}
	if n, err := strconv.Atoi(c.Getenv("COLUMNS")); err == nil && n > 0 {
		t.width = n
	}
	for name, field := range map[string]*int{"l": &t.limit, "c": &t.width} {
		if !o.Has(name) {
			continue
		}
		value := o.Value(name, "")
		if *field, err = strconv.Atoi(value); err != nil || *field < 1 {
			if value == "unlimited" {
				*field = 1 << 30
				continue
			}
			c.Errorf("invalid argument: '%s'", value)
			return 1
		}
	}
	table := o.Has("t", "N", "R", "H", "O", "l")
	code := eachInput(ctx, c, o.Args, func(_ string, r io.Reader) error {
		return eachLine(ctx, c, r, '\n', func(line []byte, _ bool) bool {
			t.add(string(line), table)
			return true
		})
	})
	if !table {
		t.columns(c.Out)
		return code
	}
	if err := t.table(c.Out); err != nil {
		c.Errorf("%v", err)
		return 1
	}
	return code
}

func (t *tabler) add(line string, table bool) {
	if strings.TrimSpace(line) == "" {
		if t.keepEmpty {
			t.lines = append(t.lines, []string{""})
		}
		return
	}
	if !table {
		t.lines = append(t.lines, []string{line})
		return
	}
	t.lines = append(t.lines, t.split(line))
}

// split gives the fields of a line; blanks in a row part once, other separators each.
func (t *tabler) split(line string) []string {
	var fields []string
	if t.separators != "" {
		for t.limit == 0 || len(fields) < t.limit-1 {
			i := strings.IndexAny(line, t.separators)
			if i < 0 {
				break
			}
			fields = append(fields, line[:i])
			_, n := utf8.DecodeRuneInString(line[i:])
			line = line[i+n:]
		}
		return append(fields, line)
	}
	line = strings.TrimLeft(line, " \t")
	for line != "" {
		i := strings.IndexAny(line, " \t")
		if i < 0 || t.limit > 0 && len(fields) == t.limit-1 {
			return append(fields, line)
		}
		fields = append(fields, line[:i])
		line = strings.TrimLeft(line[i:], " \t")
	}
	return fields
}

// columns fills the width of the terminal, column by column or row by row.
func (t *tabler) columns(w *command.Writer) {
	widest := 0
	for _, l := range t.lines {
		widest = max(widest, textWidth(l[0]))
	}
	const tab = 8
	step := (widest + tab) / tab * tab
	columns := max(1, t.width/step)
	n := len(t.lines)
	rows := (n + columns - 1) / columns
	for row := range rows {
		for column := range columns {
			i := column*rows + row
			next := i + rows
			if t.fill {
				i = row*columns + column
				if next = i + 1; column == columns-1 {
					next = n
				}
			}
			if i >= n {
				break
			}
			w.WriteString(t.lines[i][0])
			if next >= n || column == columns-1 {
				break
			}
			have := textWidth(t.lines[i][0])
			w.WriteString(strings.Repeat("\t", (step-have+tab-1)/tab))
		}
		w.WriteByte('\n')
	}
}

// column gives the index of a column by its name or number.
func (t *tabler) column(name string) (int, error) {
	if i := slices.Index(t.names, name); i >= 0 {
		return i, nil
	}
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("undefined column name '%s'", name)
	}
	return n - 1, nil
}

func (t *tabler) columnList(list string, n int) ([]int, error) {
	var out []int
	if list == "" {
		return nil, nil
	}
	for _, name := range strings.Split(list, ",") {
		if name == "0" || name == "-" {
			for i := range n {
				out = append(out, i)
			}
			continue
		}
		i, err := t.column(name)
		if err != nil {
			return nil, err
		}
		if i >= n {
			return nil, errors.New("columns list contains a number that is out of range")
		}
		out = append(out, i)
	}
	return out, nil
}

func (t *tabler) table(w *command.Writer) error {
	if len(t.lines) == 0 {
		return nil
	}
	n := len(t.names)
	for _, l := range t.lines {
		n = max(n, len(l))
	}
	var lists [3][]int
	for i, list := range []string{t.right, t.hide, t.order} {
		var err error
		if lists[i], err = t.columnList(list, n); err != nil {
			return err
		}
	}
	shown := slices.Clone(lists[2])
	for i := range n {
		if !slices.Contains(shown, i) {
			shown = append(shown, i)
		}
	}
	shown = slices.DeleteFunc(shown, func(i int) bool { return slices.Contains(lists[1], i) })
	rows := t.lines
	if t.names != nil && !t.noHeading {
		rows = append([][]string{t.names}, rows...)
	}
	widths := make([]int, n)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], textWidth(cell))
		}
	}
	for _, row := range rows {
		for at, i := range shown {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			pad := strings.Repeat(" ", widths[i]-textWidth(cell))
			last := at == len(shown)-1
			switch {
			case slices.Contains(lists[0], i):
				cell = pad + cell
			case !last:
				cell += pad
			}
			w.WriteString(cell)
			if !last {
				w.WriteString(t.sep)
			}
		}
		w.WriteByte('\n')
	}
	return nil
}
