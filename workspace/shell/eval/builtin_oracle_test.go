package eval

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record the answers of the bash of this machine")

// oracleSeed makes the generated scripts the same in every run.
const oracleSeed = 20260102

// TestGeneratedAsBash compares generated scripts with what bash printed for them. One script
// is a block of lines, so that a difference names its line.
func TestGeneratedAsBash(t *testing.T) {
	t.Parallel()
	for _, g := range []struct {
		name  string
		setup string
		lines []string
	}{
		{"test", testSetup, testExpressions(2500)},
		{"read", "", readLines(1500)},
		{"getopts", getoptsSetup, getoptsLines(400)},
		{"echo", "", echoLines(400)},
		{"declare", "", declareLines(1200)},
	} {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("testdata", "generated-"+g.name+".txt")
			if *update {
				recordLines(t, file, g.setup, g.lines)
			}
			recorded, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Split(strings.TrimSuffix(string(recorded), "\n"), "\n")
			script := g.setup + strings.Join(g.lines, "\n") + "\n"
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "dir"), 0o755); err != nil {
				t.Fatal(err)
			}
			out, _, exit := stage{dir: dir}.play(t, script)
			if exit.Err != nil {
				t.Fatal(exit.Err)
			}
			got := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			if len(want) != len(g.lines) {
				t.Fatalf("%d recorded answers for %d lines: record them again with -update", len(want), len(g.lines))
			}
			for i, line := range g.lines {
				answer := "(none)"
				if i < len(got) {
					answer = got[i]
				}
				if answer != want[i] {
					t.Errorf("%s (seed %d, line %d): %s, bash says %s", line, oracleSeed, i, answer, want[i])
				}
			}
		})
	}
}

