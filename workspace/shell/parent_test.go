//go:build linux

package shell_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
)

const parentArg = "run-a-pool"

// parent is a program with a pool of two idle workers and a call that holds. It says their
// process ids and waits to be killed.
func parent(dir string) {
	pool := shell.NewPool(shell.PoolOptions{})
	go pool.Run(context.Background(), &shell.Job{Command: "pid\nhold", Host: dir, Out: os.Stdout})
	go pool.Run(context.Background(), &shell.Job{Command: "pid\nstuck", Host: dir, Out: os.Stdout})
	pool.Warm()
	var t testing.T
	for _, pid := range shell.AwaitWarm(&t, pool, 2) {
		fmt.Println(pid)
	}
	select {}
}

// The parent is killed by force. All workers end: idle ones, one that evaluates, and one
// that hears nothing.
func TestChecklist21(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("/proc/self/exe", parentArg, t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var workers []int
	lines := bufio.NewScanner(out)
	for len(workers) < 4 && lines.Scan() {
		pid, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
		if err != nil {
			t.Fatal(err)
		}
		workers = append(workers, pid)
	}
	if len(workers) != 4 {
		t.Fatalf("workers: %v", workers)
	}
	var ends []death
	for _, pid := range workers {
		ends = append(ends, watch(t, pid))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, end := range ends {
		end.await(t)
	}
}

// death is the end of a process that is to come.
type death struct{ pid, fd int }

func watch(t *testing.T, pid int) death {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatalf("process %d: %v", pid, err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return death{pid, fd}
}

// await returns when the process has ended. Its bound is only for a test that fails.
func (d death) await(t *testing.T) {
	t.Helper()
	ends := []unix.PollFd{{Fd: int32(d.fd), Events: unix.POLLIN}}
	n, err := unix.Poll(ends, 30_000)
	for err == unix.EINTR {
		n, err = unix.Poll(ends, 30_000)
	}
	if n != 1 || err != nil {
		t.Errorf("process %d lives: %v", d.pid, err)
	}
}
