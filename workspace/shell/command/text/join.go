package text

import (
	"bytes"
	"context"

	"fmt"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func joinCommand() *command.Command {
	return &command.Command{
		Name: "join", Group: "text", Short: "join lines of two files that have a field in common", Run: runJoin,
		Usage: `Usage: join [OPTION]... FILE1 FILE2
For each pair of lines with equal join fields write a line: the field, then the rest of both.
Both files must be sorted on the join field.

  -a N          also lines of file N (1 or 2) that have no pair
  -v N          only lines of file N that have no pair
  -e TEXT       TEXT in place of missing fields of -o
  -i, --ignore-case   compare without regard to case
  -j N          the same as -1 N -2 N
  -1 N, -2 N    join on this field of file 1, of file 2
  -o FORMAT     fields to write: N.M (field M of file N) or 0 (the join field), or auto
  -t C          fields are parted by C; else by blanks
  --header      the first line of each file is joined and not compared
  --check-order, --nocheck-order   whether files that are not sorted are an error
  -z, --zero-terminated   lines end with NUL`,
	}
}

type joiner struct {
	out      *command.Writer
	sep      int
	field    [2]int
	unpaired [2]bool // are written
	only     bool    // pairs are not
	empty    string
	format   []joinField
	auto     bool
	columns  [2]int // of -o auto
	end      byte
	fold     bool
}

type joinField struct{ file, field int } // file -1: the join field

func runJoin(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "a: v: e: i,ignore-case j: 1: 2: o: t: header check-order nocheck-order z,zero-terminated")
	var j *joiner
	if err == nil {
		j, err = newJoiner(o)
	}
	if err == nil {
		err = twoOperands(o)
	}
	if err != nil {
		return c.UsageError(1, err)
	}
	j.out = c.Out
	var in [2]*sortedInput
	for i, name := range o.Args {
		f, err := c.Open(name)
		if err != nil {
			return c.Fail(name, err)
		}
		defer f.Close()
		in[i] = &sortedInput{lines: newLines(ctx, c, f, j.end), number: i + 1, compare: j.compare, key: func(line []byte) []byte { return j.key(i, line) }}
		in[i].advance()
	}
	return j.run(ctx, c, o, in[:])
}

func newJoiner(o *command.Options) (*joiner, error) {
	j := &joiner{sep: -1, end: terminator(o), fold: o.Has("i"), empty: o.Value("e", "")}
	for _, s := range o.Seen() {
		switch s.Name {
		case "a", "v":
			if s.Value != "1" && s.Value != "2" {
				return nil, fmt.Errorf("invalid file number: '%s'", s.Value)
			}
			j.unpaired[s.Value[0]-'1'] = true
			j.only = j.only || s.Name == "v"
		case "j", "1", "2":
			n, err := strconv.Atoi(s.Value)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("invalid field number: '%s'", s.Value)
			}
			if s.Name != "2" {
				j.field[0] = n - 1
			}
			if s.Name != "1" {
				j.field[1] = n - 1
			}
		case "t":
			switch {
			case s.Value == `\0`:
				j.sep = 0
			case s.Value == "":
				j.sep = '\n' // the whole line is one field
			case len(s.Value) > 1:
				return nil, fmt.Errorf("multi-character tab '%s'", s.Value)
			default:
				j.sep = int(s.Value[0])
			}
		case "o":
			if s.Value == "auto" {
				j.auto = true
				continue
			}
			if err := j.parseFormat(s.Value); err != nil {
				return nil, err
			}
		}
	}
	// More fields of -o may stand as operands before the files.
	for j.format != nil && len(o.Args) > 2 {
		if err := j.parseFormat(o.Args[0]); err != nil {
			return nil, err
		}
		o.Args = o.Args[1:]
	}
	return j, nil
}

func (j *joiner) parseFormat(s string) error {
	for _, item := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if item == "0" {
			j.format = append(j.format, joinField{-1, 0})
			continue
		}
		file, field, ok := strings.Cut(item, ".")
		n, err := strconv.Atoi(field)
		switch {
		case !ok || file != "1" && file != "2":
			return fmt.Errorf("invalid file number in field spec: '%s'", item)
		case err != nil || n < 1:
			return fmt.Errorf("invalid field number: '%s'", field)
		}
		j.format = append(j.format, joinField{int(file[0] - '1'), n - 1})
	}
	return nil
}

