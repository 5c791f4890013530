package text

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func shufCommand() *command.Command {
	return &command.Command{
		Name: "shuf", Group: "text", Short: "put lines in random order", Run: runShuf,
		Usage: `Usage: shuf [OPTION]... [FILE], shuf -e [OPTION]... [TEXT]..., or shuf -i LO-HI [OPTION]...
Write the lines in random order.

  -e, --echo                the operands are the lines
  -i, --input-range=LO-HI   the numbers from LO to HI are the lines
  -n, --head-count=N        write N lines at most
  -o, --output=FILE         write to FILE
  -r, --repeat              lines may come again; without -n, for ever
  --random-source=FILE      take random bytes from FILE
  -z, --zero-terminated     lines end with NUL`,
	}
}

type shuffler struct {
	lines  [][]byte
	lo     uint64
	count  uint64 // of lines, or of numbers from lo
	random func(p []byte) error
	end    byte
}

func runShuf(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "e,echo i,input-range: n,head-count: o,output: r,repeat random-source: z,zero-terminated")
	if err != nil {
		return c.UsageError(1, err)
	}
	s := &shuffler{end: terminator(o), random: func(p []byte) error { c.Rand(p); return nil }}
	most := uint64(math.MaxUint64)
	for _, value := range o.Values("n") {
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			c.Errorf("invalid line count: '%s'", value)
			return 1
		}
		most = min(most, n)
	}
	if err := s.input(ctx, c, o); err != nil {
		if _, ok := errors.AsType[usageError](err); ok {
			return c.UsageError(1, err)
		}
		c.Errorf("%v", err)
		return 1
	}
	if name := o.Value("random-source", ""); name != "" {
		f, err := c.Open(name)
		if err != nil {
			return c.Fail(name, err)
		}
		defer f.Close()
		s.random = func(p []byte) error {
			if _, err := io.ReadFull(f, p); err != nil {
				return errors.New(name + ": end of file")
			}
			return nil
		}
	}
	out := c.Out
	if name := o.Value("o", ""); name != "" {
		f, err := c.FS.Open(c.Abs(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666&^c.Umask)
		if err != nil {
			return c.Fail(name, err)
		}
		defer f.Close()
		out = command.NewWriter(f)
	}
	if err := s.write(ctx, out, most, o.Has("r")); err != nil {
		c.Errorf("%v", err)
		return 1
	}
	if err := out.Flush(); err != nil && out != c.Out {
		return c.Fail(o.Value("o", ""), err)
	}
	return 0
}

type usageError string

func (e usageError) Error() string { return string(e) }

func (s *shuffler) input(ctx context.Context, c *command.Call, o *command.Options) error {
	switch {
	case o.Has("e") && o.Has("i"):
		return usageError("cannot combine -e and -i options")
	case o.Has("i"):
		if len(o.Args) > 0 {
			return usageError("extra operand '" + o.Args[0] + "'")
		}
		return s.numbers(o.Value("i", ""))
	case o.Has("e"):
		for _, arg := range o.Args {
			s.lines = append(s.lines, []byte(arg))
		}
	case len(o.Args) > 1:
		return usageError("extra operand '" + o.Args[1] + "'")
	default:
		name := "-"
		if len(o.Args) == 1 {
			name = o.Args[0]
		}
		data, err := readAll(ctx, c, name)
		if err != nil {
			return &command.PathError{Path: name, Err: err}
		}
		if data = bytes.TrimSuffix(data, []byte{s.end}); len(data) > 0 || bytes.Contains(data, []byte{s.end}) {
			s.lines = bytes.Split(data, []byte{s.end})
		}
	}
	s.count = uint64(len(s.lines))
	return nil
}

func (s *shuffler) numbers(r string) error {
	lo, hi, ok := strings.Cut(r, "-")
	from, err := strconv.ParseUint(lo, 10, 64)
	to, err2 := strconv.ParseUint(hi, 10, 64)
	if !ok || err != nil || err2 != nil || from > to && from != to+1 {
		return fmt.Errorf("invalid input range: '%s'", r)
	}
	s.lo, s.count = from, to-from+1
	return nil
}

// below gives a random number below n, each as likely as the others.
func (s *shuffler) below(n uint64) (uint64, error) {
	var p [8]byte
	for {
		if err := s.random(p[:]); err != nil {
			return 0, err
		}
		hi, lo := bits.Mul64(binary.BigEndian.Uint64(p[:]), n)
		if lo >= -n%n {
			return hi, nil
		}
	}
}

func (s *shuffler) write(ctx context.Context, w *command.Writer, most uint64, repeat bool) error {
	if s.count == 0 {
		if repeat && most > 0 {
			return errors.New("no lines to repeat")
		}
		return nil
	}
	put := func(i uint64) {
		if s.lines != nil {
			w.Write(s.lines[i])
		} else {
			w.WriteString(strconv.FormatUint(s.lo+i, 10))
		}
		w.WriteByte(s.end)
	}
	if !repeat {
		most = min(most, s.count)
	}
	// Where a line was swapped to; what is missing is at its own place. So a few of very
	// many numbers cost little.
	moved := map[uint64]uint64{}
	at := func(i uint64) uint64 {
		if to, ok := moved[i]; ok {
			return to
		}
		return i
	}
	for n := uint64(0); n < most && w.Err() == nil && ctx.Err() == nil; n++ {
		if repeat {
			i, err := s.below(s.count)
			if err != nil {
				return err
			}
			put(i)
			continue
		}
		i, err := s.below(s.count - n)
		if err != nil {
			return err
		}
		put(at(n + i))
		moved[n+i] = at(n)
		delete(moved, n)
		if len(moved) > (limits.Limits{}).OrDefault().Words {
			return errors.New("too many lines; take fewer with -n")
		}
	}
	return nil
}
