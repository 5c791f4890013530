package eval

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// The tests of this file are the holes of shell spec §5 that the evaluator closes: each
// attack fails, and the honest use beside it works.

// canary puts a file with a secret next to the directory of the view.
func canary(t *testing.T) (dir, secret string) {
	t.Helper()
	base := t.TempDir()
	secret = filepath.Join(base, "secret")
	if err := os.WriteFile(secret, []byte("canary\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(base, "view")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, secret
}

func TestHole02ProcessSubstitution(t *testing.T) {
	t.Parallel()
	before, err := filepath.Glob(filepath.Join(os.TempDir(), "sh-interp-*"))
	if err != nil {
		t.Fatal(err)
	}
	r := wants(t, `head -n 1 <(yes); cat <(echo a) <(echo b); echo up > >(tr a-z A-Z); head -n 1 < <(while :; do echo z; done); echo <(:)`,
		"y\na\nb\nUP\nz\n/dev/fd/63\n", 0)
	if r.err != "" {
		t.Errorf("standard error: %s", r.err)
	}
	after, _ := filepath.Glob(filepath.Join(os.TempDir(), "sh-interp-*"))
	if len(after) > len(before) {
		t.Errorf("a file of the host was left: %v", after)
	}
}

func TestHole03Lookup(t *testing.T) {
	t.Parallel()
	dir, secret := canary(t)
	host := filepath.Dir(secret)
	r := bench{dir: dir}.run(t, `PATH=`+host+`:/bin
command -v secret; command -V secret; type secret; type -p secret; secret; `+secret+`; echo $?
PATH=/usr/bin:/bin; command -v cat; type -t cat`)
	if strings.Contains(r.out, "canary") || strings.Contains(r.out, host) {
		t.Errorf("the host was looked at: %q", r.out)
	}
	if want := "127\n/usr/bin/cat\nfile\n"; r.out != want {
		t.Errorf("got %q, want %q", r.out, want)
	}
}

func TestHole05OtherHomes(t *testing.T) {
	t.Parallel()
	wants(t, `echo ~root ~daemon/x; echo ~ ~+`, "~root ~daemon/x\n/ /\n", 0)
}

func TestHole07Environment(t *testing.T) {
	// The environment of the test is the host's; none of it may show. (No t.Parallel: it is set.)
	t.Setenv("HOST_CANARY", "canary")
	r := bench{change: func(r *shell.Request) { r.Env = []string{"PATH=/usr/bin:/bin"} }}.run(t,
		`echo "[$HOST_CANARY][$HOME]" ~; env | while read l; do case $l in *canary*) echo $l;; esac; done; echo $PPID; [ $$ -gt 0 ] && echo pid`)
	if want := "[][] /\n1\npid\n"; r.out != want {
		t.Errorf("got %q, want %q (%s)", r.out, want, r.err)
	}
}

func TestHole09HostPaths(t *testing.T) {
	t.Parallel()
	dir, secret := canary(t)
	for name, script := range map[string]string{
		"redirect in":  `cat < ` + secret,
		"substitution": `echo "$(<` + secret + `)"`,
		"source":       `. ` + secret,
		"bash":         `bash ` + secret,
		"test":         `[ -e ` + secret + ` ] && echo canary; [[ -f ` + secret + ` ]] && echo canary`,
		"glob":         `echo ` + filepath.Dir(secret) + `/*`,
		"dots":         `cat ../../../../../../..` + secret + ` ../secret /../secret`,
		"read":         `read x < ` + secret + `; echo $x`,
		"cd":           `cd ` + filepath.Dir(secret) + ` && cat secret`,
		"write":        `echo changed > ` + secret,
		"descriptor":   `exec 3<` + secret + `; cat <&3`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := bench{dir: dir}.run(t, script)
			if strings.Contains(r.out, "canary") || strings.Contains(r.out, "secret\n") {
				t.Errorf("%s\nreached the host: %q", script, r.out)
			}
			if b, err := os.ReadFile(secret); err != nil || string(b) != "canary\n" {
				t.Errorf("%s\nchanged the host: %q, %v", script, b, err)
			}
		})
	}
	wants(t, `echo x > f; cat < f; [ -e f ] && echo there; cd /; echo "$(<f)"; echo *`, "x\nthere\nx\nf\n", 0)
}

