package js

import (
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/dop251/goja"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// fileTable is the files that the program has open, by descriptor.
type fileTable struct {
	open map[int64]*openFile
	next int64
}

type openFile struct{ view.File }

func (t *fileTable) close() {
	for _, f := range t.open {
		_ = f.Close()
	}
}

// abs gives the absolute path of an argument.
func (r *Runtime) abs(p string) string {
	if strings.HasPrefix(p, "/") {
		return p
	}
	return strings.TrimSuffix(r.o.Dir, "/") + "/" + p
}

// throwSys throws the error of an operation on files, if it is one.
func (r *Runtime) throwSys(err error, call, path, dest string) {
	if err != nil {
		panic(r.sysError(err, call, path, dest))
	}
}

// addFileNatives sets the operations on files that lib/fs.js is made of. Each takes texts
// and throws what Node would.
func (r *Runtime) addFileNatives(o *goja.Object) {
	set := func(name string, f func(goja.FunctionCall) goja.Value) { r.set(o, name, f) }
	text := func(c goja.FunctionCall, i int) string { return c.Argument(i).String() }
	simple := func(name, call string, f func(p string, c goja.FunctionCall) error) {
		set(name, func(c goja.FunctionCall) goja.Value {
			p := text(c, 0)
			r.throwSys(f(r.abs(p), c), call, p, "")
			return nil
		})
	}
	set("readFile", func(c goja.FunctionCall) goja.Value { return r.bytes(r.contents(text(c, 0))) })
	set("writeFile", func(c goja.FunctionCall) goja.Value {
		p := text(c, 0)
		flag, err := openFlags(str(c.Argument(2)))
		r.throwSys(err, "open", p, "")
		mode := fs.FileMode(0o666)
		if v := c.Argument(3); !goja.IsUndefined(v) {
			mode = fs.FileMode(v.ToInteger()) & fs.ModePerm
		}
		f, err := r.openPath(p, flag, mode&^0o022)
		r.throwSys(err, "open", p, "")
		_, err = f.Write(r.data(c.Argument(1), "utf8"))
		if closed := f.Close(); err == nil {
			err = closed
		}
		r.throwSys(err, "write", p, "")
		return nil
	})
	stat := func(call string, f func(string) (fs.FileInfo, error)) func(goja.FunctionCall) goja.Value {
		return func(c goja.FunctionCall) goja.Value {
			p := text(c, 0)
			info, err := f(r.abs(p))
			r.throwSys(err, call, p, "")
			return r.statObject(info)
		}
	}
	set("stat", stat("stat", r.o.FS.Stat))
	set("lstat", stat("lstat", r.o.FS.Lstat))
	set("readDir", func(c goja.FunctionCall) goja.Value {
		p := text(c, 0)
		list, err := r.o.FS.ReadDir(r.abs(p))
		r.throwSys(err, "scandir", p, "")
		out := make([]any, 0, 2*len(list))
		for _, e := range list {
			out = append(out, e.Name(), kindName(e.Type()))
		}
		return r.vm.NewArray(out...)
	})
	simple("mkdir", "mkdir", func(p string, c goja.FunctionCall) error {
		mode := fs.FileMode(0o777)
		if v := c.Argument(1); !goja.IsUndefined(v) {
			mode = fs.FileMode(v.ToInteger()) & fs.ModePerm
		}
		return r.o.FS.Mkdir(p, mode&^0o022)
	})
	simple("unlink", "unlink", func(p string, _ goja.FunctionCall) error {
		info, err := r.o.FS.Lstat(p)
		if err == nil && info.IsDir() {
			err = syscall.EISDIR
		}
		if err != nil {
			return err
		}
		return r.o.FS.Remove(p)
	})
	simple("rmdir", "rmdir", func(p string, _ goja.FunctionCall) error {
		info, err := r.o.FS.Lstat(p)
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			return err
		}
		return r.o.FS.Remove(p)
	})
	two := func(name, call string, f func(from, to string) error) {
		set(name, func(c goja.FunctionCall) goja.Value {
			from, to := text(c, 0), text(c, 1)
			r.throwSys(f(from, to), call, from, to)
			return nil
		})
	}
	two("rename", "rename", func(from, to string) error { return r.o.FS.Rename(r.abs(from), r.abs(to)) })
	two("symlink", "symlink", func(target, p string) error { return r.o.FS.Symlink(target, r.abs(p)) })
	two("copyFile", "copyfile", func(from, to string) error { return r.copyFile(r.abs(from), r.abs(to)) })
	set("readlink", func(c goja.FunctionCall) goja.Value {
		p := text(c, 0)
		target, err := r.o.FS.Readlink(r.abs(p))
		r.throwSys(err, "readlink", p, "")
		return r.vm.ToValue(target)
	})
	set("realpath", func(c goja.FunctionCall) goja.Value {
		p := text(c, 0)
		_, err := r.o.FS.Stat(r.abs(p))
		r.throwSys(err, "realpath", p, "")
		q, err := r.o.FS.Real(r.abs(p))
		r.throwSys(err, "realpath", p, "")
		return r.vm.ToValue(q)
	})
	simple("chmod", "chmod", func(p string, c goja.FunctionCall) error {
		return r.o.FS.Chmod(p, fs.FileMode(c.Argument(1).ToInteger())&fs.ModePerm)
	})
	simple("utimes", "utime", func(p string, c goja.FunctionCall) error {
		return r.o.FS.Chtimes(p, seconds(c.Argument(1)), seconds(c.Argument(2)))
	})
	simple("truncate", "open", func(p string, c goja.FunctionCall) error {
		f, err := r.o.FS.Open(p, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Truncate(c.Argument(1).ToInteger())
	})
	simple("access", "access", func(p string, c goja.FunctionCall) error {
		info, err := r.o.FS.Stat(p)
		if err != nil {
			return err
		}
		if mode := c.Argument(1).ToInteger(); info.Mode()>>6&fs.FileMode(mode&7) != fs.FileMode(mode&7) {
			return syscall.EACCES
		}
		return nil
	})
	r.addDescriptorNatives(o)
}

func seconds(v goja.Value) time.Time {
	return time.UnixMilli(int64(v.ToFloat() * 1000)).UTC()
}

// kindName names a kind of file.
func kindName(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "dir"
	case m&fs.ModeSymlink != 0:
		return "link"
	case m.IsRegular():
		return "file"
	}
	return "other"
}

