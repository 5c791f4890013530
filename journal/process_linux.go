package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// exiting is PF_EXITING of a process's flags (proc_pid_stat(5), linux/sched.h).
const exiting = 0x4

// startedAt gives the boot, the pid namespace and the start of a process within that
// boot. It is empty when the process cannot be seen.
func startedAt(pid int) string {
	start, ok, err := startTicks(pid)
	if err != nil || !ok {
		return ""
	}
	return where() + start
}

// gone tells whether the process has certainly ended. It is false for another host,
// another boot or another container, of which nothing is known.
func (p process) gone(here process) bool {
	scope := where()
	start, known := strings.CutPrefix(p.started, scope)
	if p.host != here.host || !known || start == "" {
		return false
	}
	now, running, err := startTicks(p.pid)
	return err == nil && (!running || now != start)
}

func where() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + namespace + " "
}

// startTicks gives field 22 of the process's stat line, its start in clock ticks.
func startTicks(pid int) (start string, running bool, err error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		// A process that ends while its file is read gives ESRCH: look again.
		if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); errors.Is(err, fs.ErrNotExist) {
			return "", false, nil
		}
		return "", false, err
	}
	// The name, field 2, may hold anything; the fields after it begin behind the last ')'.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return "", false, errors.New("the stat line of a process is too short")
	}
	flags, err := strconv.ParseUint(fields[6], 10, 64)
	if err != nil {
		return "", false, err
	}
	// One that nobody has waited for yet, or that is on its way out, runs nothing any more.
	return fields[19], fields[0] != "Z" && fields[0] != "X" && flags&exiting == 0, nil
}
