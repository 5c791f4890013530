//go:build linux

package shell_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
)

// The directory of a call is judged by the view: what it does not see is no directory, and
// nothing runs.
func TestHole06(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, m mode) {
		dir, canary := outside(t)
		plant(t, dir, map[string]string{"hidden/d/": "", "output/d/f": "inside", "output/plain": ""})
		for link, target := range map[string]string{"up": "../..", "host": filepath.Dir(canary), "hid": "/hidden", "abs": "/output/d", "loop": "loop"} {
			if err := os.Symlink(target, filepath.Join(dir, "output", link)); err != nil {
				t.Fatal(err)
			}
		}
		for _, row := range []struct {
			dir  string
			kind shell.Kind
			out  string
		}{
			{filepath.Dir(canary), shell.NoDirectory, ""},
			{"/output/host", shell.NoDirectory, ""},
			{"/output/hid", shell.NoDirectory, ""},
			{"/output/loop", shell.NoDirectory, ""},
			{"/hidden/d", shell.NoDirectory, ""},
			{"/hidden/none", shell.NoDirectory, ""},
			{"/etc", shell.NoDirectory, ""},
			{"/proc/self/cwd", shell.NoDirectory, ""},
			{"/output/plain", shell.NotDirectory, ""},
			{"/output/d", shell.Exited, "f\n"},
			{"/output/abs", shell.Exited, "f\n"},
			{"/../output/./d/", shell.Exited, "f\n"},
			{"/output/up", shell.Exited, "input\noutput\n"}, // above the root is the root
		} {
			plant(t, dir, map[string]string{"input/": ""})
			out, o := m.do(t, &shell.Job{Command: "ls; echo ran > /output/ran", Host: dir, Dir: row.dir, Roots: agentRoots})
			ran := os.Remove(filepath.Join(dir, "output", "ran")) == nil
			if row.dir == "/output/up" {
				out = strings.Replace(out, "scratch\n", "", 1)
			}
			if o.Kind != row.kind || out != row.out || ran != (row.kind == shell.Exited) {
				t.Errorf("%s: %s %q, ran: %v; want %s %q", row.dir, o.Kind, out, ran, row.kind, row.out)
			}
		}
	})
}

// TMPDIR leads to the view, whatever a script makes of it and whenever.
func TestChecklist03(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, m mode) {
		dir, canary := outside(t)
		host := filepath.Dir(canary)
		plant(t, host, map[string]string{"sh-interp-1/f": "of the host"})
		others := func() string {
			whole, _, _ := strings.Cut(tree(t, host), "/files")
			return whole + tree(t, filepath.Join(host, "sh-interp-1"))
		}
		before := others()
		out, _ := m.in(t, dir, `use() { cat $TMPDIR/sh-interp-1/f; echo x > $TMPDIR/sh-interp-1/f; cat <(echo p) <<< h > /dev/null; mktemp; echo y > $TMPDIR/canary; }
for d in `+host+` /tmp/.. "" /tmp/../`+host+`; do TMPDIR=$d; export TMPDIR; use; unset TMPDIR; use; TMPDIR=/tmp use; env TMPDIR=$d bash -c "$(declare -f use); use"; done; rm -f /canary`)
		if strings.Contains(out, "of the host") || strings.Contains(out, "tweet") {
			t.Errorf("the host was read: %s", out)
		}
		if after := others(); after != before {
			t.Errorf("the host has changed from\n%s\nto\n%s", before, after)
		}
		m.wants(t, dir, `f=$(mktemp); [[ $f == /tmp/* ]] && echo x > $f && cat $f && d=$(mktemp -d) && [ -d $d ] && echo d`, "x\nd\n", 0)
	})
}

// A process substitution makes nothing on the host. (Goroutines: the check of the package.)
func TestChecklist04(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, m mode) {
		dir := t.TempDir()
		m.wants(t, dir, `cat <(echo a) <(cat <(echo b)); echo up > >(tr a-z A-Z); head -n 1 <(yes); [ -p <(:) ] && echo pipe; ls -A; : <(sleep 999); exec 7< <(yes); read -u 7 x; echo $x`,
			"a\nb\nUP\ny\npipe\ny\n", 0)
		if got := tree(t, dir); strings.Count(got, "\n") != 1 {
			t.Errorf("it left:\n%s", got)
		}
	})
}

