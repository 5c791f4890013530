package files

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
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
	case info.Mode()&fs.ModeSymlink != 0:
		z.failed("%s: %s", name, text(errLoop))
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

// replace compresses or decompresses a file in place.
func (z *zip) replace(name string, info fs.FileInfo) {
	target, known := z.plainName(name)
	switch {
	case z.decompress && !known:
		z.warn("%s: unknown suffix -- ignored", name)
		return
	case !z.decompress && known && !z.force:
		if !z.quiet {
			z.Errorf("%s already has %s suffix -- unchanged", name, strings.TrimPrefix(name, strings.TrimSuffix(target, ".tar")))
		}
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
