package eval

import (
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// maxFd bounds the numbers of descriptors, as the usual limit of open files does.
const maxFd = 1024

// fd gives what a descriptor stands for; nil when it is closed.
func (sh *Shell) fd(n int) *open {
	if n < 0 || n >= len(sh.fds) {
		return nil
	}
	return sh.fds[n]
}

// setFd makes a descriptor stand for o, which it takes over, and gives what it stood for,
// which the caller takes over.
func (sh *Shell) setFd(n int, o *open) (was *open) {
	for len(sh.fds) <= n {
		sh.fds = append(sh.fds, nil)
	}
	was = sh.fds[n]
	sh.fds[n] = o
	return was
}

// freeFd gives the first number from n upwards (step 1) or downwards (step -1) that is
// closed, -1 when none is.
func (sh *Shell) freeFd(n, step int) int {
	for ; n > 2 && n < maxFd; n += step {
		if sh.fd(n) == nil {
			return n
		}
	}
	return -1
}

// openFd is what /dev/fd/N opens.
func (sh *Shell) openFd(n int) (view.File, error) {
	o := sh.fd(n)
	if o == nil {
		return nil, syscall.ENOENT
	}
	return &descriptor{ctx: sh.reach, open: o.keep(), name: "/dev/fd"}, nil
}
