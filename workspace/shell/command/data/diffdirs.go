package data

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// dirs compares two directories by the names in them.
func (d *differ) dirs(a, b string) int {
	names := map[string]bool{}
	code := 0
	for _, dir := range []string{a, b} {
		entries, err := d.c.FS.ReadDir(d.c.Abs(dir))
		if err != nil && !(d.absent && errors.Is(err, fs.ErrNotExist)) {
			d.c.Errorf("%s: %s", dir, view.Text(err))
			code = 2
		}
		for _, e := range entries {
			if !d.excluded(e.Name()) {
				names[e.Name()] = true
			}
		}
	}
	if code != 0 {
		return code
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if d.ctx.Err() != nil {
			return 2
		}
		code = max(code, d.entry(a, b, name))
	}
	return code
}

func (d *differ) excluded(name string) bool {
	return slices.ContainsFunc(d.exclude, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

// under joins a directory as it was written and a name.
func under(dir, name string) string { return strings.TrimSuffix(dir, "/") + "/" + name }

func (d *differ) entry(dirA, dirB, name string) int {
	a, errA := d.side(under(dirA, name))
	b, errB := d.side(under(dirB, name))
	absentA, absentB := errors.Is(errA, fs.ErrNotExist), errors.Is(errB, fs.ErrNotExist)
	switch {
	case errA != nil && !absentA:
		return max(2, d.c.Fail(a.name, errA))
	case errB != nil && !absentB:
		return max(2, d.c.Fail(b.name, errB))
	case absentA && !d.absent:
		fmt.Fprintf(d.c.Out, "Only in %s: %s\n", dirB, name)
		return 1
	case absentB && !d.absent:
		fmt.Fprintf(d.c.Out, "Only in %s: %s\n", dirA, name)
		return 1
	case (a.dir() || absentA) && (b.dir() || absentB):
		if !d.recurse {
			if absentA || absentB {
				fmt.Fprintf(d.c.Out, "Only in %s: %s\n", map[bool]string{true: dirB, false: dirA}[absentA], name)
				return 1
			}
			fmt.Fprintf(d.c.Out, "Common subdirectories: %s and %s\n", a.name, b.name)
			return 0
		}
		return d.dirs(a.name, b.name)
	case a.dir() != b.dir() && !absentA && !absentB:
		fmt.Fprintf(d.c.Out, "File %s is a %s while file %s is a %s\n", a.name, kind(a), b.name, kind(b))
		return 1
	}
	return d.announced(a, b)
}

func kind(s side) string {
	switch {
	case s.dir():
		return "directory"
	case s.info.Size() == 0:
		return "regular empty file"
	}
	return "regular file"
}

// announced compares two files of directories, under a line with the command.
func (d *differ) announced(a, b side) int {
	if d.form == 'q' {
		return d.files(a, b)
	}
	textA, errA := d.read(a)
	textB, errB := d.read(b)
	if errA == nil && errB == nil && textA != textB && (d.text || !binary(textA) && !binary(textB)) {
		if f := d.compare(textA, textB); len(f.changes) == 0 {
			return d.alike(a, b)
		}
		d.put(boldColor, d.command+" "+quoteArg(a.name)+" "+quoteArg(b.name))
		d.c.Out.WriteByte('\n')
	}
	return d.files(a, b)
}
