package actors

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// Survivor is what did not stop: an actor that does not come back from Receive, or an
// effect that ignores its context.
type Survivor struct {
	Path     string    // of the actor
	Kind     string    // of the actor
	WaitsFor string    // as published, or the key of the effect
	Since    time.Time // as published, or when it was asked to stop
}

// Shutdown stops all actors, top-level ones in reverse order of their start and the
// deepest first in each, and returns those that did not stop, sorted by path. It waits
// until all have gone or the deadlines of those that have not are over; when ctx ends
// before, it returns what is left then. A second call waits for the first and gives the
// same. Spawn is refused from the first call on.
func (s *System) Shutdown(ctx context.Context) []Survivor {
	first := false
	s.shutdown.Do(func() { first = true })
	if !first {
		select {
		case <-s.reported:
		case <-ctx.Done():
			return s.survivors()
		}
		return append([]Survivor(nil), s.left...)
	}
	s.root.askStop()
	select {
	case <-s.gone:
	case <-ctx.Done():
	}
	s.left = s.survivors()
	if s.workers != nil {
		s.workers.close()
	}
	close(s.reported)
	return append([]Survivor(nil), s.left...)
}

// survivors lists what still lives.
func (s *System) survivors() []Survivor {
	var out []Survivor
	s.visit(func(h *host, _ bool) {
		if h.parent == nil {
			return
		}
		h.mu.Lock()
		v := Survivor{Path: h.path(), Kind: h.spec.Kind}
		if x := h.shared; x != nil {
			v.WaitsFor, v.Since = x.waitsFor, x.since
			if v.Since.IsZero() {
				v.Since = x.asked
			}
		}
		h.mu.Unlock()
		if v.WaitsFor == "" {
			v.WaitsFor = "a message in hand"
			if h.phase() == phaseWinding {
				v.WaitsFor = "children or effects"
			}
		}
		out = append(out, v)
	})
	s.mu.Lock()
	for e, since := range s.leakedEffects {
		out = append(out, Survivor{Path: e.h.path(), Kind: e.h.spec.Kind, WaitsFor: e.label(), Since: since})
	}
	s.mu.Unlock()
	sortSurvivors(out)
	return out
}

func sortSurvivors(v []Survivor) {
	slices.SortFunc(v, func(a, b Survivor) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.WaitsFor, b.WaitsFor))
	})
}
