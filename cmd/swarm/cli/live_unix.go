//go:build linux || darwin || freebsd || netbsd || openbsd

package cli

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// continued is the signal after which others may have used the terminal.
var continued os.Signal = syscall.SIGCONT

// foreground says whether the terminal is this process's to draw on. One that does not
// tell is.
func foreground(tty *os.File) bool {
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err != nil || group == syscall.Getpgrp()
}
