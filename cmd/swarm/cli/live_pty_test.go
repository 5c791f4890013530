//go:build linux || darwin

package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// terminal is a run of the program with a terminal for standard input, output and error,
// unless the test takes one of them.
type terminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	tty    *os.File
	before term.State
	screen *vt
	raw    bytes.Buffer
	out    bytes.Buffer // standard output, when it is no terminal
	reads  chan []byte  // closed when the terminal has no user any more
	exited chan struct{}
}

const terminalWidth, terminalHeight = 100, 24

// patience is far more than any wait takes.
const patience = 60 * time.Second

type terminalOptions struct {
	env   []string
	width int
	piped bool // standard output is no terminal
}

func onPty(t *testing.T, dir string, o terminalOptions, args ...string) *terminal {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if o.width == 0 {
		o.width = terminalWidth
	}
	p := &terminal{t: t, master: master, tty: tty, screen: newVT(t, o.width, terminalHeight), reads: make(chan []byte), exited: make(chan struct{})}
	p.size(o.width)
	state, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	p.before = *state
	p.cmd = exec.CommandContext(t.Context(), "swarm", args...)
	p.cmd.Dir = dir
	p.cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "NO_COLOR="), o.env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = tty, tty, tty
	if o.piped {
		p.cmd.Stdout = &p.out
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait() // its code is compared at the end
		_ = p.tty.Close()
	}()
	go func() {
		defer close(p.reads)
		for {
			b := make([]byte, 4096)
			n, err := master.Read(b)
			if n > 0 {
				p.reads <- b[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		for range p.reads {
		}
		<-p.exited
		_ = master.Close()
	})
	return p
}

// size changes the size of the terminal, of which the program hears by a signal.
func (p *terminal) size(width int) {
	p.t.Helper()
	if err := pty.Setsize(p.master, &pty.Winsize{Cols: uint16(width), Rows: terminalHeight}); err != nil {
		p.t.Fatal(err)
	}
	p.screen.resize(width)
}

func (p *terminal) key(k string) {
	p.t.Helper()
	if _, err := io.WriteString(p.master, k); err != nil {
		p.t.Fatal(err)
	}
}

func (p *terminal) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// read takes in the next piece of the stream; false: there is none any more.
func (p *terminal) read(tooLate <-chan time.Time) bool {
	p.t.Helper()
	select {
	case b, ok := <-p.reads:
		p.raw.Write(b)
		p.screen.write(b)
		return ok
	case <-tooLate:
		p.t.Fatalf("this is all that came:\n%s", p.screen.text())
		return false
	}
}

// until reads on until the whole text of the terminal holds one.
func (p *terminal) until(text string) {
	p.t.Helper()
	p.when(text, func() bool { return strings.Contains(p.screen.text(), text) })
}

func (p *terminal) when(what string, holds func() bool) {
	p.t.Helper()
	tooLate := time.After(patience)
	for !holds() {
		if !p.read(tooLate) {
			p.t.Fatalf("it ended before %q:\n%s", what, p.screen.text())
		}
	}
}

// rests says whether the last row of the tree stands there and the cursor below it. What is
// still on its way is lost when a key for a signal is typed.
func (p *terminal) rests() bool {
	s := p.screen
	return s.y > 0 && strings.HasPrefix(line(s.rows[s.y-1]), "  editor     ") && line(s.rows[s.y]) == "" && s.x == 0
}

// end reads to the end, compares the exit code, and looks whether the terminal is sane.
func (p *terminal) end(code int) string {
	p.t.Helper()
	for tooLate := time.After(patience); p.read(tooLate); {
	}
	<-p.exited
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d", got, code)
	}
	if p.screen.hidden || len(p.screen.modes) > 0 {
		p.t.Errorf("the cursor is hidden: %v; modes that were left: %q", p.screen.hidden, p.screen.modes)
	}
	if i := bytes.LastIndex(p.raw.Bytes(), []byte("\x1b[?25")); i >= 0 && p.raw.Bytes()[i+5] != 'h' {
		p.t.Error("the stream does not end with a visible cursor")
	}
	return p.screen.text()
}

// has compares a text with what must stand in it, each exactly as often as said.
func has(t *testing.T, text string, n int, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if got := strings.Count(text, part); got != n {
			t.Errorf("%q stands there %d times, want %d:\n%s", part, got, n, text)
		}
	}
}

// files makes a folder of a team.
func files(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
