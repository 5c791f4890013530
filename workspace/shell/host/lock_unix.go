//go:build unix

package host

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock opens and locks a file. It fails when another process, or another file of this one,
// holds the lock.
func lock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
