package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Names of the checks of a data directory.
const (
	checkData   = "data directory"
	checkModes  = "permissions"
	checkSpace  = "free space"
	checkFormat = "format"
)

// Free space below which doctor speaks up: a run of some thousand turns takes tens of MiB,
// and one blob may have 64.
const (
	littleSpace = 1 << 30
	noSpace     = 64 << 20
)

// data looks at the data directory and says whether its runs can be read.
func (d *doctor) data(dir string) bool {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.missing(dir)
		return false
	case err != nil:
		d.add(checkData, broken, "give this user access to it, or name another one with --data DIR", "%s: %v", dir, reason(err))
		return false
	case !info.IsDir():
		d.add(checkData, broken, "move it away, or name another one with --data DIR", "%s is no directory", dir)
		return false
	}
	if err := writable(dir); err != nil {
		d.add(checkData, broken, "give this user access to it, or name another one with --data DIR", "%s cannot be written: %v", dir, reason(err))
	} else {
		d.add(checkData, fine, "", "%s", dir)
	}
	d.modes(dir, info)
	d.space(dir)
	return d.format(dir)
}

// missing looks whether a data directory could be made.
func (d *doctor) missing(dir string) {
	parent, err := filepath.Abs(dir)
	for err == nil {
		parent = filepath.Dir(parent)
		if _, err := os.Stat(parent); err == nil || !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err == nil {
		err = writable(parent)
	}
	if err != nil {
		d.add(checkData, broken, "give this user access to it, or name another one with --data DIR", "there is no %s, and it cannot be made in %s: %v", dir, parent, reason(err))
		return
	}
	d.add(checkData, fine, "", "there is no %s; the first run makes it", dir)
	d.space(parent)
}

// modes looks for files that other users of the machine can read.
func (d *doctor) modes(dir string, info fs.FileInfo) {
	if runtime.GOOS == "windows" {
		return // modes say nothing there
	}
	open := 0
	first := ""
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // a running process removes files
			return nil
		}
		if err != nil {
			return err
		}
		i, err := e.Info()
		if err == nil && i.Mode().Perm()&0o077 != 0 && i.Mode().Type()&fs.ModeSymlink == 0 {
			if open++; first == "" {
				first = fmt.Sprintf("%s has mode %04o", path, i.Mode().Perm())
			}
		}
		return nil
	})
	mend := "chmod -R go= " + quoteArg(dir)
	switch {
	case err != nil:
		d.add(checkModes, broken, "give this user access to it", "%v", reason(err))
	case info.Mode().Perm()&0o077 != 0:
		d.add(checkModes, warns, mend, "other users of this machine can enter %s: mode %04o", dir, info.Mode().Perm())
	case open > 0:
		d.add(checkModes, warns, mend, "other users could read %s: %s", count(open, "file"), first)
	default:
		d.add(checkModes, fine, "", "only this user can read it")
	}
}

func (d *doctor) space(dir string) {
	free, err := freeSpace(dir)
	if err != nil {
		return // a file system that does not tell
	}
	switch size := bytesText(free); {
	case free < noSpace:
		d.add(checkSpace, broken, "make room, or name another directory with --data DIR", "%s are left: runs will fail to write their journal", size)
	case free < littleSpace:
		d.add(checkSpace, warns, "make room soon", "%s are left", size)
	default:
		d.add(checkSpace, fine, "", "%s", size)
	}
}

// format compares the format of the data with that of this program.
func (d *doctor) format(dir string) bool {
	have, newest, err := journal.Format(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.add(checkFormat, fine, "", "there are no runs yet")
	case err != nil:
		d.add(checkFormat, broken, "end processes that hold it, or put a copy of journal.db in its place", "%v", err)
	case have > newest:
		d.add(checkFormat, broken, mends["journal.version_unsupported"], "the data has format %d, this program knows up to %d", have, newest)
	case have < newest:
		d.add(checkFormat, warns, "nothing is to be done: the next command that opens it brings it to the newest format", "the data has format %d, the newest is %d", have, newest)
	default:
		d.add(checkFormat, fine, "", "%d, the newest", have)
		return true
	}
	return false
}

// reason gives what went wrong with a file, without the operation and the path.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// bytesText writes a size for people.
func bytesText(n uint64) string {
	const unit = 1 << 10
	size, names := float64(n)/(unit*unit), []string{"MiB", "GiB", "TiB"}
	for size >= unit && len(names) > 1 {
		size, names = size/unit, names[1:]
	}
	return fmt.Sprintf("%.0f %s", size, names[0])
}
