//go:build linux

package shell_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// Fork bombs end by a limit, while the clock stands still, and other calls are answered
// meanwhile and afterwards.
func TestChecklist10(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, m mode) {
		for _, script := range []string{
			":(){ :|:& };:", ":(){ :|:& };: ; wait", "f(){ f & f & wait; }; f", "f(){ f | f; }; f", "f(){ (f); (f); }; f", "f(){ echo $(f)$(f); }; f", "f(){ cat <(f) <(f); }; f",
			"echo 'bash f & bash f' > f; bash f", "echo './f; ./f' > f; chmod +x f; ./f", "f(){ coproc f; wait; }; f", "export x='bash -c \"$x\" & bash -c \"$x\"; wait'; bash -c \"$x\"",
			"printf '%s\\n' f f > f; printf '#!/bin/bash\\nxargs -P 9 -n 1 ./g < f\\n' > g; chmod +x g; ./g", "trap 'f' EXIT; f(){ (exit 3) & (trap f EXIT) & wait; }", "while :; do sleep 9999 & done",
			"f(){ env bash -c 'eval \"$f\"; f' & env bash -c 'eval \"$f\"; f'; }; export f=\"$(declare -f f)\"; f",
		} {
			dir := t.TempDir()
			done := make(chan shell.Outcome, 1)
			go func() { _, o := m.in(t, dir, script); done <- o }()
			m.wants(t, t.TempDir(), "echo fine", "fine\n", 0)
			if o := <-done; o.Kind != shell.Exited && o.Limit == nil {
				t.Errorf("%s: %s (%s)", script, o.Kind, o.Reason)
			}
		}
		m.wants(t, t.TempDir(), "echo fine", "fine\n", 0)
	})
}

// What grows without an end hits the limit that is meant for it; the clock stands still.
func TestChecklist11(t *testing.T) {
	t.Parallel()
	lower := limits.Limits{Variable: 4 << 20, Words: 50_000, HereDoc: 1 << 20, Produced: 4 << 20}
	inBoth(t, func(t *testing.T, m mode) {
		for _, row := range []struct{ script, limit string }{
			{"s=x; while :; do s=$s$s; done", "variable"},
			{"s=x; while :; do s+=$s; done", "variable"},
			{"s=x; while :; do s+=xxxx; done", "commands"},
			{"a=(); while :; do a+=(xxxx); done", "commands"},
			{`a=(); while :; do a+=("${a[@]}" x); done`, "words"},
			{"declare -A m; while :; do m+=([$((i++))]=x); done", "commands"},
			{"while :; do a[i++]=x; done", "commands"},
			{`s=x; while :; do printf -v s '%s%s' "$s" "$s"; done`, "variable"},
			{"printf %1000000000d 1", "variable"},
			{"printf -v x %.1000000000f 1", "variable"},
			{"printf '%*s' 2000000000 x | wc -c", "variable"},
			{"x=$(seq 1000000000000)", "variable"},
			{"x=$(yes)", "variable"},
			{"x=$(</dev/zero)", "variable"},
			{"read -d '' x < <(yes)", "variable"},
			{`x=a; while :; do x=$(cat <<< "$x$x"); done`, "here_doc"},
			{"x=$(printf %1000000s); echo ${x// /yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy}", "variable"},
			{"x=$(printf %30000000s x); y=$x$x", "variable"},
			{"seq 1000000000000", "produced"},
			{"yes", "produced"},
			{"yes >&2", "produced"},
			{"while :; do echo; done", "commands"},
			{"x='eval \"$x\"'; eval \"$x\"", "sources"},
			{"f(){ f; }; f", "functions"},
		} {
			if _, o := m.do(t, &shell.Job{Command: row.script, Host: t.TempDir(), Limits: lower}); o.Limit == nil || o.Limit.Name != row.limit {
				t.Errorf("%s: %s, limit %+v, want %s (%s)", row.script, o.Kind, o.Limit, row.limit, o.Reason)
			}
		}
		for script, code := range map[string]int{"echo {1..99999999}": 1, "echo {1..999}{1..999}": 1, "echo {a..z}{a..z}{a..z}{a..z}": 1} {
			if out, o := m.in(t, t.TempDir(), script); o.Kind != shell.Exited || o.Code != code || out != "" || o.Stderr.Bytes == 0 {
				t.Errorf("%s: %s %d %.50q (%s)", script, o.Kind, o.Code, out, o.Reason)
			}
		}
		for _, query := range []string{"def f: [f]; f", "def f: {a: (1 + f)}; f", "def f(g): [g] + f([g]); f(1)"} {
			_, o := m.do(t, &shell.Job{Command: "jq -n '" + query + "'", Host: t.TempDir(), Limits: small})
			if o.Kind != shell.Exited || o.Code != 5 || o.Stderr.Bytes == 0 {
				t.Errorf("jq %s: %s %d (%s)", query, o.Kind, o.Code, o.Reason)
			}
		}
		if !m.contained() {
			return // memory of this process is not that of a call alone
		}
		for _, script := range []string{
			"jq -n '[range(1e9)]'", `jq -n 'reduce range(60) as $i ("x"; . + .)'`, "mapfile a < <(yes)", "sort /dev/zero", "yes | sort", "yes | tac", "column -t <(yes)",
			"yes | tr -d '\\n' | xargs echo", "yes | shuf | head -n 1", "a=(x); while :; do a=(\"${a[@]}\" $(printf %1000000s | tr ' ' y)); done",
		} {
			j := &shell.Job{Command: script, Host: t.TempDir(), Limits: small}
			if _, o := m.do(t, j); o.Limit == nil || o.Limit.Name != "memory" {
				t.Errorf("%s: %s, limit %+v (%s)", script, o.Kind, o.Limit, o.Reason)
			}
		}
	})
}