func TestHole10NoHostPrograms(t *testing.T) {
	t.Parallel()
	r := wants(t, `true; uname; /usr/bin/uname; /bin/uname; echo $?`, "127\n", 0)
	if !strings.Contains(r.err, "uname: command not found") {
		t.Errorf("standard error: %s", r.err)
	}
	wants(t, `echo x | cat`, "x\n", 0)
}

func TestHole11OneDoor(t *testing.T) {
	t.Parallel()
	wants(t, `uname() { echo function; }
for c in "exec uname" "/bin/uname" "command uname" "env uname" "xargs uname" "timeout 5 uname" "bash -c uname"; do ( $c ) 2>/dev/null </dev/null; echo $?; done`,
		strings.Repeat("127\n", 7), 0)
	wants(t, `printf '#!/bin/bash\necho script $1\n' > x.sh; chmod +x x.sh
(exec cat <<< exec); /bin/cat <<< path; ./x.sh a; command ./x.sh b; env ./x.sh c; echo d | xargs ./x.sh; timeout 5 ./x.sh e; bash -c './x.sh f'`,
		"exec\npath\nscript a\nscript b\nscript c\nscript d\nscript e\nscript f\n", 0)
	// All doors lead to the same counters.
	for name, script := range map[string]string{
		"script": `echo 'while :; do :; done' > x; bash x`,
		"env":    `env bash -c 'while :; do :; done'`,
		"xargs":  `echo 'while :; do :; done' | xargs -0 true; while :; do echo x | xargs true; done`,
		"eval":   `while :; do eval 'true'; done`,
		"trap":   `trap 'while :; do :; done' EXIT`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := (bench{limits: limits.Limits{Commands: 3000, Loops: 3000}}).run(t, script); r.hit() == "" {
				t.Errorf("no limit was hit: %v", r.exit)
			}
		})
	}
}

