//go:build linux

package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
)

// looks are scripts that look at a file H/s, a directory H/d and a script H/x, or try to
// change what is there. H is a hidden root or a name that is not there.
var looks = []string{
	"cat /H/s", "ls /H", "ls -la / /H", "stat -c %h:%s:%b:%A:%n / /output; exec 3</; stat -L -c %h:%s /dev/fd/3; find / -maxdepth 0 -printf '%n %s %b\n'; du -s /; [ / -nt /output ]; echo $?", "ls -R /", "ls -d /H*", "echo /* /H/* /h*/* /H/s*", "cd /H && pwd; cd /H/d; pwd", "cd /output/../H; cd /output; cd ../H", "[ -e /H ]; echo $?; [ -d /H/d ]; echo $?; [[ -f /H/s ]]; echo $?; test -r /H/s; echo $?",
	"[ /H/s -nt /output/f ]; echo $?; [ /H/s -ef /H/s ]; echo $?", "find /", "find /H", "find / -name s", "find /H/d -type f -delete", "tar cf - /H | wc -c", "tar cf /output/t -C /H s; ls /output", "tar cf - / | tar tf -",
	"realpath /H /H/s /H/none /H/d/..", "realpath -e /H/s", "readlink -f /H/s; readlink -e /H; readlink -m /H/s/x", "stat /H /H/s", "du -a /", "tree /", "grep -r secret /", "grep secret /H/s /H", "diff -r / /H; diff /H/s /output/f",
	"cp -r /H /output/c; ls /output", "cp /H/s /output", "cp /output/f /H/s", "cp /output/f /H", "mv /H/s /output/m", "mv /output/f /H/n", "ln -s /H /output/l; ls -la /output/l/; cat /output/l/s; ls -L /output; readlink -f /output/l; cd /output/l; echo /output/l/*; [ -e /output/l ]; echo $?",
	"ln /H/s /output/l", "rm /H/s", "rm -rf /H; echo $?", "rm -f /H/s; echo $?", "rmdir /H/d", "mkdir /H", "mkdir -p /H/n/m", "touch /H/s", "touch -c /H/s; echo $?", "echo x > /H/s", "echo x >> /H/n", ": <> /H/s", "exec 3< /H/s; cat <&3", "exec 4> /H/s", "set -C; echo x > /H/s",
	"source /H/s", "bash /H/x", "/H/x", "PATH=/H:$PATH; x; command -v x; type x; hash x", "command -v /H/x; type /H/x; which /H/x", "CDPATH=/H cd d", "pushd /H", "mapfile a < /H/s; echo ${#a[@]}", "read x < /H/s; echo $x", "echo $(</H/s)",
	"wc /H/s; head /H/s; tail /H/s; sort /H/s; uniq /H/s; od /H/s; md5sum /H/s; base64 /H/s; file /H/s /H; cmp /H/s /H/s; tac /H/s; nl /H/s; rev /H/s; strings /H/s; cut -c 1 /H/s", "jq . /H/s; jq -n --slurpfile a /H/s '$a'; jq -L /H -n 'import \"s\" as s; 1'; yq . /H/s", "comm /H/s /H/s; join /H/s /H/s; paste /H/s; column /H/s; fold /H/s; shuf /H/s; numfmt < /H/s",
	"truncate -s 0 /H/s", "chmod 777 /H /H/s", "tee /H/s < /output/f", "sort -o /H/s /output/f", "mktemp -p /H", "gzip -k /H/s; gunzip /H/s.gz; zcat /H/s", "patch /H/s < /output/f", "compgen -f /; compgen -f /H; compgen -d /; compgen -d /H; compgen -G '/H/*'", "xargs -a /H/s echo", "env -C /H pwd", "timeout 5 /H/x", "find / -newer /H/s", "find /output -samefile /H/s",
	"for f in /*/s /*/d /?idden /H/../H/s; do echo $f; done", "shopt -s globstar nullglob dotglob; echo /**", "shopt -s failglob; echo /H/*", "echo /{H,output}/*; echo ~+/../H", "ls /H/; ls /H/.; ls /H/..; ls /H/d/../..", "touch /output/x -r /H/s", "date -r /H/s", "seq 3 | tee -a /H/n", "cat < /H/d", "dirname /H/s; basename /H/s", "cp -a / /output/all; find /output/all", "df /H 2>/dev/null", "umask 0; mkdir -m 777 /H",
}