// What nests deeper than may be is an error of the script.
func TestChecklist13(t *testing.T) {
	t.Parallel()
	many := "head -c 200000 /dev/zero | tr '\\0' "
	inBoth(t, func(t *testing.T, m mode) {
		for _, script := range []string{
			"x=$(" + many + "'('); eval \"$x\"", many + "'(' > f; . ./f", many + "'(' | bash", "x=$(" + many + "'('); bash -c \"$x\"",
			"x=$(" + many + "'('); echo $((x))", "x=$(" + many + "'('); [[ $x -eq 1 ]]; exit", "x=$(" + many + "'-'); ((y = ${x}1))", "x=$(" + many + "'~'); let \"${x}1\"",
			"x=x; echo $((x))", "a=b; b=c; c=a; echo $((a))", "a='a[a]'; echo $((a))", "a='b[$a]'; echo $((a))",
			many + "'[' | jq .", many + "'[' | yq .", many + "'{' | yq .", "x=$(" + many + "'('); jq -n \"$x\"", "for i in {1..12000}; do printf -- '- '; done | yq .",
			"echo 'a: &a [*a]' | yq .", "{ echo 'a: &a [x,x,x,x,x,x,x,x,x]'; p=a; for n in b c d e f g h i j k; do echo \"$n: &$n [*$p,*$p,*$p,*$p,*$p,*$p,*$p,*$p,*$p]\"; p=$n; done; } | yq .",
			"x=$(" + many + "'('); [[ x =~ $x ]]", "x=$(" + many + "'('); echo x | grep -E \"$x\"", "x=$(" + many + "'('); echo x | grep -P \"$x\"", "x=$(" + many + "'('); expr x : \"$x\"",
			"grep -E '((((x{255}){255}){255}){255})' <<< x", `echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | grep -E '(a|a)*(a|a)*(a|a)*\1b'`,
			"[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa =~ (a*)*b ]]", "x=$(" + many + "a); [[ $x == *(*(a|aa))b ]]", "x=$(" + many + "'['); [[ x == $x ]]",
			"x=$(" + many + "'('); find . -regex \"$x\" | grep .", "find . $(yes '(' | head -n 99999)", "find . $(yes '!' | head -n 99999)", "[ $(yes '!' | head -n 99999) x ]", "[ $(yes '(' | head -n 99999) ]", "expr $(yes '(' | head -n 99999)", "[ $(yes 'x -a' | head -n 99999) '' ]",
			"declare -n p=q; declare -n q=p; p=1", "PS4='$(:)'; x=$(" + many + "'{'); echo ${x@P} | grep -x y",
			"shopt -s expand_aliases\nalias a='b ' b='a '\na a a",
		} {
			if out, o := m.in(t, t.TempDir(), script); o.Kind != shell.Exited || o.Code == 0 {
				t.Errorf("%s: %s %d %.50q (%s)", script, o.Kind, o.Code, out, o.Reason)
			}
		}
	})
}

