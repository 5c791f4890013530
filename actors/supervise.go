package actors

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Defaults of a [Spec].
const (
	DefaultStopWithin      = 5 * time.Second  // Spec.StopWithin
	DefaultIntensityMax    = 3                // Spec.Intensity
	DefaultIntensityWindow = 30 * time.Second // Spec.Intensity
)

// The first restart within the window is immediate; each further one waits a random part
// of a pause that starts at backoffBase and doubles up to backoffCap.
const (
	backoffBase = 100 * time.Millisecond
	backoffCap  = 5 * time.Second
)

// reasonMax bounds Failure.Reason, in bytes.
const reasonMax = 500

// errGoexit is the reason when foreign code ended its goroutine.
var errGoexit = fault.New("actor.goexit", "runtime.Goexit was called")

// failure describes what foreign code panicked with; it is called while it unwinds.
func (h *host) failure(r any) *Failure {
	return &Failure{
		Path:        h.path(),
		Kind:        h.spec.Kind,
		Incarnation: int(h.inc.Load()),
		Reason:      reason(r),
		Stack:       string(debug.Stack()),
	}
}

// reason is the first line of a panic value, bounded.
func reason(r any) string {
	s, _, _ := strings.Cut(fmt.Sprint(r), "\n")
	if len(s) > reasonMax {
		s = strings.ToValidUTF8(s[:reasonMax], "")
	}
	return s
}

// escalated is the failure of a supervisor whose child failed too often.
func (h *host) escalated(child *Failure) *Failure {
	h.sys.count.escalations.Add(1)
	h.sys.count.kind(h.spec.Kind).escalations.Add(1)
	return &Failure{
		Path:        h.path(),
		Kind:        h.spec.Kind,
		Incarnation: int(h.inc.Load()),
		Reason:      child.Path + ": " + child.Reason,
		Stack:       child.Stack,
		Escalated:   true,
		Child:       child,
	}
}

// fail ends the incarnation by f and decides whether there will be another one.
func (h *host) fail(f *Failure) {
	if h.phase() != phaseRunning { // in Stopping: the end goes on
		h.last = f
		h.sys.report(f)
		return
	}
	h.closeIncarnation()
	h.decide(f)
	h.failAccepted(f)
	h.sys.report(f)
}

// decide sets whether the actor is restarted, ends, or ends and fails its parent.
func (h *host) decide(f *Failure) {
	h.last = f
	h.restart, h.escalate = false, false
	asked := h.closed.Load() == closingBy || h.abandoned.Load()
	if asked || h.spec.Life == Temporary {
		return
	}
	now := h.sys.clock.Now()
	p := h.parent
	limit := p.spec.Intensity

	h.mu.Lock()
	own := h.more()
	own.restarts = within(own.restarts, now, limit.Window)
	f.Restarts = len(own.restarts)
	exceeded := f.Restarts >= limit.Max
	if !exceeded {
		own.restarts = append(own.restarts, now)
	}
	h.mu.Unlock()

	// The root does not fail, so each top-level actor is counted by itself.
	if p.parent != nil {
		p.mu.Lock()
		all := p.more()
		all.kidRestarts = within(all.kidRestarts, now, limit.Window)
		exceeded = len(all.kidRestarts) >= limit.Max
		if !exceeded {
			all.kidRestarts = append(all.kidRestarts, now)
		}
		p.mu.Unlock()
	}
	h.restart = !exceeded
	f.Escalated = f.Escalated || exceeded
	h.escalate = exceeded && p.parent != nil
}

// within drops the times that have left the window.
func within(times []time.Time, now time.Time, window time.Duration) []time.Time {
	i := 0
	for i < len(times) && now.Sub(times[i]) >= window {
		i++
	}
	return times[i:]
}

// backOff starts the next incarnation, at once or after a pause.
func (h *host) backOff() {
	h.sys.count.restarts.Add(1)
	h.sys.count.kind(h.spec.Kind).restarts.Add(1)
	h.mu.Lock()
	n := 0
	if h.shared != nil {
		n = len(h.shared.restarts)
	}
	h.mu.Unlock()
	if n <= 1 {
		h.incarnate()
		return
	}
	pause := backoffCap
	if n-2 < 6 { // 100 ms, 200 ms … 3.2 s, then the cap
		pause = backoffBase << (n - 2)
	}
	pause = time.Duration(float64(pause) * h.sys.rand())
	h.setPhase(phaseBackoff)
	h.rare().backoff = h.sys.clock.AfterFunc(pause, func() { h.mb.PostSystemMessage(ctlBackoff) })
}

// failAccepted answers the requests that the failed incarnation had received; those that
// still wait in the mailbox go to the next one.
func (h *host) failAccepted(f *Failure) {
	var accepted *Reply
	h.mu.Lock()
	for r := h.requests; r != nil; {
		next := r.next
		if r.accepted {
			h.unlinkRequest(r)
			r.next, accepted = accepted, r
		}
		r = next
	}
	h.mu.Unlock()
	if accepted == nil {
		return
	}
	err := fault.Wrap(f, "actor.failed", "the actor failed while it held the request").With("ask", f.Path)
	for r := accepted; r != nil; {
		next := r.next
		r.next = nil
		r.settle(nil, err, false)
		r = next
	}
}

// report tells the log and the hook of a failure. The log has no reason: a panic may
// quote a message.
func (s *System) report(f *Failure) {
	s.count.failures.Add(1)
	s.count.kind(f.Kind).failures.Add(1)
	s.log.LogAttrs(context.Background(), slog.LevelWarn, "actor failed",
		slog.String("path", f.Path), slog.String("kind", f.Kind), slog.Int("incarnation", f.Incarnation),
		slog.Int("restarts", f.Restarts), slog.Bool("escalated", f.Escalated))
	if s.onFailure == nil {
		return
	}
	defer func() {
		if recover() != nil {
			s.log.LogAttrs(context.Background(), slog.LevelError, "failure hook panicked", slog.String("path", f.Path))
		}
	}()
	s.onFailure(f)
}