func TestHole12Counting(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"test":        `while [[ 1 -eq 1 ]]; do :; done`,
		"arithmetic":  `while ((1)); do ((1)); done`,
		"for":         `for ((;;)); do ((1)); done`,
		"let":         `while let 1; do let 1; done`,
		"declare":     `while declare x=1; do declare y; done`,
		"export":      `while export x=1; do x=2; done`,
		"assignment":  `while x=1; do x=2; done`,
		"local":       `f() { while local x=1; do local y; done; }; f`,
		"until":       `until false; do :; done`,
		"empty words": `while $nothing; do $nothing; done`,
		"function":    `f() { ((1)); }; while f; do f; done`,
		"case":        `while case x in x) ;; esac; do case x in x) ;; esac; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := (bench{limits: limits.Limits{Commands: 5000, Loops: 5000}}).run(t, script); r.hit() == "" {
				t.Errorf("no limit was hit: %v %s", r.exit, r.err)
			}
		})
	}
	wants(t, `i=0; while [[ $i -lt 100 ]]; do ((i++)); done; false; echo $? $i`, "1 100\n", 0)
}

func TestHole13Signals(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"1", "$PPID", "-1", "-- -1", "99999"} {
		r := wants(t, `kill -9 `+target+`; echo $?`, "1\n", 0)
		if !strings.Contains(r.err, "No such process") {
			t.Errorf("kill %s: %s", target, r.err)
		}
	}
	// 0 is the shells of this call.
	if r := run(t, `sleep 100 & kill -9 0; echo no`); r.exit.Code != 137 || r.out != "" {
		t.Errorf("kill 0: %v %q", r.exit, r.out)
	}
	wants(t, `sleep 100 & kill $!; wait $!; echo $?; sleep 100 & kill -9 %1; wait %1; echo $?; fg; bg; disown; echo $?`, "143\n137\n1\n", 0)
	wants(t, `trap 'echo caught' USR1; kill -USR1 $$; echo on`, "caught\non\n", 0)
}

func TestHole14Background(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	wants(t, `sleep 100 & yes > /dev/null & while :; do sleep 1; done & (sleep 50; echo late) & echo end`, "end\n", 0)
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("it waited for its jobs: %v", took)
	}
	wants(t, `(echo job; exit 3) & p=$!; wait $p; echo "$? $([ $p -gt 0 ] && echo pid)"`, "job\n3 pid\n", 0)
	// What a script starts as its last command still has its effect.
	wants(t, `echo last &`, "last\n", 0)
}

func TestHole15AssociativeIndex(t *testing.T) {
	t.Parallel()
	wants(t, `declare -A m; m[a-b]=1; m[x.y/z]=2; k='p q'; m[$k]=3; echo ${m[a-b]} ${m[x.y/z]} "${m[p q]}"; echo x | { m[c-d]=4; echo ${m[c-d]}; }`,
		"1 2 3\n4\n", 0)
}

func TestHole16Nesting(t *testing.T) {
	t.Parallel()
	million := strings.Repeat("(", 1_000_000)
	write := func(r *shell.Request) { r.In = strings.NewReader(million) }
	deceit := strings.Repeat("( #)\n", 100_000)
	for name, row := range map[string]struct {
		script string
		change func(*shell.Request)
	}{
		"command":     {million, nil},
		"eval":        {`x=$(cat); eval "$x"; exit $?`, write},
		"source":      {`cat > f; . ./f; exit $?`, write},
		"bash -c":     {`x=$(cat); bash -c "$x"; exit $?`, write},
		"script":      {`cat > f; bash f; exit $?`, write},
		"input":       {`bash; exit $?`, write},
		"braces":      {strings.Repeat("{ ", 400_000), nil},
		"comments":    {deceit, nil},
		"keywords":    {strings.Repeat("if ", 200_000), nil},
		"bangs":       {strings.Repeat("if ! ", 150_000), nil},
		"arithmetic":  {"((" + strings.Repeat("-(", 400_000), nil},
		"expansions":  {"echo " + strings.Repeat("${x:-", 150_000), nil},
		"quoted":      {"echo " + strings.Repeat(`"$(`, 200_000), nil},
		"tests":       {"[[ " + strings.Repeat("! ", 300_000), nil},
		"assignments": {"((" + strings.Repeat("a=", 300_000) + "1))", nil},
		"functions":   {strings.Repeat("f() ", 200_000), nil},
		"unary":       {"((" + strings.Repeat("- ", 300_000) + "1))", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := bench{change: row.change}.run(t, row.script)
			if r.exit.Code != 2 || r.exit.Err != nil {
				t.Errorf("got %d, %v: %.200s", r.exit.Code, r.exit.Err, r.err)
			}
		})
	}
	deep := strings.Repeat("$(echo ", 50) + "x" + strings.Repeat(")", 50)
	wants(t, "echo "+deep, "x\n", 0)
	wants(t, "echo $(("+strings.Repeat("(", 500)+"7"+strings.Repeat(")", 500)+"))", "7\n", 0)
}

func TestHole18Braces(t *testing.T) {
	t.Parallel()
	r := run(t, "echo {1..99999999}; echo after")
	if strings.Contains(r.out, "1 2 3") || r.err == "" {
		t.Errorf("a short result: %.100q, %.200s", r.out, r.err)
	}
	wants(t, `set -- {1..16000}; echo $# ${16000}`, "16000 16000\n", 0)
}

