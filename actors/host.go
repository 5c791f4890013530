package actors

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// phase is where an actor stands. Only its own mailbox changes it.
type phase uint32

const (
	phaseNew     phase = iota // not started
	phaseRunning              // Receive is called
	phaseWinding              // the incarnation has ended; children and effects are on their way out
	phaseBackoff              // waits for its next incarnation
	phaseEnded
)

// How far an actor has been told to stop.
const (
	open      uint32 = iota
	closing          // by itself
	closingBy        // by its parent or from outside
)

// host carries one actor through all its incarnations. It is the invoker of a library
// mailbox: everything but the queue and its scheduling is done here.
//
// The fields are in three groups: constant after spawn, owned by the mailbox (touched
// only while it runs), and shared (under mu, or atomic).
type host struct {
	sys    *System
	parent *host // nil for the root of the system
	above  *scope
	under  context.Context // what SpawnUnder was given
	spec   Spec
	mb     actor.Mailbox
	c      Context
	pinc   int // incarnation of the parent that spawned it

	actor    Actor
	run      func()   // goes on with the mailbox; set whenever it is scheduled
	pending  *Failure // of the call that just panicked
	last     *Failure // why the incarnation before ended, or why the actor ends
	windKid  *host    // the child that is being waited for
	asks     *Reply   // open, newest first
	effects  *effect  // running, of any incarnation, newest first
	own      *own
	upStop   func() bool // ends what openScope set up
	returned bool        // Receive came back
	stopNow  bool
	restart  bool // after winding
	escalate bool // at the end
	sick     bool // a child did not stop in time
	gaveUp   bool // on effects
	reaped   bool // owned by the parent's mailbox: Terminated was delivered

	at        atomic.Uint32 // phase
	closed    atomic.Uint32 // open, closing, closingBy
	inc       atomic.Int32
	kept      atomic.Int32  // mail in own.backlog
	handled   atomic.Uint32 // messages that were taken from the queue; wraps around
	abandoned atomic.Bool   // leaked: ends at its next message
	wound     atomic.Bool   // of a winding incarnation: no code of it is called any more

	mu         sync.Mutex
	firstScope scope
	scope      *scope
	firstKid   *host // in order of start
	lastKid    *host
	prev, next *host // siblings; under the parent's mu
	kids       int
	named      uint64 // names made up
	noKids     bool   // spawning is refused
	sealed     bool   // its end was told
	leaked     bool   // and was a leak
	outcome    *Failure
	requests   *Reply // sent to it and open, newest first
	shared     *shared
}

// own is what few actors need and only the mailbox touches.
type own struct {
	timers   map[string]*timer
	watching map[*host]struct{}
	backlog  []any // mail kept while there is no incarnation
	backoff  func() bool
	grace    func() bool
	asked    time.Time // since when effects are waited for
}

// shared is what few actors need, under mu.
type shared struct {
	watchers    []*host
	names       map[string]*host // of the children, once they are many
	restarts    []time.Time      // of this actor, within the window of its parent
	kidRestarts []time.Time      // of its children, within its own window
	state       string
	waitsFor    string
	since       time.Time
	asked       time.Time // when it was asked to stop
	stopTimer   func() bool
}

func (h *host) rare() *own {
	if h.own == nil {
		h.own = &own{}
	}
	return h.own
}

// more is called with mu held.
func (h *host) more() *shared {
	if h.shared == nil {
		h.shared = &shared{}
	}
	return h.shared
}

func (h *host) phase() phase     { return phase(h.at.Load()) }
func (h *host) setPhase(p phase) { h.at.Store(uint32(p)) }

// control messages of the engine; the pointers are compared.
type control struct{ name string }

var (
	ctlStart   = &control{"start"}
	ctlStop    = &control{"stop"}
	ctlGrace   = &control{"grace over"}
	ctlBackoff = &control{"back-off over"}
	ctlNil     = &control{"nil"} // a message that is nil, which the library's queue cannot hold
)

// firstStarted is boxed once.
var firstStarted any = Started{Incarnation: 1}

// ended tells the parent or a watcher that an actor has ended.
type ended host

// escalation tells a parent that the intensity of its children was exceeded.
type escalation struct {
	failure *Failure
	pinc    int // incarnation of the parent that it is meant for
}

var (
	_          actor.MessageInvoker = (*host)(nil)
	_          actor.Dispatcher     = (*host)(nil)
	newMailbox                      = actor.UnboundedLockfree()
)

// throughput is how many messages a mailbox handles before it yields; the library's default.
const throughput = 300

// Schedule has the mailbox run, and keeps how, for the case that Receive ends the goroutine.
func (h *host) Schedule(f func()) {
	h.run = f
	if s := h.sys.scheduler; s != nil {
		s.Schedule(f)
		return
	}
	go f()
}

// Throughput is part of the library's dispatcher.
func (h *host) Throughput() int { return throughput }

// EscalateFailure is never called: every call of foreign code is guarded below.
func (h *host) EscalateFailure(any, any) {}

