// Package view owns what the sandboxed shell sees as its file system: one interface that
// the evaluator and every command use, and the implementation over a real directory, with
// its own resolution of links, the rules of roots, quotas and the virtual paths. No other
// package of the shell opens a file of the host.
package view

import (
	"io"
	"io/fs"
	"time"
)

// FS is a file system of one call. Paths are absolute with "/" as separator; "." and ".."
// segments are normalised, ".." stops at the root. Errors are *fs.PathError whose Err is a
// syscall.Errno or one of the errors of this package; [Text] gives the words for it.
// It is safe for concurrent use.
type FS interface {
	// Open takes the flags of package os.
	Open(path string, flag int, perm fs.FileMode) (File, error)
	Stat(path string) (fs.FileInfo, error)
	Lstat(path string) (fs.FileInfo, error)
	// ReadDir gives the entries sorted by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	Mkdir(path string, perm fs.FileMode) error
	Rename(from, to string) error
	// Remove removes a file, a link or an empty directory.
	Remove(path string) error
	Symlink(target, path string) error
	Readlink(path string) (string, error)
	Chmod(path string, mode fs.FileMode) error
	// Chtimes leaves a time alone that is zero.
	Chtimes(path string, accessed, modified time.Time) error
	// Real gives the path with every link resolved; the last segment may be absent.
	Real(path string) (string, error)
}

// File is an open file.
type File interface {
	io.Reader
	io.Writer
	io.Seeker
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
}
