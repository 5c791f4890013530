package actors

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Reply is the handle through which a request is answered, from any goroutine and at any
// time. The first answer counts; what comes later, also after the deadline, is dropped and
// counted.
type Reply struct {
	sys  *System
	to   *host
	from *host // nil: asked from outside
	inc  int32 // of from
	key  any
	done chan struct{} // for waiters outside; nil for an actor

	accepted     bool   // owned by the mailbox of to: Receive has got it
	linked       bool   // in the list of to; under to.mu
	prev, next   *Reply // in the list of to; under to.mu
	aprev, anext *Reply // in the list of from; owned by its mailbox
	waiting      bool   // in the list of from
	mu           sync.Mutex
	over         bool
	value        any
	err          error
	stop         func() bool // of the deadline
}

// settled is the outcome of an ask on its way to the asking actor.
type settled Reply

// Ok answers with a value.
func (r *Reply) Ok(v any) { r.settle(v, nil, true) }

// Fail answers with an error; nil counts as a Reply without an error text.
func (r *Reply) Fail(err error) {
	if err == nil {
		err = fault.New("ask.failed", "the actor failed the request without a reason").With("ask", r.to.path())
	}
	r.settle(nil, err, true)
}

// settle ends the ask once. answer says that it comes from the callee's code.
func (r *Reply) settle(v any, err error, answer bool) bool {
	if !r.take(v, err) {
		if answer {
			r.sys.count.lateAnswers.Add(1)
		}
		return false
	}
	r.to.mu.Lock()
	r.to.unlinkRequest(r)
	r.to.mu.Unlock()
	if r.done != nil {
		close(r.done)
	}
	if r.from != nil {
		r.from.mb.PostUserMessage((*settled)(r))
	}
	return true
}

// take sets the outcome, if there is none.
func (r *Reply) take(v any, err error) bool {
	r.mu.Lock()
	if r.over {
		r.mu.Unlock()
		return false
	}
	r.over = true
	r.value, r.err = v, err
	stop := r.stop
	r.stop = nil
	r.mu.Unlock()
	if stop != nil {
		stop()
	}
	r.sys.count.settled(err)
	return true
}

// expire is called by the deadline.
func (r *Reply) expire() {
	r.settle(nil, fault.New("ask.deadline", "no answer within the deadline").With("ask", r.to.path()), false)
}

// accept marks the request as being in the hands of its actor, unless nobody waits for it.
func (r *Reply) accept(h *host) bool {
	if r.to == h {
		r.accepted = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.over
}

// send settles the ask at once when the callee cannot take it, else delivers it.
func (r *Reply) send(msg any, from Ref, deadline time.Duration) {
	r.sys.count.asks.Add(1)
	h := r.to
	if deadline <= 0 {
		r.expire()
		return
	}
	h.mu.Lock()
	refused := h.sealed || h.closed.Load() != open
	if !refused {
		r.linked = true
		if r.next = h.requests; r.next != nil {
			r.next.prev = r
		}
		h.requests = r
	}
	h.mu.Unlock()
	if refused {
		r.settle(nil, h.stopped(), false)
		return
	}
	stop := r.sys.clock.AfterFunc(deadline, r.expire)
	r.mu.Lock()
	if r.over {
		r.mu.Unlock()
		stop()
		return
	}
	r.stop = stop
	r.mu.Unlock()
	h.mb.PostUserMessage(Request{Msg: msg, From: from, Reply: r})
}

// unlinkRequest is called with mu held.
func (h *host) unlinkRequest(r *Reply) {
	if !r.linked {
		return
	}
	r.linked = false
	if r.prev == nil {
		h.requests = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
}

// ask sends a request of h's incarnation.
func (h *host) ask(to *host, msg any, deadline time.Duration, key any) {
	if to == nil {
		to = &h.sys.nobody
	}
	r := &Reply{sys: h.sys, to: to, from: h, inc: h.inc.Load(), key: key, waiting: true, anext: h.asks}
	if h.asks != nil {
		h.asks.aprev = r
	}
	h.asks = r
	r.send(msg, h.ref(), deadline)
}

// askSettled delivers the outcome to the incarnation that asked.
func (h *host) askSettled(r *Reply) {
	if !r.waiting {
		return // dropped with its incarnation
	}
	r.waiting = false
	if r.aprev == nil {
		h.asks = r.anext
	} else {
		r.aprev.anext = r.anext
	}
	if r.anext != nil {
		r.anext.aprev = r.aprev
	}
	r.aprev, r.anext = nil, nil
	if h.phase() == phaseRunning {
		h.deliver(Settled{Key: r.key, Value: r.value, Err: r.err})
	}
}

// dropAsks cancels what the incarnation has asked; the answers will be late ones.
func (h *host) dropAsks() {
	var err error
	for r := h.asks; r != nil; {
		next := r.anext
		r.waiting, r.aprev, r.anext = false, nil, nil
		if err == nil {
			err = fault.New("ask.cancelled", "the asking actor has stopped").With("ask", h.path())
		}
		if r.take(nil, err) {
			r.to.mu.Lock()
			r.to.unlinkRequest(r)
			r.to.mu.Unlock()
		}
		r = next
	}
	h.asks = nil
}

// ask opens a slot for waiters outside the tree.
func (s *System) ask(to Ref, msg any, deadline time.Duration) *Reply {
	h := to.h
	if h == nil {
		h = &s.nobody
	}
	r := &Reply{sys: s, to: h, done: make(chan struct{})}
	r.send(msg, Ref{}, deadline)
	return r
}

// wait gives the outcome to any number of callers; the end of a ctx settles the ask.
func (r *Reply) wait(ctx context.Context) (any, error) {
	select {
	case <-r.done:
	default:
		select {
		case <-r.done:
		case <-ctx.Done():
			code := "ask.cancelled"
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				code = "ask.deadline"
			}
			r.settle(nil, fault.Wrap(ctx.Err(), code, "the waiter gave up").With("ask", r.to.path()), false)
			<-r.done
		}
	}
	return r.value, r.err
}
