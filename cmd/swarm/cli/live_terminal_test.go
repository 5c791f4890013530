//go:build linux || darwin

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/term"
)

const (
	treeTeam = `version: 1
name: tree
entry: lead
models: {default: {provider: scripted, script: tree.yaml}}
agents:
  lead: {prompt: x, delegation: {can_delegate: true, max_running_children: 1}}
  critic: {prompt: x, description: judges, delegation: {callable: true, as_child: true}}
  editor: {prompt: x, description: edits, delegation: {callable: true, as_child: true}}
`
	treeScript = `version: 1
agents:
  lead:
    - calls:
        - agent.delegate: {agentId: critic, task: {objective: Judge it}}
        - agent.delegate: {agentId: editor, task: {objective: Edit it}}
    - calls: [{agent.await: {mode: allCompleted}}]
    - latency: %LATENCY%
      calls: [{workspace.write_file: {path: output/main.md, content: "The result.\n"}}]
    - calls: [workspace.commit, {workspace.finish: {reason: It is done.}}]
  critic:
    - latency: 300ms
      calls: [{task.return: {status: completed, summary: It is fine.}}]
  editor:
    - latency: 300ms
      calls: [{task.return: {status: completed, summary: It is edited.}}]
`
)

func treeDir(t *testing.T, latency string) string {
	t.Helper()
	return files(t, map[string]string{"team.yaml": treeTeam, "tree.yaml": strings.ReplaceAll(treeScript, "%LATENCY%", latency)})
}

// children are agents on a server that the test has in its hands.
const (
	childrenTeam = `version: 1
name: tree
entry: lead
models:
  default: {provider: scripted, script: tree.yaml}
  critic: {provider: openai, base_url: %URL%, model: critic, auth: none}
  editor: {provider: openai, base_url: %URL%, model: editor, auth: none}
agents:
  lead: {prompt: x, delegation: {can_delegate: true, max_running_children: %RUNNING%}}
  critic: {prompt: x, model: critic, presentation: %CRITIC%, description: judges, delegation: {callable: true, as_child: true}}
  editor: {prompt: x, model: editor, presentation: %EDITOR%, description: edits, delegation: {callable: true, as_child: true}}
`
	childrenScript = `version: 1
agents:
  critic:
    - text: "Reading 汉字 \e[2J\u202Enow \a, and what follows is not shown before the gate is open."
      calls: [{=task_return: {status: completed, summary: It is fine.}}]
  editor:
    - text: "Writing the whole text of the answer."
      calls: [{=task_return: {status: completed, summary: It is edited.}}]
`
)

func childrenDir(t *testing.T, g *gated, running, critic, editor string) string {
	t.Helper()
	return files(t, map[string]string{
		"team.yaml": strings.NewReplacer("%URL%", g.url, "%RUNNING%", running, "%CRITIC%", critic, "%EDITOR%", editor).Replace(childrenTeam),
		"tree.yaml": strings.ReplaceAll(treeScript, "%LATENCY%", "0s"),
	})
}

func TestTerminalShowsTheTree(t *testing.T) {
	t.Parallel()
	g := gatedServer(t, childrenScript, "critic", "editor")
	p := onPty(t, childrenDir(t, g, "1", "live", "live"), terminalOptions{}, "run", ".", "x")
	p.until("waiting_children  for critic, editor")
	p.until("  editor     queued            place 1 of 1 in the queue")
	p.until("  critic     running           asks critic")
	g.begin("critic")
	p.until("\n    Reading 汉字  [2Jnow")
	g.finish("critic")
	p.until("  critic     completed")
	p.until("  editor     running           asks editor")
	g.begin("editor")
	p.until("\n    Writing the whole text ")
	g.finish("editor")
	text := p.end(exitDone)
	// Each line once, and in the end one tree.
	has(t, text, 1, "root             started: lead", "root/critic      started: critic", "root/editor      started: editor",
		"says: Reading 汉字 [2Jnow , and what follows", "task critic returned completed: It is fine.",
		"root (lead)  completed", "\n  critic     completed", "\n  editor     completed",
		"\ncompleted  ", "\nlook further: swarm show run_", "\nThe result.\n")
	has(t, text, 0, "running", "  queued", "waiting_", "\n    Reading", "\n    Writing")
	tree, result, look := strings.Index(text, "root (lead)"), strings.Index(text, "\nThe result."), strings.Index(text, "look further")
	if ended := strings.Index(text, "run              completed ("); ended < 0 || ended > tree || tree > result || result > look {
		t.Errorf("the order is wrong:\n%s", text)
	}
	if !p.screen.colours {
		t.Error("there are no colours")
	}
	has(t, p.raw.String(), 0, "\x1b[?1049h", "\x1b[?2004h", "\x1b[?1000h")
}

