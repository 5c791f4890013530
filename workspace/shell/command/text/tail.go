package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func tailCommand() *command.Command {
	return &command.Command{
		Name: "tail", Group: "text", Short: "write the last lines of files", Run: runTail,
		Usage: `Usage: tail [OPTION]... [FILE]...
Write the last 10 lines of each FILE, with its name before it when there are several.

  -c, --bytes=[+]N     the last N bytes; with + all from byte N on
  -n, --lines=[+]N     the last N lines; with + all from line N on; -N is the same
  -q, --quiet, --silent  no names
  -v, --verbose        always names
  -z, --zero-terminated  lines end with NUL
N may have a suffix: b 512, kB 1000, K 1024, MB, M and so on.
-f and -F are refused: nothing but this call changes the files.`,
	}
}

func runTail(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(oldCount(c.Args, "-+"), "c,bytes: n,lines: q,quiet silent v,verbose z,zero-terminated f,follow:: F retry pid: s,sleep-interval: max-unchanged-stats:")
	if err != nil {
		return c.UsageError(1, err)
	}
	if o.Has("f", "F", "retry", "pid", "s", "max-unchanged-stats") {
		c.Errorf("-f is not supported: no other program writes to the files while a call runs. Read the end of the file with tail -n, and look again in a later call")
		return 1
	}
	p := part{n: 10, end: terminator(o)}
	for _, s := range o.Seen() {
		if s.Name != "c" && s.Name != "n" {
			continue
		}
		value, on := strings.CutPrefix(s.Value, "+")
		what := "number of lines"
		if p.bytes = s.Name == "c"; p.bytes {
			what = "number of bytes"
		}
		if p.n, err = number(strings.TrimPrefix(value, "-"), 0, what); err != nil {
			c.Errorf("%v", err)
			return 1
		}
		p.other = on
	}
	p.titled = titles(o)
	return eachInput(ctx, c, o.Args, func(name string, r io.Reader) error {
		p.title(c.Out, name)
		if p.other {
			return p.from(ctx, c, r)
		}
		return p.last(ctx, c, r)
	})
}

// from writes all from the n-th line or byte on.
func (p *part) from(ctx context.Context, c *command.Call, r io.Reader) error {
	skip := p.n - 1
	buf := make([]byte, chunk)
	for skip > 0 {
		n, err := ctxReader{ctx, r}.Read(buf)
		took := 0
		for skip > 0 && took < n {
			i := 0
			if !p.bytes {
				i = bytes.IndexByte(buf[took:n], p.end)
			}
			if i < 0 {
				took = n
				break
			}
			took += i + 1
			skip--
		}
		c.Out.Write(buf[took:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return copyThrough(ctx, c.Out, r)
}

// last keeps what may be the end and writes it.
func (p *part) last(ctx context.Context, c *command.Call, r io.Reader) error {
	p.seekNearEnd(r)
	var held []byte
	trimAt := 4 * chunk
	buf := make([]byte, chunk)
	for {
		n, err := ctxReader{ctx, r}.Read(buf)
		held = append(held, buf[:n]...)
		done := errors.Is(err, io.EOF)
		if err != nil && !done {
			return err
		}
		if done || len(held) > trimAt {
			held = append(held[:0], held[p.lastStart(held):]...)
			trimAt = max(trimAt, 2*len(held)) // so that the work stays proportional to the input
		}
		if done {
			c.Out.Write(held)
			return nil
		}
	}
}

// seekNearEnd skips what cannot be part of the last bytes of a file.
func (p *part) seekNearEnd(r io.Reader) {
	s, ok := r.(io.Seeker)
	if !ok || !p.bytes {
		return
	}
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err == nil {
		at = max(at, end-p.n)
	}
	_, _ = s.Seek(at, io.SeekStart)
}

// lastStart gives where the last lines or bytes of b begin.
func (p *part) lastStart(b []byte) int {
	if p.bytes {
		return int(max(0, int64(len(b))-p.n))
	}
	if p.n == 0 {
		return len(b)
	}
	at := len(b)
	if at > 0 && b[at-1] == p.end {
		at--
	}
	for n := p.n; n > 0; n-- {
		if at = bytes.LastIndexByte(b[:at], p.end); at < 0 {
			return 0
		}
	}
	return at + 1
}
