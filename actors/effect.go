package actors

import "context"

// effect is blocking work of one incarnation. It is its own completion message and goes
// into the mailbox also when the actor has ended, so that a leak is known to be over.
type effect struct {
	h          *host
	scope      *scope
	inc        int32
	returned   bool
	leaked     bool // owned by the mailbox
	key        any
	fn         func(context.Context) (any, error) // dropped after the run
	prev, next *effect                            // owned by the mailbox
	value      any
	err        error
}

// startEffect runs fn beside the mailbox.
func (h *host) startEffect(key any, fn func(context.Context) (any, error)) {
	e := &effect{h: h, scope: h.scope, inc: h.inc.Load(), key: key, fn: fn, next: h.effects}
	if h.effects != nil {
		h.effects.prev = e
	}
	h.effects = e
	if g := h.sys.goFunc; g != nil {
		g(e.run)
		return
	}
	go e.run()
}

func (e *effect) run() {
	defer e.finish()
	e.value, e.err = e.fn(e.scope)
	e.returned = true
}

// finish posts the outcome, whatever fn did.
func (e *effect) finish() {
	if !e.returned {
		r := recover()
		if r == nil {
			r = errGoexit
		}
		e.value = nil
		f := e.h.failure(r)
		f.Incarnation = int(e.inc)
		e.err = f
	}
	e.fn = nil
	e.h.mb.PostUserMessage(e)
}

// effectDone delivers the outcome to the incarnation that started the effect.
func (h *host) effectDone(e *effect) {
	if e.prev == nil {
		h.effects = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	}
	e.prev, e.next = nil, nil
	if e.leaked {
		h.sys.unleakEffect(e)
	}
	if e.inc != h.inc.Load() || h.phase() != phaseRunning {
		h.sys.count.staleDone.Add(1)
		return
	}
	h.deliver(Done{Key: e.key, Value: e.value, Err: e.err})
}

// label names the effect in a report.
func (e *effect) label() string { return "effect " + reason(e.key) }