func TestTerminalPresentation(t *testing.T) {
	t.Parallel()
	g := gatedServer(t, childrenScript, "critic", "editor")
	p := onPty(t, childrenDir(t, g, "2", "status", "quiet"), terminalOptions{}, "run", ".", "x")
	p.until("  critic     running           asks critic")
	p.until("  editor     running")
	g.begin("critic")
	g.begin("editor")
	g.finish("critic")
	p.until("  critic     completed")
	g.finish("editor")
	text := p.end(exitDone)
	has(t, text, 1, "root/critic      started: critic", "root/critic      completed: returned", "root/editor      completed: returned")
	has(t, text, 0, "started: editor", "Reading", "Writing", "root/critic      calls", "root/editor      calls")
	has(t, p.raw.String(), 0, "Reading", "Writing", "asks editor")
}

func TestTerminalResultIsPiped(t *testing.T) {
	t.Parallel()
	p := onPty(t, treeDir(t, "100ms"), terminalOptions{piped: true}, "run", ".", "x")
	text := p.end(exitDone)
	has(t, text, 1, "root (lead)  completed")
	has(t, text, 0, "The result.\n")
	if got := p.out.String(); got != "The result.\n" {
		t.Errorf("standard output is %q", got)
	}
}

func TestTerminalWithoutTree(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name      string
		env       []string
		args      []string
		tree, esc bool
	}{
		{"no colour", []string{"NO_COLOR=1"}, nil, true, true},
		{"dumb", []string{"TERM=dumb"}, nil, false, false},
		{"unknown", []string{"TERM="}, nil, false, false},
		{"quiet", nil, []string{"--quiet"}, false, false},
		{"JSON", nil, []string{"--json"}, false, false},
		{"published to a terminal", nil, []string{"--out", "/dev/tty"}, false, false},
		{"verbose", nil, []string{"--verbose"}, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := onPty(t, treeDir(t, "300ms"), terminalOptions{env: row.env, width: 200}, append([]string{"run", ".", "x"}, row.args...)...)
			text := p.end(exitDone)
			if got := strings.Contains(text, "root (lead)"); got != row.tree {
				t.Errorf("a tree: %v, want %v:\n%s", got, row.tree, text)
			}
			if got := strings.Contains(p.raw.String(), "\x1b"); got != row.esc {
				t.Errorf("escape sequences: %v, want %v", got, row.esc)
			}
			if row.name == "no colour" && p.screen.colours {
				t.Error("there are colours")
			}
			if row.name == "verbose" {
				has(t, text, 1, "root (lead)  completed", "run_ended                 completed")
			}
		})
	}
}

func TestTerminalInterruptOnce(t *testing.T) {
	t.Parallel()
	dir := treeDir(t, "1h")
	p := onPty(t, dir, terminalOptions{}, "run", ".", "x")
	p.until("critic     completed")
	p.until("editor     completed")
	p.key("\x03")
	text := p.end(exitCancelled)
	has(t, text, 1, "cancel asked by user (interrupted)", "root (lead)  cancelled", "\ncancelled  ", "look further: swarm show run_")
	has(t, text, 0, "^C")
	called(t, dir, exitFailed, "resume", runID.FindString(text))
}

// A run that publishes to a pipe without a reader does not stop by itself.
func TestTerminalInterruptTwice(t *testing.T) {
	t.Parallel()
	dir := treeDir(t, "100ms")
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	p := onPty(t, dir, terminalOptions{}, "run", ".", "x", "--out", "pipe")
	p.until("publishes output/main.md")
	p.until("root (lead)  running    workspace_commit")
	p.key("\x03")
	p.until("cancelling, again to stop at once")
	p.until("not stopped yet: root")
	// The terminal throws away what is queued when the key comes: nothing is to be on its way.
	p.until("cancel asked by user")
	p.when("no more output", p.rests)
	p.key("\x03")
	text := p.end(exitCancelled)
	id := runID.FindString(text)
	has(t, text, 1, "stopped at once; the cancel is carried out by: swarm resume "+id, "root (lead)  ", "\nstopped at once  ", "\nnot stopped yet: root")
	q := onPty(t, dir, terminalOptions{}, "resume", id)
	has(t, q.end(exitCancelled), 1, "goes on after an interruption", "\ncancelled  ")
}

