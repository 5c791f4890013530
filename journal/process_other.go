//go:build !linux

package journal

import (
	"errors"
	"os"
	"syscall"
)

// startedAt is not known on this system.
func startedAt(int) string { return "" }

// gone tells whether the process has certainly ended; a pid that was given anew counts
// as running.
func (p process) gone(here process) bool {
	if p.host != here.host || p.pid == here.pid {
		return false
	}
	proc, err := os.FindProcess(p.pid)
	if err != nil {
		return false
	}
	defer func() { _ = proc.Release() }()
	err = proc.Signal(syscall.Signal(0))
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}
