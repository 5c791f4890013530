package cli

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/seed-cf6d8d1b/swarm"
)

// TestDiffOnATerminal holds that a terminal gets colours, unless they are not wanted, and
// never what could steer it; and that no terminal gets the exact bytes.
func TestDiffOnATerminal(t *testing.T) {
	t.Parallel()
	d := &swarm.FileDiff{Path: "output/a", Change: "changed", By: "root",
		Diff: "--- a/output/a\n+++ b/output/a\n@@ -1 +1 @@\n-old\n+new\t\x1b[2J\u202e\r\n same\n"}
	plain := "diff output/a: changed by root\n--- a/output/a\n+++ b/output/a\n@@ -1 +1 @@\n-old\n+new\t\\x1b[2J<U+202E>\\x0d\n same\n"
	for _, row := range []struct {
		name, want string
		env        map[string]string
	}{
		{"colours", "\x1b[1mdiff output/a: changed by root\x1b[m\n\x1b[1m--- a/output/a\x1b[m\n\x1b[1m+++ b/output/a\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n" +
			"\x1b[31m-old\x1b[m\n\x1b[32m+new\t\\x1b[2J<U+202E>\\x0d\x1b[m\n same\n", map[string]string{"TERM": "xterm"}},
		{"NO_COLOR", plain, map[string]string{"TERM": "xterm", "NO_COLOR": "1"}},
		{"empty NO_COLOR counts as unset", "\x1b[1mdiff", map[string]string{"TERM": "xterm", "NO_COLOR": ""}},
		{"dumb", plain, map[string]string{"TERM": "dumb"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ours, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()
			a := &app{out: tty, env: func(name string) (string, bool) { v, ok := row.env[name]; return v, ok }}
			read := make(chan string)
			go func() {
				var b strings.Builder
				_, _ = io.Copy(&b, bufio.NewReader(ours)) // ends with an error when the terminal is closed
				read <- strings.ReplaceAll(b.String(), "\r\n", "\n")
			}()
			if err := a.fileDiff(d); err != nil {
				t.Error(err)
			}
			if err := tty.Close(); err != nil {
				t.Error(err)
			}
			if got := <-read; got != row.want && (row.name[0] != 'e' || !strings.HasPrefix(got, row.want)) {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
	var out bytes.Buffer
	a := &app{out: &out, env: func(string) (string, bool) { return "", false }}
	if err := a.fileDiff(d); err != nil {
		t.Error(err)
	}
	if want := "diff output/a: changed by root\n" + d.Diff; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
