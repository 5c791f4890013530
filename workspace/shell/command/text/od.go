package text

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func odCommand() *command.Command {
	return &command.Command{
		Name: "od", Group: "text", Short: "show the bytes of files", Run: runOd,
		Usage: `Usage: od [OPTION]... [FILE]...
Show the bytes of the FILEs as numbers or characters.

  -A, --address-radix=d|o|x|n   how offsets are written, n not at all
  -j, --skip-bytes=N            skip N bytes
  -N, --read-bytes=N            show N bytes at most
  -t, --format=TYPE             a names, c characters, dN signed, uN, oN, xN, fN, each with a
                                size of 1, 2, 4, 8 or C, S, I, L, F, D; z behind it shows text
  -v, --output-duplicates       show lines that are like the one before
  -w, --width[=N]               N bytes a line; 16
  --endian=big|little
  -a -b -c -d -f -i -l -o -s -x   the same as -t a, o1, c, u2, fF, dI, dL, o2, d2, x2`,
	}
}

type odFormat struct {
	kind  byte // a c d u o x f
	size  int
	text  bool // z
	width int  // of one item, without the space before it
}

type dumper struct {
	out     *command.Writer
	formats []odFormat
	radix   byte
	skip    int64
	most    int64 // -1: all
	all     bool
	perLine int
	order   binary.ByteOrder
	column  int // width of a line
	warning string
}

func runOd(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "A,address-radix: j,skip-bytes: N,read-bytes: t,format: v,output-duplicates w,width:: endian: a b c d f i l o s x traditional S,strings::")
	var d *dumper
	if err == nil && o.Has("S") {
		err = errors.New("-S is not supported; use the command strings")
	}
	if err == nil && o.Has("traditional") {
		err = errors.New("--traditional is not supported; use -j for the offset")
	}
	if err == nil {
		d, err = newDumper(o)
	}
	if err != nil {
		c.Errorf("%v", err)
		return 1
	}
	if d.out = c.Out; d.warning != "" {
		c.Errorf("%s", d.warning)
	}
	var readers []io.Reader
	code := 0
	names := o.Args
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		f, err := c.Open(name)
		if err != nil {
			code = c.Fail(name, err)
			continue
		}
		defer f.Close()
		readers = append(readers, f)
	}
	if len(readers) == 0 {
		return code
	}
	if err := d.dump(ctxReader{ctx, io.MultiReader(readers...)}); err != nil {
		c.Errorf("%v", err)
		return 1
	}
	return code
}

