package eval

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func TestStatementsAreExecutedAsTheyAreRead(t *testing.T) {
	t.Parallel()
	r := run(t, "echo one\necho two\nif then\necho three")
	if r.out != "one\ntwo\n" || r.exit.Code != 2 || !strings.Contains(r.err, "bash: line 3: syntax error") {
		t.Errorf("%q %v %q", r.out, r.exit, r.err)
	}
}

func TestScriptFromInput(t *testing.T) {
	t.Parallel()
	var prompts []bool
	b := bench{
		in: "echo first\nread x\nthe data\necho \"got $x\"\nif true\nthen echo more\nfi\n)\ncat\nrest of the input\n",
		change: func(r *shell.Request) {
			r.FromInput = true
			r.Prompt = func(more bool) { prompts = append(prompts, more) }
		},
	}
	r := b.run(t, "")
	if want := "first\ngot the data\nmore\nrest of the input\n"; r.out != want {
		t.Errorf("got %q, want %q (%s)", r.out, want, r.err)
	}
	if !strings.Contains(r.err, "syntax error near unexpected token `)'") {
		t.Errorf("standard error: %s", r.err)
	}
	more := 0
	for _, m := range prompts {
		if m {
			more++
		}
	}
	if more != 2 || len(prompts) < 6 {
		t.Errorf("prompts: %v", prompts)
	}
}

func TestSyntaxErrorEndsAnInputThatNobodyWrites(t *testing.T) {
	t.Parallel()
	b := bench{in: "echo a\n)\necho b\n", change: func(r *shell.Request) { r.FromInput = true }}
	if r := b.run(t, ""); r.out != "a\n" || r.exit.Code != 2 {
		t.Errorf("%q %v", r.out, r.exit)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, script, out string
		code              int
		err               string // what standard error has
	}{
		{"unknown", "foo", "", 127, "bash: line 1: foo: command not found"},
		{"near", "\n\nehco hi", "", 127, "bash: line 3: ehco: command not found\nDid you mean echo"},
		{"absent", "curl http://x", "", 127, "curl: command not found: this shell has no network"},
		{"git", "git status", "", 127, "diff -u and patch"},
		{"not executable", "echo x > f; ./f", "", 126, "./f: Permission denied"},
		{"directory", "mkdir d; ./d", "", 126, "./d: Is a directory"},
		{"missing path", "./nope", "", 127, "./nope: No such file or directory"},
		{"binary", `printf 'a\0b\n' > f; chmod +x f; ./f`, "", 126, "cannot execute binary file"},
		{"no path", "PATH=; foo", "", 127, "foo: No such file or directory"},
		{"standalone", "/usr/bin/true && env pwd", "/\n", 0, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, row.script)
			if r.out != row.out || r.exit.Code != row.code || !strings.Contains(r.err, row.err) || (row.err == "") != (r.err == "") {
				t.Errorf("%q %v %q", r.out, r.exit, r.err)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		hit    string
		limits limits.Limits
		script string
	}{
		{"commands", limits.Limits{Commands: 10}, "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do :; done"},
		{"loops", limits.Limits{Loops: 10}, "while :; do :; done"},
		{"functions", limits.Limits{Functions: 10}, "f() { f; }; f"},
		{"subshells", limits.Limits{Subshells: 5}, "f() { (f); }; f"},
		{"subshells", limits.Limits{Subshells: 5}, "f() { echo $(f); }; f"},
		{"subshells", limits.Limits{Subshells: 5}, "f() { : | f; }; f"},
		{"sources", limits.Limits{Sources: 5}, `x='eval "$x"'; eval "$x"`},
		{"sources", limits.Limits{Sources: 5}, "echo 'bash f' > f; bash f"},
		{"sources", limits.Limits{Sources: 5}, "printf '#!/bin/sh\n./f' > f; chmod +x f; ./f"},
		{"sources", limits.Limits{Sources: 5}, "f() { env env env env env env env env true; }; f"},
		{"here_doc", limits.Limits{HereDoc: 10}, "cat <<< 'more than ten bytes'"},
		{"variable", limits.Limits{Variable: 100}, "x=$(yes)"},
	} {
		r := bench{limits: row.limits}.run(t, row.script)
		if r.hit() != row.hit {
			t.Errorf("%s: got %v, want the limit %s", row.script, r.exit.Err, row.hit)
		}
	}
	r := bench{limits: limits.Limits{Jobs: 3}}.run(t, "for i in 1 2 3 4; do sleep 50 & done; echo no")
	if r.out != "" || !strings.Contains(r.err, "Resource temporarily unavailable") {
		t.Errorf("jobs: %q %q", r.out, r.err)
	}
	r = bench{limits: limits.Limits{Script: 100}}.run(t, "for i in {1..50}; do echo ': a comment'; done > f; . ./f; echo $?; bash f; echo $?")
	if r.out != "2\n2\n" {
		t.Errorf("script: %q %q", r.out, r.err)
	}
}

func TestPipe(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	r, w := newPipe()
	big := strings.Repeat("x", 3*pipeSize)
	wrote := make(chan error, 1)
	go func() {
		_, err := w.write(ctx, []byte(big))
		w.drop()
		wrote <- err
	}()
	got, err := io.ReadAll(&input{ctx, r})
	if string(got) != big || err != nil || <-wrote != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}

	r, w = newPipe()
	go func() {
		_, err := w.write(ctx, []byte(big))
		wrote <- err
	}()
	r.keep()
	r.drop()
	r.drop()
	if err := <-wrote; !errors.Is(err, syscall.EPIPE) {
		t.Errorf("the reader is gone: %v", err)
	}

	r, w = newPipe()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.pipe.read(ended, make([]byte, 1)); !errors.Is(err, syscall.EINTR) {
		t.Errorf("the context ended: %v", err)
	}
	w.drop()
	if _, err := r.read(ctx, make([]byte, 1)); err != io.EOF {
		t.Errorf("the writer is gone: %v", err)
	}
}