// A hidden root and a name that is not there give the same texts, codes and files.
func TestChecklist18(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, m mode) {
		for _, script := range looks {
			script := strings.ReplaceAll(script, "H", "hidden")
			var seen []string
			for _, files := range []map[string]string{{"hidden/s": "secret\n", "hidden/d/e": "secret\n", "hidden/x": "#!/bin/bash\necho secret\n"}, {}} {
				dir := plant(t, plant(t, t.TempDir(), files), map[string]string{"input/given": "given\n", "output/f": "f\n", "scratch/": ""})
				for _, name := range []string{"", "input", "output", "scratch", "output/f"} {
					if err := os.Chtimes(filepath.Join(dir, name), time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
						t.Fatal(err)
					}
				}
				out, o := m.do(t, &shell.Job{Command: script, Host: dir, Roots: agentRoots})
				if out, err := os.ReadFile(filepath.Join(dir, "hidden", "s")); err == nil && string(out) != "secret\n" || err != nil && len(files) > 0 {
					t.Errorf("%s: the hidden file is %q, %v", script, out, err)
				}
				if err := os.RemoveAll(filepath.Join(dir, "hidden")); err != nil {
					t.Fatal(err)
				}
				seen = append(seen, fmt.Sprintf("%s %d %s\n%s\n%s\n%s\n%s", o.Kind, o.Code, o.Reason, out, o.Stderr.Head, o.Announced, names(t, dir)))
			}
			if seen[0] != seen[1] || strings.Contains(seen[0], "secret\n") {
				t.Errorf("%s\nwith it: %s\nwithout: %s", script, seen[0], seen[1])
			}
		}
	})
}

// names lists what is below a directory.
func names(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	for line := range strings.Lines(tree(t, dir)) {
		name, _, _ := strings.Cut(line, " ")
		out = append(out, strings.TrimSpace(name))
	}
	return strings.Join(out, " ")
}

