package text

import (
	"context"
	"errors"
	"io"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func catCommand() *command.Command {
	return &command.Command{
		Name: "cat", Group: "text", Short: "write files one after the other", Run: runCat,
		Usage: `Usage: cat [OPTION]... [FILE]...
Write each FILE to standard output; without FILE, or for -, standard input.

  -A, --show-all           the same as -vET
  -b, --number-nonblank    number lines that are not empty
  -e                       the same as -vE
  -E, --show-ends          $ at the end of each line
  -n, --number             number all lines
  -s, --squeeze-blank      of empty lines in a row keep one
  -t                       the same as -vT
  -T, --show-tabs          tabs as ^I
  -u                       ignored
  -v, --show-nonprinting   other control characters as ^X, bytes beyond ASCII as M-X`,
	}
}

var errOutput = errors.New("input file is output file")

type catter struct {
	out                             *command.Writer
	number, nonblank, squeeze       bool
	showEnds, showTabs, nonprinting bool
	line                            int
	blank                           bool // the line before was empty
	inside                          bool // the line before had no end
}

func runCat(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "A,show-all b,number-nonblank e E,show-ends n,number s,squeeze-blank t T,show-tabs u v,show-nonprinting")
	if err != nil {
		return c.UsageError(1, err)
	}
	k := &catter{
		out: c.Out, nonblank: o.Has("b"), number: o.Has("n") && !o.Has("b"), squeeze: o.Has("s"),
		showEnds: o.Has("A", "e", "E"), showTabs: o.Has("A", "t", "T"), nonprinting: o.Has("A", "e", "t", "v"),
	}
	plain := *k == catter{out: c.Out}
	return eachInput(ctx, c, o.Args, func(name string, r io.Reader) error {
		if size, same := c.Out.Into(r); same && size > 0 {
			return errOutput
		}
		if plain {
			return copyThrough(ctx, c.Out, r)
		}
		return eachLine(ctx, c, r, '\n', k.write)
	})
}

func (k *catter) write(line []byte, ended bool) bool {
	blank := len(line) == 0 && ended && !k.inside
	if blank && k.blank && k.squeeze {
		return true
	}
	if !k.inside && (k.number || k.nonblank && !blank) {
		k.line++
		writePadded(k.out, k.line, 6)
		k.out.WriteByte('\t')
	}
	k.blank, k.inside = blank, !ended
	if k.showTabs || k.nonprinting || k.showEnds {
		k.visible(line, ended)
	} else {
		k.out.Write(line)
	}
	if ended {
		if k.showEnds {
			k.out.WriteByte('$')
		}
		k.out.WriteByte('\n')
	}
	return k.out.Err() == nil
}

func (k *catter) visible(line []byte, ended bool) {
	for i, b := range line {
		switch {
		case b == '\t' && k.showTabs:
			k.out.WriteString("^I")
		case k.nonprinting && b != '\t':
			k.out.WriteString(visibleByte(b))
		case b == '\r' && k.showEnds && ended && i == len(line)-1:
			k.out.WriteString("^M")
		default:
			k.out.WriteByte(b)
		}
	}
}

// visibleByte gives a byte in the notation with ^ and M-.
func visibleByte(b byte) string {
	prefix := ""
	if b >= 0x80 {
		prefix = "M-"
		b -= 0x80
	}
	switch {
	case b == 0x7f:
		return prefix + "^?"
	case b < ' ':
		return prefix + "^" + string(rune(b+'@'))
	}
	return prefix + string(rune(b))
}

// writePadded writes a number with spaces before it.
func writePadded(w *command.Writer, n, width int) {
	var buf [24]byte
	i := len(buf)
	for {
		i--
		buf[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			break
		}
	}
	for len(buf)-i < min(width, len(buf)) {
		i--
		buf[i] = ' '
	}
	w.Write(buf[i:])
}