// statObject gives what lib/fs.js makes a Stats of.
func (r *Runtime) statObject(info fs.FileInfo) *goja.Object {
	o := r.vm.NewObject()
	r.set(o, "kind", r.vm.ToValue(kindName(info.Mode().Type())))
	types := map[string]int{"dir": 0o040000, "link": 0o120000, "file": 0o100000, "other": 0o020000}
	r.set(o, "mode", r.vm.ToValue(types[kindName(info.Mode().Type())]|int(info.Mode().Perm())))
	r.set(o, "size", r.vm.ToValue(info.Size()))
	r.set(o, "mtimeMs", r.vm.ToValue(float64(info.ModTime().UnixMicro())/1000))
	return o
}

// openFlags gives the flags of package os for those of fs.open.
func openFlags(s string) (int, error) {
	switch strings.TrimSuffix(strings.Replace(s, "s", "", 1), "b") {
	case "", "w":
		return os.O_WRONLY | os.O_CREATE | os.O_TRUNC, nil
	case "wx", "xw":
		return os.O_WRONLY | os.O_CREATE | os.O_TRUNC | os.O_EXCL, nil
	case "w+":
		return os.O_RDWR | os.O_CREATE | os.O_TRUNC, nil
	case "wx+", "xw+":
		return os.O_RDWR | os.O_CREATE | os.O_TRUNC | os.O_EXCL, nil
	case "a":
		return os.O_WRONLY | os.O_CREATE | os.O_APPEND, nil
	case "ax", "xa":
		return os.O_WRONLY | os.O_CREATE | os.O_APPEND | os.O_EXCL, nil
	case "a+":
		return os.O_RDWR | os.O_CREATE | os.O_APPEND, nil
	case "r":
		return os.O_RDONLY, nil
	case "r+":
		return os.O_RDWR, nil
	}
	return 0, syscall.EINVAL
}

// std is a standard stream as a file.
type std struct {
	io.Reader
	io.Writer
	view.File
}

// Read implements [view.File].
func (s std) Read(p []byte) (int, error) { return s.Reader.Read(p) }

// Write implements [view.File].
func (s std) Write(p []byte) (int, error) { return s.Writer.Write(p) }

// Close implements [view.File]: a standard stream stays open.
func (s std) Close() error { return nil }

// noSide is the side that a standard stream does not have.
type noSide struct{}

// Read implements [io.Reader].
func (noSide) Read([]byte) (int, error) { return 0, syscall.EBADF }

// Write implements [io.Writer].
func (noSide) Write([]byte) (int, error) { return 0, syscall.EBADF }

// standard gives a standard stream by its descriptor.
func (r *Runtime) standard(fd int64) view.File {
	switch fd {
	case 0:
		return std{Reader: r.o.In, Writer: noSide{}}
	case 1:
		return std{Reader: noSide{}, Writer: r.o.Out}
	case 2:
		return std{Reader: noSide{}, Writer: r.o.Err}
	}
	return nil
}

var standardPaths = map[string]int64{"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2, "/dev/fd/0": 0, "/dev/fd/1": 1, "/dev/fd/2": 2}

// openPath opens a path; the standard streams are those of the program.
func (r *Runtime) openPath(p string, flag int, mode fs.FileMode) (view.File, error) {
	if fd, ok := standardPaths[path.Clean(r.abs(p))]; ok {
		return r.standard(fd), nil
	}
	return r.o.FS.Open(r.abs(p), flag, mode)
}

// contents reads a whole file.
func (r *Runtime) contents(p string) []byte {
	if path.Clean(r.abs(p)) == "/dev/stdin" || path.Clean(r.abs(p)) == "/dev/fd/0" {
		data, err := r.readAllInput()
		r.throwSys(err, "read", "", "")
		return data
	}
	f, err := r.openPath(p, os.O_RDONLY, 0)
	r.throwSys(err, "open", p, "")
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		r.throwSys(syscall.EISDIR, "read", "", "")
	}
	data, err := r.readBounded(f)
	r.throwSys(err, "read", "", "")
	return data
}

func (r *Runtime) copyFile(from, to string) error {
	in, err := r.o.FS.Open(from, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return syscall.EISDIR
	}
	out, err := r.o.FS.Open(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}
