//go:build linux

package shell_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
)

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The host's process files, memory and the worker's own socket are no files of the view.
func TestChecklist08(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	for _, name := range []string{"/proc/self/environ", "/proc/1/root", "/dev/mem", "/dev/fd/3", "/dev/tty", "/sys/kernel", "/etc/passwd"} {
		for where, run := range map[string]shell.Runner{"pool": b.pool, "in process": inProcess(t)} {
			o := run.Run(t.Context(), b.job("open "+name))
			if o.Code != 1 || o.Stdout.Bytes != 0 {
				t.Errorf("%s, %s: %+v", where, name, o)
			}
		}
	}
}

// A signal to the worker's group, and to the process that started it, reaches nobody else.
func TestChecklist09(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	out := newBegun()
	j := b.job("pid\nhold")
	j.Out = out
	done := make(chan shell.Outcome, 1)
	go func() { done <- b.pool.Run(t.Context(), j) }()
	<-out.came
	pid := atoi(t, strings.TrimSpace(out.text.String()))
	if group, err := unix.Getpgid(pid); group != pid || err != nil {
		t.Errorf("the worker %d is in group %d: %v", pid, group, err)
	}
	want(t, b.run("killall"), shell.Failed, "was lost (signal: killed)")
	for _, script := range []string{"kill -9 $PPID; echo on", "kill -9 1; echo on", "kill -9 " + strconv.Itoa(os.Getpid()) + "; echo on", "kill -9 -1; echo on"} {
		if o := b.run(real + script); string(o.Stdout.Head) != "on\n" || o.Stderr.Bytes == 0 {
			t.Errorf("%s: %+v", script, o)
		}
	}
	b.run(real + "kill 0")
	select {
	case o := <-done:
		t.Errorf("a sibling ended: %+v", o)
	default:
	}
	b.clock.Advance(30 * time.Second)
	want(t, <-done, shell.TimedOut)
	b.fine()
}

// A panic anywhere is an exact result, and the next call is fine.
func TestChecklist12(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	o := b.run("write /a 1\npanic")
	want(t, o, shell.Failed, "panic: injected")
	if !strings.Contains(o.Fault, "fake_test.go") || strings.Contains(o.Reason, "second line") || strings.Contains(shell.Text(o), "goroutine") {
		t.Errorf("fault %q, reason %q", o.Fault, o.Reason)
	}
	if len(o.Announced) != 1 {
		t.Errorf("announced: %q", o.Announced)
	}
	t.Run("processes-13", func(t *testing.T) { // a failed call, and the next one is fine
		b.fine()
		want(t, b.run("out x\ncrash"), shell.Failed, "was lost (exit status 2")
		b.fine()
		r := inProcess(t)
		want(t, r.Run(t.Context(), b.job("panic")), shell.Failed, "panic: injected")
		if o := r.Run(t.Context(), b.job("out fine")); string(o.Stdout.Head) != "fine" {
			t.Errorf("%+v", o)
		}
	})
}

