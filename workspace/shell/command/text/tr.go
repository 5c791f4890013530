package text

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func trCommand() *command.Command {
	return &command.Command{
		Name: "tr", Group: "text", Short: "replace, squeeze or delete bytes", Run: runTr,
		Usage: `Usage: tr [OPTION]... SET1 [SET2]
Copy standard input to standard output with each byte of SET1 as that of SET2 in its place.

  -c, -C, --complement   take all that is not in SET1
  -d, --delete           delete what is in SET1
  -s, --squeeze-repeats  of a byte of the last SET that stands several times in a row keep one
  -t, --truncate-set1    cut SET1 to the length of SET2

In a SET: \NNN octal, \a \b \f \n \r \t \v \\, A-Z ranges, [:class:], [=c=], and in SET2
[c*N] for N times c and [c*] for as many as fill it. It works on bytes, not characters.`,
	}
}

func runTr(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "+c,complement C d,delete s,squeeze-repeats t,truncate-set1")
	if err != nil {
		return c.UsageError(1, err)
	}
	t, err := newTranslation(o)
	if err != nil {
		return c.UsageError(1, err)
	}
	buf := make([]byte, chunk)
	last := -1
	for {
		n, err := ctxReader{ctx, c.In}.Read(buf)
		kept := 0
		for _, b := range buf[:n] {
			if t.drop[b] {
				continue
			}
			b = t.to[b]
			if t.squeeze[b] && last == int(b) {
				continue
			}
			last = int(b)
			buf[kept] = b
			kept++
		}
		c.Out.Write(buf[:kept])
		switch {
		case errors.Is(err, io.EOF) || ctx.Err() != nil:
			return 0
		case err != nil:
			return c.Fail("read error", err)
		}
	}
}

type translation struct {
	to            [256]byte
	drop, squeeze [256]bool
}

func newTranslation(o *command.Options) (*translation, error) {
	remove, squeeze := o.Has("d"), o.Has("s")
	want := 2
	if remove != squeeze {
		want = 1
	}
	switch most := 2 - b2i(remove && !squeeze); {
	case len(o.Args) == 0:
		return nil, errors.New("missing operand")
	case len(o.Args) < want:
		what := "Two strings must be given when translating."
		if remove {
			what = "Two strings must be given when both deleting and squeezing repeats."
		}
		return nil, fmt.Errorf("missing operand after '%s'\n%s", o.Args[0], what)
	case len(o.Args) > most:
		return nil, fmt.Errorf("extra operand '%s'", o.Args[most])
	}
	s1, err := parseTrSet(o.Args[0], false)
	if err != nil {
		return nil, err
	}
	from := s1.bytes
	if o.Has("c", "C") {
		from = complementBytes(from)
	}
	t := &translation{}
	for b := range 256 {
		t.to[b] = byte(b)
	}
	if remove {
		for _, b := range from {
			t.drop[b] = true
		}
	}
	last := from
	if len(o.Args) == 2 {
		s2, err := parseTrSet(o.Args[1], true)
		if err != nil {
			return nil, err
		}
		if !remove {
			if err := s2.fit(&from, o.Has("t")); err != nil {
				return nil, err
			}
			for i, b := range from {
				t.to[b] = s2.bytes[i]
			}
		}
		last = s2.bytes
	}
	if squeeze {
		for _, b := range last {
			t.squeeze[b] = true
		}
	}
	return t, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func complementBytes(set []byte) []byte {
	var in [256]bool
	for _, b := range set {
		in[b] = true
	}
	var out []byte
	for b := range 256 {
		if !in[b] {
			out = append(out, byte(b))
		}
	}
	return out
}
