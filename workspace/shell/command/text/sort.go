package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func sortCommand() *command.Command {
	return &command.Command{
		Name: "sort", Group: "text", Short: "sort lines", Run: runSort,
		Usage: `Usage: sort [OPTION]... [FILE]...
Write the lines of all FILEs in byte order.

How lines compare (also behind a key of -k):
  -b, --ignore-leading-blanks   -d, --dictionary-order   -f, --ignore-case
  -g, --general-numeric-sort    -h, --human-numeric-sort (2K, 1G)
  -i, --ignore-nonprinting      -M, --month-sort         -n, --numeric-sort
  -R, --random-sort             -r, --reverse            -V, --version-sort
  --sort=WORD                   general-numeric, human-numeric, month, numeric, random, version

  -c, --check                   say where the first line out of order is
  -C, --check=quiet             the same, silently
  -k, --key=FROM[,TO]           compare from field FROM to field TO; each is N[.C][FLAGS]
  -m, --merge                   the files are sorted already
  -o, --output=FILE             write to FILE
  -s, --stable                  lines with equal keys stay in their order
  -t, --field-separator=C       what parts fields; else the empty text before blanks
  -u, --unique                  of equal lines the first only
  -z, --zero-terminated         lines end with NUL
  --files0-from=F               take the names, each ended by NUL, from file F
  --random-source=FILE          random bytes for -R
  -S SIZE, -T DIR, --parallel=N, --batch-size=N  ignored`,
	}
}

// sortSpec is the options of sort, which all have short names but for a few.
const sortSpec = "b,ignore-leading-blanks d,dictionary-order f,ignore-case g,general-numeric-sort h,human-numeric-sort i,ignore-nonprinting " +
	"M,month-sort n,numeric-sort R,random-sort r,reverse V,version-sort sort: c check:: C k,key: m,merge o,output: s,stable t,field-separator: " +
	"u,unique z,zero-terminated files0-from: random-source: S,buffer-size: T,temporary-directory: parallel: batch-size:"

type sorter struct {
	keys    []sortKey
	reverse bool // of the last resort
	stable  bool
	unique  bool
	end     byte
	sep     int // -1: none was given
	salt    [16]byte
}

func runSort(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, sortSpec)
	if err != nil {
		return c.UsageError(2, err)
	}
	s, err := newSorter(o)
	if err != nil {
		c.Errorf("%v", err)
		return 2
	}
	if code := s.random(ctx, c, o); code != 0 {
		return code
	}
	names := o.Args
	if from := o.Value("files0-from", ""); from != "" {
		data, err := readAll(ctx, c, from)
		if err != nil {
			c.Fail("open failed: "+from, err)
			return 2
		}
		names = splitNames(data)
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	if o.Has("c", "check", "C") {
		return s.check(ctx, c, o, names)
	}
	var data [][]byte
	for _, name := range names {
		b, err := readAll(ctx, c, name)
		if err != nil {
			if ctx.Err() == nil {
				c.Fail("cannot read: "+name, err)
			}
			return 2
		}
		data = append(data, b)
	}
	out := c.Out
	if name := o.Value("o", "-"); name != "-" {
		f, err := c.FS.Open(c.Abs(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666&^c.Umask)
		if err != nil {
			c.Fail("open failed: "+name, err)
			return 2
		}
		defer f.Close()
		out = command.NewWriter(f)
	}
	s.write(ctx, out, s.sort(data))
	if err := out.Flush(); err != nil && out != c.Out {
		c.Fail("write failed: "+o.Value("o", ""), err)
		return 2
	}
	return 0
}

// sort gives the lines of all inputs in order. Files that are merged are sorted as well: the
// result is the same when they are sorted already, as they must be.
func (s *sorter) sort(data [][]byte) []sortLine {
	n := 0
	for _, b := range data {
		n += bytes.Count(b, []byte{s.end}) + 1
	}
	lines := make([]sortLine, 0, n)
	for _, b := range data {
		for len(b) > 0 {
			i := bytes.IndexByte(b, s.end)
			if i < 0 {
				i = len(b)
			}
			lines = append(lines, s.line(b[:i]))
			b = b[min(i+1, len(b)):]
		}
	}
	return s.ordered(lines)
}

func (s *sorter) write(ctx context.Context, w *command.Writer, lines []sortLine) {
	for i, l := range lines {
		if i&4095 == 0 && ctx.Err() != nil {
			return
		}
		w.Write(l.text)
		w.WriteByte(s.end)
	}
}

// check is -c and -C.
func (s *sorter) check(ctx context.Context, c *command.Call, o *command.Options, names []string) int {
	how := o.Value("check", "diagnose-first")
	quiet := o.Has("C") || how == "quiet" || how == "silent"
	if len(names) > 1 {
		c.Errorf("extra operand '%s' not allowed with -%s", names[1], map[bool]string{true: "C", false: "c"}[quiet])
		return 2
	}
	code, n := 0, 0
	var before []byte
	err := withInput(c, names[0], func(name string, r io.Reader) error {
		return eachLine(ctx, c, r, s.end, func(line []byte, _ bool) bool {
			n++
			if n > 1 {
				a, b := s.line(before), s.line(line)
				order := s.compare(&a, &b)
				if order > 0 || order == 0 && s.unique {
					if code = 1; !quiet {
						c.Errorf("%s:%d: disorder: %s", name, n, line)
					}
					return false
				}
			}
			before = append(before[:0], line...)
			return true
		})
	})
	if err != nil {
		if !errors.Is(err, ctx.Err()) {
			c.Fail("cannot read: "+names[0], err)
		}
		return 2
	}
	return code
}

// random takes what mixes the order of -R.
func (s *sorter) random(ctx context.Context, c *command.Call, o *command.Options) int {
	if !slices.ContainsFunc(s.keys, func(k sortKey) bool { return k.order == 'R' }) {
		return 0
	}
	name := o.Value("random-source", "")
	if name == "" {
		c.Rand(s.salt[:])
		return 0
	}
	data, err := readPrefix(ctx, c, name, len(s.salt))
	if err == nil && len(data) < len(s.salt) {
		err = errors.New("end of file")
	}
	if err != nil {
		c.Fail(name, err)
		return 2
	}
	copy(s.salt[:], data)
	return 0
}

// readPrefix reads no more than n bytes of a file that may have no end.
func readPrefix(ctx context.Context, c *command.Call, name string, n int) (data []byte, err error) {
	err = withInput(c, name, func(_ string, r io.Reader) error {
		data, err = io.ReadAll(io.LimitReader(ctxReader{ctx, r}, int64(n)))
		return err
	})
	return data, err
}
