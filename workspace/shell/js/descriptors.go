package js

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"

	"github.com/dop251/goja"
)

// firstDescriptor is the number of the first file that is opened.
const firstDescriptor = 17

// addDescriptorNatives sets the operations on open files.
func (r *Runtime) addDescriptorNatives(o *goja.Object) {
	set := func(name string, f func(goja.FunctionCall) goja.Value) { r.set(o, name, f) }
	r.files = fileTable{open: map[int64]*openFile{}, next: firstDescriptor}
	set("open", func(c goja.FunctionCall) goja.Value {
		p := c.Argument(0).String()
		flag, err := openFlags(c.Argument(1).String())
		r.throwSys(err, "open", p, "")
		f, err := r.openPath(p, flag, fs.FileMode(c.Argument(2).ToInteger())&0o755)
		r.throwSys(err, "open", p, "")
		fd := r.files.next
		r.files.next++
		r.files.open[fd] = &openFile{File: f}
		return r.vm.ToValue(fd)
	})
	set("close", func(c goja.FunctionCall) goja.Value {
		fd := c.Argument(0).ToInteger()
		f := r.files.open[fd]
		if f == nil {
			if fd >= 0 && fd <= 2 {
				return nil
			}
			r.throwSys(syscall.EBADF, "close", "", "")
		}
		delete(r.files.open, fd)
		r.throwSys(f.Close(), "close", "", "")
		return nil
	})
	set("read", func(c goja.FunctionCall) goja.Value { // fd, bytes, position or null
		f := r.descriptor(c.Argument(0), "read")
		b, _ := r.view(c.Argument(1))
		if p := c.Argument(2); !goja.IsNull(p) && !goja.IsUndefined(p) && p.ToInteger() >= 0 {
			n, err := f.ReadAt(b, p.ToInteger())
			if !errors.Is(err, io.EOF) {
				r.throwSys(err, "read", "", "")
			}
			return r.vm.ToValue(n)
		}
		if len(b) == 0 {
			return r.vm.ToValue(0)
		}
		r.flush()
		n, err := f.Read(b)
		if !errors.Is(err, io.EOF) {
			r.throwSys(err, "read", "", "")
		}
		return r.vm.ToValue(n)
	})
	set("writeTo", func(c goja.FunctionCall) goja.Value { // fd, bytes, position or null
		f := r.descriptor(c.Argument(0), "write")
		b := r.data(c.Argument(1), "utf8")
		if p := c.Argument(2); !goja.IsNull(p) && !goja.IsUndefined(p) {
			_, err := f.Seek(p.ToInteger(), io.SeekStart)
			r.throwSys(err, "write", "", "")
		}
		n, err := f.Write(b)
		r.throwSys(err, "write", "", "")
		return r.vm.ToValue(n)
	})
	set("readRest", func(c goja.FunctionCall) goja.Value { // of a descriptor
		if c.Argument(0).ToInteger() == 0 {
			data, err := r.readAllInput()
			r.throwSys(err, "read", "", "")
			return r.bytes(data)
		}
		data, err := r.readBounded(r.descriptor(c.Argument(0), "read"))
		r.throwSys(err, "read", "", "")
		return r.bytes(data)
	})
	set("fstat", func(c goja.FunctionCall) goja.Value {
		f := r.descriptor(c.Argument(0), "fstat")
		if s, ok := f.File.(std); ok && s.File == nil {
			return r.statObject(deviceInfo{})
		}
		info, err := f.Stat()
		r.throwSys(err, "fstat", "", "")
		return r.statObject(info)
	})
	set("ftruncate", func(c goja.FunctionCall) goja.Value {
		r.throwSys(r.descriptor(c.Argument(0), "ftruncate").Truncate(c.Argument(1).ToInteger()), "ftruncate", "", "")
		return nil
	})
}

// descriptor gives an open file. One that is not open is thrown.
func (r *Runtime) descriptor(v goja.Value, call string) *openFile {
	fd := v.ToInteger()
	if f := r.files.open[fd]; f != nil {
		return f
	}
	if f := r.standard(fd); f != nil {
		return &openFile{File: f}
	}
	panic(r.sysError(syscall.EBADF, call, "", ""))
}

// deviceInfo describes a standard stream.
type deviceInfo struct{ fs.FileInfo }

// Mode implements [fs.FileInfo].
func (deviceInfo) Mode() fs.FileMode { return fs.ModeCharDevice | 0o620 }

// Size implements [fs.FileInfo].
func (deviceInfo) Size() int64 { return 0 }

// ModTime implements [fs.FileInfo].
func (deviceInfo) ModTime() time.Time { return time.Unix(0, 0).UTC() }