// Homes of users of the host are not known; ~+ and ~- are directories of the view.
func TestChecklist05(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, m mode) {
		m.wants(t, t.TempDir(), `mkdir d; echo ~root ~daemon/x ~nobody ~+ ~-; cd d; echo ~+ ~- ~; HOME=/d; echo ~; x=~root; echo $x; unset HOME; echo ~`,
			"~root ~daemon/x ~nobody / ~-\n/d / /\n/d\n~root\n/\n", 0)
	})
}

// What answers where a command or a directory is looks at the view only.
func TestChecklist06(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, m mode) {
		dir, canary := outside(t)
		host := filepath.Dir(canary)
		if err := os.Symlink(host, filepath.Join(dir, "l")); err != nil {
			t.Fatal(err)
		}
		out, _ := m.in(t, dir, `PATH=`+host+`:/l:/usr/bin:/sbin
command -v canary; command -V canary; type canary; type -a canary; type -p canary; which canary; hash canary; canary; `+canary+`; /l/canary; compgen -c can
cd -P `+host+`; cd /l; cd -P /l; CDPATH=`+host+` cd files; pwd -P; pwd; command -v ifconfig init reboot`)
		if out != "/\n/\n" {
			t.Errorf("it gave %q", out)
		}
		m.wants(t, dir, `mkdir -p d bin; ln -s d k; printf '#!/bin/bash\necho mine\n' > bin/canary; chmod +x bin/canary; PATH=/bin:/bin2:$PATH
command -v ls; type -t ls; which cat; cd -P k; pwd; cd /k; pwd; pwd -P; PATH=/bin; cd /; mv bin own; PATH=/own:/usr/bin; command -v canary; canary; type -p canary`,
			"/bin/ls\nfile\n/bin/cat\n/d\n/k\n/d\n/own/canary\nmine\n/own/canary\n", 0)
	})
}

// Nothing that a script can say opens a connection or asks for a name.
func TestChecklist07(t *testing.T) {
	t.Parallel()
	tcp, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	udp, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 2)
	go func() {
		if c, err := tcp.Accept(); err == nil {
			c.Close()
			seen <- "tcp"
		}
		seen <- ""
	}()
	go func() {
		if _, _, err := udp.ReadFrom(make([]byte, 10)); err == nil {
			seen <- "udp"
		}
		seen <- ""
	}()
	_, port, _ := net.SplitHostPort(tcp.Addr().String())
	_, uport, _ := net.SplitHostPort(udp.LocalAddr().String())
	inBoth(t, func(t *testing.T, m mode) {
		dir := t.TempDir()
		for _, script := range []string{
			"exec 3<>/dev/tcp/127.0.0.1/" + port, "echo x > /dev/tcp/localhost/" + port, "cat < /dev/tcp/127.0.0.1/" + port,
			"echo x > /dev/udp/127.0.0.1/" + uport, "exec 3<>/dev/udp/localhost/" + uport, "cat /dev/udp/127.0.0.1/" + uport,
			"curl http://127.0.0.1:" + port, "wget -O- 127.0.0.1:" + port, "nc 127.0.0.1 " + port, "ping -c 1 localhost", "ssh localhost -p " + port,
			`jq -n 'import "http://127.0.0.1:` + port + `/a" as a; 1'`, "source /dev/tcp/127.0.0.1/" + port, "bash /dev/tcp/127.0.0.1/" + port,
			"host localhost", "getent hosts localhost", "git clone http://127.0.0.1:" + port, "js -e \"require('net').connect(" + port + ")\"",
		} {
			if out, o := m.in(t, dir, script); o.Kind != shell.Exited || o.Code == 0 || out != "" {
				t.Errorf("%s: %s %d %q (%s)", script, o.Kind, o.Code, out, o.Reason)
			}
		}
	})
	tcp.Close()
	udp.Close()
	for range 2 {
		if what := <-seen; what != "" {
			t.Errorf("the listener of %s saw something", what)
		}
	}
}

