package cli

import (
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

const (
	frameEvery = 100 * time.Millisecond // between two frames
	frameRate  = 30                     // a second, at which a new one is looked for
	fullWidth  = 80                     // of a terminal that does not tell its size
	fullHeight = 24
)

// screen is the terminal that shows the live tree. What is written to it appears above
// the tree; without a tree it goes to the terminal as it is. It may be written to by
// several goroutines; the rest is for one.
//
// The terminal stays in its usual mode and its cursor is never left hidden, so that it
// is sane whenever and however the process ends.
type screen struct {
	tty  *os.File
	env  []string
	look *looks

	mu   sync.Mutex
	part string   // of a line that has not ended
	rows []string // to go above the tree
	prog *program // nil: there is no tree now
	tree string   // that it was given last
	cols int      // of the terminal when the tree was begun
	high int      // its rows
}

func newScreen(tty *os.File, env func(string) (string, bool)) *screen {
	s := &screen{tty: tty}
	for _, name := range []string{"TERM", "NO_COLOR", "COLUMNS", "LINES"} {
		if v, ok := env(name); ok {
			s.env = append(s.env, name+"="+v)
		}
	}
	if v, _ := env("NO_COLOR"); v == "" {
		s.look = newLooks()
	}
	return s
}

// size gives columns and rows of the terminal.
func (s *screen) size() (width, height int) {
	width, height, err := term.GetSize(int(s.tty.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return fullWidth, fullHeight
	}
	return width, height
}

// room gives what a tree may take: the last column is left out, as writing to it makes
// terminals differ, and a third of the rows is left to the lines above.
func (s *screen) room() (width, height int) {
	width, height = s.size()
	return max(width-1, 1), max(min(max(height*2/3, 3), height-2), 1)
}

// Write implements [io.Writer].
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prog == nil {
		return s.tty.Write(b)
	}
	lines := strings.Split(s.part+string(b), "\n")
	s.part = lines[len(lines)-1]
	width, _ := s.room()
	for _, line := range lines[:len(lines)-1] {
		s.rows = append(s.rows, folded(safe(line), width)...)
	}
	return len(b), nil
}

// paint shows a tree, and above it what was written. It takes the terminal over at the
// first call, and leaves it while another process has it.
func (s *screen) paint(tree string) {
	if !foreground(s.tty) {
		s.leave()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prog != nil && s.prog.gone() {
		s.prog = nil
		s.spill()
	}
	width, height := s.size()
	if s.prog != nil && (width != s.cols || height != s.high) {
		s.wipe(width)
	}
	switch {
	case s.prog == nil:
		s.cols, s.high = width, height
		s.prog = start(s.tty, s.env, tree)
		if len(s.rows) > 0 {
			s.flush(tree)
		}
	case tree != s.tree || len(s.rows) > 0:
		s.flush(tree)
	}
	s.tree = tree
}

// flush gives everything to the program. Rows go above the tree only as many at a time
// as there is room for above it.
func (s *screen) flush(tree string) {
	_, height := s.size()
	_, room := s.room()
	most := max(height-room-1, 1)
	// What is typed is echoed, and the cursor is then no more in the column where it was left.
	s.prog.send(tea.RawMsg{Msg: "\r"})
	for len(s.rows) > 0 {
		n := min(most, len(s.rows))
		s.prog.send(tea.Println(strings.Join(s.rows[:n], "\n"))())
		s.rows = s.rows[n:]
	}
	s.rows = nil
	s.prog.send(frame(tree))
}

// wipe ends a tree that was drawn for another size and clears its rows. The cursor rests
// below them; terminals break the rows that are wider than they are now into several.
func (s *screen) wipe(width int) {
	s.kill()
	n := 0
	for row := range strings.SplitSeq(s.tree, "\n") {
		n += max((columns(row)+width-1)/width, 1)
	}
	_, _ = s.tty.WriteString("\r" + ansi.CursorUp(n) + ansi.EraseScreenBelow)
}

func (s *screen) kill() {
	s.prog.tea.Kill()
	<-s.prog.done
	s.prog = nil
}

// leave gives the terminal back without a last frame.
func (s *screen) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prog != nil {
		s.kill()
		s.spill()
	}
}

// end leaves a tree as text, and gives the terminal back. What the program has drawn last is
// cleared and not drawn over: a terminal throws away what is queued for it when Ctrl-C is
// typed, and the program does not hear of that.
func (s *screen) end(tree string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prog != nil {
		width, height := s.size()
		if width == s.cols && height == s.high {
			s.flush(s.tree)
			s.prog.tea.Quit() // which draws what it was given
			<-s.prog.done
		}
		s.wipe(width)
	}
	s.spill()
	_, _ = s.tty.WriteString(tree + "\n")
}

// spill writes plainly what no tree takes any more.
func (s *screen) spill() {
	if s.part != "" {
		s.rows, s.part = append(s.rows, safe(s.part)), ""
	}
	for _, row := range s.rows {
		_, _ = s.tty.WriteString(row + "\n") // nothing can be said about an error stream that cannot be written
	}
	s.rows = nil
}

// program is one stretch of time in which the tree has the terminal.
type program struct {
	tea  *tea.Program
	done chan struct{}
}

// start begins with a tree, and returns when that is on the terminal: only then the
// program knows where the rows above it end. It reads nothing, minds no signal, and draws
// for one size: the screen begins anew when that changes.
func start(tty *os.File, env []string, tree string) *program {
	out := &firstWrite{File: tty, wrote: make(chan struct{})}
	p := &program{done: make(chan struct{}), tea: tea.NewProgram(frame(tree), tea.WithInput(nil), tea.WithOutput(out),
		tea.WithEnvironment(env), tea.WithoutSignalHandler(), tea.WithFPS(frameRate), tea.WithFilter(oneSize()))}
	go func() {
		defer close(p.done)
		_, _ = p.tea.Run() // without it the lines are written plainly
	}()
	select {
	case <-out.wrote:
	case <-p.done:
	}
	return p
}

// oneSize drops all messages of sizes but the first.
func oneSize() func(tea.Model, tea.Msg) tea.Msg {
	sized := false
	return func(_ tea.Model, m tea.Msg) tea.Msg {
		if _, is := m.(tea.WindowSizeMsg); is {
			if sized {
				return nil
			}
			sized = true
		}
		return m
	}
}

func (p *program) send(m tea.Msg) { p.tea.Send(m) }

func (p *program) gone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// firstWrite is a terminal that says when something was written to it.
type firstWrite struct {
	*os.File
	once  sync.Once
	wrote chan struct{}
}

// Write implements [io.Writer].
func (w *firstWrite) Write(b []byte) (int, error) {
	n, err := w.File.Write(b)
	w.once.Do(func() { close(w.wrote) })
	return n, err
}

// frame is the tree as the program draws it.
type frame string

// Init implements [tea.Model].
func (f frame) Init() tea.Cmd { return nil }

// Update implements [tea.Model].
func (f frame) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	if next, ok := m.(frame); ok {
		return next, nil
	}
	return f, nil
}

// View implements [tea.Model]. The cursor rests visibly on an empty row below the tree,
// where the program ends.
func (f frame) View() tea.View {
	v := tea.NewView(string(f) + "\n")
	v.Cursor = &tea.Cursor{Position: tea.Position{Y: strings.Count(string(f), "\n") + 1}, Shape: noShape}
	v.DisableBracketedPasteMode = true
	return v
}

// noShape leaves the cursor in the shape that the user has chosen.
const noShape tea.CursorShape = -1
