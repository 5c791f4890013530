package actors

import (
	"context"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// namesFrom is the number of children from which a supervisor finds names in a map.
const namesFrom = 8

// spawn makes a child of h. It is called from h's mailbox, and for the root from anywhere.
func (h *host) spawn(spec *Spec, above *scope, under context.Context) (Ref, error) {
	if spec.New == nil || spec.Kind == "" || strings.Contains(spec.Name, "/") {
		return Ref{}, fault.New("actor.invalid_spec", "Kind and New are required, and a name has no slash").
			With("spawn", spec.Name)
	}
	k := &host{sys: h.sys, parent: h, above: above, under: under, spec: *spec, pinc: int(h.inc.Load())}
	k.c.h = k
	if k.spec.StopWithin <= 0 {
		k.spec.StopWithin = DefaultStopWithin
	}
	if k.spec.Intensity == (Intensity{}) {
		k.spec.Intensity = Intensity{Max: DefaultIntensityMax, Window: DefaultIntensityWindow}
	}
	k.mb = newMailbox()
	k.mb.RegisterHandlers(k, k)
	if err := h.link(k); err != nil {
		return Ref{}, err
	}
	h.sys.count.spawned.Add(1)
	h.sys.count.live.Add(1)
	k.mb.PostUserMessage(ctlStart)
	return Ref{k}, nil
}

// link adds a child, under a name that is free.
func (h *host) link(k *host) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.noKids {
		return fault.New("actor.stopping", "the parent is stopping").With("spawn", k.spec.Name)
	}
	if k.spec.Name == "" {
		for {
			h.named++
			k.spec.Name = "$" + strconv.FormatUint(h.named, 10)
			if h.child(k.spec.Name) == nil {
				break
			}
		}
	} else if h.child(k.spec.Name) != nil {
		return fault.New("actor.name_taken", "a sibling has the name").With("spawn", k.spec.Name)
	}
	k.prev = h.lastKid
	if h.lastKid == nil {
		h.firstKid = k
	} else {
		h.lastKid.next = k
	}
	h.lastKid = k
	h.kids++
	if h.shared != nil && h.shared.names != nil {
		h.shared.names[k.spec.Name] = k
	}
	return nil
}

// child finds a child by name; mu is held.
func (h *host) child(name string) *host {
	if h.kids >= namesFrom {
		s := h.more()
		if s.names == nil {
			s.names = make(map[string]*host, 2*namesFrom)
			for k := h.firstKid; k != nil; k = k.next {
				s.names[k.spec.Name] = k
			}
		}
		return s.names[name]
	}
	for k := h.firstKid; k != nil; k = k.next {
		if k.spec.Name == name {
			return k
		}
	}
	return nil
}

// unlink removes a child; mu is held.
func (h *host) unlink(k *host) {
	if k.prev == nil {
		h.firstKid = k.next
	} else {
		k.prev.next = k.next
	}
	if k.next == nil {
		h.lastKid = k.prev
	} else {
		k.next.prev = k.prev
	}
	k.prev, k.next = nil, nil
	h.kids--
	if h.shared != nil && h.shared.names != nil {
		delete(h.shared.names, k.spec.Name)
		if h.kids == 0 {
			h.shared.names = nil
		}
	}
}

// youngest is the child that was started last.
func (h *host) youngest() *host {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lastKid
}

// children are in order of start.
func (h *host) children() []*host {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]*host, 0, h.kids)
	for k := h.firstKid; k != nil; k = k.next {
		out = append(out, k)
	}
	return out
}

// watch has the end of w posted to h.
func (h *host) watch(w *host) {
	if w == nil || w == h {
		return
	}
	if w.parent == h {
		if w.reaped { // the parent is told without a watch; this one comes after that
			w.reaped = false
			h.mb.PostUserMessage((*ended)(w))
		}
		return
	}
	o := h.rare()
	if _, ok := o.watching[w]; ok {
		return
	}
	if o.watching == nil {
		o.watching = map[*host]struct{}{}
	}
	o.watching[w] = struct{}{}
	w.mu.Lock()
	sealed := w.sealed
	if !sealed {
		s := w.more()
		s.watchers = append(s.watchers, h)
	}
	w.mu.Unlock()
	if sealed {
		h.mb.PostUserMessage((*ended)(w))
	}
}

// dropWatches forgets the watches of the incarnation.
func (h *host) dropWatches() {
	if h.own == nil {
		return
	}
	for w := range h.own.watching { // order is of no consequence: nothing is seen of it
		w.mu.Lock()
		if s := w.shared; s != nil {
			for i, x := range s.watchers {
				if x == h {
					s.watchers = append(s.watchers[:i], s.watchers[i+1:]...)
					break
				}
			}
		}
		w.mu.Unlock()
	}
	h.own.watching = nil
}

// actorEnded hears of the end of a child or of a watched actor.
func (h *host) actorEnded(w *host) {
	if w.parent == h {
		if w.leaked {
			h.sick = h.sick || h.phase() == phaseWinding
		}
		if w.pinc != int(h.inc.Load()) || w.reaped {
			return
		}
		w.reaped = true
	} else {
		if h.own == nil {
			return
		}
		if _, ok := h.own.watching[w]; !ok {
			return
		}
		delete(h.own.watching, w)
	}
	if h.phase() != phaseRunning || h.parent == nil {
		return
	}
	h.deliver(Terminated{Ref: Ref{w}, Name: w.spec.Name, Failure: w.outcome})
}