// post puts mail of others into the mailbox.
func (h *host) post(m any) {
	if h == nil {
		return
	}
	if h.phase() == phaseEnded {
		h.sys.count.toEnded.Add(1)
		return
	}
	if m == nil {
		m = ctlNil
	}
	h.mb.PostUserMessage(m)
}

// InvokeSystemMessage handles what overtakes queued mail.
func (h *host) InvokeSystemMessage(m any) {
	switch m := m.(type) {
	case *escalation:
		if h.phase() == phaseRunning && m.pinc == int(h.inc.Load()) {
			h.pending = h.escalated(m.failure)
		}
	case *control:
		if m == ctlBackoff && h.phase() == phaseBackoff {
			h.own.backoff = nil
			h.incarnate()
		}
	}
	h.advance()
}

// InvokeUserMessage handles one message of the queue.
func (h *host) InvokeUserMessage(m any) {
	h.handled.Add(1)
	switch m := m.(type) {
	case *effect:
		h.effectDone(m)
	case *ended:
		h.actorEnded((*host)(m))
	case *settled:
		h.askSettled((*Reply)(m))
	case *timer:
		h.ticked(m)
	case *control:
		switch m {
		case ctlStart:
			h.incarnate()
		case ctlStop:
			// A stop by itself counts for the incarnation that asked for it.
			c := h.closed.Load()
			h.stopNow = h.stopNow || c == closingBy || c == closing && h.phase() == phaseRunning
		case ctlGrace:
			h.gaveUp = true
		case ctlNil:
			h.mail(nil)
		}
	default:
		h.mail(m)
	}
	h.advance()
}

// mail delivers a message, keeps it for the next incarnation, or drops it.
func (h *host) mail(m any) {
	switch p := h.phase(); {
	case p == phaseRunning:
		if r, ok := m.(Request); ok && r.Reply != nil && !r.Reply.accept(h) {
			return // settled meanwhile: nobody waits for it
		}
		h.deliver(m)
	case p == phaseBackoff || p == phaseWinding && h.restart:
		o := h.rare()
		o.backlog = append(o.backlog, m)
		h.kept.Store(int32(len(o.backlog)))
	default:
		h.sys.count.left.Add(1)
		if r, ok := m.(Request); ok && r.Reply != nil {
			r.Reply.settle(nil, h.stopped(), false)
		}
	}
}

// advance does what follows from the message just handled.
func (h *host) advance() {
	for {
		if f := h.pending; f != nil {
			h.pending = nil
			h.fail(f)
			continue
		}
		switch h.phase() {
		case phaseRunning:
			if h.stopNow || h.abandoned.Load() {
				h.beginStop()
				continue
			}
			if h.own == nil || len(h.own.backlog) == 0 {
				return
			}
			h.mail(h.takeBacklog())
		case phaseWinding:
			if h.stopNow || h.abandoned.Load() {
				h.restart = h.restart && h.closed.Load() != closingBy && !h.abandoned.Load()
			}
			if !h.wind() {
				return
			}
			if h.restart {
				h.backOff()
			} else {
				h.end()
				return
			}
		case phaseBackoff:
			if !h.stopNow && !h.abandoned.Load() {
				return
			}
			h.restart = false
			h.setPhase(phaseWinding)
		default:
			return
		}
	}
}

func (h *host) takeBacklog() any {
	o := h.own
	m := o.backlog[0]
	o.backlog[0] = nil
	if o.backlog = o.backlog[1:]; len(o.backlog) == 0 {
		o.backlog = nil
	}
	h.kept.Store(int32(len(o.backlog)))
	return m
}

// deliver calls Receive under the guard.
func (h *host) deliver(m any) {
	defer h.rescue()
	h.returned = false
	h.actor.Receive(&h.c, m)
	h.returned = true
}

// rescue turns a panic of foreign code into a failure. When the goroutine was ended
// (runtime.Goexit), which would leave the library's mailbox running for ever, another one
// goes on with it.
func (h *host) rescue() {
	if h.returned {
		return
	}
	r := recover()
	if r != nil {
		h.pending = h.failure(r)
		return
	}
	h.pending = h.failure(errGoexit)
	h.returned = true
	h.advance()
	go h.run()
}

// incarnate makes a new actor and delivers Started; mail that was kept follows.
func (h *host) incarnate() {
	if h.phase() == phaseEnded {
		return
	}
	h.inc.Add(1)
	h.openScope()
	h.mu.Lock()
	h.noKids = false
	h.mu.Unlock()
	h.windKid, h.sick, h.restart = nil, false, false
	if h.closed.CompareAndSwap(closing, open) {
		h.stopNow = false
	}
	last := h.last
	h.last = nil
	h.setPhase(phaseRunning)
	h.produce()
	switch inc := int(h.inc.Load()); {
	case h.pending != nil:
	case inc == 1:
		h.deliver(firstStarted)
	default:
		h.deliver(Started{Incarnation: inc, Last: last})
	}
}

// produce calls Spec.New under the guard.
func (h *host) produce() {
	defer h.rescue()
	h.returned = false
	h.actor = h.spec.New()
	h.returned = true
}
