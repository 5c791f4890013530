package shell_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func capture(s string) shell.Capture { return shell.Keep(128<<10, []byte(s)) }

func TestText(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		o    shell.Outcome
		want string
	}{
		"nothing":          {shell.Outcome{Kind: shell.Exited}, "exit code 0\n(no output)"},
		"a code alone":     {shell.Outcome{Kind: shell.Exited, Code: 7}, "exit code 7\n(no output)"},
		"output":           {shell.Outcome{Kind: shell.Exited, Stdout: capture("a\nb\n")}, "exit code 0\na\nb\n"},
		"errors":           {shell.Outcome{Kind: shell.Exited, Code: 1, Stderr: capture("bash: no\n")}, "exit code 1\nbash: no\n"},
		"both":             {shell.Outcome{Kind: shell.Exited, Code: 1, Stdout: capture("a\n"), Stderr: capture("e\n")}, "exit code 1\na\nstderr:\ne\n"},
		"both, no newline": {shell.Outcome{Kind: shell.Exited, Stdout: capture("a"), Stderr: capture("e")}, "exit code 0\na\nstderr:\ne"},
		"a reason":         {shell.Outcome{Kind: shell.Failed, Reason: "It failed."}, "It failed.\n(no output)"},
		"a reason and all": {
			shell.Outcome{Kind: shell.TimedOut, Reason: "Too long.", OpenForWriting: []string{"output/a"}, Stdout: capture("x\n")},
			"Too long.\n/output/a was open for writing and may be incomplete.\nx\n",
		},
		"escapes":       {shell.Outcome{Kind: shell.Exited, Stdout: capture("\x1b[31mred\t\r\n\x00\x7f\u0085")}, "exit code 0\n\\x1b[31mred\t\\x0d\n\\x00\\x7f\\u0085"},
		"no UTF-8":      {shell.Outcome{Kind: shell.Exited, Stdout: capture("a\xff\xfeb\xe2\x82 €")}, "exit code 0\na\ufffd\ufffdb\ufffd\ufffd €"},
		"U+FFFD itself": {shell.Outcome{Kind: shell.Exited, Stdout: capture("\ufffd")}, "exit code 0\n\ufffd"},
		"a cut":         {shell.Outcome{Kind: shell.Exited, Stdout: shell.Keep(8, []byte("abcdefghij"))}, "exit code 0\nabcd\n[2 characters are left out here. To keep all of it, redirect it into a file, as in: COMMAND > /scratch/out.txt]\nghij"},
		"a cut of one":  {shell.Outcome{Kind: shell.Exited, Stderr: shell.Keep(8, []byte("abc\nefghi"))}, "exit code 0\nabc\n[1 character is left out here. To keep all of it, redirect it into a file, as in: COMMAND 2> /scratch/out.txt]\nfghi"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := shell.Text(row.o); got != row.want {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}

// Exactly the bound, one below and one above it, with a character of several bytes on the
// cut.
func TestCaptureAtItsBound(t *testing.T) {
	t.Parallel()
	const bound = 128 << 10
	for name, row := range map[string]struct {
		text       string
		left       int64
		head, tail int
	}{
		"one below":               {strings.Repeat("x", bound-1), 0, bound / 2, bound/2 - 1},
		"exactly":                 {strings.Repeat("x", bound), 0, bound / 2, bound / 2},
		"exactly, across the cut": {strings.Repeat("x", bound/2-1) + "€" + strings.Repeat("x", bound/2-2), 0, bound / 2, bound / 2},
		"one above":               {strings.Repeat("x", bound+1), 1, bound / 2, bound / 2},
		"one above, in the head":  {strings.Repeat("x", bound/2-1) + "€" + strings.Repeat("x", bound/2-1), 1, bound/2 - 1, bound/2 - 1},
		"in the tail":             {strings.Repeat("x", bound/2) + "y€" + strings.Repeat("x", bound/2-2), 2, bound / 2, bound/2 - 2},
		"four bytes each":         {strings.Repeat("𝄞", bound/4+1), 1, bound / 2, bound / 2},
		"four bytes, shifted":     {"x" + strings.Repeat("𝄞", bound/4) + "yz", 2, bound/2 - 3, bound/2 - 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := shell.Keep(bound, []byte(row.text))
			if got.Left != row.left || len(got.Head) != row.head || len(got.Tail) != row.tail {
				t.Errorf("left %d, head %d, tail %d, want %d, %d, %d", got.Left, len(got.Head), len(got.Tail), row.left, row.head, row.tail)
			}
			if got.Chars != int64(utf8.RuneCountInString(row.text)) || got.Bytes != int64(len(row.text)) {
				t.Errorf("%d characters in %d bytes", got.Chars, got.Bytes)
			}
			whole := string(got.Head) + string(got.Tail)
			if got.Left == 0 && whole != row.text {
				t.Error("what was kept is not all of it")
			}
			if got.Left > 0 && (!utf8.Valid(got.Head) || !utf8.Valid(got.Tail)) {
				t.Error("a character was cut")
			}
		})
	}
}

// However a stream is cut into writes, the same is kept, and the counts add up.
func TestCaptureInPieces(t *testing.T) {
	t.Parallel()
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	alphabet := []string{"a", "\n", "é", "€", "𝄞", "\xff", "\x80", "\xe2\x82", "\xf0\x9d"}
	for range 500 {
		var text []byte
		for range random.IntN(60) {
			text = append(text, alphabet[random.IntN(len(alphabet))]...)
		}
		kept := 2 * (1 + random.IntN(20))
		whole := shell.Keep(kept, text)
		var pieces [][]byte
		for rest := text; len(rest) > 0; {
			n := 1 + random.IntN(min(len(rest), 9))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		got := shell.Keep(kept, pieces...)
		if !bytes.Equal(got.Head, whole.Head) || !bytes.Equal(got.Tail, whole.Tail) || got.Left != whole.Left || got.Chars != whole.Chars {
			t.Fatalf("seed %d: %q keeping %d in pieces %q: %+v, at once %+v", seed, text, kept, pieces, got, whole)
		}
		if whole.Chars != int64(utf8.RuneCount(text)) {
			t.Fatalf("seed %d: %q has %d characters", seed, text, whole.Chars)
		}
		middle := text[len(whole.Head) : len(text)-len(whole.Tail)]
		if !bytes.HasPrefix(text, whole.Head) || !bytes.HasSuffix(text, whole.Tail) || whole.Left != int64(utf8.RuneCount(middle)) {
			t.Fatalf("seed %d: %q keeping %d: %+v", seed, text, kept, whole)
		}
	}
}

func TestStructured(t *testing.T) {
	t.Parallel()
	o := shell.Outcome{
		Kind: shell.Failed, Code: 9, Stdout: shell.Keep(8, []byte("abcdefghij")), Stderr: capture("é"), Duration: 1_500_000,
		Limit: &limits.Hit{Name: "loops", Value: 10, Unit: "loop iterations"},
	}
	data, err := json.Marshal(shell.Structured(o, nil))
	want := `{"exitCode":null,"outputTruncated":true,"stdoutChars":10,"stderrChars":1,"durationMs":1,` +
		`"limit":{"name":"loops","value":10,"unit":"loop iterations"},"changed":{"created":[],"modified":[],"deleted":[]}}`
	if string(data) != want || err != nil {
		t.Errorf("%s, %v", data, err)
	}
}

func TestCheckCommand(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ command, want string }{
		"good":      {" echo hi ", ""},
		"blank":     {" \n\t", "command is blank"},
		"exactly":   {strings.Repeat("x", 128<<10), ""},
		"one above": {strings.Repeat("x", 128<<10+1), "command has 131,073 bytes, the most is 131,072; write it into a script file"},
	} {
		err := shell.CheckCommand(row.command, limits.Limits{})
		if (err == nil) != (row.want == "") || err != nil && (!strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "tool.invalid_arguments")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
