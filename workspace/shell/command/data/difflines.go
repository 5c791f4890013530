package data

import (
	"strings"
	"unicode"
)

// sameness says which lines count as equal.
type sameness struct{ fold, tabs, trailing, amount, all, cr bool }

// key gives what lines that count as equal have in common.
func (s sameness) key(line string) string {
	text, newline := strings.CutSuffix(line, "\n")
	if s.cr {
		text = strings.TrimSuffix(text, "\r")
	}
	switch {
	case s.all:
		text = strings.Join(strings.Fields(text), "")
	case s.amount:
		var b strings.Builder
		space := false
		for _, r := range strings.TrimRightFunc(text, unicode.IsSpace) {
			if unicode.IsSpace(r) {
				space = true
				continue
			}
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(r)
		}
		text = b.String()
	case s.trailing:
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	if s.tabs && !s.all && !s.amount {
		text = expandTabs(text)
	}
	if s.fold {
		text = strings.ToLower(text)
	}
	if newline || s.all || s.amount || s.trailing {
		text += "\n"
	}
	return text
}

func expandTabs(text string) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	var b strings.Builder
	column := 0
	for _, r := range text {
		if r == '\t' {
			n := 8 - column%8
			b.WriteString(strings.Repeat(" ", n))
			column += n
			continue
		}
		b.WriteRune(r)
		column++
	}
	return b.String()
}

func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// difference is two files and the changes between them.
type difference struct {
	a, b         []string // lines with their newlines
	changes      []change
	ignored      []bool // of changes: blank lines only
	nameA, nameB string
	cr           bool // carriage returns at the ends of lines are not shown
}

// compare finds the changes. There are none when all of them are to be ignored.
func (d *differ) compare(textA, textB string) *difference {
	f := &difference{a: splitLines(textA), b: splitLines(textB), cr: d.same.cr}
	numbers := map[string]int{}
	number := func(lines []string) []int {
		all := make([]int, len(lines))
		for i, line := range lines {
			key := line
			if d.same != (sameness{}) {
				key = d.same.key(line)
			}
			n, ok := numbers[key]
			if !ok {
				n = len(numbers)
				numbers[key] = n
			}
			all[i] = n
		}
		return all
	}
	before, after := d.ends(f.a, f.b)
	f.changes = script(d.ctx, number(f.a[before:len(f.a)-after]), number(f.b[before:len(f.b)-after]))
	for i, c := range f.changes {
		f.changes[i] = change{c.a0 + before, c.a1 + before, c.b0 + before, c.b1 + before}
	}
	f.ignored = make([]bool, len(f.changes))
	shown := false
	for i, c := range f.changes {
		f.ignored[i] = d.blank && d.blankOnly(f.a[c.a0:c.a1]) && d.blankOnly(f.b[c.b0:c.b1])
		shown = shown || !f.ignored[i]
	}
	if !shown {
		f.changes, f.ignored = nil, nil
	}
	return f
}

// ends gives how many identical lines at the start and at the end are no matter of the
// comparison: all but as many as the form shows as context, into which a change may move.
func (d *differ) ends(a, b []string) (before, after int) {
	shorter := min(len(a), len(b))
	for before < shorter && a[before] == b[before] {
		before++
	}
	for after < shorter-before && a[len(a)-1-after] == b[len(b)-1-after] {
		after++
	}
	context := 0
	if d.form == 'u' || d.form == 'c' {
		context = d.lines
	}
	return max(before-context, 0), max(after-context, 0)
}

func (d *differ) blankOnly(lines []string) bool {
	for _, line := range lines {
		if d.same.key(line) != "\n" && line != "\n" {
			return false
		}
	}
	return true
}
