package eval

import (
	"context"
	"io"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// descriptor is what opening /dev/fd/N gives: the description again, as a file.
type descriptor struct {
	ctx  context.Context
	open *open
	name string
	once sync.Once
}

var _ view.File = (*descriptor)(nil)

func (d *descriptor) Read(b []byte) (int, error)  { return d.open.read(d.ctx, b) }
func (d *descriptor) Write(b []byte) (int, error) { return d.open.write(d.ctx, b) }

func (d *descriptor) Close() error {
	d.once.Do(func() { d.open.drop() })
	return nil
}

func (d *descriptor) Seek(offset int64, whence int) (int64, error) {
	if d.open.file == nil {
		return 0, &fs.PathError{Op: "seek", Path: d.name, Err: syscall.ESPIPE}
	}
	d.open.mu.Lock()
	defer d.open.mu.Unlock()
	if whence == io.SeekCurrent {
		offset -= int64(len(d.open.ahead))
	}
	d.open.ahead = nil
	return d.open.file.Seek(offset, whence)
}

func (d *descriptor) ReadAt(b []byte, at int64) (int, error) {
	if d.open.file == nil {
		return 0, &fs.PathError{Op: "read", Path: d.name, Err: syscall.ESPIPE}
	}
	return d.open.file.ReadAt(b, at)
}

func (d *descriptor) Truncate(size int64) error {
	if d.open.file == nil {
		return &fs.PathError{Op: "truncate", Path: d.name, Err: syscall.EINVAL}
	}
	return d.open.file.Truncate(size)
}

func (d *descriptor) Stat() (fs.FileInfo, error) {
	if d.open.file != nil {
		return d.open.file.Stat()
	}
	mode := fs.ModeCharDevice | fs.ModeDevice | 0o620
	if d.open.pipe != nil {
		mode = fs.ModeNamedPipe | 0o600
	}
	return descriptorInfo{d.name, mode}, nil
}

// descriptorInfo describes what is no file.
type descriptorInfo struct {
	name string
	mode fs.FileMode
}

func (d descriptorInfo) Name() string       { return d.name }
func (d descriptorInfo) Size() int64        { return 0 }
func (d descriptorInfo) Mode() fs.FileMode  { return d.mode }
func (d descriptorInfo) ModTime() time.Time { return time.Unix(0, 0) }
func (d descriptorInfo) IsDir() bool        { return false }
func (d descriptorInfo) Sys() any           { return nil }
