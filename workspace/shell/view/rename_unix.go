//go:build unix

package view

import (
	"os"

	"golang.org/x/sys/unix"
)

// renameIn renames between two open directories and follows no link.
func (v *View) renameIn(from, to *place) error {
	a, err := from.dir.Open(".")
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := to.dir.Open(".")
	if err != nil {
		return err
	}
	defer b.Close()
	return os.NewSyscallError("renameat", unix.Renameat(int(a.Fd()), from.name, int(b.Fd()), to.name))
}