func newDumper(o *command.Options) (*dumper, error) {
	d := &dumper{radix: 'o', most: -1, all: o.Has("v"), order: binary.LittleEndian, perLine: 16}
	short := map[string]string{"a": "a", "b": "o1", "c": "c", "d": "u2", "f": "fF", "i": "dI", "l": "dL", "o": "o2", "s": "d2", "x": "x2"}
	for _, s := range o.Seen() {
		var err error
		switch s.Name {
		case "A":
			if d.radix = (s.Value + "?")[0]; strings.IndexByte("doxn", d.radix) < 0 {
				return nil, fmt.Errorf("invalid output address radix '%s'; it must be one character from [doxn]", s.Value)
			}
		case "j":
			d.skip, err = odNumber(s.Value, "-j")
		case "N":
			d.most, err = odNumber(s.Value, "-N")
		case "t":
			err = d.addFormats(s.Value)
		case "w":
			if d.perLine = 32; s.Joined {
				var n int64
				n, err = odNumber(s.Value, "-w")
				d.perLine = int(min(n, 1<<16))
			}
		case "endian":
			switch s.Value {
			case "big":
				d.order = binary.BigEndian
			case "little":
			default:
				return nil, fmt.Errorf("invalid argument '%s' for '--endian'", s.Value)
			}
		default:
			if t := short[s.Name]; t != "" {
				err = d.addFormats(t)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if len(d.formats) == 0 {
		_ = d.addFormats("o2") // it is a type
	}
	d.layout(o.Has("w"))
	return d, nil
}

func odNumber(s, option string) (int64, error) {
	text, base := s, 10
	if rest, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		text, base = rest, 16
	} else if strings.HasPrefix(s, "0") && len(s) > 1 && strings.Trim(s, "01234567") == "" {
		base = 8
	}
	if base == 10 {
		if n, err := parseSize(text); err == nil {
			return n, nil
		}
	}
	n, err := strconv.ParseInt(text, base, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("invalid %s argument '%s'", option, s)
	}
	return n, nil
}

// addFormats reads types such as x1z or a string of several, d2x1.
func (d *dumper) addFormats(s string) error {
	whole := s
	for s != "" {
		f := odFormat{kind: s[0], size: 4}
		s = s[1:]
		switch f.kind {
		case 'a', 'c':
			f.size = 1
		case 'd', 'u', 'o', 'x', 'f':
			if f.kind == 'f' {
				f.size = 8
			}
			s = f.readSize(s)
		default:
			return fmt.Errorf("invalid character '%c' in type string '%s'", f.kind, whole)
		}
		if f.kind == 'f' && f.size != 4 && f.size != 8 || f.size != 1 && f.size != 2 && f.size != 4 && f.size != 8 {
			return fmt.Errorf("invalid type string '%s';\nthis system doesn't provide a %d-byte type of this kind", whole, f.size)
		}
		if rest, ok := strings.CutPrefix(s, "z"); ok {
			f.text, s = true, rest
		}
		f.width = f.itemWidth()
		d.formats = append(d.formats, f)
	}
	return nil
}

func (f *odFormat) readSize(s string) string {
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	if digits != "" {
		f.size, _ = strconv.Atoi(digits)
		return s[len(digits):]
	}
	sizes := map[byte]int{'C': 1, 'S': 2, 'I': 4, 'L': 8}
	if f.kind == 'f' {
		sizes = map[byte]int{'F': 4, 'D': 8}
	}
	if s != "" && sizes[s[0]] > 0 {
		f.size = sizes[s[0]]
		return s[1:]
	}
	return s
}

func (f *odFormat) itemWidth() int {
	i := map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[f.size]
	switch f.kind {
	case 'd':
		return []int{4, 6, 11, 20}[i]
	case 'u':
		return []int{3, 5, 10, 20}[i]
	case 'o':
		return []int{3, 6, 11, 22}[i]
	case 'x':
		return []int{2, 4, 8, 16}[i]
	case 'f':
		return []int{0, 0, 15, 24}[i]
	}
	return 3
}

// layout sets the bytes of a line and the width that the same bytes take in every format.
func (d *dumper) layout(given bool) {
	block := 1
	for _, f := range d.formats {
		block = max(block, f.size)
	}
	if d.perLine < 1 || d.perLine%block != 0 {
		if given {
			d.warning = fmt.Sprintf("warning: invalid width %d; using %d instead", d.perLine, block)
		}
		d.perLine = block
	}
	for _, f := range d.formats {
		d.column = max(d.column, (f.width+1)*(d.perLine/f.size))
	}
}

func (d *dumper) dump(r io.Reader) error {
	if n, err := io.CopyN(io.Discard, r, d.skip); err != nil {
		if errors.Is(err, io.EOF) {
			return errors.New("cannot skip past end of combined input")
		}
		return fmt.Errorf("read error after %d bytes: %w", n, err)
	}
	if d.most >= 0 {
		r = io.LimitReader(r, d.most)
	}
	at := d.skip
	line := make([]byte, d.perLine)
	var before []byte
	starred := false
	for d.out.Err() == nil {
		n, err := io.ReadFull(r, line)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		if n == 0 {
			break
		}
		if n == d.perLine && bytes.Equal(line, before) && !d.all {
			if !starred {
				d.out.WriteString("*\n")
			}
			starred = true
		} else {
			starred = false
			d.line(at, line[:n])
			before = append(before[:0], line[:n]...)
		}
		at += int64(n)
		if n < d.perLine {
			break
		}
	}
	if d.radix != 'n' {
		d.address(at)
		d.out.WriteByte('\n')
	}
	return nil
}

func (d *dumper) address(at int64) {
	switch d.radix {
	case 'o':
		fmt.Fprintf(d.out, "%07o", at)
	case 'd':
		fmt.Fprintf(d.out, "%07d", at)
	case 'x':
		fmt.Fprintf(d.out, "%06x", at)
	}
}

func (d *dumper) line(at int64, b []byte) {
	for i := range d.formats {
		f := &d.formats[i]
		switch {
		case i == 0:
			d.address(at)
		case d.radix != 'n':
			d.out.WriteString(strings.Repeat(" ", map[byte]int{'o': 7, 'd': 7, 'x': 6}[d.radix]))
		}
		d.items(f, b)
		if f.text {
			d.out.WriteString(strings.Repeat(" ", d.blank(f, len(b))))
			d.out.WriteString("  >" + printable(b) + "<")
		}
		d.out.WriteByte('\n')
	}
}

// blank gives the width of the items that are missing at the end of a line.
func (d *dumper) blank(f *odFormat, have int) int {
	items := d.perLine / f.size
	left := items - (have+f.size-1)/f.size
	return left*f.width + (d.column-f.width*items)*left/items
}

func printable(b []byte) string {
	out := bytes.Clone(b)
	for i, c := range out {
		if c < ' ' || c >= 0x7f {
			out[i] = '.'
		}
	}
	return string(out)
}
