package cli

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A team whose model takes its time.
const (
	slowTeam   = "version: 1\nname: slow\nmodels: {default: {provider: scripted, script: slow.yaml}}\nagents: {lead: {prompt: x}}\n"
	slowScript = "version: 1\nagents:\n  lead:\n    - text: late\n      latency: %LATENCY%\n      times: any\n"
)

// process is a run of the program in the background.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	id     string
	stdout strings.Builder
	stderr strings.Builder
}

// begin starts the program and waits until a line of its progress has a text.
func begin(t *testing.T, dir, until string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.CommandContext(t.Context(), "swarm", args...)}
	p.cmd.Dir = dir
	p.cmd.Stdout = &p.stdout
	pipe, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	p.lines = bufio.NewScanner(pipe)
	p.await(until)
	return p
}

func (p *process) await(text string) {
	p.t.Helper()
	for p.lines.Scan() {
		line := p.lines.Text()
		p.stderr.WriteString(line + "\n")
		if p.id == "" {
			p.id = runID.FindString(line)
		}
		if strings.Contains(line, text) {
			return
		}
	}
	p.t.Fatalf("the program ended before it said %q:\n%s", text, &p.stderr)
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// end waits for the end of the process and compares its exit code.
func (p *process) end(code int) {
	p.t.Helper()
	p.ends(code)
}

// ends is end with one of several codes.
func (p *process) ends(codes ...int) {
	p.t.Helper()
	for p.lines.Scan() {
		p.stderr.WriteString(p.lines.Text() + "\n")
	}
	err := p.cmd.Wait()
	var e *exec.ExitError
	if err != nil && !errors.As(err, &e) {
		p.t.Fatal(err)
	}
	if got := p.cmd.ProcessState.ExitCode(); !slices.Contains(codes, got) {
		p.t.Errorf("exit code %d, want %d:\n%s", got, codes, &p.stderr)
	}
}

// called runs the program to its end and gives its output.
func called(t *testing.T, dir string, code int, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "swarm", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var e *exec.ExitError
	if err != nil && !errors.As(err, &e) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("swarm %s: exit code %d, want %d:\n%s", strings.Join(args, " "), got, code, out)
	}
	return string(out)
}

func slow(t *testing.T, latency string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"team.yaml": slowTeam, "slow.yaml": strings.ReplaceAll(slowScript, "%LATENCY%", latency)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (p *process) said(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if !strings.Contains(p.stderr.String(), text) {
			p.t.Errorf("it did not say %q:\n%s", text, &p.stderr)
		}
	}
}

func TestInterruptOnce(t *testing.T) {
	t.Parallel()
	dir := slow(t, "1h")
	p := begin(t, dir, "started: lead", "run", ".", "x")
	p.signal(os.Interrupt)
	p.end(exitCancelled)
	p.said("cancelling: waiting until every agent has stopped", "cancel asked by user (interrupted)", "look further: swarm show "+p.id)
	if out := called(t, dir, 0, "runs"); !strings.Contains(out, "cancelled") {
		t.Error(out)
	}
	called(t, dir, exitFailed, "resume", p.id)
}

func TestTerminatePausesAndResumes(t *testing.T) {
	t.Parallel()
	dir := slow(t, "1h")
	p := begin(t, dir, "started: lead", "run", ".", "x", "--drain", "100ms")
	p.signal(syscall.SIGTERM)
	p.end(exitPaused)
	p.said("paused: shutdown", "pausing: what has begun may settle", "go on with: swarm resume "+p.id)
	if out := called(t, dir, 0, "runs", "--state", "paused"); !strings.Contains(out, p.id) {
		t.Error(out)
	}
	if out := called(t, dir, 0, "show", p.id); !strings.Contains(out, "resting") || !strings.Contains(out, "Go on with: swarm resume "+p.id) {
		t.Error(out)
	}
	out := called(t, dir, 0, "cancel", p.id)
	if !strings.Contains(out, "the run has no owner now (paused); it is cancelled as soon as it is resumed, by: swarm resume "+p.id) {
		t.Error(out)
	}
	if out := called(t, dir, exitFailed, "resume", p.id, "--expect", "1"); !strings.Contains(out, "not at 1 [journal.seq_conflict]") {
		t.Error(out)
	}
	q := begin(t, dir, "cancelled", "resume", p.id)
	q.end(exitCancelled)
	q.said("goes on after a pause")
}

func TestKilledIsInterruptedAndResumes(t *testing.T) {
	t.Parallel()
	dir := slow(t, "1h")
	p := begin(t, dir, "started: lead", "run", ".", "x")
	p.signal(os.Kill)
	p.end(-1)
	if out := called(t, dir, 0, "runs", "--state", "interrupted"); !strings.Contains(out, p.id) {
		t.Error(out)
	}
	q := begin(t, dir, "goes on after an interruption", "resume", p.id)
	// Another process may look, and may ask it to end, but may not take part.
	if out := called(t, dir, 0, "show", p.id); !strings.Contains(out, "running: asks scripted") {
		t.Error(out)
	}
	if out := called(t, dir, exitFailed, "resume", p.id); !strings.Contains(out, "swarm resume RUN --take-over") {
		t.Error(out)
	}
	if out := called(t, dir, 0, "cancel", p.id, "--reason", "enough"); !strings.Contains(out, p.id+": cancelled") {
		t.Error(out)
	}
	q.end(exitCancelled)
	q.said("cancel asked from another process (pid ", "enough")
}

func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	dir := slow(t, "1h")
	p := begin(t, dir, "started: lead", "run", ".", "x")
	p.signal(os.Interrupt)
	p.await("cancelling")
	p.signal(os.Interrupt)
	// Which of the two ends it depends on how fast the agents stop.
	p.end(exitCancelled)
}

func TestEventsFollow(t *testing.T) {
	t.Parallel()
	dir := slow(t, "1h")
	p := begin(t, dir, "started: lead", "run", ".", "x")
	follow := exec.CommandContext(t.Context(), "swarm", "events", p.id, "-f")
	follow.Dir = dir
	pipe, err := follow.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(pipe)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "run_created") {
		t.Fatalf("%q, %v", line, err)
	}
	p.signal(os.Interrupt)
	p.end(exitCancelled)
	rest, err := io.ReadAll(in)
	if err != nil || !strings.Contains(string(rest), "run_ended") {
		t.Errorf("%s, %v", rest, err)
	}
	if err := follow.Wait(); err != nil {
		t.Error(err)
	}
}
