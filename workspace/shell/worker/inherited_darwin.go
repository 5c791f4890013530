package worker

import (
	"golang.org/x/sys/unix"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
)

// highest is the last descriptor that is looked at: no list of them can be had here.
const highest = 4096

// closeInherited closes every descriptor beyond the worker's own that came from the process
// before. Those have no close-on-exec flag; what this process opened itself has it.
func closeInherited() error {
	for fd := wire.FD + 1; fd <= highest; fd++ {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
	return nil
}