func TestTimeoutReachesEveryWait(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"timeout 0.05 cat <(sleep 100)", "sleep 0.1 | timeout 0.05 cat", "timeout 0.05 bash -c 'sleep 100 | cat'", "timeout 0.05 bash -c 'cat <(sleep 100)'",
		"timeout 0.05 bash -c 'sleep 100 & wait'", "timeout 0.05 bash -c 'while :; do :; done'", "timeout 0.05 yes > /dev/null", "timeout 0.05 env sleep 100",
	} {
		wants(t, script+"; echo $?", "124\n", 0)
	}
}

func TestReadingTakesNoMoreThanItNeeds(t *testing.T) {
	t.Parallel()
	wants(t, "printf '1\n2\n3\n4\n' > f; { read a; cat; } < f; printf 'x\ny\n' | { read a; cat; }", "2\n3\n4\ny\n", 0)
	r := bench{in: "a\nb\nc\n"}.run(t, "read x; head -n 0; read y; cat; echo $x$y")
	if r.out != "c\nab\n" {
		t.Errorf("standard input: %q %q", r.out, r.err)
	}
}

func TestCommandsGetOneDoor(t *testing.T) {
	t.Parallel()
	var env [][]string
	look := &command.Command{Name: "look", Run: func(_ context.Context, c *command.Call) int {
		env = append(env, c.Env)
		return 0
	}}
	b := bench{change: func(r *shell.Request) {
		r.Commands = command.NewRegistry(testCommands(), Commands(), []*command.Command{look})
	}}
	r := b.run(t, "export A=1; look; B=2 look; x=3; look; f() { local A=4; look; }; f; look; unset A; look")
	if r.exit.Code != 0 || len(env) != 6 {
		t.Fatalf("%v %d", r.exit, len(env))
	}
	for i, want := range []string{"A=1", "A=1 B=2", "A=1", "A=4", "A=1", ""} {
		var got []string
		for _, pair := range env[i] {
			if pair[1] == '=' && pair[0] < 'D' {
				got = append(got, pair)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("call %d: got %v, want %s", i, got, want)
		}
	}
}

func TestShebang(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"echo": "", "#!": "", "#!/bin/bash\nx": "/bin/bash", "#! /bin/sh -e\n": "/bin/sh -e", "#!/usr/bin/env python3\n": "python3",
		"#!/usr/bin/env -S awk -f\n": "awk -f", "#!/usr/bin/env\n": "/usr/bin/env",
	} {
		words, ok := shebang(text)
		if got := strings.Join(words, " "); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestTimeText(t *testing.T) {
	t.Parallel()
	for layout, want := range map[string]string{
		"%R": "61.500", "%lR": "1m1.500s", "%0R %1R %9R": "62 61.5 61.500", "%U|%S|%P%%": "0.000|0.000|0.00%", "%": "%", "%x": "%x", "\nreal\t%3lR": "\nreal\t1m1.500s",
	} {
		if got := timeText(layout, 61500*time.Millisecond); got != want {
			t.Errorf("%q: got %q, want %q", layout, got, want)
		}
	}
}

func TestSignalNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]signal{"9": 9, "KILL": 9, "sigkill": 9, "EXIT": 0, "0": 0, "RTMIN": 34, "RTMIN+2": 36, "RTMAX-1": 63, "RTMAX": 64, "DEBUG": sigDEBUG, "err": sigERR} {
		if got, ok := signalOf(text, true); !ok || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "NOSUCH", "65", "-1", "32", "SIG"} {
		if got, ok := signalOf(text, true); ok {
			t.Errorf("%s: got %d", text, got)
		}
	}
	if _, ok := signalOf("DEBUG", false); ok {
		t.Error("DEBUG is no signal")
	}
}

