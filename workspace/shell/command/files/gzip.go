package files

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const gzipUsage = `
Usage: gzip [OPTION]... [FILE]...
Compress FILEs, each to FILE.gz; with no FILE, or -, standard input to standard output.
gunzip is gzip -d, zcat is gzip -cd.

  -d, --decompress       decompress
  -c, --stdout           write to standard output, keep the files
  -k, --keep             keep the files
  -f, --force            overwrite; zcat copies what is not compressed
  -l, --list             show sizes;  -t, --test  check
  -n, -N                 do not keep, or restore, the name and time
  -r, --recursive        files below directories
  -S, --suffix=SUF       instead of .gz
  -1 ... -9, --fast, --best   faster or smaller
  -q, -v                 no warnings; say what is done
`

func gzipCommand() *command.Command {
	return &command.Command{Name: "gzip", Aliases: []string{"gunzip", "zcat"}, Group: "data", Short: "compress and decompress files", Usage: gzipUsage, Run: runGzip}
}

// zip is one call of gzip.
type zip struct {
	*run
	decompress, stdout, keep, force, list, test, noName, restore, recursive, verbose, quiet bool
	suffix                                                                                  string
	level                                                                                   int
	listed                                                                                  bool
}

func runGzip(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, `d,decompress uncompress c,stdout to-stdout k,keep f,force l,list t,test n,no-name N,name r,recursive S,suffix: v,verbose q,quiet
		1,fast 2 3 4 5 6 7 8 9,best a,ascii rsyncable synchronous`, 1)
	if !ok {
		return r.code
	}
	o := r.opt
	name := path.Base(c.Args[0])
	z := &zip{run: r, decompress: o.Has("d", "uncompress") || name != "gzip", stdout: o.Has("c", "to-stdout") || name == "zcat", keep: o.Has("k"), force: o.Has("f"),
		list: o.Has("l"), test: o.Has("t"), noName: o.Has("n"), restore: o.Last("n", "N") == "N", recursive: o.Has("r"), verbose: o.Has("v"), quiet: o.Has("q"),
		suffix: o.Value("S", ".gz"), level: gzip.DefaultCompression}
	if level := o.Last("1", "2", "3", "4", "5", "6", "7", "8", "9"); level != "" {
		z.level = int(level[0] - '0')
	}
	if z.suffix == "" && !z.decompress {
		return c.UsageError(1, errors.New("invalid suffix ''"))
	}
	names := o.Args
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		if r.over() {
			break
		}
		z.one(name)
	}
	return r.code
}

// warn reports what is no error of the data; the exit status is then 2.
func (z *zip) warn(format string, args ...any) {
	if !z.quiet {
		z.Errorf(format, args...)
	}
	if z.code == 0 {
		z.code = 2
	}
}

func (z *zip) one(name string) {
	if name == "-" {
		z.stream(z.In, "stdin", time.Time{})
		return
	}
	info, err := z.lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && (z.stdout || z.force || z.list || z.test) {
		info, err = z.stat(name)
	}
	if err != nil && z.decompress && !strings.HasSuffix(name, z.suffix) {
		if i, e := z.stat(name + z.suffix); e == nil {
			name, info, err = name+z.suffix, i, nil
		}
	}
	switch {
	case err != nil:
		z.failed("%s: %s", name, text(err))
		return
	case info.IsDir() && z.recursive:
		z.directory(name)
		return
	case info.IsDir():
		z.warn("%s is a directory -- ignored", name)
		return
	case !info.Mode().IsRegular() && !z.stdout:
		z.warn("%s is not a directory or a regular file - ignored", name)
		return
	}
	if !z.stdout && !z.list && !z.test {
		z.replace(name, info)
		return
	}
	if z.decompress && z.force && z.stdout || !z.decompress && !z.list && !z.test || z.known(name) || z.stdout {
		f, err := z.Open(name)
		if err != nil {
			z.failed("%s: %s", name, text(err))
			return
		}
		defer f.Close()
		z.stream(f, name, info.ModTime())
		return
	}
	z.warn("%s: unknown suffix -- ignored", name)
}

func (z *zip) known(name string) bool {
	_, ok := z.plainName(name)
	return ok
}

func (z *zip) directory(name string) {
	w := &walk{run: z.run, failedAt: func(name string, err error) { z.failed("%s: %s", name, text(err)) }}
	var found []string
	w.before = func(n *node) bool {
		if n.info.Mode().IsRegular() && z.known(n.name) == (z.decompress || z.list || z.test) {
			found = append(found, n.name)
		}
		return true
	}
	w.from(name)
	for _, f := range found {
		z.one(f)
	}
}

// plainName gives the name without the suffix of compressed files.
func (z *zip) plainName(name string) (string, bool) {
	for _, s := range []string{z.suffix, ".gz", ".z", "-gz", "-z", "_z", ".Z"} {
		if s != "" && len(baseName(name)) > len(s) && strings.HasSuffix(name, s) {
			return strings.TrimSuffix(name, s), true
		}
	}
	for _, s := range []string{".tgz", ".taz"} {
		if len(baseName(name)) > len(s) && strings.HasSuffix(name, s) {
			return strings.TrimSuffix(name, s) + ".tar", true
		}
	}
	return name, false
}

// stream handles a file whose result goes to standard output, or that is only looked at.
func (z *zip) stream(in io.Reader, name string, modified time.Time) {
	switch {
	case z.list:
		z.show(in, name)
	case z.test:
		if z.inflate(io.Discard, in, name) && z.verbose {
			z.Errorf("%s:\t OK", name)
		}
	case z.decompress:
		z.inflate(z.Out, in, name)
	default:
		if err := z.deflate(z.Out, in, name, modified); err != nil && z.Out.Err() == nil {
			z.failed("%s: %s", name, text(err))
		}
	}
}