// What never ends is stopped by the clock, wherever it stands.
func TestChecklist14(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, m mode) {
		dir := plant(t, t.TempDir(), map[string]string{"loop.sh": "while :; do sleep 1; done\n"})
		for _, script := range []string{
			"while :; do :; done", "sleep 999", "yes > /dev/null", "cat /dev/zero > /dev/null", "while :; do sleep 1; done", "cat <(sleep 999)", "x=$(sleep 999)", "sleep 999 & wait", "sleep 999 | cat", "sleep 999 > /tmp/x",
			"coproc cat; read -u ${COPROC[0]} x", "coproc cat; cat <&${COPROC[0]}", "trap '' TERM INT HUP EXIT; sleep 999", "trap 'sleep 999' EXIT; exit", "trap 'sleep 999; f' USR1; kill -USR1 $$", "(trap '' TERM; sleep 999) & wait",
			"bash loop.sh", "source loop.sh", "./loop.sh || bash ./loop.sh", "env bash loop.sh", "xargs -n 1 bash <<< loop.sh", "find . -name loop.sh -exec bash {} \\;", "timeout 999 bash loop.sh", "tail -f loop.sh || sleep 999",
			"yes | grep x", "yes | uniq", "yes | wc -l", "seq inf > /dev/null", "jq -n 'def f: f; f'", "jq -n 'range(1e15) | empty'", "yes '1' | jq empty", "tail -n 1 <(yes)", "exec 3> >(sleep 999); wait", "until [ -e never ]; do sleep 0.1; done", "select x in a; do :; done < <(yes)", "read -N 100000000 x < /dev/zero",
			"wait -n & sleep 999", "eval 'sleep 999'", "f(){ sleep 999; }; f", "set -e; sleep 999", "sleep 999 || sleep 999", "time sleep 999", "! sleep 999", "exec sleep 999", "jobs; sleep inf", "diff <(yes) <(yes)", "cmp /dev/zero /dev/zero", "md5sum /dev/zero", "gzip < /dev/zero > /dev/null", "base64 /dev/zero > /dev/null",
		} {
			out := newBegun()
			j := &shell.Job{Command: real + "echo begun\n" + script, Host: dir, Out: out, Limits: limits.Limits{Commands: 1 << 40, Loops: 1 << 40, Memory: 1 << 40, Produced: 1 << 40}}
			done := make(chan shell.Outcome, 1)
			go func() { done <- m.run.Run(t.Context(), j) }()
			<-out.came
			m.clock.BlockUntil(1)
			m.clock.Advance(30 * time.Second)
			if o := <-done; o.Kind != shell.TimedOut {
				t.Errorf("%s: %s %d (%s)", script, o.Kind, o.Code, o.Reason)
			}
		}
		// Without an input there is nothing to wait for.
		m.wants(t, dir, "cat; read x; echo $?; sort; head -n 1; wc -l; bash; jq .; xargs echo; select x in a; do :; done 2>/dev/null; echo end", "1\n0\n\n\nend\n", 0)
		m.wants(t, dir, strings.Repeat("yes | head -n 1 > /dev/null; ", 100)+"head -n 1 <(yes); echo end", "y\nend\n", 0)
	})
}
