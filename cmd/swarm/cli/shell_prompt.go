package cli

import (
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
)

// prompt reads lines from a terminal, with line editing, for the script and for what it
// runs. The terminal is only raw while a line is being typed.
type prompt struct {
	tty  *os.File
	term *term.Terminal
	mu   sync.Mutex // the shell asks from another goroutine than it reads
	next string     // shown before the next line
	left []byte     // of a line, not read yet
}

func newPrompt(tty *os.File, out io.Writer) *prompt {
	rw := struct {
		io.Reader
		io.Writer
	}{tty, out}
	return &prompt{tty: tty, term: term.NewTerminal(rw, "")}
}

// ask sets what is shown before the next line.
func (p *prompt) ask(more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = "$ "
	if more {
		p.next = "> "
	}
}

// Read implements [io.Reader]: one line at a time.
func (p *prompt) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		line, err := p.line()
		if err != nil {
			return 0, err
		}
		p.left = append([]byte(line), '\n')
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}

func (p *prompt) line() (string, error) {
	p.mu.Lock()
	show := p.next
	p.next = ""
	p.mu.Unlock()
	state, err := term.MakeRaw(int(p.tty.Fd()))
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(int(p.tty.Fd()), state) }()
	if w, h, err := term.GetSize(int(p.tty.Fd())); err == nil && w > 0 && h > 0 {
		_ = p.term.SetSize(w, h)
	}
	p.term.SetPrompt(show)
	line, err := p.term.ReadLine()
	if err == term.ErrPasteIndicator {
		err = nil
	}
	return line, err
}

// escaping shows control characters as escapes. A character that comes in pieces is kept
// whole.
type escaping struct {
	w    io.Writer
	part []byte // beginning of a character
}

// Write implements [io.Writer].
func (e *escaping) Write(p []byte) (int, error) {
	text := append(e.part, p...)
	whole := len(text)
	for i := max(0, whole-utf8.UTFMax+1); i < whole; i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			whole = i
			break
		}
	}
	e.part = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(e.w, shell.Visible(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
