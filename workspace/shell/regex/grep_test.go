package regex

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var record = flag.Bool("record", false, "record testdata/grep.txt anew with the grep of the system, GNU grep 3.8")

const recorded = "testdata/grep.txt"

// A line of the recorded file is: options, expression, text and what grep -ob says, all but
// the options quoted. Matches are "offset:text" joined by newlines; "error" stands for exit 2.
func TestMatchesAsGrep(t *testing.T) {
	t.Parallel()
	if *record {
		recordGrep(t)
	}
	f, err := os.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	n, failed := 0, 0
	for lines.Scan() {
		n++
		parts := strings.Split(lines.Text(), "\t")
		pattern, text, want := unquote(t, parts[1]), unquote(t, parts[2]), unquote(t, parts[3])
		if got := ours(parts[0], pattern, text); got != want {
			if failed++; failed <= 20 {
				t.Errorf("grep %s %q on %q:\n got %q\nwant %q", parts[0], pattern, text, got, want)
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d recorded cases", n)
	}
	if failed > 20 {
		t.Errorf("%d of %d cases failed", failed, n)
	}
}

func unquote(t *testing.T, s string) string {
	t.Helper()
	u, err := strconv.Unquote(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return u
}

// ours gives what grep -ob would write.
func ours(opts, pattern, text string) string {
	o := Options{}
	for _, c := range opts {
		switch c {
		case 'E':
			o.Syntax = Extended
		case 'P':
			o.Syntax = Perl
		case 'F':
			o.Syntax = Fixed
		case 'i':
			o.FoldCase = true
		case 'w':
			o.Word = true
		case 'x':
			o.Whole = true
		}
	}
	lined := o
	lined.Records, lined.Terminator = true, '\n'
	re, err := Compile(pattern, lined)
	if err != nil {
		return "error"
	}
	var out strings.Builder
	data := []byte(text + "\n")
	for at := 0; at < len(data); {
		from, to, ok, err := re.Record(data, at)
		if err != nil {
			return "error"
		}
		if !ok {
			break
		}
		line := data[from:to]
		for i := 0; i <= len(line); {
			start, end, ok, _ := re.Span(line, i)
			if !ok {
				break
			}
			if end > start {
				fmt.Fprintf(&out, "%d:%s\n", from+start, line[start:end])
				i = end
			} else {
				i = start + 1
			}
		}
		out.WriteString(".") // a line that matched
		at = to + 1
	}
	return out.String()
}

func recordGrep(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	var out bytes.Buffer
	for range 4000 {
		g := generator{r: r, syntax: "GEGEP"[r.IntN(5)]}
		opts := string(g.syntax)
		for _, c := range "iwx" {
			if r.IntN(8) == 0 {
				opts += string(c)
			}
		}
		pattern, text := g.alternatives(3), g.text()
		if re, err := Compile(pattern, Options{Syntax: g.language()}); err == nil && re.root.nullable() && strings.Contains(opts, "w") {
			continue // of -w with empty matches GNU's result depends on how it searches
		}
		want, ok := grepSays(t, opts, pattern, text)
		if ok {
			fmt.Fprintf(&out, "%s\t%q\t%q\t%q\n", opts, pattern, text, want)
		}
	}
	if err := os.WriteFile(recorded, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func grepSays(t *testing.T, opts, pattern, text string) (string, bool) {
	run := func(extra string) (string, bool) {
		cmd := exec.CommandContext(t.Context(), "grep", "-"+opts+extra, "-a", "-e", pattern)
		cmd.Env = []string{"LC_ALL=C.UTF-8"}
		cmd.Stdin = strings.NewReader(text + "\n")
		out, err := cmd.Output()
		if err != nil && cmd.ProcessState.ExitCode() != 1 {
			return "", false
		}
		return string(out), true
	}
	all, ok := run("ob")
	if !ok {
		return "error", true
	}
	matched, _ := run("n")
	var out strings.Builder
	at := 0
	for i, line := range strings.Split(text, "\n") {
		end := at + len(line)
		for all != "" {
			first, rest, _ := strings.Cut(all, "\n")
			digits, _, ok := strings.Cut(first, ":")
			if !ok {
				return "", false // a match over a line break, which grep -P has at times
			}
			offset, _ := strconv.Atoi(digits)
			if offset > end {
				break
			}
			out.WriteString(first + "\n")
			all = rest
		}
		if strings.Contains("\n"+matched, fmt.Sprintf("\n%d:", i+1)) {
			out.WriteString(".")
		}
		at = end + 1
	}
	return out.String(), true
}

// generator makes expressions and texts over a small alphabet.
type generator struct {
	r      *rand.Rand
	syntax byte
	open   int // groups that are closed
}

func (g *generator) language() Syntax {
	return map[byte]Syntax{'G': Basic, 'E': Extended, 'P': Perl}[g.syntax]
}

func (g *generator) operator(s string) string {
	if g.syntax == 'G' {
		return `\` + s
	}
	return s
}

func (g *generator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *generator) alternatives(depth int) string {
	s := g.sequence(depth)
	for g.r.IntN(5) == 0 {
		s += g.operator("|") + g.sequence(depth)
	}
	return s
}

func (g *generator) sequence(depth int) string {
	s := ""
	for range 1 + g.r.IntN(4) {
		atom := g.atom(depth)
		s += atom
		if strings.ContainsAny(atom[len(atom)-1:], "<>'`^$bB?+*") && len(atom) > 1 || atom == "^" || atom == "$" {
			continue // what is repeated there has no meaning that is worth having
		}
		switch g.r.IntN(10) {
		case 0:
			s += "*"
		case 1:
			s += g.operator(g.pick("+", "?"))
		case 2:
			if g.r.IntN(2) == 0 {
				s += g.operator("{") + g.pick("2", "1,", "1,2", "0", "2,3") + g.operator("}")
			}
		}
	}
	return s
}

func (g *generator) atom(depth int) string {
	switch n := g.r.IntN(30); {
	case n < 14:
		return g.pick("a", "b", "c", "é", "A", " ", "1", "_")
	case n < 16:
		return "."
	case n < 17:
		return g.pick("^", "$", "^", "$", `\*`, "}", "]", "-", ",")
	case n < 21:
		return g.pick("[ab]", "[^a]", "[a-c]", "[[:alpha:]]", "[^[:space:]b]", "[]a]", "[^]-]", "[[:upper:]1]", "[éb]", "[[:digit:]_]", "[a-]")
	case n < 25 && depth > 0:
		s := g.operator("(") + g.alternatives(depth-1) + g.operator(")")
		g.open++
		return s
	case n < 28:
		if g.syntax == 'P' {
			return g.pick(`\d`, `\w`, `\s`, `\b`, `\B`, "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?:ab|a)", "(?>a*)", "a*?", "[ab]+?", "a++", `\x61`, "(?i:b)", `\Qa.\E`)
		}
		return g.pick(`\w`, `\W`, `\s`, `\S`, `\b`, `\B`, `\<`, `\>`, "\\`", `\'`, `\.`, `\*`)
	case n < 29 && g.open > 0:
		return `\1`
	}
	return "ab"
}

func (g *generator) text() string {
	s := ""
	for range g.r.IntN(14) {
		s += g.pick("a", "b", "c", "ab", "aa", "é", "É", "A", "B", " ", "1", "_", "-", "*", ".", "\n", "]")
	}
	return s
}
