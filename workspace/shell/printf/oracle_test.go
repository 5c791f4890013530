package printf_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/printf"
)

var update = flag.Bool("update", false, "record the answers of the bash of this machine")

// seed makes the generated cases the same in every run; it is printed with a failure.
const seed = 20260101

type trial struct {
	format string
	args   []string
	out    string
	code   int
	err    bool
}

// fixed are cases that are worth naming; the generator adds the breadth.
func fixed() []trial {
	var all []trial
	add := func(format string, args ...string) { all = append(all, trial{format: format, args: args}) }
	for _, number := range []string{"0", "-0", "7", "-7", "+7", "010", "08", "0x1F", "0X1f", "0x", "0b1", "3x", " 3", "3 ", "", "-", "'a", "\"é", "'", "99999999999999999999", "-99999999999999999999", "0xffffffffffffffff", "1.5", "1e3", "abc", "9223372036854775807", "-9223372036854775808", "'\xff"} {
		for _, verb := range []string{"d", "i", "u", "o", "x", "X", "#x", "#o", "+d", " d", "05d", "-5d|", "8.3d", ".0d", "f", "e", "g"} {
			add("%"+verb, number)
		}
	}
	for _, number := range []string{"0", "-0", "1", "0.1", "2.675", "0.5", "1.5", "2.5", "1e400", "1e5000", "1e-5000", "inf", "-inf", "nan", "-nan", "INFINITY", "nan(1)", "0x1.8p3", "0x.8", "1e", "1e+", ".5", "5.", ".", "3.14159", "123456789.987654321", "1e15", "1e16", "1e-5", "0.0001", "99999.95", "999999.4", "0.1e1", "1_0", "1 2", "00012.5", "1e0000001", "0x1p99999"} {
		for _, verb := range []string{"f", "F", "e", "E", "g", "G", "a", "A", ".0f", ".1f", ".2f", ".20f", ".3g", "#g", "#.0f", "#.0e", "012.3f", "-12.3f|", "+.3e", "12g", ".10a", ".0a", "Lf"} {
			add("%"+verb, number)
		}
	}
	for _, escape := range []string{`\a\b\e\E\f\n\r\t\v\\`, `\'\"\?`, `\0`, `\08`, `\1234`, `\01234`, `\x41\x4g\x`, `\u41\u00e9\U1F600\u`, `\q\`, `a\cb`, `\ud800`, `\xZ`, `\U110000`, `\400`, `\0400`} {
		add(escape)
		add("%b|", escape)
		add("%20b|%-20b|%.3b", escape, escape, escape)
	}
	add("%s %s\n", "a", "b", "c")
	add("x\n", "a", "b")
	add("%s-%d\n", "a", "1", "b", "2", "c")
	add("%*d|%-*d|%.*f|%*.*f", "5", "3", "-5", "3", "2", "3.14159", "8", "2", "2.5")
	add("%.*d|", "-1", "3")
	add("%*d", "x", "3")
	add("%*s|")
	add("%.s|%.3s|%10.3s|%5s|%-5s|", "abc", "abcdef", "abcdef", "é", "é")
	add("%")
	add("a%z")
	add("a%yb", "1")
	add("%1$s", "a")
	add("%c%c|%3c|%-3c|%c", "abc", "", "x", "y")
	add("%5%|")
	add("%%|%d%%", "50")
	add("%b%s|", `x\c`, "y", "z")
	add("%hd %ld %lld %jd %zd %td %hhd", "1", "2", "3", "4", "5", "6", "300")
	add("%'d", "1000000")
	add("")
	add("%(%Y-%m-%d %H:%M:%S)T|%()T|%10(%Y)T|%.2(%Y)T|%(%N)T|%(a%%)T", "86400", "0", "0", "0", "0", "0")
	add("%(%Y)T", "x")
	return all
}

// generated makes random directives with random arguments.
func generated(n int) []trial {
	rnd := rand.New(rand.NewPCG(seed, 1))
	pick := func(of []string) string { return of[rnd.IntN(len(of))] }
	values := []string{"0", "1", "-1", "42", "-17", "007", "0xff", "3.75", "-2.5e3", "1e-7", "hello", "a b", "", "it's", "x\ty", "'A", "é", "12abc", "123456789", "0.1", `\n`, `\x41`, `a\tb`, "*"}
	literals := []string{"", " ", "|", "a", "\n", `\t`, `\\`, "%%", `\101`, `\x42`, "-"}
	var all []trial
	for range n {
		t := trial{}
		for range 1 + rnd.IntN(3) {
			t.format += pick(literals) + "%"
			for range rnd.IntN(3) {
				t.format += pick([]string{"-", "+", " ", "0", "#"})
			}
			t.format += pick([]string{"", "", "5", "12", "1"})
			t.format += pick([]string{"", "", ".", ".0", ".2", ".7"})
			t.format += pick([]string{"s", "d", "i", "u", "o", "x", "X", "f", "e", "g", "G", "E", "a", "c", "b", "s", "d"})
		}
		t.format += pick(literals)
		for range rnd.IntN(5) {
			t.args = append(t.args, pick(values))
		}
		all = append(all, t)
	}
	return all
}

const recorded = "testdata/bash.txt"

// TestAsBash compares with what bash answered.
func TestAsBash(t *testing.T) {
	t.Parallel()
	if *update {
		record(t, append(fixed(), generated(3000)...))
	}
	for _, c := range read(t) {
		out, code, bad := print(c.format, c.args)
		if out != c.out || code != c.code || bad != c.err {
			t.Errorf("printf %q %q (seed %d): %q, code %d, error %v; bash: %q, code %d, error %v", c.format, c.args, seed, out, code, bad, c.out, c.code, c.err)
		}
	}
}

// print is how the builtin calls the package, without names of zones.
func print(format string, args []string) (out string, code int, bad bool) {
	p := printf.Printer{Error: func(string) { bad = true }, Quote: strconv.Quote, Time: clock, Count: func(string, int) bool { return true }}
	code, err := p.Print(format, args)
	if err != nil {
		panic(err)
	}
	return string(p.Out), code, bad
}

func record(t *testing.T, trials []trial) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("-update needs bash: ", err)
	}
	const mark = "\x01\x02end\x02\x01"
	var script bytes.Buffer
	for _, c := range trials {
		fmt.Fprintf(&script, "printf -- %s", quote(c.format))
		for _, arg := range c.args {
			fmt.Fprintf(&script, " %s", quote(arg))
		}
		fmt.Fprintf(&script, " 2>err; c=$?; printf '%s%%d %%d%s' $c $([ -s err ] && echo 1 || echo 0)\n", mark, mark)
	}
	cmd := exec.CommandContext(t.Context(), bash, "-s")
	cmd.Dir, cmd.Env, cmd.Stdin = t.TempDir(), []string{"LC_ALL=C.UTF-8", "TZ=UTC", "PATH=" + os.Getenv("PATH")}, &script
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(out), mark)
	if len(parts) != 2*len(trials)+1 {
		t.Fatalf("%d answers for %d cases", len(parts)/2, len(trials))
	}
	var file bytes.Buffer
	for i, c := range trials {
		fmt.Fprintf(&file, "%s %q %q", parts[2*i+1], c.format, parts[2*i])
		for _, arg := range c.args {
			fmt.Fprintf(&file, " %q", arg)
		}
		file.WriteByte('\n')
	}
	if err := os.MkdirAll(filepath.Dir(recorded), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recorded, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func read(t *testing.T) []trial {
	t.Helper()
	f, err := os.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []trial
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c trial
		bad := 0
		line := lines.Text()
		if _, err := fmt.Sscanf(line, "%d %d", &c.code, &bad); err != nil {
			t.Fatal(line, err)
		}
		c.err = bad == 1
		_, line, _ = strings.Cut(line, " ")
		_, line, _ = strings.Cut(line, " ")
		words := []string{}
		for line != "" {
			word, err := strconv.QuotedPrefix(line)
			if err != nil {
				t.Fatal(line, err)
			}
			line = strings.TrimPrefix(line[len(word):], " ")
			text, err := strconv.Unquote(word)
			if err != nil {
				t.Fatal(word, err)
			}
			words = append(words, text)
		}
		c.format, c.out, c.args = words[0], words[1], words[2:]
		all = append(all, c)
	}
	if len(all) == 0 {
		t.Fatal("no recorded cases")
	}
	return all
}
