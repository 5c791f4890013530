package actors

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Options configure a [System]; the zero value works.
type Options struct {
	Logger    *slog.Logger   // failures by path and kind, never a message; nil: discard
	Clock     Clock          // nil: real
	Rand      func() float64 // jitter of restarts, in [0, 1), safe for concurrent use; nil: math/rand/v2
	Scheduler Scheduler      // nil: goroutines, kept for the next actor that has mail
	Go        func(func())   // starts an effect; nil: as Scheduler

	// OnFailure hears of every failure: of each incarnation, of a panic while stopping and
	// of a leak. It runs on the goroutine of the failing actor and must not block; a panic
	// in it is logged. nil: nobody.
	OnFailure func(*Failure)
}

// System is one tree of actors. Its methods are safe for concurrent use.
type System struct {
	log       *slog.Logger
	clock     Clock
	rand      func() float64
	scheduler Scheduler
	goFunc    func(func())
	workers   *workers // nil with a Scheduler of the caller's
	onFailure func(*Failure)

	root   *host
	nobody host // what is asked of the zero Ref
	count  counts

	shutdown sync.Once
	gone     chan struct{} // closed at the end of the root
	reported chan struct{} // closed when left is set
	left     []Survivor

	mu            sync.Mutex
	leakedHosts   map[*host]struct{}
	leakedEffects map[*effect]time.Time // since when each has been asked to stop
}

// counts are the engine's own counters.
type counts struct {
	spawned, live, restarts, escalations, failures atomic.Int64
	asks, lateAnswers                              atomic.Int64
	staleDone, leakedEffects, leakedActors         atomic.Int64

	answered, failed, overdue, stopped, cancelled atomic.Int64 // asks, by how they were settled
	toNobody, toEnded, left                       atomic.Int64 // undelivered messages

	kinds sync.Map // *kindCounts by kind of actor
}

// New makes a system. It has no goroutine and no timer of its own before it is used;
// [System.Shutdown] ends those that wait for work.
func New(o Options) *System {
	s := &System{
		log: o.Logger, clock: o.Clock, rand: o.Rand, scheduler: o.Scheduler, goFunc: o.Go, onFailure: o.OnFailure,
		gone: make(chan struct{}), reported: make(chan struct{}),
		leakedHosts: map[*host]struct{}{}, leakedEffects: map[*effect]time.Time{},
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.clock == nil {
		s.clock = RealClock()
	}
	if s.rand == nil {
		s.rand = rand.Float64
	}
	if s.scheduler == nil {
		s.workers = newWorkers()
		s.scheduler = s.workers
	}
	if s.goFunc == nil && s.workers != nil {
		s.goFunc = s.workers.Schedule
	}
	s.nobody = host{}
	s.nobody.sys = s
	s.nobody.sealed = true

	r := &host{sys: s, actor: Func(func(*Context, any) {})}
	r.spec = Spec{Kind: "root", StopWithin: DefaultStopWithin,
		Intensity: Intensity{Max: DefaultIntensityMax, Window: DefaultIntensityWindow}}
	r.c.h = r
	r.inc.Store(1)
	r.firstScope.h = r
	r.scope = &r.firstScope
	r.setPhase(phaseRunning)
	r.mb = newMailbox()
	r.mb.RegisterHandlers(r, r)
	s.root = r
	return s
}

// Spawn starts a top-level actor. Errors: "actor.name_taken", "actor.stopping" after
// [System.Shutdown], "actor.invalid_spec"; spec.New is not called then.
func (s *System) Spawn(spec Spec) (Ref, error) {
	if s.root.closed.Load() != open {
		return Ref{}, fault.New("actor.stopping", "the system is shut down").With("spawn", spec.Name)
	}
	return s.root.spawn(&spec, s.root.scope, nil)
}

// Tell puts a message into an actor's mailbox and never blocks. Messages of one sender
// arrive in order.
func (s *System) Tell(to Ref, msg any) {
	if to.h == nil {
		s.count.toNobody.Add(1)
		return
	}
	to.h.post(msg)
}

// Ask sends a request and waits for its outcome. It is for code outside the tree only: an
// actor that calls it blocks. Errors: "ask.deadline", "ask.stopped" when the actor stops or
// has ended, "ask.cancelled" when ctx ends, "actor.failed" with the [*Failure] as its cause
// when the actor fails while it holds the request, or what it failed the request with.
func (s *System) Ask(ctx context.Context, to Ref, msg any, deadline time.Duration) (any, error) {
	return s.ask(to, msg, deadline).wait(ctx)
}

// Stop asks an actor to stop: it handles what is queued, gets Stopping, and ends when its
// children and effects have.
func (s *System) Stop(to Ref) { to.h.askStop() }

// addLeaked lists an actor that did not stop.
func (s *System) addLeaked(h *host) {
	s.count.leakedActors.Add(1)
	s.mu.Lock()
	s.leakedHosts[h] = struct{}{}
	s.mu.Unlock()
}

// dropLeaked takes an actor that has ended after all off the list.
func (s *System) dropLeaked(h *host) {
	s.mu.Lock()
	delete(s.leakedHosts, h)
	s.mu.Unlock()
}

// leakEffect lists an effect whose actor ends without it.
func (s *System) leakEffect(e *effect) {
	e.leaked = true
	s.count.leakedEffects.Add(1)
	s.mu.Lock()
	s.leakedEffects[e] = e.h.own.asked
	s.mu.Unlock()
}

// unleakEffect takes an effect that has returned after all off the list.
func (s *System) unleakEffect(e *effect) {
	s.mu.Lock()
	delete(s.leakedEffects, e)
	s.mu.Unlock()
}
