//go:build linux || darwin

package worker

import (
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// Of a worker (shell spec §3.3).
const (
	files = 256       // descriptors
	data  = 512 << 20 // bytes of data at least: the Go runtime takes them in large pieces
)

// bound sets what the system bounds (shell spec §3.3).
func bound(l limits.Limits) error {
	if err := closeInherited(); err != nil {
		return err
	}
	// A file over its size is an error of the write, not the end of the worker.
	signal.Ignore(unix.SIGXFSZ)
	seconds := uint64(2*cores) * uint64(l.Clock.Seconds()+1)
	for _, b := range []struct {
		what  int
		value uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_NOFILE, files},
		{unix.RLIMIT_DATA, max(data, 2*uint64(l.Memory)) * shadow},
		{unix.RLIMIT_FSIZE, uint64(l.File)},
		{unix.RLIMIT_CPU, seconds},
	} {
		if err := lower(b.what, b.value); err != nil {
			return err
		}
	}
	return nil
}

// lower sets a limit, unless the process has a lower one already.
func lower(what int, value uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(what, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return unix.Setrlimit(what, &unix.Rlimit{Cur: value, Max: value})
}

// isSocket says whether a descriptor is an end of a socket pair.
func isSocket(fd int) bool {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || kind != unix.SOCK_STREAM {
		return false
	}
	name, err := unix.Getpeername(fd)
	_, local := name.(*unix.SockaddrUnix)
	return err == nil && local
}
