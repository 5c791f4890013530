package actors

import "github.com/seed-cf6d8d1b/swarm/internal/fault"

// askStop tells an actor to stop: what is queued is handled first. From now on its parent
// waits for it no longer than its StopWithin.
func (h *host) askStop() {
	if h == nil || h.closed.Swap(closingBy) == closingBy || h.phase() == phaseEnded {
		return
	}
	h.mu.Lock()
	if h.sealed {
		h.mu.Unlock()
		return
	}
	s := h.more()
	s.asked = h.sys.clock.Now()
	if h.parent != nil {
		s.stopTimer = h.sys.clock.AfterFunc(h.spec.StopWithin, h.overdue)
	}
	h.mu.Unlock()
	h.mb.PostUserMessage(ctlStop)
}

// stopSelf is askStop from within Receive.
func (h *host) stopSelf() {
	if h.phase() != phaseRunning || !h.closed.CompareAndSwap(open, closing) {
		return
	}
	if h.mb.UserMessageCount() == 0 && h.kept.Load() == 0 {
		h.stopNow = true // nothing to drain
		return
	}
	h.mb.PostUserMessage(ctlStop)
}

// overdue runs on the clock's goroutine when an actor was asked to stop and its time is
// over. One that has handled its Stopping is bounded by its own deadlines and is waited for.
func (h *host) overdue() {
	switch p := h.phase(); {
	case p == phaseNew, p == phaseRunning, p == phaseWinding && !h.wound.Load():
		h.leak()
	}
}

// beginStop delivers Stopping. An actor that is permanent and was not asked to stop goes
// on with another incarnation.
func (h *host) beginStop() {
	h.stopNow = false
	h.closeIncarnation()
	h.restart, h.escalate, h.last = false, false, nil
	if h.spec.Life == Permanent && h.closed.Load() != closingBy && !h.abandoned.Load() {
		f := &Failure{Path: h.path(), Kind: h.spec.Kind, Incarnation: int(h.inc.Load()),
			Reason: "stopped without having been asked to"}
		h.decide(f)
		h.sys.report(f)
	}
	h.deliver(Stopping{})
}

// closeIncarnation cancels the context and refuses new children.
func (h *host) closeIncarnation() {
	h.wound.Store(false)
	h.setPhase(phaseWinding)
	h.mu.Lock()
	h.noKids = true
	sc := h.scope
	h.mu.Unlock()
	sc.cancel()
}

// unwind drops what belongs to the incarnation, once.
func (h *host) unwind() {
	if h.wound.Swap(true) {
		return
	}
	h.stopTimers()
	h.dropAsks()
	h.dropWatches()
	if !h.restart && h.effects != nil {
		h.armGrace()
	}
}

func (h *host) armGrace() {
	if o := h.rare(); o.grace == nil {
		o.asked = h.sys.clock.Now()
		o.grace = h.sys.clock.AfterFunc(h.spec.StopWithin, func() { h.mb.PostUserMessage(ctlGrace) })
	}
}

// wind stops the children, the youngest first and each after the one before has gone, and
// waits for the effects. It reports whether all have gone. After a child that did not stop
// in time the rest are asked all at once, so that sick children do not add up their times.
func (h *host) wind() bool {
	h.unwind()
	for {
		k := h.youngest()
		if k == nil {
			break
		}
		if h.sick {
			for _, k := range h.children() {
				k.askStop()
			}
			if h.youngest() != nil {
				return false
			}
			break
		}
		if k == h.windKid {
			return false
		}
		h.windKid = k
		k.askStop()
		if h.youngest() == k {
			return false
		}
	}
	if h.restart || h.effects == nil || h.gaveUp {
		return true
	}
	h.armGrace()
	return false
}

// end is the last of an actor: it leaves its parent and everyone is told.
func (h *host) end() {
	h.setPhase(phaseEnded)
	h.closed.Store(closingBy)
	for e := h.effects; e != nil; e = e.next {
		h.sys.leakEffect(e)
	}
	if o := h.own; o != nil {
		if o.grace != nil {
			o.grace()
		}
		if o.backoff != nil {
			o.backoff()
		}
		for _, m := range o.backlog {
			h.mail(m) // counts it, and answers a request
		}
		h.kept.Store(0)
		h.own = nil
	}
	h.closeUp()
	if h.parent != nil {
		h.sys.count.live.Add(-1)
	}
	if !h.seal(h.last, false) {
		h.sys.dropLeaked(h)
	}
	h.actor = nil
	if h.parent == nil {
		close(h.sys.gone)
	}
}

// seal tells the end, once: to the requests that are open, the watchers, and the parent.
// It reports false when the end was told before.
func (h *host) seal(f *Failure, leaked bool) bool {
	p := h.parent
	if p != nil {
		p.mu.Lock()
	}
	h.mu.Lock()
	first := !h.sealed
	var requests *Reply
	var watchers []*host
	if first {
		h.sealed, h.leaked, h.outcome = true, leaked, f
		requests, h.requests = h.requests, nil
		for r := requests; r != nil; r = r.next {
			r.linked = false
		}
		if s := h.shared; s != nil {
			watchers, s.watchers = s.watchers, nil
			if s.stopTimer != nil {
				s.stopTimer()
				s.stopTimer = nil
			}
		}
	}
	h.mu.Unlock()
	if p != nil {
		if first {
			p.unlink(h)
		}
		p.mu.Unlock()
	}
	if !first {
		return false
	}
	if requests != nil {
		h.refuse(requests)
	}
	for _, w := range watchers {
		w.mb.PostUserMessage((*ended)(h))
	}
	if p != nil {
		if !leaked && h.escalate {
			p.mb.PostSystemMessage(&escalation{f, h.pinc})
		}
		p.mb.PostUserMessage((*ended)(h))
	}
	return true
}

// refuse settles requests that were taken off the list.
func (h *host) refuse(requests *Reply) {
	err := h.stopped()
	for r := requests; r != nil; {
		next := r.next
		r.next, r.prev = nil, nil
		r.settle(nil, err, false)
		r = next
	}
}

// leak gives an actor up that does not stop: its parent goes on without it, it is listed
// until it ends, and its children are asked to stop.
func (h *host) leak() {
	f := &Failure{Path: h.path(), Kind: h.spec.Kind, Incarnation: int(h.inc.Load()),
		Reason: "did not stop within " + h.spec.StopWithin.String()}
	h.abandoned.Store(true)
	h.sys.addLeaked(h)
	if !h.seal(f, true) {
		h.sys.dropLeaked(h)
		return
	}
	h.sys.report(f)
	if sc := h.currentScope(); sc != nil {
		sc.cancel()
	}
	kids := h.children()
	for i := len(kids) - 1; i >= 0; i-- {
		kids[i].askStop()
	}
}

// stopped is the error of a request that an actor can no longer answer.
func (h *host) stopped() error {
	err := fault.New("ask.stopped", "the actor has stopped").With("ask", h.path())
	h.mu.Lock()
	if f := h.outcome; f != nil {
		err.Cause = f
	}
	h.mu.Unlock()
	return err
}