func TestTerminalTerm(t *testing.T) {
	t.Parallel()
	dir := treeDir(t, "1h")
	p := onPty(t, dir, terminalOptions{}, "run", ".", "x", "--drain", "100ms")
	p.until("editor     completed")
	p.signal(syscall.SIGTERM)
	text := p.end(exitPaused)
	id := runID.FindString(text)
	has(t, text, 1, "\npaused  ", "root (lead)  resting", "go on with: swarm resume "+id)
	// What was there before is in the tree, not in the lines.
	q := onPty(t, dir, terminalOptions{}, "resume", id)
	q.until("root (lead)  running")
	q.until("editor     completed")
	q.key("\x03")
	text = q.end(exitCancelled)
	has(t, text, 1, "goes on after a pause", "root (lead)  cancelled")
	has(t, text, 0, "started: critic")
}

func TestTerminalResize(t *testing.T) {
	t.Parallel()
	p := onPty(t, treeDir(t, "1h"), terminalOptions{width: 60}, "run", ".", "x")
	p.until("editor     completed")
	has(t, p.screen.text(), 0, "1 turn ")
	p.size(120)
	p.until("1 turn ")
	p.size(40)
	p.when("narrow rows", func() bool { return !strings.Contains(p.screen.text(), "1 turn ") })
	p.key("\x03")
	text := p.end(exitCancelled)
	last := text[strings.LastIndex(text, "\ncancelled  ")+1:]
	tree, _, _ := strings.Cut(last, "\nlook further")
	sane(t, tree, 39, terminalHeight)
	has(t, tree, 1, "root (lead)  cancelled", "  critic", "  editor")
}

// A terminal that wraps rows anew when it becomes narrower keeps no piece of the tree that
// stood there.
func TestTerminalNarrowed(t *testing.T) {
	t.Parallel()
	p := onPty(t, treeDir(t, "1h"), terminalOptions{width: 100}, "run", ".", "x")
	p.screen.wraps = true
	p.until("editor     completed")
	p.until("1 turn ")
	p.size(60)
	p.when("narrow rows", func() bool {
		return !strings.Contains(p.screen.text(), "1 turn ") && p.rests()
	})
	has(t, p.screen.text(), 1, "root (lead)", "  critic     completed", "  editor     completed", "\nrunning  ", "task editor returned completed")
	p.size(50)
	p.when("one tree", func() bool {
		return strings.Count(p.screen.text(), "\nrunning  ") == 1 && p.rests()
	})
	p.key("\x03")
	has(t, p.end(exitCancelled), 1, "root (lead)", "\n  critic     completed", "\n  editor     completed", "\ncancelled  ")
}

// After a stop the tree begins anew where the cursor is then.
func TestTerminalStopAndContinue(t *testing.T) {
	t.Parallel()
	p := onPty(t, treeDir(t, "1h"), terminalOptions{}, "run", ".", "x")
	p.until("editor     completed")
	p.signal(syscall.SIGSTOP)
	p.signal(syscall.SIGCONT)
	p.when("a second tree", func() bool { return strings.Count(p.screen.text(), "root (lead)  running") == 2 && p.rests() })
	p.key("\x03")
	has(t, p.end(exitCancelled), 1, "root (lead)  running", "root (lead)  cancelled")
}

// A program that is killed leaves the terminal as it was.
func TestTerminalKilled(t *testing.T) {
	t.Parallel()
	p := onPty(t, treeDir(t, "1h"), terminalOptions{}, "run", ".", "x")
	p.until("editor     completed")
	state, err := term.GetState(int(p.tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if *state != p.before {
		t.Error("the mode of the terminal was changed")
	}
	p.signal(os.Kill)
	has(t, p.end(-1), 1, "root (lead)  running")
}
