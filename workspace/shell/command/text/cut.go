package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func cutCommand() *command.Command {
	return &command.Command{
		Name: "cut", Group: "text", Short: "write parts of each line", Run: runCut,
		Usage: `Usage: cut -b LIST | -c LIST | -f LIST [OPTION]... [FILE]...
Write the parts of each line that LIST names: N, N-M, N- or -M, parted by commas.

  -b, --bytes=LIST         bytes
  -c, --characters=LIST    the same as -b
  -d, --delimiter=C        what parts fields; tab
  -f, --fields=LIST        fields; a line without the delimiter is written whole
  -n                       ignored
  -s, --only-delimited     leave out lines without the delimiter
  --complement             all but what LIST names
  --output-delimiter=TEXT  what parts the output; as the input
  -z, --zero-terminated    lines end with NUL`,
	}
}

// interval is a range of positions, counted from 1, with both ends.
type interval struct{ from, to int }

type cutter struct {
	list      []interval
	fields    bool
	delimiter byte
	only      bool
	between   string
	joined    bool // between was given
	end       byte
}

func runCut(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "b,bytes: c,characters: d,delimiter: f,fields: n s,only-delimited complement output-delimiter: z,zero-terminated")
	if err != nil {
		return c.UsageError(1, err)
	}
	k, err := newCutter(o)
	if err != nil {
		return c.UsageError(1, err)
	}
	return eachInput(ctx, c, o.Args, func(_ string, r io.Reader) error {
		return eachLine(ctx, c, r, k.end, func(line []byte, _ bool) bool {
			if k.fields {
				k.cutFields(c.Out, line)
			} else {
				k.cutBytes(c.Out, line)
			}
			return c.Out.Err() == nil
		})
	})
}

func newCutter(o *command.Options) (*cutter, error) {
	k := &cutter{delimiter: '\t', only: o.Has("s"), end: terminator(o), fields: o.Has("f")}
	switch n := len(o.Values("b")) + len(o.Values("c")) + len(o.Values("f")); {
	case n == 0:
		return nil, errors.New("you must specify a list of bytes, characters, or fields")
	case n > 1:
		return nil, errors.New("only one list may be specified")
	case !k.fields && o.Has("d"):
		return nil, errors.New("an input delimiter may be specified only when operating on fields")
	case !k.fields && k.only:
		return nil, errors.New("suppressing non-delimited lines makes sense\n\tonly when operating on fields")
	}
	if o.Has("d") {
		d := o.Value("d", "")
		if len(d) > 1 {
			return nil, errors.New("the delimiter must be a single character")
		}
		k.delimiter = (d + "\x00")[0]
	}
	if k.fields {
		k.between = string([]byte{k.delimiter})
	}
	if o.Has("output-delimiter") {
		k.between, k.joined = o.Value("output-delimiter", ""), true
	}
	var err error
	what := "byte/character position"
	if k.fields {
		what = "field"
	}
	if k.list, err = parseIntervals(o.Value("b", o.Value("c", o.Value("f", ""))), what); err != nil {
		return nil, err
	}
	if o.Has("complement") {
		k.list = complement(k.list)
	}
	return k, nil
}

// parseIntervals reads a list and gives it sorted, with what overlaps joined.
func parseIntervals(list, what string) ([]interval, error) {
	var all []interval
	for _, item := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		from, to, isRange := strings.Cut(item, "-")
		if item == "-" {
			return nil, errors.New("invalid range with no endpoint: -")
		}
		in := interval{1, math.MaxInt}
		for i, end := range []string{from, to} {
			if end == "" {
				continue
			}
			n, err := strconv.Atoi(end)
			switch {
			case errors.Is(err, strconv.ErrRange):
				n = math.MaxInt
			case err != nil:
				return nil, fmt.Errorf("invalid %s value '%s'", what, item)
			case n == 0 && what == "field":
				return nil, errors.New("fields are numbered from 1")
			case n == 0:
				return nil, errors.New("byte/character positions are numbered from 1")
			}
			if i == 0 {
				in.from = n
			} else {
				in.to = n
			}
		}
		if !isRange {
			in.to = in.from
		}
		if in.to < in.from {
			return nil, errors.New("invalid decreasing range")
		}
		all = append(all, in)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("invalid %s value '%s'", what, list)
	}
	slices.SortFunc(all, func(a, b interval) int { return a.from - b.from })
	joined := all[:1]
	for _, in := range all[1:] {
		if last := &joined[len(joined)-1]; in.from <= last.to {
			last.to = max(last.to, in.to)
		} else {
			joined = append(joined, in)
		}
	}
	return joined, nil
}

func complement(list []interval) []interval {
	var out []interval
	next := 1
	for _, in := range list {
		if in.from > next {
			out = append(out, interval{next, in.from - 1})
		}
		if in.to == math.MaxInt {
			return out
		}
		next = in.to + 1
	}
	return append(out, interval{next, math.MaxInt})
}

func (k *cutter) cutBytes(w *command.Writer, line []byte) {
	first := true
	for _, in := range k.list {
		if in.from > len(line) {
			break
		}
		if !first && k.joined {
			w.WriteString(k.between)
		}
		first = false
		w.Write(line[in.from-1 : min(in.to, len(line))])
	}
	w.WriteByte(k.end)
}

func (k *cutter) cutFields(w *command.Writer, line []byte) {
	i := bytes.IndexByte(line, k.delimiter)
	if i < 0 || k.delimiter == k.end {
		if !k.only {
			w.Write(line)
			w.WriteByte(k.end)
		}
		return
	}
	first := true
	list := k.list
	for field := 1; len(list) > 0; field++ {
		if field >= list[0].from {
			if !first {
				w.WriteString(k.between)
			}
			first = false
			if i < 0 {
				w.Write(line)
			} else {
				w.Write(line[:i])
			}
		}
		if field == list[0].to {
			list = list[1:]
		}
		if i < 0 {
			break
		}
		line = line[i+1:]
		i = bytes.IndexByte(line, k.delimiter)
	}
	w.WriteByte(k.end)
}
