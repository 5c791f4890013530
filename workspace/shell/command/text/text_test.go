package text

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/commandtest"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What the real tools do with every option is in the cases of testdata (grep-, sort- and
// text-); here is what they cannot show: texts, and what only this shell has.
func TestCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "one\ntwo\nthree\n")
	for _, c := range []struct {
		name, args, in string
		out, err       string
		code           int
	}{
		{"a missing file", "cat nofile", "", "", "cat: nofile: No such file or directory\n", 1},
		{"a directory", "cat /", "", "", "cat: /: Is a directory\n", 1},
		{"an unknown option", "cat --frob", "", "", "cat: unrecognized option '--frob'\nTry 'cat --help' for more information.\n", 1},
		{"an unknown letter", "head -y", "", "", "head: invalid option -- 'y'\nTry 'head --help' for more information.\n", 1},
		{"head: not a number", "head -n x", "", "", "head: invalid number of lines: 'x'\n", 1},
		{"tail does not follow", "tail -f f", "", "", "tail: -f is not supported: no other program writes to the files while a call runs. Read the end of the file with tail -n, and look again in a later call\n", 1},
		{"tail does not follow by name", "tail -F f", "", "", "tail: -f is not supported: no other program writes to the files while a call runs. Read the end of the file with tail -n, and look again in a later call\n", 1},
		{"sort: a missing file", "sort nofile", "", "", "sort: cannot read: nofile: No such file or directory\n", 2},
		{"sort: out of order", "sort -c", "b\na\n", "", "sort: -:2: disorder: a\n", 1},
		{"sort: a bad key", "sort -k 0", "", "", "sort: field number is zero: invalid field specification '0'\n", 2},
		{"sort: flags that exclude each other", "sort -nM", "", "", "sort: options '-Mn' are incompatible\n", 2},
		{"sort: a source that is too short", "sort -R --random-source=f f", "", "", "sort: f: end of file\n", 2},
		{"uniq: a bad count", "uniq -f x", "", "", "uniq: invalid number of fields to skip: 'x'\n", 1},
		{"cut: no list", "cut -s", "", "", "cut: you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.\n", 1},
		{"tr: sets that are missing", "tr a", "", "", "tr: missing operand after 'a'\nTwo strings must be given when translating.\nTry 'tr --help' for more information.\n", 1},
		{"grep: no pattern", "grep", "", "", "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", 2},
		{"grep: an unknown option", "grep --frob x", "", "", "grep: unrecognized option '--frob'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", 2},
		{"grep: a bad pattern", "grep [a", "", "", "grep: Unmatched [, [^, [:, [., or [=\n", 2},
		{"grep: a missing file", "grep x nofile", "", "", "grep: nofile: No such file or directory\n", 2},
		{"grep: a directory", "grep x /", "", "", "grep: /: Is a directory\n", 2},
		{"grep: binary", "grep a", "a\x00\n", "", "grep: (standard input): binary file matches\n", 0},
		{"egrep", "egrep tw|th", "two\none\n", "two\n", "", 0},
		{"fgrep", "fgrep t.o", "two\nt.o\n", "t.o\n", "", 0},
		{"join: a bad file number", "join -a 3 f f", "", "", "join: invalid file number: '3'\nTry 'join --help' for more information.\n", 1},
		{"comm: not sorted", "comm f -", "two\n", "one\n\t\ttwo\nthree\n", "comm: file 1 is not in sorted order\ncomm: input is not in sorted order\n", 1},
		{"column: an unknown name", "column -t -R x", "a\n", "", "column: undefined column name 'x'\n", 1},
		{"od: an address that is none", "od -A q", "", "", "od: invalid output address radix 'q'; it must be one character from [doxn]\n", 1},
		{"od: a part that is not there", "od -S", "", "", "od: -S is not supported; use the command strings\n", 1},
		{"seq: not a number", "seq x", "", "", "seq: invalid floating point argument: 'x'\nTry 'seq --help' for more information.\n", 1},
		{"numfmt: not a number", "numfmt x", "", "", "numfmt: invalid number: 'x'\n", 2},
		{"expr: division by zero", "expr 1 / 0", "", "", "expr: division by zero\n", 2},
		{"expr: no number", "expr a + 1", "", "", "expr: non-integer argument\n", 2},
		{"echo", `echo -e a\tb\x41\0101\c`, "", "a\tbAA", "", 0},
		{"echo keeps other options", "echo -x -n", "", "-x -n\n", "", 0},
		{"printf", "printf %s-%03d\\n a 7 b", "", "a-007\nb-000\n", "", 0},
		{"printf without a format", "printf", "", "", "printf: missing operand\nTry 'printf --help' for more information.\n", 1},
		{"strings of another width", "strings -e l f", "", "", "strings: encoding l is not supported\n", 1},
		{"tee to a directory", "tee /", "x", "x", "tee: /: Is a directory\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, errOut, code := commandtest.Run(t, Commands(), dir, strings.Fields(c.args), c.in)
			if out != c.out || errOut != c.err || code != c.code {
				t.Errorf("%s\n got %q %q %d\nwant %q %q %d", c.args, out, errOut, code, c.out, c.err, c.code)
			}
		})
	}
}

func TestTheSameSourceGivesTheSameOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 50 {
		write(t, dir, "source", strings.Repeat(string([]byte{'A' + byte(i), '0' + byte(i)}), 4096))
		for _, args := range []string{"sort -R --random-source=source", "shuf --random-source=source", "shuf -i 1-4000000000 -n 3 --random-source=source"} {
			first, _, code := commandtest.Run(t, Commands(), dir, strings.Fields(args), "one\ntwo\nthree\n")
			second, _, _ := commandtest.Run(t, Commands(), dir, strings.Fields(args), "one\ntwo\nthree\n")
			if code != 0 || first != second || strings.Count(first, "\n") != 3 {
				t.Errorf("%s: %d %q and %q", args, code, first, second)
			}
		}
	}
}

