package shell

import (
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// executable gives this program, also when its file was replaced meanwhile.
func executable() string { return "/proc/self/exe" }

// attributes put a worker into a group of its own that dies with this process.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit waits until a process has ended and leaves its number to it.
func awaitExit(p *os.Process) {
	for unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// peak gives the most memory that a process had, in bytes. Before it became a program it was
// a copy of this one: a number that is not above [ownPeak] says nothing.
func peak(s *os.ProcessState) int64 {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}

// ownPeak gives the most memory that this process had, in bytes.
func ownPeak() int64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return math.MaxInt64
	}
	return usage.Maxrss << 10
}
