package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// A team whose first model attempt is told to come back in minutes. After a pause the
// second one succeeds at once.
const (
	waitingTeam   = "version: 1\nname: waiting\nmodels: {default: {provider: scripted, script: waiting.script.yaml}}\nagents: {lead: {prompt: x}}\n"
	waitingScript = "version: 1\nagents:\n  lead:\n    - calls: [{workspace.finish: {}}]\n      fault: {status: 429, retry_after: 4m}\n"
)

// pausedRun leaves a run behind that can be resumed, and gives its id. meanwhile, which
// may be nil, is called while the run still has its owner.
func pausedRun(t *testing.T, dir string, meanwhile func()) string {
	t.Helper()
	for name, text := range map[string]string{"waiting.yaml": waitingTeam, "waiting.script.yaml": waitingScript} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := begin(t, dir, "model attempt 1 failed", "run", "waiting.yaml", "x")
	if meanwhile != nil {
		meanwhile()
	}
	p.signal(syscall.SIGTERM)
	p.end(exitPaused)
	return p.id
}

// commands calls do for every command that a user sees.
func commands(do func(cmd *cobra.Command, path string)) {
	a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard, env: func(string) (string, bool) { return "", false }}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Runnable() && !cmd.Hidden {
			do(cmd, strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "swarm"), " "))
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(a.root())
}

// TestExamples runs the examples of every command: all of them work. The id in them is
// that of a run that has ended, or for commands that steer runs of one that is paused.
func TestExamples(t *testing.T) {
	t.Parallel()
	dir, empty := t.TempDir(), t.TempDir()
	called(t, dir, 0, "init", "hello")
	called(t, dir, 0, "init")
	called(t, dir, 0, "run", ".", "Say hello", "--label", "ticket=17", "--quiet")
	ended, paused := newest(t, dir), pausedRun(t, dir, nil)
	id := regexp.MustCompile(`\brun_01\b`)
	commands(func(cmd *cobra.Command, _ string) {
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSpace(line)
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				from, run := dir, ended
				if cmd.GroupID == groupRun {
					run = paused
				}
				if strings.HasPrefix(line, "swarm init") {
					from = empty
				}
				own := t.TempDir()
				if err := os.CopyFS(own, os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
				sh := exec.CommandContext(t.Context(), "sh", "-c", id.ReplaceAllString(line, run))
				sh.Dir = own
				if out, err := sh.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	})
}

// TestHelpIsWhole holds what the help of every command has.
func TestHelpIsWhole(t *testing.T) {
	t.Parallel()
	read := regexp.MustCompile(`(?m)^Read on: (\S+)$`)
	var paths []string
	commands(func(cmd *cobra.Command, path string) {
		paths = append(paths, path)
		if cmd.Short == "" || strings.ContainsAny(cmd.Short, "\n") || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: its purpose is no line without a full stop: %q", path, cmd.Short)
		}
		if cmd.Example == "" && cmd.Name() != "completion" && cmd.Parent() != nil && cmd.Parent().Name() != "completion" {
			t.Errorf("%s has no example", path)
		}
		var out strings.Builder
		cmd.SetOut(&out)
		cmd.InitDefaultHelpFlag()
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, part := range []string{"Usage:\n  swarm", "\nExit codes", "\n  0    "} {
			if !strings.Contains(text, part) {
				t.Errorf("the help of %q lacks %q", path, part)
			}
		}
		m := read.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("the help of %q does not say where to read on", path)
		}
		if _, err := os.Stat(filepath.Join("..", "..", "..", filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("the help of %q sends to what is not there: %v", path, err)
		}
	})
	for path := range afterwords {
		if !slices.Contains(paths, path) {
			t.Errorf("there is no command %q", path)
		}
	}
}

// TestExitCodesAreDocumented holds that help and docs/operations.md say the same.
func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| exit code | meaning |\n|---|---|\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&want, "| %d | %s |\n", e.code, e.meaning)
	}
	if !strings.Contains(string(page), want.String()+"\n") {
		t.Errorf("docs/operations.md does not have this table:\n%s", &want)
	}
	for _, a := range afterwords {
		for one := range strings.SplitSeq(a.exits, "; ") {
			code, _, _ := strings.Cut(one, " ")
			if !slices.ContainsFunc(exitCodes, func(e exitMeaning) bool { return fmt.Sprint(e.code) == code }) {
				t.Errorf("no exit code is %q", one)
			}
		}
	}
}
