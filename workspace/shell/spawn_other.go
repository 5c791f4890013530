//go:build !linux && !darwin

package shell

import (
	"errors"
	"os"
	"syscall"
)

var errNoWorkers = errors.New("this system has no workers; run calls in process")

func thread(begin chan func(), stopped chan struct{}) {
	defer close(stopped)
	for f := range begin {
		f()
	}
}

func socketPair() (mine, theirs *os.File, err error) { return nil, nil, errNoWorkers }

func executable() string { return "" }

func attributes() *syscall.SysProcAttr { return nil }

func (w *process) quiet() bool { return false }

func killGroup(p *os.Process) { _ = p.Kill() }

func awaitExit(*os.Process) {}

func peak(*os.ProcessState) int64 { return 0 }

func ownPeak() int64 { return 0 }
