package eval

import (
	"context"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// unaryTest answers an operator with one operand, such as -f or -z, for test and [[ ]]. The
// error is one of the expansion of a subscript (-v).
func (sh *Shell) unaryTest(ctx context.Context, op, arg string) (bool, error) {
	switch op {
	case "-n":
		return arg != "", nil
	case "-z":
		return arg == "", nil
	case "-v":
		return sh.exp.IsSet(ctx, arg)
	case "-R":
		v := sh.Get(arg)
		return v.Kind == vars.NameRef && v.Str != "", nil
	case "-o":
		o, ok := setOptionNamed(arg)
		return ok && sh.on(o), nil
	case "-t":
		return false, nil // no descriptor is a terminal
	case "-h", "-L":
		info, err := sh.fs.Lstat(sh.abs(arg))
		return err == nil && arg != "" && info.Mode()&fs.ModeSymlink != 0, nil
	}
	if arg == "" {
		return false, nil
	}
	info, err := sh.fs.Stat(sh.abs(arg))
	return err == nil && sh.fileTest(op, arg, info), nil
}

// fileTest answers an operator about a file that exists.
func (sh *Shell) fileTest(op, arg string, info fs.FileInfo) bool {
	mode := info.Mode()
	switch op {
	case "-a", "-e":
		return true
	case "-f":
		return mode.IsRegular()
	case "-d":
		return mode.IsDir()
	case "-s":
		return info.Size() > 0
	case "-r":
		return mode&0o400 != 0
	case "-w":
		return mode&0o200 != 0
	case "-x":
		return mode&0o100 != 0
	case "-b":
		return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0
	case "-c":
		return mode&fs.ModeCharDevice != 0
	case "-p":
		return sh.isPipe(arg, mode)
	case "-S":
		return mode&fs.ModeSocket != 0
	case "-u":
		return mode&fs.ModeSetuid != 0
	case "-g":
		return mode&fs.ModeSetgid != 0
	case "-k":
		return mode&fs.ModeSticky != 0
	case "-O":
		a, ok := info.Sys().(*view.Attr)
		return !ok || a.UID == view.Owner
	case "-G":
		a, ok := info.Sys().(*view.Attr)
		return !ok || a.GID == view.Owner
	case "-N":
		a, ok := info.Sys().(*view.Attr)
		return ok && info.ModTime().After(a.ATime)
	}
	return false
}

// isPipe answers -p: a descriptor is asked what it stands for.
func (sh *Shell) isPipe(arg string, mode fs.FileMode) bool {
	if mode&(fs.ModeCharDevice|fs.ModeNamedPipe) == 0 {
		return false
	}
	if !strings.HasPrefix(sh.abs(arg), "/dev/") {
		return mode&fs.ModeNamedPipe != 0
	}
	f, err := sh.fs.Open(sh.abs(arg), 0, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// isUnaryTest says whether a word is an operator with one operand.
func isUnaryTest(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefghknoprstuvwxzGLNORS", op[1]) >= 0
}

// isBinaryTest says whether a word is an operator with two operands; -a and -o are not.
func isBinaryTest(op string) bool {
	switch op {
	case "=", "==", "!=", "<", ">", "-nt", "-ot", "-ef":
		return true
	}
	return isNumberTest(op)
}

func isNumberTest(op string) bool {
	switch op {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}

// compareNumbers answers -eq and its kin.
func compareNumbers(op string, x, y int64) bool {
	switch op {
	case "-eq":
		return x == y
	case "-ne":
		return x != y
	case "-lt":
		return x < y
	case "-le":
		return x <= y
	case "-gt":
		return x > y
	}
	return x >= y
}

// compareFiles answers -nt, -ot and -ef.
func (sh *Shell) compareFiles(op, x, y string) bool {
	one, noX := sh.fs.Stat(sh.abs(x))
	two, noY := sh.fs.Stat(sh.abs(y))
	if x == "" || y == "" {
		return false
	}
	switch op {
	case "-ef":
		return noX == nil && noY == nil && view.Same(one, two)
	case "-ot":
		one, two, noX, noY = two, one, noY, noX
	}
	switch {
	case noX != nil:
		return false
	case noY != nil:
		return true
	}
	return one.ModTime().Truncate(time.Nanosecond).After(two.ModTime())
}

// wholeNumber reads a number as test does: decimal, with blanks around it.
func wholeNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.Trim(s, " \t\n\v\f\r"), 10, 64)
	return n, err == nil
}
