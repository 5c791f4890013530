package actors

import "time"

// timer is one setting of a name; it is its own message, and only the present setting of
// the name acts.
type timer struct {
	h    *host
	name string
	stop func() bool
}

func (t *timer) fire() { t.h.mb.PostUserMessage(t) }

func (h *host) setTimer(name string, d time.Duration) {
	o := h.rare()
	if old := o.timers[name]; old != nil {
		old.stop()
	} else if o.timers == nil {
		o.timers = map[string]*timer{}
	}
	t := &timer{h: h, name: name}
	o.timers[name] = t
	t.stop = h.sys.clock.AfterFunc(d, t.fire)
}

func (h *host) cancelTimer(name string) {
	if h.own == nil {
		return
	}
	if t := h.own.timers[name]; t != nil {
		t.stop()
		delete(h.own.timers, name)
	}
}

func (h *host) stopTimers() {
	if h.own == nil {
		return
	}
	for _, t := range h.own.timers { // order is of no consequence: nothing is seen of it
		t.stop()
	}
	h.own.timers = nil
}

func (h *host) ticked(t *timer) {
	if h.own == nil || h.own.timers[t.name] != t {
		return
	}
	delete(h.own.timers, t.name)
	if h.phase() == phaseRunning {
		h.deliver(Tick{Name: t.name})
	}
}
