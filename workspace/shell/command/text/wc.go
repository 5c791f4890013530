package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func wcCommand() *command.Command {
	return &command.Command{
		Name: "wc", Group: "text", Short: "count lines, words, bytes", Run: runWc,
		Usage: `Usage: wc [OPTION]... [FILE]...
Count the lines, words and bytes of each FILE, and a total when there are several.

  -c, --bytes            bytes
  -m, --chars            characters
  -l, --lines            line breaks
  -L, --max-line-length  the width of the widest line
  -w, --words            words
  --files0-from=F        take the names, each ended by NUL, from file F`,
	}
}

type counts struct{ lines, words, chars, bytes, widest int64 }

func (a *counts) add(b counts) {
	a.lines += b.lines
	a.words += b.words
	a.chars += b.chars
	a.bytes += b.bytes
	a.widest = max(a.widest, b.widest)
}

type counter struct {
	lines, words, chars, bytes, widest bool
}

func (k *counter) columns() int {
	n := 0
	for _, on := range []bool{k.lines, k.words, k.chars, k.bytes, k.widest} {
		if on {
			n++
		}
	}
	return n
}

func runWc(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "c,bytes m,chars l,lines L,max-line-length w,words files0-from:")
	if err != nil {
		return c.UsageError(1, err)
	}
	k := &counter{lines: o.Has("l"), words: o.Has("w"), chars: o.Has("m"), bytes: o.Has("c"), widest: o.Has("L")}
	if k.columns() == 0 {
		k.lines, k.words, k.bytes = true, true, true
	}
	names := o.Args
	if from := o.Value("files0-from", ""); from != "" {
		data, err := readAll(ctx, c, from)
		if err != nil {
			return c.Fail("cannot open '"+from+"' for reading", err)
		}
		names = splitNames(data)
	}
	digits := k.width(c, names)
	var total counts
	code := 0
	operands := names
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		var n counts
		err := withInput(c, name, func(_ string, r io.Reader) (err error) {
			n, err = k.count(ctx, r)
			return err
		})
		if ctx.Err() != nil {
			return 1
		}
		if err != nil {
			code = c.Fail(name, err)
			if !isDirectory(err) {
				continue
			}
		}
		total.add(n)
		if len(names) == 0 {
			name = ""
		}
		k.print(c.Out, n, digits, name)
	}
	if len(names) > 1 {
		k.print(c.Out, total, digits, "total")
	}
	return code
}

func splitNames(data []byte) []string {
	var names []string
	for _, name := range bytes.Split(bytes.TrimSuffix(data, []byte{0}), []byte{0}) {
		if len(name) > 0 {
			names = append(names, string(name))
		}
	}
	return names
}

func isDirectory(err error) bool {
	return errors.Is(err, syscall.EISDIR)
}

// width gives the width of the columns: that of the size of all files together, 7 when the
// size of one is not known before.
func (k *counter) width(c *command.Call, names []string) int {
	if len(names) <= 1 && k.columns() == 1 {
		return 1
	}
	least, sum := 1, int64(0)
	add := func(i fs.FileInfo, err error) {
		switch {
		case err != nil:
		case i.Mode().IsRegular():
			sum += i.Size()
		default:
			least = 7
		}
	}
	for _, name := range names {
		if name != "-" {
			add(c.FS.Stat(c.Abs(name)))
		} else {
			add(statInput(c))
		}
	}
	if len(names) == 0 {
		add(statInput(c))
	}
	return max(least, len(strconv.FormatInt(sum, 10)))
}

// statInput tells about standard input when it is a file; else it is a pipe.
func statInput(c *command.Call) (fs.FileInfo, error) {
	if f, done := stdinFile(c); f != nil {
		defer done()
		return f.Stat()
	}
	return pipeInfo{}, nil
}

type pipeInfo struct{ fs.FileInfo }

func (pipeInfo) Mode() fs.FileMode { return fs.ModeNamedPipe }

func (k *counter) print(w *command.Writer, n counts, digits int, name string) {
	first := true
	for _, column := range []struct {
		on bool
		n  int64
	}{{k.lines, n.lines}, {k.words, n.words}, {k.chars, n.chars}, {k.bytes, n.bytes}, {k.widest, n.widest}} {
		if !column.on {
			continue
		}
		if !first {
			w.WriteByte(' ')
		}
		first = false
		writePadded(w, int(column.n), digits)
	}
	if name != "" {
		w.WriteString(" " + name)
	}
	w.WriteByte('\n')
}

func (k *counter) count(ctx context.Context, r io.Reader) (counts, error) {
	var n counts
	buf := make([]byte, chunk)
	full := k.words || k.chars || k.widest
	var word bool
	var column int64
	kept := 0 // bytes of a character that is not complete
	for {
		got, err := ctxReader{ctx, r}.Read(buf[kept:])
		n.bytes += int64(got)
		data := buf[:kept+got]
		kept = 0
		if !full {
			n.lines += int64(bytes.Count(data, []byte{'\n'}))
			data = nil
		}
		for len(data) > 0 {
			c, size := rune(data[0]), 1
			if c >= utf8.RuneSelf {
				if !utf8.FullRune(data) && err == nil {
					kept = copy(buf, data)
					break
				}
				if c, size = utf8.DecodeRune(data); c == utf8.RuneError && size == 1 {
					data = data[1:]
					continue // no character, and no border of a word
				}
			}
			data = data[size:]
			n.chars++
			switch {
			case c == '\n' || c == '\r' || c == '\f':
				if c == '\n' {
					n.lines++
				}
				n.widest = max(n.widest, column)
				column, word = 0, false
			case c == '\t':
				column += 8 - column%8
				word = false
			case c == ' ' || c == '\v' || c >= utf8.RuneSelf && unicode.IsSpace(c) && c != 0xa0 && c != 0x85:
				column += int64(runeWidth(c))
				word = false
			case c > ' ' && c < 0x7f || c >= utf8.RuneSelf && unicode.IsPrint(c) || c == 0xa0:
				column += int64(runeWidth(c))
				if !word {
					word = true
					n.words++
				}
			}
		}
		if errors.Is(err, io.EOF) {
			n.widest = max(n.widest, column)
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// runeWidth gives the columns that a character takes on a terminal.
func runeWidth(r rune) int {
	switch {
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return 0
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

func textWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}
