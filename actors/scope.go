package actors

import (
	"context"
	"sync/atomic"
	"time"
)

// scope is the context of one incarnation. Scopes form the same tree as the actors, so
// that a cancel reaches the leaves by a walk over the children, without any mailbox, and
// an actor needs neither a goroutine nor an allocation of its own for it. h.mu guards
// done and funcs.
type scope struct {
	h         *host
	under     *scope          // nearest scope of the chain, itself included, that has an up; mostly nil
	up        context.Context // what SpawnUnder was given; nil: the scope of the parent
	done      chan struct{}
	funcs     map[*func()]struct{} // contexts of the standard library that derive from this one
	cancelled atomic.Bool
}

var _ context.Context = (*scope)(nil)

// closed is the Done channel of a scope that was cancelled before anybody asked for it.
var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Deadline is the one of the context that SpawnUnder was given.
func (s *scope) Deadline() (time.Time, bool) {
	if s.under == nil {
		return time.Time{}, false
	}
	return s.under.up.Deadline()
}

// Done makes the channel at its first use.
func (s *scope) Done() <-chan struct{} {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	if s.done == nil {
		if s.cancelled.Load() {
			s.done = closed
		} else {
			s.done = make(chan struct{})
		}
	}
	return s.done
}

// Err tells of a cancel at once, also when it comes from the context that SpawnUnder was
// given and has not yet walked down.
func (s *scope) Err() error {
	if !s.cancelled.Load() {
		if s.under == nil || s.under.up.Err() == nil {
			return nil
		}
		s.under.cancel()
		s.cancel()
	}
	return context.Canceled
}

// Value asks the context that SpawnUnder was given.
func (s *scope) Value(key any) any {
	if s.under == nil {
		return nil
	}
	return s.under.up.Value(key)
}

// AfterFunc lets contexts of the standard library derive from a scope without a goroutine.
// The library calls it with the lock of the deriving context held, which f takes: f is not
// called before AfterFunc has returned, also when the cancel came first.
func (s *scope) AfterFunc(f func()) (stop func() bool) {
	s.h.mu.Lock()
	if s.cancelled.Load() {
		s.h.mu.Unlock()
		go f()
		return func() bool { return false }
	}
	if s.funcs == nil {
		s.funcs = map[*func()]struct{}{}
	}
	s.funcs[&f] = struct{}{}
	s.h.mu.Unlock()
	return func() bool {
		s.h.mu.Lock()
		defer s.h.mu.Unlock()
		_, there := s.funcs[&f]
		delete(s.funcs, &f)
		return there
	}
}

// cancel ends the scope and all that derive from it.
func (s *scope) cancel() {
	if s.cancelled.Load() {
		return
	}
	var funcs []func()
	s.walk(&funcs)
	for _, f := range funcs {
		f()
	}
}

// walk cancels downwards, holding the lock of each actor on the way; locks are only ever
// taken from a parent to its child.
func (s *scope) walk(funcs *[]func()) {
	h := s.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.cancelled.Load() {
		return
	}
	s.cancelled.Store(true)
	if s.done != nil {
		close(s.done)
	}
	for f := range s.funcs { // order is of no consequence: each only cancels
		*funcs = append(*funcs, *f)
	}
	s.funcs = nil
	if h.scope != s {
		return // the children belong to a later incarnation
	}
	for k := h.firstKid; k != nil; k = k.next {
		if sc := k.currentScope(); sc != nil { // nil: not started; openScope looks up
			sc.walk(funcs)
		}
	}
}

// currentScope is the scope of the present incarnation.
func (h *host) currentScope() *scope {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.scope
}

// openScope gives a new incarnation its scope, cancelled when what it derives from is.
func (h *host) openScope() {
	s := &h.firstScope
	if s.h != nil {
		s = &scope{}
	}
	s.h, s.up, s.under = h, h.under, h.above.under
	if s.up != nil {
		s.under = s
	}
	h.mu.Lock()
	h.scope = s
	h.mu.Unlock()
	if s.up != nil {
		h.closeUp()
		h.upStop = context.AfterFunc(s.up, s.cancel)
	}
	if h.above.cancelled.Load() || s.up != nil && s.up.Err() != nil {
		s.cancel()
	}
}

// closeUp lets go of the context that SpawnUnder was given.
func (h *host) closeUp() {
	if h.upStop != nil {
		h.upStop()
		h.upStop = nil
	}
}
