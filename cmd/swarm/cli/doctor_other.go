//go:build !(linux || darwin)

package cli

import (
	"errors"
	"os"
)

// writable says why a directory cannot be written. There is no way to ask here but trying.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
