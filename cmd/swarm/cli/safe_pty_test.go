//go:build linux || darwin

package cli

import (
	"strings"
	"testing"
)

// TestResultsAreSafe holds that what a model wrote does not steer the terminal, and comes
// to a pipe as it is.
func TestResultsAreSafe(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{
		"team.yaml": "version: 1\nname: n\nmodels: {default: {provider: scripted, script: s.yaml}}\n" +
			"agents: {lead: {prompt: x, tools: {allow: [workspace.write_file, workspace.commit, workspace.finish]}}}\n",
		"s.yaml": "version: 1\nagents:\n  lead:\n" +
			"    - {when: {turn: 1}, calls: [{workspace.write_file: {path: output/main.md, content: \"good\\e]0;title\\a\\e[2Jend\\nsecond\\n\"}}, {workspace.commit: {}}]}\n" +
			"    - calls: [{workspace.finish: {reason: done}}]\n",
	})
	const wild = "good\x1b]0;title\a\x1b[2Jend\nsecond\n"
	p := onPty(t, dir, terminalOptions{}, "run", ".", "x", "--quiet")
	text := p.end(exitDone)
	for _, bad := range []string{"\x1b]0;", "\x1b[2J"} {
		if strings.Contains(p.raw.String(), bad) {
			t.Errorf("the terminal got %q", bad)
		}
	}
	if !strings.Contains(text, `good\x1b]0;title\x07\x1b[2Jend`) || !strings.Contains(text, "second") {
		t.Errorf("the terminal shows\n%s", text)
	}
	q := onPty(t, dir, terminalOptions{piped: true}, "run", ".", "x", "--quiet")
	q.end(exitDone)
	if got := q.out.String(); got != wild {
		t.Errorf("the pipe got %q", got)
	}
	out := onPty(t, dir, terminalOptions{}, "run", ".", "x", "--quiet", "--out", "/dev/stdout")
	out.end(exitDone)
	if strings.Contains(out.raw.String(), "\x1b[2J") || !strings.Contains(out.raw.String(), `good\x1b]0;title`) {
		t.Errorf("the terminal got %q", out.raw.String())
	}
}