func TestCheckNesting(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		strings.Repeat("(", 11):                               false,
		strings.Repeat("{", 11):                               false,
		strings.Repeat("$(", 11):                              false,
		strings.Repeat("()", 100):                             true,
		"'" + strings.Repeat("(", 100) + "'":                  true,
		strings.Repeat(`\(`, 100):                             true,
		"# " + strings.Repeat("(", 100) + "\n":                true,
		strings.Repeat("(", 10) + strings.Repeat(")", 10):     true,
		strings.Repeat("a) b) ", 50) + strings.Repeat("(", 9): true,
		`echo "it's ` + strings.Repeat("(", 11):               false,
		"echo a#" + strings.Repeat("(", 11):                   false,
	} {
		if err := checkNesting(text, 10); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzEval(f *testing.F) {
	for _, seed := range []string{
		"echo $((1+2))", "for i in a b; do echo $i | cat & done; wait", "f() { return 3; }; f || x=$(echo <(:))", "[[ a =~ (b) ]] && exit", "cat <<A\n$x\nA",
		"trap 'x=1' EXIT ERR; set -eu; ((x))", "case x in (a|b);;& *) echo;; esac", "declare -A m=([a-b]=1); echo ${m[@]}", "exec 3>f {v}<f; echo >&3", "coproc cat; wait -n", "{ a; }|&b", "alias a='b '; a", "a[1-]=2; ${!x@Q}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, script string) {
		r := bench{limits: limits.Limits{Commands: 500, Loops: 500, Functions: 30, Subshells: 10, Sources: 5, Jobs: 16, Variable: 1 << 16, Words: 1000, Braces: 1000, HereDoc: 1 << 16}}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		r.change = func(q *shell.Request) {
			q.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
		}
		if got := r.runWithin(ctx, t, script); got.exit.Err != nil && strings.Contains(got.exit.Err.Error(), "shell_panicked") {
			t.Errorf("%q: %v", script, got.exit.Err)
		}
	})
}
