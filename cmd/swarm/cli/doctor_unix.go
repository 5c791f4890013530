//go:build linux || darwin

package cli

import "syscall"

const mayWrite = 2 // W_OK of access(2)

// writable says why a directory cannot be written, without writing to it.
func writable(dir string) error { return syscall.Access(dir, mayWrite) }

// freeSpace gives the bytes that this user may still write.
func freeSpace(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