// writes are scripts that each change a file R/f, a directory R/d, or what stands in R, where
// R may be written.
var writes = []string{
	"echo x > R/f", "echo x >> R/f", "echo x >| R/n", ": > R/f", "exec 3>R/f; echo x >&3", "exec 3<>R/f; echo x >&3", "echo x &> R/f", "{ echo x; } 2>&1 > R/f", "cat <<< x > R/n", "printf x | tee R/f", "tee -a R/f <<< x", "cp /etc/f R/f || cp R/f R/n", "cp -a R/d R/e", "cp -f R/f R/d/f",
	"mv R/f R/n", "mv R/d R/e", "mv R/f /tmp/f", "echo x > /tmp/x; mv /tmp/x R/x", "echo x > /tmp/x; mv -f /tmp/x R/f", "rm R/f", "rm -f R/f", "rm -rf R/d", "rm -rf R/*", "rmdir R/empty", "mkdir R/n", "mkdir -p R/n/m", "touch R/f", "touch R/n", "touch -d 2001-01-01 R/f", "chmod 600 R/f", "chmod --recursive a-x R/d",
	"ln -s x R/l", "ln R/f R/l", "ln -sf x R/f", "truncate -s 1 R/f", "truncate -s 9 R/n", "sort -o R/f R/f R/f", "uniq R/f R/n", "shuf -o R/n R/f", "gzip R/f", "gzip -k R/f", "gunzip R/z.gz", "mktemp R/XXXX", "mktemp -d -p R", "split=1; tar cf R/t.tar R/f", "tar cf /tmp/t -C R f d; rm -rf R/f; tar xf /tmp/t -C R",
	"tar xf R/t.tgz -C R", "find R -name f -delete", "find R -type f -exec rm {} +", "find R -name f -exec chmod 600 {} \\;", "find R -fprint R/n", "echo R/f | xargs rm", "printf '1c1\\n< f\\n---\\n> g\\n' | patch R/f", "printf -- '--- f\\n+++ f\\n@@ -1 +1 @@\\n-f\\n+g\\n' | (cd R && patch -p0)", "cd R && echo x > f", "cd R/d && echo x > ../f", "cd R && : > n",
	"ln -s R/f /tmp/l; echo x > /tmp/l", "ln -s R /tmp/l; echo x > /tmp/l/f; rm -rf /tmp/l/d", "yq -i '.a = 2' R/y.yaml", "cp R/f /tmp/f; echo y >> /tmp/f; cp /tmp/f R/f", "cat R/f > R/n", "bash -c 'echo x > R/f'", "env bash -c 'rm R/f'", "(echo x > R/f) & wait", "x=$(echo x > R/f)", "cat <(echo x > R/f)", "echo x > >(cat > R/f); wait", "trap 'echo x > R/f' EXIT", "coproc { echo x > R/f; }; wait",
	"printf '#!/bin/bash\\necho x > R/f\\n' > /tmp/s; chmod +x /tmp/s; /tmp/s", "f() { echo x > R/f; }; f", "exec > R/f; echo x", "set -o noclobber; echo x > R/n", "script=R/f; echo x > $script", "mapfile a < R/f; printf x > R/f", "jq -n 1 > R/f", "base64 -d <<< eA== > R/f", "seq 3 > R/f", "umask 0; mkdir -m 777 R/n", "rm -rf R", "rm -rf /*", "mv /tmp/none R/f; echo x > R/none", "yes | head -n 3 > R/f",
}

// Each write works where it may, and leaves a root that is read-only, or everything in a
// call that only reads, as it was.
func TestChecklist19(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, m mode) {
		for _, row := range []struct {
			name, root string
			job        shell.Job
			changes    bool
		}{
			{"writable", "/output", shell.Job{Roots: agentRoots}, true},
			{"read-only root", "/input", shell.Job{Roots: agentRoots}, false},
			{"read-only call", "/output", shell.Job{Roots: agentRoots, ReadOnly: true}, false},
			{"read-only call without roots", "/output", shell.Job{ReadOnly: true}, false},
		} {
			if m.contained() && (row.changes || row.job.Roots.Visible == nil) {
				continue // the view is the same in both modes: these say that each script is one that writes
			}
			for _, script := range writes {
				dir := t.TempDir()
				at := filepath.Join(dir, row.root)
				plant(t, at, map[string]string{"f": "f\n", "d/e": "e\n", "empty/": "", "y.yaml": "a: 1\n"})
				if strings.Contains(script, "z.gz") || strings.Contains(script, "t.tgz") {
					m.wants(t, dir, "cd "+row.root+"; mkdir g; echo g > g/f; tar czf t.tgz g; rm -r g; echo z > z; gzip z", "", 0)
				}
				before := tree(t, at)
				j := row.job
				j.Host, j.Command = dir, strings.ReplaceAll(script, "R", row.root)
				_, o := m.do(t, &j)
				after := "gone"
				if _, err := os.Stat(at); err == nil {
					after = tree(t, at)
				}
				if changed := after != before; changed != row.changes || changed && o.Kind != shell.Exited {
					t.Errorf("%s: %s: %s %d, changed: %v (%s%s)\n%s", row.name, j.Command, o.Kind, o.Code, changed, o.Stderr.Head, o.Reason, after)
				}
				if !row.changes && o.Stderr.Bytes+o.Stdout.Bytes == 0 && !strings.Contains(script, "-f") {
					t.Errorf("%s: %s: nothing was said", row.name, j.Command)
				}
			}
		}
	})
}
