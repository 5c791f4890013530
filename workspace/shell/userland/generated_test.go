package userland_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/eval"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/shelltest"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/userland"
)

var (
	programs = flag.Int("programs", 100, "how many generated programs are compared with the real bash")
	seed     = flag.Uint64("seed", 20240117, "of the generated programs")
)

// TestGenerated compares random short programs with the real bash: expansions, quoting,
// splitting, arithmetic, printf, globs, tests, redirections, pipelines, control flow. A
// program that differs is reduced to the lines that it takes.
func TestGenerated(t *testing.T) {
	oracle, missing := shelltest.FindOracle()
	if oracle == nil {
		t.Skip("nothing to compare with: " + missing)
	}
	t.Logf("seed %d", *seed)
	runner := shell.NewInProcess(eval.New(), userland.Registry(), shell.InProcessOptions{Workers: 4})
	t.Cleanup(func() { _ = runner.Close(t.Context()) })
	compare := func(lines []string) string {
		script := strings.Join(lines, "\n") + "\n"
		want, err := oracle.Run(t.Context(), t.TempDir(), script)
		if err != nil {
			t.Fatalf("%v\n%s", err, script)
		}
		return difference(ours(t, runner, script), want)
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	for n := range *programs {
		lines := program(r)
		if compare(lines) == "" {
			continue
		}
		for i := len(lines) - 1; i >= 0; i-- {
			fewer := append(lines[:i:i], lines[i+1:]...)
			if compare(fewer) != "" {
				lines = fewer
			}
		}
		t.Errorf("program %d:\n%s\n%s", n, strings.Join(lines, "\n"), compare(lines))
	}
}

// program gives the lines of a program, each of which is complete.
func program(r *rand.Rand) []string {
	g := &generator{r}
	lines := []string{
		"touch a.txt b.txt 'c d.txt' e1 e2; mkdir dir; touch dir/x.txt",
		"v=" + g.quoted() + " w=" + g.quoted() + " n=" + g.number() + " e=",
		"a=(" + g.quoted() + " '' " + g.quoted() + " z) r=v",
		"declare -A m=([k]=" + g.quoted() + " [x]=1)",
		"set -- " + g.quoted() + " " + g.quoted() + " p",
		"p() { printf '<%s>' \"$@\"; echo; }",
		"f() { local v=in; p \"$v\" \"$1\"; return ${2:-3}; }",
	}
	if r.IntN(4) == 0 {
		lines = append(lines, "IFS="+g.pick(":", "' :'", ",", "$'\\n'"))
	}
	if r.IntN(5) == 0 {
		lines = append(lines, "shopt -s "+g.pick("nullglob", "extglob", "dotglob", "nocasematch", "lastpipe"))
	}
	if r.IntN(8) == 0 {
		lines = append(lines, "set -"+g.pick("u", "e", "f"))
	}
	for range 2 + r.IntN(4) {
		lines = append(lines, g.statement(2))
	}
	return append(lines, "echo \"$? $v $w $n ${#a[@]} $#\"")
}

// generator makes the parts of a program.
type generator struct{ r *rand.Rand }

func (g *generator) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *generator) join(least, most int, sep string, part func() string) string {
	var parts []string
	for range least + g.r.IntN(most-least+1) {
		parts = append(parts, part())
	}
	return strings.Join(parts, sep)
}

func (g *generator) number() string {
	return g.pick("0", "1", "2", "3", "-1", "7", "42", "010", "0x1f")
}

// quoted gives a word that is quoted as a whole.
func (g *generator) quoted() string {
	return "$'" + g.join(0, 5, "", func() string {
		return g.pick("a", "b", "ab", "Z", " ", "  ", ":", ",", "b/", ".txt", "*", "?", "1", "22", `\n`, `\t`, "é", `\'`, `"`, `\\`, "$x", "-", "=")
	}) + "'"
}

func (g *generator) expression(depth int) string {
	if depth == 0 {
		return g.pick("1", "2", "7", "n", "$n", "${#v}", "a", "nope", "0x10", "3", "${#a[@]}", "-4", "e", "${e:-5}")
	}
	sub := func() string { return g.expression(depth - 1) }
	switch g.r.IntN(6) {
	case 0:
		return "(" + sub() + ")"
	case 1:
		return g.pick("!", "~", "-") + "(" + sub() + ")"
	case 2:
		return sub() + " ? " + sub() + " : " + sub()
	case 3:
		return g.pick("n++", "--n", "n += 2", "n = n * 2", "n++ , n")
	}
	return sub() + " " + g.pick("+", "-", "*", "/", "%", "<", ">", "==", "!=", "&&", "||", "&", "|", "^", "<<") + " " + sub()
}

func (g *generator) pattern() string {
	return g.join(1, 3, "", func() string {
		return g.pick("a", "b", "*", "?", "[ab]", "[!a]", "[[:digit:]]", ".", "/", ":", `\*`, `"$e"`, "$w", "' '", "Z", "é")
	})
}

