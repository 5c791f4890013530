package actors

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Node is one actor in the tree view.
type Node struct {
	Path        string
	Kind        string
	State       string    // as published, or what the engine knows: starting, running, stopping, restarting, leaked
	WaitsFor    string    // as published
	Since       time.Time // of the last change that was published; zero when nothing was
	Incarnation int
	Restarts    int   // within the window of its supervisor
	Mailbox     int64 // messages queued
}

// Tree shows every actor, and every leaked effect as a node of its actor, sorted by path. It is built from what actors published and what
// the engine counts; no actor is asked, so one that is stuck is shown like any other.
func (s *System) Tree() []Node {
	now := s.clock.Now()
	var out []Node
	s.visit(func(h *host, leaked bool) {
		if h.parent != nil {
			out = append(out, h.node(now, leaked))
		}
	})
	s.mu.Lock()
	for e, since := range s.leakedEffects {
		out = append(out, Node{Path: e.h.path(), Kind: e.h.spec.Kind, State: "leaked", WaitsFor: e.label(),
			Since: since, Incarnation: int(e.inc)})
	}
	s.mu.Unlock()
	slices.SortFunc(out, func(a, b Node) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.WaitsFor, b.WaitsFor))
	})
	return out
}

// node is what is known of one actor without asking it.
func (h *host) node(now time.Time, leaked bool) Node {
	n := Node{Path: h.path(), Kind: h.spec.Kind, Incarnation: int(h.inc.Load()),
		Mailbox: int64(h.mb.UserMessageCount()) + int64(h.kept.Load())}
	switch h.phase() {
	case phaseNew:
		n.State = "starting"
	case phaseRunning:
		n.State = "running"
	case phaseBackoff:
		n.State = "restarting"
	default:
		n.State = "stopping"
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.shared; s != nil {
		if s.state != "" && h.phase() == phaseRunning {
			n.State = s.state
		}
		n.WaitsFor, n.Since = s.waitsFor, s.since
		n.Restarts = len(within(s.restarts, now, h.parent.spec.Intensity.Window))
	}
	if leaked {
		n.State = "leaked"
	}
	return n
}

// publish sets what the tree view shows of h.
func (h *host) publish(state, waitsFor string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.more()
	if s.state == state && s.waitsFor == waitsFor && !s.since.IsZero() {
		return
	}
	s.state, s.waitsFor, s.since = state, waitsFor, h.sys.clock.Now()
}

// visit calls f for every actor that lives, parents first; leaked is true for one that its
// parent has given up.
func (s *System) visit(f func(h *host, leaked bool)) {
	var down func(h *host)
	down = func(h *host) {
		for _, k := range h.children() {
			f(k, false)
			down(k)
		}
	}
	down(s.root)
	s.mu.Lock()
	leaked := make([]*host, 0, len(s.leakedHosts))
	for h := range s.leakedHosts {
		leaked = append(leaked, h)
	}
	s.mu.Unlock()
	for _, h := range leaked {
		f(h, true)
		down(h)
	}
}