func recordLines(t *testing.T, file, setup string, lines []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", setup+strings.Join(lines, "\n")+"\n")
	if len(lines) > 100 { // longer than one argument may be
		cmd = exec.CommandContext(t.Context(), "bash", "/dev/stdin")
		cmd.Stdin = strings.NewReader(setup + strings.Join(lines, "\n") + "\n")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Env = dir, []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin", "HOME=/"}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func picker(stream uint64) (pick func(of ...string) string, n func(int) int) {
	r := rand.New(rand.NewPCG(oracleSeed, stream))
	return func(of ...string) string { return of[r.IntN(len(of))] }, r.IntN
}

const testSetup = `: > file; echo x > full; declare -a arr=(1 2); var=v empty=
`

// testExpressions are words of test in any order, most of them wrong.
func testExpressions(count int) []string {
	pick, n := picker(1)
	word := func() string {
		switch n(6) {
		case 0:
			return pick("-f", "-d", "-e", "-s", "-n", "-z", "-v", "-x", "-o", "-a", "-r", "-h", "-t")
		case 1:
			return pick("=", "!=", "==", `\<`, `\>`, "-eq", "-ne", "-lt", "-ge", "-nt", "-ef")
		case 2:
			return pick("-a", "-o", "!", `\(`, `\)`)
		}
		return pick("a", "b", "''", "1", "2", "-1", "file", "dir", "full", "missing", "var", "empty", "'arr[1]'", "'arr[9]'", "'a b'", "]")
	}
	var lines []string
	for range count {
		words := make([]string, 1+n(8))
		for i := range words {
			words[i] = word()
		}
		lines = append(lines, "[ "+strings.Join(words, " ")+" ] 2>/dev/null; echo $?")
	}
	for range count / 2 { // well-formed ones, joined
		var terms []string
		for range 1 + n(4) {
			term := pick("-f file", "-d file", "a = a", "a = b", "1 -lt 2", "3 -le 2", "-z ''", "-n ''", "x", "''", "-v var", `\( -d dir \)`, `\( a = b -o x \)`)
			terms = append(terms, pick("", "", "! ", "! ! ")+term)
		}
		lines = append(lines, "test "+strings.Join(terms, pick(" -a ", " -o "))+" 2>/dev/null; echo $?")
	}
	return lines
}

// readLines split generated input by generated IFS.
func readLines(count int) []string {
	pick, n := picker(2)
	var lines []string
	for range count {
		input := ""
		for range n(9) {
			input += pick("a", "b", " ", " ", ":", ":", ",", `\`, `\ `, `\:`, "\t", "xy")
		}
		ifs := pick("IFS=: ", "IFS=', ' ", "", "IFS= ", "IFS=' :' ", `IFS=$'\t:' `, "IFS=, ")
		flags := pick("", "-r ", "", "-n 3 ", "-d , ", "-N 2 ", "-r -d : ")
		lines = append(lines, fmt.Sprintf("printf '%%s\\n' %s | { %sread %sx y; c=$?; printf '%%s<%%s><%%s>' $c \"$x\" \"$y\" | tr '\\n' '|'; echo; }", shellQuote(input), ifs, flags))
	}
	// tr is not there in the evaluator's tests: the newline is replaced by an expansion.
	for i := range lines {
		lines[i] = strings.Replace(lines[i], `printf '%s<%s><%s>' $c "$x" "$y" | tr '\n' '|'; echo;`, `printf '%s<%s><%s>\n' $c "${x//$'\n'/|}" "${y//$'\n'/|}";`, 1)
	}
	for range count / 3 {
		input := ""
		for range n(9) {
			input += pick("a", " ", ":", `\ `, "b", "::", "  ")
		}
		lines = append(lines, fmt.Sprintf("printf '%%s\\n' %s | { %sread %s-a w; echo \"$? ${#w[@]} ${w[*]@Q}\"; }", shellQuote(input), pick("IFS=: ", "", "IFS=' :' "), pick("", "-r ")))
	}
	return lines
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

const getoptsSetup = `try() { local OPTIND=1 o s=$1; shift; while getopts "$s" o 2>/dev/null; do printf '%s[%s]%s ' "$o" "${OPTARG-unset}" "$OPTIND"; done; echo "$? $o $OPTIND"; }
`

func getoptsLines(count int) []string {
	pick, n := picker(3)
	var lines []string
	for range count {
		words := []string{"try", pick("ab:c", ":ab:c", "a", ":b:", "abc", "b:a:")}
		for range n(6) {
			words = append(words, pick("-a", "-b", "-c", "-ab", "-abc", "-bval", "-x", "--", "-", "word", "''", "-cax", "-"+pick("a", "b", "c", "z")+pick("a", "b", "z")))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

func echoLines(count int) []string {
	pick, n := picker(4)
	var lines []string
	for range count {
		words := []string{"echo"}
		for range n(3) {
			words = append(words, pick("-n", "-e", "-E", "-ne", "-en", "-x", "--", "-", "-eE", "-nn"))
		}
		for range n(4) {
			w := ""
			for range n(4) {
				w += pick("a", `\t`, `\n`, `\\`, `\0101`, `\101`, `\x41`, `\c`, `\u00e9`, `\q`, " ", `\0`, `\e`, "é", `\x`, `\08`)
			}
			words = append(words, shellQuote(w))
		}
		lines = append(lines, "v=$("+strings.Join(words, " ")+"; echo .) 2>/dev/null; printf '%q\\n' \"$v\"")
	}
	return lines
}

// declareLines are sequences of declarations whose end is printed.
func declareLines(count int) []string {
	pick, n := picker(5)
	var lines []string
	for range count {
		var steps []string
		for range 1 + n(4) {
			name := pick("x", "x", "y")
			switch n(7) {
			case 0:
				steps = append(steps, name+pick("=", "+=")+pick("5", "aBc", "'a b'", "", "1+2"))
			case 1:
				steps = append(steps, name+pick("=", "+=")+pick("(1 2)", "()", "(aB)", "([3]=q)"))
			case 2:
				steps = append(steps, name+pick("[1]=z", "[0]+=w", "[2]=Q"))
			case 3:
				steps = append(steps, "unset "+pick(name, "-v "+name, "'"+name+"[1]'", "'"+name+"[0]'"))
			case 4:
				steps = append(steps, pick("export ", "readonly ", "export -n ")+name+pick("", "=7", "=k"))
			default:
				steps = append(steps, "declare "+pick("-i ", "-a ", "-l ", "-u ", "-x ", "+x ", "-r ", "-ai ", "+i ", "-lx ", "", "-A ", "+a ", "-au ")+name+pick("", "", "=4", "=mIx", "+=1", "=(7 8)"))
			}
		}
		lines = append(lines, "("+strings.Join(steps, "; ")+"; declare -p x y; echo $?) 2>/dev/null | { mapfile -t l; echo \"${l[*]}\"; }")
	}
	return lines
}
