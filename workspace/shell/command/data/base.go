package data

import (
	"bytes"
	"context"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"io"
	"path"
	"strconv"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

func baseUsage(name string) string {
	return "Usage: " + name + ` [OPTION]... [FILE]
Encode FILE, or standard input, and write the result.

  -d, --decode          decode
  -i, --ignore-garbage  with -d: skip what is not of the alphabet
  -w, --wrap=COLUMNS    break lines after COLUMNS characters, 76 when not given; 0 for none`
}

// encoding is what base 64 and base 32 have in common.
type encoding interface {
	AppendEncode(dst, src []byte) []byte
	AppendDecode(dst, src []byte) ([]byte, error)
}

func runBase(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "d,decode i,ignore-garbage w,wrap:")
	if err != nil {
		return c.UsageError(1, err)
	}
	wrap, err := strconv.ParseUint(o.Value("w", "76"), 10, 31)
	if err != nil {
		c.Errorf("invalid wrap size: '%s'", o.Value("w", ""))
		return 1
	}
	name := "-"
	if len(o.Args) > 0 {
		name = o.Args[0]
	}
	if len(o.Args) > 1 {
		return c.UsageError(1, fmt.Errorf("extra operand '%s'", o.Args[1]))
	}
	f, err := c.Open(name)
	if err != nil {
		return c.Fail(name, err)
	}
	defer f.Close()
	b := &baser{c: c, in: f, encoding: base64.StdEncoding, loose: base64.RawStdEncoding, group: 4, bytes: 3, garbage: o.Has("i")}
	if path.Base(c.Args[0]) == "base32" {
		b.encoding, b.loose, b.group, b.bytes = base32.StdEncoding, base32.StdEncoding.WithPadding(base32.NoPadding), 8, 5
	}
	if o.Has("d") {
		err = b.decode(ctx)
	} else {
		err = b.encode(ctx, int(wrap))
	}
	if err != nil {
		c.Errorf("%s", view.Text(err))
		return 1
	}
	return 0
}

// baser is one run of base64 or base32.
type baser struct {
	c            *command.Call
	in           io.Reader
	encoding     encoding
	loose        encoding // without padding
	group, bytes int      // characters and bytes of one group
	garbage      bool
}

func (b *baser) encode(ctx context.Context, wrap int) error {
	buf := make([]byte, b.bytes*4096)
	var text []byte
	column := 0
	for {
		n, err := io.ReadFull(b.in, buf)
		text = b.encoding.AppendEncode(text[:0], buf[:n])
		for rest := text; len(rest) > 0; {
			take := len(rest)
			if wrap > 0 {
				take = min(take, wrap-column)
			}
			b.c.Out.Write(rest[:take])
			rest = rest[take:]
			if column += take; wrap > 0 && column == wrap {
				b.c.Out.WriteByte('\n')
				column = 0
			}
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			if wrap > 0 && column > 0 {
				b.c.Out.WriteByte('\n')
			}
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

type inputError struct{}

func (inputError) Error() string { return "invalid input" }

func (b *baser) decode(ctx context.Context) error {
	buf := make([]byte, 32<<10)
	var held, out []byte
	for ctx.Err() == nil {
		n, err := b.in.Read(buf)
		for _, c := range buf[:n] {
			if c != '\n' && (!b.garbage || b.known(c)) {
				held = append(held, c)
			}
		}
		whole := len(held) / b.group * b.group
		if whole > 0 {
			var bad error
			if out, bad = b.groups(held[:whole]); bad != nil {
				b.c.Out.Write(out)
				return bad
			}
			b.c.Out.Write(out)
			held = append(held[:0], held[whole:]...)
		}
		if err == io.EOF {
			if len(held) > 0 {
				b.c.Out.Write(b.salvage(nil, held))
				return inputError{}
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// groups decodes whole groups; padding may end any of them, as when texts are joined.
func (b *baser) groups(text []byte) ([]byte, error) {
	var out []byte
	for len(text) > 0 {
		end := len(text)
		if pad := bytes.IndexByte(text, '='); pad >= 0 {
			end = min((pad/b.group+1)*b.group, end)
		}
		whole, err := b.encoding.AppendDecode(nil, text[:end])
		if err != nil {
			return b.salvage(out, text[:end]), inputError{}
		}
		out, text = append(out, whole...), text[end:]
	}
	return out, nil
}

// salvage decodes what is good at the start of a text that is not, to the byte.
func (b *baser) salvage(out, text []byte) []byte {
	good := 0
	for good < len(text) && text[good] != '=' && b.known(text[good]) {
		good++
	}
	for ; good > 0; good-- {
		if part, err := b.loose.AppendDecode(nil, text[:good]); err == nil {
			return append(out, part...)
		}
	}
	return out
}

func (b *baser) known(c byte) bool {
	switch {
	case c == '=' || c >= 'A' && c <= 'Z':
		return true
	case b.group == 8:
		return c >= '2' && c <= '7'
	}
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/'
}