// Names that are hard: they are kept, shown and given to commands as they are, or refused.
func TestChecklist15(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 127) + "x"
	inBoth(t, func(t *testing.T, m mode) {
		dir := plant(t, t.TempDir(), map[string]string{"input/": "", "output/": "", "scratch/": ""})
		agent := func(script string) (string, shell.Outcome) {
			return m.do(t, &shell.Job{Command: script, Host: dir, Dir: "/output", Roots: agentRoots})
		}
		for _, name := range []string{"caf\u00e9", "cafe\u0301", "日本語", "🙂", "שלום", "-rf", "*", "a'b", `a"b`, "a b", "[x]", "$HOME", "a:b", "~", "{a,b}", "!x", "#x", long} {
			script := "n=" + quoteBash(name) + `
echo "$n" > "./$n" && for f in *; do [ "$f" = "$n" ] || echo "glob: $f"; done; cat -- *; cat ./*; cp -- "$n" ../scratch/; mv -- ../scratch/* ./"$n"; ls | cat
printf '%s\0' * | xargs -0 -I{} cat ./{}; find . -type f -exec cat {} +; tar cf ../scratch/t.tar -- *; rm -- *; ls -A; tar xf ../scratch/t.tar; cat ./*; rm -- * ../scratch/t.tar; echo "[$(ls -A)]"`
			if out, o := agent(script); out != strings.Repeat(name+"\n", 6)+"[]\n" {
				t.Errorf("%q: got %q (%s)", name, out, o.Stderr.Head)
			}
		}
		for _, script := range []string{
			"touch 'caf\u00e9' 'cafe\u0301'", "touch Readme readme", "touch Readme && mv Readme x && touch README && touch readme && false", `touch $'a\nb'`, `touch $'a\eb'`, `mkdir $'\x01'`, `touch a\\b`,
			"touch 'tail '", "touch ...", `touch $'\xff'`, "touch " + strings.Repeat("x", 256), "ln -s x $'a\\tb'", "touch x; mv x $'y\\ny'", "touch x; cp x X", `printf x > $'a\x7f'`,
		} {
			if out, o := agent(script); o.Code == 0 || o.Stderr.Bytes == 0 || out != "" {
				t.Errorf("%s: %s %d %q", script, o.Kind, o.Code, out)
			}
			agent("rm -rf ./*")
		}
		if got := tree(t, filepath.Join(dir, "output")); strings.Count(got, "\n") != 1 {
			t.Errorf("it left:\n%s", got)
		}
	})
}

func quoteBash(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Calls of two runs at once have no variable, file, option or /tmp in common.
func TestChecklist20(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, m mode) {
		const script = `me=$(cat me); echo $me > /tmp/x; echo $me > x; export V=$me; umask 0$me; set -f; alias a="echo $me"; trap "echo $me" EXIT; f() { echo $me; }; cd /tmp; sleep 999 &
echo ready >&2; read line
cat x /x; echo $V $(umask) $-; f; jobs | wc -l; ls /tmp; echo $line; env | grep -c V=`
		type call struct {
			begun *begun
			stdin *os.File
			done  chan shell.Outcome
			me    string
		}
		var calls []call
		for _, me := range []string{"22", "77"} {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close(); w.Close() })
			c := call{newBegun(), w, make(chan shell.Outcome, 1), me}
			j := &shell.Job{Command: real + script, Host: plant(t, t.TempDir(), map[string]string{"me": me}), Stdin: r, Err: c.begun}
			go func() { c.done <- m.run.Run(context.Background(), j) }()
			calls = append(calls, c)
		}
		for _, c := range calls {
			<-c.begun.came
		}
		for _, c := range calls {
			if _, err := c.stdin.WriteString("line" + c.me + "\n"); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range calls {
			o := <-c.done
			want := strings.ReplaceAll("ME\nME\nME 00ME fhBc\nME\n1\nx\nlineME\n1\nME\n", "ME", c.me)
			if string(o.Stdout.Head) != want {
				t.Errorf("got %q, want %q (%s)", o.Stdout.Head, want, o.Reason)
			}
		}
	})
}
