package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func headCommand() *command.Command {
	return &command.Command{
		Name: "head", Group: "text", Short: "write the first lines of files", Run: runHead,
		Usage: `Usage: head [OPTION]... [FILE]...
Write the first 10 lines of each FILE, with its name before it when there are several.

  -c, --bytes=[-]N     the first N bytes; with - all but the last N
  -n, --lines=[-]N     the first N lines; with - all but the last N; -N is the same
  -q, --quiet, --silent  no names
  -v, --verbose        always names
  -z, --zero-terminated  lines end with NUL
N may have a suffix: b 512, kB 1000, K 1024, MB, M and so on.`,
	}
}

// part is what head and tail are asked for.
type part struct {
	n      int64
	bytes  bool
	other  bool // head: all but the last n; tail: from the n-th on
	end    byte
	titled bool
	wrote  bool
}

func runHead(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(oldCount(c.Args, "-"), "c,bytes: n,lines: q,quiet silent v,verbose z,zero-terminated")
	if err != nil {
		return c.UsageError(1, err)
	}
	p := part{n: 10, end: terminator(o)}
	for _, s := range o.Seen() {
		if s.Name != "c" && s.Name != "n" {
			continue
		}
		value, back := strings.CutPrefix(s.Value, "-")
		what := "number of lines"
		if p.bytes = s.Name == "c"; p.bytes {
			what = "number of bytes"
		}
		if p.n, err = number(value, 0, what); err != nil {
			c.Errorf("%v", err)
			return 1
		}
		p.other = back
	}
	p.titled = titles(o)
	return eachInput(ctx, c, o.Args, func(name string, r io.Reader) error {
		p.title(c.Out, name)
		switch {
		case p.other:
			return p.allButLast(ctx, c, r)
		case p.bytes:
			_, err := io.Copy(c.Out, io.LimitReader(ctxReader{ctx, r}, p.n))
			if c.Out.Err() != nil {
				return nil
			}
			return err
		}
		return p.firstLines(ctx, c, r)
	})
}

func titles(o *command.Options) bool {
	switch o.Last("q", "silent", "v") {
	case "v":
		return true
	case "":
		return len(o.Args) > 1
	}
	return false
}

// oldCount turns -5 (and with sign + what tail knew) into -n 5.
func oldCount(args []string, signs string) []string {
	if len(args) < 2 || len(args[1]) < 2 || !strings.Contains(signs, args[1][:1]) || args[1][1] < '0' || args[1][1] > '9' {
		return args
	}
	digits := strings.TrimLeft(args[1][1:], "0123456789")
	count := args[1][1 : len(args[1])-len(digits)]
	if args[1][0] == '+' {
		count = "+" + count
	}
	with := []string{args[0], "-n" + count}
	if strings.HasPrefix(digits, "c") {
		with[1] = "-c" + count
		digits = digits[1:]
	} else {
		digits = strings.TrimPrefix(digits, "l")
	}
	if digits != "" {
		with = append(with, "-"+digits)
	}
	return append(with, args[2:]...)
}

func (p *part) title(w *command.Writer, name string) {
	if !p.titled {
		return
	}
	if name == "-" {
		name = "standard input"
	}
	if p.wrote {
		w.WriteByte('\n')
	}
	p.wrote = true
	w.WriteString("==> " + name + " <==\n")
}

// firstLines leaves a file that can be sought behind the lines that it wrote, as others may
// go on reading it.
func (p *part) firstLines(ctx context.Context, c *command.Call, r io.Reader) error {
	buf := make([]byte, 8<<10)
	for left := p.n; left > 0; {
		n, err := r.Read(buf)
		took := 0
		for left > 0 && took < n {
			i := bytes.IndexByte(buf[took:n], p.end)
			if i < 0 {
				took = n
				break
			}
			took += i + 1
			left--
		}
		c.Out.Write(buf[:took])
		if took < n {
			return unread(c, r, n-took)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return nil
		}
	}
	return nil
}

// unread gives back the last n bytes read of a file that others go on reading.
func unread(c *command.Call, r io.Reader, n int) error {
	for _, r := range []io.Reader{r, c.In} { // standard input is wrapped
		if s, ok := r.(io.Seeker); ok {
			_, err := s.Seek(int64(-n), io.SeekCurrent)
			if errors.Is(err, syscall.ESPIPE) {
				return nil // a pipe behind /dev/fd
			}
			return err
		}
	}
	if f, done := stdinFile(c); f != nil {
		defer done()
		_, err := f.Seek(int64(-n), io.SeekCurrent)
		return err
	}
	return nil // a pipe keeps nothing
}

// allButLast holds back what may be the end.
func (p *part) allButLast(ctx context.Context, c *command.Call, r io.Reader) error {
	if !p.bytes {
		held := make([][]byte, 0, min(p.n, 1024))
		return eachLine(ctx, c, r, p.end, func(line []byte, ended bool) bool {
			line = bytes.Clone(line)
			if ended {
				line = append(line, p.end)
			}
			if held = append(held, line); int64(len(held)) > p.n {
				c.Out.Write(held[0])
				held = held[1:]
			}
			return c.Out.Err() == nil
		})
	}
	var held []byte
	buf := make([]byte, chunk)
	for {
		n, err := ctxReader{ctx, r}.Read(buf)
		held = append(held, buf[:n]...)
		if over := int64(len(held)) - p.n; over > 0 {
			c.Out.Write(held[:over])
			held = append(held[:0], held[over:]...)
		}
		if errors.Is(err, io.EOF) || c.Out.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
