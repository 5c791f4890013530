package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func commCommand() *command.Command {
	return &command.Command{
		Name: "comm", Group: "text", Short: "compare two sorted files line by line", Run: runComm,
		Usage: `Usage: comm [OPTION]... FILE1 FILE2
Write three columns: lines only in FILE1, lines only in FILE2, lines in both.

  -1, -2, -3                leave out that column
  --check-order             fail when the input is not sorted, even if all lines have a pair
  --nocheck-order           do not look whether the input is sorted
  --output-delimiter=TEXT   part the columns by TEXT
  --total                   write a line with the counts at the end
  -z, --zero-terminated     lines end with NUL`,
	}
}

func runComm(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "1 2 3 check-order nocheck-order output-delimiter: total z,zero-terminated")
	if err == nil {
		err = twoOperands(o)
	}
	if err != nil {
		return c.UsageError(1, err)
	}
	end := terminator(o)
	var in [2]*sortedInput
	for i, name := range o.Args {
		f, err := c.Open(name)
		if err != nil {
			return c.Fail(name, err)
		}
		defer f.Close()
		in[i] = &sortedInput{lines: newLines(ctx, c, f, end), number: i + 1, compare: bytes.Compare}
		in[i].advance()
	}
	sep := o.Value("output-delimiter", "\t")
	var before [3]string
	if !o.Has("1") {
		before[1], before[2] = sep, sep
	}
	if !o.Has("2") {
		before[2] += sep
	}
	var counts [3]int
	for (in[0].ok || in[1].ok) && ctx.Err() == nil {
		column := 2
		switch order := in[0].order(in[1]); {
		case order < 0:
			column = 0
		case order > 0:
			column = 1
		}
		counts[column]++
		if line := in[min(column, 1)].line; !o.Has(string(rune('1' + column))) {
			c.Out.WriteString(before[column])
			c.Out.Write(line)
			c.Out.WriteByte(end)
		}
		for i, f := range in {
			if column == 2 || column == i {
				f.advance()
			}
		}
		if code := checkOrder(c, o, in[:], column != 2); code != 0 {
			return code
		}
	}
	if o.Has("total") {
		fmt.Fprintf(c.Out, "%d%s%d%s%d%stotal%c", counts[0], sep, counts[1], sep, counts[2], sep, end)
	}
	return finishSorted(c, o, in[:])
}

func twoOperands(o *command.Options) error {
	switch len(o.Args) {
	case 0:
		return errors.New("missing operand")
	case 1:
		return fmt.Errorf("missing operand after '%s'", o.Args[0])
	case 2:
		return nil
	}
	return fmt.Errorf("extra operand '%s'", o.Args[2])
}

// sortedInput is a file of comm or join that should be sorted.
type sortedInput struct {
	lines    *lineReader
	number   int
	compare  func(a, b []byte) int
	key      func(line []byte) []byte
	line     []byte
	last     []byte
	ok       bool
	disorder bool
	told     bool
	unpaired bool // a line had no pair, so that disorder matters
	count    int
	err      error
}

func (s *sortedInput) keyOf(line []byte) []byte {
	if s.key == nil {
		return line
	}
	return s.key(line)
}

// advance takes the next line.
func (s *sortedInput) advance() {
	s.last = append(s.last[:0], s.line...)
	had := s.ok
	line, _, err := s.lines.next()
	if err != nil {
		s.ok = false
		if !errors.Is(err, io.EOF) {
			s.err = err
		}
		return
	}
	s.count++
	s.line = append(s.line[:0], line...)
	s.ok = true
	if had && s.compare(s.keyOf(s.last), s.keyOf(s.line)) > 0 {
		s.disorder = true
	}
}

// order compares the lines at hand; a file that ended is behind.
func (s *sortedInput) order(t *sortedInput) int {
	switch {
	case !s.ok:
		return 1
	case !t.ok:
		return -1
	}
	return s.compare(s.line, t.line)
}

// checkOrder tells of lines out of order, once for each file; with --check-order that ends it.
func checkOrder(c *command.Call, o *command.Options, in []*sortedInput, unpaired bool) int {
	strict := o.Last("check-order", "nocheck-order")
	for _, f := range in {
		f.unpaired = f.unpaired || unpaired
		if !f.disorder || f.told || strict == "nocheck-order" || strict == "" && !in[0].unpaired && !in[1].unpaired {
			continue
		}
		f.told = true
		c.Errorf("file %d is not in sorted order", f.number)
		if strict == "check-order" {
			return 1
		}
	}
	return 0
}

func finishSorted(c *command.Call, o *command.Options, in []*sortedInput) int {
	code := 0
	for i, f := range in {
		if f.err != nil {
			code = c.Fail(o.Args[i], f.err)
		}
		if f.told {
			code = 1
		}
	}
	if in[0].told || in[1].told {
		c.Errorf("input is not in sorted order")
	}
	return code
}
