package shell

import (
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
