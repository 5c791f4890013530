package text

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/regex"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// errEnough ends a walk when the answer is known or writing is of no use.
var errEnough = errors.New("enough")

func (g *grepper) run(ctx context.Context, o *command.Options, files []string) {
	recurse := g.directories == "recurse"
	switch o.Last("h", "H") {
	case "H":
		g.names = true
	case "":
		g.names = len(files) > 1 || recurse && (len(files) == 0 || g.isDirectory(files[0]))
	}
	var err error
	switch {
	case len(files) == 0 && recurse:
		err = g.walk(ctx, ".", "")
	case len(files) == 0:
		err = g.operand(ctx, "-")
	}
	for _, name := range files {
		if err != nil {
			break
		}
		err = g.operand(ctx, name)
	}
	if err != nil && !errors.Is(err, errEnough) && ctx.Err() == nil {
		g.c.Errorf("%v", err)
		g.failed = true
	}
}

func (g *grepper) isDirectory(name string) bool {
	i, err := g.c.FS.Stat(g.c.Abs(name))
	return err == nil && i.IsDir()
}

// operand searches a file that was named.
func (g *grepper) operand(ctx context.Context, name string) error {
	if name == "-" {
		return g.report(g.label, g.search(ctx, g.label, g.c.In))
	}
	i, err := g.c.FS.Stat(g.c.Abs(name))
	switch {
	case err != nil:
		return g.report(name, err)
	case !i.IsDir():
		if g.leftOut(name, true) {
			return nil
		}
		return g.file(ctx, name)
	case g.directories == "recurse":
		if matchAny(g.excludeDir, strings.TrimRight(name, "/")) {
			return nil
		}
		return g.walk(ctx, name, name)
	case g.directories == "skip":
		return nil
	}
	return g.report(name, syscall.EISDIR)
}

// report tells of an error about one file; what ends the run is given back.
func (g *grepper) report(name string, err error) error {
	if err == nil || errors.Is(err, errEnough) || errors.Is(err, regex.ErrSteps) {
		return err
	}
	g.failed = true
	if !g.noMessages {
		g.c.Errorf("%s: %s", name, view.Text(err))
	}
	return nil
}

func (g *grepper) file(ctx context.Context, name string) error {
	f, err := g.c.Open(name)
	if err != nil {
		return g.report(name, err)
	}
	defer f.Close()
	if _, same := g.c.Out.Into(f); same && !g.count && !g.list && !g.listNot && !g.quiet {
		g.failed = true
		g.c.Errorf("%s: input file is also the output", name)
		return nil
	}
	return g.report(name, g.search(ctx, name, f))
}

// walk searches all below a directory. shown is its name in the output: nothing for the
// working directory that was not named.
func (g *grepper) walk(ctx context.Context, dir, shown string) error {
	entries, err := g.c.FS.ReadDir(g.c.Abs(dir))
	if err != nil {
		return g.report(dir, err)
	}
	for _, e := range entries {
		if g.visited++; g.visited > g.c.Budget.Walk {
			return walkHit(g.c.Budget.Walk)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		name := e.Name()
		if shown != "" {
			name = strings.TrimSuffix(shown, "/") + "/" + name
		}
		kind := e.Type()
		if kind&fs.ModeSymlink != 0 {
			if !g.follow {
				continue
			}
			i, err := g.c.FS.Stat(g.c.Abs(name))
			if err != nil {
				if err := g.report(name, err); err != nil {
					return err
				}
				continue
			}
			kind = i.Mode().Type()
		}
		switch {
		case kind.IsDir():
			if !matchAny(g.excludeDir, name) {
				err = g.walk(ctx, name, name)
			}
		case kind.IsRegular() && !g.leftOut(name, false):
			err = g.file(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leftOut says whether --include and --exclude leave a file out; the last that matches
// counts for files that were named, too.
func (g *grepper) leftOut(name string, named bool) bool {
	if matchAny(g.exclude, name) {
		return true
	}
	return len(g.include) > 0 && !matchAny(g.include, name) && (!named || name != "-")
}

// matchAny matches the name, or the end of it behind a slash.
func matchAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if expand.Match(pattern, path.Base(name), false) || expand.Match(pattern, name, false) {
			return true
		}
		for rest := name; strings.Contains(pattern, "/"); {
			i := strings.IndexByte(rest, '/')
			if i < 0 {
				break
			}
			if rest = rest[i+1:]; expand.Match(pattern, rest, false) {
				return true
			}
		}
	}
	return false
}

// grepChunk is the size of the pieces that are searched; the first decides on binary files.
const grepChunk = 96 << 10

// search searches one input. Its error is errEnough when nothing more is to be done at all.
func (g *grepper) search(ctx context.Context, name string, r io.Reader) error {
	s := &grepFile{grepper: g, name: name, left: g.max, width: numberWidth(r)}
	buf := make([]byte, 0, grepChunk)
	most := 2 * g.c.Budget.Variable
	for !s.done {
		if err := ctx.Err(); err != nil {
			return errEnough
		}
		if len(buf) == cap(buf) {
			if len(buf) > most {
				return errLong
			}
			buf = append(buf, make([]byte, len(buf))...)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		atEnd := errors.Is(err, io.EOF)
		if err != nil && !atEnd {
			return err
		}
		if !atEnd && n > 0 && len(buf) < cap(buf) && len(buf) < grepChunk && s.readMore() {
			continue // small pieces of a pipe are gathered
		}
		if err := s.piece(&buf, atEnd); err != nil {
			return err
		}
		if atEnd {
			break
		}
	}
	return s.finish()
}

// numberWidth gives the digits that an offset in an input can have.
func numberWidth(r io.Reader) int {
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if i, err := f.Stat(); err == nil && i.Mode().IsRegular() {
			return len(strconv.FormatInt(i.Size(), 10))
		}
	}
	return len(strconv.FormatInt(math.MaxInt64, 10))
}
