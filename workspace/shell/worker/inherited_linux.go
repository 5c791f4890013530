package worker

import (
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
)

// closeInherited closes every descriptor beyond the worker's own that came from the process
// before. Those have no close-on-exec flag; what this process opened itself has it.
func closeInherited() error {
	dir, err := unix.Open("/proc/self/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	var names []string
	for buf := make([]byte, 4096); ; {
		n, err := unix.ReadDirent(dir, buf)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
	for _, name := range names {
		fd, err := strconv.Atoi(name)
		if err != nil {
			return err
		}
		if fd <= wire.FD {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
	return nil
}
