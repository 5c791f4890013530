//go:build !unix

package view

import (
	"path/filepath"
	"syscall"
)

// renameIn renames by the paths that were found; the lock of the view keeps them as they
// are, as far as the call itself goes.
func (v *View) renameIn(from, to *place) error {
	if from.inTmp != to.inTmp {
		return syscall.EXDEV
	}
	root, a, b := v.root, from.segs, to.segs
	if from.inTmp {
		root, a, b = v.tmp, a[1:], b[1:]
	}
	return root.Rename(filepath.Join(a...), filepath.Join(b...))
}
