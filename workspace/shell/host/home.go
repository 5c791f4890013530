package host

import (
	"os"
	"path/filepath"
	"strings"
)

// home is the directory of one process for its projections. It is locked while the process
// lives, so that another one can tell leftovers from what is in use.
type home struct {
	dir  string
	lock *os.File // nil where there are no locks
}

const lockSuffix = ".lock"

// openHome makes a directory below parent and removes what crashed processes left there.
func openHome(parent string) (*home, error) {
	if parent == "" {
		dir, err := os.MkdirTemp("", "swarm-shell-")
		return &home{dir: dir}, err
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		dir, err := os.MkdirTemp(parent, "p")
		if err != nil {
			return nil, err
		}
		h := &home{dir: dir}
		if h.lock, err = lock(dir + lockSuffix); err == nil {
			Sweep(parent)
			return h, nil
		}
		_ = os.RemoveAll(dir)
		if try == 2 { // the sweep of another process may come between making and locking
			return nil, err
		}
	}
}

// release gives up the lock.
func (h *home) release() {
	if h.lock != nil {
		_ = os.Remove(h.lock.Name())
		_ = h.lock.Close()
	}
}

// Sweep removes what processes that were killed left in a directory of projections; what
// is in use stays. One that cannot be removed now is removed by the next process. A first
// command does the same: it is for a process that goes on with runs and has no command.
func Sweep(parent string) {
	names, err := filepath.Glob(filepath.Join(parent, "*"+lockSuffix))
	if err != nil {
		return
	}
	for _, name := range names {
		f, err := lock(name)
		if err != nil || f == nil {
			continue
		}
		if os.RemoveAll(strings.TrimSuffix(name, lockSuffix)) == nil {
			_ = os.Remove(name)
		}
		_ = f.Close()
	}
}