func (j *joiner) split(line []byte) [][]byte {
	if j.sep >= 0 {
		return bytes.Split(line, []byte{byte(j.sep)})
	}
	return bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
}

func (j *joiner) key(file int, line []byte) []byte {
	fields := j.split(line)
	if n := j.field[file]; n < len(fields) {
		return fields[n]
	}
	return nil
}

func (j *joiner) compare(a, b []byte) int {
	if j.fold {
		return compareFold(a, b)
	}
	return bytes.Compare(a, b)
}

func (j *joiner) run(ctx context.Context, c *command.Call, o *command.Options, in []*sortedInput) int {
	if j.auto {
		for i, f := range in {
			if f.ok {
				j.columns[i] = len(j.split(f.line))
			}
		}
	}
	if o.Has("header") && (in[0].ok || in[1].ok) {
		j.header(in)
	}
	for in[0].ok && in[1].ok && ctx.Err() == nil {
		a, b := in[0].keyOf(in[0].line), in[1].keyOf(in[1].line)
		order := j.compare(a, b)
		switch {
		case order < 0:
			j.single(0, in[0].line)
			in[0].advance()
		case order > 0:
			j.single(1, in[1].line)
			in[1].advance()
		default:
			j.pairs(in)
		}
		if code := checkOrder(c, o, in, order != 0); code != 0 {
			return code
		}
	}
	for i, f := range in {
		for f.ok && ctx.Err() == nil {
			j.single(i, f.line)
			if !j.unpaired[i] && o.Last("check-order", "nocheck-order") == "nocheck-order" {
				break
			}
			f.advance()
			if code := checkOrder(c, o, in, true); code != 0 {
				return code
			}
		}
	}
	return finishSorted(c, o, in)
}

func (j *joiner) header(in []*sortedInput) {
	var rows [2][][]byte
	for i, f := range in {
		if f.ok {
			rows[i] = j.split(f.line)
		}
	}
	j.row(rows[0], rows[1])
	for _, f := range in {
		if f.ok {
			f.ok = false // the first line after the header has nothing before it
			f.advance()
		}
	}
}

// pairs writes all pairs of the lines that have the key at hand.
func (j *joiner) pairs(in []*sortedInput) {
	var groups [2][][][]byte
	key := bytes.Clone(in[0].keyOf(in[0].line))
	for i, f := range in {
		for f.ok && j.compare(f.keyOf(f.line), key) == 0 {
			groups[i] = append(groups[i], j.split(bytes.Clone(f.line)))
			f.advance()
		}
	}
	if j.only {
		return
	}
	for _, a := range groups[0] {
		for _, b := range groups[1] {
			j.row(a, b)
			if j.out.Err() != nil {
				return
			}
		}
	}
}

func (j *joiner) single(file int, line []byte) {
	if !j.unpaired[file] {
		return
	}
	if file == 0 {
		j.row(j.split(line), nil)
	} else {
		j.row(nil, j.split(line))
	}
}

// row writes a joined line; one of the two may be nil.
func (j *joiner) row(a, b [][]byte) {
	sep := byte(' ')
	if j.sep >= 0 {
		sep = byte(j.sep)
	}
	rows := [2][][]byte{a, b}
	file := 0
	if a == nil {
		file = 1
	}
	var out []byte
	put := func(file, field int) {
		if out != nil {
			out = append(out, sep)
		} else {
			out = []byte{}
		}
		if field < len(rows[file]) && len(rows[file][field]) > 0 {
			out = append(out, rows[file][field]...)
		} else {
			out = append(out, j.empty...)
		}
	}
	switch {
	case j.format != nil:
		for _, f := range j.format {
			if f.file < 0 {
				put(file, j.field[file])
			} else {
				put(f.file, f.field)
			}
		}
	default:
		put(file, j.field[file])
		for i := range rows {
			n := len(rows[i])
			if j.auto {
				n = j.columns[i]
			}
			for field := range n {
				if field != j.field[i] {
					put(i, field)
				}
			}
		}
	}
	j.out.Write(append(out, j.end))
}