func (g *generator) parameter() string {
	name := g.pick("v", "v", "w", "n", "e", "nope", "1", "2", "@", "*", "a[@]", "a[*]", "a[1]", "a[n]", "m[k]", "m[@]", "#", "?", "!r", "a", "a[-1]")
	if strings.ContainsAny(name, "#?") {
		return "$" + name
	}
	switch g.r.IntN(14) {
	case 0, 1, 2, 3:
		return "${" + name + "}"
	case 4:
		return "${#" + strings.TrimPrefix(name, "!") + "}"
	case 5:
		return "${" + name + g.pick("#", "##", "%", "%%") + g.pattern() + "}"
	case 6, 7:
		return "${" + name + g.pick("/", "//", "/#", "/%") + strings.ReplaceAll(g.pattern(), "/", `\/`) + g.pick("", "/", "/x", "/[&]", "/$w", `/"$v"`) + "}"
	case 8:
		return "${" + name + g.pick("^", "^^", ",", ",,", "@Q", "@U") + "}"
	case 9, 10:
		return "${" + name + g.pick(":-", "-", ":+", "+") + g.pick("d", "a b", "$w", `"$v"`, `"x y"`, "*.txt", "'q'", `"${e:-z}"`) + "}"
	case 11, 12:
		return "${" + name + ":" + g.pick("0", "1", "2", " -1", " -2", "n", "$#") + g.pick("", ":1", ":2", ":n") + "}"
	}
	return "${" + name + ":=" + g.pick("d", "a b") + "}"
}

// word gives a word with anything in it.
func (g *generator) word() string {
	return g.join(1, 3, "", func() string {
		switch g.r.IntN(11) {
		case 0, 1, 2:
			return g.parameter()
		case 3, 4:
			return `"` + g.parameter() + `"`
		case 5:
			return `"` + g.pick("a b", "'", "x", " ", `\$v`, `\"`, `\\`, `\n`) + g.parameter() + `"`
		case 6:
			return g.pick("'a b'", "'$v'", `\ `, `\$v`, `''`, `""`, `$'\t'`, "'*'")
		case 7:
			return g.pick("*.txt", "e?", "*", "[ab]*", "dir/*", "{a,b}", "{1..3}", "z*", "x{,y}", "e[0-9]")
		case 8:
			return "$((" + g.expression(2) + "))"
		case 9:
			return g.pick("\x01", "\x02") // a substitution
		}
		return g.pick("x", "a", "1", "=", "-n", "%d", ":", ",")
	})
}

// words gives words, with the substitutions closed.
func (g *generator) words(least, most int) string {
	return g.join(least, most, " ", func() string {
		w := g.word()
		w = strings.ReplaceAll(w, "\x01", `"$(`+g.simple()+`)"`)
		return strings.ReplaceAll(w, "\x02", "$("+g.simple()+")")
	})
}

// simple gives a command without expansions that nest.
func (g *generator) simple() string {
	return g.pick("echo", "echo a b", "echo '  sp  '", `echo "$v"`, "echo $w", `printf '%s\n' x y`, "true", "false", "f q", "echo *.txt", `printf 'n\n\n'`, "cat nofile", "echo $((n + 1))")
}

func (g *generator) test() string {
	single := func() string { return `"` + g.parameter() + `"` }
	switch g.r.IntN(7) {
	case 0:
		return "[ " + single() + " " + g.pick("=", "!=", `\<`, "==") + " " + single() + " ]"
	case 1:
		return "[ " + g.pick("-z", "-n") + " " + g.pick(single(), "$v", "$nope", "") + " ]"
	case 2:
		return "[ " + g.pick("-e", "-f", "-d", "-s", "! -e") + " " + g.pick("a.txt", "dir", "nofile", `"$v"`, "e1") + " ]"
	case 3:
		return "[[ " + g.parameter() + " " + g.pick("==", "!=", "=", "<", ">") + " " + g.pattern() + " ]]"
	case 4:
		return "[[ " + g.parameter() + " =~ " + g.pick("^a", "[0-9]+", "(a|b)+", `^$`, ".*", `"$w"`, `^([a-z]*)(.*)$`) + ` ]] && p "${BASH_REMATCH[@]}"`
	case 5:
		return "(( " + g.expression(2) + " ))"
	}
	return "[ " + g.expression(0) + " " + g.pick("-eq", "-lt", "-ge") + " 2 ]"
}

