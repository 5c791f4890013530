package text

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func stringsCommand() *command.Command {
	return &command.Command{
		Name: "strings", Group: "text", Short: "find printable text in files", Run: runStrings,
		Usage: `Usage: strings [OPTION]... [FILE]...
Write each run of at least 4 printable characters.

  -a, --all                      ignored: the whole file is searched
  -f, --print-file-name          the name of the file before each run
  -n, --bytes=N, -N              runs of at least N characters
  -o                             the same as -t o
  -s, --output-separator=TEXT    TEXT behind each run instead of a line break
  -t, --radix=o|d|x              the offset before each run
  -w, --include-all-whitespace   line breaks and other white space belong to a run
  -e, --encoding=s|S             7-bit (s) or 8-bit (S) characters; others are not supported`,
	}
}

func runStrings(ctx context.Context, c *command.Call) int {
	args := append([]string(nil), c.Args...)
	for i := 1; i < len(args); i++ {
		if len(args[i]) > 1 && args[i][0] == '-' && strings.Trim(args[i][1:], "0123456789") == "" {
			args[i] = "-n" + args[i][1:]
		}
	}
	o, err := command.Parse(args, "a,all f,print-file-name n,bytes: o s,output-separator: t,radix: w,include-all-whitespace e,encoding:")
	if err != nil {
		return c.UsageError(1, err)
	}
	s := &runs{c: c, least: 4, radix: o.Value("t", ""), white: o.Has("w"), end: o.Value("s", "\n"), named: o.Has("f"), high: o.Value("e", "s") == "S"}
	if o.Last("o", "t") == "o" {
		s.radix = "o"
	}
	if v := o.Value("n", ""); v != "" {
		if s.least, err = strconv.Atoi(v); err != nil || s.least < 1 {
			err = fmt.Errorf("invalid minimum string length %s", v)
		}
	}
	if e := o.Value("e", "s"); err == nil && e != "s" && e != "S" {
		err = errors.New("encoding " + e + " is not supported")
	}
	if err == nil && !strings.Contains(" o d x ", " "+s.radix+" ") && s.radix != "" {
		err = errors.New("invalid radix '" + s.radix + "'")
	}
	if err != nil {
		c.Errorf("%v", err)
		return 1
	}
	return eachInput(ctx, c, o.Args, func(name string, r io.Reader) error {
		if name == "-" {
			name = "{standard input}"
		}
		return s.search(ctx, name, r)
	})
}

type runs struct {
	c           *command.Call
	least       int
	radix, end  string
	white, high bool
	named       bool
	name        string
}

func (s *runs) search(ctx context.Context, name string, r io.Reader) error {
	s.name = name
	buf := make([]byte, chunk)
	var run []byte // not yet long enough
	long := false
	offset := int64(0)
	for {
		n, err := ctxReader{ctx, r}.Read(buf)
		for _, b := range buf[:n] {
			offset++
			switch {
			case !s.printable(b):
				if long {
					s.c.Out.WriteString(s.end)
				}
				run, long = run[:0], false
			case long:
				s.c.Out.WriteByte(b)
			default:
				if run = append(run, b); len(run) == s.least {
					s.begin(offset - int64(len(run)))
					s.c.Out.Write(run)
					long = true
				}
			}
		}
		if err != nil || s.c.Out.Err() != nil {
			if long {
				s.c.Out.WriteString(s.end)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

func (s *runs) printable(b byte) bool {
	switch {
	case b >= ' ' && b < 0x7f, b == '\t':
		return true
	case b >= 0x80:
		return s.high
	}
	return s.white && b >= '\t' && b <= '\r'
}

func (s *runs) begin(offset int64) {
	if s.named {
		s.c.Out.WriteString(s.name + ": ")
	}
	if s.radix != "" {
		fmt.Fprintf(s.c.Out, "%7"+s.radix+" ", offset)
	}
}