func (z *zip) deflate(out io.Writer, in io.Reader, name string, modified time.Time) error {
	w, err := gzip.NewWriterLevel(out, z.level)
	if err != nil {
		return err
	}
	if !z.noName && name != "stdin" {
		w.Name, w.ModTime = path.Base(name), modified
	}
	if _, err := io.Copy(w, z.reader(in)); err != nil {
		return err
	}
	return w.Close()
}

// inflate decompresses; the fault of the data is reported here.
func (z *zip) inflate(out io.Writer, in io.Reader, name string) bool {
	br := bufio.NewReaderSize(z.reader(in), 32<<10)
	magic, _ := br.Peek(2)
	if len(magic) == 0 || magic[0] != 0x1f || len(magic) > 1 && magic[1] != 0x8b {
		if z.force && z.stdout {
			_, err := io.Copy(out, br)
			return err == nil
		}
		if len(magic) == 0 {
			z.failed("%s: unexpected end of file", name)
		} else {
			z.failed("%s: not in gzip format", name)
		}
		return false
	}
	r, err := gzip.NewReader(br)
	for err == nil {
		r.Multistream(false)
		if _, err = io.Copy(out, r); err != nil {
			break
		}
		magic, e := br.Peek(2)
		if e != nil && len(magic) == 0 {
			return true
		}
		if len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
			if strings.Trim(string(magic), "\x00") != "" {
				z.warn("%s: decompression OK, trailing garbage ignored", name)
			}
			return true
		}
		err = r.Reset(br)
	}
	switch {
	case z.Out.Err() != nil:
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		z.failed("%s: unexpected end of file", name)
	case errors.Is(err, gzip.ErrChecksum):
		z.failed("%s: invalid compressed data--crc error", name)
	case errors.Is(err, gzip.ErrHeader):
		z.failed("%s: not in gzip format", name)
	case strings.HasPrefix(err.Error(), "flate:"):
		z.failed("%s: invalid compressed data--format violated", name)
	default:
		z.failed("%s: %s", name, text(err))
	}
	return false
}

// replace compresses or decompresses a file in place.
func (z *zip) replace(name string, info fs.FileInfo) {
	target, known := z.plainName(name)
	switch {
	case z.decompress && !known:
		z.warn("%s: unknown suffix -- ignored", name)
		return
	case !z.decompress && known && !z.force:
		z.warn("%s already has %s suffix -- unchanged", name, strings.TrimPrefix(name, strings.TrimSuffix(target, ".tar")))
		return
	case !z.decompress:
		target = name + z.suffix
	}
	in, err := z.Open(name)
	if err != nil {
		z.failed("%s: %s", name, text(err))
		return
	}
	defer in.Close()
	if _, err := z.lstat(target); err == nil {
		if !z.force {
			z.warn("%s already exists;\tnot overwritten", target)
			return
		}
	}
	out, err := z.FS.Open(z.Abs(target), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		z.failed("%s: %s", target, text(err))
		return
	}
	ok := true
	if z.decompress {
		ok = z.inflate(out, in, name)
	} else if err := z.deflate(out, in, name, info.ModTime()); err != nil {
		z.failed("%s: %s", target, text(err))
		ok = false
	}
	if err := out.Close(); err != nil && ok {
		z.failed("%s: %s", target, text(err))
		ok = false
	}
	if !ok {
		_ = z.FS.Remove(z.Abs(target)) // half of a file helps nobody; the fault was reported
		return
	}
	z.finish(name, target, info)
}

// finish gives the new file the times of the old one, which is then removed.
func (z *zip) finish(name, target string, info fs.FileInfo) {
	made, err := z.stat(target)
	if err == nil {
		err = z.FS.Chtimes(z.Abs(target), timeOf(info, 'a'), info.ModTime())
	}
	if err == nil && !z.keep {
		err = z.FS.Remove(z.Abs(name))
	}
	if err != nil {
		z.failed("%s: %s", name, text(err))
		return
	}
	if z.verbose {
		done := "replaced with"
		if z.keep {
			done = "created"
		}
		packed, plain := made.Size(), info.Size()
		if z.decompress {
			packed, plain = plain, packed
		}
		fmt.Fprintf(z.Err, "%s:\t%s -- %s %s\n", name, ratio(packed, plain), done, target)
	}
}

// headAndTail is how many bytes of a compressed file are no data.
const headAndTail = 18

func ratio(packed, plain int64) string {
	if plain == 0 {
		return "  0.0%"
	}
	return fmt.Sprintf("%5.1f%%", 100*float64(plain-packed+headAndTail)/float64(plain))
}

// counter counts what is written to it or read through it.
type counter struct {
	in io.Reader
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

// show prints the line of -l.
func (z *zip) show(in io.Reader, name string) {
	packed, plain := &counter{in: in}, &counter{}
	if !z.inflate(plain, packed, name) {
		return
	}
	if !z.listed && !z.quiet {
		z.Out.WriteString("         compressed        uncompressed  ratio uncompressed_name\n")
	}
	z.listed = true
	shown, _ := z.plainName(name)
	if name == "stdin" {
		shown = "stdout"
	}
	fmt.Fprintf(z.Out, "%19d %19d %s %s\n", packed.n, plain.n, ratio(packed.n, plain.n), shown)
}

