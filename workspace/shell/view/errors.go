package view

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
)

// NameError refuses a new name that a workspace cannot hold.
type NameError struct{ Reason string }

// Error gives the reason.
func (e *NameError) Error() string { return e.Reason }

// Unwrap gives EINVAL.
func (e *NameError) Unwrap() error { return syscall.EINVAL }

// readOnlyError refuses a change outside the writable roots. [Text] names them the first
// time that it gives the words of the error.
type readOnlyError struct {
	writable string // "": nothing to name
	said     atomic.Bool
}

// Error gives the words without the roots.
func (e *readOnlyError) Error() string { return texts[syscall.EROFS] }

// Unwrap gives EROFS.
func (e *readOnlyError) Unwrap() error { return syscall.EROFS }

// once gives the words, with the roots the first time.
func (e *readOnlyError) once() string {
	if e.writable == "" || !e.said.CompareAndSwap(false, true) {
		return e.Error()
	}
	return e.Error() + " (writable: " + e.writable + ")"
}

// fdError says that a path stands for a descriptor of the shell that asks; see [WithFd].
type fdError struct{ n int }

// Error says that there is no such descriptor, which is so until a shell gives it.
func (e *fdError) Error() string { return texts[syscall.ENXIO] }

// Unwrap gives ENXIO.
func (e *fdError) Unwrap() error { return syscall.ENXIO }

const errInterrupted = syscall.EINTR

// fail gives an error with the path as the caller named it.
func fail(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: bare(err)}
}

// bare gives the cause of an error of the host, without its paths.
func bare(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		err = l.Err
	}
	if s, ok := errors.AsType[*os.SyscallError](err); ok {
		err = s.Err
	}
	switch err.(type) {
	case syscall.Errno, *NameError, *readOnlyError, *fdError:
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return syscall.ENOENT
	case errors.Is(err, fs.ErrExist):
		return syscall.EEXIST
	case errors.Is(err, fs.ErrPermission):
		return syscall.EACCES
	case errors.Is(err, fs.ErrClosed):
		return syscall.EBADF
	}
	// What os.Root refuses has no number: a name that came to lead out of its directory.
	return syscall.ELOOP
}
