package cli

import (
	"os"
	"time"

	"golang.org/x/term"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// liveTree shows a run on a terminal while it goes on. A nil one shows nothing.
type liveTree struct {
	screen *screen
	state  *liveState
	texts  *previews
}

// onTerminal prepares the live tree of a run when progress goes to a terminal that can
// show it. From then on everything for standard error passes by the screen.
func (a *app) onTerminal(o *swarm.Options, out string) {
	tty, ok := a.err.(*os.File)
	if !ok || a.json || a.quiet || !term.IsTerminal(int(tty.Fd())) || isDevice(out) {
		return
	}
	if kind, _ := a.env("TERM"); kind == "" || kind == "dumb" {
		return
	}
	a.tree = &liveTree{screen: newScreen(tty, a.env), state: newLiveState(), texts: newPreviews()}
	a.err = a.tree.screen
	o.Preview = a.tree.texts.add
}

// isDevice says whether a run publishes to what may be the same terminal.
func isDevice(file string) bool {
	info, err := os.Stat(file)
	return err == nil && file != os.DevNull && info.Mode()&os.ModeCharDevice != 0
}

// fold takes in a record, and gives the presentation of the agent that it is about.
func (t *liveTree) fold(r *journal.Record) (presentation string) {
	if t == nil {
		return ""
	}
	t.state.fold(r)
	switch r.Payload.(type) {
	case *journal.ModelAnswered, *journal.ModelFailed:
		t.texts.drop(r.Scope.Invocation)
	}
	if a := t.state.byPath[r.Scope.Invocation]; a != nil {
		return a.presentation
	}
	return ""
}

// asked shows what a signal has asked the run for; false: there is no tree that could.
func (t *liveTree) asked(what asked) bool {
	if t == nil {
		return false
	}
	t.state.asked = what
	t.paint()
	return true
}

func (t *liveTree) paint() {
	t.texts.take(t.state.preview)
	t.screen.paint(t.draw())
}

// end leaves the tree as it stands.
func (t *liveTree) end() { t.screen.end(t.draw()) }

func (t *liveTree) draw() string {
	width, height := t.screen.room()
	return t.state.view(width, height, time.Now(), t.screen.look)
}