func TestEachCommandHasHelp(t *testing.T) {
	t.Parallel()
	for _, cmd := range Commands() {
		if cmd.Name == "echo" {
			continue // it writes its arguments
		}
		out, _, code := commandtest.Run(t, Commands(), t.TempDir(), []string{cmd.Name, "--help"}, "")
		if code != 0 || !strings.HasPrefix(out, "Usage: "+cmd.Name) {
			t.Errorf("%s: %d %q", cmd.Name, code, out)
		}
	}
}

// brokenPipe takes one write.
type brokenPipe struct{ wrote bool }

func (b *brokenPipe) Write(p []byte) (int, error) {
	if b.wrote {
		return 0, syscall.EPIPE
	}
	b.wrote = true
	return len(p), nil
}

// endless gives lines for ever and counts them.
type endless struct{ reads int }

func (e *endless) Read(p []byte) (int, error) {
	e.reads++
	return copy(p, strings.Repeat("line\n", 1000)), nil
}

func TestCommandsStopWhenTheirReaderIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range []string{
		"yes", "seq 1000000000000", "seq 1 inf", "cat", "cat -n", "tee f", "tr a b", "cut -c1", "grep line", "grep -v x", "grep -o l", "head -n -1", "tail -n +1",
		"fold", "nl", "rev", "uniq -D", "paste -", "paste -s", "shuf -r -e a", "od -v", "strings", "numfmt --invalid=ignore", "uniq --group", "column -t nofile",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			code := commandtest.Kit{Commands: Commands(), Dir: dir}.Exec(t.Context(), t, command.Nested{Args: strings.Fields(args), In: &endless{}, Out: &brokenPipe{}})
			if code != 141 && args != "column -t nofile" {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func TestCommandsStopWhenTheCallEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range []string{"yes", "seq 1 inf", "wc", "sort", "tac", "tail", "tail -n 2", "uniq -c", "grep x", "grep -c x", "cat", "head -c -1", "shuf", "strings -n 99", "column -t", "comm -12 - /dev/null", "join - /dev/null"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			in := readerFunc(func(p []byte) (int, error) {
				cancel() // from now on the input goes on without end
				return copy(p, "line\n"), nil
			})
			out := writerFunc(func(p []byte) (int, error) {
				cancel()
				return len(p), nil
			})
			commandtest.Kit{Commands: Commands(), Dir: dir}.Exec(ctx, t, command.Nested{Args: strings.Fields(args), In: in, Out: out})
		})
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestReadErrorsAreTold(t *testing.T) {
	t.Parallel()
	broken := func() io.Reader {
		return io.MultiReader(strings.NewReader("a\n"), readerFunc(func([]byte) (int, error) { return 0, errors.New("broken") }))
	}
	for _, args := range []string{"cat", "cat -n", "head", "head -c 9", "tail", "tee f", "wc", "sort", "uniq", "cut -c1", "tr a b", "grep a", "paste", "fold", "nl", "tac", "rev", "shuf", "od", "strings", "column -t"} {
		var errOut strings.Builder
		code := commandtest.Kit{Commands: Commands(), Dir: t.TempDir()}.Exec(t.Context(), t, command.Nested{Args: strings.Fields(args), In: broken(), Err: &errOut})
		if code == 0 || !strings.Contains(errOut.String(), "broken") {
			t.Errorf("%s: exit code %d, %q", args, code, errOut.String())
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		write(t, dir, "d/"+name, "x\n")
	}
	kit := commandtest.Kit{Commands: Commands(), Dir: dir, Limits: limits.Limits{Walk: 2, Backtracks: 1000, Regex: 4096, Variable: 1 << 16}}
	for _, c := range []struct{ name, args, in, want string }{
		{"files of a walk", "grep -r x d", "", "the limit walk was reached: 2 files visited"},
		{"steps of a match", `grep -P (a*)*b(?=c)`, strings.Repeat("a", 100), "exceeded the limit of backtracking steps"},
		{"size of a program", "grep -E a{1000}", "", "Regular expression too big"},
		{"length of a line", "rev", strings.Repeat("a", 1<<18), "line too long"},
		{"length of a line of grep", "grep b", strings.Repeat("a", 1<<18), "line too long"},
	} {
		_, errOut, code := kit.Run(t, strings.Fields(c.args), c.in)
		if code == 0 || !strings.Contains(errOut, c.want) {
			t.Errorf("%s: %d %q", c.name, code, errOut)
		}
	}
}

func TestColumnTakesTheWidthOfTheEnvironment(t *testing.T) {
	t.Parallel()
	kit := commandtest.Kit{Commands: Commands(), Dir: t.TempDir(), Env: []string{"COLUMNS=16"}}
	if out, _, _ := kit.Run(t, []string{"column"}, "1\n2\n3\n4\n"); out != "1\t3\n2\t4\n" {
		t.Errorf("got %q", out)
	}
}

func TestHeadLeavesTheRestOfAFile(t *testing.T) {
	t.Parallel()
	in := strings.NewReader("1\n2\n3\n")
	kit := commandtest.Kit{Commands: Commands(), Dir: t.TempDir()}
	if code := kit.Exec(t.Context(), t, command.Nested{Args: []string{"head", "-n1"}, In: in}); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if rest, _ := io.ReadAll(in); string(rest) != "2\n3\n" {
		t.Errorf("left %q", rest)
	}
}
