package view

import (
	"errors"
	"io/fs"
	"syscall"
)

// Text gives the words of the system for an error, without the path: "No such file or
// directory". An error that has no such words gives its own text. The words for a change
// outside the writable roots name these the first time that a call asks for them.
func Text(err error) string {
	if err == nil {
		return ""
	}
	if r, ok := errors.AsType[*readOnlyError](err); ok {
		return r.once()
	}
	if n, ok := errors.AsType[*NameError](err); ok {
		return n.Reason
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		if text, ok := texts[errno]; ok {
			return text
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return texts[syscall.ENOENT]
	case errors.Is(err, fs.ErrExist):
		return texts[syscall.EEXIST]
	case errors.Is(err, fs.ErrPermission):
		return texts[syscall.EACCES]
	case errors.Is(err, fs.ErrClosed):
		return texts[syscall.EBADF]
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

var texts = map[syscall.Errno]string{
	syscall.ENOENT:       "No such file or directory",
	syscall.EEXIST:       "File exists",
	syscall.EACCES:       "Permission denied",
	syscall.EPERM:        "Operation not permitted",
	syscall.ENOTDIR:      "Not a directory",
	syscall.ESRCH:        "No such process",
	syscall.EISDIR:       "Is a directory",
	syscall.ENOTEMPTY:    "Directory not empty",
	syscall.EROFS:        "Read-only file system",
	syscall.ELOOP:        "Too many levels of symbolic links",
	syscall.ENAMETOOLONG: "File name too long",
	syscall.EFBIG:        "File too large",
	syscall.EDQUOT:       "Disk quota exceeded",
	syscall.ENOSPC:       "No space left on device",
	syscall.EMFILE:       "Too many open files",
	syscall.EAGAIN:       "Resource temporarily unavailable",
	syscall.EINVAL:       "Invalid argument",
	syscall.EPIPE:        "Broken pipe",
	syscall.EBADF:        "Bad file descriptor",
	syscall.EXDEV:        "Invalid cross-device link",
	syscall.ENXIO:        "No such device or address",
	syscall.ENOTSUP:      "Operation not supported",
	syscall.EINTR:        "Interrupted system call",
	syscall.EIO:          "Input/output error",
	syscall.EBUSY:        "Device or resource busy",
	syscall.ESPIPE:       "Illegal seek",
}