func TestHole19NetworkPaths(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c, err := l.Accept(); err == nil {
			close(seen)
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, script := range []string{
		"exec 3<>/dev/tcp/127.0.0.1/" + port + "; echo $?",
		"echo x > /dev/tcp/127.0.0.1/" + port + "; echo $?",
		"cat < /dev/udp/127.0.0.1/" + port + "; echo $?",
		"cat < /proc/self/environ; echo $?",
		"cat < /proc/1/root; echo $?",
	} {
		wants(t, script, "1\n", 0)
	}
	l.Close()
	<-done
	select {
	case <-seen:
		t.Error("the listener saw a connection")
	default:
	}
	wants(t, `echo x > /dev/null; echo y > /dev/stdout; exec 3<<<z; cat /dev/fd/3`, "y\nz\n", 0)
}

func TestHole20Builtins(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"history", "fc", "complete", "bind -l", "suspend", "logout"} {
		if r := run(t, script); r.exit.Code == 0 || r.err == "" || strings.Contains(r.err, "unsupported") {
			t.Errorf("%s: %v %q", script, r.exit, r.err)
		}
	}
	for _, script := range []string{"ulimit -a", "umask", "enable", "compgen -b", "f() { caller; }; f", "hash", "times", "help", "type cd", "dirs"} {
		if r := run(t, script); r.exit.Code != 0 || r.exit.Err != nil {
			t.Errorf("%s: %v %q", script, r.exit, r.err)
		}
	}
}

func TestForkBombEnds(t *testing.T) {
	t.Parallel()
	// Nobody waits for what these leave behind: the end of the script ends it.
	for _, script := range []string{`:() { : | : & }; :`, `f() { f & f & }; f; wait`} {
		if r := (bench{limits: limits.Limits{Commands: 50_000}}).run(t, script); r.out != "" {
			t.Errorf("%s: %v %q", script, r.exit, r.out)
		}
	}
	for _, script := range []string{`:() { : | :; }; :`, `f() { f; }; f`, `f() { (f); }; f`, `f() { x=$(f); }; f`, `echo '. ./f' > f; . ./f`, `echo 'bash f' > f; bash f`, `x='eval "$x"'; eval "$x"`} {
		r := bench{limits: limits.Limits{Commands: 50_000}}.run(t, script)
		if r.exit.Err == nil && !strings.Contains(r.err, "Resource temporarily unavailable") {
			t.Errorf("%s: no limit: %v %.200s", script, r.exit, r.err)
		}
	}
}

func TestErrorsOfSyntaxNeverPanic(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"0&0\x8d0", "a;b)", "a & b (", "echo a; )", "if", "a & )", "{ a; b ) }", "a | | b", "cat <<A; )\nA\n", "x & y & z ;;"} {
		if r := run(t, script); r.exit.Err != nil {
			t.Errorf("%q: %v", script, r.exit.Err)
		}
	}
}

func TestPanicEndsTheCall(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"panic", "panic | cat", "echo x | panic | cat", "panic & wait", "x=$(panic)", "cat <(panic)", "env panic", "echo | xargs panic | cat", "coproc panic; wait", "trap panic EXIT", "sleep 100 | panic"} {
		r := run(t, script)
		if fault.Code(r.exit.Err) != "workspace.shell_panicked" || !strings.Contains(r.exit.Err.Error(), "on purpose") {
			t.Errorf("%s: %v", script, r.exit)
		}
	}
}

func TestContextEndsEverything(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"while :; do :; done", "sleep 1000", "yes > /dev/null", "yes | cat > /dev/null", "sleep 1000 | cat", "cat <(sleep 1000)", "x=$(sleep 1000)", "sleep 1000 & wait",
		"coproc cat; read -u ${COPROC[0]} x", "f() { f2; }; f2() { sleep 1000; }; f", "trap 'sleep 1000' EXIT", "trap '' TERM INT; while :; do sleep 1; done", "wait -n & sleep 1000 & wait",
		"bash -c 'sleep 1000'", "env sleep 1000", "echo 1000 | xargs sleep", "set -e; sleep 1000; echo no", "sleep 1000 || sleep 1000 || echo no",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			stop := time.AfterFunc(50*time.Millisecond, cancel)
			defer stop.Stop()
			r := bench{limits: limits.Limits{Commands: 1 << 40, Loops: 1 << 40}}.runWithin(ctx, t, script)
			if r.exit.Err == nil || strings.Contains(r.out, "no") {
				t.Errorf("%v %q %s", r.exit, r.out, r.err)
			}
		})
	}
}
