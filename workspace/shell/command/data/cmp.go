package data

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

const cmpUsage = `Usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
Compare two files byte by byte.

  -b, --print-bytes         show the bytes that differ
  -i, --ignore-initial=SKIP[:SKIP2]  skip the first bytes
  -l, --verbose             numbers and values of all bytes that differ
  -n, --bytes=LIMIT         compare at most so many bytes
  -s, --quiet, --silent     write nothing

Exit status: 0 the same, 1 different, 2 trouble.`

func runCmp(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "b,print-bytes i,ignore-initial: l,verbose n,bytes: s,quiet silent")
	if err != nil {
		return c.UsageError(2, err)
	}
	names := o.Args
	switch {
	case len(names) == 0:
		return c.UsageError(2, errors.New("missing operand after 'cmp'"))
	case len(names) > 4:
		return c.UsageError(2, fmt.Errorf("extra operand '%s'", names[4]))
	}
	var skip [2]int64
	if o.Has("i") {
		first, second, both := strings.Cut(o.Value("i", ""), ":")
		if !both {
			second = first
		}
		names = append(append([]string{}, names[:min(len(names), 2)]...), first, second)
		if len(o.Args) == 1 {
			names = []string{o.Args[0], "-", first, second}
		}
	}
	if len(names) == 1 {
		names = append(names, "-")
	}
	for i, text := range names[2:] {
		if skip[i], err = byteCount(text); err != nil {
			return c.UsageError(2, fmt.Errorf("invalid --ignore-initial value '%s'", text))
		}
	}
	limit := int64(-1)
	if o.Has("n") {
		if limit, err = byteCount(o.Value("n", "")); err != nil {
			return c.UsageError(2, fmt.Errorf("invalid --bytes value '%s'", o.Value("n", "")))
		}
	}
	var r [2]*bufio.Reader
	for i := range r {
		f, err := c.Open(names[i])
		if err != nil {
			if !o.Has("s", "silent") {
				c.Errorf("%s: %s", names[i], view.Text(err))
			}
			return 2
		}
		defer f.Close()
		r[i] = bufio.NewReaderSize(f, 64<<10)
		if _, err := io.CopyN(io.Discard, r[i], skip[i]); err != nil && err != io.EOF {
			return max(2, c.Fail(names[i], err))
		}
	}
	m := &matcher{c: c, names: names, r: r, bytes: o.Has("b"), all: o.Has("l"), quiet: o.Has("s", "silent")}
	return m.compare(ctx, limit)
}

// byteCount reads a number of bytes such as 10, 4k, 1M or 2kB.
func byteCount(text string) (int64, error) {
	digits := strings.TrimRight(text, "kKMGTiB")
	n, err := strconv.ParseInt(digits, 0, 64)
	if err != nil || n < 0 {
		return 0, errors.New("not a number of bytes")
	}
	factors := map[string]int64{"": 1, "k": 1 << 10, "K": 1 << 10, "KiB": 1 << 10, "kB": 1000, "KB": 1000, "M": 1 << 20, "MiB": 1 << 20, "MB": 1_000_000, "G": 1 << 30, "GiB": 1 << 30, "GB": 1_000_000_000}
	factor, ok := factors[text[len(digits):]]
	if !ok || n > 1<<62/factor {
		return 0, errors.New("not a number of bytes")
	}
	return n * factor, nil
}

// matcher is one run of cmp.
type matcher struct {
	c                 *command.Call
	names             []string
	r                 [2]*bufio.Reader
	bytes, all, quiet bool
}

func (m *matcher) compare(ctx context.Context, limit int64) int {
	code := 0
	line := int64(1)
	width := 1
	if m.all {
		width = 6
		if limit >= 0 {
			width = len(strconv.FormatInt(limit, 10))
		} else {
			width = m.width()
		}
	}
	newline := false
	for at := int64(1); limit < 0 || at <= limit; at++ {
		if at&0xffff == 0 && ctx.Err() != nil {
			return 2
		}
		x, errX := m.r[0].ReadByte()
		y, errY := m.r[1].ReadByte()
		if errX != nil || errY != nil {
			for i, err := range []error{errX, errY} {
				if err != nil && err != io.EOF {
					return max(2, m.c.Fail(m.names[i], err))
				}
			}
			if (errX == nil) == (errY == nil) {
				return code
			}
			m.short(errX != nil, at, line, newline)
			return 1
		}
		newline = x == '\n'
		if x == y {
			if x == '\n' {
				line++
			}
			continue
		}
		code = 1
		switch {
		case m.quiet:
			return 1
		case !m.all:
			fmt.Fprintf(m.c.Out, "%s %s differ: byte %d, line %d", m.names[0], m.names[1], at, line)
			if m.bytes {
				fmt.Fprintf(m.c.Out, " is %3o %s %3o %s", x, visible(x), y, visible(y))
			}
			m.c.Out.WriteByte('\n')
			return 1
		case m.bytes:
			fmt.Fprintf(m.c.Out, "%*d %3o %-4s %3o %s\n", width, at, x, visible(x), y, visible(y))
		default:
			fmt.Fprintf(m.c.Out, "%*d %3o %3o\n", width, at, x, y)
		}
		if x == '\n' {
			line++
		}
	}
	return code
}

// width gives the digits of the size of the smaller file.
func (m *matcher) width() int {
	smallest := int64(-1)
	for _, name := range m.names[:2] {
		if info, err := m.c.FS.Stat(m.c.Abs(name)); name != "-" && err == nil && (smallest < 0 || info.Size() < smallest) {
			smallest = info.Size()
		}
	}
	if smallest < 0 {
		return 19
	}
	return len(strconv.FormatInt(smallest, 10))
}

// short says which file ended before the other, after at-1 bytes.
func (m *matcher) short(first bool, at, line int64, newline bool) {
	if m.quiet {
		return
	}
	name := m.names[1]
	if first {
		name = m.names[0]
	}
	switch {
	case at == 1:
		m.c.Errorf("EOF on %s which is empty", name)
	case m.all:
		m.c.Errorf("EOF on %s after byte %d", name, at-1)
	case newline:
		m.c.Errorf("EOF on %s after byte %d, line %d", name, at-1, line-1)
	default:
		m.c.Errorf("EOF on %s after byte %d, in line %d", name, at-1, line)
	}
}

// visible shows a byte as cat -t does.
func visible(b byte) string {
	prefix := ""
	if b >= 128 {
		prefix, b = "M-", b-128
	}
	switch {
	case b < 32:
		return prefix + "^" + string(rune(b+64))
	case b == 127:
		return prefix + "^?"
	}
	return prefix + string(rune(b))
}
