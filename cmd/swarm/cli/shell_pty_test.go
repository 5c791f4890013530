//go:build linux || darwin

package cli

import (
	"strings"
	"testing"
)

// On a terminal the shell asks for one line after the other, keeps its state, and shows
// control characters as escapes.
func TestShellPrompt(t *testing.T) {
	t.Parallel()
	p := onPty(t, t.TempDir(), terminalOptions{}, "shell")
	shows := func(text string) {
		t.Helper()
		p.when(text, func() bool { return strings.Contains(p.raw.String(), text) })
	}
	shows("$ ")
	for _, step := range []struct{ line, shows string }{
		{"x=5; echo first", "first\r\n$ "},
		{"for i in 1 2; do", "do\r\n> "},
		{"echo $i of $x", "> "},
		{"done", "2 of 5\r\n$ "},
		{"read y", "read y\r\n"},
		{"typed", "typed\r\n$ "},
		{`printf "[$y] \e[31mred\n"`, "[typed] \\x1b[31mred\r\n$ "},
		{"nope", "nope: command not found"},
	} {
		p.key(step.line + "\r")
		shows(step.shows)
	}
	p.key("exit 7\r")
	if got := p.end(7); strings.Contains(got, "\x1b[31m") {
		t.Errorf("a control character reached the terminal: %q", got)
	}
}