var raws = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]|\x{80}-\x{9f}`)

// Escapes of a terminal come raw neither from output nor from names, errors or reasons.
func TestChecklist16(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	evil := `\x1b]0;owned\x07\x9b\u009b31m\r\b\x00`
	for _, script := range []string{
		"out " + evil, "err " + evil, "out x\nerr " + evil, "panic", "fault \x1b[2J\a",
		"curl\x1b[2J", "open /\x1b[31mname",
	} {
		text := shell.Text(b.run(script))
		if at := raws.FindStringIndex(text); at != nil {
			t.Errorf("%q gives %q", script, text)
		}
	}
	o := shell.Outcome{Kind: shell.TimedOut, Reason: "x\x1b[2J", OpenForWriting: []string{"a\x1b[31m"}}
	if text := shell.Text(o); raws.MatchString(text) || !strings.Contains(text, `/a\x1b[31m was open`) {
		t.Errorf("%q", text)
	}
}

// A canary in the parent's environment, arguments, mapped files and open descriptors is not
// to be found in a worker.
func TestChecklist17(t *testing.T) {
	const canary = "canary-7f3a91"
	t.Setenv("SWARM_SECRET", canary)
	name := filepath.Join(t.TempDir(), canary)
	if err := os.WriteFile(name, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	// A descriptor that children inherit, as a shell gives them to programs.
	open, err := unix.Open(name, unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(open)
	mapped, err := unix.Mmap(open, 0, len(canary), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mapped)
	b := setup(t, shell.PoolOptions{})
	for _, script := range []string{"env; set; declare -p; export -p", "cat /dev/fd/* /proc/self/* /proc/self/fd/*", "echo $SWARM_SECRET; printenv; jq -n '$ENV, env'", "echo $0 $@ $BASH_SOURCE ${!S*}; nosuch; cd /none"} {
		if text := shell.Text(b.run(real + script)); strings.Contains(text, canary) {
			t.Errorf("%s shows:\n%s", script, text)
		}
	}
	o := b.run("host\nenv\nargs\nfds")
	want(t, o, shell.Exited)
	text := string(o.Stdout.Head) + string(o.Stdout.Tail)
	if strings.Contains(text, canary) || !strings.Contains(text, "swarm-shell-worker") || o.Stdout.Left > 0 {
		t.Errorf("the worker shows:\n%s", text)
	}
}

// An idle worker has its standard streams on the null device, its socket, and nothing else
// but what its own runtime opened.
func TestNoDescriptorIsInherited(t *testing.T) {
	open, err := unix.Open(filepath.Join(t.TempDir()), unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(open)
	b := setup(t, shell.PoolOptions{})
	b.pool.Warm()
	for _, pid := range shell.AwaitWarm(t, b.pool, 2) {
		dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			target, err := os.Readlink(dir + e.Name())
			fd := atoi(t, e.Name())
			switch {
			case err != nil:
				t.Error(err)
			case fd < 3 && target == os.DevNull:
			case fd == 3 && strings.HasPrefix(target, "socket:"):
			case fd > 3 && strings.HasPrefix(target, "anon_inode:[event"):
			case fd > 3 && strings.HasPrefix(target, "/sys/fs/cgroup/"): // Go's, to know its processors
			default:
				t.Errorf("descriptor %d is %s", fd, target)
			}
		}
		if cwd, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd"); cwd != "/" || err != nil {
			t.Errorf("its directory is %s: %v", cwd, err)
		}
		for what, soft := range map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 256, unix.RLIMIT_DATA: 512 << 20 * shadow, unix.RLIMIT_FSIZE: 64 << 20, unix.RLIMIT_CPU: 124} {
			var have unix.Rlimit
			if err := unix.Prlimit(pid, what, nil, &have); err != nil || have.Cur != soft || have.Max != soft {
				t.Errorf("limit %d is %+v, want %d: %v", what, have, soft, err)
			}
		}
	}
}

// Calls leave no process, descriptor, directory or goroutine.
func TestThousandCallsLeaveNothing(t *testing.T) {
	b := setup(t, shell.PoolOptions{})
	before := descriptorsOf(t)
	for range 1000 {
		if o := b.run("write /tmp/x y\nwrite /a z"); o.Kind != shell.Exited || o.Code != 0 {
			t.Fatalf("%+v", o)
		}
	}
	tmp := b.pool.Tmp()
	b.close()
	if after := descriptorsOf(t); after != before {
		t.Errorf("%d descriptors, there were %d", after, before)
	}
	if _, err := os.Stat(tmp); !os.IsNotExist(err) {
		t.Errorf("%s: %v", tmp, err)
	}
	if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("a child is left: %d, %v", pid, err)
	}
	list, err := os.ReadDir(b.dir)
	if len(list) != 1 || err != nil {
		t.Errorf("files: %v, %v", list, err)
	}
}

func descriptorsOf(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestStructuredResult(t *testing.T) {
	t.Parallel()
	var many []workspace.Change
	for i := range shell.MaxListed + 3 {
		many = append(many, workspace.Change{Path: "output/" + strconv.Itoa(1000+i), New: "n"})
	}
	many = append(many, workspace.Change{Path: "b", Old: "o"}, workspace.Change{Path: "a", Old: "o", New: "n"})
	got := shell.Structured(shell.Outcome{Kind: shell.Exited, Code: 3}, many)
	if *got.ExitCode != 3 || len(got.Changed.Created) != shell.MaxListed || got.Changed.Omitted.Created != 3 ||
		got.Changed.Modified[0] != "a" || got.Changed.Deleted[0] != "b" || got.Changed.Omitted.Deleted != 0 {
		t.Errorf("%+v", got)
	}
}
