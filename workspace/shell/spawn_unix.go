//go:build linux || darwin

package shell

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// thread starts processes on one thread of the system until begin is closed.
func thread(begin chan func(), stopped chan struct{}) {
	defer close(stopped)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for f := range begin {
		f()
	}
}

// socketPair gives two connected ends. The first one knows deadlines.
func socketPair() (mine, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(ends[0])
		unix.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if err := unix.SetNonblock(ends[0], true); err != nil {
		_ = unix.Close(ends[0])
		_ = unix.Close(ends[1])
		return nil, nil, os.NewSyscallError("setnonblock", err)
	}
	return os.NewFile(uintptr(ends[0]), "worker"), os.NewFile(uintptr(ends[1]), "pool"), nil
}

// quiet says whether an idle worker is alive and has said nothing.
func (w *process) quiet() bool {
	raw, err := w.conn.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = raw.Control(func(fd uintptr) {
		polled := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(polled, 0)
		quiet = err == nil && n == 0
	})
	return quiet && err == nil
}

// killGroup kills the group that a worker leads.
func killGroup(p *os.Process) { _ = unix.Kill(-p.Pid, unix.SIGKILL) }
