package view

import (
	"errors"
	"io/fs"
)

// WithFd gives fs with the descriptors of a shell behind /dev/stdin, /dev/stdout,
// /dev/stderr and /dev/fd/N, by whatever path or link they are reached. The file that fd
// gives is closed by who opened the path. Without it opening them fails with ENXIO.
func WithFd(fs FS, fd func(n int) (File, error)) FS { return &fdFS{fs, fd} }

type fdFS struct {
	FS
	fd func(n int) (File, error)
}

func (f *fdFS) Open(path string, flag int, perm fs.FileMode) (File, error) {
	file, err := f.FS.Open(path, flag, perm)
	if d, ok := errors.AsType[*fdError](err); ok {
		file, err = f.fd(d.n)
		return file, fail("open", path, err)
	}
	return file, err
}