// statement gives a statement on one line.
func (g *generator) statement(depth int) string {
	if depth > 0 && g.r.IntN(3) == 0 {
		return g.compound(depth)
	}
	switch g.r.IntN(18) {
	case 0, 1, 2, 3:
		return "p " + g.words(1, 3)
	case 4:
		return "echo " + g.words(1, 3)
	case 5:
		return g.pick("v", "w", "a[1]", "m[k]", "a+", "x") + "=" + g.words(1, 1)
	case 6:
		return "printf '" + g.join(1, 3, "", func() string {
			return g.pick("%s", "%5s|", "%-4s|", "%d ", "%03d", "%q", "%b", "%.2s", "%x", "%c", "%%", `\n`, `\t`, "-", "%.1f", "%e", "%+d", "%*s", "%g", "%o", "%i")
		}) + `\n' ` + g.words(0, 3)
	case 7:
		return "p " + g.words(1, 2) + " | " + g.pick("cat", "tr a-z A-Z", "wc -c", "sort", "head -1", "rev", "while read -r x; do p \"$x\"; done", "{ read x y; p \"$x\" \"$y\"; }", "cut -c2-4", "grep a")
	case 8:
		return "p " + g.words(1, 2) + g.pick(" > out", " >> out", " > 'sp ace'", " 2>&1", " > ./$w", " >&2", " > dir/o", " > nodir/o", " 2> err") + "; cat out"
	case 9:
		return g.pick("read x y", "read -r x y", "IFS=: read -r x y", "IFS=, read -ra a", "read -n 2 x", "read -d a x", "mapfile -t a") + " <<< " + g.words(1, 1) + `; p "$x" "$y" "${a[@]}"`
	case 10:
		return g.test() + "; echo $?"
	case 11:
		return "let " + g.pick("n++", "'n = 3 * 2'", "n=n+1", "'x = n > 2'") + "; echo $? $n"
	case 12:
		open, end, _ := strings.Cut(g.pick("x=$(|); p \"$x\"", "x=`|`; p $x", "(|)", "{ |; }", "! |", "eval '|'", "f a 0; |", "command |", "time -p |"), "|")
		return open + g.simple() + end
	case 13:
		return "set -- " + g.words(0, 3) + "; p $# \"$@\""
	case 14:
		return g.pick("unset v", "unset 'a[1]'", "unset a", "shift", "shift 5", "export v", "declare -i n=5+2", "declare -u w; w=$v", "declare -p v a m", "declare -r ro=1", "local q", "a+=(x 'y z')", "unset 'm[k]'", "v+=more", "type p | head -1", "cd dir; pwd; cd ..", "false", "return 2", "trap 'echo bye' EXIT", "trap 'echo err $?' ERR", "set -x; set +x", "echo ${#1} ${@:2}", "IFS=:", "unset IFS", "readonly v", "exit 4", "declare -n nr=v; nr=$w; p $nr $v", "printf -v v '%03d' $n", "getopts ab: o -a; p $o $OPTIND", "echo $- | tr -d 'hBc'")
	case 15:
		return "cat <<" + g.pick("E", "'E'", "-E") + " | cat -A\n" + g.join(0, 2, "\n", func() string {
			return g.pick("t ", "\t", "'q' ", `"`, `\$`, "") + g.parameter() + g.pick("", ` \\ `, " $((n+1))", " `echo b`", `"$(echo "in")"`)
		}) + "\nE"
	case 16:
		return g.simple() + " " + g.pick("&&", "||", "|", ";") + " " + g.simple() + " " + g.pick("&&", "||", "|", ";") + " p $? " + g.words(1, 1)
	}
	return "p " + g.words(1, 2) + " & wait $!; echo $?"
}

// compound gives a statement that has others in it.
func (g *generator) compound(depth int) string {
	body := func() string {
		s := g.statement(depth - 1)
		if strings.Contains(s, "\n") {
			s = "p $v"
		}
		return s
	}
	switch g.r.IntN(10) {
	case 0:
		return "if " + g.test() + "; then " + body() + "; else " + body() + "; fi"
	case 1, 2:
		return "for i in " + g.words(1, 3) + "; do " + body() + "; " + g.pick("", "break; ", "continue; ", "p $i; ") + "done"
	case 3:
		return "l=0; while (( l++ < 3 )); do " + body() + "; " + g.pick("", "[ $l = 2 ] && break; ", "p $l; ") + "(( ++k > 9 )) && break; done"
	case 4:
		return "case " + g.words(1, 1) + " in " + g.pattern() + ") " + body() + g.pick(" ;;", " ;&", " ;;&") + " " + g.pattern() + "|x) " + body() + " ;; *) echo other ;; esac"
	case 5:
		return "( " + body() + "; " + body() + " ); echo $?"
	case 6:
		return "{ " + body() + "; } " + g.pick("> out; cat out", "2>&1", "| cat", "|| echo failed", "2> /dev/null")
	case 7:
		return "h() { " + body() + "; }; h " + g.words(0, 2) + "; echo $?"
	case 8:
		return fmt.Sprintf("for ((%[1]s = 0; %[1]s < %[2]d; %[1]s++)); do %[3]s; p $%[1]s; done", g.pick("s", "t")+strconv.Itoa(depth), 1+g.r.IntN(3), body())
	}
	return g.test() + g.pick(" && ", " || ") + body()
}
