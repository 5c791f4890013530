package shell

import (
	"io/fs"
	"os"
	"path/filepath"
)

// removeTree removes a directory of ours and all below it, also directories that a script
// has closed to itself. It follows no link.
func removeTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(name, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
