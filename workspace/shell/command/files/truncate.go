package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const truncateUsage = `
Usage: truncate OPTION... FILE...
Shrink or extend files to a size; what is added reads as zeros.

  -s, --size=SIZE        to SIZE, or by +SIZE, by -SIZE, to at most <SIZE, to at least >SIZE,
                         down to a multiple of /SIZE, up to a multiple of %SIZE
  -r, --reference=FILE   to the size of this file, or relative to it
  -c, --no-create        make no files
  -o, --io-blocks        SIZE counts blocks
`

func truncateCommand() *command.Command {
	return &command.Command{Name: "truncate", Group: "files", Short: "set the size of files", Usage: truncateUsage, Run: runTruncate}
}

func runTruncate(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "s,size: r,reference: c,no-create o,io-blocks", 1)
	if !ok {
		return r.code
	}
	size := r.opt.Value("s", "")
	if !r.opt.Has("s", "r") {
		return c.UsageError(1, errors.New("you must specify either '--size' or '--reference'"))
	}
	sign, n, err := truncateSize(size, r.opt.Has("s"))
	if err != nil {
		r.failed("Invalid number: '%s'", size)
		return r.code
	}
	if r.opt.Has("o") {
		n *= blockBytes
	}
	if (sign == '/' || sign == '%') && n == 0 {
		r.failed("division by zero")
		return r.code
	}
	if len(r.opt.Args) == 0 {
		return c.UsageError(1, errors.New("missing file operand"))
	}
	reference := int64(-1)
	if name := r.opt.Value("r", ""); r.opt.Has("r") {
		info, err := r.stat(name)
		if err != nil {
			r.failed("cannot stat '%s': %s", name, text(err))
			return r.code
		}
		reference = info.Size()
		if r.opt.Has("s") && sign == 0 {
			return c.UsageError(1, errors.New("you must specify a relative '--size' with '--reference'"))
		}
	}
	for _, name := range r.opt.Args {
		if err := r.truncate(name, sign, n, reference); err != nil {
			r.failed("cannot truncate '%s': %s", name, text(err))
		}
	}
	return r.code
}

func truncateSize(s string, given bool) (sign byte, n int64, err error) {
	s = strings.TrimSpace(s)
	if s != "" && strings.IndexByte("+-<>/%", s[0]) >= 0 {
		sign, s = s[0], strings.TrimSpace(s[1:])
	}
	if !given {
		return '+', 0, nil
	}
	if s == "" || !isDigit(rune(s[0])) {
		return 0, 0, errSize
	}
	n, err = parseSize(s)
	return sign, n, err
}

func (r *run) truncate(name string, sign byte, n, reference int64) error {
	p, err := r.path(name)
	if err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE
	if r.opt.Has("c") {
		flags = os.O_WRONLY
	}
	f, err := r.FS.Open(p, flags, 0o666&^r.Umask)
	if err != nil {
		if r.opt.Has("c") && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	defer f.Close()
	old := reference
	if old < 0 {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		old = info.Size()
	}
	switch sign {
	case '+':
		n += old
	case '-':
		n = max(0, old-n)
	case '<':
		n = min(old, n)
	case '>':
		n = max(old, n)
	case '/':
		n = old / n * n
	case '%':
		n = ceilDiv(old, n) * n
	}
	return f.Truncate(n)
}
